"""`recall.lock`: what the directives of a site answered when somebody last agreed to it.

It is YAML that can be read in a diff: a line for each thing that can change by itself. Whatever is
in a file that is read, nothing is made of it but texts, and those only of a file of this form.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import yaml

from mkdocs_recall.cache.files import leads_outside, write_atomically
from mkdocs_recall.errors import LockError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FILE: Final = "recall.lock"
FORMAT: Final = 1
_HEADER: Final = """\
# What the directives of this site answer. Written by 'mkdocs-recall lock --accept', compared by
# 'mkdocs-recall check'. Keep it with your pages; do not edit it.
"""
_LARGEST: Final = 32 * 1024 * 1024
"""Bytes; some 30,000 directives."""
_DEEPEST: Final = 4
"""Levels of lists and mappings: the file, its answers, one of them, its passages."""
_RARE_ENDS: Final = frozenset("\x85\u2028\u2029")
_CONFLICT: Final = re.compile(r"^(?:<{7}|={7}|>{7})(?: |$)", re.MULTILINE)
_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""Makes texts, lists and mappings, and nothing else, also where safe YAML has dates and numbers."""
_REMEDY: Final = "take it from version control, or write it anew with 'mkdocs-recall lock --accept'"


@dataclass(frozen=True, slots=True)
class LockEntry:
    """A directive, and what it answered."""

    id: str
    """Its page with a digest of what it asks: it stays the same when other options change, and when
    other directives come or go. Equal ones on a page are numbered."""
    page: str
    directive: str
    """`recall` or `synopsis`."""
    query: tuple[str, ...]
    """As written; none for a synopsis."""
    source: tuple[str, ...]
    """As written; none for its own page."""
    sources: tuple[str, ...]
    """The pages and sections that are quoted, `page#anchor`, in reading order."""
    passages: tuple[str, ...]
    """What is quoted of each chosen sentence, in reading order."""
    text: str
    """All that is quoted; sections are parted by an empty line."""
    fallback: str = ""
    """Why a synopsis is quoted instead of an answer; empty where there is an answer."""

    @property
    def answer(self) -> tuple[object, ...]:
        """What a reader sees, which must not change unseen."""
        return self.sources, self.text, self.fallback


_TEXTS: Final = tuple(f.name for f in fields(LockEntry) if f.type == "str")
_LISTS: Final = tuple(f.name for f in fields(LockEntry) if f.type != "str")


def pack_lock(entries: Iterable[LockEntry]) -> bytes:
    """Return the file: the same bytes for the same entries, everywhere."""
    answers = [
        {
            field.name: list(value) if isinstance(value, tuple) else value
            for field in fields(LockEntry)
            if (value := getattr(entry, field.name))
        }
        for entry in entries
    ]
    text = yaml.dump(
        {"format": FORMAT, "answers": answers},
        Dumper=_Dumper,
        allow_unicode=True,
        sort_keys=False,
        width=1 << 30,  # a line that is wrapped differs to its end when a word is added
    )
    return (_HEADER + text).encode()


def unpack_lock(data: bytes) -> tuple[LockEntry, ...]:
    """Return what `pack_lock` was given.

    Raises:
        LockError: It is no such file; the message says why, but not which file.
    """
    if len(data) > _LARGEST:
        msg = f"it has more than {_LARGEST >> 20} MiB"
        raise LockError(msg)
    try:
        text = data.decode("utf-8-sig")
        if conflict := _CONFLICT.search(text):
            line = text.count("\n", 0, conflict.start()) + 1
            msg = f"line {line} is the mark of a merge conflict"
            raise LockError(msg)
        _check_events(text)
        found = yaml.load(text, _LOADER)  # noqa: S506 - see `_LOADER`
    except UnicodeDecodeError as error:
        msg = "it is no UTF-8"
        raise LockError(msg) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        msg = f"{where}{getattr(error, 'problem', None) or 'it is no YAML'}"
        raise LockError(msg) from error
    return _entries(found)


def read_lock(path: Path) -> tuple[LockEntry, ...]:
    """Read a lock file.

    Raises:
        LockError: It is not there, cannot be read, or is no lock file.
    """
    _check_place(path)
    try:
        return unpack_lock(_bytes(path))
    except FileNotFoundError as error:
        msg = f"there is no '{path}'; write it with 'mkdocs-recall lock'"
        raise LockError(msg) from error
    except OSError as error:
        msg = f"'{path}' cannot be read: {error.strerror or error}"
        raise LockError(msg) from error
    except LockError as error:
        msg = f"'{path}' is no lock file that can be read: {error}; {_REMEDY}"
        raise LockError(msg) from error


def _bytes(path: Path) -> bytes:
    if path.exists() and not path.is_file():  # a pipe would be waited for
        msg = "it is no file"
        raise LockError(msg)
    with path.open("rb") as file:
        return file.read(_LARGEST + 1)


