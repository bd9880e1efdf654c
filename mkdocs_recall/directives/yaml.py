"""The YAML of a fence as a mapping of options, with advice if YAML misreads the author.

Errors that an author can hardly see (spaces, tabs, indentation) come with advice. So does a value
that YAML cuts at ` #`, although its author probably meant the whole line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final
from unicodedata import name

import yaml
from yaml import MappingNode, Node, ScalarNode, SequenceNode

from mkdocs_recall.errors import SHOWN, OptionError
from mkdocs_recall.messages import kind_of
from mkdocs_recall.options import DEFAULTS

_ODD: Final = "\u00a0\u1680\u2000-\u200d\u202f\u205f\u2060\u3000\ufeff\uff1a"
"""Characters that look like a space, nothing, or a colon."""
_STRUCTURE: Final = rf"[ \t]*(?:- +)?(?:[\w-]{{1,80}}:?)?([{_ODD}])"
"""The start of a line: indentation, key, colon and space."""
_TAB: Final = r" *(?:(?P<indent>\t)|(?P<mark>-|[\w-]{1,80}:)\t)"
_LINE_KEY: Final = re.compile(r" *(?:- +)?[\w-]{1,80}:(?: |$)")
_MARKER: Final = re.compile(r"---+(?= |$)|- +(?=[\w-]{1,80}:(?: |$))")
_NO_COLON: Final = r"([a-z_]{1,80})(?: *= *| +|:)([^\s:=].*)"


def check_lines(body: str) -> None:
    """Refuse non-text, and a line without the space or colon that YAML needs."""
    for number, line in enumerate(body.split("\n"), start=1):
        if control := _NO_TEXT.search(line):
            raise _no_text(control[0], number)
        if match := re.match(_STRUCTURE, line):
            sign = match[1]
            expected = "':'" if sign == "\uff1a" else "a plain space, or nothing,"
            called = name(sign, "character").lower().replace("no-break", "non-breaking")
            where = f"where only {expected} is valid; retype it"
            msg = f"the line holds a {called} (U+{ord(sign):04X}) {where}"
            raise OptionError(msg, line=number)
        match = re.match(_NO_COLON, line)
        if match and any(match[1] in options for options in DEFAULTS.values()):
            msg = f"a colon and a space are missing: write '{match[1]}: {match[2][:SHOWN]}'"
            raise OptionError(msg, line=number)


def _indentation_advice(lines: Sequence[str], number: int) -> str:
    line = lines[number]
    if tab := re.match(_TAB, line):
        if tab["indent"]:
            return "; indent with spaces, not with a tab"
        return f"; a tab follows '{tab['mark'][:SHOWN]}'; use a space instead"
    if marker := _MARKER.match(line):
        return f"; leave out '{marker[0][:SHOWN]}'"
    above = next((line for line in reversed(lines[:number]) if line.strip()), "")
    if marker := _MARKER.fullmatch(above):
        return f"; leave out the line '{marker[0][:SHOWN]}' above"
    indent, indent_above = (len(text) - len(text.lstrip(" -")) for text in (line, above))
    opens = above.endswith(":") and indent > indent_above  # lines below a key are indented
    are_keys = _LINE_KEY.match(line) and _LINE_KEY.match(above)
    if are_keys and indent != indent_above and not opens:
        more = "more" if indent > indent_above else "less"
        return f": the line is indented {more} than the one above; start both in the same column"
    return ""


CONSTRUCTOR_ERRORS: Final = (
    *(RecursionError, ValueError, LookupError, TypeError, AttributeError),
    ArithmeticError,
)
"""PyYAML's errors for a value that does not fit its tag, such as `!!bool x`."""
_DEEPEST: Final = 32
"""The most levels: PyYAML takes a second for some hundred."""
_SHORT: Final = 1000
"""The most characters for libyaml, whose stack may overflow."""
_TEXTS: Final = frozenset({"query", "expect"})
"""Options whose value is text, whatever YAML reads."""
_NO_OPTIONS: Final = "the options must be lines of 'name: value'"
_NO_TEXT: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
"""Characters that only an escape can put into a text."""
_NO_BLOCK: Final = r"[|>][-+\d]*[ \t]+[^#\s]"
"""A text right after a block sign."""
_LINE: Final = r"[ \t]*(?:- )?([\w-]{1,80}):[ \t]+(\S.*?)[ \t]*$"


