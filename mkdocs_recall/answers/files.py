"""Markdown files rendered outside of a build: prompts, instructions for agents, and others.

Quotes replace the directives. All other text stays byte for byte.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from mkdocs_recall.answers.answer import NOTHING, Answer, answer
from mkdocs_recall.answers.markdown import (
    TargetFile,
    github_anchors,
    github_slug,
    prefixed,
    render_markdown,
)
from mkdocs_recall.directives.directive import Directive
from mkdocs_recall.directives.fences import (
    find_fences,
    find_near_misses,
    may_hold_directive,
    may_hold_near_miss,
)
from mkdocs_recall.directives.options import read_directive
from mkdocs_recall.errors import OptionError, PageError
from mkdocs_recall.files import file_errors
from mkdocs_recall.messages import count_noun
from mkdocs_recall.options import LIMITS, Limits, Slugs, TokenCounter
from mkdocs_recall.pages.corpus import Corpus
from mkdocs_recall.ranking.budget import estimate, retrieve_within, share_budget
from mkdocs_recall.ranking.result import Passage, Result
from mkdocs_recall.text.front_matter import page_language, split_front_matter

_BOM: Final = "\ufeff"
_EMPTY: Final = " \t\r>"
"""A line of only these characters ends a paragraph."""
_FENCE_MARK: Final = re.compile("`{3,}|~{3,}")
_OPENING: Final = re.compile(r"\s*(`{3,}|~{3,})")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})\s")
_SOURCES: Final = 10


@dataclass(slots=True)
class RenderedFile:
    """A file whose directives are replaced by quotes."""

    path: Path
    output: Path | None
    text: str
    faults: list[str] = field(default_factory=list)
    """Errors for the author, each with its place; the text is then unusable."""
    warnings: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    tokens: int | None = None
    """The number of tokens in the text; None without a budget."""
    directives: list[Directive] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    headings: list[tuple[int, int, str]] = field(default_factory=list)
    """The line of each heading below the front matter, its level, and its text."""
    above: int = 0
    """The number of lines of its front matter."""

    def find_directives(self, above: int, uri: str) -> None:
        """Find the directives below the front matter, and warn of near misses."""
        self.above = above
        lines = self.text.removeprefix(_BOM).split("\n")[above:]
        body, self.headings = "\n".join(lines), [*_headings(lines)]
        self.directives = find_fences(body)
        misses = find_near_misses(body)
        for directive in (*self.directives, *misses):
            directive.page, directive.file = uri, str(self.path)
            directive.opening = above + directive.first + 1
        self.warnings += (directive.message(str(directive.fault)) for directive in misses)

    def report(self, answered: Answer) -> None:
        """Add the errors and warnings about a directive."""
        directive = answered.directive
        for below, message in directive.cuts:
            self.warnings.append(directive.message(message, below=below))
        if answered.error:
            self.faults.append(directive.message(answered.error))
        if answered.warning:
            self.warnings.append(directive.message(answered.warning))

    def quote(self, answered: Answer, file: TargetFile, result: Result) -> str:
        """Return the quote of all or part of a result; empty for none."""
        if answered.error:
            return ""
        if answered.note:
            return f"> [!NOTE]\n> {answered.note}"
        if not result:
            return ""
        first = answered.directive.first
        levels = [level for line, level, _ in self.headings if line < first]
        level = levels[-1] if levels else 0
        slugs_below = {github_slug(title) for line, _, title in self.headings if line > first}
        lines = render_markdown(result, answered.options, file, level).split("\n")
        for number, _, text in _headings(lines):
            if github_slug(text) in slugs_below:  # which keeps its anchor
                lines[number] = f"**{text.replace('**', '')}**"
        return "\n".join(lines)

    def quoting(self, file: TargetFile, results: Iterable[Result]) -> str:
        """Return the file with a quote in place of each directive; an empty one removes it.

        An empty line separates a quote from text below it. An empty quote also removes
        an empty line beside it.
        """
        bom = _BOM if self.text.startswith(_BOM) else ""
        lines = self.text.removeprefix(_BOM).split("\n")
        output: list[str] = []
        done = 0  # lines written so far
        separator = None  # the one before a quote

        def copy(until: int) -> None:
            copied = lines[done:until]
            if copied and separator is not None and not _is_empty(copied[0]):
                output.append(separator)
            output.extend(copied)

        for answered, result in zip(self.answers, results, strict=True):
            fence = answered.directive
            quote = self.quote(answered, file, result)
            first = self.above + fence.first
            last = self.above + fence.last
            copy(first)
            separator = None if first > done else separator
            closing = lines[last]
            mark = _FENCE_MARK.search(closing)
            line_prefix = closing[: mark.start()] if mark and last > first else fence.prefix
            end = "\r" if closing.endswith("\r") or lines[first].endswith("\r") else ""
            done = last + 1
            is_item = bool(fence.prefix.strip(_EMPTY))  # it follows the marker of an item
            follows_empty = _is_empty((output or [""])[-1])
            if quote:
                if not (is_item or follows_empty):
                    output.append(line_prefix.rstrip() + end)
                *others, last_line = prefixed(quote, fence.prefix, line_prefix).split("\n")
                output += [line + end for line in others]
                output.append(last_line + ("\r" if closing.endswith("\r") else ""))
                separator = line_prefix.rstrip() + end
            elif is_item:
                output.append(fence.prefix.rstrip() + end)
            elif follows_empty and _is_empty("".join(lines[done : last + 2])):
                done = min(done + 1, len(lines) - 1)
        copy(len(lines))
        return bom + "\n".join(output)


@dataclass(eq=False)
class FileRenderer:
    """Answers the directives of files from one documentation."""

    corpus: Corpus
    _: KW_ONLY
    defaults: Mapping[str, Any] = field(default_factory=dict)
    every: Callable[[], Corpus] | None = None
    """Returns all pages, expired ones included; None if `corpus` has them."""
    limits: Limits = LIMITS
    max_tokens: int | None = None
    counter: TokenCounter = estimate
    slugs: Slugs | None = None
    """Whose anchors links use; by default the site's among its pages, else GitHub's."""
    is_copy: bool = False
    """Whether links lead to a copy of the documentation, with `{#name}` as anchors."""

    def __post_init__(self) -> None:
        self._root = documentation_root(self.corpus.files)
        self._anchors = cache(self._read_anchors)
        self._html_of = lru_cache(maxsize=1)(self.corpus.html)  # for several quotes of one page

    def render(
        self, path: Path, *, output: Path | None = None, content: bytes | None = None
    ) -> RenderedFile:
        """Answer the directives of a file.

        Args:
            path: The file. Sources are relative to it if it is a page of the documentation, and to
                the documentation's root otherwise.
            output: The file to write, from which links start; None for `path`.
            content: The content; None to read it from `path`.
        """
        try:
            with file_errors(path):
                text = (path.read_bytes() if content is None else content).decode("utf-8")
        except UnicodeDecodeError as error:
            raise PageError.not_utf8(str(path), error) from error
        rendered = RenderedFile(path, output, text)
        if not (may_hold_directive(text) or may_hold_near_miss(text)):
            return rendered
        source = split_front_matter(text)
        start = path if self.is_copy else output or path
        folder = os.path.realpath(start.parent)
        is_inside = os.path.join(folder, "").startswith(os.path.join(self._root, ""))
        slugs = self.slugs or ("mkdocs" if is_inside else "github")
        file = TargetFile(
            uri=self._uri(path) if content is None else "",
            folder=folder,
            root=self._root,
            pages=self.corpus.files,
            language=page_language(source.meta),
            html_of=self._html_of,
            anchors=self._anchors if slugs == "github" else lambda _: {},
        )
        rendered.find_directives(source.offset, file.uri)
        rendered.answers = [*map(self._answer, rendered.directives)]
        if self.max_tokens is not None:
            bare = rendered.quoting(file, [NOTHING] * len(rendered.directives))
            if (bare_tokens := self.counter(bare)) > self.max_tokens:
                raise OptionError(
                    f"'{path}' has {bare_tokens:,} tokens without its quotes, and 'max_tokens' is "
                    f"{self.max_tokens:,}"
                )
            self._fit(self.max_tokens, rendered, file)
        for answered in rendered.answers:
            rendered.report(answered)
        results = [answered.result for answered in rendered.answers]
        rendered.text = rendered.quoting(file, results)
        rendered.tokens = None if self.max_tokens is None else self.counter(rendered.text)
        return rendered

    def _uri(self, path: Path) -> str:
        real = os.path.realpath(path)
        prefix = os.path.join(self._root, "")
        return real.removeprefix(prefix).replace(os.sep, "/") if real.startswith(prefix) else ""

    def _read_anchors(self, uri: str) -> Mapping[str, str]:
        with self.corpus.by_name() as pages:
            if uri not in pages.uris:
                return {}
            return github_anchors(pages.peek(uri), keep_names=self.is_copy)

    def _answer(self, directive: Directive) -> Answer:
        file_defaults = {} if directive.embedm else {"on_empty": "omit"}
        defaults = {**file_defaults, **self.defaults}
        options = read_directive(directive, defaults=defaults, limits=self.limits)
        retrieve = None
        if options and self.max_tokens is not None:
            ask = partial(self._corpus(directive).answer, page=directive.page)
            retrieve = partial(retrieve_within, options, ask, self.max_tokens)
        return answer(directive, self._corpus(directive), retrieve=retrieve)

    def _corpus(self, directive: Directive) -> Corpus:
        options = directive.options
        says_itself = options and (options.include_expired or options.temporal is not None)
        return self.every() if self.every and says_itself else self.corpus

    def _fit(self, max_tokens: int, rendered: RenderedFile, file: TargetFile) -> None:
        answers = rendered.answers

        def part(number: int, result: Result) -> int:
            answered = answers[number]
            quote = rendered.quote(answered, file, result)
            return self.counter(prefixed(f"{quote}\n\n", answered.directive.prefix))

        def whole(results: Sequence[Result]) -> int:
            return self.counter(rendered.quoting(file, results))

        results = [answered.result for answered in answers]
        shares = share_budget(results, max_tokens, part=part, whole=whole)
        for number, (answered, share) in enumerate(zip(answers, shares, strict=True)):
            if share.left_out or len(answered.result) > 0 == len(share):
                message = answered.directive.message(_sources(share.left_out))
                rendered.left_out.append(message)
            answers[number] = self._part(answered, share)

    def _part(self, answered: Answer, share: Result) -> Answer:
        if not share:
            return replace(answered, result=share)
        directive = answered.directive
        return answer(directive, self._corpus(directive), retrieve=lambda: share)


def _sources(passages: Sequence[Passage]) -> str:
    if not passages:
        return "every answer is quoted elsewhere in the file"
    sources = list(dict.fromkeys(passage.source for passage in passages))
    more = len(sources) - _SOURCES
    names = ", ".join([*sources[:_SOURCES], *([f"{more} more"] if more > 0 else [])])
    return f"{count_noun(len(passages), 'passage')}: {names}"


def _headings(lines: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    fence = ""
    for index, line in enumerate(lines):
        if mark := _OPENING.match(line):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        elif not fence and (heading := _HEADING.match(line)):
            yield index, len(heading[1]), line[heading.end() :].strip().rstrip("#").rstrip()


def _is_empty(line: str) -> bool:
    return not line.strip(_EMPTY)


def documentation_root(files: Mapping[str, str]) -> str:
    """Return a documentation's root folder."""
    for uri, file in files.items():
        path = uri.replace("/", os.sep)
        if file.endswith(os.sep + path):
            return os.path.realpath(file[: -len(path)])
    return os.getcwd()  # noqa: PTH109
