"""What form a text has and what leads in to it: as Markdown is rendered, as HTML is written."""

from __future__ import annotations

import pytest
from python_markdown import DEFAULT_CONFIGS, DEFAULT_EXTENSIONS
from tables import tabled

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


OPTIONS = """The plugin has these options:

| Option | Default | Type |
|---|---|---|
| `site_url` | none | [URL](url.md) |
| `strict` | | *bool* |
"""


def test_a_row_is_one_text_with_its_header_cells() -> None:
    assert forms(rendered(OPTIONS))[1:] == [
        ("table", "Option: site_url — Default: none — Type: URL", "The plugin has these options:"),
        ("table", "Option: strict — Type: bool", "The plugin has these options:"),
    ]


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
def test_what_a_header_makes_of_a_cell_is_no_leftover_markup(cell: str) -> None:
    html = f"<table><tr><th>A</th><th>B</th></tr><tr><td>{cell}</td><td>x</td></tr></table>"
    assert page(html).blocks[0].sentences[0].quotable


def test_a_table_without_a_header_has_only_its_cells() -> None:
    assert rows("<table><tr><td>a</td><td></td><td>b</td></tr></table>") == ["a — b"]


def test_a_header_is_found_without_a_head_and_over_two_rows() -> None:
    assert rows("<table><tr><th>A:</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>") == [
        "A: 1 — B: 2"
    ]
    assert rows(
        "<table><thead><tr><th rowspan=2>Name</th><th colspan=2>Limits</th></tr>"
        "<tr><th>CPU</th><th>RAM</th></tr></thead>"
        "<tbody><tr><td>a</td><td>1</td><td>2</td></tr></tbody></table>"
    ) == ["Name: a — Limits CPU: 1 — Limits RAM: 2"]


def test_the_header_of_a_row_stands_before_its_cells() -> None:
    assert rows(
        "<table><thead><tr><th></th><th>Default</th></tr></thead>"
        "<tbody><tr><th>site_url</th><td>none</td></tr></tbody></table>"
    ) == ["site_url — Default: none"]
    assert rows(
        "<table><tr><th>Host</th><td>a</td></tr><tr><th>Port</th><td>80</td></tr></table>"
    ) == ["Host: a", "Port: 80"]


def test_cells_that_span_columns_and_rows() -> None:
    assert rows(
        "<table><tr><th>A</th><th>B</th><th>C</th></tr>"
        "<tr><td rowspan=2><em>x</em></td><td colspan=2>wide</td></tr>"
        "<tr><td>b</td><td>c</td></tr><tr><td>y</td><td></td><td>d</td></tr></table>"
    ) == ["A: x — B: wide", "A: x — B: b — C: c", "A: y — C: d"]


def test_blocks_and_tables_in_a_cell_become_one_text() -> None:
    html = (
        "<table><tr><td><p>One.</p>\n<p>Two <b>bold </b></p>\n<ul>\n<li>three</li>\n<li>four:</li>"
        "</ul><table><tr><td>five</td><td>six</td></tr></table></td>\n<td>last</td></tr></table>"
    )
    block = page(html).blocks[0]
    assert block.text == "One. Two bold; three; four: five; six — last"
    assert [block.text[m.start : m.end] for m in block.marks] == ["bold"]


def test_a_caption_is_a_label_that_leads_in_to_the_rows() -> None:
    assert forms(
        page("<p>Text.</p><table><caption>Ports <i>used</i></caption><tr><td>80</td></tr></table>")
    ) == [("prose", "Text.", None), ("label", "Ports used", "Text."), ("table", "80", "Ports used")]


@pytest.mark.parametrize("around", ["", "<!-- with <b>tags</b> -->"])
def test_code_in_a_cell_follows_its_row(around: str) -> None:
    assert forms(
        page(f"{around}<table><tr><td>Run<pre>make</pre></td><td>now</td></tr></table>")
    ) == [("table", "Run — now", None), ("code", "make", "Run — now")]


def test_a_row_that_says_nothing_is_never_quoted() -> None:
    document = rendered("| A | B |\n|---|---|\n| | |\n| x | y |\n")
    assert [s.text for block in document.blocks for s in block.sentences] == ["A: x — B: y"]


def test_what_is_left_out_of_text_is_left_out_of_cells() -> None:
    html = (
        "<table><tr><td>kept<del>gone</del><script>x</script><svg><a>y</a></svg></td></tr></table>"
    )
    assert rows(html) == ["kept"]
    assert rows(f"<nav>{html}</nav><del>{html}</del>") == []


def test_how_a_table_is_read_does_not_depend_on_how_it_is_written() -> None:
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


