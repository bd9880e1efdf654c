"""A site on disk that is built with the plugin and without it, and checks of the result."""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import documentation
from benchmarks.report import Usage, run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from benchmarks.documentation import Page

EXTENSIONS: tuple[str | dict[str, Any], ...] = (
    *("admonition", "tables", "pymdownx.superfences", "pymdownx.details"),
    {"pymdownx.tabbed": {"alternate_style": True}},
    {"toc": {"permalink": True}},
)
CLASSES = {"pymdownx.highlight": {"use_pygments": False}}
"""Keeps the language of a code block, as most generators do."""
SMALLEST_SOURCE = 1_500  # bytes: a page with less may have no sentence that could be quoted
_LONGEST_QUERY = 8  # words
_CACHE = "cache"
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*\n")
_TITLE = re.compile(r"\s*#[ \t]+\S.*\n")
_QUOTE = re.compile(r'<blockquote class="(recall|synopsis)" data-[a-z -]*>\s*<p>(?!</p>)')
_LEFT_OVER = re.compile(
    r'class="(?:[^"]*\b(?:recall|synopsis)-error|language-(?:recall|synopsis))\b|'
    r"!-- recall:(?!fence )"
)
"""A caution in place of a quote; a fence that stayed code; a marker that nobody filled."""


@dataclass(frozen=True, slots=True)
class Directive:
    """A fence on a page whose source is another page."""

    host: str  # the page it stands on
    source: str  # the page it asks
    query: str = ""  # what; nothing makes it a synopsis

    @property
    def name(self) -> str:
        """The name of the directive."""
        return "recall" if self.query else "synopsis"

    def fence(self) -> str:
        """Return it as an author writes it."""
        query = f"query: {json.dumps(self.query)}\n" if self.query else ""
        return f"```{self.name}\nsource: {json.dumps('/' + self.source)}\n{query}```"


@dataclass(frozen=True, slots=True)
class Build:
    """One build."""

    usage: Usage  # of the whole process
    plugin: float  # CPU seconds in the plugin's events
    rest: float  # CPU seconds of everything else; the plugin's import is in them


