"""Findings of `check` and `lock`: faulty directives, unmet expectations and changed answers."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from mkdocs_recall.answers.approved import cause_of
from mkdocs_recall.answers.lock import changed_answers
from mkdocs_recall.answers.survey import survey_directives
from mkdocs_recall.cli.output import note_all, one_line
from mkdocs_recall.gc_pause import gc_paused
from mkdocs_recall.messages import escape_invisible, shown_path, single_line
from mkdocs_recall.options import LOCK_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mkdocs_recall.answers.approved import Cause
    from mkdocs_recall.answers.lock import AnswerChange, LockEntry
    from mkdocs_recall.answers.survey import SurveyedDirective
    from mkdocs_recall.cli.where import Where
    from mkdocs_recall.pages.corpus import Corpus


Kind: TypeAlias = Literal[
    "mistake", "cut", "unmet", "unanswered", "added", "removed", "changed", "doubt"
]
ACCEPT = "if that is right, accept it with 'mkdocs-recall lock --accept'"
_SHOWN = 80
"""Characters of a query."""
_TITLES: Mapping[Kind, str] = {
    "mistake": "mistake",
    "cut": "value cut",
    "unmet": "expectation not met",
    "unanswered": "no answer",
    "added": "new answer",
    "removed": "answer gone",
    "changed": "answer changed",
    "doubt": "doubt",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A faulty directive or a changed answer, with its place."""

    kind: Kind
    page: str
    directive: str
    file: str = ""
    """An absolute path; empty where the page is gone."""
    line: int | None = None
    message: str = ""
    """The error; empty where there is a change."""
    change: AnswerChange | None = None
    cause: Cause | None = None
    """Why the answer has changed, where that is known."""

    def text(self) -> str:
        """Return the finding as text for a person."""
        place = shown_path(self.file) if self.file else self.page
        where = place if self.line is None else f"{place}:{self.line}"
        if self.change is None:
            doubt = "doubt: " if self.kind == "doubt" else ""
            return single_line(f"{where}: {self.directive}: {doubt}{self.message}")
        head = f"{where}: {self.directive}{quoted_queries(self.change.entry)}: {self.title}"
        return "\n".join([single_line(head), *self.change.lines()])

    @property
    def title(self) -> str:
        """What kind of finding it is, and since when, where that is known."""
        return f"{_TITLES[self.kind]}{f', since {self.cause.text}' if self.cause else ''}"

    @property
    def details(self) -> str:
        """The message, or the change with its queries."""
        if self.change is None:
            return self.message
        head = quoted_queries(self.change.entry).strip() or self.page
        return "\n".join([head, *self.change.lines()])

    def record(self) -> dict[str, Any]:
        """Return the finding as a record for a program."""
        change = self.change
        return {
            "kind": self.kind,
            "page": self.page,
            "file": self.file,
            "line": self.line,
            "directive": self.directive,
            "query": list(change.entry.query) if change else [],
            "message": self.message,
            "cause": self.cause.kind if self.cause else None,
            "why": self.cause.text if self.cause else "",
            "before": answer_record(change.before) if change else None,
            "after": answer_record(change.after) if change else None,
        }


def github_annotations(findings: Iterable[Finding]) -> Iterator[str]:
    """Yield GitHub's annotation commands, with all other commands escaped: one for each directive.

    GitHub shows ten of a step.
    """
    by_place: dict[tuple[str, str, int | None], list[Finding]] = {}
    for one in findings:
        by_place.setdefault((one.file or one.page, one.directive, one.line), []).append(one)
    for (_, directive, line), group in by_place.items():
        level = "notice" if all(one.kind == "doubt" for one in group) else "error"
        titles = ", ".join(dict.fromkeys(one.title for one in group))
        text = "\n".join(one.details for one in group)
        yield github_command(level, group[0].file, line, f"{directive}: {titles}", text)


def count_noun(number: int, name: str) -> str:
    """Return a number with its noun: `1 answer`, `2 answers`."""
    return f"{number} {name}{'s' * (number != 1)}"


def lock_file(where: Where) -> Path:
    """Return the lock file beside `mkdocs.yml`, without that in this folder, relative to it.

    The folder of the pages may be published as it is.
    """
    site_file = where.site_file()
    folder = site_file.parent if site_file else Path.cwd()
    return Path(shown_path(str(folder.absolute() / LOCK_FILE)))