def read_body(body: str) -> dict[Any, Any]:
    """Return the options in a fence as YAML reads them."""
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
        check_lines(body)
        raise _syntax_error(error, body) from error
    except CONSTRUCTOR_ERRORS as error:
        msg = "the options are not valid YAML: a value cannot be read"
        raise OptionError(msg, line=1) from error
    if not isinstance(values, dict):
        check_lines(body)
        raise OptionError(_NO_OPTIONS, line=1)
    return values


def yaml_loader(text: str) -> Any:  # PyYAML's loaders share no type
    """Return a loader for a fence's YAML."""
    is_safe = len(text) <= _SHORT and text.count("[") + text.count("{") <= _DEEPEST
    loader: Any = (_FAST_LOADER if is_safe else _ShallowLoader)(text)
    loader.yaml_constructors = _CONSTRUCTORS
    return loader


def line_of_key(key: object, body: str) -> int:
    """Return how many lines below the opening fence a key is."""
    node = yaml_loader(body).get_single_node()
    return next((name.start_mark.line + 1 for name, _ in node.value if name.value == str(key)), 0)


def check_written(key: object, value: object, body: str) -> None:
    """Reject a value that YAML misreads: `source: #a`, `query: 1.50`."""
    if value is not None and (key not in _TEXTS or isinstance(value, (str, list, dict))):
        return
    for number, line in enumerate(body.split("\n"), start=1):
        match = re.match(_LINE, line)
        if match is None or match[1] != key:
            continue
        source = match[2]
        if value is None and source.startswith("#"):
            fault = f"'{key}' has no value: YAML treats '#' as a comment"
            remedy = f"put it in quotes: {key}: {_in_quotes(source)}"
            raise OptionError(f"{fault}; {remedy}", line=number)
        if value is not None:
            source = source.split(" #", 1)[0].rstrip()
            hint = f"put it in quotes: {_in_quotes(source)}"
            msg = f"'{key}' must be text, not {kind_of(value)}; {hint}"
            raise OptionError(msg, line=number)


class _ShallowLoader(yaml.SafeLoader):
    """Rejects deep nesting as soon as it is reached."""

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self._depth += 1
        self._check(self._depth - 1)
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def fetch_flow_collection_start(self, token: type[yaml.Token]) -> None:
        # the scanner looks a thousand of them ahead
        self._check(self.flow_level)
        super().fetch_flow_collection_start(token)

    def _check(self, depth: int) -> None:
        if depth > _DEEPEST:
            problem = f"lists and mappings are nested more than {_DEEPEST} deep"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=self.get_mark())


def _construct_int(loader: Any, node: yaml.ScalarNode) -> int:  # see `yaml_loader`
    # Python cannot print a number of 10,000 digits.
    if len(loader.construct_scalar(node)) > SHOWN:
        raise ValueError
    number: int = loader.construct_yaml_int(node)
    return number


_CONSTRUCTORS: Final = {
    **yaml.SafeLoader.yaml_constructors,
    "tag:yaml.org,2002:int": _construct_int,
}
_FAST_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", _ShallowLoader)
"""Takes a tenth of the time, if libyaml is installed."""


def _check_nodes(root: yaml.Node) -> None:
    """Reject escapes of non-text, and `<<`, which can double every line."""
    pending, seen = [root], {id(root)}
    while pending:
        node = pending.pop()
        if isinstance(node, yaml.ScalarNode) and (sign := _NO_TEXT.search(node.value)):
            raise _no_text(sign[0], node.start_mark.line + 1)
        children = list(node.value) if isinstance(node, yaml.SequenceNode) else []
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.tag == "tag:yaml.org,2002:merge":
                    msg = "options cannot be merged with '<<'; write them out"
                    raise OptionError(msg, line=key.start_mark.line + 1)
                children += [key, value]
        for child in children:
            if id(child) not in seen:  # an alias is the node of its anchor
                seen.add(id(child))
                pending.append(child)


def _no_text(sign: str, line: int) -> OptionError:
    return OptionError(f"U+{ord(sign):04X} cannot be part of a text; leave it out", line=line)


