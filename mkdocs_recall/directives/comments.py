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

_PATHS: Final = frozenset({"source", "expect_source"})
"""Keys whose value is a path, which may end with an anchor."""
_TEXTS: Final = _PATHS | {"query", "expect"}
_CUT: Final = re.compile(r"[ \t]+(#[^\s#].*)")
"""A comment that is probably the end of a value: a `#` before a word, as in `#507` or `#anchor`."""


class CutValue(NamedTuple):
    """A value without its end."""

    line: int
    """How many lines below the opening fence it is."""
    message: str


def cut_values(body: str) -> list[CutValue]:
    """Return the texts that YAML cuts at a `#` that is probably no comment.

    Args:
        body: The lines between the fences, YAML that has been read without an error.
    """
    if " #" not in body and "\t#" not in body:
        return []
    cuts: dict[int, CutValue] = {}  # by place: an alias is there again
    for key, node, item in _texts(yaml_loader(body).get_single_node()):
        end = item.end_mark.index
        comment = _CUT.match(body, end)
        if not item.style and comment:
            line = body.count("\n", 0, end) + 1
            opening = f"{key}: " if item is node else ""
            message = _message(key, opening, item.value, comment[1].rstrip())
            cuts.setdefault(end, CutValue(line, message))
    return [*cuts.values()]


def _texts(root: Node | None) -> Iterator[tuple[str, Node, ScalarNode]]:
    """Yield the keys that take text, each with its node, and with each text in that."""
    for key, node in root.value if isinstance(root, MappingNode) else ():
        for item in node.value if isinstance(node, SequenceNode) else [node]:
            if key.value in _TEXTS and isinstance(item, ScalarNode):
                yield key.value, node, item


def _message(key: str, opening: str, value: str, comment: str) -> str:
    rest = comment.split(" # ", 1)[0].rstrip()  # without a comment behind it
    is_anchor = key in _PATHS and not rest.endswith(".md")
    whole = in_quotes(f"{value}{'' if is_anchor else ' '}{rest}")
    shown = rest if len(rest) <= SHOWN else rest[: SHOWN - 1] + "…"
    return (
        f"'{key}' ends before '{shown}', which YAML treats as a comment; put it in quotes: "
        f"{opening}{whole}, or move the comment to its own line"
    )
