"""The lock file, `recall.lock`: the approved answers of a site's directives, and the changes.

It is YAML, with everything that can change by itself on its own line. A stranger may have edited
the file, so only texts are read from it, and only in this form. A build with `warn` quotes the new
answer and says where it differs from the approved one; `enforce` quotes the approved sentences
while their pages have all of them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import yaml
from msgspec import ValidationError, convert, structs

from mkdocs_recall import __version__
from mkdocs_recall.answers.answer import Answer, TextLocator, answer, quoted_places
from mkdocs_recall.answers.statements import PageText, StatedSentence
from mkdocs_recall.directives.directive import Directive
from mkdocs_recall.errors import LockError, SourceError
from mkdocs_recall.files import LOCK_FILE, check_place, file_errors, write_atomically
from mkdocs_recall.index.sources import Target
from mkdocs_recall.messages import shown_path
from mkdocs_recall.options import DEFAULTS, LockMode, Options, RecallOptions
from mkdocs_recall.pages.corpus import Corpus
from mkdocs_recall.ranking.quotation import Quotation, goes_on
from mkdocs_recall.ranking.result import (
    Fallback,
    FoundBy,
    Result,
    quoted_sections,
    quoted_texts,
    unranked,
)
from mkdocs_recall.store import digest
from mkdocs_recall.text.wording import encodable, quoted_wording, wording

FORMAT: Final = 2
_HEADER: Final = """\
# What the directives of this site answer. Written by 'mkdocs-recall lock --accept', compared by
# 'mkdocs-recall check'. Keep it with your pages; do not edit it.
"""
_LARGEST: Final = 32 * 1024 * 1024
"""Bytes: about 30,000 directives."""
_DEEPEST: Final = 4
_RARE_LINE_ENDS: Final = frozenset("\x85\u2028\u2029")
"""PyYAML reads these as line ends unless they are escaped."""
_CONFLICT: Final = re.compile(r"^(?:<{7}|={7}|>{7})(?: |$)", re.MULTILINE)
_LOADER: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""Makes only texts, lists and mappings."""
ACCEPT: Final = "if that is right, accept it with 'mkdocs-recall lock --accept'"
_REMEDY: Final = "take it from version control, or rewrite it with 'mkdocs-recall lock --accept'"
_SENTENCE: Final = re.compile(r"(?<=[.!?…])(?<!^\w\.)(?<!^\w\w\.)\s+|(?<=[。！？])")
"""The end of a sentence, as a diff has one per line; the number of a step is none."""


@dataclass(frozen=True, slots=True)
class LockEntry:
    """A directive with its answer."""

    id: str
    """Its page with a digest of queries and sources; equal directives on a page are numbered."""
    page: str
    directive: str
    query: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    """The quoted pages and sections, in reading order."""
    passages: tuple[str, ...] = ()
    text: str = ""
    """The quoted text, with an empty line between sections."""
    fallback: str = ""
    """Why a synopsis is quoted; empty if there is an answer."""
    options: tuple[str, ...] = ()
    """The options that determine the answer: `max_sentences: 1`."""
    sentences: tuple[str, ...] = ()
    """The quoted sentences, in reading order; empty if they are the passages."""
    places: tuple[str, ...] = ()
    """The place of each sentence; empty if all come from the only source."""
    by_meaning: str = ""
    """How many of the last sentences were found by meaning."""
    open_end: str = ""
    """`hidden` if the answer does not show that its list goes on; else empty."""
    version: str = field(default="", compare=False)
    """The version of this package that computed the answer."""

    @property
    def answer(self) -> tuple[object, ...]:
        """What a reader sees: its change needs approval."""
        return self.sources, quoted_wording(self.text), self.fallback

    @property
    def located(self) -> list[tuple[str, str]]:
        """The place and the text of each quoted sentence, in reading order."""
        sentences = self.sentences or self.passages
        return list(zip(self.places or self.sources[:1] * len(sentences), sentences, strict=True))


_FIELDS: Final = tuple(f for f in fields(LockEntry) if f.name != "version")
_TEXTS: Final = frozenset(f.name for f in _FIELDS if f.type == "str")
_FAULTY: Final = re.compile(r"\$\.(\w+)")


