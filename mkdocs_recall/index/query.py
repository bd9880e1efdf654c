"""What is asked: texts with weights, and the terms they come to in the languages of the pages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import TypeAlias

from mkdocs_recall.errors import SHOWN, OptionError, did_you_mean

ON_EMPTY = ("synopsis", "omit", "warn", "error")
"""What may be done when no sentence answers a query."""
_HEAVIEST = 1e9
"""Beyond this the other weights would be lost in rounding."""
_LONG = 10**SHOWN
"""From here on a number is not shown; Python does not even write one of more than 4300 digits."""

QUESTION_WORD_WEIGHT = 0.5
"""What a word that only puts the question counts for, where 1 is any other. SQuAD 2 and XQuAD."""
_QUESTION_WORDS: Mapping[str, frozenset[str]] = {
    code: frozenset(line.split())
    for code, line in {
        "en": "can could may might must shall will need want many much use used uses using get "
        "make made give given way mean means happen happens work works",
        "de": "gibt geht macht machen nutzen verwenden benutzen funktioniert bedeutet heißt",
        "es": "puede puedo pueden debe debo hacer hace usar usa sirve significa funciona",
        "fr": "peut puis peux doit dois faut faire fait utiliser signifie fonctionne",
        "it": "può posso possono deve devo fare usare usa significa funziona",
        "nl": "moet gebruik gebruiken gebruikt maken maakt krijgen betekent werkt gebeurt",
        "pt": "pode posso podem deve devo fazer faz usar usa significa funciona",
    }.items()
}
"""What puts a question in a language, but is no stop word: "How *can* I *use* a token?"."""

_QUOTED = re.compile(
    r"\"([^\"]+)\"|`([^`]+)`|[“„]([^“”„]+)[”“]|«([^«»]+)»|»([^«»]+)«|「([^「」]+)」|『([^『』]+)』"
    r"|(?<![^\W_])([^\W_]+(?:_+[^\W_]+)+)"
)
"""A text between two marks that belong together, or a name whose words underscores join."""

QueryLike: TypeAlias = (
    "str | Query | Mapping[str, object] | Sequence[str | Query | Mapping[str, object]]"
)
"""What may be asked: a text, `{text, weight}`, or a list of these."""


@dataclass(frozen=True, slots=True)
class Query:
    """One question.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> corpus = Corpus.from_markdown({"a.md": "Mail needs a port. A token needs a name."})
        >>> asked = [Query("mail port"), Query("token name", weight=2)]
        >>> corpus.recall(asked, max_sentences=1).passages[0].text
        'A token needs a name.'
    """

    text: str
    weight: float = 1.0
    """How much it counts among several; greater than 0."""

    def __post_init__(self) -> None:
        """Check the weight.

        Raises:
            OptionError: It is no number greater than 0.
        """
        weight: object = self.weight
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not weight > 0:
            msg = f"'weight' must be a number greater than 0, got {shown(weight)}"
            raise OptionError(msg)
        if weight >= _HEAVIEST:
            msg = "'weight' must be less than a billion"
            raise OptionError(msg)


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a query, with the stem it has in each language of the pages."""

    word: str
    """The word as asked, folded."""
    stems: tuple[tuple[str, str], ...]
    """Pairs of a language's code and the stem; none for a language in which it is a stop word."""
    weight: float = 1.0
    """What it counts for beside other words as rare: less than 1 if it only puts the question."""


def as_queries(value: object) -> tuple[Query, ...]:
    """Read what an author or a caller gave as a query.

    Args:
        value: A text, a `Query`, a mapping with `text` and `weight`, or a list of these.

    Raises:
        OptionError: It is none of these, it is empty, or a weight is not greater than 0.
    """
    if isinstance(value, (str, Query, Mapping)):
        return (_as_query(value),)
    if value is None:
        msg = "'query' has nothing after it; ask something"
        raise OptionError(msg)
    if not isinstance(value, Sequence):
        msg = f"'query' must be text, not {kind_of(value)}{quoted_hint(value)}"
        raise OptionError(msg)
    if not value:
        msg = "'query' is an empty list; ask something"
        raise OptionError(msg)
    return tuple(_as_query(item) for item in value)