@pytest.mark.parametrize(
    ("extensions", "configs"),
    [
        (None, {}),
        (["fenced_code"], {}),
        (["fenced_code", "codehilite"], {}),
        (["fenced_code", "codehilite"], {"codehilite": {"linenums": True}}),
        (["fenced_code", "codehilite"], {"codehilite": {"use_pygments": False}}),
        (["pymdownx.superfences"], {}),
        (
            ["pymdownx.superfences", "pymdownx.highlight"],
            {"pymdownx.highlight": {"linenums": True}},
        ),
        *(
            (
                ["pymdownx.superfences", "pymdownx.highlight"],
                {"pymdownx.highlight": {"linenums": True, "linenums_style": style}},
            )
            for style in ("inline", "pymdownx-inline", "table")
        ),
        (
            ["pymdownx.superfences", "pymdownx.highlight"],
            {
                "pymdownx.highlight": {
                    "anchor_linenums": True,
                    "line_spans": "__span",
                    "pygments_lang_class": True,
                    "auto_title": True,
                }
            },
        ),
    ],
)
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


def test_a_diagram_is_a_figure_that_the_text_above_it_leads_to() -> None:
    assert forms(page('<p>a</p><pre class="mermaid"><code>graph LR</code></pre><pre>b</pre>')) == [
        ("prose", "a", None),
        ("figure", "graph LR", "a"),
        ("code", "b", None),
    ]


@pytest.mark.parametrize(
    "html", ["<pre></pre>", "<pre><code>\n</code></pre>", "<pre> <b></b></pre>"]
)
def test_an_empty_code_block_is_none(html: str) -> None:
    assert page(html).blocks == ()


def test_code_is_found_by_the_words_it_begins_with() -> None:
    (sentence,) = page(f"<pre>run run {'x' * 3000} last</pre>").blocks[0].sentences
    assert sentence.words[0] == "run"
    assert len(sentence.words) == 2
    assert "last" not in sentence.words


def test_code_parts_the_text_it_stands_in() -> None:
    assert forms(page("<ul><li>Run<pre>make</pre>and stop.</li></ul>")) == [
        ("list", "Run", None),
        ("code", "make", "Run"),
        ("list", "and stop.", None),
    ]


@pytest.mark.parametrize("around", ["", "<!-- with <b>tags</b> -->"])
def test_code_left_open_is_read_as_a_browser_would(around: str) -> None:
    assert forms(page(f"{around}<div class=highlight><pre>a<br>b</pre></div><pre>c <i>d</i>")) == [
        ("code", "a\nb", None),
        ("code", "c d", None),
    ]


def test_a_tag_like_that_for_code_takes_nothing_twice() -> None:
    html = "<pre>a</pre><wbr data-code=0><wbr data-code=7><wbr data-table=0><wbr data-code=x>"
    assert forms(page(html)) == [("code", "a", None)]


def test_a_list_is_led_in_to_by_the_text_before_it_and_a_nested_one_by_its_item() -> None:
    document = rendered(
        "Set these:\n\n- one\n    - two\n        - three\n- four\n\n    more\n\nAfter it.\n\n"
        "# Heading\n\n- five\n"
    )
    assert forms(document) == [
        ("prose", "Set these:", None),
        ("list", "one", "Set these:"),
        ("list", "two", "one"),
        ("list", "three", "two"),
        ("list", "four", "Set these:"),
        ("list", "more", "Set these:"),
        ("prose", "After it.", None),
        ("list", "five", None),
    ]


def test_nothing_leads_in_across_a_heading_a_line_or_a_picture() -> None:
    for between in ("## H", "***", "![a](b.png)", "$$\nx\n$$", "> quote"):
        document = rendered(f"Text:\n\n{between}\n\n- item\n")
        assert the("list", document).lead is None, between


def test_what_stands_in_an_item_is_led_in_to_by_its_text() -> None:
    document = rendered(
        "Do:\n\n1.  Write:\n\n    ```\n    a\n    ```\n\n    ```\n    b\n    ```\n\n"
        "    | H |\n    |---|\n    | c |\n"
    )
    assert forms(document)[1:] == [
        ("list", "Write:", "Do:"),
        ("code", "a", "Write:"),
        ("code", "b", "Write:"),
        ("table", "H: c", "Write:"),
    ]
    assert forms(page("<p>Do:</p><ol><li><pre>d</pre></li></ol>"))[1] == ("code", "d", "Do:")


def test_code_right_after_code_has_no_lead_of_its_own() -> None:
    document = rendered("Run:\n\n```\na\n```\n\n```\nb\n```\n")
    assert forms(document)[1:] == [("code", "a", "Run:"), ("code", "b", None)]


@pytest.mark.parametrize("around", ["", "<!-- with <b>tags</b> -->"])
def test_the_last_item_with_a_colon_leads_in_to_code_below_a_list(around: str) -> None:
    steps = (
        '<ol>\n<li>Fell it:</li>\n</ol>\n<div class="highlight"><pre>a</pre></div>\n'
        "<ol>\n<li><p>Saw it.</p></li><li><p>Split it:</p></li>\n</ol>\n"
        '<div class="highlight"><span class="filename">b.sh</span><pre>b</pre></div>\n'
        "<ul>\n<li>Stack it:<ul><li>in rows：</li></ul></li>\n</ul>\n"
        "<table><tr><th>H</th></tr><tr><td>c</td></tr></table><pre>d</pre>"
    )
    assert forms(page(steps + around)) == [
        ("list", "Fell it:", None),
        ("code", "a", "Fell it:"),
        ("list", "Saw it.", None),
        ("list", "Split it:", None),
        ("label", "b.sh", "Split it:"),
        ("code", "b", "b.sh"),
        ("list", "Stack it:", None),
        ("list", "in rows：", "Stack it:"),
        ("table", "H: c", "in rows："),
        ("code", "d", None),
    ]