def changed_answers(
    before: Iterable[LockEntry], after: Iterable[LockEntry]
) -> Iterator[tuple[LockEntry | None, LockEntry | None]]:
    """Yield both entries of each change between two locks; removed ones come last."""
    removed = {entry.id: entry for entry in before}
    for entry in after:
        old = removed.pop(entry.id, None)
        if old is None or old.answer != entry.answer:
            yield old, entry
    yield from ((entry, None) for entry in removed.values())


def answer_diff(before: LockEntry | None, after: LockEntry | None) -> list[str]:
    """Return the diff of two answers: `- ` starts a removed line, `+ ` a new one."""
    old, new = _lines(before), _lines(after)
    merged = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            merged += [f"  {line}" for line in old[a:b]]
        else:
            merged += [f"- {line}" for line in old[a:b]]
            merged += [f"+ {line}" for line in new[c:d]]
    return merged


def lock_path(folder: Path) -> Path:
    """Return the lock file in a folder, as messages name it."""
    return Path(shown_path(str(folder.absolute() / LOCK_FILE)))


def read_lock(path: Path) -> tuple[LockEntry, ...]:
    """Read a lock file."""
    check_place(path, LockError)
    try:
        if path.exists() and not path.is_file():  # reading a pipe would block
            raise LockError("it is not a file")  # noqa: TRY301 - reported like the others
        with path.open("rb") as file:
            return unpack_lock(file.read(_LARGEST + 1))
    except FileNotFoundError as error:
        raise LockError(f"there is no '{path}'; write it with 'mkdocs-recall lock'") from error
    except OSError as error:
        raise LockError(f"'{path}' cannot be read: {error.strerror or error}") from error
    except LockError as error:
        raise LockError(f"'{path}' is not a readable lock file: {error}; {_REMEDY}") from error


def write_lock(path: Path, entries: Iterable[LockEntry]) -> None:
    """Write a lock file atomically."""
    check_place(path, LockError)
    with file_errors(path, "written", LockError):
        write_atomically(path, pack_lock(entries))


def pack_lock(entries: Iterable[LockEntry]) -> bytes:
    """Return entries as a lock file."""
    answers = [
        {stored.name: value for stored in _FIELDS if (value := getattr(entry, stored.name))}
        for entry in entries
    ]
    text = yaml.dump(
        {"format": FORMAT, "version": __version__, "answers": answers},
        Dumper=_Dumper,
        allow_unicode=True,
        sort_keys=False,
        width=1 << 30,  # adding a word to a wrapped line would change the rest of it
    )
    return (_HEADER + text).encode()


def unpack_lock(data: bytes) -> tuple[LockEntry, ...]:
    """Return the entries of a lock file."""
    if len(data) > _LARGEST:
        raise LockError(f"it has more than {_LARGEST >> 20} MiB")
    try:
        text = data.decode("utf-8-sig")
        if conflict := _CONFLICT.search(text):
            line = text.count("\n", 0, conflict.start()) + 1
            raise LockError(f"it has a merge conflict in line {line}")
        _check_events(text)
        content = yaml.load(text, _LOADER)  # noqa: S506 - see `_LOADER`
    except UnicodeDecodeError as error:
        raise LockError("it is not UTF-8") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        raise LockError(f"{where}{getattr(error, 'problem', None) or 'it is not YAML'}") from error
    return _entries(content)


def _check_events(text: str) -> None:
    """Refuse YAML that could expand to huge or deep data."""
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
            raise LockError(f"line {getattr(event.start_mark, 'line', 0) + 1}: {fault}")


def _entries(content: object) -> tuple[LockEntry, ...]:
    if not isinstance(content, dict) or not isinstance(content.get("format"), str):
        raise LockError("'format' is missing")
    if content["format"] != str(FORMAT):
        msg = f"its format is '{content['format'][:9]}', and this version knows only {FORMAT}"
        raise LockError(msg)
    version = content.get("version")
    if not isinstance(version, str) or not version:
        raise LockError("'version' is missing")
    answers = content.get("answers")
    if not isinstance(answers, list):
        if answers not in ("", "[]"):
            raise LockError("'answers' is not a list")
        answers = []
    entries = tuple(_entry(number, item, version) for number, item in enumerate(answers, start=1))
    if len({entry.id for entry in entries}) < len(entries):
        raise LockError("two answers have the same id")
    return entries


