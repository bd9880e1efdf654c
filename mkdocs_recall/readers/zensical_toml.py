"""A site's `zensical.toml`: its settings as `mkdocs.yml` would have them."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

SUFFIX: Final = ".toml"
_TAKEN: Final = (
    *("site_name", "site_url", "docs_dir", "site_dir", "use_directory_urls", "nav"),
    *("exclude_docs", "draft_docs", "not_in_nav"),
)
"""The settings of MkDocs that count where pages are read."""
_NESTED: Final = ("pymdownx", "pymdownx.blocks", "zensical", "zensical.extensions")
"""Names that open a table of extensions: TOML reads a dotted name as nested tables."""
_DEFAULT: Final = {
    **dict.fromkeys(("abbr", "admonition", "attr_list", "def_list", "footnotes", "md_in_html")),
    "pymdownx": {
        **dict.fromkeys(("betterem", "caret", "details", "emoji", "highlight", "inlinehilite")),
        **dict.fromkeys(("keys", "magiclink", "mark", "smartsymbols", "superfences")),
        "tabbed": {"alternate_style": True, "combine_header_slug": True},
        **dict.fromkeys(("tasklist", "tilde")),
    },
}
"""The extensions of a site that names none, as Zensical has them."""
_FUNCTIONS: Final = ("emoji_index", "emoji_generator", "custom_fences")
"""Settings that name functions of Zensical; no text of a page depends on them."""
_SLUGS: Final = "pymdownx.slugs."
_LINE: Final = re.compile(r" \(at line (\d+), column \d+\)$| \(at end of document\)$")


def read_project(path: Path) -> dict[str, Any]:
    """Return the settings in the table `project`."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        text = path.read_text("utf-8-sig")
        project = (settings := tomllib.loads(text)).get("project", settings)
    except tomllib.TOMLDecodeError as error:
        where = _LINE.search(str(error))
        line = (where and where[1]) or text.count("\n") + 1
        msg = f"{path}:{line}: {_LINE.sub('', str(error))}"
        raise SiteError(msg) from error
    except (OSError, ValueError, RecursionError) as error:
        msg = f"'{path}' cannot be read: {error}"
        raise SiteError(msg) from error
    if not isinstance(project, dict):
        msg = f"{path}: 'project' must be a table; write [project]"
        raise SiteError(msg)
    return project


def mkdocs_settings(path: Path) -> dict[str, Any]:
    """Return the settings as MkDocs takes them, without theme and plugins."""
    project = read_project(path)
    settings: dict[str, Any] = {name: project[name] for name in _TAKEN if name in project}
    theme = project.get("theme")
    language = theme.get("language") if isinstance(theme, dict) else None
    settings["theme"] = {"name": "mkdocs", **({"language": language} if language else {})}
    try:
        settings["markdown_extensions"] = [
            {name: _options(options)}
            for name, options in _extensions(project.get("markdown_extensions", _DEFAULT))
            if not name.startswith("zensical.")
        ]
    except TypeError as error:  # of a function that is none, or takes no such values
        msg = f"{path}: 'slugify' is impossible: {error}"
        raise SiteError(msg) from error
    return settings


def _extensions(written: object, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the name and the options of each extension."""
    if isinstance(written, list):
        written = dict(_entry(entry) for entry in written)
    for name, options in written.items() if isinstance(written, dict) else ():
        if prefix + name in _NESTED and isinstance(options, dict):
            yield from _extensions(options, f"{prefix}{name}.")
        else:
            yield prefix + name, options


def _entry(entry: object) -> tuple[str, Any]:
    return next(iter(entry.items()), ("", {})) if isinstance(entry, dict) else (str(entry), {})


def _options(options: object) -> Mapping[str, Any]:
    """Return the options of an extension, with the functions that they name."""
    if not isinstance(options, dict):
        return {}
    kept = {name: value for name, value in options.items() if name not in _FUNCTIONS}
    slugify = kept.get("slugify")
    if isinstance(slugify, dict):
        from pymdownx import slugs  # type: ignore[import-untyped]

        name = str(slugify.get("object", f"{_SLUGS}slugify")).removeprefix(_SLUGS)
        function = getattr(slugs, name, slugs.slugify)
        kept["slugify"] = function(**slugify.get("kwds", {}))
    return kept
