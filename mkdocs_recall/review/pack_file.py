"""A pack file, such as `pack.yml`: the queries and synopses of a pack, its budget and its text.

An entry has the options of a fence, and is checked as one. What is chosen of the answers is for
`pack`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from textwrap import dedent
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from mkdocs_recall.directives.nested import check_values
from mkdocs_recall.directives.schema import check_options
from mkdocs_recall.directives.values import parse_token_counter, whole_number
from mkdocs_recall.directives.yaml import line_of_key, read_body, yaml_loader
from mkdocs_recall.errors import (
    SHOWN,
    DirectiveError,
    OptionError,
    PackError,
    did_you_mean,
    lines_below,
)
from mkdocs_recall.index.selection import WHOLE_SITE
from mkdocs_recall.messages import kind_of, quoted_hint, shown
from mkdocs_recall.options import LIMITS, MOST, RecallOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import yaml

    from mkdocs_recall.options import Limits, Options, TokenCounter

_PRIORITY: Final = "priority"
_WITHOUT_EFFECT: Final = frozenset({"cite", "format", "explain", "token_counter"})
"""Options that only shape a quote on a page, and the counter, which the whole pack states."""
_LINE_ENDS: Final = re.compile("\r\n|[\r\x85\u2028\u2029]")
"""What ends a line for YAML, beside the line feed."""
_LISTS: Final[Mapping[str, tuple[Literal["recall", "synopsis"], str]]] = {
    "queries": ("recall", "query"),
    "synopses": ("synopsis", "source"),
}
"""The lists of entries, each with their directive and with the option that a mere text states."""


@dataclass(frozen=True, slots=True)
class PackEntry:
    """A query or a synopsis of a pack."""

    options: Options
    priority: float = 1.0
    """Greater is more important."""
    line: int = 0
    """Where it begins in its file, or its number without a file, from 1."""

    @property
    def label(self) -> str:
        """What it asks for, for messages and records."""
        if isinstance(self.options, RecallOptions):
            return ", ".join(query.text for query in self.options.query)
        return f"synopsis of {', '.join(self.options.source)}"


@dataclass(frozen=True, slots=True)
class PackRequest:
    """What a pack is made of."""

    entries: tuple[PackEntry, ...]
    max_tokens: int
    """The budget of the whole text."""
    title: str = ""
    intro: str = ""
    """Markdown between the title and the quotes."""
    output: str = ""
    """The file that it is written to, seen from the folder of its own; empty for stdout."""
    token_counter: str | TokenCounter | None = None
    """None for the estimate."""


def read_pack(
    text: str, *, defaults: Mapping[str, Any] | None = None, limits: Limits = LIMITS
) -> PackRequest:
    """Read the text of a pack file.

    Args:
        defaults: The site's defaults of a fence's options, checked already.
        limits: How much an entry may ask for.
    """
    text = _LINE_ENDS.sub("\n", text)
    try:
        stated = read_body(text)
        check_values(stated, limits)
    except (DirectiveError, OptionError) as error:
        raise PackError((lines_below(error), str(error))) from error
    faults: list[tuple[int, str]] = []
    values: dict[str, Any] = {}
    for key, value in stated.items():
        try:
            values[key] = _parsed(key, value)
        except OptionError as error:  # noqa: PERF203 - all faults are reported together
            faults.append((line_of_key(key, text), str(error)))
    if not faults and "max_tokens" not in stated:
        faults.append((0, "'max_tokens' is required: how long may the pack be?"))
    if not (faults or stated.get("queries") or stated.get("synopses")):
        faults.append((0, "there are no queries: list some below 'queries' or 'synopses'"))
    values.setdefault("token_counter", (defaults or {}).get("token_counter"))
    counter = {"token_counter": values["token_counter"]}
    defaults = {"on_empty": "omit", **(defaults or {}), **counter}
    entries = []
    lists = {name: values[name] for name in _LISTS if name in values}
    for written in _written_entries(text, lists):
        try:
            entries.append(_entry(written, defaults, limits))
        except (DirectiveError, OptionError) as error:  # noqa: PERF203 - all faults are reported
            faults.append((written.line + max(0, lines_below(error) - 1), str(error)))
    if faults:
        raise PackError(*sorted(faults))
    own = {name: value for name, value in values.items() if name not in _LISTS}
    return PackRequest(tuple(entries), **own)


def _parsed(key: object, value: object) -> Any:  # noqa: ANN401 - each option has its own type
    """Return the value of an option of the whole pack."""
    if not isinstance(key, str) or key not in OPTIONS:
        name = key if isinstance(key, str) else shown(key)
        msg = f"unknown option {shown(name)}{did_you_mean(name[:SHOWN], OPTIONS)}"
        raise OptionError(msg)
    return OPTIONS[key](value)


class _WrittenEntry(NamedTuple):
    """An entry as it is written."""

    name: str
    """The name of its list."""
    value: object
    """What YAML reads."""
    body: str
    """Its YAML, as the body of a fence."""
    line: int
    """Its first line, from 1."""


def _written_entries(text: str, lists: Mapping[str, Sequence[object]]) -> Iterator[_WrittenEntry]:
    """Yield the entries of lists that are in a text."""
    if not any(lists.values()):
        return
    lines = text.split("\n")
    nodes = {key.value: value for key, value in yaml_loader(text).get_single_node().value}
    for name, values in lists.items():
        for node, value in zip(nodes[name].value, values, strict=bool(values)):
            yield _WrittenEntry(name, value, _body(node, lines), node.start_mark.line + 1)


def _body(node: yaml.Node, lines: Sequence[str]) -> str:
    """Return the lines of an entry as the body of a fence."""
    first, last = node.start_mark, node.end_mark
    own = [*lines[first.line : last.line], lines[last.line][: last.column]]
    own[0] = " " * first.column + own[0][first.column :]
    return dedent("\n".join(own)).rstrip("\n ")


def _entry(written: _WrittenEntry, defaults: Mapping[str, Any], limits: Limits) -> PackEntry:
    """Return an entry, checked."""
    name, value, body, line = written
    directive, main = _LISTS[name]
    if isinstance(value, str):
        stated: dict[Any, Any] = {main: value}
    elif isinstance(value, dict):
        stated = read_body(body)
    else:
        hint = quoted_hint(value)
        msg = f"an entry of '{name}' must be text or options, not {kind_of(value)}{hint}"
        raise OptionError(msg)
    priority = _priority(stated.pop(_PRIORITY, 1), body)
    for key in stated:
        if key in _WITHOUT_EFFECT:
            error = OptionError(f"'{key}' has no effect on an entry of a pack; leave it out")
            error.line = line_of_key(key, body)
            raise error
    options = check_options(
        directive, stated, body, defaults=defaults, limits=limits, others=(_PRIORITY,)
    )
    if not options.source:
        if directive == "synopsis":
            msg = "'source' is required: which pages is the synopsis about?"
            raise OptionError(msg)
        options = replace(options, source=(WHOLE_SITE,))
    return PackEntry(options, priority, line)


def _priority(value: object, body: str) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and 0 < value < MOST:  # type: ignore[operator]  # mypy forgets what was asked
        return float(value)  # type: ignore[arg-type]
    msg = f"'{_PRIORITY}' must be a number greater than 0, and less than a billion, not "
    error = OptionError(f"{msg}{shown(value)}")
    error.line = line_of_key(_PRIORITY, body)
    raise error


def _list(name: str) -> Callable[[object], list[Any]]:
    """Return what takes a list of entries."""

    def parse(value: object) -> list[Any]:
        if value is None:
            return []
        if not isinstance(value, list):
            msg = f"'{name}' must be a list, not {shown(value)}; begin each entry with '- '"
            raise OptionError(msg)
        return value

    return parse


def _text(name: str, *, lines: bool = False) -> Callable[[object], str]:
    """Return what takes a text, of one line or of several."""

    def parse(value: object) -> str:
        if not isinstance(value, str) or not (lines or value.isprintable()):
            wanted = "text" if lines else "text on one line"
            msg = f"'{name}' must be {wanted}, not {shown(value)}{quoted_hint(value)}"
            raise OptionError(msg)
        return value.strip()

    return parse


OPTIONS: Final[Mapping[str, Callable[[object], Any]]] = {
    "title": _text("title"),
    "intro": _text("intro", lines=True),
    "output": _text("output"),
    "max_tokens": whole_number("max_tokens"),
    "token_counter": parse_token_counter,
    **{name: _list(name) for name in _LISTS},
}
"""The options of a whole pack, each with what parses it."""
