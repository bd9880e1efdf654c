"""Values of a fence that YAML cuts at ` #`, though their author probably meant all of the line.

`query: issue #507 label` asks for "issue". Such a fence is answered all the same, with a warning.
What YAML rejects or empties because of a `#` is for `yaml`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from yaml import MappingNode, ScalarNode, SequenceNode

from mkdocs_recall.directives.yaml import in_quotes, yaml_loader
from mkdocs_recall.errors import SHOWN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from yaml import Node

_QUERIES: Final = frozenset({"query", "text"})
"""Keys whose value is prose, in which a `#` may stand alone: `maximum # of tokens`."""
_PATHS: Final = frozenset({"source", "expect_source"})
"""Keys whose value is a path, which may end with an anchor."""
_TEXTS: Final = _QUERIES | _PATHS | {"expect", "acknowledgments"}
_COMMENT: Final = re.compile(r"([ \t]+)(#.*)")
_COMPLETE: Final = (".", "?", "!", "…", "。", "？", "！")
"""What ends a sentence; what follows is a comment."""


class CutValue(NamedTuple):
    """A value without its end."""

    line: int
    """How many lines below the opening fence it is."""
    message: str


class _TextValue(NamedTuple):
    key: str
    node: ScalarNode
    is_item: bool
    """Whether it is an item of a list."""


def cut_values(body: str) -> list[CutValue]:
    """Return the texts that YAML cuts at a `#` that is probably no comment.

    A `#` before a word, as in `#507` or `#anchor`, probably belongs to the value. One before a
    blank opens a comment; only in a query may it be a word, unless two blanks or the end of a
    sentence are before it.

    Args:
        body: The lines between the fences, YAML that has been read without an error.
    """
    if " #" not in body and "\t#" not in body:
        return []
    cuts: dict[int, CutValue] = {}  # by place: an alias is there again
    for text in _texts(yaml_loader(body).get_single_node()):
        end = text.node.end_mark.index
        comment = _COMMENT.match(body, end)
        if not text.node.style and comment and _is_cut(text, comment):
            line = body.count("\n", 0, end) + 1
            cuts.setdefault(end, CutValue(line, _message(text, comment[2].rstrip())))
    return [*cuts.values()]


def _texts(root: Node | None) -> Iterator[_TextValue]:
    """Yield the values of the keys that take text, each with its key."""
    for key, node in root.value if isinstance(root, MappingNode) else ():
        if key.value not in _TEXTS:
            continue
        items = node.value if isinstance(node, SequenceNode) else [node]
        for item in items:
            if isinstance(item, ScalarNode):
                yield _TextValue(key.value, item, is_item=item is not node)
            elif isinstance(item, MappingNode) and key.value == "query":
                yield from _texts(item)


def _is_cut(text: _TextValue, comment: re.Match[str]) -> bool:
    """Return whether a comment is probably the end of the value before it."""
    if comment[2][1:2].strip(" \t\r#"):
        return True
    is_apart = len(comment[1]) > 1 or comment[1] == "\t" or text.node.value.endswith(_COMPLETE)
    return text.key in _QUERIES and not is_apart


def _message(text: _TextValue, comment: str) -> str:
    rest = comment.split(" # ", 1)[0].rstrip()  # without a comment behind it
    is_anchor = text.key in _PATHS and not rest.endswith(".md")
    whole = in_quotes(f"{text.node.value}{'' if is_anchor else ' '}{rest}")
    shown = rest if len(rest) <= SHOWN else rest[: SHOWN - 1] + "…"
    return (
        f"'{text.key}' ends before '{shown}', which YAML treats as a comment; put it in quotes: "
        f"{'' if text.is_item else f'{text.key}: '}{whole}, or move the comment to its own line"
    )
