"""Languages: codes, stop lists, stemmers that are the same on every machine."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module, resources
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mkdocs_recall.text import language as module
from mkdocs_recall.text.language import fold, get_language

WITH_STOP_LISTS = ["da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ru", "sv"]


@pytest.mark.parametrize(
    ("code", "primary"),
    [("en", "en"), ("EN", "en"), (" en ", "en"), ("pt-BR", "pt"), ("pt_BR", "pt"),
     ("zh-Hans", "zh"), ("nb", "no"), ("nn-NO", "no"), ("iw", "he"), ("", "")],
)  # fmt: skip
def test_a_code_is_reduced_to_its_language(code: str, primary: str) -> None:
    assert get_language(code).code == primary


def test_a_language_is_built_once() -> None:
    assert get_language("pt-BR") is get_language("pt")


def test_an_unknown_language_has_neither_stems_nor_stop_words() -> None:
    unknown = get_language("tlh")
    assert not unknown.known
    assert unknown.stop_words == frozenset()
    assert unknown.stem("running") == "running"
    assert unknown.stems["the"] == "the"


@pytest.mark.parametrize("code", ["zh", "ja", "ko", "uk", "he", "th"])
def test_a_language_without_a_stemmer_may_be_known(code: str) -> None:
    language = get_language(code)
    assert language.known
    assert language.stem("слова") == "слова"


@pytest.mark.parametrize("code", WITH_STOP_LISTS)
def test_a_stop_list_is_folded_and_maps_to_nothing(code: str) -> None:
    language = get_language(code)
    assert len(language.stop_words) > 80
    for word in language.stop_words:
        assert word == fold(word) != ""
        assert language.stems[word] == language.bare[word] == ""


def test_there_is_a_list_for_each_of_these_languages_only() -> None:
    folder = resources.files("mkdocs_recall.text") / "stopwords"
    names = sorted(file.name for file in folder.iterdir())
    assert names == sorted([*(f"{code}.txt" for code in WITH_STOP_LISTS), "LICENSE"])


@pytest.mark.parametrize(
    ("code", "words"),
    [("en", ("sessions", "session")), ("de", ("häuser", "häusern")), ("ru", ("файлы", "файлов")),
     ("es", ("archivos", "archivo")), ("sv", ("servrar", "servrarna"))],
)  # fmt: skip
def test_forms_of_a_word_have_one_stem(code: str, words: tuple[str, str]) -> None:
    first, second = map(get_language(code).stem, words)
    assert first == second != ""


def test_a_stop_word_has_a_stem_of_its_own_when_asked() -> None:
    assert get_language("en").stem("having") == "have"


def test_a_stemmer_that_is_not_installed_leaves_words_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "mkdocs_recall.text._snowball.english_stemmer", None)
    assert module._stemmer("en")("sessions") == "sessions"  # noqa: SLF001


def test_stems_do_not_depend_on_an_installed_pystemmer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "Stemmer", SimpleNamespace(algorithms=list, Stemmer=None))
    for name in [name for name in sys.modules if name.startswith("snowballstemmer")]:
        monkeypatch.delitem(sys.modules, name)
    assert module._stemmer("en")("sessions") == "session"  # noqa: SLF001


def test_threads_get_the_stems_that_one_thread_gets() -> None:
    words = [f"{word}{ending}" for word in ("connect", "relat", "nation", "generaliz")
             for ending in ("ed", "ing", "ion", "ions", "ive", "able", "ational")] * 30  # fmt: skip
    module._language.cache_clear()  # noqa: SLF001
    shared = get_language("en")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(shared.stems.__getitem__, words))
    stem = module._stemmer("en")  # noqa: SLF001
    assert found == [stem(word) for word in words]


def test_abbreviations_hold_no_blank_and_no_last_full_stop() -> None:
    for code in ("en", "de", "fr", "ru", "tlh"):
        assert "e.g" in get_language(code).abbreviations
        assert not any(word.endswith(".") for word in get_language(code).abbreviations)


@given(
    st.text("abcdefghijklmnopqrstuvwxyz0123456789'", max_size=14),
    st.sampled_from("abfhjkopquvwxz05"),
)
def test_english_words_that_are_not_stemmed_to_save_time_have_no_other_stem(
    beginning: str, end: str
) -> None:
    stemmer = import_module("snowballstemmer.english_stemmer").EnglishStemmer()
    word = beginning.lstrip("'") + end
    assert stemmer.stemWord(word) == get_language("en").stem(word)
