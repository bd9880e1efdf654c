"""What a reader is told beside a quote, in the page's language where we have it, else English."""

from __future__ import annotations

from dataclasses import dataclass

from mkdocs_recall.text.language import get_language


@dataclass(frozen=True, slots=True)
class Notes:
    """The words of one language."""

    note: str
    """The title of a note."""
    no_match: str
    """No sentence answers the query, so the quote says what its source is about."""


_NOTES = {
    "en": Notes(
        "Note",
        "No sentence answers this query. What follows says what the source is about.",
    ),
    "de": Notes(
        "Hinweis",
        "Kein Satz beantwortet diese Frage. Das Folgende sagt, wovon die Quelle handelt.",
    ),
    "es": Notes(
        "Nota",
        "Ninguna frase responde a esta consulta. Lo que sigue dice de qué trata la fuente.",
    ),
    "fr": Notes(
        "Note",
        "Aucune phrase ne répond à cette question. Ce qui suit dit de quoi traite la source.",
    ),
    "it": Notes(
        "Nota",
        "Nessuna frase risponde a questa domanda. Quanto segue dice di che cosa tratta la fonte.",
    ),
    "ja": Notes(
        "注記",
        "この質問に答える文はありません。以下は出典の概要です。",
    ),
    "nl": Notes(
        "Opmerking",
        "Geen enkele zin beantwoordt deze vraag. Hieronder staat waar de bron over gaat.",
    ),
    "pt": Notes(
        "Nota",
        "Nenhuma frase responde a esta consulta. O que segue diz do que trata a fonte.",
    ),
    "ru": Notes(
        "Примечание",
        "Ни одно предложение не отвечает на этот запрос. Ниже сказано, о чём источник.",
    ),
    "zh": Notes(
        "注",
        "没有句子回答此问题。以下内容概述该来源。",
    ),
}


def notes(language: str) -> Notes:
    """Return the notes in a language, or in English."""
    return _NOTES.get(get_language(language).code, _NOTES["en"])
