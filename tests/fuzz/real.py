"""What is real and gets mutated here: the pages of the demo site, as Markdown and as HTML."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

from markdown import Markdown
from python_markdown import DEFAULT_CONFIGS, DEFAULT_EXTENSIONS

from mkdocs_recall.directives.fences import find_fences
from mkdocs_recall.text.front_matter import split_front_matter

_DEMO: Final = Path(__file__).parents[2] / "demo_site"


@cache
def markdown_pages() -> tuple[str, ...]:
    """Return the pages of the demo site."""
    return tuple(path.read_text("utf-8") for path in sorted(_DEMO.rglob("*.md")))


@cache
def html_pages() -> tuple[str, ...]:
    """Return some of them as rendered."""
    render = Markdown(extensions=[*DEFAULT_EXTENSIONS], extension_configs={**DEFAULT_CONFIGS})
    pages = (page for page in markdown_pages() if len(page) < 12_000)
    return tuple(render.reset().convert(split_front_matter(page).body) for page in pages)


@cache
def bodies() -> tuple[str, ...]:
    """Return what stands in the directives of the demo site, and in its examples of them."""
    fences = [fence.body for page in markdown_pages() for fence in find_fences(page)]
    shown = re.compile(
        r"^`{3,}(?:recall|synopsis|yaml embedm)\n(.*?)\n`{3}", re.DOTALL | re.MULTILINE
    )
    return tuple(dict.fromkeys([*fences, *(b for p in markdown_pages() for b in shown.findall(p))]))
