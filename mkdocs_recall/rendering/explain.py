"""Why a quote says what it says, as a folded table or a list: what was chosen, what was not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mkdocs_recall.rendering.escape import closing_direction_marks, escape_html
from mkdocs_recall.rendering.markdown_inline import code, escape_line_start, escape_markdown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs_recall.retrieval.result import Passage, Result
    from mkdocs_recall.scoring.explanation import Explanation

_SHOWN = 120
"""Characters of each sentence."""


def explanation_table(result: Result) -> str:
    """Return the table of a result: rank, sentence, score and what made it."""
    rows = [_row(passage, reason) for passage, reason in _considered(result)]
    why = f"<p>{escape_html(result.why)}</p>\n" if result.why else ""
    return (
        '<details class="recall-explain" data-search-exclude>\n'
        f"<summary>How {escape_html(result.scorer)} chose</summary>\n{why}"
        "<table>\n<thead><tr><th>Rank</th><th>Sentence</th><th>Score</th><th>Why</th></tr></thead>\n"
        f"<tbody>\n{''.join(rows)}</tbody>\n</table>\n</details>"
    )


def explanation_list(result: Result) -> str:
    """Return the same as a list."""
    lines = [f"How {escape_markdown(result.scorer)} chose:", ""]
    if result.why:
        lines += (escape_line_start(escape_markdown(result.why)), "")
    for passage, reason in _considered(result):
        rank = f"{reason}: " if reason else f"rank {passage.rank}: "
        text, where = _shown(passage)
        lines.append(f"- {escape_markdown(rank + text)} ({code(where)})")
        lines += _branches(passage.explanation, "    ")
    return "\n".join(lines)


def _considered(result: Result) -> Iterator[tuple[Passage, str]]:
    """Yield the sentences that were looked at, with the reason why one is not quoted."""
    for passage in result.passages:
        yield passage, ""
    for passage in result.left_out:
        yield passage, "left out: it goes over 'max_tokens'"
    for lost in result.lost:
        yield lost.passage, f"not chosen: {lost.reason}"


def _shown(passage: Passage) -> tuple[str, str]:
    """Return the start of a sentence, and where it stands."""
    text = " ".join(passage.sentence.text.split())
    if len(text) > _SHOWN:
        text = f"{text[: _SHOWN - 1].rstrip()}…"
    text += closing_direction_marks(text)
    where = passage.uri + (f"#{passage.anchor}" if passage.anchor else "")
    return text, " ".join(where.split())


def _branches(explanation: Explanation, indent: str) -> Iterator[str]:
    """Yield a value, what it stands for, and its parts as a list below."""
    description = escape_markdown(" ".join(explanation.description.split()))
    yield f"{indent}- {explanation.value:+.3f} {description}"
    for part in explanation.parts:
        yield from _branches(part, f"{indent}    ")


def _row(passage: Passage, reason: str) -> str:
    text, where = _shown(passage)
    why = (f"<p>{escape_html(reason)}</p>" if reason else "") + _tree(passage.explanation)
    return (
        f"<tr><td>{'' if reason else passage.rank}</td>"
        f"<td>{escape_html(text)}<br>\n<code>{escape_html(where)}</code></td>"
        f"<td>{passage.score:.3f}</td><td>{why}</td></tr>\n"
    )


def _tree(explanation: Explanation) -> str:
    """Return a value, what it stands for, and its parts as a list below."""
    own = escape_html(explanation.description)
    if not explanation.parts:
        return own
    parts = "".join(f"<li>{part.value:+.3f} {_tree(part)}</li>" for part in explanation.parts)
    return f"{own}\n<ul>{parts}</ul>"
