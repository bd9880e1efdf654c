"""A site on disk that can be built with the plugin and without it."""

from __future__ import annotations

import json
import random
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.documentation import Page

EXTENSIONS: tuple[str | dict[str, Any], ...] = (
    *("admonition", "tables", "pymdownx.superfences", "pymdownx.details"),
    {"pymdownx.tabbed": {"alternate_style": True}},
    {"toc": {"permalink": True}},
)
SMALLEST_SOURCE = 1_500
"""Bytes: a page with less may have no sentence that could be quoted."""
_LONGEST_QUERY = 8  # words
_HOOK = Path(__file__).with_name("inside.py")
_CACHE = "cache"
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*\n")
_TITLE = re.compile(r"\s*#[ \t]+\S.*\n")


@dataclass(frozen=True, slots=True)
class Directive:
    """A fence on a page that asks another page."""

    host: str
    """The page it stands on."""
    source: str
    """The page it asks."""
    query: str = ""
    """What; nothing makes it a synopsis."""

    @property
    def name(self) -> str:
        """What kind it is."""
        return "recall" if self.query else "synopsis"

    def fence(self) -> str:
        """Return it as an author writes it."""
        query = [f"query: {json.dumps(self.query)}"] if self.query else []
        return "\n".join(
            [f"```{self.name}", f"source: {json.dumps('/' + self.source)}", *query, "```"]
        )


@dataclass(frozen=True, slots=True)
class Site:
    """A documentation with directives in it, and the same without."""

    root: Path
    uris: tuple[str, ...]
    size: int
    """Bytes of Markdown, without the directives."""
    directives: tuple[Directive, ...]

    @property
    def built(self) -> Path:
        """Where MkDocs writes the site."""
        return self.root / "site"

    @property
    def inside(self) -> Path:
        """What was measured inside the last build."""
        return self.root / "inside.json"

    def page(self, uri: str) -> Path:
        """Return the file of a page with its directives."""
        return self.root / "docs" / uri

    def forget(self) -> None:
        """Empty the plugin's cache."""
        shutil.rmtree(self.root / _CACHE, ignore_errors=True)


def write_site(
    root: Path,
    pages: Iterable[Page],
    *,
    directives: int,
    seed: int,
    hosts: int | None = None,
) -> Site:
    """Write a site.

    Args:
        root: An empty folder for it.
        pages: The documentation. Only one page at a time is held: a process that is started from a
            large one counts as large.
        directives: How many each page gets.
        seed: Decides who asks whom, and what.
        hosts: How many pages have directives, from the first; None for all.
    """
    queries: dict[str, list[str]] = {}
    sources: list[str] = []
    size = 0
    for page in pages:
        queries[page.uri] = [" ".join(words[:_LONGEST_QUERY]) for words in page.headings()]
        _write(root / "bare" / page.uri, page.markdown)
        length = len(page.markdown.encode())
        size += length
        if length >= SMALLEST_SOURCE:
            sources.append(page.uri)
    made = draw_directives(list(queries)[:hosts], sources, queries, each=directives, seed=seed)
    fences: dict[str, list[str]] = {uri: [] for uri in queries}
    for directive in made:
        fences[directive.host].append(directive.fence())
    for uri, written in fences.items():
        text = (root / "bare" / uri).read_text(encoding="utf-8")
        _write(root / "docs" / uri, inserted(text, written))
    _configure(root, next(iter(queries)))
    return Site(root, tuple(queries), size, tuple(made))


def draw_directives(
    hosts: Sequence[str],
    sources: Sequence[str],
    queries: dict[str, list[str]],
    *,
    each: int,
    seed: int,
) -> list[Directive]:
    """Draw directives, half of them recalls; a query is made of the words of one heading."""
    rng = random.Random(f"{seed}/directives")
    made = []
    for number in range(each * len(hosts)):
        host = hosts[number // each]
        source = rng.choice(sources)
        while source == host and len(sources) > 1:
            source = rng.choice(sources)
        asks = rng.choice((True, False)) and queries[source]
        made.append(Directive(host, source, rng.choice(queries[source]) if asks else ""))
    return made


def inserted(markdown: str, blocks: Sequence[str]) -> str:
    """Return a page with blocks below its title, or at its beginning if that is no title."""
    front = _FRONT_MATTER.match(markdown)
    at = front.end() if front else 0
    if title := _TITLE.match(markdown, at):
        at = title.end()
    return "\n\n".join([markdown[:at].rstrip("\n"), *blocks, markdown[at:].lstrip("\n")])


def _configure(root: Path, home: str) -> None:
    """Write the three configurations; MkDocs reads JSON, which is YAML."""
    plugin = {"recall": {"cache_dir": _CACHE}}
    ignored = dict.fromkeys(("omitted_files", "not_found", "absolute_links"), "ignore")
    common = {
        "site_name": "Benchmark",
        "site_url": "https://benchmark.example/",
        "theme": {"name": "mkdocs"},
        "nav": [home],  # a full one is on every page: then the plain build's time is quadratic
        "markdown_extensions": EXTENSIONS,
        "hooks": [str(_HOOK)],
        "validation": {"nav": ignored, "links": {**ignored, "unrecognized_links": "ignore"}},
    }
    for name, folder, plugins in (
        ("plain", "docs", ["search"]),
        ("bare", "bare", ["search", plugin]),
        ("recall", "docs", ["search", plugin]),
    ):
        config = {**common, "docs_dir": folder, "plugins": plugins}
        _write(root / f"{name}.yml", json.dumps(config, indent=2))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
