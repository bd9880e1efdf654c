"""Filters of sources: pages with certain values in their front matter, of those a source names.

A filtered source is one text, `guides/** where {"tags": "admin"}`, so that it is compared, stored
and locked like any other source. Values are compared as written: `2.5` in a page equals `"2.5"`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mkdocs_recall.errors import SHOWN, OptionError, SourceError, did_you_mean
from mkdocs_recall.messages import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Scalar: TypeAlias = "str | int | float | bool | None"
"""A value in front matter; a date is text in ISO 8601."""
SourceLike: TypeAlias = "str | Sequence[str] | Mapping[str, Any]"
"""What a source may be in Python: a path, a list of these, or `{pages, where}`."""

_WHERE: Final = " where "
_NOT: Final = "not"
_SHOWN_VALUES: Final = 12
"""The number of values that an error message lists."""
_LONGEST: Final = 1_000
"""Characters of a value; nobody filters by a longer one."""
_MOST: Final = 10_000
"""Values of a page. With aliases, a short file can have more than fit in memory."""
_LARGEST: Final = 10**SHOWN


def as_sources(source: SourceLike) -> tuple[str, ...]:
    """Return sources as texts, from a path, a list of these, or `{pages, where}`."""
    if isinstance(source, str):
        return (source,)
    if not isinstance(source, Mapping):
        return tuple(source)
    for key in source:
        if key not in {"pages", "where"}:
            hint = did_you_mean(str(key)[:SHOWN], ("pages", "where"))
            hint = hint or "; a mapping has 'pages' and 'where'"
            msg = f"'source' has no setting {shown(key)}{hint}"
            raise OptionError(msg)
    pages = as_sources(source.get("pages") or "**")
    if "where" not in source:
        return pages
    text = _as_text(source["where"])
    return tuple(f"{path}{_WHERE}{text}" for path in pages)


def split_filter(source: str) -> tuple[str, str]:
    """Return the path of a source, and its filter; an empty text for none."""
    path, _, text = source.partition(_WHERE)
    return (path, text) if text.startswith("{") else (source, "")


def front_matter_values(meta: Mapping[Any, Any]) -> dict[str, list[Scalar]]:
    """Return the values of each key in front matter; a list is several, a mapping is none."""
    values: dict[str, list[Scalar]] = {}
    left = _MOST
    for key, value in meta.items():
        items = list(value)[:left] if isinstance(value, (list, tuple, set)) else [value]
        left -= len(items) + 1
        if left < 0:
            break
        values[_key(key)] = [scalar for item in items for scalar in _scalars(item)]
    return values


class Filters:
    """The filters over the pages of a site, each page's front matter read once."""

    def __init__(
        self, uris: Iterable[str], meta: Callable[[str], Mapping[Any, Any] | None] | None
    ) -> None:
        """Take the pages.

        Args:
            uris: All pages that may be quoted.
            meta: Returns the front matter of a page; None where it is not known.
        """
        self._uris = uris
        self._meta = meta or (lambda _: None)
        self._values: dict[str, Mapping[str, Sequence[Scalar]]] = {}

    def matching(self, uris: Sequence[str], text: str, source: str) -> tuple[str, ...]:
        """Return the pages that a filter lets through."""
        conditions = _conditions(text)
        values = [self._of(uri, source) for uri in uris]
        for key in conditions:
            if not any(key in of_page for of_page in values):
                self._check_key(key, source)
        return tuple(
            uri
            for uri, of_page in zip(uris, values, strict=True)
            if all(_meets(of_page.get(key, ()), wanted) for key, wanted in conditions.items())
        )

    def no_match(self, uris: Iterable[str], text: str, source: str) -> SourceError:
        """Return the error for a filter that no page passes, with the values that pages have."""
        values = [self._of(uri, source) for uri in uris]
        hint = ""
        for key, wanted in _conditions(text).items():
            if not any(_meets(of_page.get(key, ()), wanted) for of_page in values):
                known = sorted({_shown(one) for of_page in values for one in of_page.get(key, ())})
                more = len(known) - _SHOWN_VALUES
                others = f" and {more} more" if more > 0 else ""
                listed = ", ".join(known[:_SHOWN_VALUES]) or "without a value"
                hint = f"; there, '{key}' is {listed}{others}"
                break
        return SourceError(f"source '{source}' matches no page where {text}{hint}")

    def _of(self, uri: str, source: str) -> Mapping[str, Sequence[Scalar]]:
        values = self._values.get(uri)
        if values is None:
            meta = self._meta(uri)
            if meta is None:
                msg = (
                    f"source '{source}' cannot be filtered with 'where': the front matter of its "
                    "pages is not published; name the pages instead"
                )
                raise SourceError(msg)
            values = self._values[uri] = front_matter_values(meta)
        return values

    def _check_key(self, key: str, source: str) -> None:
        """Raise a SourceError where no page has a key."""
        keys = {key for uri in self._uris for key in self._of(uri, source)}
        if key not in keys:
            hint = did_you_mean(key[:SHOWN], keys)
            msg = f"no page has {shown(key)} in its front matter, which 'where' names{hint}"
            raise SourceError(msg)


