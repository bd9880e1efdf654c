"""What is seen of simple pages at a glance is what a scan of their lines finds."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mkdocs_recall.directives.parser import scan_fences, simple_fences

PIECES = (
    *("# Home", "Text.", "", "- item", "    code", "> quote", "`inline`", "a < b", "<!--", "-->"),
    *("<pre>", "</pre>", "```", "```recall", "``` recall", "```recall ", "```synopsis", "````"),
    *(
        "```python",
        "~~~",
        "~~~recall",
        "query: x",
        " query: x",
        "source: a.md",
        "``` ",
        "```yaml embedm",
    ),
    *(
        "type: recall",
        "\ufeff```recall",
        "query: `x`",
        "query: ```",
        "!!! note",
        "    ```recall",
        "\t",
    ),
)


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("\n".join))
@example("```recall\n```")
@example("```recall\nquery: x\n```\n\n```synopsis\n```\ntext")
@example("```recall\nquery: x\n```\r\n")
def test_a_page_that_is_simple_has_the_same_directives(page: str) -> None:
    found = simple_fences(page)
    assert found is None or found == scan_fences(page)


@pytest.mark.parametrize(
    "page",
    [
        "```recall\nquery: x\n```",
        "# Home\n\nText <https://a.b> `x`.\n\n```recall\nsource: a.md\nquery: x\n```\n\nText.\n",
        "```synopsis\n```\n```recall\nquery: x\n```\n\n```python\nx < 1\n```\n",
    ],
)
def test_a_page_as_most_are_is_simple(page: str) -> None:
    assert simple_fences(page) == scan_fences(page)


@pytest.mark.parametrize(
    "page",
    [
        "````\n```recall\nquery: x\n```\n````\n",
        "<!--\n```recall\nquery: x\n```\n-->\n",
        "- item\n\n    ```recall\n    query: x\n    ```\n",
        "```recall\nquery: x\n",
        "Text.\n",
    ],
)
def test_any_other_page_is_scanned(page: str) -> None:
    assert simple_fences(page) is None
