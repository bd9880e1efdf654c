"""The plugin's options in `mkdocs.yml`, typed and checked like those of a directive."""

from __future__ import annotations

from typing import Any

from mkdocs.config import config_options as c
from mkdocs.config.base import BaseConfigOption, Config, ValidationError

from mkdocs_recall.directives.options import OPTIONS
from mkdocs_recall.errors import RecallError

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

    def defaults(self) -> dict[str, Any]:
        """Return the site-wide values that are set, by option name."""
        return {name: self[name] for name in _PARSERS if self[name] is not None}
