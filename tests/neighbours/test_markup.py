"""Markup from other plugins and extensions is quoted as readers see it."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Site
from reading import Quote, ask, page, quotes
from tables import beside

AUTH: str = beside(__file__)["AUTH"]
EXPIRY: dict[str, Any] = {"query": "when does a session expire?", "max_sentences": 1}
ANSWER = Quote(
    "A session expires after a day, says the start. — Auth", ("index.html", "auth/index.html#auth")
)


def test_the_output_of_a_macro_is_quoted_rather_than_its_call(site: Site) -> None:
    built = site.build(
        {
            "index.md": f"# Home\n\n{ask(source='auth.md', **EXPIRY)}",
            "auth.md": "# Auth\n\nA session expires after {{ days }} days.\n",
        },
        plugins=["macros", "recall"],
        extra={"days": 30},
    )
    assert [quote.text for quote in quotes(built.folder)] == [
        "A session expires after 30 days. — Auth"
    ]
    assert built.warnings == []


def test_a_fence_that_a_macro_fills_or_writes_is_answered(site: Site) -> None:
    filled = ask(source="{{ login }}.md", **EXPIRY)
    macro = "{% macro expiry(page) %}" + ask(source="{{ page }}", **EXPIRY) + "{% endmacro %}"
    built = site.build(
        {
            "index.md": f"{macro}\n# Home\n\n{filled}\n{{{{ expiry('auth.md') }}}}\n",
            "auth.md": AUTH,
        },
        plugins=["macros", "recall"],
        extra={"login": "auth"},
    )
    assert quotes(built.folder) == [ANSWER, ANSWER]
    assert built.warnings == []


def test_an_error_has_its_line_whatever_macros_add(site: Site) -> None:
    macro = f"{{% macro wrong() %}}\n\n{ask(source='index.md')}\n{{% endmacro %}}"
    written = ask(query="x", scorer="bad")
    filled = ask(query="'{{ days }}'", scorer="{{ days }}")
    built = site.build(
        {
            "index.md": f"{macro}\n# Home\n\n{{{{ lines }}}}\n\n{{{{ wrong() }}}}\n\n"
            f"{written}\n{filled}"
        },
        plugins=["macros", "recall"],
        extra={"lines": "one\n\ntwo", "days": "two"},
    )
    places = [warning.split(": recall:")[0] for warning in built.warnings]
    assert places == ["index.md:3", "index.md:16", "index.md"]


def test_text_of_a_snippet_is_quoted_with_links_from_its_page(site: Site) -> None:
    (site.root / "parts").mkdir()
    (site.root / "parts" / "expiry.md").write_text(
        "A session expires after a day, says [the start](../index.md).\n", encoding="utf-8"
    )
    built = site.build(
        {
            "deep/er/index.md": f"# Deep\n\n{ask(source='/guide/auth.md', **EXPIRY)}",
            "index.md": "# Home\n",
            "guide/auth.md": '# Auth\n\n--8<-- "expiry.md"\n',
        },
        markdown_extensions=[
            "pymdownx.superfences",
            {"pymdownx.snippets": {"base_path": [str(site.root / "parts")]}},
        ],
    )
    assert quotes(built.folder, "deep/er/index.html") == [
        Quote(
            "A session expires after a day, says the start. — Auth",
            ("index.html", "guide/auth/index.html#auth"),
        )
    ]


@pytest.mark.parametrize("directories", [True, False])
def test_an_included_part_is_quoted_and_answered(site: Site, *, directories: bool) -> None:
    (site.root / "parts").mkdir()
    (site.root / "parts" / "expiry.md").write_text(
        f"A session expires after a day.\n\n{ask(source='/index.md', query='larch')}",
        encoding="utf-8",
    )
    built = site.build(
        {
            "index.md": f"# Home\n\nThe larch stands.\n\n{ask(source='guide/auth.md', **EXPIRY)}",
            "guide/auth.md": '# Auth\n\n{% include-markdown "../../parts/expiry.md" %}\n',
        },
        plugins=["include-markdown", "recall"],
        use_directory_urls=directories,
    )
    auth = "guide/auth/index.html" if directories else "guide/auth.html"
    assert quotes(built.folder) == [
        Quote("A session expires after a day. — Auth", (f"{auth}#auth",))
    ]
    assert quotes(built.folder, auth) == [Quote("The larch stands. — Home", ("index.html#home",))]
    assert built.warnings == []


@pytest.mark.parametrize("path", ["../parts/wrong.md", "parts/wrong.md"])
def test_an_error_in_an_included_fence_has_its_file_and_line(site: Site, path: str) -> None:
    wrong = "Above.\n\n```recall\nsource: /auth.md\nquery: 5\n```\n\nBelow.\n"
    built = site.build(
        {
            "deep/index.md": f'# Home\n\n{{% include-markdown "{path}" %}}\n',
            "parts/wrong.md": wrong,
            "auth.md": AUTH,
        },
        plugins=["include-markdown", "recall"],
        exclude_docs="parts/",
    )
    (warning,) = [warning for warning in built.warnings if "recall:" in warning]
    where = "parts/wrong.md:5 (included in deep/index.md)"
    assert warning.startswith(f"{where}: recall: 'query' must be text, not a number")


def test_an_error_in_an_included_fence_names_the_page_and_no_line(site: Site) -> None:
    (site.root / "parts").mkdir()
    (site.root / "parts" / "wrong.md").write_text(ask(source="auth.md"), encoding="utf-8")
    built = site.build(
        {"index.md": '# Home\n\n{% include-markdown "../parts/wrong.md" %}\n', "auth.md": AUTH},
        plugins=["include-markdown", "recall"],
    )
    (warning,) = built.warnings
    where = "index.md (in a file that the page includes)"
    assert warning.startswith(f"{where}: recall: 'query' is required")


MODULE: str = beside(__file__)["MODULE"]


def test_the_documentation_of_a_module_is_quoted_with_links_to_its_objects(site: Site) -> None:
    (site.root / "code").mkdir()
    (site.root / "code" / "doors.py").write_text(MODULE, encoding="utf-8")
    fence = ask(source="/api.md", context=0, **EXPIRY)
    options = {"show_root_heading": True, "show_source": False}
    python = {"paths": ["code"], "options": options}
    built = site.build(
        {"guide/deep.md": f"# Deep\n\n{fence}", "api.md": "# API\n\n::: doors\n"},
        plugins=[{"mkdocstrings": {"handlers": {"python": python}}}, "recall"],
    )
    (quote,) = quotes(built.folder, "guide/deep/index.html")
    assert quote.text.startswith("A session expires after a day, unless close ends it before. —")
    assert quote.leads[0] == "api/index.html#doors.close"
    assert quote.leads[1].startswith("api/index.html#doors.expire")
    assert built.warnings == []


def test_a_fence_in_a_docstring_is_answered_and_its_error_names_the_page(site: Site) -> None:
    (site.root / "code").mkdir()
    fence = ask(source="/auth.md", **EXPIRY)
    wrong = fence.replace("query", "querry")
    text = f'"""Sessions.\n\n{fence}"""\n\ndef expire():\n    """End.\n\n'
    text += "".join(f"    {line}\n" for line in wrong.splitlines()) + '    """\n'
    (site.root / "code" / "asking.py").write_text(text, encoding="utf-8")
    python = {"paths": ["code"], "options": {"show_source": False}}
    settings: dict[str, Any] = {
        "plugins": [{"mkdocstrings": {"handlers": {"python": python}}}, "recall"]
    }
    pages = {"auth.md": "# Auth\n\nA session expires after a day.\n", "api.md": "::: asking\n"}
    for _ in range(2):  # the second answers from the cache
        built = site.build(pages, **settings)
        (quote,) = quotes(built.folder, "api/index.html")
        assert quote.text.startswith("A session expires after a day.")
        [warning] = built.warnings
        assert warning.startswith(
            "api.md (in text that is included while the page is rendered): recall: unknown option"
        )


@pytest.mark.parametrize("directories", [True, False])
def test_a_quoted_cross_reference_is_a_link(site: Site, *, directories: bool) -> None:
    built = site.build(
        {
            "index.md": f"# Home\n\n{ask(source='guide/auth.md', **EXPIRY)}",
            "guide/auth.md": "# Auth\n\nA session expires with [its cookie][cookies].\n",
            "guide/more/cookies.md": "# More\n\n## Cookies\n\nSome.\n",
        },
        plugins=["autorefs", "recall"],
        use_directory_urls=directories,
    )
    tail = "/index.html" if directories else ".html"
    assert quotes(built.folder) == [
        Quote(
            "A session expires with its cookie. — Auth",
            (f"guide/more/cookies{tail}#cookies", f"guide/auth{tail}#auth"),
        )
    ]
    assert "autoref" not in page(built.folder, "index.html").decode()
    assert built.warnings == []