@pytest.mark.parametrize(
    "between", ["", "<p>Then:</p>", "<h2>H</h2>", "<hr>", "<p><img src=a></p>", "<pre>a</pre>"]
)
def test_no_other_item_leads_in_to_what_is_outside_of_its_list(between: str) -> None:
    item = "Fell it:" if between else "Fell it."
    *_, code = page(f"<ol><li>{item}</li></ol>{between}<pre>b</pre>").blocks
    assert code.lead in {None, 1}


@tabled
def test_code_with_text_right_below_it_is_led_in_to_by_the_text_above(html: str) -> None:
    assert forms(page(html)) == [
        ("prose", "Run:", None),
        ("code", "a", "Run:"),
        ("prose", "Then wait.", None),
    ]


def test_a_term_leads_in_to_all_that_is_said_of_it() -> None:
    document = rendered(
        "Terms:\n\nToken\n*Key*\n:   A string.\n\n    It is sent.\n\n    - as a header\n\n"
        "    ```\n    T: 1\n    ```\n\nSession\n:   What it opens.\n"
    )
    assert forms(document)[1:] == [
        ("label", "Token, Key", None),
        ("definition", "A string.", "Token, Key"),
        ("definition", "It is sent.", "Token, Key"),
        ("definition", "as a header", "It is sent."),
        ("code", "T: 1", "Token, Key"),
        ("label", "Session", None),
        ("definition", "What it opens.", "Session"),
    ]
    assert document.blocks[1].marks == (Mark(7, 10, "em"),)
    assert [s.text for s in document.sentences] == [
        *("Terms:", "A string.", "It is sent.", "as a header", "What it opens.")
    ]


def test_the_tabs_of_one_text_are_all_led_in_to_by_it() -> None:
    document = rendered(
        'Install it:\n\n=== "A"\n\n    ```\n    a\n    ```\n\n=== "B"\n\n    - b\n\n'
        "Then:\n\n```\nc\n```\n"
    )
    assert forms(document)[1:] == [
        *(("tab", "A", "Install it:"), ("code", "a", "A")),
        *(("tab", "B", "Install it:"), ("list", "b", "B")),
        ("prose", "Then:", None),
        ("code", "c", "Then:"),
    ]


def test_a_footnote_stands_under_no_heading() -> None:
    document = rendered("# A\n\nA claim.[^1]\n\n## B\n\nText.\n\n[^1]: Its source.\n")
    assert [(b.text, b.section, b.heading) for b in document.blocks] == [
        ("A claim.", 1, "A"),
        ("Text.", 2, "B"),
        ("Its source.", 0, ""),
    ]


def test_a_footnote_is_led_in_to_by_nothing() -> None:
    document = rendered("A claim.[^1]\n\n[^1]: Its source.\n")
    assert forms(document)[1] == ("list", "Its source.", None)


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


@tabled
def test_a_title_that_only_names_the_kind_of_box_is_no_label(markdown: str) -> None:
    assert forms(rendered(f"{markdown}\nAfter.\n")) == [
        ("admonition", "Text.", None),
        ("prose", "After.", None),
    ]


def test_default_titles_are_known_by_the_box_and_by_language() -> None:
    assert is_default_title("Deprecated", "admonition deprecated")
    assert is_default_title("Atención", "admonition warning")
    assert is_default_title("Let op!", "admonition warning")
    assert is_default_title("注意", "admonition warning")
    assert not is_default_title("Note the order", "admonition note")


def test_a_box_in_a_list_is_a_box_and_a_list_in_a_quote_is_none() -> None:
    document = rendered("- item\n\n    !!! note\n        boxed\n\n> quoted\n>\n> - listed\n")
    assert forms(document) == [
        ("list", "item", None),
        ("admonition", "boxed", None),
        ("prose", "quoted", None),
        ("list", "listed", "quoted"),
    ]


def test_a_title_outside_a_box_leads_in_to_nothing() -> None:
    html = '<p class="admonition-title">Mind it</p><p>Text.</p><pre>code</pre>'
    assert forms(page(html)) == [
        ("label", "Mind it", None),
        ("prose", "Text.", None),
        ("code", "code", "Text."),
    ]


def test_a_summary_is_a_label_and_opens_no_section() -> None:
    html = "<details><summary><h3>More <b>on it</b></h3></summary>Text.</details>"
    assert page(html).headings == ()
    assert forms(page(html)) == [
        ("label", "More on it", None),
        ("admonition", "Text.", "More on it"),
    ]


def test_a_label_is_no_sentence_of_the_page() -> None:
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
