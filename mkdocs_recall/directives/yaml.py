"""A fence's YAML → the options as written, with advice where YAML reads them otherwise."""

from __future__ import annotations

import re
from typing import Any, Final

import yaml

from mkdocs_recall.errors import SHOWN, DirectiveError
from mkdocs_recall.index.query import kind_of

UNREAD = (RecursionError, ValueError, LookupError, TypeError, AttributeError)
"""What PyYAML raises for a value that is not what its tag says, such as `!!bool x`."""
_DEEPEST = 32
"""Levels of lists and mappings. PyYAML takes a second for some hundred of them."""
_FAST = 1000  # characters; libyaml overflows the stack on what is nested some ten thousand deep
_TEXTS = frozenset({"query", "expect"})
"""Options that are text, whatever else it looks like."""
_NO_OPTIONS = "the options must be lines of 'name: value'"
_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""What is in a text only if its author wrote an escape for it; half a surrogate pair cannot even be
written to a file."""
_LINE = re.compile(r"[ \t]*(?:- )?([\w-]{1,80}):[ \t]+(\S.*?)[ \t]*$")


def read_body(body: str) -> dict[Any, Any]:
    """Read a fence's YAML.

    Args:
        body: The lines between the fences.

    Returns:
        The options as YAML reads them; none for an empty body.

    Raises:
        DirectiveError: It cannot be read, is no mapping, or names an option twice.
    """
    if (plain := read_plain(body)) is not None:
        return plain
    try:
        loader = yaml_loader(body)
        node = loader.get_single_node()
        if node is None:
            return {}
        _check_nodes(node)
        if isinstance(node, yaml.MappingNode):
            _check_keys(node)
        values = loader.construct_document(node)
    except yaml.YAMLError as error:
        raise _yaml_fault(error, body) from error
    except UNREAD as error:
        msg = "the options are no valid YAML: a value cannot be read"
        raise DirectiveError(msg, line=1) from error
    if not isinstance(values, dict):
        raise DirectiveError(_NO_OPTIONS, line=1)
    return values


class _ShallowLoader(yaml.SafeLoader):
    """Refuses what is nested deep as soon as it is."""

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Go one level down."""
        self._depth += 1
        self._check(self._depth - 1)
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def fetch_flow_collection_start(self, token: type[yaml.Token]) -> None:
        """Open a bracket; the scanner looks a thousand of them ahead."""
        self._check(self.flow_level)
        super().fetch_flow_collection_start(token)

    def _check(self, depth: int) -> None:
        if depth > _DEEPEST:
            problem = f"lists and mappings are more than {_DEEPEST} deep in each other"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=self.get_mark())


class _FastLoader(getattr(yaml, "CSafeLoader", _ShallowLoader)):  # type: ignore[misc]
    """Reads what is short in a tenth of the time, where libyaml is there."""


def _whole_number(loader: Any, node: yaml.ScalarNode) -> int:  # noqa: ANN401 - see `yaml_loader`
    """Make a number; Python can compute with one of ten thousand digits, but not show it."""
    if len(loader.construct_scalar(node)) > SHOWN:
        raise ValueError
    number: int = loader.construct_yaml_int(node)
    return number


for _kind in (_FastLoader, _ShallowLoader):
    _kind.add_constructor("tag:yaml.org,2002:int", _whole_number)


def yaml_loader(text: str) -> Any:  # noqa: ANN401 - PyYAML's loaders share no type
    """Return a loader for a fence's YAML: the fastest that does not mind what is in it."""
    is_plain = len(text) <= _FAST and text.count("[") + text.count("{") <= _DEEPEST
    return (_FastLoader if is_plain else _ShallowLoader)(text)


def _check_nodes(root: yaml.Node) -> None:
    """Refuse what no option needs: escapes for no text, and `<<`, which can double every line."""
    waiting, seen = [root], {id(root)}
    while waiting:
        node = waiting.pop()
        if isinstance(node, yaml.ScalarNode) and (sign := _NO_TEXT.search(node.value)):
            msg = f"U+{ord(sign[0]):04X} is no character of a text; leave it out"
            raise DirectiveError(msg, line=node.start_mark.line + 1)
        children = list(node.value) if isinstance(node, yaml.SequenceNode) else []
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.tag == "tag:yaml.org,2002:merge":
                    msg = "options cannot be merged with '<<'; write them out"
                    raise DirectiveError(msg, line=key.start_mark.line + 1)
                children += [key, value]
        for child in children:
            if id(child) not in seen:
                seen.add(id(child))
                waiting.append(child)


