"""The kind and the lead-in of a text, in rendered Markdown and other HTML."""

from __future__ import annotations

import pytest
from python_markdown import DEFAULT_CONFIGS, DEFAULT_EXTENSIONS
from tables import beside, tabled

from mkdocs_recall import Block, Document, Mark
from mkdocs_recall.pages.reader import MarkdownReader
from mkdocs_recall.text.document import analyse, in_language
from mkdocs_recall.text.front_matter import split_front_matter
from mkdocs_recall.text.html import is_default_title, read_html
from mkdocs_recall.text.model import IN_ROWS


def page(html: str) -> Document:
    return analyse(read_html(html), uri="a.md", title="A", language="en")


def rendered(markdown: str) -> Document:
    return MarkdownReader().read(split_front_matter(markdown), uri="a.md", language="en")


def forms(document: Document) -> list[tuple[str, str, str | None]]:
    """Return each block's kind, its text, and the text that leads in to it."""
    blocks = document.blocks
    return [(b.kind, b.text, None if b.lead is None else blocks[b.lead].text) for b in blocks]


def rows(html: str) -> list[str]:
    return [block.text for block in page(html).blocks if block.kind == "table"]


def the(kind: str, document: Document) -> Block:
    return next(block for block in document.blocks if block.kind == kind)


OPTIONS: str = beside(__file__)["OPTIONS"]


def test_marks_of_cells_stand_where_they_are_in_the_row() -> None:
    block = the("table", rendered(OPTIONS))
    marks = [(block.text[m.start : m.end], m.role, m.href) for m in block.marks]
    assert [mark for mark in marks if mark[1] not in IN_ROWS] == [
        ("site_url", "code", ""),
        ("URL", "link", "url.md"),
    ]


def test_a_row_is_one_sentence_with_all_its_words() -> None:
    (sentence,) = the("table", rendered(OPTIONS)).sentences
    assert (sentence.start, sentence.end) == (0, len(sentence.text))
    assert sentence.words == ("option", "site", "url", "default", "none", "type", "url")
    assert sentence.quotable


@pytest.mark.parametrize("cell", ["{{ x }}", "[a][b]", "**"])
def test_a_row_with_leftover_markup_is_not_quotable(cell: str) -> None:
    html = "<table><thead><tr><th>A</th></tr></thead><tbody><tr><td>{}</td></tr></tbody></table>"
    assert not page(html.format(cell)).blocks[0].sentences[0].quotable
    assert page(html.format(f"<code>{cell}</code>")).blocks[0].sentences[0].quotable


@pytest.mark.parametrize("cell", ["-", "- none", "key: value", "a: b: c"])
def test_a_header_before_a_cell_is_not_leftover_markup(cell: str) -> None:
    html = f"<table><tr><th>A</th><th>B</th></tr><tr><td>{cell}</td><td>x</td></tr></table>"
    assert page(html).blocks[0].sentences[0].quotable


@tabled
def test_a_row_has_the_text_of_its_cells_and_headers(
    behaviour: str, html: str, texts: list[str]
) -> None:
    assert rows(html) == texts, behaviour


def test_blocks_and_tables_in_a_cell_become_one_text() -> None:
    html = (
        "<table><tr><td><p>One.</p>\n<p>Two <b>bold </b></p>\n<ul>\n<li>three</li>\n<li>four:</li>"
        "</ul><table><tr><td>five</td><td>six</td></tr></table></td>\n<td>last</td></tr></table>"
    )
    block = page(html).blocks[0]
    assert block.text == "One. Two bold; three; four: five; six — last"
    assert [block.text[m.start : m.end] for m in block.marks] == ["bold"]


@tabled
def test_html_has_these_blocks_each_with_what_leads_in_to_it(
    behaviour: str, html: str, blocks: list[list[str]]
) -> None:
    for comment in ("", "<!-- with <b>tags</b> -->"):
        assert [*map(list, forms(page(comment + html)))] == blocks, behaviour


def test_a_row_that_says_nothing_is_never_quoted() -> None:
    document = rendered("| A | B |\n|---|---|\n| | |\n| x | y |\n")
    assert [s.text for block in document.blocks for s in block.sentences] == ["A: x — B: y"]


def test_parts_left_out_of_text_are_left_out_of_cells() -> None:
    html = (
        "<table><tr><td>kept<del>gone</del><script>x</script><svg><a>y</a></svg></td></tr></table>"
    )
    assert rows(html) == ["kept"]
    assert rows(f"<nav>{html}</nav><del>{html}</del>") == []


