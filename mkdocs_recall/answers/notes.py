"""The notes beside a quote: in the language of its page if they are translated, else in English."""

from __future__ import annotations

from typing import Final, NamedTuple

from mkdocs_recall.text.language import get_language


class Notes(NamedTuple):
    """The texts of one language."""

    note: str
    """The title of a note."""
    no_match: str
    """The quote is a synopsis, since no sentence answers the query, which readers do not see."""
    by_meaning: str
    """Few words of the query match, so the quote was chosen by its meaning."""
    error: str
    """The title of the box in the place of a quote whose directive has a fault."""
    quoted_by: str
    """Above the links to the pages that quote a page."""


_NOTES = {
    "en": Notes(
        "Note",
        "There is no direct answer here. A summary follows instead.",
        "Few words of this question appear here. The following is close to it in meaning.",
        "Directive error",
        "Quoted by",
    ),
    "de": Notes(
        "Hinweis",
        "Eine direkte Antwort gibt es hier nicht. Stattdessen folgt eine Zusammenfassung.",
        "Von dieser Frage finden sich nur wenige Wörter. Das Folgende ist ihr im Sinn nah.",
        "Fehler in der Direktive",
        "Zitiert von",
    ),
    "es": Notes(
        "Nota",
        "Aquí no hay una respuesta directa. En su lugar sigue un resumen.",
        "Se encuentran pocas palabras de esta consulta. Lo que sigue tiene un sentido parecido.",
        "Error en la directiva",
        "Citado por",
    ),
    "fr": Notes(
        "Note",
        "Il n’y a pas de réponse directe ici. Voici un résumé à la place.",
        "Peu de mots de cette question se retrouvent. Ce qui suit en est proche par le sens.",
        "Erreur dans la directive",
        "Cité par",
    ),
    "it": Notes(
        "Nota",
        "Qui non c’è una risposta diretta. Segue invece un riassunto.",
        "Si trovano poche parole di questa domanda. Quanto segue le è vicino nel significato.",
        "Errore nella direttiva",
        "Citato da",
    ),
    "ja": Notes(
        "注記",
        "ここに直接の答えはありません。代わりに要約を示します。",
        "この質問の語はほとんど見つかりません。以下は意味の近い文です。",
        "ディレクティブのエラー",
        "引用しているページ",
    ),
    "nl": Notes(
        "Opmerking",
        "Hier staat geen direct antwoord. In plaats daarvan volgt een samenvatting.",
        "Van deze vraag zijn weinig woorden gevonden. Het volgende komt er in betekenis dichtbij.",
        "Fout in de directive",
        "Geciteerd door",
    ),
    "pt": Notes(
        "Nota",
        "Aqui não há uma resposta direta. Em vez disso, segue um resumo.",
        "Poucas palavras desta consulta foram encontradas. O que segue tem um sentido próximo.",
        "Erro na diretiva",
        "Citado por",
    ),
    "ru": Notes(
        "Примечание",
        "Прямого ответа здесь нет. Вместо него — краткое изложение.",
        "Слов этого запроса найдено мало. Следующее близко к нему по смыслу.",
        "Ошибка в директиве",
        "Где цитируется",
    ),
    "zh": Notes(
        "注",
        "这里没有直接的答案。以下是摘要。",
        "此问题的词语很少出现。以下内容与其含义相近。",
        "指令错误",
        "引用此页的页面",
    ),
}


EMBEDM_NOTES: Final = {
    "recall": "No relevant content could be retrieved.",
    "synopsis": "No summary could be generated.",
}
"""What embedm 1.0.1 writes for a source without sentences, by directive, in any language."""


class AuthorNotes(NamedTuple):
    """The labels of one language below a quote in a preview."""

    title: str
    doubts: str
    quoted: str
    """Before the place of the quote."""
    places: str
    next: str
    """Of a synopsis: above the sentences that came next."""
    words: str
    """Before the words of the query that a place has."""
    more: str
    copy: str


_AUTHOR_NOTES: Final = {
    "en": "For authors|Doubts|Quoted:|Other places|Next sentences|words|More lines|Copy",
    "de": "Für Autoren|Zweifel|Zitiert:|Andere Stellen|Nächste Sätze|Wörter|Mehr Zeilen|Kopieren",
    "es": "Para autores|Dudas|Citado:|Otros lugares|Frases siguientes|palabras|Más líneas|Copiar",
    "fr": "Pour l’auteur|Doutes|Cité :|Autres passages|Phrases suivantes|mots|Autres lignes|Copier",
    "it": "Per gli autori|Dubbi|Citato:|Altri punti|Frasi successive|parole|Altre righe|Copia",
    "ja": "執筆者向け|疑問点|引用元:|ほかの候補|次の文|一致した語|その他の行|コピー",
    "nl": "Voor auteurs|Twijfels|Bron:|Andere plaatsen|Volgende zinnen|woorden|Meer regels|Kopie",
    "pt": "Para autores|Dúvidas|Fonte:|Outros lugares|Frases seguintes|palavras|Mais linhas|Copiar",
    "ru": "Авторам|Сомнения|Цитата:|Другие места|Следующие фразы|слова|Ещё строки|Копировать",
    "zh": "致作者|疑点|引自：|其他位置|后续句子|词语|更多行|复制",
}
"""In the order of `AuthorNotes`."""


def author_notes(language: str) -> AuthorNotes:
    """Return the labels in a language, or in English if there is no translation."""
    labels = _AUTHOR_NOTES.get(get_language(language).code, _AUTHOR_NOTES["en"])
    return AuthorNotes(*labels.split("|"))


def notes(language: str) -> Notes:
    """Return the notes in a language, or in English if there is no translation."""
    return _NOTES.get(get_language(language).code, _NOTES["en"])
