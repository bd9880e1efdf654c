"""Sites in more than one language, and sites whose theme is not in English."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Site
from tables import beside, tabled

from mkdocs_recall import Corpus
from mkdocs_recall.index.query import query_terms

EN = (
    "---\nlang: en\n---\n# Sessions\n\nThis guide is for all who run a server.\n\n"
    "A session will die after an hour without a request.\n\nWas the token renewed in time?\n\n"
    "The art of war is not in this manual. Do not put a man in charge.\n"
)
DE = (
    "---\nlang: de\n---\n# Sitzungen\n\nDiese Seite ist für alle, die einen Server betreiben.\n\n"
    "Die Sitzung endet nach einer Stunde ohne Anfrage.\n\nWas war mit dem Token?\n\n"
    "Der Mann will in die Stadt, um also dort zu sein.\n"
)
FR = (
    "---\nlang: fr\n---\n# Accès\n\nLe bail expire sur le serveur après une heure.\n\n"
    "Le chat de la main est pour tous, on y a des pages.\n"
)
JA = "---\nlang: ja\n---\n# 接続\n\n接続は一時間で切れます。装置を再起動します。\n"
AR = "---\nlang: ar\n---\n# الجلسات\n\nتنتهي الجلسة بعد ساعة. أعد تشغيل الخادم.\n"
SITE = {"en.md": EN, "de.md": DE, "fr.md": FR, "ja.md": JA, "ar.md": AR}


@pytest.mark.parametrize("order", [1, -1], ids=["as they stand", "the other way round"])
@tabled
def test_queries_are_in_their_language(order: int, query: str, uri: str, opening: str) -> None:
    corpus = Corpus.from_markdown(dict(list(SITE.items())[::order]))
    first = corpus.recall(query, min_score=0, on_empty="omit").passages[0]
    assert first.uri == uri
    assert first.sentence.text.startswith(opening)


@pytest.mark.parametrize("languages", [["en", "de"], ["de", "en"]])
@tabled
def test_function_words_are_not_content(languages: list[str], query: str, words: list[str]) -> None:
    assert [term.word for term in query_terms(query, languages)] == words


ASKED: dict[str, Any] = beside(__file__)["ASKED"]


@pytest.mark.parametrize("code", ASKED)
def test_a_site_in_a_language_is_quoted_in_it(site: Site, code: str) -> None:
    page, query, answer, note = ASKED[code]
    asking = (
        f"# ?\n\n```recall\nsource: page.md\nquery: {query}\nmax_sentences: 1\ncite: false\n"
        "context: 0\n```\n\n"
        "```recall\nsource: page.md\nquery: xylophon\nmax_sentences: 1\ncite: false\n"
        "on_empty: synopsis\n```\n"
    )
    theme = {"name": None, "custom_dir": "theme", "language": code}
    built = site.build({"index.md": asking, "page.md": page}, theme=theme)
    assert built.warnings == []
    quotes = [quote.get_text().strip() for quote in built.page().select("blockquote.recall")]
    assert quotes[0] == answer
    assert page.startswith(f"# {page.split()[1]}\n\n{quotes[1]}")
    assert built.text(".recall-note").split(maxsplit=1)[1].startswith(note)
