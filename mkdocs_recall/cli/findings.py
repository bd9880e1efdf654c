"""What `check` and `lock` find in a documentation, as a person, GitHub or a program reads it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from mkdocs_recall.answers import lock
from mkdocs_recall.answers.lock import changed_answers
from mkdocs_recall.answers.survey import survey_directives
from mkdocs_recall.cli.output import note_all, one_line
from mkdocs_recall.gc_pause import gc_paused
from mkdocs_recall.messages import escape_invisible, shown_path, single_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mkdocs_recall.answers.lock import AnswerChange, LockEntry
    from mkdocs_recall.answers.survey import SurveyedDirective
    from mkdocs_recall.cli.where import Where

Kind: TypeAlias = Literal["mistake", "unmet", "added", "removed", "changed"]
TAKE = "if that is right, take it with 'mkdocs-recall lock --accept'"
_SHOWN = 80
"""Characters of a query."""
_TITLES: Mapping[Kind, str] = {
    "mistake": "mistake",
    "unmet": "expectation not met",
    "added": "new answer",
    "removed": "answer gone",
    "changed": "answer changed",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to look at, with its place."""

    kind: Kind
    page: str
    directive: str
    file: str = ""
    """An absolute path; empty where the page is gone."""
    line: int | None = None
    message: str = ""
    """What is wrong; empty where there is a change."""
    change: AnswerChange | None = None

    def text(self) -> str:
        """Return it for a person."""
        place = shown_path(self.file) if self.file else self.page
        where = place if self.line is None else f"{place}:{self.line}"
        if self.change is None:
            return single_line(f"{where}: {self.directive}: {self.message}")
        head = f"{where}: {self.directive}{_asked(self.change.entry)}: {_TITLES[self.kind]}"
        return "\n".join([single_line(head), *self.change.lines()])

    def annotation(self) -> str:
        """Return it as GitHub reads it in the log of an action: the one command that is meant."""
        properties = {
            "file": self.file and _in_workspace(self.file),
            "line": "" if self.line is None else str(self.line),
            "title": f"{self.directive}: {_TITLES[self.kind]}",
        }
        named = ",".join(f"{name}={_property(v)}" for name, v in properties.items() if v)
        text = self.message
        if self.change is not None:
            asked = _asked(self.change.entry).strip() or self.page
            text = "\n".join([asked, *self.change.lines()])
        return f"::error {escape_invisible(named)}::{escape_invisible(_data(text))}"

    def record(self) -> dict[str, Any]:
        """Return it for a program."""
        change = self.change
        return {
            "kind": self.kind,
            "page": self.page,
            "file": self.file,
            "line": self.line,
            "directive": self.directive,
            "query": list(change.entry.query) if change else [],
            "message": self.message,
            "before": _answer(change.before) if change else None,
            "after": _answer(change.after) if change else None,
        }


def count_noun(number: int, name: str) -> str:
    """Return so many of something: `1 answer`, `2 answers`."""
    return f"{number} {name}{'s' * (number != 1)}"


def lock_file(where: Where) -> Path:
    """Return the lock file, as one types it here: beside `mkdocs.yml`, or in the pages' folder.

    Raises:
        SiteError: There is no site.
    """
    folder = Path(where.docs) if where.docs is not None else where.config_file().parent
    return Path(shown_path(str(folder.absolute() / lock.FILE)))


class Survey(NamedTuple):
    """All directives of a documentation, and the files of its pages."""

    answered: Sequence[SurveyedDirective]
    files: Mapping[str, str]
    """By uri."""

    @property
    def entries(self) -> list[LockEntry]:
        """What goes into a lock file."""
        return [each.entry for each in self.answered if each.entry]

    def faults(self) -> list[Finding]:
        """Return what is wrong with directives, or with what they answer, by itself."""
        return [
            Finding(
                "mistake" if each.error else "unmet",
                *(each.page, each.directive, each.file, each.line),
                message=each.error or each.unmet,
            )
            for each in self.answered
            if each.error or each.unmet
        ]

    def changes(self, before: Iterable[LockEntry]) -> list[Finding]:
        """Return what has changed, but for what may be one of the directives with a mistake."""
        lines = {each.entry.id: each.line for each in self.answered if each.entry}
        mistaken = {each.page for each in self.answered if each.error}
        return [
            Finding(
                change.kind,
                *(change.entry.page, change.entry.directive),
                *(self.files.get(change.entry.page, ""), lines.get(change.entry.id)),
                change=change,
            )
            for change in changed_answers(before, self.entries)
            if change.after or change.entry.page not in mistaken
        ]


def survey(where: Where) -> Survey:
    """Answer all directives; what the answers lack is said on stderr.

    Raises:
        SiteError: The pages, or the defaults in `mkdocs.yml`, cannot be read.
    """
    defaults = where.defaults()
    with where.reading() as corpus, gc_paused():
        answered = list(survey_directives(corpus, defaults, limits=where.limits()))
    note_all(corpus.warnings)
    return Survey(answered, corpus.files)


def _asked(entry: LockEntry) -> str:
    """Return what a directive asks, between blanks and quotes, as far as it asks something."""
    return f" '{one_line('; '.join(entry.query), limit=_SHOWN)}'" if entry.query else ""


def _answer(entry: LockEntry | None) -> dict[str, Any] | None:
    if entry is None:
        return None
    return {
        "sources": list(entry.sources),
        "passages": list(entry.passages),
        "text": entry.text,
        "fallback": entry.fallback or None,
    }


def _in_workspace(file: str) -> str:
    """Return a path as GitHub knows it: from the root of the repository, which is checked out."""
    root = os.path.realpath(os.environ.get("GITHUB_WORKSPACE") or Path.cwd())
    path = Path(os.path.realpath(file))
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
