"""Sites that a browser shows in the tests: one page with every kind of quote, in each theme."""

from __future__ import annotations

import os
import shutil
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import yaml
from golden_demo import build
from tables import beside

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PACKAGES = ("playwright", "axe_playwright_python")
_COMMANDS = ("chromium", "chromium-browser", "google-chrome")

QUOTES = ".recall, .synopsis"
"""A selector of quotes, in each format."""
OWN = "#own"
"""A selector of the page's own text, which looks as its theme wants it to."""

PAGES: dict[str, str] = beside(__file__)["PAGES"]

_CONFIG: dict[str, Any] = {
    "site_name": "Observatory",
    "plugins": ["search", "recall"],
    "markdown_extensions": [
        "admonition",
        "md_in_html",
        "tables",
        "pymdownx.details",
        "pymdownx.highlight",
        "pymdownx.superfences",
    ],
}
_PALETTE = [
    {"media": "(prefers-color-scheme: light)", "scheme": "default"},
    {"media": "(prefers-color-scheme: dark)", "scheme": "slate"},
]
_THEMES: dict[str, dict[str, Any]] = {
    "material": {"font": False, "palette": _PALETTE},
    "mkdocs": {"highlightjs": False},
    "readthedocs": {"highlightjs": False},
}
"""The options of the themes; without highlight.js, which comes from another host."""


@dataclass(frozen=True)
class View:
    """A theme in a window."""

    theme: str
    scheme: str
    """What the system prefers: light or dark."""
    width: int

    def __str__(self) -> str:
        """Name the test."""
        return f"{self.theme}-{self.scheme}-{self.width}"


VIEWS = [
    View(theme, scheme, width)
    for theme, scheme in (
        ("material", "light"),
        ("material", "dark"),
        ("mkdocs", "light"),
        ("readthedocs", "light"),
    )
    for width in (1280, 390)
]


def browser_program() -> str:
    """Return the path of an installed Chromium, or nothing."""
    path = os.environ.get("RECALL_CHROMIUM")
    return path or next(filter(None, map(shutil.which, _COMMANDS)), "")


def unavailable() -> str:
    """Tell why no browser can be driven here, or return nothing."""
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        return f"{' and '.join(missing)} not installed: see the group 'browser' in pyproject.toml"
    if not browser_program():
        return f"no browser: none of {', '.join(_COMMANDS)} is on PATH, nor is RECALL_CHROMIUM set"
    return ""


def build_themes(folder: Path) -> Path:
    """Build the page of quotes with each theme and return the folder of the sites."""
    for uri, text in PAGES.items():
        path = folder / "docs" / uri
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name, options in _THEMES.items():
        config = folder / f"{name}.yml"
        settings = {**_CONFIG, "theme": {"name": name, **options}}
        config.write_text(yaml.safe_dump(settings), encoding="utf-8")
        result = build(config, folder / "sites" / name, strict=False)
        assert result.returncode == 0, result.stderr
        assert "recall: 9 directives answered, 1 by fallback" in result.stderr, result.stderr
    return folder / "sites"


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine and yield its address."""
    handler = partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""