def _check_keys(node: yaml.MappingNode) -> None:
    seen = set()
    for key, _ in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise OptionError(_NO_OPTIONS, line=line)
        if key.value in seen:
            raise OptionError(f"option '{key.value[:SHOWN]}' is set twice", line=line)
        seen.add(key.value)


def _syntax_error(error: yaml.YAMLError, body: str) -> OptionError:
    lines = body.split("\n")
    marks = (getattr(error, name, None) for name in ("context_mark", "problem_mark"))
    numbers = [min(mark.line, len(lines) - 1) for mark in marks if mark] or [0]
    number = next((number for number in numbers if _is_invalid(lines[number])), numbers[-1])
    advice = _indentation_advice(lines, number) or _advice(error, lines[number])
    return OptionError(f"the options are not valid YAML{advice}", line=number + 1)


def _advice(error: yaml.YAMLError, line: str) -> str:
    match = re.match(_LINE, line)
    if match and _is_invalid(line):
        value, quote = match[2], match[2][0]
        if value.startswith("- ") and match[1] not in _TEXTS:
            item = value[2:].strip()
            return f"; start the list on the next line, or use brackets: {match[1]}: [{item}]"
        if (link := re.match(r"\[[^\]]*\]\(([^()\s]+)\)", value)) and match[1] not in _TEXTS:
            return f"; write the path of the link: {match[1]}: {link[1][:SHOWN]}"
        if quote not in "\"'|>" or re.match(_NO_BLOCK, value):
            return f"; put the value in quotes: {match[1]}: {_in_quotes(value)}"
        if quote in "\"'" and value.count(quote) == 1:
            return f"; the closing {quote} is missing"
        if quote in "\"'" and (quote in value[1:-1] or "\\" in value):
            inner = value[1:-1] if value.endswith(quote) else value
            return f"; put the value in quotes: {match[1]}: {_in_quotes(inner)}"
    return f": {getattr(error, 'problem', None) or 'it cannot be read'}"


def _is_invalid(line: str) -> bool:
    try:
        yaml_loader(line).get_single_data()
    except (yaml.YAMLError, *CONSTRUCTOR_ERRORS):
        return True
    return False


def _in_quotes(text: str) -> str:
    """Return a value in YAML's quotes, cut for a message."""
    text = "".join(c for c in text if c.isprintable())
    text = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
    if '"' not in text and "\\" not in text:
        return f'"{text}"'
    return "'" + text.replace("'", "''") + "'"


_PATHS: Final = frozenset({"source", "expect_source"})
_CUTTABLE: Final = _PATHS | {"query", "expect"}
_CUT: Final = re.compile(r"[ \t]+(#[^\s#].*)")
"""A comment that probably belongs to a value, as in `#507` or `#anchor`."""


def cut_values(body: str) -> list[tuple[int, str]]:
    """Return the lines on which YAML probably cuts a text at `#`, with messages."""
    cuts: dict[int, tuple[int, str]] = {}  # by place, as an alias repeats it
    for key, node, item in _texts(yaml_loader(body).get_single_node()):
        end = item.end_mark.index
        comment = _CUT.match(body, end)
        if not item.style and comment:
            line = body.count("\n", 0, end) + 1
            opening = f"{key}: " if item is node else ""
            cuts.setdefault(end, (line, _message(key, opening, item.value, comment[1].rstrip())))
    return [*cuts.values()]


def _texts(root: Node | None) -> Iterator[tuple[str, Node, ScalarNode]]:
    for key, node in root.value if isinstance(root, MappingNode) else ():
        for item in node.value if isinstance(node, SequenceNode) else [node]:
            if key.value in _CUTTABLE and isinstance(item, ScalarNode):
                yield key.value, node, item


def _message(key: str, opening: str, value: str, comment: str) -> str:
    cut = comment.split(" # ", 1)[0].rstrip()  # without a comment behind it
    is_anchor = key in _PATHS and not cut.endswith(".md")
    quoted = _in_quotes(f"{value}{'' if is_anchor else ' '}{cut}")
    start = cut if len(cut) <= SHOWN else cut[: SHOWN - 1] + "…"
    return (
        f"'{key}' ends before '{start}', which YAML treats as a comment; put it in quotes: "
        f"{opening}{quoted}, or move the comment to its own line"
    )
