"""The index: the occurrences of a query's words, and of similar words."""

from __future__ import annotations

from hypothesis import given, strategies as st
from tables import beside, tabled

from mkdocs_recall import Corpus
from mkdocs_recall.index.index import Index, TermOccurrences
from mkdocs_recall.index.postings import Postings
from mkdocs_recall.index.query import part_of, query_terms
from mkdocs_recall.text.language import get_language

GUIDE = (
    "# Guide\n\nOne token. Two tokens.\n\n## Tokens\n\nThree.\n\n### Cookies\n\nFour tokens.\n\n"
    "## Other\n\nFive.\n"
)


def index_of(*pages: str, language: str = "en") -> Index:
    named = {f"{number}.md": page for number, page in enumerate(pages)}
    return Index(map(part_of, Corpus.from_markdown(named, language=language).documents))


def standing(index: Index, word: str) -> TermOccurrences:
    (term,) = query_terms(word, index.languages)
    return index.occurrences(term)


def test_a_term_stands_where_any_of_its_forms_does() -> None:
    index = index_of(GUIDE, "Tokens again.")
    standings = standing(index, "token")
    assert standings.words == {"token", "tokens"}
    assert [index.sentences[number].text for number in sorted(standings.sentences)] == [
        "One token.",
        "Two tokens.",
        "Four tokens.",
        "Tokens again.",
    ]


@tabled
def test_a_text_is_mentioned_by_any_form_of_a_word(text: str, *, is_mentioned: bool) -> None:
    pages = {
        "a.md": GUIDE,
        "b.md": "---\nlang: de\n---\nDie Sitzung läuft ab.\n\nThe guide.\n",
        "c.md": "They die. The end.",
    }
    index = Index(map(part_of, Corpus.from_markdown(pages).documents))
    assert index.mentions(text) == is_mentioned


def test_a_section_has_all_headings_above_and_its_own_anchor() -> None:
    index = index_of(GUIDE)
    standings = standing(index, "token")
    sections = dict(zip(index.section_of, (block.heading for block in index.blocks), strict=True))
    assert {sections[number] for number in standings.headed_sections} == {"Tokens", "Cookies"}
    assert {sections[number] for number in standings.titled_sections} == {"Tokens"}


def test_the_title_of_a_page_names_no_section() -> None:
    standings = standing(index_of(GUIDE), "guide")
    assert len(standings.headed_sections) == 4
    assert not standings.titled_sections


def test_the_first_sentences_of_pages_blocks_and_sections_are_known() -> None:
    index = index_of(GUIDE, "# Empty", "Six. Seven.")
    assert index.page_starts == {0, 5, 7}
    assert [index.first_of_block(block) for block in range(6)] == [0, 2, 3, 4, 5, 7]
    assert [*index.sections.first_sentences] == [0, 2, 3, 4, 5, 7]


@tabled
def test_a_word_is_akin_to_its_compounds(language: str, words: str, asked: str, kin: str) -> None:
    standings = standing(index_of(words, language=language), asked)
    assert standings.partial_words == set(kin.split())


@given(st.lists(st.text("abci", min_size=1, max_size=9), min_size=1), st.text("abci", min_size=1))
def test_kin_are_the_words_that_a_look_at_each_finds(words: list[str], asked: str) -> None:
    german = get_language("de")
    vocabulary = Postings(german)
    for word in words:
        vocabulary.lists["sentences"][word].append(0)
    stem = german.stems[asked]

    def akin(word: str) -> bool:
        other = german.stems[word]
        if other == stem or len(stem) < 4:
            return False
        holds = any(
            word.startswith(part) or (len(part) >= 5 and part in word) for part in (stem, asked)
        )
        begins = len(other) >= 4 and stem.startswith(other)
        ends = len(other) >= 5 and stem.endswith(other)
        return holds or begins or ends

    assert set(vocabulary.partial_matches(stem, asked)) == set(filter(akin, words))


def test_a_phrase_matches_words_in_order_and_form() -> None:
    index = index_of("End of a session. A session of end. Ends of a session. Of a session.")
    (found,) = index.sentences_with_names('"end of a session"')
    assert [index.sentences[number].text for number in found] == ["End of a session."]


def test_a_run_of_stop_words_is_found_nowhere() -> None:
    assert index_of("It is what it is.").sentences_with_names('"what it is"') == [set()]


def test_a_phrase_is_found_in_a_script_without_spaces() -> None:
    index = index_of("接続の設定を確認する。\n\n設定の接続を確認する。", language="ja")
    (phrase,) = index.sentences_with_names("「接続の設定」")
    assert [index.sentences[number].text for number in phrase] == ["接続の設定を確認する。"]


def test_the_language_of_most_pages_comes_first() -> None:
    pages = {"a.md": "---\nlang: de\n---\nEins.", "b.md": "One.", "c.md": "Two."}
    index = Index([part_of(page) for page in Corpus.from_markdown(pages).documents])
    assert index.languages == ("en", "de")
    # "will" and "die" are German stop words as well, and as many as the English ones.
    words = [term.word for term in query_terms("When will a session die?", index.languages)]
    assert words == ["will", "session", "die"]


TABS: str = beside(__file__)["TABS"]


def led(index: Index, word: str) -> list[list[str]]:
    blocks = standing(index, word).led_blocks
    return [[index.blocks[number].text for number in sorted(numbers)] for numbers in blocks]


def test_a_label_counts_for_all_that_it_is_around() -> None:
    index = index_of(TABS)
    assert led(index, "homebrew")[0] == ["Open a shell:", "brew it", "on a Mac", "Copy it."]
    assert led(index, "offline")[0] == ["Copy it."]
    assert led(index, "shell")[1] == ["brew it"]


def test_the_title_of_a_code_tab_is_searched_even_if_code_is_not() -> None:
    (document,) = Corpus.from_markdown({"a.md": TABS}).documents
    assert [b.text for b in part_of(document, units=["prose"]).blocks if b.kind != "prose"] == [
        "Docker"
    ]
    assert [b.text for b in part_of(document, units=["code"]).blocks] == ["pull it"]
