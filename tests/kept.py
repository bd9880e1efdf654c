"""What libraries make anew for each site though it is always the same: here, it is made once.

Tests would spend more time on it than on the pages that they make.
"""

from __future__ import annotations

from types import CodeType, SimpleNamespace
from typing import Any

from jinja2 import Environment
from pymdownx import emoji  # type: ignore[import-untyped]

_compile = Environment.compile
_templates: dict[object, CodeType] = {}


def _compiled(
    environment: Environment, source: Any, name: str | None = None, *rest: Any, **more: Any
) -> Any:
    """Compile a template, or return what the same one was compiled to."""
    extensions, filters = tuple(environment.extensions), tuple(environment.filters)
    key = (type(environment), source, name, extensions, filters, tuple(environment.tests))
    if not isinstance(source, str) or rest[1:] or more:
        return _compile(environment, source, name, *rest, **more)
    if key not in _templates:
        _templates[key] = _compile(environment, source, name, *rest)
    return _templates[key]


def keep() -> None:
    """Keep compiled templates, and the list of all emojis, which nobody changes."""
    Environment.compile = _compiled  # type: ignore[method-assign,assignment]
    emoji.copy = SimpleNamespace(deepcopy=lambda index: index)
