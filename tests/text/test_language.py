"""Languages: codes, stop lists, stemmers that are the same on every machine."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module, resources
from pathlib import Path

import pytest
from tables import beside, tabled

from mkdocs_recall.answers.notes import notes
from mkdocs_recall.text import language as module
from mkdocs_recall.text.language import fold, get_language, rules_of
from mkdocs_recall.text.sentences import words

WITH_STOP_LISTS = [
    "ar", "cs", "da", "de", "el", "en", "es", "fi", "fr", "he", "hi", "hu", "id", "it", "nl", "no",
    "pl", "pt", "ro", "ru", "sv", "tr", "uk",
]  # fmt: skip
GOLDEN = Path(__file__).with_name("sentences.yaml").read_text(encoding="utf-8")
INFLECTED: dict[str, str] = beside(__file__)["INFLECTED"]
"""Some words of each language with endings on them (and prefixes, where it has any)."""


@tabled
def test_a_code_is_reduced_to_its_language(code: str, primary: str) -> None:
    assert get_language(code).code == primary


def test_a_language_is_built_once() -> None:
    assert get_language("pt-BR") is get_language("pt")


def test_an_unknown_language_has_neither_stems_nor_stop_words() -> None:
    unknown = get_language("tlh")
    assert not unknown.is_supported
    assert unknown.stop_words == frozenset()
    assert unknown.stems["running"] == "running"
    assert unknown.stems["the"] == "the"


@pytest.mark.parametrize("code", ["zh", "ja", "ko", "uk", "he", "th"])
def test_a_language_without_a_stemmer_may_be_known(code: str) -> None:
    language = get_language(code)
    assert language.is_supported
    assert language.stems["слова"] == "слова"


@pytest.mark.parametrize("code", WITH_STOP_LISTS)
def test_a_stop_list_is_folded_and_maps_to_nothing(code: str) -> None:
    language = get_language(code)
    assert len(language.stop_words) > 80
    for word in language.stop_words:
        assert word == fold(word) != ""
        assert language.stems[word] == language.content_words[word] == ""


def test_there_is_a_list_for_each_of_these_languages_only() -> None:
    folder = resources.files("mkdocs_recall.text") / "stopwords"
    names = sorted(file.name for file in folder.iterdir())
    assert names == sorted([*(f"{code}.txt" for code in WITH_STOP_LISTS), "LICENSE"])


@tabled
def test_forms_of_a_word_have_one_stem(code: str, forms: tuple[str, str]) -> None:
    first, second = map(get_language(code).stems.__getitem__, forms)
    assert first == second != ""


@pytest.mark.slow
def test_stems_need_no_pystemmer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "Stemmer", None)
    for name in [name for name in sys.modules if name.startswith("snowballstemmer")]:
        monkeypatch.delitem(sys.modules, name)
    assert module._stemmer("en")("sessions") == "session"  # noqa: SLF001


@pytest.mark.slow
@pytest.mark.parametrize(("code", "name"), module._STEMMERS.items())  # noqa: SLF001
def test_words_have_the_same_stems_in_c_and_in_python(code: str, name: str) -> None:
    compiled = pytest.importorskip("Stemmer").Stemmer(name).stemWord
    algorithm = import_module(f"snowballstemmer.{name}_stemmer")
    stem = getattr(algorithm, f"{name}_stemmer".title().replace("_", ""))().stemWord
    turn = [*module._STEMMERS].index(code)  # noqa: SLF001 - each language has others of the words
    shared = {*sorted(words(GOLDEN))[turn % 3 :: 3], *words(" ".join(INFLECTED.values()))}
    for listed in sorted(WITH_STOP_LISTS):  # all of its own, some of others
        stop_words = sorted(get_language(listed).stop_words)
        shared.update(stop_words if listed == code else stop_words[turn % 12 :: 12])
    assert code in INFLECTED
    assert len(shared) > 1000
    assert {word: compiled(word) for word in shared} == {word: stem(word) for word in shared}


def test_threads_get_the_stems_that_one_thread_gets() -> None:
    forms = [f"{word}{ending}" for word in ("connect", "relat", "nation", "generaliz")
             for ending in ("ed", "ing", "ion", "ions", "ive", "able", "ational")] * 30  # fmt: skip
    module._language.cache_clear()  # noqa: SLF001
    shared = get_language("en")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(shared.stems.__getitem__, forms))
    stem = module._stemmer("en")  # noqa: SLF001
    assert found == [stem(word) for word in forms]


def test_abbreviations_hold_no_blank_and_no_last_full_stop() -> None:
    for code in ("en", "de", "fr", "ru", "tlh"):
        assert "e.g" in get_language(code).abbreviations
        assert not any(word.endswith(".") for word in get_language(code).abbreviations)


def test_a_language_that_is_a_path_reads_no_file() -> None:
    assert rules_of("../stopwords/../rules/de") == {}
    assert get_language("../rules/de").stop_words == frozenset()


@pytest.mark.parametrize("letter", ["a", "\u00e9"])
def test_a_language_longer_than_a_file_name_has_no_rules(letter: str) -> None:
    assert rules_of(letter * 300) == {}
    assert notes(letter * 300) == notes("en")