def _entry(number: int, item: object, version: str) -> LockEntry:
    if not isinstance(item, dict) or not all(item.get(n) for n in ("id", "page", "directive")):
        raise LockError(f"answer {number} has no 'id', 'page' or 'directive'")
    try:
        entry = convert({**item, "version": version}, LockEntry)
    except ValidationError as error:
        name = _FAULTY.findall(str(error))[0]
        kind = "text" if name in _TEXTS else "a list of texts"
        raise LockError(f"'{name}' of answer {number} is not {kind}") from error
    sentences = entry.sentences or entry.passages
    places = entry.places or entry.sources[:1] * len(sentences)
    if len(places) != len(sentences):
        msg = f"answer {number} has {len(places)} places for {len(sentences)} sentences"
        raise LockError(msg)
    if entry.by_meaning and not entry.by_meaning.isdecimal():
        raise LockError(f"'by_meaning' of answer {number} is not a number")
    return entry


def _lines(entry: LockEntry | None) -> list[str]:
    if entry is None:
        return []
    lines = [part for line in entry.text.split("\n") for part in _SENTENCE.split(line) if part]
    if not lines:
        lines = ["(nothing is quoted)"]
    elif entry.fallback:
        lines.insert(0, f"({entry.fallback}: a synopsis is quoted)")
    return [*lines, *(f"from {' '.join(source.split())}" for source in entry.sources)]


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 - PyYAML names it
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002 - so in PyYAML
        super().increase_indent(flow, indentless=False)


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    if not _RARE_LINE_ENDS.isdisjoint(text):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


_DIGITS: Final = 8
"""Digits of the digest in an id."""
_NOT_CHOOSING: Final = frozenset(
    {"source", "query", "cite", "format", "explain", "expect", "expect_source", "restated"}
)
"""Options that are part of an id, or only format or check a quote."""


def lock_id(page: str, options: Options, counts: Counter[str]) -> str:
    """Return a directive's id; `counts` numbers equal ones."""
    key = digest(options.name, *_queries(options), "", *options.source)
    identity = f"{encodable(page)}@{key.hex()[:_DIGITS]}"
    counts[identity] += 1
    return f"{identity}-{counts[identity]}" if counts[identity] > 1 else identity


def lock_entry(identity: str, page: str, options: Options, result: Result) -> LockEntry:
    """Return the entry of a directive with its `lock_id` and answer."""
    sources = tuple(map(encodable, quoted_places(result)))
    passages = tuple(passage.text for passage in result.in_document_order())
    located: list[tuple[str, str]] = []
    by_meaning = 0
    hides_end = False
    for first, quotation in quoted_sections(result.in_document_order()):
        hides_end |= not quotation.goes_on and goes_on(first.document, quotation.sentences)
        located += [(encodable(first.source), sentence.text) for sentence in quotation.sentences]
        if first.found_by == "semantic":
            by_meaning += len(quotation.sentences)
    sentences = tuple(text for _, text in located)
    return LockEntry(
        id=identity,
        page=encodable(page),
        directive=options.name,
        query=_queries(options),
        source=options.source,
        sources=sources,
        passages=passages,
        text="\n\n".join(quoted_texts(result)),
        fallback=result.fallback or "",
        options=_choosing_options(options),
        sentences=() if sentences == passages else sentences,
        places=tuple(place for place, _ in located) if len(sources) > 1 else (),
        by_meaning=str(by_meaning or ""),
        open_end="hidden" if hides_end else "",
        version=__version__,
    )


