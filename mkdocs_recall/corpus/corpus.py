"""The public face: a documentation that answers queries and summarises its pages."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from mkdocs_recall.corpus.pages import CorpusPages
from mkdocs_recall.directives.schema import recall_options, synopsis_options
from mkdocs_recall.errors import EmbedderError, RecallError
from mkdocs_recall.index.selection import WHOLE_SITE
from mkdocs_recall.options import (
    DEFAULT_ALGORITHM,
    DEFAULT_SCORER,
    DEFAULT_UNITS,
    UNITS,
    RecallOptions,
)
from mkdocs_recall.retrieval.gate import through_gate
from mkdocs_recall.retrieval.overlap import without_overlap
from mkdocs_recall.retrieval.recall import recall
from mkdocs_recall.retrieval.synopsis import first_synopsis, synopsis
from mkdocs_recall.retrieval.token_budget import checked_counter, fit_budget
from mkdocs_recall.scoring.features import words_in
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.model import TEXT, kinds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mkdocs_recall.directives.values import QueryLike
    from mkdocs_recall.index.filters import SourceLike
    from mkdocs_recall.index.index import Index
    from mkdocs_recall.index.selection import Scope
    from mkdocs_recall.options import (
        ContextName,
        Enrich,
        Options,
        Semantic,
        Temporal,
        TokenCounter,
        Unit,
    )
    from mkdocs_recall.retrieval.result import Result


class Corpus(CorpusPages):
    r"""The pages of a documentation.

    Pages are rendered and read when they are first needed. Several threads may ask at once; their
    queries are answered one after the other.

    Example:
        >>> corpus = Corpus.from_markdown({"auth.md": "# Auth\n\nA session expires after a day."})
        >>> corpus.recall("when does a session expire?").passages[0].text
        'A session expires after a day.'
    """

    def recall(
        self,
        query: QueryLike,
        *,
        source: SourceLike = WHOLE_SITE,
        page: str = "",
        max_sentences: int | None = None,
        sections: int = 0,
        language: str | None = None,
        scorer: str = DEFAULT_SCORER,
        links: bool = True,
        chronicles: bool = True,
        diversity: float | None = None,
        units: Unit | Sequence[Unit] = DEFAULT_UNITS,
        context: int | ContextName = "auto",
        min_score: float | None = None,
        on_empty: str = "omit",
        algorithm: str = DEFAULT_ALGORITHM,
        prefer_description: bool = False,
        max_words: int | None = None,
        max_tokens: int | None = None,
        token_counter: TokenCounter | None = None,
        semantic: bool | Mapping[str, Any] | Semantic | None = None,
        enrich: Enrich = False,
        temporal: bool | Mapping[str, Any] | Temporal | None = None,
        include_expired: bool = False,
    ) -> Result:
        """Find the sentences that answer a query.

        Args:
            query: A text, or a list of texts and `{text, weight}`.
            source: Where to look: a page, a page with `#anchor`, a folder, a glob, a list of these,
                `**` for everything, or `{pages, where}` for those of them whose front matter fits.
            page: The page `source` is seen from; empty for the root. A glob leaves this page out.
            max_sentences: How many are chosen at most, in all; at least 1. None for 3 or, with
                `max_tokens`, for as many as fit. Meaning may append more. What the context adds is
                not counted.
            sections: Look only at the first so many top-level blocks of each page; 0 for all.
            language: Read the pages in this language instead of their own.
            scorer: `structure`, `coverage`, `overlap` or `bm25`.
            links: Whether a page or section that other pages link to counts more, with `structure`.
            chronicles: Whether release notes and the like count less where `source` does not name
                them, with `structure`.
            diversity: 0 … 1, for sentences that differ from each other; None for the scorer's own.
            units: What may be quoted: `prose`, `list`, `table` (a row, with its header cells),
                `definition`, `admonition`, `code`; by default all but `code`.
            context: How much is quoted of each place: `auto` for the opening of its section with
                what was chosen there, `block`, `section`, or a number for each chosen sentence
                alone, with so many on each side within its section.
            min_score: A sentence that scores less is no answer; None for the scorer's own.
            on_empty: When nothing answers: `omit` (no passages), `synopsis` or `warn` (say what the
                pages are about), `error` (raise). `Result.fallback` tells why nothing answers.
            algorithm: How that synopsis is made.
            prefer_description: Whether it opens with the page's own description.
            max_words: How many words the passages have at most, at least 1; those that go over are
                in `Result.left_out`. None for any number.
            max_tokens: How many tokens of a language model the passages have at most, at least 1;
                those that go over are in `Result.left_out`. None for any number.
            token_counter: The function that counts them; None for an estimate.
            semantic: Whether meaning counts, by a model that is on this machine, and how: True, or
                the settings of the option, such as `{"mode": "blend"}`. Without `mode`, what is
                near in meaning is appended where words find too little; with `{"gate": 0.3}`,
                meaning only decides whether there is an answer.
            enrich: `always` embeds a query with the names of the files that were touched last.
            temporal: Whether it counts when a page was changed, and how: True, or the settings of
                the option. Pages that have expired are left out then.
            include_expired: Whether these are quoted, too.

        Returns:
            The passages in rank order; unless `context` is a number, those of one section are one.

        Raises:
            OptionError: An option has an impossible value.
            SourceError: The source names nothing that can be quoted.
            RecallError: Nothing answers, and `on_empty` is `error`.
        """
        options = recall_options(
            query,
            source=source,
            max_sentences=max_sentences,
            sections=sections,
            language=language,
            scorer=scorer,
            links=links,
            chronicles=chronicles,
            diversity=diversity,
            units=units,
            context=context,
            min_score=min_score,
            on_empty=on_empty,
            algorithm=algorithm,
            prefer_description=prefer_description,
            max_words=max_words,
            max_tokens=max_tokens,
            token_counter=token_counter,
            semantic=semantic,
            enrich=enrich,
            temporal=temporal,
            include_expired=include_expired,
        )
        return self.answer(options, page=page)

    def synopsis(
        self,
        source: SourceLike,
        *,
        page: str = "",
        max_sentences: int = 3,
        sections: int = 0,
        language: str | None = None,
        algorithm: str = DEFAULT_ALGORITHM,
        diversity: float | None = None,
        prefer_description: bool = False,
        max_words: int | None = None,
        max_tokens: int | None = None,
        token_counter: TokenCounter | None = None,
        temporal: bool | Mapping[str, Any] | Temporal | None = None,
        include_expired: bool = False,
    ) -> Result:
        """Choose the sentences that say what a page is about.

        Args:
            source: A page, a page with `#anchor`, a folder, a glob, a list of these, or `{pages,
                where}` for those of them whose front matter fits.
            page: The page `source` is seen from; empty for the root. A glob leaves this page out.
            max_sentences: How many at most, of each page; at least 1.
            sections: Look only at the first so many top-level blocks of each page; 0 for all.
            language: Read the pages in this language instead of their own.
            algorithm: `edmundson`, `lead`, `frequency`, `luhn` or `textrank`.
            diversity: 0 … 1, for sentences that differ; None for the algorithm's own.
            prefer_description: Whether the page's own description, from its front matter, comes
                first.
            max_words: How many words are taken at most of each page, in whole sentences, but at
                least one; None for any number.
            max_tokens: How many tokens of a language model the passages of all pages have together
                at most, at least 1; those that go over are in `Result.left_out`. None for any
                number.
            token_counter: The function that counts them; None for an estimate.
            temporal: Whether pages that have expired are left out: True, or the settings of the
                option, of which `now` counts here.
            include_expired: Whether these are quoted all the same.

        Returns:
            The passages, page by page, in rank order within a page.

        Raises:
            OptionError: An option has an impossible value.
            SourceError: The source names nothing that can be quoted.
        """
        options = synopsis_options(
            source=source,
            max_sentences=max_sentences,
            sections=sections,
            language=language,
            algorithm=algorithm,
            diversity=diversity,
            prefer_description=prefer_description,
            max_words=max_words,
            max_tokens=max_tokens,
            token_counter=token_counter,
            temporal=temporal,
            include_expired=include_expired,
        )
        return self.answer(options, page=page)

    def answer(self, options: Options, *, page: str = "") -> Result:
        """Answer a fence, a command or an agent, for the rest of this package.

        Args:
            options: What is asked for; without a source, it is `page`.
            page: The page `source` is seen from; empty for the root. A glob leaves this page out.

        Returns:
            The passages: of a recall in rank order, of a synopsis page by page.

        Raises:
            OptionError: The token counter fails.
            SourceError: The source names nothing that can be quoted.
            RecallError: Nothing answers, and `on_empty` is `error`.
        """
        with self._indexes.reading():
            time = None if options.include_expired else options.temporal
            scope, hidden = self._scope(options.source, page, time)
            if isinstance(options, RecallOptions):
                index = self._indexes.for_query(scope, options, options.units)
                result = self._recall(index, scope, options, hidden)
            else:
                index = self._indexes.of(scope, options, TEXT)
                result = synopsis(index, options, hidden=hidden, memo=self._synopses)
                result = self._fit(result, options)
            diagnostics = _diagnose(index, scope)
            if options.temporal or (isinstance(options, RecallOptions) and options.semantic):
                diagnostics += self._context.diagnostics.all
            return replace(result, diagnostics=diagnostics, site=self.site)

    def mentions(self, options: RecallOptions) -> bool:
        """Tell whether the pages asked have a word of the queries, for the rest of this package.

        Any form of a word counts, stop words do not.

        Args:
            options: What is asked for.

        Raises:
            SourceError: The source names nothing that can be quoted.
        """
        with self._indexes.reading():
            scope, _ = self._scope(options.source, "")
            index = self._indexes.for_query(scope, options, options.units)
            return any(index.mentions(query.text) for query in options.query)

    def _recall(
        self, index: Index, scope: Scope, options: RecallOptions, hidden: Mapping[str, str]
    ) -> Result:
        by_words = partial(recall, index, options, hidden=hidden)
        search = by_words
        if options.temporal:
            freshness = self._context.timeline.freshness(options.temporal)
            search = partial(by_words, freshness=freshness)

        def finish(result: Result) -> Result:
            return self._fit(self._fall_back(result, scope, options, hidden), options)

        result = finish(self._with_meaning(search, options))
        if (options.semantic or options.temporal) and result.left_out and not result.passages:
            # What meaning and recency rank first exceeds the budget; what words find may fit.
            with suppress(RecallError):  # `on_empty` is `error`
                plain = finish(self._with_meaning(lambda **_: by_words(), options))
                result = plain if plain.passages else result
        return result

    def _with_meaning(self, search: Callable[..., Result], options: RecallOptions) -> Result:
        """Return an answer by words and meaning; by words alone, where the model fails."""
        if options.semantic is None:
            return search()
        try:
            meaning = self._context.meaning(options.semantic, options.enrich)
            found = search(meaning=meaning) if meaning.searches else search()
            result = through_gate(found, options.query, meaning)
        except EmbedderError as error:
            self._context.fail(error)
            return search()
        self._context.save(soon=False)
        return result

    def _fall_back(
        self, result: Result, scope: Scope, options: RecallOptions, hidden: Mapping[str, str]
    ) -> Result:
        """Return a synopsis instead of an empty answer, where `on_empty` wants one.

        Raises:
            RecallError: `on_empty` is `error`.
        """
        if not result.fallback or options.on_empty == "omit":
            return result
        if options.on_empty == "error":
            raise RecallError(result.why)
        text = tuple(kind for kind in TEXT if kind in options.units)
        if not text:
            return result
        parts = self._indexes.parts(scope, options, text)
        instead = first_synopsis(parts, options, hidden=hidden)
        return replace(instead, fallback=result.fallback, why=result.why)

    def _fit(self, result: Result, options: Options) -> Result:
        """Return as much of an answer as fits `max_words`, of a recall, and `max_tokens`."""
        answers = isinstance(options, RecallOptions) and not result.fallback
        if answers and options.max_words is not None and result.passages:
            language = result.passages[0].document.language
            words = partial(words_in, language=language)
            result = fit_budget(result, options.max_words, words, name="max_words")
        fills = answers and cast("RecallOptions", options).fills_budget
        counter = checked_counter(options.token_counter)
        fitting = fit_budget(result, options.max_tokens, counter, fills=fills)
        return replace(fitting, passages=without_overlap(fitting.passages))


def _diagnose(index: Index, scope: Scope) -> tuple[str, ...]:
    notes = [
        f"language '{code}' has no word lists: words are compared as they stand"
        for code in index.languages
        if not get_language(code).is_supported
    ]
    named = {target.uri for target in scope.named}
    if not any(block.sentences for part in index.parts for block in part.blocks):
        named |= {target.uri for target in scope.targets[:1]}
    for part in index.parts if named else ():
        if part.document.uri in named:
            if not any(block.sentences for block in part.blocks):
                kinds = [unit for unit in UNITS if unit in kinds_of(part.document)]
                only = f": it has only {', '.join(kinds)}" if kinds else ""
                notes.append(f"'{part.document.uri}' has no sentence to quote{only}")
            elif not any(s.quotable for block in part.blocks for s in block.sentences):
                notes.append(
                    f"'{part.document.uri}' has no sentence to quote: "
                    "template syntax or leftover Markdown is in all of them"
                )
    return tuple(notes)
