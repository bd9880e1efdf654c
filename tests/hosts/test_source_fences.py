"""A directive of a finished page is found in its source, whatever the source is written in."""

from __future__ import annotations

from pathlib import Path

import pytest

from mkdocs_recall.directives.fences import find_fences
from mkdocs_recall.hosts.fill import SourceFences

BODY = "query: what is x?\nmax_sentences: 1"
INDENTED = "\n".join(f"   {line}" for line in BODY.split("\n"))
FORMS = {
    "a fence": ("a.md", f"# A\n\n```recall\n{BODY}\n```\n", 3),
    "a fence after front matter": ("a.md", f"---\na: b\n---\n\n```recall\n{BODY}\n```\n", 5),
    "code-block": ("a.rst", f"A\n=\n\n.. code-block:: recall\n\n{INDENTED}\n", 5),
    "with settings": (
        "a.rst",
        f".. code-block:: recall\n   :linenos:\n   :name: x\n   :class: y\n\n{INDENTED}\n",
        5,
    ),
    "highlight": (
        "a.rst",
        f".. highlight:: recall\n\nA\n=\n\nB\n\nC\n\nD\n\n::\n\n{INDENTED}\n",
        13,
    ),
    "MyST": ("a.md", f"# A\n\n```{{code-block}} recall\n{BODY}\n```\n", 3),
    "MyST with settings": (
        "a.md",
        f"````{{note}}\n:::{{code-block}} recall\n:caption: z\n\n{BODY}\n:::\n````\n",
        4,
    ),
    "a directive of MyST": ("a.md", f"# A\n\n```{{recall}}\n{BODY}\n```\n", 3),
    "a fence in a box of MyST": ("a.md", f"````{{note}}\n```recall\n{BODY}\n```\n````\n", 2),
    "a fence in a box in a box": (
        "a.md",
        f"`````{{note}}\n````{{tip}}\n```recall\n{BODY}\n```\n````\n`````\n",
        3,
    ),
}
NOT_THERE = {
    "an example": ("a.md", f"````markdown\n```recall\n{BODY}\n```\n````\n"),
    "an example in a box": (
        "a.md",
        f"`````{{note}}\n````markdown\n```recall\n{BODY}\n```\n````\n`````\n",
    ),
    "an example in code of MyST": (
        "a.md",
        f"````{{code-block}} markdown\n```recall\n{BODY}\n```\n````\n",
    ),
    "a body at the start": ("a.md", f"{BODY}\n\n````{{note}}\n```recall"),
    "another body": ("a.md", "```recall\nquery: what is y?\n```\n"),
    "another name": ("a.md", f"```{{code-block}} synopsis\n{BODY}\n```\n"),
    "text of Markdown": ("a.md", f"A recall:\n\n{BODY}\n"),
    "another language": ("a.rst", f".. code-block:: yaml\n\n{INDENTED}\n"),
    "another language by now": (
        "a.rst",
        f".. highlight:: recall\n\nA\n\n.. highlight:: yaml\n\nB\n\nC\n\nD\n\n::\n\n{INDENTED}\n",
    ),
}
[FENCE] = find_fences(f"```recall\n{BODY}\n```\n")


@pytest.mark.parametrize("form", FORMS)
def test_its_line_is_its_opening_or_the_one_above(tmp_path: Path, form: str) -> None:
    name, text, line = FORMS[form]
    (tmp_path / name).write_text(text, "utf-8")
    assert SourceFences(str(tmp_path / name)).line(FENCE) == line


@pytest.mark.parametrize("form", NOT_THERE)
def test_it_is_not_found_where_it_is_not(tmp_path: Path, form: str) -> None:
    name, text = NOT_THERE[form]
    (tmp_path / name).write_text(text, "utf-8")
    assert SourceFences(str(tmp_path / name)).line(FENCE) is None


def test_a_page_of_bodies_that_are_no_directives_is_read_once(tmp_path: Path) -> None:
    """Were the lines above each read again, this would take minutes."""
    page = tmp_path / "a.md"
    page.write_text(f"````markdown\n```recall\n{BODY}\n```\n````\n" * 20_000, "utf-8")
    assert SourceFences(str(page)).line(FENCE) is None