def _check_keys(node: yaml.MappingNode) -> None:
    seen = set()
    for key, _ in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise DirectiveError(_NO_OPTIONS, line=line)
        if key.value in seen:
            msg = f"option '{key.value[:SHOWN]}' stands twice"
            raise DirectiveError(msg, line=line)
        seen.add(key.value)


def _yaml_fault(error: yaml.YAMLError, body: str) -> DirectiveError:
    """Phrase what the parser says, at the line that is broken by itself, else where it gave up."""
    lines = body.split("\n")
    marks = (getattr(error, name, None) for name in ("context_mark", "problem_mark"))
    places = [min(mark.line, len(lines) - 1) for mark in marks if mark]
    at = next((at for at in places if _is_broken(lines[at])), places[-1] if places else 0)
    return DirectiveError(f"the options are no valid YAML{_advice(error, lines[at])}", line=at + 1)


def _advice(error: yaml.YAMLError, line: str) -> str:
    if line.startswith("\t"):
        return "; indent with blanks, not with a tab"
    match = _LINE.match(line)
    if match and _is_broken(line):
        value, quote = match[2], match[2][0]
        if quote not in "\"'|>":
            return f"; put the value in quotes: {match[1]}: {_quoted(value)}"
        if quote in "\"'" and value.count(quote) == 1:
            return f"; the closing {quote} is missing"
        if quote in "\"'" and (quote in value[1:-1] or "\\" in value):
            inner = value[1:-1] if value.endswith(quote) else value
            return f"; put the value in quotes: {match[1]}: {_quoted(inner)}"
    return f": {getattr(error, 'problem', None) or 'it cannot be read'}"


def _is_broken(line: str) -> bool:
    try:
        yaml_loader(line).get_single_data()
    except (yaml.YAMLError, *UNREAD):
        return True
    return False


def check_written(key: object, value: object, body: str) -> None:
    """Refuse what YAML reads otherwise than it was meant: `source: #a`, `query: 1.50`.

    Args:
        key: The option.
        value: Its value, as YAML has read it.
        body: The lines between the fences.

    Raises:
        DirectiveError: The value as written, and how to write it.
    """
    if value is not None and (key not in _TEXTS or isinstance(value, (str, list, dict))):
        return
    for number, line in enumerate(body.split("\n"), start=1):
        match = _LINE.match(line)
        if match is None or match[1] != key:
            continue
        written = match[2]
        if value is None and written.startswith("#"):
            msg = (
                f"'{key}' has nothing after it: YAML takes '#' for a comment; "
                f"put it in quotes: {key}: {_quoted(written)}"
            )
            raise DirectiveError(msg, line=number)
        if value is not None:
            written = written.split(" #", 1)[0].rstrip()
            hint = f"put it in quotes: {_quoted(written)}"
            msg = f"'{key}' must be text, not {kind_of(value)}; {hint}"
            raise DirectiveError(msg, line=number)


def _quoted(text: str) -> str:
    """Return a value as it stands in YAML between quotes; a long one is cut, as in a message."""
    text = "".join(c for c in text if c.isprintable())
    text = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
    if '"' not in text and "\\" not in text:
        return f'"{text}"'
    return "'" + text.replace("'", "''") + "'"


_KEY: Final = re.compile(r"[a-z][a-z_]*")
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,8}")  # YAML takes 007 for octal, 1_0 for ten
_PATH: Final = ("/", "./", "../")
_TRUTH: Final = {"true": True, "false": False}
_OTHERWISE: Final = frozenset(["true", "false", "yes", "no", "on", "off", "null", "y", "n"])
"""Words that are no text to YAML 1.1, in any case; PyYAML takes the last two for text."""


def read_plain(text: str) -> dict[str, str | int | bool] | None:
    """Return what YAML reads in lines of `name: value`, or None where that takes a parser."""
    values: dict[str, str | int | bool] = {}
    for line in text.split("\n"):
        if line:
            key, _, written = line.partition(": ")
            value = _scalar(written.strip(" "))
            if value is None or key in values or key in _OTHERWISE or not _KEY.fullmatch(key):
                return None
            values[key] = value
    return values


def _scalar(text: str) -> str | int | bool | None:
    if text[:1].isalpha() or text.startswith(_PATH):
        if not text.isprintable() or text[-1] == ":" or ": " in text or " #" in text:
            return None
        return _TRUTH.get(text) if text.lower() in _OTHERWISE else text
    return int(text) if _NUMBER.fullmatch(text) else None