def _choosing_options(options: Options) -> tuple[str, ...]:
    """Return the options that determine an answer and are not the default."""
    written = []
    for name in (option.name for option in fields(options) if option.name not in _NOT_CHOOSING):
        value = getattr(options, name)
        if value != options.default_of(name) or name in options.restated:
            written.append(f"{name}: {_written(value, name, options.restated)}")
    queries = options.query if isinstance(options, RecallOptions) else ()
    written += [f"weight: {query.weight:g}" for query in queries if query.weight != 1]
    return tuple(written)


def _chooses_the_same(entry: LockEntry, options: Options) -> bool:
    """Tell whether options determine an answer as those of its entry did."""
    now = _choosing_options(options)
    if entry.options == now:
        return True
    # Other versions' defaults are unknown here: what is written must be the same.
    defaults = {
        f"{name}: {_written(options.default_of(name), name, ())}" for name in DEFAULTS[options.name]
    }
    return entry.version == __version__ and {*entry.options} - defaults == {*now} - defaults


def _written(value: object, name: str, restated: tuple[str, ...]) -> str:
    if is_dataclass(value) and not isinstance(value, type):
        parts = {part.name: getattr(value, part.name) for part in fields(value)}
        defaults = {part.name for part in fields(value) if parts[part.name] == part.default}
        chosen = [part for part in parts if part not in defaults or f"{name}.{part}" in restated]
        value = {part: parts[part] for part in chosen}
    return json.dumps(value, ensure_ascii=False, default=str)


def _queries(options: Options) -> tuple[str, ...]:
    if isinstance(options, RecallOptions):
        return tuple(query.text for query in options.query)
    return ()


def _located_result(entry: LockEntry, options: Options, corpus: Corpus, page: str) -> Result | None:
    """Return the approved answer as the pages have it now; None if they no longer do.

    A sentence may have moved within its page, but no new text may be between two.
    """
    uris = dict.fromkeys(Target.of(place).uri for place, _ in entry.located)
    documents = corpus.open_sources(options, uris=uris, page=page)
    pages = {uri: PageText(document) for uri, document in documents.items()}
    quoted: list[StatedSentence] = []
    for place, sentences in groupby(entry.located, key=itemgetter(0)):
        uri, anchor = Target.of(place)
        texts = [text for _, text in sentences]
        is_described = options.prefer_description
        run = pages[uri].run(texts, anchor, with_description=is_described) if uri in pages else None
        if run is None:
            return None
        quoted += run
    result = _result(entry, quoted)
    is_same = quoted_wording("\n\n".join(quoted_texts(result))) == quoted_wording(entry.text)
    return result if is_same else None


def _result(entry: LockEntry, sentences: Sequence[StatedSentence]) -> Result:
    by_words = len(sentences) - int(entry.by_meaning or 0)
    passages = []
    for rank, statement in enumerate(sentences, start=1):
        quotation = Quotation((statement.sentence,), goes_on=not entry.open_end)
        passage = unranked(statement.document, quotation, rank, "approved in recall.lock")
        found_by: FoundBy = "lexical" if rank <= by_words else "semantic"
        passages.append(replace(passage, found_by=found_by))
    fallback: Fallback | None = entry.fallback or None  # type: ignore[assignment]
    why = "no sentence answers the query" if fallback else ""
    return Result(tuple(passages), LOCK_FILE, fallback=fallback, why=why)


CauseKind: TypeAlias = Literal["directive", "page", "ranking", "other_page", "sentence"]


def cause_of(
    before: LockEntry, after: LockEntry, options: Options, corpus: Corpus
) -> tuple[CauseKind, str]:
    """Return why the answer of a directive has changed.

    If the approved text is still in its page, either an edit of pages made something else rank
    higher, or this package ranks differently; the version in the lock file decides which.
    """
    if not _chooses_the_same(before, options):
        return "directive", "the directive changed"
    try:
        is_there = _located_result(before, options, corpus, after.page) is not None
    except SourceError:
        is_there = False
    if not is_there or quoted_wording(before.text) == quoted_wording(after.text):
        return "page", "the page changed"
    if before.version != after.version:
        versions = f"version {before.version} → {after.version}"
        return "ranking", f"the ranking changed ({versions})"
    old, new = ({Target.of(place).uri for place in e.sources} for e in (before, after))
    if new_pages := sorted(new - old):
        return "other_page", f"another page answers now: {', '.join(new_pages)}"
    was, now = ({(place, wording(text)) for place, text in e.located} for e in (before, after))
    text = "more is now quoted with it" if was < now else "another sentence answers now"
    return "sentence", text


