"""Rows, code and the words of a query in a quote, as a build puts them on a page."""

from __future__ import annotations

import pytest
from answered import answer_to
from conftest import Built, Site
from tables import Case, beside, tabled

from mkdocs_recall import Corpus
from mkdocs_recall.answers.html import QuotingPage
from mkdocs_recall.answers.markdown import to_markdown
from mkdocs_recall.answers.whitelist import is_clean
from mkdocs_recall.directives.options import read_options

OPTIONS: str = beside(__file__)["OPTIONS"]
CODE: str = beside(__file__)["CODE"]
HIGHLIGHT = ["tables", "pymdownx.highlight", "pymdownx.superfences"]


def ask(site: Site, source: str, query: str, *more: str, **settings: object) -> Built:
    lines = "\n".join((f"source: {source}", f"query: {query}", *more))
    pages = {"options.md": OPTIONS, "install.md": CODE, "keys.md": "# Keys\n"}
    return site.build({"index.md": f"```recall\n{lines}\n```\n", **pages}, **settings)


@tabled
def test_a_build_quotes_rows_code_and_labels(site: Site, case: Case) -> None:
    site.write({"options.md": OPTIONS, "keys.md": "# Keys\n"})
    site.expect(case)


@tabled
def test_rows_are_a_markdown_table_if_possible_and_else_text(cell: str, written: str) -> None:
    page = f"# T\n\n| A | B |\n|---|---|\n| a session {cell} | b |\n"
    options = read_options("recall", "source: t.md\nquery: session\ncite: false")
    reply = answer_to(options, Corpus.from_markdown({"t.md": page}), "")
    assert to_markdown(reply.html(QuotingPage("", ""))) == written


@pytest.mark.parametrize("options", [(), ("units: [code]", "context: 0")])
def test_code_has_the_colours_and_the_title_of_its_page(
    site: Site, options: tuple[str, ...]
) -> None:
    arguments = ("install.md", "install larch with pip", *options)
    built = ask(site, *arguments, markdown_extensions=HIGHLIGHT)
    quote = built.tag("blockquote.recall")
    block = built.tag(".highlight pre", "install/index.html")
    colours = [(span["class"], span.get_text()) for span in quote.select("pre span[class]")]
    assert colours == [
        (span["class"], span.get_text())
        for span in block.select("span[class]")
        if span["class"] != ["w"]
    ]
    assert len(colours) > 5
    assert quote.select("div.highlight > pre > code")[0].get_text() == block.get_text()
    titles = [span.get_text() for span in quote.select("div.highlight > span.filename")]
    assert titles == ["install.py"]
    assert quote.get_text().count("install.py") == 1
    rebuilt = site.rebuild()
    assert rebuilt.html() == built.html()
    assert ", 1 from the cache" in rebuilt.infos[-1]


def test_the_same_code_keeps_each_of_its_titles(site: Site) -> None:
    code = '```bash title="{}"\nlarch --all\n```\n'
    titled = f"On Linux, run this:\n\n{code}\nOn Windows, run this:\n\n{code}"
    page = f"# Larch\n\n{titled.format('a.sh', 'b.ps1')}"
    fence = "```recall\nsource: a.md\nquery: run on Windows\n```\n"
    built = site.build({"index.md": fence, "a.md": page}, markdown_extensions=HIGHLIGHT)
    titles = built.tag(".recall").select(".highlight > .filename")
    assert [title.get_text() for title in titles] == ["a.sh", "b.ps1"]


def test_an_omission_above_the_title_of_code_is_shown_above_its_box(site: Site) -> None:
    above = "# Install\n\nThe walrus is grey.\n\n- one\n\n| a | b |\n|---|---|\n| c | d |\n\n"
    code = '```python title="install.py"\nimport walrus\nwalrus.larch("x")\n```\n'
    fence = "source: a.md\nquery: walrus larch\ncontext: 0\nmin_score: 0\nunits: [prose, code]\n"
    pages = {"index.md": f"```recall\n{fence}scorer: coverage\n```\n", "a.md": above + code}
    html = str(site.build(pages, markdown_extensions=HIGHLIGHT).tag("blockquote.recall"))
    assert 'grey.</p>\n<p>…</p>\n<div class="highlight"><span class="filename">install.py<' in html


@tabled
def test_a_cached_quote_has_no_part_of_a_theme_and_no_style(tag: str) -> None:
    name = tag[1:].split(maxsplit=1)[0]
    quote = '<blockquote class="recall" data-search-exclude><pre>{}x{}</pre></blockquote>'
    assert is_clean(quote.format('<span class="nb">', "</span>"))
    assert not is_clean(quote.format(tag, f"</{name}>"))


def test_the_explanation_has_no_part_that_is_zero_as_shown(site: Site) -> None:
    built = ask(site, "options.md", "how long does a session last?", "explain: true")
    items = [item.get_text() for item in built.page().select(".recall-explain li")]
    assert items
    assert not any(item.startswith(("+0.000", "-0.000")) for item in items)


def test_a_label_starts_a_line_without_a_colon_after_a_question_mark(site: Site) -> None:
    page = (
        '# Zebras\n\nZebras sleep at night.\n\n!!! note "Why do they?"\n\n    It is dark.\n\n'
        '!!! note "Herds"\n\n    They sleep in herds.\n'
    )
    fence = "```recall\nsource: a.md\nquery: zebras\n```\n"
    options = {"markdown_extensions": ["admonition"]}
    built = site.build({"index.md": fence, "a.md": page}, **options)
    html = str(built.tag(".recall"))
    assert "at night.</p>\n<p>Why do they? It is dark.</p>\n<p>Herds: They sleep in herds." in html
