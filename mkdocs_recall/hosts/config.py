"""The plugin's options in `mkdocs.yml`, typed and checked like those of a directive."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.config import config_options as c
from mkdocs.config.base import BaseConfigOption, Config, ValidationError
from mkdocs.exceptions import PluginError

from mkdocs_recall.errors import SHOWN, RecallError, SiteError, did_you_mean
from mkdocs_recall.files import real_path
from mkdocs_recall.limits import SITE_WIDE
from mkdocs_recall.messages import shown, single_line
from mkdocs_recall.pages.config import misplaced_message, resolve_cache_folder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mkdocs.config.defaults import MkDocsConfig

    from mkdocs_recall.options import Limits, LockMode, Publication
    from mkdocs_recall.pages.published import OtherSite


class DirectiveDefault(BaseConfigOption[Any]):
    """A site-wide default of a directive's option; None leaves the option its own default."""

    def __init__(self, name: str) -> None:
        """Check values as the option `name` of a directive is checked."""
        super().__init__()
        self.default = None
        self._name = name

    def run_validation(self, value: object) -> Any:  # noqa: ANN401 - each option has its own type
        """Check a value."""
        if value is None:
            return None
        from mkdocs_recall.directives.catalog import OPTIONS

        [option] = (option for option in OPTIONS if option.name == self._name)
        try:
            return option.parse(value)
        except RecallError as error:
            raise ValidationError(str(error)) from error


class LimitsOption(BaseConfigOption["Limits | None"]):
    """How much is read; what is left out is as by default, and so is all for None."""

    def __init__(self) -> None:
        """Start with the default."""
        super().__init__()
        self.default = None

    def run_validation(self, value: object) -> Limits | None:
        """Check a mapping of settings."""
        if value is None:
            return None
        from mkdocs_recall.directives.catalog import as_limits

        try:
            return as_limits(value)
        except RecallError as error:
            raise ValidationError(str(error)) from error


class LockOption(BaseConfigOption["LockMode"]):
    """What a build does with approved answers."""

    def __init__(self) -> None:
        """Start with the default."""
        super().__init__()
        self.default = "off"

    def run_validation(self, value: object) -> LockMode:
        """Check a mode."""
        if value == "off":
            return "off"
        from mkdocs_recall.directives.catalog import as_lock_mode

        try:
            return as_lock_mode(value)
        except RecallError as error:
            raise ValidationError(str(error)) from error


class PublishOption(BaseConfigOption["Publication | None"]):
    """What a build publishes for other sites; None for nothing."""

    def __init__(self) -> None:
        """Start with the default."""
        super().__init__()
        self.default = False  # as it is written

    def run_validation(self, value: object) -> Publication | None:
        """Check `true`, `false`, or a mapping of settings."""
        if value is False:
            return None
        from mkdocs_recall.directives.catalog import as_publication

        try:
            return as_publication(value)
        except RecallError as error:
            raise ValidationError(str(error)) from error


class SitesOption(BaseConfigOption[dict[str, "OtherSite"]]):
    """The other sites that a site may quote, by name."""

    def __init__(self) -> None:
        """Start with no site."""
        super().__init__()
        self.default = {}

    def run_validation(self, value: object) -> dict[str, OtherSite]:
        """Check a mapping of names to settings."""
        if not value and isinstance(value, dict):
            return {}
        from mkdocs_recall.pages.published import as_sites

        try:
            return as_sites(value)
        except RecallError as error:
            raise ValidationError(str(error)) from error


class RecallConfig(Config):  # type: ignore[no-untyped-call]  # MkDocs' own hook
    """The plugin's options."""

    # MkDocs collects what it finds in the namespace of the class, which `locals` returns.
    for _name in SITE_WIDE:
        locals()[_name] = DirectiveDefault(_name)
    del _name

    receipts = c.Type(bool, default=False)
    on_error = c.Choice(("warn", "raise"), default="warn")
    lock = LockOption()
    limits = LimitsOption()
    css = c.Type(bool, default=True)
    preview = c.Type(bool, default=True)
    publish = PublishOption()
    sites = SitesOption()
    cache = c.Type(bool, default=True)
    cache_dir = c.Optional(c.Type(str))

    def validate(self) -> tuple[list[tuple[str, Exception]], list[tuple[str, str]]]:
        """Check the options; for an unknown one, say which is meant."""
        known = {name for name, _ in self._schema}
        failed, warnings = super().validate()
        return failed, [
            (name, warning if name in known else _unknown_message(name, known))
            for name, warning in warnings
        ]

    def defaults(self) -> dict[str, Any]:
        """Return the site-wide values that are set, by option name."""
        return {name: self[name] for name in SITE_WIDE if self[name] is not None}


def _unknown_message(name: object, known: Iterable[str]) -> str:
    """Return the warning of an option that is no setting of a site."""
    from mkdocs_recall.directives.catalog import OPTIONS

    if any(option.name == name for option in OPTIONS):
        return f"option '{name}' belongs in a fence, not in mkdocs.yml"
    written = str(name)[:SHOWN]
    return f"unknown option {shown(written)}{did_you_mean(written, known)}"


def cache_folder(settings: RecallConfig, config: MkDocsConfig) -> Path | None:
    """Return where the cache is, or None where it is turned off, or has no place."""
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
    """Tell whether `watch` has `mkdocs serve` build again when something is written to a folder."""
    real = real_path(folder)
    return any(real_path(path) in (real, *real.parents) for path in config.watch)
