"""Sites in several languages, as mkdocs-static-i18n builds them: one build inside the other."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Built, Site
from reading import Quote, ask, page, quotes

STRUCTURES = {"folder": "{locale}/{name}.md", "suffix": "{name}.{locale}.md"}


def uri(structure: str, name: str, locale: str) -> str:
    return STRUCTURES[structure].format(name=name, locale=locale)


def build(site: Site, structure: str, pages: dict[str, str], **settings: Any) -> Built:
    """Build pages in English, the default, and in German."""
    languages = [
        {"locale": "en", "name": "English", "default": True},
        {"locale": "de", "name": "Deutsch"},
    ]
    i18n = {"i18n": {"docs_structure": structure, "languages": languages}}
    return site.build(pages, plugins=[i18n, "recall"], **settings)


def two_languages(structure: str, english: str, german: str) -> dict[str, str]:
    """Return a page about sessions and one that asks, in both languages."""
    texts = {
        "en": ("# Auth\n\nA session expires after a day. See [home]({home}).\n", english),
        "de": ("# Anmeldung\n\nEine Sitzung endet am Abend. Zum [Start]({home}).\n", german),
    }
    pages = {}
    for locale, (auth, asking) in texts.items():
        home = uri(structure, "index", locale).rpartition("/")[2]
        pages[uri(structure, "auth", locale)] = auth.format(home=home)
        pages[uri(structure, "index", locale)] = f"# Home\n\n{asking}"
    return pages


def recalled(built: Built) -> list[str]:
    return [info for info in built.infos if info.startswith("recall:")]


@pytest.mark.parametrize("directories", [True, False])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_each_locale_quotes_its_pages(site: Site, structure: str, *, directories: bool) -> None:
    fences = {
        locale: ask(
            source=uri(structure, "auth", locale).rpartition("/")[2],
            query="home session Sitzung Start",
            max_sentences=9,
            min_score=0,
        )
        for locale in ("en", "de")
    }
    pages = two_languages(structure, fences["en"], fences["de"])
    built = build(site, structure, pages, use_directory_urls=directories)
    auth = "auth/index.html" if directories else "auth.html"
    assert quotes(built.folder) == [
        Quote("A session expires after a day. See home. — Auth", ("index.html", f"{auth}#auth"))
    ]
    assert quotes(built.folder, "de/index.html") == [
        Quote(
            "Eine Sitzung endet am Abend. Zum Start. — Anmeldung",
            ("de/index.html", f"de/{auth}#anmeldung"),
        )
    ]
    assert built.warnings == []


@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_whole_site_is_that_of_the_locale(site: Site, structure: str) -> None:
    fence = ask(source='"**"', query="session Sitzung", max_sentences=9, context=0)
    built = build(site, structure, two_languages(structure, fence, fence))
    assert [quote.text for quote in quotes(built.folder)] == [
        "A session expires after a day. — Auth"
    ]
    assert [quote.text for quote in quotes(built.folder, "de/index.html")] == [
        "Eine Sitzung endet am Abend. — Anmeldung"
    ]


def test_a_page_that_is_not_translated_is_quoted_in_the_default_language(site: Site) -> None:
    pages = {
        "index.md": "# Home\n",
        "auth.md": "# Auth\n\nA session expires after a day.\n",
        "index.de.md": f"# Start\n\n{ask(source='auth.md', query='sessions', max_sentences=1)}",
    }
    built = build(site, "suffix", pages)
    assert quotes(built.folder, "de/index.html") == [
        Quote("A session expires after a day. — Auth", ("de/auth/index.html#auth",))
    ]
    assert built.warnings == []


@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_locale_decides_what_is_a_stop_word(site: Site, structure: str) -> None:
    auth = {x: uri(structure, "auth", x).rpartition("/")[2] for x in ("en", "de")}
    fences = {x: ask(source=auth[x], query="die und das") for x in auth}
    built = build(site, structure, two_languages(structure, fences["en"], fences["de"]))
    instead = (
        "a synopsis is quoted instead of an answer to 'die und das'; if a synopsis is enough, "
        "set 'on_empty: synopsis'"
    )
    nothing_else = "no sentence answers the query, which holds only stop words"
    assert built.warnings == [
        f"{uri(structure, 'index', 'en')}:3: recall: no sentence answers the query: {instead}",
        f"{uri(structure, 'index', 'de')}:3: recall: {nothing_else}: {instead}",
    ]


@pytest.mark.parametrize("structure", STRUCTURES)
def test_a_note_is_in_the_language_of_the_locale(site: Site, structure: str) -> None:
    fence = ask(source='"**"', query="Känguru kangaroo")
    built = build(site, structure, two_languages(structure, fence, fence))
    (english,) = page(built.folder, "index.html").select(".recall-note")
    (german,) = page(built.folder, "de/index.html").select(".recall-note")
    assert "There is no direct answer here." in english.get_text()
    assert "Eine direkte Antwort gibt es hier nicht." in german.get_text()


@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_line_at_the_end_counts_the_answers_of_each_locale(site: Site, structure: str) -> None:
    fence = ask(source='"**"', query="Sitzung")
    built = build(site, structure, two_languages(structure, fence, f"{fence}\n{fence}"))
    assert recalled(built) == [
        "recall: 1 directive answered, 1 by fallback, 0 from the cache",
        "recall: 2 directives answered, 0 by fallback, 0 from the cache",
    ]


def test_a_source_is_written_like_a_link_in_the_page_s_language(site: Site) -> None:
    fence = ask(source="auth.md", query="session Sitzung", max_sentences=1, context=0)
    built = build(site, "suffix", two_languages("suffix", fence, f"[Link](auth.md)\n\n{fence}"))
    assert built.warnings == []
    assert quotes(built.folder, "de/index.html") == [
        Quote("Eine Sitzung endet am Abend. — Anmeldung", ("de/auth/index.html#anmeldung",))
    ]


def test_an_untranslated_page_is_named_as_a_link_names_it(site: Site) -> None:
    fence = ask(source="auth.md", query="session Sitzung", max_sentences=1, context=0)
    pages = two_languages("folder", "", f"[Link](auth.md)\n\n{fence}")
    del pages["de/auth.md"]
    built = build(site, "folder", pages)
    assert built.warnings == []
    assert quotes(built.folder, "de/index.html") == [
        Quote("A session expires after a day. — Auth", ("de/auth/index.html#auth",))
    ]


def test_a_folder_on_an_untranslated_page_is_that_of_the_locale(site: Site) -> None:
    pages = two_languages("folder", ask(source="/en/*", query="session Sitzung"), "")
    del pages["de/index.md"]
    built = build(site, "folder", pages)
    assert "Eine Sitzung endet am Abend." in built.text("blockquote", "de/index.html")


def test_a_section_that_a_translation_lacks_is_named(site: Site) -> None:
    pages = two_languages("suffix", ask(source="auth.md#auth", query="session"), "")
    pages["index.md"] = pages.pop("index.en.md")
    del pages["index.de.md"]
    built = build(site, "suffix", pages)
    (warning,) = [warning for warning in built.warnings if "recall:" in warning]
    taken = "'auth.md' is 'auth.de.md' in the language of this page, and that"
    nothing = "has no section '#auth' (its sections: #anmeldung)"
    assert warning == f"index.md:3: recall: {taken} {nothing}"


@pytest.mark.parametrize("structure", STRUCTURES)
def test_quotes_of_each_locale_have_the_one_stylesheet(site: Site, structure: str) -> None:
    english, german = (
        ask(source=uri(structure, "auth", locale).rpartition("/")[2], query=query)
        for locale, query in (("en", "when does a session expire"), ("de", "Sitzung endet"))
    )
    pages = two_languages(structure, english, german)
    built = build(site, structure, pages, theme="mkdocs")
    for path, locale in (("index.html", "en"), ("de/index.html", "de")):
        (link,) = built.page(path).select('link[href$="assets/recall.css"]')
        assert (built.folder / path).parent.joinpath(str(link["href"])).is_file(), locale