_SHOWN: Final = 160
_BEFORE: Final = 40


class ApprovedAnswers:
    """The answers of a lock file, which a build compares with its own."""

    def __init__(self, mode: LockMode, folder: Path) -> None:
        try:
            entries = read_lock(lock_path(folder))
        except LockError as error:
            raise LockError(f"{error}; until then 'lock: {mode}' compares nothing") from error
        self._enforces = mode == "enforce"
        self._entries = {entry.id: entry for entry in entries}
        self.digest = digest(*map(self.key, sorted(self._entries)), *sorted(self._entries))
        self._counts: Counter[str] = Counter()

    def number(self, directives: Iterable[Directive]) -> None:
        """Set the `lock_id` of the next directives, except those with errors."""
        for directive in directives:
            if directive.options is not None:
                directive.lock_id = lock_id(directive.page, directive.options, self._counts)

    def has(self, identity: str) -> bool:
        """Tell whether the directive has an approved answer."""
        return identity in self._entries

    def key(self, identity: str) -> str:
        """Return a cache key of what a directive's answer depends on here."""
        entry = self._entries.get(identity)
        packed = pack_lock([replace(entry, id="")]) if entry else b""
        return digest("lock", str(self._enforces), packed).hex()

    def answer(
        self, directive: Directive, corpus: Corpus, *, locator: TextLocator | None = None
    ) -> Answer:
        """Answer a directive, and warn of an unapproved answer."""
        identity = directive.lock_id
        options = directive.options
        page = directive.page
        if options is None or not identity:
            return answer(directive, corpus, locator=locator)
        entry = self._entries.get(identity)
        is_same = entry is not None and _chooses_the_same(entry, options)
        approved: list[Result] = []

        def retrieve() -> Result:
            if self._enforces and entry and is_same:
                result = _located_result(entry, options, corpus, page)
                if result is not None:
                    approved.append(result)
                    return result
            return corpus.answer(options, page=page)

        reply = answer(directive, corpus, locator=locator, retrieve=retrieve)
        if reply.error or approved:
            return reply
        new = lock_entry(identity, page, options, reply.result)
        warning = self._difference(entry, new, is_same=is_same)
        return structs.replace(reply, warning="; ".join(filter(None, (reply.warning, warning))))

    def _difference(self, entry: LockEntry | None, new: LockEntry, *, is_same: bool) -> str:
        if entry is None:
            return f"nobody has approved this answer yet; {ACCEPT}"
        if not is_same:
            changed = {option.partition(":")[0] for option in {*entry.options} ^ {*new.options}}
            names = ", ".join(f"'{name}'" for name in sorted(changed)) or "the order of its queries"
            return f"the directive has changed since its answer was approved ({names}); {ACCEPT}"
        if entry.answer == new.answer:
            return ""
        before, after = _shown_pair(entry, new)
        fault = "differs from the approved one"
        if self._enforces:
            fault = "is new, since the approved one is no longer in its source"
        return f"this answer {fault}: it was {before}, and is now {after}; {ACCEPT}"


def _shown_pair(before: LockEntry, after: LockEntry) -> tuple[str, str]:
    texts = [" ".join(entry.text.split()) for entry in (before, after)]
    common = next((n for n, (a, b) in enumerate(zip(*texts)) if a != b), min(map(len, texts)))  # noqa: B905 - one may be longer
    start = max(0, common - _BEFORE) if max(map(len, texts)) > _SHOWN else 0
    descriptions = []
    for entry, text in zip((before, after), texts, strict=True):
        part = f"{'…' if start else ''}{text[start : start + _SHOWN]}"
        more = "…" if len(text) > start + _SHOWN else ""
        places = ", ".join(entry.sources[:3])
        descriptions.append(f'"{part}{more}" from {places}' if text else "nothing")
    return descriptions[0], descriptions[1]
