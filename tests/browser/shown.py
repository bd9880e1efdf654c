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

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PACKAGES = ("playwright", "axe_playwright_python")
_COMMANDS = ("chromium", "chromium-browser", "google-chrome")

QUOTES = ".recall, .synopsis"
"""A selector of quotes, in each format."""
OWN = "#own"
"""A selector of the page's own text, which looks as its theme wants it to."""

_CODE = f"""```python title="calendar.py"
def print_calendar(observatory_identifier: str, first_night: str, number_of_nights: int) -> None:
    # Each guided night is one line.
    print(observatory_identifier, first_night, number_of_nights, sep=", ", end="\\n")  {"#" * 60}
```"""
PAGES = {
    "prose.md": """# Observatory

The observatory opens at dusk, with the telescope on the north terrace.

## Booking

You book [a night](table.md) with `larch book --night`. A **booking** lasts *two* hours.

The observatory offers guided nights, and each guided night needs a booking.
""",
    "table.md": """# Instruments

## Dimensions

| Instrument | Aperture | Focal length | Mounting | Manufactured by | Last maintenance | Location |
|---|---|---|---|---|---|---|
| Refractor | 152 millimetres | 1216 millimetres | Equatorial | Brightwater | September | Terrace |
| Reflector | 305 millimetres | 1500 millimetres | Dobsonian | Underhill | November | Meadow |
""",
    "code.md": f"""# Commands

To print the calendar of guided nights, run:

{_CODE}

## Checklist

Before a guided night, check the dome:

- The dome motor turns to both sides.
- The dome slit opens without a noise.
""",
    "index.md": f"""# Home

<div id="own" markdown>
The page's own text has [a link](prose.md) and code.

{_CODE}
</div>

## Recall

```recall
source: prose.md
query: When does the observatory open?
explain: true
```

## Several citations

```recall
source: [prose.md, code.md]
query: [guided night booking, dome motor sides]
max_sentences: 3
```

## Synopsis

```synopsis
source: prose.md
max_sentences: 2
```

## Row

```recall
source: table.md
query: aperture of the reflector
max_sentences: 1
explain: true
```

## Code

```recall
source: code.md
query: print the calendar of guided nights
max_sentences: 1
```

## List items

```recall
source: code.md
query: [dome motor, dome slit]
max_sentences: 2
```

## Format list

```recall
source: prose.md
query: guided nights, booking
format: list
```

## Format admonition

```recall
source: prose.md
query: How do I book a night?
format: admonition
```

## Note

```recall
source: prose.md
query: zymurgy
on_empty: synopsis
```

## Error

```recall
source: prose.md
query: booking
scorer: bm52
```
""",
}

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
    own = os.environ.get("RECALL_CHROMIUM")
    return own or next(filter(None, map(shutil.which, _COMMANDS)), "")


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
