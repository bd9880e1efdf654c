"""Caches of objects that libraries make again for each site, although they are equal.

Tests would spend more time on these than on their pages.
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
    """Compile a template, or return the cached result."""
    extensions, filters = tuple(environment.extensions), tuple(environment.filters)
    key = (type(environment), source, name, extensions, filters, tuple(environment.tests))
    if not isinstance(source, str) or rest[1:] or more:
        return _compile(environment, source, name, *rest, **more)
    if key not in _templates:
        _templates[key] = _compile(environment, source, name, *rest)
    return _templates[key]


def keep() -> None:
    """Cache compiled templates, and the constant list of all emojis."""
    Environment.compile = _compiled  # type: ignore[method-assign,assignment]
    emoji.copy = SimpleNamespace(deepcopy=lambda index: index)
