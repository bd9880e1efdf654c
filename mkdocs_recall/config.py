"""The plugin's options in `mkdocs.yml`, typed and checked like those of a directive."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.config import config_options as c
from mkdocs.config.base import BaseConfigOption, Config, ValidationError
from mkdocs.exceptions import PluginError

from mkdocs_recall.directives.options import OPTIONS
from mkdocs_recall.errors import RecallError

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

_PARSERS = {option.name: option.parse for option in OPTIONS if option.site_wide}


class Default(BaseConfigOption[Any]):
    """A site-wide default of a directive's option; None leaves the option its own default."""

    def __init__(self, name: str) -> None:
        """Check values as the option `name` of a directive is checked."""
        super().__init__()
        self.default = None
        self._name = name

    def run_validation(self, value: object) -> Any:  # noqa: ANN401 - each option has its own type
        """Check a value.

        Raises:
            ValidationError: It is impossible; the message says why.
        """
        if value is None:
            return None
        try:
            return _PARSERS[self._name](value)
        except RecallError as error:
            raise ValidationError(str(error)) from error


class RecallConfig(Config):  # type: ignore[no-untyped-call]  # MkDocs' own hook
    """The plugin's options."""

    max_sentences = Default("max_sentences")
    sections = Default("sections")
    language = Default("language")
    scorer = Default("scorer")
    algorithm = Default("algorithm")
    diversity = Default("diversity")
    on_empty = Default("on_empty")
    cite = Default("cite")
    format = Default("format")
    on_error = c.Choice(("warn", "raise"), default="warn")
    cache = c.Type(bool, default=True)
    cache_dir = c.Type(str, default=".cache/plugin/recall")

    def defaults(self) -> dict[str, Any]:
        """Return the site-wide values that are set, by option name."""
        return {name: self[name] for name in _PARSERS if self[name] is not None}


def cache_folder(settings: RecallConfig, config: MkDocsConfig) -> Path | None:
    """Return where the cache is, or None where it is turned off.

    Raises:
        PluginError: It would lie where MkDocs reads or writes the site.
    """
    if not settings.cache:
        return None
    root = Path(config.config_file_path or "mkdocs.yml").resolve().parent
    folder = (root / Path(settings.cache_dir).expanduser()).resolve()
    for name in ("docs_dir", "site_dir"):
        other = Path(config[name]).resolve()
        if folder == other or other in folder.parents or folder in other.parents:
            msg = (
                f"recall: 'cache_dir' must be a folder of its own, apart from '{name}' "
                f"('{other}'): '{folder}'"
            )
            raise PluginError(msg)
    if folder == root or folder in root.parents:
        msg = f"recall: 'cache_dir' must be a folder of its own, not the site's: '{folder}'"
        raise PluginError(msg)
    return folder