class Survey(NamedTuple):
    """All directives of a documentation, and the files of its pages."""

    directives: Sequence[SurveyedDirective]
    files: Mapping[str, str]
    """By uri."""
    causes: Mapping[str, Cause]
    """Of changed answers, by the id of the directive."""

    @property
    def entries(self) -> list[LockEntry]:
        """The entries of the lock file."""
        return [directive.entry for directive in self.directives if directive.entry]

    def faults(self) -> list[Finding]:
        """Return what is wrong with the directives: errors, cut values, what is not as expected."""
        faults: list[Finding] = []
        for directive in self.directives:
            place = directive.page, directive.directive, directive.file
            faults += [
                Finding("cut", *place, directive.line + cut.line, message=cut.message)
                for cut in directive.cuts
            ]
            faults += [
                Finding(kind, *place, directive.line, message=message)
                for kind, message in _faults_of(directive)
                if message
            ]
        return faults

    def accepted_fallbacks(self) -> list[str]:
        """Return where a synopsis stands for an answer because its author has said that it may."""
        return [
            f"{shown_path(directive.file)}:{directive.line}: {directive.directive}"
            f"{quoted_queries(directive.entry)}: a synopsis is quoted, since no sentence answers"
            for directive in self.directives
            if directive.entry
            and directive.entry.fallback
            and directive.entry.text
            and not (directive.unanswered or directive.unmet)
        ]

    def doubts(self, before: Iterable[LockEntry], changes: Iterable[Finding] = ()) -> list[Finding]:
        """Return what speaks against the answers that nobody has approved as they are now."""
        changed = {finding.change.entry.id for finding in changes if finding.change}
        approved = {entry.id for entry in before} - changed
        return [
            Finding("doubt", d.page, d.directive, d.file, d.line, message=doubt)
            for d in self.directives
            if d.entry and d.entry.id not in approved
            for doubt in d.doubts
        ]

    def changes(self, before: Iterable[LockEntry]) -> list[Finding]:
        """Return the changes since a lock.

        A removed answer does not count on a page with an error: it may belong to the directive that
        has the error.
        """
        lines = {d.entry.id: d.line for d in self.directives if d.entry}
        pages_with_error = {d.page for d in self.directives if d.error}
        return [
            Finding(
                change.kind,
                *(change.entry.page, change.entry.directive),
                *(self.files.get(change.entry.page, ""), lines.get(change.entry.id)),
                change=change,
                cause=self.causes.get(change.entry.id),
            )
            for change in changed_answers(before, self.entries)
            if change.after or change.entry.page not in pages_with_error
        ]


def _faults_of(directive: SurveyedDirective) -> tuple[tuple[Kind, str], ...]:
    """Return what is wrong with a directive, by kind; empty messages where nothing is."""
    return (
        ("mistake", directive.error),
        ("unmet", directive.unmet),
        ("unanswered", directive.unanswered),
    )


def survey(where: Where, before: Iterable[LockEntry] = (), *, doubts: bool = False) -> Survey:
    """Answer all directives, and write the warnings of the pages to stderr."""
    defaults = where.defaults()
    with where.reading() as corpus, corpus.by_name(), gc_paused():
        directives = list(
            survey_directives(
                corpus, defaults, limits=where.limits(), doubts=doubts, finder=where.finder()
            )
        )
        causes = dict(_causes(directives, before, corpus))
    note_all(corpus.warnings)
    return Survey(directives, corpus.files, causes)


def _causes(
    directives: Iterable[SurveyedDirective], before: Iterable[LockEntry], corpus: Corpus
) -> Iterator[tuple[str, Cause]]:
    """Yield the id of each directive whose answer has changed, with the cause."""
    entries = {entry.id: entry for entry in before}
    for directive in directives:
        new, options = directive.entry, directive.options
        old = entries.get(new.id) if new else None
        if new and old and options and old.answer != new.answer:
            cause = cause_of(old, new, options, corpus)
            if cause is not None:
                yield new.id, cause


def quoted_queries(entry: LockEntry) -> str:
    """Return a directive's queries in quotes, after a space; empty if it has none."""
    return f" '{one_line('; '.join(entry.query), limit=_SHOWN)}'" if entry.query else ""


def answer_record(entry: LockEntry | None) -> dict[str, Any] | None:
    """Return an answer as a record for a program."""
    if entry is None:
        return None
    return {
        "sources": list(entry.sources),
        "passages": list(entry.passages),
        "text": entry.text,
        "fallback": entry.fallback or None,
    }


def in_workspace(file: str) -> str:
    """Return a path as GitHub knows it: from the root of the checked-out repository."""
    root = os.path.realpath(os.environ.get("GITHUB_WORKSPACE") or Path.cwd())
    path = Path(os.path.realpath(file))
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def github_command(level: str, file: str, line: int | None, title: str, text: str) -> str:
    """Return one of GitHub's annotation commands, with all others in it escaped.

    Args:
        level: `notice`, `warning` or `error`.
        file: The author's file; empty for none.
        line: Its line; None for none.
    """
    properties = {
        "file": file and in_workspace(file),
        "line": "" if line is None else str(line),
        "title": title,
    }
    shown = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value)
    return f"::{level} {escape_invisible(shown)}::{escape_invisible(_data(text))}"


def _data(text: str) -> str:
    """Return a text as the message of one of GitHub's commands."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Return a text as a property of one of GitHub's commands."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
