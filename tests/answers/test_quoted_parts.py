"""Rows, code and the words of a query in a quote, as a build puts them on a page."""

from __future__ import annotations

import pytest
from conftest import Built, Site
from tables import tabled

from mkdocs_recall import Corpus
from mkdocs_recall.answers.answer import answer
from mkdocs_recall.answers.html import QuotingPage
from mkdocs_recall.answers.links import is_quote
from mkdocs_recall.answers.markdown import to_markdown
from mkdocs_recall.directives.options import read_options

OPTIONS = """# Options

| Option | Default | Meaning |
|---|---|---|
| `ttl` | 12 h | How long a *session* lasts, see [keys](keys.md) |
| `idle` | | How long an idle session lasts |
| `name` | larch | What the cookie is called |
"""
CODE = """# Install

Install larch with pip, as `pip` is there:

```python title="install.py"
import larch  # <install> & run
larch.install("a session")
```
"""
HIGHLIGHT = ["tables", "pymdownx.highlight", "pymdownx.superfences"]


def ask(site: Site, source: str, query: str, *more: str, **settings: object) -> Built:
    lines = "\n".join((f"source: {source}", f"query: {query}", *more))
    pages = {"options.md": OPTIONS, "install.md": CODE, "keys.md": "# Keys\n"}
    return site.build({"index.md": f"```recall\n{lines}\n```\n", **pages}, **settings)


@pytest.mark.parametrize("form", ["blockquote", "list", "admonition"])
def test_rows_are_quoted_as_a_table_under_their_headers(site: Site, form: str) -> None:
    built = ask(
        site, "options.md", "how long does a session last?", "context: 0", f"format: {form}"
    )
    rows = [
        [cell.get_text() for cell in row.select("th, td")]
        for row in built.tag(".recall table").select("tr")
    ]
    assert rows == [
        ["Option", "Default", "Meaning"],
        ["ttl", "12 h", "How long a session lasts, see keys"],
        ["idle", "", "How long an idle session lasts"],
    ]
    assert [link["href"] for link in built.page().select("td a")] == ["keys/"]


def test_a_table_says_where_rows_are_left_out(site: Site) -> None:
    query = "query: [how long does a session last?, what is the cookie called?]\nmax_sentences: 2"
    pages = {
        "index.md": f"```recall\nsource: options.md\ncontext: 0\n{query}\n```\n",
        "options.md": OPTIONS,
    }
    built = site.build({**pages, "keys.md": "# Keys\n"})
    first = [row.td.get_text() for row in built.page().select("tbody tr") if row.td]
    assert first in (["ttl", "…", "name"], ["idle", "name"])


@tabled
def test_rows_are_a_table_in_markdown_or_text_where_none_can_be(cell: str, written: str) -> None:
    page = f"# T\n\n| A | B |\n|---|---|\n| a session {cell} | b |\n"
    asked = read_options("recall", "source: t.md\nquery: session\ncite: false")
    reply = answer(asked, Corpus.from_markdown({"t.md": page}), "")
    assert to_markdown(reply.html(QuotingPage("", ""))) == written


def test_code_has_the_colours_and_the_title_of_its_page(site: Site) -> None:
    asked = ("install.md", "install larch with pip", "units: [code]", "context: 0")
    built = ask(site, *asked, markdown_extensions=HIGHLIGHT)
    quote = built.tag("blockquote.recall")
    own = built.tag(".highlight pre", "install/index.html")
    colours = [(span["class"], span.get_text()) for span in quote.select("pre span[class]")]
    assert colours == [
        (span["class"], span.get_text())
        for span in own.select("span[class]")
        if span["class"] != ["w"]
    ]
    assert len(colours) > 5
    assert quote.select("div.highlight > pre > code")[0].get_text() == own.get_text()
    assert "install.py" in [p.get_text() for p in quote.select("p")]
    assert is_quote(str(quote).replace('data-search-exclude=""', "data-search-exclude"))
    assert site.rebuild().html() == built.html()


def test_code_keeps_its_language_where_the_browser_colours_it(site: Site) -> None:
    pages = {
        "index.md": "```recall\nsource: a.md\nquery: install larch\nunits: [code]\n```\n",
        "a.md": "# A\n\n```python\nlarch.install()  # install larch\n```\n",
    }
    built = site.build(pages, markdown_extensions=["fenced_code"])
    assert built.tag("blockquote.recall pre code")["class"] == ["language-python"]


@tabled
def test_a_kept_quote_has_no_other_spans_and_boxes(tag: str) -> None:
    name = tag[1:].split(maxsplit=1)[0]
    quote = '<blockquote class="recall" data-search-exclude><pre>{}x{}</pre></blockquote>'
    assert is_quote(quote.format('<span class="nb">', "</span>"))
    assert not is_quote(quote.format(tag, f"</{name}>"))
    span = quote.format('<span class="nb">', "</span>")
    assert not is_quote(span.replace("pre>", "p>")), "a class of the theme could hide text"


def test_the_explanation_has_no_part_that_is_zero_as_shown(site: Site) -> None:
    built = ask(site, "options.md", "how long does a session last?", "explain: true")
    items = [item.get_text() for item in built.page().select(".recall-explain li")]
    assert items
    assert not any(item.startswith(("+0.000", "-0.000")) for item in items)


def test_a_label_opens_a_line_and_has_no_colon_after_a_question_mark(site: Site) -> None:
    page = (
        '# Zebras\n\nZebras sleep at night.\n\n!!! note "Why do they?"\n\n    It is dark.\n\n'
        '!!! note "Herds"\n\n    They sleep in herds.\n'
    )
    fence = "```recall\nsource: a.md\nquery: zebras\n```\n"
    options = {"markdown_extensions": ["admonition"]}
    built = site.build({"index.md": fence, "a.md": page}, **options)
    html = str(built.tag(".recall p"))
    assert "at night.<br/>\nWhy do they? It is dark.<br/>\nHerds: They sleep in herds." in html
