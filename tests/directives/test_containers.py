"""Which lines of Markdown are indented code, whatever is around them."""

from __future__ import annotations

from hypothesis import given, settings, strategies as st

from mkdocs_recall.directives.fences import Containers

PIECES = (
    *("    ", "  ", " ", "\t", "> ", ">", "- ", "* ", "+ ", ": ", "1. ", "10) ", "[^1]: ", "-"),
    *("# h", "#", "## h", "text", "é", "1", "!!! note", "??? x", '=== "x"', "`", "<", "=", "\r"),
    "",
)
LINES = st.lists(st.lists(st.sampled_from(PIECES), max_size=4).map("".join), max_size=12)


@settings(max_examples=75)
@given(LINES, LINES.filter(lambda lines: bool("".join(lines[-1:]).strip(" \t\r>"))))
def test_lines_passed_at_once_are_read_as_one_by_one(before: list[str], lines: list[str]) -> None:
    by_line, at_once = Containers(), Containers()
    code = False
    for line in before + lines:
        if line.strip(" \t\r>"):
            code = by_line.enter(line)
        else:
            by_line.fresh = True
    at_once.reach(before)
    assert at_once.reach(lines) == code
    assert (at_once.open, at_once.fresh) == (by_line.open, by_line.fresh)
