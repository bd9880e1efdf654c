"""What a site's `mkdocs.yml` says of this plugin, read without MkDocs, which takes far longer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Mapping

CACHE_DIR: Final = ".cache/plugin/recall"
"""Where the cache is, seen from the folder of `mkdocs.yml`, unless that says otherwise."""
_NAMES: Final = ("recall", "mkdocs-recall/recall")
_PARENTS: Final = 32
"""So many files may inherit from each other."""


def plugin_options(config_file: Path) -> Mapping[str, Any]:
    """Return the options of the plugin as they are written, with those that are inherited.

    Args:
        config_file: The site's `mkdocs.yml`. What is wrong with it is for MkDocs to say: where it
            cannot be read, there are no options.

    Raises:
        SiteError: It inherits from itself.
    """
    plugins: Any = None
    for layer in reversed(_layers(config_file)):
        own = layer.get("plugins")
        if isinstance(own, dict) and isinstance(plugins, dict):
            plugins = _merged(plugins, own)
        elif own is not None:
            plugins = own
    return _options(plugins)


def plugin_option(config_file: Path, name: str) -> Any:  # noqa: ANN401 - each option has its own type
    """Return one option of the plugin as it is written; None where it is not.

    Args:
        config_file: The site's `mkdocs.yml`.
        name: The option.

    Raises:
        SiteError: It inherits from itself.
    """
    text = _text(config_file)
    if name not in text and "INHERIT" not in text:  # mostly: then no YAML is read
        return None
    return plugin_options(config_file).get(name)


def site_url(config_file: Path) -> str:
    """Return where a site is published; empty where its `mkdocs.yml` does not say.

    Args:
        config_file: The site's `mkdocs.yml`.
    """
    stated = (layer.get("site_url") for layer in _layers(config_file) if "site_url" in layer)
    url = next(stated, "")
    return url if isinstance(url, str) else ""


def cache_folder(config_file: Path) -> Path | None:
    """Return where a site's cache is; None where it is turned off.

    Args:
        config_file: The site's `mkdocs.yml`.

    Raises:
        SiteError: It would lie where MkDocs reads or writes the site.
    """
    root = config_file.absolute().parent.resolve()
    text = _text(config_file)
    usual = root / CACHE_DIR
    if "cache" not in text and "INHERIT" not in text and usual.resolve() == usual:
        return usual  # mostly: then no YAML is read
    options = plugin_options(config_file)
    written = options.get("cache_dir", CACHE_DIR)
    if options.get("cache") is False or not isinstance(written, str):
        return None
    try:
        folder = (root / Path(written).expanduser()).resolve()
        places = {name: (root / path).resolve() for name, path in _places(config_file).items()}
    except (OSError, RuntimeError, ValueError):  # a build says what is wrong with it
        return None
    if fault := misplaced(folder, root, places):
        if written == CACHE_DIR:
            return None
        raise SiteError(misplaced_message(config_file, written, fault))
    return folder


def misplaced(folder: Path, root: Path, places: Mapping[str, Path]) -> str:
    """Return why the cache cannot be in a folder; empty where it can.

    Args:
        folder: The folder; all paths are resolved.
        root: The folder of `mkdocs.yml`.
        places: Where MkDocs reads or writes the site, by the name of the setting.
    """
    if folder == root or folder in root.parents:
        return f"'{folder}' is the site's own folder, or above"
    for name, other in places.items():
        if folder == other or other in folder.parents or folder in other.parents:
            return f"'{folder}' and '{name}', '{other}', lie in each other"
    return ""


def misplaced_message(config_file: Path, written: str, fault: str) -> str:
    """Return what an author is told of a `cache_dir` that cannot be."""
    return (
        f"{config_file.name}: recall: 'cache_dir' cannot be '{written}': {fault}; "
        f"name a folder of its own, or leave it out for '{CACHE_DIR}'"
    )


def _places(config_file: Path) -> dict[str, str]:
    """Return where MkDocs reads and writes a site: what lies there is built, or is its own."""
    found = {"docs_dir": "docs", "site_dir": "site"}
    for layer in reversed(_layers(config_file)):
        theme = layer.get("theme")
        stated = {**layer, **(theme if isinstance(theme, dict) else {})}
        for name in ("docs_dir", "site_dir", "custom_dir"):
            if isinstance(path := stated.get(name), str):
                found[name] = path
    return found


def _layers(config_file: Path) -> list[dict[str, Any]]:
    """Return what a file says, and those it inherits from."""
    layers: list[dict[str, Any]] = []
    path: Path | None = config_file
    while path is not None:
        if len(layers) == _PARENTS:
            msg = f"'{config_file}' inherits from more than {_PARENTS} files, or from itself"
            raise SiteError(msg)
        layer = _loaded(_text(path))
        layers.append(layer)
        parent = layer.get("INHERIT")
        path = path.absolute().parent / parent if isinstance(parent, str) else None
    return layers


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except (OSError, ValueError):
        return ""


def _loaded(text: str) -> dict[str, Any]:
    import yaml
    from yaml_env_tag import (  # type: ignore[import-untyped]
        construct_env_tag,
    )

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
        """Reads `!ENV` as MkDocs does, and nothing into other tags."""

    Loader.add_constructor("!ENV", construct_env_tag)
    Loader.add_multi_constructor("", lambda *_: None)
    try:
        found = yaml.load(text, Loader)  # noqa: S506 - it is a safe one
    except (yaml.YAMLError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return two mappings as one, as MkDocs merges what is inherited: key by key."""
    merged = dict(one)
    for key, value in other.items():
        mine = merged.get(key)
        if isinstance(mine, dict) and isinstance(value, dict):
            value = _merged(mine, value)  # noqa: PLW2901
        merged[key] = value
    return merged


def _options(plugins: object) -> Mapping[str, Any]:
    """Return the options of this plugin in a list or a mapping of plugins."""
    entries = plugins if isinstance(plugins, list) else [plugins]
    for entry in entries:
        if isinstance(entry, dict):
            for name in _NAMES:
                if isinstance(options := entry.get(name), dict):
                    return options
    return {}