def write_lock(path: Path, entries: Iterable[LockEntry]) -> None:
    """Write a lock file: whole, or not at all.

    Raises:
        LockError: It cannot be written.
    """
    _check_place(path)
    try:
        write_atomically(path, pack_lock(entries))
    except OSError as error:
        msg = f"'{path}' cannot be written: {error.strerror or error}"
        raise LockError(msg) from error


def _check_place(path: Path) -> None:
    """Refuse a link that leads elsewhere."""
    if leads_outside(path):
        msg = f"'{path}' is a link that leads out of its folder; remove it"
        raise LockError(msg)


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as such, and lists below the name they have."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - PyYAML names it
        """Write out what occurs twice."""
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002 - so in PyYAML
        """Indent lists, too."""
        super().increase_indent(flow, indentless=False)


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    if not _RARE_ENDS.isdisjoint(text):  # PyYAML reads them as line ends unless they are escaped
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def _check_events(text: str) -> None:
    """Refuse what no lock file holds, and what could come to more than it is long, or deep."""
    depth = 0
    for event in yaml.parse(text, _LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        fault = ""
        if isinstance(event, yaml.AliasEvent):
            fault = "an alias"
        elif getattr(event, "tag", None):
            fault = "a tag"
        elif depth > _DEEPEST:
            fault = "too many levels"
        if fault:
            msg = f"line {_line(event)}: {fault}"
            raise LockError(msg)


def _line(found: Any) -> int:  # noqa: ANN401 - PyYAML's types say that it may have no mark
    return int(found.start_mark.line) + 1


def _entries(found: Any) -> tuple[LockEntry, ...]:  # noqa: ANN401 - it may be anything
    if not isinstance(found, dict) or not isinstance(found.get("format"), str):
        msg = "'format' is missing"
        raise LockError(msg)
    if found["format"] != str(FORMAT):
        msg = f"its format is '{found['format'][:9]}', and this version knows {FORMAT}"
        raise LockError(msg)
    answers = found.get("answers")
    if not isinstance(answers, list):
        if answers not in ("", "[]"):
            msg = "'answers' is no list"
            raise LockError(msg)
        answers = []
    entries = tuple(_entry(number, each) for number, each in enumerate(answers, start=1))
    if len({entry.id for entry in entries}) < len(entries):
        msg = "two answers have the same id"
        raise LockError(msg)
    return entries


def _entry(number: int, found: Any) -> LockEntry:  # noqa: ANN401 - it may be anything
    if not isinstance(found, dict) or not all(found.get(n) for n in ("id", "page", "directive")):
        msg = f"answer {number} has no 'id', 'page' or 'directive'"
        raise LockError(msg)
    texts = {name: found.get(name, "") for name in _TEXTS}
    lists = {name: found.get(name, []) for name in _LISTS}
    for name, value in (texts | lists).items():
        kind = str if name in texts else list
        if not isinstance(value, kind) or not all(isinstance(each, str) for each in value):
            msg = f"'{name}' of answer {number} is no {'text' if kind is str else 'list of texts'}"
            raise LockError(msg)
    values: dict[str, Any] = texts | {name: tuple(value) for name, value in lists.items()}
    return LockEntry(**values)


_SENTENCE: Final = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")
"""Where a line may end for a reader; it need not be right."""

Kind: TypeAlias = Literal["added", "removed", "changed"]


@dataclass(frozen=True, slots=True)
class AnswerChange:
    """A directive that answers otherwise than before, or is new, or gone."""

    before: LockEntry | None
    after: LockEntry | None

    @property
    def kind(self) -> Kind:
        """What has happened to it."""
        if self.before and self.after:
            return "changed"
        return "removed" if self.before else "added"

    @property
    def entry(self) -> LockEntry:
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


def changed_answers(before: Iterable[LockEntry], after: Iterable[LockEntry]) -> list[AnswerChange]:
    """Return what has changed, in the order of what is there now; then what is gone."""
    known = {entry.id: entry for entry in before}
    found = []
    for entry in after:
        old = known.pop(entry.id, None)
        if old is None or old.answer != entry.answer:
            found.append(AnswerChange(old, entry))
    return found + [AnswerChange(entry, None) for entry in known.values()]


def _lines(entry: LockEntry | None) -> list[str]:
    """Return what a reader sees of an answer, a sentence on each line, and where it stands."""
    if entry is None:
        return []
    lines = [part for line in entry.text.split("\n") for part in _SENTENCE.split(line) if part]
    if not lines:
        lines = ["(nothing is quoted)"]
    elif entry.fallback:
        lines.insert(0, f"({entry.fallback}: a synopsis is quoted)")
    return [*lines, *(f"from {' '.join(source.split())}" for source in entry.sources)]