def query_terms(text: str, languages: Sequence[str]) -> tuple[Term, ...]:
    """Return the terms of a query without stop words, each once, in the order asked.

    Args:
        text: The query.
        languages: The languages of the pages it is asked of, at least one. Stop words are those of
            the likeliest of them; a word has no stem in others in which it is a stop word.
    """
    return _terms(text, tuple(languages))


@lru_cache(maxsize=16)  # a scorer asks for them again
def _terms(text: str, languages: tuple[str, ...]) -> tuple[Term, ...]:
    from mkdocs_recall.text.language import get_language
    from mkdocs_recall.text.terms import words

    asked = list(dict.fromkeys(words(text)))
    known = {language.code: language for language in map(get_language, languages)}
    # The query is in one language: most likely that of which it has the most stop words.
    own = max(known.values(), key=lambda lang: len(lang.stop_words.intersection(asked)))
    asked = [word for word in asked if word not in own.stop_words] or asked
    terms: dict[tuple[tuple[str, str], ...], Term] = {}
    for word in asked:
        stems = tuple((code, stem) for code, lang in known.items() if (stem := lang.stems[word]))
        if stems:
            asks = word in _QUESTION_WORDS.get(own.code, ())
            terms.setdefault(stems, Term(word, stems, QUESTION_WORD_WEIGHT if asks else 1.0))
    return tuple(terms.values())


def quoted_phrases(text: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of each text in quotation marks or backticks, folded, in the order asked.

    A name such as `NO_PROXY` is one as well: "no" by itself would be left out. Straight marks,
    “these”, „these“, «these», »these«, 「these」 and 『these』; one without its counterpart is no
    mark. An apostrophe is none either.
    """
    from mkdocs_recall.text.terms import words

    texts = (next(filter(None, match.groups())) for match in _QUOTED.finditer(text))
    return tuple(filter(None, dict.fromkeys(tuple(words(each)) for each in texts)))


def _as_query(value: object) -> Query:
    if isinstance(value, Query):
        query = value
    elif isinstance(value, str):
        query = Query(value)
    elif isinstance(value, Mapping):
        query = _from_mapping(value)
    else:
        msg = f"'query' must be text, not {kind_of(value)}{quoted_hint(value)}"
        raise OptionError(msg)
    if not query.text.strip():
        msg = "'query' is empty; ask something"
        raise OptionError(msg)
    return query


def _from_mapping(value: Mapping[object, object]) -> Query:
    for key in value:
        if key not in {"text", "weight"}:
            hint = did_you_mean(key[:SHOWN], ("text", "weight")) if isinstance(key, str) else ""
            msg = f"'query' has no key {shown(key)}{hint}"
            raise OptionError(msg)
    text, weight = value.get("text"), value.get("weight", 1)
    if not isinstance(text, str):
        msg = "each of several queries needs 'text', in quotes where YAML reads it otherwise"
        raise OptionError(msg)
    return Query(text, weight)  # type: ignore[arg-type]  # it checks that itself


def kind_of(value: object) -> str:
    """Name a YAML value's type as its author knows it."""
    if value is None:
        return "nothing"
    names = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "text",
        list: "a list",
        dict: "a mapping",
    }
    return names.get(type(value), f"a {type(value).__name__}")


def shown(value: object) -> str:
    """Show a value in a message: scalars as written, what holds others, or is long, by its kind."""
    if isinstance(value, str):
        return f"'{value if len(value) <= SHOWN else value[: SHOWN - 1] + '…'}'"
    if isinstance(value, (bool, float)) or (isinstance(value, int) and abs(value) < _LONG):
        return str(value).lower()
    return kind_of(value)


def quoted_hint(value: object) -> str:
    """Return `; put it in quotes: "x"` for a scalar that YAML read otherwise."""
    is_short = isinstance(value, int) and abs(value) < _LONG
    return f'; put it in quotes: "{value}"' if is_short or isinstance(value, (float, date)) else ""
