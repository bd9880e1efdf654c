"""Of tabs, details, definitions and rows beside each other, the one that is named is quoted."""

from __future__ import annotations

from typing import Any

import pytest

from mkdocs_recall import Corpus

TABS = """# Larch

## Installing

Larch comes with an installer:

=== "Linux"

    Install it by this:

    ```
    curl larch.sh | sh
    ```

=== "Windows"

    Install it by this:

    ```
    winget larch
    ```

## More

Zebras run.
"""


def quote(text: str, query: str, **options: Any) -> str:
    """Return the text of all passages."""
    result = Corpus.from_markdown({"a.md": text}).recall(query, min_score=0, **options)
    return "\n".join(passage.text for passage in result.passages)


@pytest.mark.parametrize("context", ["auto", "block", 0])
@pytest.mark.parametrize(
    ("system", "right", "wrong"),
    [("Windows", "winget", "curl"), ("Linux", "curl", "winget")],
)
def test_the_tab_that_is_named_is_quoted(
    context: str | int, system: str, right: str, wrong: str
) -> None:
    found = quote(TABS, f"How do I install Larch on {system}?", context=context)
    assert right in found
    assert wrong not in found


def test_where_no_tab_is_named_the_first_comes_with_the_lead_in() -> None:
    found = quote(TABS, "does larch come with an installer")
    assert "curl" in found
    assert "winget" not in found


def test_a_tab_without_text_is_not_the_one() -> None:
    text = TABS.replace('=== "Linux"\n', '=== "BSD"\n\n=== "Linux"\n')
    assert "curl" in quote(text, "does larch come with an installer")


def test_a_title_alone_is_no_passage() -> None:
    text = '# Larch\n\n=== "Walrus"\n\n=== "Zebra"\n\n    It runs.\n\n## More\n\nLarches grow.\n'
    assert "Walrus" not in quote(text, "walrus")


@pytest.mark.parametrize(
    "text",
    [
        "# A\n\nSo:\n\nzebra mode\n:   It sleeps by day.\n\nwalrus mode\n:   Awake by day.",
        '# A\n\nSo:\n\n??? "Zebra mode"\n\n    It sleeps.\n\n??? "Walrus mode"\n\n    Awake now.',
        "# A\n\n| Mode | By day |\n|---|---|\n| zebra mode | It sleeps |\n| walrus mode | Awake |",
    ],
    ids=["definitions", "details", "rows"],
)
def test_what_is_beside_the_named_one_is_not_quoted(text: str) -> None:
    found = quote(text, "what happens by day in zebra mode").lower()
    assert "it sleeps" in found
    assert "awake" not in found