def test_equal_tables_read_the_same_however_written() -> None:
    table = (
        "<table>\n<thead>\n<tr>\n<th>A</th>\n<th>B</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n"
        "<td><code>x</code> &amp; y</td>\n<td>1<br>2</td>\n</tr>\n</tbody>\n</table>"
    )
    written = page(f"<p>Text:</p>{table}")
    assert forms(written)[1] == ("table", "A: x & y — B: 1 2", "Text:")
    assert forms(page(f"<p>Text:</p><!-- a <b> comment -->{table}")) == forms(written)
    assert forms(page(f"<p>Text:</p>{table.replace('<td>', '<td >')}")) == forms(written)
    assert forms(page(f"<p>Text:</p>{table.replace('<tr>', '<tr class=x>')}")) == forms(written)


FENCE = "Run this:\n\n```yaml\na: &x\n  - \"<b>\"\n\n  - 'c'\n```\n\nThen stop.\n"
CODE = "a: &x\n  - \"<b>\"\n\n  - 'c'"


@tabled
def test_a_code_block_is_its_code_however_it_is_coloured(
    extensions: list[str] | None, configs: dict[str, dict[str, object]]
) -> None:
    reader = MarkdownReader(extensions, configs)
    document = reader.read(split_front_matter(FENCE), uri="a.md", language="en")
    assert forms(document) == [
        ("prose", "Run this:", None),
        ("code", CODE, "Run this:"),
        ("prose", "Then stop.", None),
    ]
    assert [block.line for block in document.blocks] == [1, 3, 10]
    (sentence,) = document.blocks[1].sentences
    assert (sentence.text, sentence.start, sentence.end) == (CODE, 0, len(CODE))
    assert sentence.words == ("x", "b", "c")


@pytest.mark.parametrize("title", ['title="a.yml"', 'title="a.yml" linenums="1"'])
def test_the_title_of_a_code_block_is_its_label(title: str) -> None:
    configs = {**DEFAULT_CONFIGS, "pymdownx.highlight": {"use_pygments": True}}
    reader = MarkdownReader(DEFAULT_EXTENSIONS, configs)
    document = reader.read(
        split_front_matter(f"Run:\n\n``` yaml {title}\na: 1\n```\n"), uri="a.md", language="en"
    )
    assert forms(document) == [
        ("prose", "Run:", None),
        ("label", "a.yml", "Run:"),
        ("code", "a: 1", "a.yml"),
    ]


def test_indented_code_keeps_its_indents() -> None:
    assert the("code", page("<pre>\n\n    a\n  b \n\n</pre>")).text == "    a\n  b"


@tabled
def test_signs_in_code_are_unescaped_once(written: str, code: str) -> None:
    assert the("code", page(f"<pre>{written}</pre>")).text == code


@pytest.mark.parametrize(
    "html", ["<pre></pre>", "<pre><code>\n</code></pre>", "<pre> <b></b></pre>"]
)
def test_an_empty_code_block_is_none(html: str) -> None:
    assert page(html).blocks == ()


def test_code_is_found_by_the_words_it_begins_with() -> None:
    (sentence,) = page(f"<pre>run run {'x' * 9000} last</pre>").blocks[0].sentences
    assert sentence.words[0] == "run"
    assert len(sentence.words) == 2
    assert "last" not in sentence.words


@tabled
def test_markdown_has_these_blocks_each_with_what_leads_in_to_it(
    behaviour: str, markdown: str, blocks: list[list[str]]
) -> None:
    assert [*map(list, forms(rendered(markdown)))] == blocks, behaviour


@pytest.mark.parametrize(
    "between", ["", "<p>Then:</p>", "<h2>H</h2>", "<hr>", "<p><img src=a></p>", "<pre>a</pre>"]
)
def test_no_other_item_leads_in_to_text_outside_its_list(between: str) -> None:
    item = "Fell it:" if between else "Fell it."
    *_, code = page(f"<ol><li>{item}</li></ol>{between}<pre>b</pre>").blocks
    assert code.lead in {None, 1}


