"""A directive: where it stands, what its options are, what its quote looks like."""

NAMES = ("recall", "synopsis")


def may_hold_directive(markdown: str) -> bool:
    """Say whether it is worth while to look for directives; a False is certain."""
    return "recall" in markdown or "synopsis" in markdown
