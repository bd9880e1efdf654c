"""Sites that are built again and again, and compared with a first build of the same tree."""

from __future__ import annotations

import os
import random
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conftest import Built, Site
from mkdocs.commands.build import build
from mkdocs.config import load_config

COUNTS = re.compile(r"recall: (\d+) directives? answered, (\d+) by fallback, (\d+) from the cache")
DOUBTS = re.compile(r"recall: (\d+) with doubts")
START = 1_000_000_000
"""Seconds: file times come from our own clock, far ahead of all builds."""

WORDS = ["session", "token", "larch", "birch", "day", "year", "expires", "lives", "is", "the", "no"]
OPTIONS = ["", "max_sentences: 1", "format: list", "on_empty: warn", "cite: true", "scorer: bm25"]
SETTINGS: list[dict[str, Any]] = [
    {},
    {"use_directory_urls": False},
    {"recall": {"max_sentences": 2}},
    {"recall": {"publish": True}},
    {"exclude_docs": "guides/b.md"},
    {"draft_docs": "a.md"},
    {"not_in_nav": "*", "nav": ["c.md", "index.md"]},
]
URIS = ["index.md", "a.md", "b.md", "c.md", "guides/a.md", "guides/b.md", "guides/x/c.md"]
FRONT = ["", "", "", "title: A & B", "recall: {exclude: true}", "lang: de", "lang: fr"]
FRONT += ["recall: {asks: [How long?, Who?]}"]
SOURCES = ["guides/**", "a.md", "b.md#part", "guides/", "/c.md", "'**'", ""]


@dataclass
class Rebuilds:
    """A documentation that is built again and again.

    Attributes:
        site: The documentation.
        settings: For `mkdocs.yml`.
    """

    site: Site
    settings: dict[str, Any] = field(default_factory=dict)

    def edit(self, uri: str, old: str, new: str) -> None:
        path = self.site.docs / uri
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def build(self) -> Built:
        """Build, build the same tree without a cache, and compare."""
        self.site.configure(**self.settings)
        warm = self.site.rebuild()
        pages = warm.files()
        cache, away = self.site.cache, self.site.root / "kept"
        cache.mkdir(parents=True, exist_ok=True)
        cache.rename(away)
        try:
            clean = self.site.rebuild()
        finally:
            shutil.rmtree(cache, ignore_errors=True)
            away.rename(cache)
        assert pages == clean.files()
        assert warm.warnings == clean.warnings
        assert counts(warm)[:2] == counts(clean)[:2]
        assert doubtful(warm) == doubtful(clean)
        return warm

    def cached(self) -> int:
        """Build, compare, and return how many answers came from the cache."""
        return counts(self.build())[2]


def counts(built: Built) -> tuple[int, ...]:
    """Return how many directives were answered, by fallback, from the cache."""
    lines = [info for info in built.infos if "answered" in info]
    found = [match for line in lines if (match := COUNTS.fullmatch(line))]
    assert len(found) == len(lines) <= 1, lines
    return tuple(map(int, found[0].groups())) if found else (0, 0, 0)


def doubtful(built: Built) -> int:
    """Return how many directives have doubts."""
    found = list(filter(None, map(DOUBTS.match, built.infos)))
    return int(found[0][1]) if found else 0


