"""The golden copy of the quotes on the demo site, and the one command that rewrites it.

`golden/demo_quotes.yaml` holds every quote of the built demo site by page. Nothing writes it
automatically: after a change that is meant to change quotes, run

    python tests/golden_demo.py

and read the difference before you commit it.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from copy import copy
from pathlib import Path
from typing import Any, TypeAlias

import yaml
from bs4 import BeautifulSoup, Tag
from terminal import run_mkdocs

ROOT = Path(__file__).parent.parent
DEMO = ROOT / "demo_site"
GOLDEN = Path(__file__).parent / "golden" / "demo_quotes.yaml"
CLASSES = ("recall", "synopsis", "recall-note", "synopsis-note", "recall-error", "synopsis-error")

Quote: TypeAlias = "dict[str, Any]"


def build(config: Path, site: Path, *, strict: bool = True) -> subprocess.CompletedProcess[str]:
    """Build a site like its author, in a separate process."""
    arguments = ["-f", str(config), "-d", str(site), *["--strict"] * strict]
    return run_mkdocs(*arguments, folder=config.parent)


def pages(site: Path) -> dict[str, BeautifulSoup]:
    """Return the built pages by their path in the site."""
    return {
        path.relative_to(site).as_posix(): BeautifulSoup(path.read_bytes(), "html.parser")
        for path in sorted(site.rglob("*.html"))
    }


def quotes_in(page: BeautifulSoup) -> Iterator[Tag]:
    """Yield the quotes and notes of a page, in order."""
    tags = page.find_all(class_=CLASSES)
    yield from (tag for tag in tags if tag.has_attr("data-search-exclude"))


def read_quote(tag: Tag) -> Quote:
    """Return the visible parts of a quote: its kind, paragraphs, links and citations."""
    classes = tag.get_attribute_list("class")
    quote: Quote = {"kind": f"{tag.name}.{'.'.join(map(str, classes))}"}
    text: list[object] = []
    links: list[str] = []
    citations: list[str] = []
    for part in copy(tag).find_all(["label", "p", "li", "tr", "pre"]):
        if part.find_parent(class_="recall-explain"):
            continue
        if "admonition-title" in part.get_attribute_list("class"):
            quote["title"] = _text(part)
            continue
        for link in part.find_all("a"):
            listed = citations if link.find_parent("cite") else links
            listed.append(f"{_text(link)} -> {link['href']}")
        for cite in part.find_all("cite"):
            cite.extract()
        text += _read_part(part)
    quote["text"] = text
    if links:
        quote["links"] = links
    if citations:
        quote["citations"] = citations
    return quote


def _read_part(part: Tag) -> Iterator[object]:
    """Yield the text of a paragraph, an item, a row or a block of code, with its marks."""
    if part.name == "tr":
        yield " | ".join(map(_text, part.find_all(["th", "td"])))
    elif _text(part):  # not the paragraph of a citation alone
        names = [] if part.name == "pre" else ["code", "em", "strong"]
        marked = [f"<{mark.name}> {_text(mark)}" for mark in part.find_all(names)] if names else []
        yield {"text": _text(part), "marks": marked} if marked else _text(part)


def read_quotes(site: Mapping[str, BeautifulSoup]) -> dict[str, list[Quote]]:
    """Return all quotes of the pages of a site, by page."""
    found = {name: [read_quote(tag) for tag in quotes_in(page)] for name, page in site.items()}
    return {name: quotes for name, quotes in found.items() if quotes}


def _text(tag: Tag) -> str:
    return " ".join(tag.get_text().split())


def main() -> None:
    """Build the demo site and write the golden copy."""
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "site"
        result = build(ROOT / "mkdocs.yml", site)
        if result.returncode:
            sys.exit(result.stderr)
        quotes = read_quotes(pages(site))
    content = yaml.safe_dump(
        quotes, default_flow_style=None, width=160, allow_unicode=True, sort_keys=False
    )
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(content, encoding="utf-8", newline="\n")
    sys.stdout.write(f"wrote {GOLDEN.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