def _as_text(where: object) -> str:
    """Return a filter as text; equal filters have equal texts."""
    if not isinstance(where, Mapping) or not where:
        example = "{tags: admin}"
        msg = f"'where' must map keys of front matter to values, as {example}, not {shown(where)}"
        raise OptionError(msg)
    conditions: dict[str, Any] = {}
    for key, wanted in where.items():
        name = _key(key)
        if isinstance(wanted, Mapping):
            if list(wanted) != [_NOT]:
                raise _impossible(name, wanted)
            conditions[name] = {_NOT: _wanted(name, wanted[_NOT])}
        else:
            conditions[name] = _wanted(name, wanted)
    return json.dumps(conditions, ensure_ascii=False, sort_keys=True)


def _wanted(name: str, value: object) -> Scalar | list[Scalar]:
    """Return a value, or several, that a key may have."""
    items = value if isinstance(value, (list, tuple)) else [value]
    scalars = [scalar for item in items for scalar in _scalars(item)]
    if not scalars or len(scalars) < len(items):
        raise _impossible(name, value)
    return scalars[0] if len(scalars) == 1 else scalars


def _impossible(name: str, value: object) -> OptionError:
    return OptionError(
        f"'where.{name}' must be a value, a list of values, or {{not: …}}, not {shown(value)}"
    )


@lru_cache(maxsize=64)
def _conditions(text: str) -> Mapping[str, Any]:
    """Return what each key must be in a filter."""
    try:
        conditions = json.loads(text)
        _as_text(conditions)
    except (ValueError, RecursionError) as error:
        msg = f"'where' is no filter: {shown(text)}"
        raise OptionError(msg) from error
    return dict(conditions)


def _meets(values: Sequence[Scalar], wanted: Any) -> bool:  # noqa: ANN401 - as `_as_text` checks it
    """Tell whether the values of a key are as wanted."""
    is_not = isinstance(wanted, Mapping)
    wanted = wanted[_NOT] if is_not else wanted
    among = wanted if isinstance(wanted, list) else [wanted]
    return is_not != any(_equal(one, value) for value in values for one in among)


def _equal(one: Scalar, other: Scalar) -> bool:
    """Tell whether two values are written alike, with or without quotes."""
    if isinstance(one, str) and not isinstance(other, str):
        one = _unquoted(one)
    elif isinstance(other, str) and not isinstance(one, str):
        other = _unquoted(other)
    return type(one) is type(other) and one == other


@lru_cache(maxsize=1024)
def _unquoted(text: str) -> Scalar:
    """Return what YAML reads where a text is written without quotes."""
    import yaml

    loader = yaml.SafeLoader("")
    try:
        tag = loader.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
        value = loader.construct_object(yaml.ScalarNode(tag, text))
    except (ValueError, yaml.YAMLError):  # a date that the calendar does not have
        return text
    return next(iter(_scalars(value)), text)


def _scalars(value: object) -> tuple[Scalar, ...]:
    """Return a value as JSON has it; nothing for one that cannot be compared."""
    if isinstance(value, date):
        return (value.isoformat(),)
    if isinstance(value, int) and abs(value) >= _LARGEST:
        return ()
    if isinstance(value, str) and len(value) > _LONGEST:
        return ()
    return (value,) if value is None or isinstance(value, (str, int, float)) else ()


def _key(key: object) -> str:
    return key if isinstance(key, str) else _shown(next(iter(_scalars(key)), None))


def _shown(value: Scalar) -> str:
    return value if isinstance(value, str) else json.dumps(value)
