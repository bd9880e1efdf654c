"""What a reader finds in a built site: its quotes, and the pages and places they lead to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin

from bs4 import BeautifulSoup, Tag

ROOT = "https://here.invalid/a/b/c/d/e/f/g/h/"
"""Where the site is taken to be: deep enough that a link with too many `..` leaves it."""
LEFT_OVER = re.compile(
    r"!--\s*recall\s*:|(?:`{3}|~{3})[ \t]*(?:recall|synopsis|yaml embedm)"
    r"|language-(?:recall|synopsis)\b"
)
"""A marker, a fence, or a fence that has come out as code; each escaped or not."""


@dataclass(frozen=True)
class Quote:
    """A quote as it is read."""

    text: str
    leads: tuple[str, ...] = ()
    """The files and ids that its links lead to, seen from the folder of the site."""


def ask(name: str = "recall", /, **options: Any) -> str:
    """Return a fence with options that need no quotes."""
    lines = [f"{key}: {value}" for key, value in options.items()]
    return "\n".join([f"```{name}", *lines, "```", ""])


def quotes(site: Path, path: str = "index.html") -> list[Quote]:
    """Return the quotes of a page; nothing else of a directive is left in any file of the site."""
    assert left_over(site) == []
    return [read_quote(site, path, tag) for tag in page(site, path).select(".recall, .synopsis")]


def read_quote(site: Path, path: str, tag: Tag) -> Quote:
    """Return a quote of a page; each of its links leads to a page and an id that are there."""
    links = [str(link["href"]) for link in tag.select("a[href]")]
    return Quote(" ".join(tag.get_text().split()), tuple(leads(site, path, x) for x in links))


def page(site: Path, path: str) -> BeautifulSoup:
    """Return a built page."""
    return BeautifulSoup((site / path).read_bytes(), "html.parser")


def leads(site: Path, path: str, link: str) -> str:
    """Return the file, and the id in it, that a link on a page leads to; both are there."""
    full, _, fragment = urljoin(ROOT + path, link).partition("#")
    assert full.startswith(ROOT), (path, link)
    file = unquote(full.removeprefix(ROOT))
    file += "index.html" if not file or file.endswith("/") else ""
    assert (site / file).is_file(), (path, link)
    if not fragment:
        return file
    assert page(site, file).find(id=unquote(fragment)) is not None, (path, link)
    return f"{file}#{unquote(fragment)}"


def left_over(site: Path) -> list[str]:
    """Return what is left of directives, in whatever file of the site."""
    return [
        f"{file.relative_to(site).as_posix()}: {found[0]}"
        for file in sorted(site.rglob("*"))
        if file.is_file()
        if (found := LEFT_OVER.search(file.read_bytes().decode("utf-8", "replace")))
    ]