@dataclass(frozen=True, slots=True)
class Site:
    """A documentation with directives in it, and the same without."""

    root: Path
    uris: tuple[str, ...]
    directives: tuple[Directive, ...]

    @property
    def built(self) -> Path:
        """Where MkDocs writes the site."""
        return self.root / "site"

    def page(self, uri: str) -> Path:
        """Return the file of a page with its directives."""
        return self.root / "docs" / uri

    def built_page(self, uri: str) -> Path:
        """Return the HTML file that a page was built to."""
        path = self.built / uri
        if path.name in {"index.md", "README.md"}:
            return path.with_name("index.html")
        return path.with_suffix("") / "index.html"

    def forget(self) -> None:
        """Empty the plugin's cache."""
        shutil.rmtree(self.root / _CACHE, ignore_errors=True)

    def build(self, configuration: str) -> Build:
        """Build the site in a separate process."""
        shutil.rmtree(self.built, ignore_errors=True)
        mkdocs = (sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file")
        usage = run([*mkdocs, configuration], folder=self.root)
        inside = json.loads((self.root / "inside.json").read_text(encoding="utf-8"))
        return Build(usage, inside["plugin"], inside["process"] - inside["plugin"])

    def longest_recall(self) -> Directive:
        """Return the recall with the longest query, whose source will be edited."""
        recalls = [directive for directive in self.directives if directive.query]
        return max(recalls, key=lambda directive: len(directive.query.split()))

    def unresolved(self) -> list[str]:
        """Return the pages on which not every directive has become a quote."""
        asked: dict[str, Counter[str]] = {}
        for directive in self.directives:
            asked.setdefault(directive.host, Counter())[directive.name] += 1
        wrong = []
        for uri, expected in asked.items():
            html = self.built_page(uri).read_text(encoding="utf-8")
            if Counter(_QUOTE.findall(html)) != expected or _LEFT_OVER.search(html):
                wrong.append(uri)
        return wrong


@contextmanager
def temporary_site(pages: int, docs: Path | None = None, *, directives: int = 1) -> Iterator[Site]:
    """Write a temporary site with a number of pages, made up or from a folder."""
    with tempfile.TemporaryDirectory() as folder:
        written = documentation.pages(pages, docs)
        yield write_site(Path(folder).resolve(), written, directives=directives)


def write_site(
    root: Path, pages: Iterable[Page], *, directives: int = 1, clocked: bool = True
) -> Site:
    """Write a site to an empty folder, with so many directives on each page.

    Only one page is in memory at a time, since the child of a large process counts as large. If
    clocked, a hook measures the plugin's events.
    """
    queries: dict[str, list[str]] = {}
    sources: list[str] = []
    for page in pages:
        queries[page.uri] = [" ".join(words[:_LONGEST_QUERY]) for words in page.headings()]
        _write(root / "bare" / page.uri, page.markdown)
        if len(page.markdown.encode()) >= SMALLEST_SOURCE:
            sources.append(page.uri)
    drawn = _draw_directives(queries, sources, directives)
    fences: dict[str, list[str]] = {uri: [] for uri in queries}
    for directive in drawn:
        fences[directive.host].append(directive.fence())
    for uri, written in fences.items():
        text = (root / "bare" / uri).read_text(encoding="utf-8")
        _write(root / "docs" / uri, inserted(text, written))
    hooks = [str(Path(__file__).with_name("inside.py"))] if clocked else []
    _configure(root, next(iter(queries)), hooks)
    return Site(root, tuple(queries), tuple(drawn))


def _draw_directives(
    queries: dict[str, list[str]], sources: Sequence[str], each: int
) -> list[Directive]:
    """Draw directives, half of them recalls; a query is made of the words of one heading."""
    rng = random.Random(f"{documentation.SEED}/directives")
    drawn = []
    for host in (host for host in queries for _ in range(each)):
        source = rng.choice(sources)
        while source == host and len(sources) > 1:
            source = rng.choice(sources)
        asks = rng.choice((True, False)) and queries[source]
        drawn.append(Directive(host, source, rng.choice(queries[source]) if asks else ""))
    return drawn


def inserted(markdown: str, blocks: Sequence[str]) -> str:
    """Return a page with blocks below its title, or at its beginning if that is no title."""
    front = _FRONT_MATTER.match(markdown)
    at = front.end() if front else 0
    if title := _TITLE.match(markdown, at):
        at = title.end()
    return "\n\n".join([markdown[:at].rstrip("\n"), *blocks, markdown[at:].lstrip("\n")])


def answering(markdown: str, query: str, token: str) -> str:
    """Return a page with a section that answers a query by a sentence with a token in it."""
    sentence = f"Now {query} is what {token} says."
    return inserted(markdown, [f"## {query}", sentence])  # a query is a heading, which ranks high


def digests(folder: Path) -> dict[str, str]:
    """Return a digest of every file of a built site, by path."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _configure(root: Path, home: str, hooks: list[str]) -> None:
    """Write the configurations; MkDocs reads JSON, which is YAML."""
    plugin = {"recall": {"cache_dir": _CACHE}}
    ignored = dict.fromkeys(("omitted_files", "not_found", "absolute_links"), "ignore")
    common = {
        "site_name": "Benchmark",
        "site_url": "https://benchmark.example/",
        "theme": {"name": "mkdocs"},
        "nav": [home],  # a full one is on every page: then the plain build's time is quadratic
        "hooks": hooks,
        "validation": {"nav": ignored, "links": {**ignored, "unrecognized_links": "ignore"}},
    }
    for name, folder, plugins, extensions in (
        ("plain", "docs", ["search"], EXTENSIONS),
        ("unfilled", "docs", ["search"], (*EXTENSIONS, CLASSES)),
        ("bare", "bare", ["search", plugin], EXTENSIONS),
        ("recall", "docs", ["search", plugin], EXTENSIONS),
    ):
        settings = {"docs_dir": folder, "plugins": plugins, "markdown_extensions": extensions}
        _write(root / f"{name}.yml", json.dumps({**common, **settings}, indent=2))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