def test_a_term_leads_in_to_all_that_is_said_of_it() -> None:
    document = page(
        "<p>Terms:</p><dl><dt>Token</dt><dt><em>Key</em></dt><dd><p>A string.</p><p>It is sent.</p>"
        "<ul><li>as a header</li></ul><pre>T: 1</pre></dd>"
        "<dt>Session</dt><dd>What it opens.</dd></dl>"
    )
    assert forms(document)[1:] == [
        ("label", "Token, Key", "Terms:"),
        ("definition", "A string.", "Token, Key"),
        ("definition", "It is sent.", "Token, Key"),
        ("definition", "as a header", "It is sent."),
        ("code", "T: 1", "Token, Key"),
        ("label", "Session", "Terms:"),
        ("definition", "What it opens.", "Session"),
    ]
    assert document.blocks[1].marks == (Mark(7, 10, "em"),)
    assert [s.text for s in document.sentences] == [
        *("Terms:", "A string.", "It is sent.", "as a header", "What it opens.")
    ]


def test_a_footnote_stands_under_no_heading() -> None:
    document = rendered("# A\n\nA claim.[^1]\n\n## B\n\nText.\n\n[^1]: Its source.\n")
    assert [(b.text, b.section, b.heading) for b in document.blocks] == [
        ("A claim.", 1, "A"),
        ("Text.", 2, "B"),
        ("Its source.", 0, ""),
    ]


@pytest.mark.parametrize("mark", ["!!!", "???", "???+"])
def test_the_title_of_a_box_leads_in_to_its_texts(mark: str) -> None:
    document = rendered(
        f'Before:\n\n{mark} warning "Mind the `gap`"\n\n    One. Two.\n\n    Do:\n\n    - three\n\n'
        "    ```\n    four\n    ```\n\nAfter.\n"
    )
    assert forms(document)[1:] == [
        ("label", "Mind the gap", None),
        ("admonition", "One. Two.", "Mind the gap"),
        ("admonition", "Do:", "Mind the gap"),
        ("admonition", "three", "Do:"),
        ("code", "four", "Mind the gap"),
        ("prose", "After.", None),
    ]
    assert document.blocks[1].line == 3


def test_default_titles_are_known_by_the_box_and_by_language() -> None:
    assert is_default_title("Deprecated", "admonition deprecated")
    assert is_default_title("Atención", "admonition warning")
    assert is_default_title("Let op!", "admonition warning")
    assert is_default_title("注意", "admonition warning")
    assert not is_default_title("Note the order", "admonition note")


def test_a_summary_is_a_label_and_opens_no_section() -> None:
    html = "<details><summary><h3>More <b>on it</b></h3></summary>Text.</details>"
    assert page(html).headings == ()


def test_a_label_is_not_a_sentence_of_the_page() -> None:
    document = page("<details><summary>{{ x }}</summary><p>Text.</p></details>")
    assert [s.text for s in document.sentences] == ["Text."]
    (label,) = document.blocks[0].sentences
    assert not label.quotable


@pytest.mark.slow
@pytest.mark.parametrize(
    "html",
    [
        "<pre>" * 2000,
        "<table>" * 5000,
        "<table><tr>" + "<td rowspan=99999999 colspan=99999999>x" * 5000,
        "<table>" + "<tr><th rowspan=99999999 colspan=99999999>x<td>y" * 1500,
        "<table><thead>" + "<tr><th colspan=1000>x" * 1500,
        "<table><tr><td>" * 2000,
        "<dl>" + "<dt>a</dt>" * 5000,
        "<p>a</p>" + "<ul><li>a" * 2000,
        f"<table><tr><th>{'long ' * 1500}</th></tr>" + "<tr><td>a</td></tr>" * 1500,
    ],
)
def test_hostile_tables_code_and_lists_are_read_and_stay_small(html: str) -> None:
    document = page(html)
    assert sum(len(block.text) for block in document.blocks) < 1000 + 30 * len(html)
    for block in document.blocks:
        assert block.lead is None or block.lead < block.number


@pytest.mark.slow
def test_every_row_of_a_long_table_is_read() -> None:
    body = "".join(f"<tr>\n<td>{n}</td>\n</tr>\n" for n in range(20_000))
    html = f"<table>\n<thead>\n<tr>\n<th>N</th>\n</tr>\n</thead>\n<tbody>\n{body}</tbody>\n</table>"
    blocks = page(html).blocks
    assert len(blocks) == 20_000
    assert blocks[-1].text == "N: 19999"


def test_a_table_and_code_are_the_same_in_another_language() -> None:
    document = rendered(OPTIONS + "\n" + FENCE)
    assert forms(in_language(document, "de")) == forms(document)
