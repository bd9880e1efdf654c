"""The notes for readers beside a quote, in the page's language if translated, else in English."""

from __future__ import annotations

from dataclasses import dataclass

from mkdocs_recall.text.language import get_language


@dataclass(frozen=True, slots=True)
class Notes:
    """The texts of one language."""

    note: str
    """The title of a note."""
    no_match: str
    """No sentence answers the query, so the quote is a synopsis of the source."""
    by_meaning: str
    """Few words of the query match, so the quote was chosen by its meaning."""


_NOTES = {
    "en": Notes(
        "Note",
        "No sentence answers this query. What follows says what the source is about.",
        "Few words of this query are found. What follows is close to it in meaning.",
    ),
    "de": Notes(
        "Hinweis",
        "Kein Satz beantwortet diese Frage. Das Folgende sagt, wovon die Quelle handelt.",
        "Von dieser Frage finden sich nur wenige Wörter. Das Folgende ist ihr im Sinn nah.",
    ),
    "es": Notes(
        "Nota",
        "Ninguna frase responde a esta consulta. Lo que sigue dice de qué trata la fuente.",
        "Se encuentran pocas palabras de esta consulta. Lo que sigue tiene un sentido parecido.",
    ),
    "fr": Notes(
        "Note",
        "Aucune phrase ne répond à cette question. Ce qui suit dit de quoi traite la source.",
        "Peu de mots de cette question se retrouvent. Ce qui suit en est proche par le sens.",
    ),
    "it": Notes(
        "Nota",
        "Nessuna frase risponde a questa domanda. Quanto segue dice di che cosa tratta la fonte.",
        "Si trovano poche parole di questa domanda. Quanto segue le è vicino nel significato.",
    ),
    "ja": Notes(
        "注記",
        "この質問に答える文はありません。以下は出典の概要です。",
        "この質問の語はほとんど見つかりません。以下は意味の近い文です。",
    ),
    "nl": Notes(
        "Opmerking",
        "Geen enkele zin beantwoordt deze vraag. Hieronder staat waar de bron over gaat.",
        "Van deze vraag zijn weinig woorden gevonden. Het volgende komt er in betekenis dichtbij.",
    ),
    "pt": Notes(
        "Nota",
        "Nenhuma frase responde a esta consulta. O que segue diz do que trata a fonte.",
        "Poucas palavras desta consulta foram encontradas. O que segue tem um sentido próximo.",
    ),
    "ru": Notes(
        "Примечание",
        "Ни одно предложение не отвечает на этот запрос. Ниже сказано, о чём источник.",
        "Слов этого запроса найдено мало. Следующее близко к нему по смыслу.",
    ),
    "zh": Notes(
        "注",
        "没有句子回答此问题。以下内容概述该来源。",
        "此问题的词语很少出现。以下内容与其含义相近。",
    ),
}


def notes(language: str) -> Notes:
    """Return the notes in a language, or in English if there is no translation."""
    return _NOTES.get(get_language(language).code, _NOTES["en"])
