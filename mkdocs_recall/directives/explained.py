"""Why a quote says what it says, as a folded table: what was chosen, and the best that was not."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs_recall.result import Passage, Result
    from mkdocs_recall.scoring.explanation import Explanation

_SHOWN = 120
"""Characters of each sentence."""


def explained(result: Result) -> str:
    """Return the table of a result: rank, sentence, score and what made it."""
    rows = [_row(passage) for passage in result.passages]
    rows += [_row(passage, "left out: it goes over 'max_tokens'") for passage in result.left_out]
    rows += [_row(lost.passage, f"not chosen: {lost.reason}") for lost in result.lost]
    why = f"<p>{escape(result.why, quote=False)}</p>\n" if result.why else ""
    return (
        '<details class="recall-explain" data-search-exclude>\n'
        f"<summary>How {escape(result.scorer)} chose</summary>\n{why}"
        "<table>\n<thead><tr><th>Rank</th><th>Sentence</th><th>Score</th><th>Why</th></tr></thead>\n"
        f"<tbody>\n{''.join(rows)}</tbody>\n</table>\n</details>"
    )


def _row(passage: Passage, reason: str = "") -> str:
    text = " ".join(passage.sentence.text.split())
    if len(text) > _SHOWN:
        text = f"{text[: _SHOWN - 1].rstrip()}…"
    where = passage.uri + (f"#{passage.anchor}" if passage.anchor else "")
    why = (f"<p>{escape(reason, quote=False)}</p>" if reason else "") + _tree(passage.explanation)
    return (
        f"<tr><td>{'' if reason else passage.rank}</td>"
        f"<td>{escape(text, quote=False)}<br>\n<code>{escape(where, quote=False)}</code></td>"
        f"<td>{passage.score:.3f}</td><td>{why}</td></tr>\n"
    )


def _tree(explanation: Explanation) -> str:
    """Return a value, what it stands for, and its parts as a list below."""
    own = escape(explanation.description, quote=False)
    if not explanation.parts:
        return own
    parts = "".join(f"<li>{part.value:+.3f} {_tree(part)}</li>" for part in explanation.parts)
    return f"{own}\n<ul>{parts}</ul>"
