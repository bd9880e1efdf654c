"""The plugin's options in `mkdocs.yml`, typed and checked like those of a directive."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from mkdocs.config.base import BaseConfigOption, Config, ValidationError
from mkdocs.exceptions import PluginError

from mkdocs_recall.errors import RecallError, SiteError
from mkdocs_recall.files import real_path
from mkdocs_recall.messages import single_line
from mkdocs_recall.pages.config import misplaced_message, resolve_cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import ModuleType

    from mkdocs.config.defaults import MkDocsConfig

    from mkdocs_recall.options import Limits, LockMode
    from mkdocs_recall.pages.published import OtherSite

_T = TypeVar("_T")


class _Parsed(BaseConfigOption[_T]):
    def __init__(
        self,
        parser: Callable[[ModuleType], Callable[[object], _T]],
        *,
        module: str = "directives.catalog",
        default: object = None,
    ) -> None:
        super().__init__()
        self.default = default
        self._parser = parser
        self._module = module

    def run_validation(self, value: object) -> _T:
        # MkDocs copies a default that can be changed.
        if value == self.default and type(value) is type(self.default):
            return cast("_T", value)
        try:
            return self._parser(import_module(f"mkdocs_recall.{self._module}"))(value)
        except RecallError as error:
            raise ValidationError(single_line(str(error))) from error


def _site_default(name: str) -> _Parsed[Any]:
    return _Parsed(lambda catalog: catalog.PARSERS[name])


def _switch(name: str, *, default: bool) -> _Parsed[bool]:
    return _Parsed(lambda catalog: partial(catalog.truth, name), default=default)


class RecallConfig(Config):  # type: ignore[no-untyped-call]  # MkDocs' own hook
    """The plugin's options, and a site's defaults for directives."""

    receipts = _switch("receipts", default=False)
    on_error: _Parsed[Literal["warn", "raise"]] = _Parsed(
        lambda catalog: partial(catalog.one_of, "on_error", values=("warn", "raise")),
        default="warn",
    )
    lock: _Parsed[LockMode] = _Parsed(lambda catalog: catalog.as_lock_mode, default="off")
    limits: _Parsed[Limits | None] = _Parsed(lambda catalog: catalog.as_limits)
    css = _switch("css", default=True)
    preview = _switch("preview", default=True)
    publish: _Parsed[dict[str, str] | None] = _Parsed(lambda catalog: catalog.as_publication)
    sites: _Parsed[dict[str, OtherSite]] = _Parsed(
        lambda published: published.as_sites, module="pages.published", default={}
    )
    cache = _switch("cache", default=True)
    cache_dir: _Parsed[str | None] = _Parsed(lambda catalog: partial(catalog.text, "cache_dir"))

    _option_names: Sequence[str] = ()

    def load_dict(self, patch: dict[str, Any]) -> None:
        """Load options; those of directives only if the site states one."""
        super().load_dict(patch)
        if self.keys() > self._schema_keys:
            from mkdocs_recall.directives.catalog import OPTIONS

            names = [name for name, option in OPTIONS.items() if option.site_wide and name in self]
            self._schema = (*((name, _site_default(name)) for name in names), *self._schema)
            self._schema_keys = self._schema_keys.union(names)
            self._option_names = names

    def validate(self) -> tuple[list[tuple[str, Exception]], list[tuple[str, str]]]:
        """Check the options, suggesting a name for an unknown one."""
        failed, warnings = super().validate()
        unknown: Mapping[object, str] = {}
        if any(name not in self._schema_keys for name, _ in warnings):
            from mkdocs_recall.directives.options import unknown_settings

            unknown = unknown_settings(name for name, _ in warnings)
        return failed, [(name, unknown.get(name, warning)) for name, warning in warnings]

    def defaults(self) -> dict[str, Any]:
        """Return the site-wide values that are set, by option name."""
        return {name: self[name] for name in self._option_names if self[name] is not None}


def cache_folder(settings: RecallConfig, config: MkDocsConfig) -> Path | None:
    """Return the folder of the cache, if it has one."""
    if not settings.cache:
        return None
    file = Path(config.config_file_path or "mkdocs.yml")
    places = {name: config[name] for name in ("docs_dir", "site_dir")}
    if config.theme.custom_dir:  # MkDocs copies its files into the site
        places["custom_dir"] = config.theme.custom_dir
    try:
        return resolve_cache_folder(file, settings.cache_dir, places)
    except SiteError as error:
        raise PluginError(single_line(str(error))) from error
    except (RuntimeError, ValueError) as error:  # `~nobody`, a null
        message = misplaced_message(file, settings.cache_dir, str(error))
        raise PluginError(single_line(message)) from error


def is_watched(folder: Path, config: MkDocsConfig) -> bool:
    """Tell whether `mkdocs serve` rebuilds, by `watch`, after a write to a folder."""
    real = real_path(folder)
    return any(real_path(path) in (real, *real.parents) for path in config.watch)
