"""Fences whose name is nearly that of a directive: `Recall`, `synopsys`, `type: recal`.

They are code to MkDocs, which publishes their YAML. They are reported, and never answered. A body
of our own options has to support the likeness of the name, so that no other language is meant.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from mkdocs_recall.directives.catalog import OPTIONS
from mkdocs_recall.directives.fences import NAMES, Fence, may_hold_near_miss, near_name
from mkdocs_recall.directives.parser import find_other_fences
from mkdocs_recall.messages import shown

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet


_KEYS: Final = OPTIONS.keys()
_MAIN_KEYS: Final = frozenset({"query", "source"})
"""Of which a fence has to have one."""
_CONTINUES: Final = (" ", "\t", "-", "#", "]", "}")
"""What a line begins with that opens no key."""
_TYPE: Final = re.compile(r"^type:[ \t]*[\"']?(\w+)", re.MULTILINE)
_INFO: Final = re.compile(r"[\s{.]*([^\s{}]+)")
_EMBEDM: Final = ["yaml", "embedm"]


class NearMiss(NamedTuple):
    """A fence with the wrong name."""

    fence: Fence
    """The fence, with the name of the directive that is probably meant."""
    message: str


def find_near_misses(markdown: str) -> list[NearMiss]:
    """Return the fences of a page that are probably meant for directives, in linear time."""
    if not may_hold_near_miss(markdown):
        return []
    candidates = map(_near_miss, find_other_fences(markdown))
    return [candidate for candidate in candidates if candidate]


def reads_as_directive(body: str) -> bool:
    """Return whether a text is a mapping of our own options alone, with one of the main ones.

    With the `type` of a directive, as in embedm's fences, it may be one, too.
    """
    keys = _keys(body)
    directive = _TYPE.search(body)
    if directive and directive[1] in NAMES:
        keys -= {"type"}
    return bool(keys & _MAIN_KEYS) and keys <= _KEYS


def _near_miss(fence: Fence) -> NearMiss | None:
    """Return a fence that is no directive with the one that it resembles, if there is one."""
    info, keys = _INFO.match(fence.name), _keys(fence.body)
    kind = ""
    if fence.name.split() == _EMBEDM:
        kind, info = "type: ", _TYPE.search(fence.body)
        keys -= {"type"}
    written = info[1] if info else ""
    name = near_name(written)
    if not name or written == name or not keys & _MAIN_KEYS or not keys <= _KEYS:
        return None
    message = (
        f"{shown(kind + written)} is not a directive, so the fence is shown as code; "
        f"did you mean '{kind}{name}'?"
    )
    return NearMiss(fence._replace(name=name), message)


def _keys(body: str) -> AbstractSet[str]:
    """Return the keys of a mapping in YAML, of which no line needs to be valid.

    A line at the margin without a key is returned whole: it is none of ours.
    """
    lines = [line.rstrip() for line in body.split("\n")]
    keys = [f"{line} ".partition(": ") for line in lines if line and line[0] not in _CONTINUES]
    return {key.strip("\"'") if colon else f"{key}\n" for key, colon, _ in keys}
