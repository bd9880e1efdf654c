"""The plugin's options in a site's `mkdocs.yml`, read without MkDocs, which takes far longer.

A `zensical.toml` is read into the same settings.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from mkdocs_recall.errors import OptionError, SiteError
from mkdocs_recall.files import real_path, user_cache_folder
from mkdocs_recall.text.front_matter import ENCRYPTION

_T = TypeVar("_T")
SUFFIX: Final = ".toml"
SPHINX_SETTINGS: Final = "conf.py"
_SPHINX_DEFAULTS: Final = "recall_defaults"
_TAKEN: Final = (
    *("site_name", "site_url", "docs_dir", "site_dir", "use_directory_urls", "nav"),
    *("exclude_docs", "draft_docs", "not_in_nav"),
)
"""The settings of MkDocs that affect the reading of pages."""
_NESTED: Final = ("pymdownx", "pymdownx.blocks", "zensical", "zensical.extensions")
"""Names of tables of extensions: TOML nests a dotted name."""
_DEFAULT: Final = {
    **dict.fromkeys(("abbr", "admonition", "attr_list", "def_list", "footnotes", "md_in_html")),
    "pymdownx": {
        **dict.fromkeys(("betterem", "caret", "details", "emoji", "highlight", "inlinehilite")),
        **dict.fromkeys(("keys", "magiclink", "mark", "smartsymbols", "superfences")),
        "tabbed": {"alternate_style": True, "combine_header_slug": True},
        **dict.fromkeys(("tasklist", "tilde")),
    },
}
"""Zensical's extensions for a site that names none."""
_FUNCTIONS: Final = ("emoji_index", "emoji_generator", "custom_fences")
"""Settings that name functions of Zensical, without effect on text."""
_SLUGS: Final = "pymdownx.slugs."
_LINE: Final = r" \(at line (\d+), column \d+\)$| \(at end of document\)$"


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
        match = re.search(_LINE, str(error))
        line = (match and match[1]) or text.count("\n") + 1
        raise SiteError(f"{path}:{line}: {re.sub(_LINE, '', str(error))}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise SiteError(f"'{path}' cannot be read: {error}") from error
    if not isinstance(project, dict):
        raise SiteError(f"{path}: 'project' must be a table; write [project]")
    return project


def mkdocs_settings(path: Path) -> dict[str, Any]:
    """Return the settings as MkDocs has them, without theme and plugins."""
    project = read_project(path)
    settings: dict[str, Any] = {name: project[name] for name in _TAKEN if name in project}
    theme = project.get("theme")
    language = theme.get("language") if isinstance(theme, dict) else None
    settings["theme"] = {"name": "mkdocs", **({"language": language} if language else {})}
    try:
        settings["markdown_extensions"] = [
            {name: _extension_options(options)}
            for name, options in _extensions(project.get("markdown_extensions", _DEFAULT))
            if not name.startswith("zensical.")
        ]
    except TypeError as error:  # not a function, or with other arguments
        raise SiteError(f"{path}: 'slugify' cannot be used: {error}") from error
    return settings


def _extensions(written: object, prefix: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(written, list):
        mappings = (entry if isinstance(entry, dict) else {str(entry): {}} for entry in written)
        written = dict(next(iter(entry.items()), ("", {})) for entry in mappings)
    for name, options in written.items() if isinstance(written, dict) else ():
        if prefix + name in _NESTED and isinstance(options, dict):
            yield from _extensions(options, f"{prefix}{name}.")
        else:
            yield prefix + name, options


def _extension_options(options: object) -> Mapping[str, Any]:
    if not isinstance(options, dict):
        return {}
    kept = {name: value for name, value in options.items() if name not in _FUNCTIONS}
    slugify = kept.get("slugify")
    if isinstance(slugify, dict):
        from pymdownx import slugs  # type: ignore[import-untyped]

        name = str(slugify.get("object", f"{_SLUGS}slugify")).removeprefix(_SLUGS)
        kept["slugify"] = getattr(slugs, name, slugs.slugify)(**slugify.get("kwds", {}))
    return kept


CONFIG_FILES: Final = (
    *("mkdocs.yml", "mkdocs.yaml", "properdocs.yml", "properdocs.yaml", "zensical.toml"),
)
"""The names of a site's configuration, in the order of the search."""
PLUGIN_NAMES: Final = ("recall", "mkdocs-recall/recall")
ENCRYPTING: Final = "encryptcontent"
"""The name of mkdocs-encryptcontent-plugin, and of what it adds to pages."""
_GLOBAL_LEVEL: Final = "_global"
"""The level of pages that do not state one."""
_SECRET_PASSWORD: Final = re.compile(r"\bglobal_password[\"']?[ \t]*:[ \t]*!ENV\b")
_PARENTS: Final = 32
"""The longest chain of inheriting files."""


def config_in(folder: Path) -> Path | None:
    """Return the site's configuration in a folder, if any."""
    return next((folder / name for name in CONFIG_FILES if (folder / name).is_file()), None)


def plugin_options(config_file: Path) -> Mapping[str, Any]:
    """Return the options as written; errors give none."""
    settings = _settings(config_file)
    extensions = settings.get("markdown_extensions")
    plugins = settings.get("plugins")
    return (_plugin(extensions, PLUGIN_NAMES) or {}) | (_plugin(plugins, PLUGIN_NAMES) or {})


def encryption(config_file: Path) -> Mapping[str, bool] | None:
    """Return which pages of a site mkdocs-encryptcontent-plugin encrypts; None without it.

    Unknown values, such as a password in an unset variable, count as set.
    """
    options = _encrypting_options(config_file)
    if options is None:
        return None
    levels = options.get("password_inventory")
    if (file := password_file(config_file)) is not None:
        levels = _load(_text(file)) or {_GLOBAL_LEVEL: None}
    is_secret = any(map(_SECRET_PASSWORD.search, map(_text, config_files(config_file))))
    has_level = isinstance(levels, dict) and _GLOBAL_LEVEL in levels
    has_password = is_secret or bool(options.get("global_password"))
    return {**ENCRYPTION, "password": has_password, "level": has_level}


def password_file(config_file: Path) -> Path | None:
    """Return the file of passwords for encryption, if any."""
    file = (_encrypting_options(config_file) or {}).get("password_file")
    return config_file.absolute().parent / file if isinstance(file, str) and file else None


def _encrypting_options(config_file: Path) -> dict[str, Any] | None:
    text = _text(config_file)
    if ENCRYPTING not in text and "INHERIT" not in text:  # the usual case: no YAML is parsed
        return None
    options = _plugin(_settings(config_file).get("plugins"), (ENCRYPTING,))
    return None if options is None or options.get("enabled") is False else options


def plugin_option(config_file: Path, name: str, parse: Callable[[Any], _T]) -> _T:
    """Return an option parsed by `parse`; None if it is not set."""
    return checked(config_file, parse, plugin_options(config_file).get(name))


def checked(config_file: Path, parse: Callable[[Any], _T], value: object) -> _T:
    """Return options parsed by `parse`; an error names the file."""
    try:
        return parse(value)
    except OptionError as error:
        raise SiteError(f"{config_file}: recall: {error}") from error


def sphinx_defaults(settings: Path) -> dict[str, Any]:
    """Return the `recall_defaults` that Sphinx's settings state."""
    defaults: Any = None
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        for step in ast.parse(_text(settings)).body:
            if isinstance(step, ast.Assign) and _SPHINX_DEFAULTS in map(ast.unparse, step.targets):
                defaults = ast.literal_eval(step.value)
    return defaults if isinstance(defaults, dict) else {}


def stated_text(config_file: Path, name: Literal["site_name", "site_url"]) -> str:
    """Return a text from a `mkdocs.yml`; empty if not stated."""
    value = _settings(config_file).get(name)
    return value if isinstance(value, str) else ""


def plugin_names(config_file: Path) -> set[str]:
    """Return the names of the plugins that a site has."""
    plugins = _settings(config_file).get("plugins")
    entries = plugins if isinstance(plugins, (list, dict)) else ()
    by_entry = (entry if isinstance(entry, dict) else [entry] for entry in entries)
    return {str(name) for names in by_entry for name in names}


def is_listed(text: str) -> bool:
    """Tell whether a `mkdocs.yml` lists this plugin itself."""
    return _plugin(_load(text).get("plugins"), PLUGIN_NAMES) is not None


def has_plugins(config_file: Path) -> bool:
    """Tell whether a site has other plugins than the search."""
    return not plugin_names(config_file) <= {*PLUGIN_NAMES, "search", "material/search"}


def docs_folder(config_file: Path) -> Path:
    """Return the folder of a site's pages."""
    return config_file.parent / _places(_settings(config_file))["docs_dir"]


def theme_settings(config_file: Path) -> dict[str, Any]:
    """Return the settings of a site's theme, with its name."""
    theme = _settings(config_file).get("theme")
    if isinstance(theme, str):
        return {"name": theme}
    return theme if isinstance(theme, dict) else {}


def cache_folder(config_file: Path) -> Path | None:
    """Return a site's cache folder, if any."""
    options = plugin_options(config_file)
    written = options.get("cache_dir")
    if options.get("cache") is False or not isinstance(written, str | None):
        return None
    try:
        return resolve_cache_folder(config_file, written, _places(_settings(config_file)))
    except (RuntimeError, ValueError):  # a build reports it
        return None


def check_confined(config_file: Path) -> None:
    """Refuse a site that leads out of the folder of its `mkdocs.yml`: its settings, pages or cache.

    A file outside is not even read. Links are resolved first.
    """
    folder = real_path(config_file.absolute().parent)
    places = {"docs_dir": folder / _places(_settings(config_file, within=folder))["docs_dir"]}
    has_own = plugin_options(config_file).get("cache_dir") is not None
    if has_own and (cache := cache_folder(config_file)):
        places["cache_dir"] = cache
    if (passwords := password_file(config_file)) is not None:
        places["password_file"] = passwords
    for name, path in places.items():
        if not real_path(path).is_relative_to(folder):
            raise SiteError(f"{config_file}: '{name}' leads out of '{folder}'")


def resolve_cache_folder(
    config_file: Path, written: str | None, places: Mapping[str, str | os.PathLike[str]]
) -> Path | None:
    """Return the folder that `cache_dir` names, or the user's cache folder.

    None if the user has none, or it lies among the pages: then there is no cache. All paths are
    relative to the folder of the site's `mkdocs.yml`.
    """
    root = real_path(config_file.absolute().parent)
    path = user_cache_folder(config_file) if written is None else Path(written).expanduser()
    if path is None:
        return None
    folder = root / path
    resolved = {name: real_path(root / path) for name, path in places.items()}
    fault = _misplaced(real_path(folder), root, resolved)
    if not fault:
        return folder
    if written is None:
        return None
    raise SiteError(misplaced_message(config_file, written, fault))


def misplaced_message(config_file: Path, written: str | None, fault: str) -> str:
    """Return the message for a `cache_dir` that cannot be used."""
    return (
        f"{config_file.name}: recall: 'cache_dir' cannot be '{written}': {fault}; "
        "name a folder of its own, or leave it out"
    )


def _misplaced(folder: Path, root: Path, places: Mapping[str, Path]) -> str:
    """Return why the cache cannot be in a folder."""
    if folder == root or folder in root.parents:
        return f"'{folder}' is the site's own folder, or above"
    for name, place in places.items():
        if folder == place or place in folder.parents or folder in place.parents:
            return f"'{folder}' overlaps with '{name}', '{place}'"
    return ""


def _places(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the folders that MkDocs reads and writes."""
    theme = settings.get("theme")
    values = {**settings, **(theme if isinstance(theme, dict) else {})}
    paths = {name: values.get(name) for name in ("docs_dir", "site_dir", "custom_dir")}
    places = {name: path for name, path in paths.items() if isinstance(path, str)}
    return {"docs_dir": "docs", "site_dir": "site", **places}


def _settings(config_file: Path, *, within: Path | None = None) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for layer in reversed(config_files(config_file, within).values()):
        settings = _merge(settings, layer)
    return settings


def config_files(config_file: Path, within: Path | None = None) -> dict[Path, dict[str, Any]]:
    """Return a `mkdocs.yml` and what it inherits from, parsed."""
    layers: dict[Path, dict[str, Any]] = {}
    path: Path | None = config_file
    while path is not None:
        if len(layers) == _PARENTS or path in layers:
            msg = f"'{config_file}' inherits from more than {_PARENTS} files, or from itself"
            raise SiteError(msg)
        if within is not None and not real_path(path).is_relative_to(within):
            raise SiteError(f"'{path}' leads out of '{within}'")
        layer: dict[str, Any] = {}
        if path.suffix != SUFFIX:
            layer = _load(_text(path))
        else:
            with suppress(SiteError):  # reported when the pages are read
                layer = read_project(path)
        layers[path] = layer
        parent = layer.get("INHERIT")
        path = path.absolute().parent / parent if isinstance(parent, str) else None
    return layers


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, ValueError):
        return ""


def _load(text: str) -> dict[str, Any]:
    """Return the settings in a text; the last are cached."""
    return _parse.__wrapped__(text) if "!ENV" in text else _parse(text)


@lru_cache(maxsize=8)
def _parse(text: str) -> dict[str, Any]:
    import yaml
    from yaml_env_tag import construct_env_tag  # type: ignore[import-untyped]

    from mkdocs_recall.text.safe_loader import safe_loader

    try:
        loader = safe_loader(text)(text)
        # It reads `!ENV` as MkDocs does, and null for all other tags.
        loader.yaml_constructors = {**loader.yaml_constructors, "!ENV": construct_env_tag}
        loader.yaml_multi_constructors = {"": lambda *_: None}
        settings = loader.get_single_data()
    except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return {}
    return settings if isinstance(settings, dict) else {}


def _merge(inherited: Mapping[str, Any], layer: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(inherited)
    for key, value in layer.items():
        below = merged.get(key)
        if isinstance(below, dict) and isinstance(value, dict):
            merged[key] = _merge(below, value)
        else:
            merged[key] = value
    return merged


def _plugin(plugins: object, names: Sequence[str]) -> dict[str, Any] | None:
    options: dict[str, Any] | None = None
    for entry in plugins if isinstance(plugins, list) else [plugins]:
        by_name = entry if isinstance(entry, dict) else {entry: None}
        for name in names:
            if isinstance(settings := by_name.get(name), dict):
                return settings
            options = {} if name in by_name else options
    return options
