"""JSON schemas for editors, made from the catalog: of a fence, `mkdocs.yml` and questions."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.directives.catalog import OPTIONS
from mkdocs_recall.options import BOUNDS, Limits, Semantic, Temporal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mkdocs_recall.directives.catalog import Option

_DIALECT: Final = "http://json-schema.org/draft-07/schema#"  # what VS Code reads
_NAMED: Final = re.compile(r"`([a-z_0-9]+)`")
_SETTINGS_OF: Final[Mapping[str, type]] = {
    "semantic": Semantic,
    "temporal": Temporal,
    "limits": Limits,
}
_SITE: Final[Mapping[str, str]] = {
    "on_error": "`warn`, `raise`",
    "lock": "`off`, `warn`, `enforce`",
    "cache": "`true`, `false`",
    "css": "`true`, `false`",
    "preview": "`true`, `false`",
    "receipts": "`true`, `false`",
    "cache_dir": "text",
    "publish": "`true`, `false`, or settings",
    "sites": "settings",
    "limits": "settings",
}
"""The types of the settings that only `mkdocs.yml` has, in the words of the catalog."""


def fence_schema(directive: str = "recall") -> dict[str, Any]:
    """Return the schema of the options in a fence."""
    own = (option for option in OPTIONS.values() if directive in option.directives)
    return {"$schema": _DIALECT, **_mapping(own)}


def site_schema() -> dict[str, Any]:
    """Return the schema of `mkdocs.yml`, in which all but the plugin's own part is free."""
    recall = _mapping(option for option in OPTIONS.values() if option.site_wide)
    recall["properties"] |= {name: _value(name, words) for name, words in _SITE.items()}
    plugin = {"type": "object", "properties": {"recall": recall}}
    entries = {"type": "array", "items": {"anyOf": [{"type": "string"}, plugin]}}
    plugins = {"anyOf": [entries, plugin]}
    return {"$schema": _DIALECT, "type": "object", "properties": {"plugins": plugins}}


def questions_schema() -> dict[str, Any]:
    """Return the schema of the questions for `evaluate`."""
    question = _mapping(option for option in OPTIONS.values() if "recall" in option.directives)
    question["properties"]["none"] = {"const": True, "description": "Nothing answers."}
    question["required"] = ["query"]
    wanted = ("expect_source", "expect", "none")
    question["anyOf"] = [{"required": [name]} for name in wanted]
    return {"$schema": _DIALECT, "type": "array", "items": question}


def _mapping(options: Iterable[Option]) -> dict[str, Any]:
    properties = {
        option.name: {**_value(option.name, option.type), "description": option.meaning}
        for option in options
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _value(name: str, words: str) -> dict[str, Any]:
    """Return the schema of a value whose type is in the words of the catalog."""
    named = _NAMED.findall(words)
    forms: list[dict[str, Any]] = [{"type": "boolean"}] if "true" in named else []
    if enum := [False if each == "false" else each for each in named if each != "true"]:
        enum = [each for each in enum if each is not False or not forms]
        forms += [{"enum": enum}] if enum else []
    if "number" in words:
        forms.append(_number(name, "integer" if "whole number" in words else "number"))
    if "text" in words or "language" in words:
        # YAML reads "587" as a number; the options of free text take it
        forms.append({"type": ["string", "number"] if name in {"query", "expect"} else "string"})
    if "{pages" in words or name == "query":
        keys = ("text", "weight") if name == "query" else ("pages", "where")
        forms.append({"type": "object", "required": [keys[0]], "propertyNames": {"enum": [*keys]}})
    if "list" in words:
        forms.append({"type": "array", "items": {"anyOf": [*forms]}})
    if "settings" in words:
        forms.append(_settings(name))
    return forms[0] if len(forms) == 1 else {"anyOf": forms}


def _number(name: str, kind: str) -> dict[str, Any]:
    least, most, exclusive = BOUNDS[name]
    bound = "exclusiveMinimum" if exclusive else "minimum"
    return {"type": kind, bound: least, "maximum": most}


def _settings(name: str) -> dict[str, Any]:
    """Return the schema of settings in a mapping."""
    owner = _SETTINGS_OF.get(name)
    if owner is None:
        return {"type": "object"}
    properties: dict[str, Any] = {"enabled": {"type": "boolean"}} if name != "limits" else {}
    for one in fields(owner):
        path = f"{name}.{one.name}"
        kind = "integer" if "int" in str(one.type) else "number"
        properties[one.name] = _number(path, kind) if path in BOUNDS else {}
    return {"type": "object", "properties": properties, "additionalProperties": False}
