"""What sentences are for, by the phrases they open with or hold, in each language."""

from __future__ import annotations

import pytest

from mkdocs_recall.text.sentences import phrases


@pytest.mark.parametrize(
    "sentence",
    [
        "It holds the session key.",
        "This option is off.",
        "These options:",
        "They are renewed each day.",
        "However, tokens expire.",
        "Then the server starts.",
        "Next, add a user.",
        "That’s all.",
        "Such a setup is rare.",
        "Both are needed.",
        "Here, nothing is kept.",
        "There, the log is kept.",
        "There is also a second way.",
        "It is essential for large teams.",
        "To do this, open the door.",
        "To enable it, set the option.",
        "If this is set, the server stops.",
        "In addition, the log is kept.",
        "All of these are optional.",
        "Because of that, the log grows.",
        "In this case, wait.",
        "In this example, a user is added.",
        "for building things in a hurry.",
    ],
)
def test_a_sentence_that_needs_the_one_before_it_leans(sentence: str) -> None:
    assert phrases("en").leans(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "This guide shows how a token is made.",
        "In this short tutorial you make a token.",
        "It is recommended to keep the token.",
        "It's possible to keep two tokens.",
        "It can be a good idea to keep the log.",
        "There are three ways to make a token.",
        "There’s a limit to the size of a page.",
        "Here is how a token is made.",
        "Both tokens and sessions expire.",
        "So-called tokens are short texts.",
        "Next.js is a framework.",
        "IT departments keep tokens.",
        "OR joins two terms.",
        "Those who keep tokens know.",
        "In addition to the log, a trace is kept.",
        "This site has no cookies.",
        "This year the server was rewritten.",
        "When it comes to tokens, less is more.",
        "To ensure that tokens expire, set a limit.",
        "Itself a server, it keeps tokens.",
        "uv is a program.",
        "Tokens expire.",
        "",
    ],
)
def test_a_sentence_that_can_stand_alone_does_not_lean(sentence: str) -> None:
    assert not phrases("en").leans(sentence)


LANGUAGES = {
    "de": (
        "Diese Seite zeigt Wege.",
        "Dies ist der Schlüssel.",
        "Es gibt drei Wege.",
        "Siehe unten.",
    ),
    "es": (
        "Esta guía muestra algo.",
        "Sin embargo, caduca.",
        "La sesión caduca.",
        "Consulte la lista.",
    ),
    "fr": ("Ce guide montre la voie.", "Elle expire.", "Il existe trois voies.", "Voir la liste."),
    "it": (
        "Questa guida mostra la via.",
        "Tuttavia scade.",
        "La sessione scade.",
        "Vedi la lista.",
    ),
    "nl": ("Deze gids toont wegen.", "Het is een sleutel.", "Het systeem start.", "Zie de lijst."),
    "pt": ("Esta página mostra tudo.", "No entanto, expira.", "A sessão expira.", "Veja a lista."),
    "sv": (
        "Den här guiden visar vägen.",
        "Det är en nyckel.",
        "Det finns tre sätt.",
        "Läs mer där.",
    ),
    "da": (
        "Denne vejledning viser vej.",
        "Den er en nøgle.",
        "Den nye nøgle passer.",
        "Læs mere der.",
    ),
    "no": (
        "Denne veiledningen viser vei.",
        "Dette er en nøkkel.",
        "Det finnes tre.",
        "Les mer der.",
    ),
    "fi": ("Tässä oppaassa kerrotaan kaikki.", "Se on avain.", "Avain sopii.", "Katso lista."),
    "ru": (
        "В этом руководстве описан ключ.",
        "Однако он истекает.",
        "Ключ истекает.",
        "См. список.",
    ),
    "pl": ("Ten przewodnik opisuje klucz.", "Jednak wygasa.", "Klucz wygasa.", "Zobacz listę."),
    "cs": ("Tato stránka popisuje klíč.", "Proto vyprší.", "Klíč vyprší.", "Viz seznam."),
    "tr": (
        "Bu kılavuzda anahtar anlatılır.",
        "Ancak süresi dolar.",
        "Anahtar açılır.",
        "Listeye bakın.",
    ),
    "ro": ("Acest ghid descrie cheia.", "Însă expiră.", "Cheia expiră.", "Vezi lista."),
    "hu": ("Ez az útmutató leírja.", "Azonban lejár.", "Az a kulcs lejár.", "Lásd a listát."),
    "ar": ("يشرح هذا الدليل المفتاح.", "ومع ذلك، تنتهي.", "المفتاح ينتهي.", "انظر القائمة."),
    "hi": ("यह पृष्ठ कुंजी बताता है।", "इसका उपयोग करें।", "इसी कुंजी से खुलेगा।", "सूची देखें।"),
    "ja": (
        "このページでは鍵を説明します。",
        "しかし、期限が切れます。",
        "鍵は期限が切れます。",
        "一覧を参照。",
    ),
    "zh": ("本指南介绍密钥。", "但是它会过期。", "其他密钥会过期。", "请参阅列表。"),
    "ko": (
        "이 가이드는 키를 설명합니다.",
        "그러나 만료됩니다.",
        "키는 만료됩니다.",
        "목록을 참조하세요.",
    ),
}
"""Of the page itself; leaning; standing alone; pointing elsewhere."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_its_phrases(language: str) -> None:
    known = phrases(language)
    page, leaning, standing, pointing = LANGUAGES[language]
    assert [known.speaks_of_page(s) for s in LANGUAGES[language]] == [True, False, False, False]
    assert not known.leans(page)
    assert known.leans(leaning)
    assert not known.leans(standing)
    assert known.points_elsewhere(pointing)
    assert not known.points_elsewhere(standing)


def test_a_variant_of_a_language_has_the_phrases_of_the_language() -> None:
    assert phrases("pt-BR").leans("No entanto, expira.")
    assert phrases("nb").leans("Dette er en nøkkel.")


def test_a_language_without_lists_has_no_phrases() -> None:
    known = phrases("eo")
    sentence = "This guide is it; see below."
    assert not known.leans(sentence)
    assert not known.speaks_of_page(sentence)
    assert not known.points_elsewhere(sentence)
