"""What has changed between two lots of answers, directive by directive, as lines for a reader."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mkdocs_recall.lock import Entry

_SENTENCE: Final = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")
"""Where a line may end for a reader; it need not be right."""

Kind: TypeAlias = Literal["added", "removed", "changed"]


@dataclass(frozen=True, slots=True)
class Change:
    """A directive that answers otherwise than before, or is new, or gone."""

    before: Entry | None
    after: Entry | None

    @property
    def kind(self) -> Kind:
        """What has happened to it."""
        if self.before and self.after:
            return "changed"
        return "removed" if self.before else "added"

    @property
    def entry(self) -> Entry:
        """The directive, as it is now if it is still there."""
        entry = self.after or self.before
        assert entry is not None
        return entry

    def lines(self) -> list[str]:
        """Return both answers as one: lines that open with `- ` are gone, with `+ ` new."""
        before, after = _lines(self.before), _lines(self.after)
        merged = []
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        for tag, a, b, c, d in matcher.get_opcodes():
            if tag == "equal":
                merged += [f"  {line}" for line in before[a:b]]
            else:
                merged += [f"- {line}" for line in before[a:b]]
                merged += [f"+ {line}" for line in after[c:d]]
        return merged


def changes(before: Iterable[Entry], after: Iterable[Entry]) -> list[Change]:
    """Return what has changed, in the order of what is there now; then what is gone."""
    known = {entry.id: entry for entry in before}
    found = []
    for entry in after:
        old = known.pop(entry.id, None)
        if old is None or old.answer != entry.answer:
            found.append(Change(old, entry))
    return found + [Change(entry, None) for entry in known.values()]


def _lines(entry: Entry | None) -> list[str]:
    """Return what a reader sees of an answer, a sentence on each line, and where it stands."""
    if entry is None:
        return []
    lines = [part for line in entry.text.split("\n") for part in _SENTENCE.split(line) if part]
    if not lines:
        lines = ["(nothing is quoted)"]
    elif entry.fallback:
        lines.insert(0, f"({entry.fallback}: a synopsis is quoted)")
    return [*lines, *(f"from {' '.join(source.split())}" for source in entry.sources)]
