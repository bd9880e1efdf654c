"""The explanation below a quote, as a folded table: which sentences were chosen, and why.

Sentences that came close to being chosen are listed too, with the reason why they were not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mkdocs_recall.rendering.escape import closing_direction_marks, escape_html
from mkdocs_recall.scoring.explanation import Explanation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs_recall.retrieval.result import Passage, Result

_MAX_LENGTH: Final = 120
"""Characters of a sentence in the explanation."""
_DECIMALS: Final = 3
"""Those of each shown value."""


def explanation_table(result: Result) -> str:
    """Return the explanation: rank, sentence, score and the parts of the score."""
    rows = [_row(passage, reason) for passage, reason in _candidates(result)]
    why = "".join(f"<p>{escape_html(note)}</p>\n" for note in _notes(result))
    return (
        '<details class="recall-explain" data-search-exclude>\n'
        f"<summary>How {escape_html(result.scorer)} chose</summary>\n{why}"
        "<table>\n<thead><tr><th>Rank</th><th>Sentence</th><th>Score</th><th>Why</th></tr></thead>\n"
        f"<tbody>\n{''.join(rows)}</tbody>\n</table>\n</details>"
    )


def explanation_list(result: Result) -> str:
    """Return the same as Markdown: a list, whose items may have several paragraphs."""
    from mkdocs_recall.rendering.markdown import bulleted
    from mkdocs_recall.rendering.markdown_inline import code, escape_line_start, escape_markdown

    def line(text: str) -> str:
        return escape_line_start(escape_markdown(text))

    def tree(explanation: Explanation, value: str = "") -> list[str]:
        parts = [tree(p, f"{p.value:+.{_DECIMALS}f} ") for p in _shown_parts(explanation)]
        description = line(value + explanation.description)
        return [description, bulleted(parts)] if parts else [description]

    items = []
    for passage, reason in _candidates(result):
        text, source = _text_and_source(passage)
        score, parts = f"{passage.score:.{_DECIMALS}f}", tree(passage.explanation)
        chosen = [line(text), code(source), score]
        items.append(
            [*chosen, line(reason), *parts] if reason else [str(passage.rank), *chosen, *parts]
        )
    title = f"**How {escape_markdown(result.scorer)} chose**"
    return "\n\n".join([title, *map(line, _notes(result)), bulleted(items)])


def _notes(result: Result) -> list[str]:
    return [*filter(None, [result.why]), *(f"Doubt: {doubt}." for doubt in result.doubts)]


def _candidates(result: Result) -> Iterator[tuple[Passage, str]]:
    """Yield the best candidates, each with the reason why it is not quoted; empty if it is."""
    for passage in result.passages:
        yield passage, ""
    for passage in result.left_out:
        option = "max_words" if "'max_words'" in result.why else "max_tokens"
        yield passage, f"left out: it goes over '{option}'"
    for lost in result.lost:
        yield lost.passage, f"not chosen: {lost.reason}"


def _text_and_source(passage: Passage) -> tuple[str, str]:
    """Return the start of a sentence and its source, each on one line."""
    text = " ".join(passage.sentence.text.split())
    if len(text) > _MAX_LENGTH:
        text = f"{text[: _MAX_LENGTH - 1].rstrip()}…"
    text += closing_direction_marks(text)
    return text, " ".join(passage.source.split())


def _row(passage: Passage, reason: str) -> str:
    text, source = _text_and_source(passage)
    why = (f"<p>{escape_html(reason)}</p>" if reason else "") + _tree(passage.explanation)
    return (
        f"<tr><td>{'' if reason else passage.rank}</td>"
        f"<td>{escape_html(text)}<br>\n<code>{escape_html(source)}</code></td>"
        f"<td>{passage.score:.{_DECIMALS}f}</td><td>{why}</td></tr>\n"
    )


def _tree(explanation: Explanation) -> str:
    """Return the description of a value, and its parts with their values as a list below."""
    description = escape_html(explanation.description)
    shown = _shown_parts(explanation)
    if not shown:
        return description
    parts = "".join(f"<li>{part.value:+.{_DECIMALS}f} {_tree(part)}</li>" for part in shown)
    return f"{description}\n<ul>{parts}</ul>"


def _shown_parts(explanation: Explanation) -> list[Explanation]:
    """Return the parts of a value, with those that are zero as shown in one, unless it is, too."""
    shown = [part for part in explanation.parts if round(part.value, _DECIMALS)]
    others = sum(part.value for part in explanation.parts if part not in shown)
    if round(others, _DECIMALS):
        shown.append(Explanation(others, "all else together"))
    return shown