@dataclass
class Dirty(Rebuilds):
    """A documentation that is built again and again with `--dirty`.

    Attributes:
        written: The pages that the last build wrote.
        serve: Whether drafts are built, too, as `mkdocs serve` does.
    """

    clock: int = START
    written: set[str] = field(default_factory=set)
    site_dir: str = "site"
    serve: bool = False

    def make(self, *, dirty: bool = True) -> Built:
        """Write and date changed files, build, and record the written pages."""
        self.site.configure(**self.settings)
        self.clock += 1
        for path in self.site.docs.rglob("*"):
            self.date(path)
        self.clock += 1
        built = self._build(self.site_dir, dirty=dirty)
        pages = {
            path.relative_to(built.folder).as_posix(): path for path in built.folder.rglob("*.html")
        }
        self.written = {uri for uri, path in pages.items() if self.date(path)}
        return built

    def date(self, path: Path) -> bool:
        """Date a file by our own clock, if not yet done."""
        new = bool(path.stat().st_mtime > START * 1.5)
        if new:
            os.utime(path, (self.clock, self.clock))
        return new

    def build(self) -> Built:
        """Build with `--dirty`, and compare with a clean build of the same tree without a cache."""
        built = self.make()
        pages, warnings = built.files(), built.warnings
        clean = self._build("clean", dirty=False, cache=False)
        for uri, page in clean.files().items():
            assert pages[uri] == page, uri
        assert warnings[1:] == clean.warnings or len(self.written) < len(clean.files())
        return built

    def _build(self, site_dir: str, *, dirty: bool, cache: bool = True) -> Built:
        self.site.records.clear()
        folder = self.site.root / site_dir
        config = load_config(str(self.site.root / "mkdocs.yml"), site_dir=str(folder))
        if not cache:
            config.plugins["recall"].config["cache"] = False
        config.plugins.on_startup(command="build", dirty=dirty)
        try:
            build(config, dirty=dirty, serve_url="http://here.example/" if self.serve else None)
        finally:
            config.plugins.on_shutdown()
        return Built(folder, tuple(self.site.records))


@dataclass
class Walk:
    """Edits at random."""

    rebuilds: Rebuilds
    chance: random.Random
    times: tuple[int, ...] = (1, 1_000_000_000, 4_000_000_000)
    """The dates of files."""

    def step(self) -> None:
        """Make an edit, build, and compare with a first build of the same tree."""
        uri = self.chance.choice(URIS)
        path = self.rebuilds.site.docs / uri
        edits = [self._remove, self._date, self._set, self._append, self._write, self._write]
        self.chance.choice(edits)(path)
        if not (self.rebuilds.site.docs / "c.md").exists():
            self.rebuilds.settings = {}
        self.rebuilds.build()

    def _remove(self, path: Path) -> None:
        if path.name != "index.md":
            path.unlink(missing_ok=True)

    def _date(self, path: Path) -> None:
        if path.exists() and self.times:
            os.utime(path, (self.chance.choice(self.times),) * 2)

    def _set(self, _: Path) -> None:
        self.rebuilds.settings = self.chance.choice(SETTINGS)

    def _append(self, path: Path) -> None:
        if path.exists():
            with path.open("a", encoding="utf-8") as file:
                file.write(f"\n{self._sentence()}\n\n{self._fence()}\n")

    def _write(self, path: Path) -> None:
        front = self.chance.choice(FRONT)
        parts = [f"---\n{front}\n---\n"] if front else []
        parts.append(f"# {self.chance.choice(WORDS)}")
        for _ in range(self.chance.randrange(1, 5)):
            if self.chance.random() < 0.4:
                parts.append(f"## {self.chance.choice(['Part', *WORDS])}")
            fence = self.chance.random() < 0.4
            parts.append(self._fence() if fence else f"{self._sentence()} {self._sentence()}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")

    def write_all(self) -> None:
        """Write all pages again."""
        for uri in URIS:
            self._write(self.rebuilds.site.docs / uri)

    def _sentence(self) -> str:
        return " ".join(self.chance.choices(WORDS, k=6)).capitalize() + "."

    def _fence(self) -> str:
        source = self.chance.choice(SOURCES)
        lines = [f"source: {source}" if source else "", self.chance.choice(OPTIONS[:3])]
        if self.chance.random() < 0.3:
            return "\n".join(["```synopsis", *filter(None, lines), "```"])
        lines += [f"query: {' '.join(self.chance.choices(WORDS, k=2))}"]
        lines += [self.chance.choice(OPTIONS[3:])]
        return "\n".join(["```recall", *filter(None, lines), "```"])
