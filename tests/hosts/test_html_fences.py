"""A directive is found in the HTML of any generator that keeps its name; nothing else is one."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import tabled

from mkdocs_recall.hosts.html_fences import (
    COMMENT,
    count_lookalikes,
    fence_comment,
    fence_text,
    find_html_directives,
    read_comment,
)
from mkdocs_recall.text.theme import FENCE_END

BODY = "source: a.md\nquery: what is x?"
FORMS = {
    "Python-Markdown": f'<pre><code class="language-recall">{BODY}\n</code></pre>',
    "Hugo": '<div class="highlight"><pre tabindex="0"><code class="language-recall" '
    f'data-lang="recall">{BODY}</code></pre></div>',
    "Sphinx": '<div class="highlight-recall notranslate"><div class="highlight"><pre><span></span>'
    '<span class="nt">source</span><span class="p">:</span> a.md\nquery: what is x?\n</pre></div>\n'
    "</div>",
    "Docusaurus": '<div class="language-recall codeBlockContainer_c"><div class="codeBlockContent">'
    '<pre tabindex="0" class="prism-code language-recall"><code><span class="token-line">'
    '<span class="token plain">source: a.md</span><br></span><span class="token-line">'
    "<span>query: what is x?</span><br></span></code></pre><button>Copy</button></div></div>",
    "Docusaurus, with lines as boxes": '<div class="language-recall codeBlockContainer_c"><pre '
    'class="prism-code language-recall"><code><div class="token-line" style="color:#393A34"><span>'
    'source: a.md</span><br></div><div class="token-line" style="color:#393A34"><span>'
    "query: what is x?</span><br></div></code></pre></div>",
    "Pygments": '<div class="language-recall highlight"><pre><span></span><code>'
    f'<a id="1"></a>{BODY}\n</code></pre></div>',
    "Pygments, with numbers": '<div class="language-recall highlight"><table><tr><td><pre>1\n2'
    f"</pre></td><td><div><pre><code>{BODY}\n</code></pre></div></td></tr></table></div>",
    "Pygments, with numbers in the lines": '<div class="highlight-recall notranslate"><pre><span>'
    '</span><span class="linenos">1</span>source: a.md\n<span class="hll"><span class="linenos">2'
    "</span>query: what is x?\n</span></pre></div>",
    "Chroma, with numbers in the lines": '<pre><code class="language-recall" data-lang="recall">'
    '<span class="line"><span class="ln">1</span><span class="cl">source: a.md\n</span></span>'
    '<span class="ln"> 2</span>query: what is x?</code></pre>',
    "Pandoc": f'<pre class="recall"><code>{BODY}</code></pre>',
    "Sphinx, with numbers in the lines": '<div class="highlight-recall"><div class="highlight">'
    '<pre><span></span><span class="linenos">1</span>source: a.md\n<span class="linenos">2</span>'
    "query: what is x?\n</pre></div>\n</div>",
    "VitePress": '<div class="language-recall line-numbers-mode"><button class="copy"></button>'
    '<span class="lang">recall</span><pre class="shiki" tabindex="0"><code><span class="line">'
    '<span>source: a.md</span></span>\n<span class="line"><span>query: what is x?</span></span>'
    '</code></pre><div class="line-numbers-wrapper"><span class="line-number">1</span><br></div>'
    "</div>",
    "Quarto": '<div class="sourceCode" id="cb1"><pre class="sourceCode recall code-with-copy">'
    '<code class="sourceCode recall"><span id="cb1-1"><a href="#cb1-1"></a>source: a.md</span>\n'
    '<span id="cb1-2">query: what is x?</span></code><button title="Copy"><i></i></button>'
    "</pre></div>",
    "Starlight": '<div class="expressive-code"><figure class="frame"><pre data-language="recall">'
    '<code><div class="ec-line"><div class="code">source: a.md</div></div><div class="ec-line">'
    '<div class="code">query: what is x?</div></div></code></pre></figure></div>',
}
NONE = {
    "in a line": f'<p><code class="language-recall">{BODY}</code></p>',
    "a quote": '<blockquote class="recall" data-search-exclude><p>query: x</p></blockquote>',
    "an example of a fence": f'<pre><code class="language-md">```recall\n{BODY}\n```</code></pre>',
    "never closed": f'<div class="language-recall highlight"><pre>{BODY}',
    "another language": f'<pre><code class="language-recalls">{BODY}</code></pre>',
}


@pytest.mark.parametrize("form", FORMS)
def test_a_code_block_that_names_our_language_is_a_directive_as_a_whole(form: str) -> None:
    html = f"<p>Before.</p>{FORMS[form]}<p>After.</p>"
    [directive] = find_html_directives(html)
    assert directive.fence is not None
    assert (directive.fence.name, directive.fence.body) == ("recall", BODY)
    if form != "Starlight":  # whose frame has a caption beside the code
        assert html[: directive.start] + html[directive.end :] == "<p>Before.</p><p>After.</p>"
    assert count_lookalikes(html, [directive]) == 0


@pytest.mark.parametrize("form", NONE)
def test_nothing_else_is_a_directive(form: str) -> None:
    assert find_html_directives(f"<p>Before.</p>{NONE[form]}<p>After.</p>") == []


@tabled
def test_code_blocks_are_looked_for_in_linear_time(part: str) -> None:
    def seconds(count: int) -> float:
        html = part * count
        started = time.process_time()
        find_html_directives(html)
        return time.process_time() - started

    seconds(100)
    assert seconds(40_000) < 30 * seconds(4_000) + 0.2


@pytest.mark.parametrize(
    ("code", "count"),
    [
        (BODY, 1),
        (f"type: recall\n{BODY}", 1),
        ("<span>source</span>: a.md\n<span>max_sentences</span>: 2", 1),
        ("query: select 1\ntable: users", 0),
        (f"```recall\n{BODY}\n```", 0),
        ("max_sentences: 2", 0),
    ],
)
def test_a_block_without_the_name_only_reads_like_one(code: str, count: int) -> None:
    html = f'<div class="highlight"><pre><code>{code}</code></pre></div>'
    assert (find_html_directives(html), count_lookalikes(html, [])) == ([], count)


def test_a_comment_is_a_directive_together_with_the_quote_behind_it() -> None:
    one, other = (fence_comment(fence_text("recall", f"query: {word}")) for word in "xy")
    quote = '<blockquote class="recall">…</blockquote>'
    html = f"<p>{one}{quote}{FENCE_END}</p>{other}<p>After.</p>"
    directives = find_html_directives(html)
    assert [d.fence and d.fence.body for d in directives] == ["query: x", "query: y"]
    spans = [html[d.start : d.end] for d in directives]
    assert spans == [f"{one}{quote}{FENCE_END}", other]


def test_an_end_further_down_takes_no_text_of_the_author_away() -> None:
    one = fence_comment(fence_text("recall", "query: x"))
    html = f"<p>{one}</p><p>A sentence.</p>{FENCE_END}<p>After.</p>"
    [directive] = find_html_directives(html)
    assert (html[directive.start : directive.end], directive.is_filled) == (one, False)


@pytest.mark.parametrize(
    "comment",
    [
        "<!-- recall:fence QUJD -->",
        "<!-- recall:fence !!!! -->",
        "<!-- recall:fence /w== -->",
        fence_comment("```python\nx\n```"),
        fence_comment("```recall\nquery: x\n```\n\n```recall\nquery: y\n```"),
    ],
)
def test_a_comment_with_anything_else_holds_no_fence(comment: str) -> None:
    assert all(d.fence is None for d in find_html_directives(comment))


@given(st.sampled_from(["recall", "synopsis", "yaml embedm"]), st.text(max_size=80))
def test_a_comment_gives_back_its_fence_and_never_ends_early(name: str, text: str) -> None:
    body = f"type: recall\nquery: {text}".replace("\r", "").replace("\ud800", "")
    comment = fence_comment(fence_text(name, body))
    assert comment.count("-->") == 1
    match = COMMENT.fullmatch(comment)
    assert match
    fence = read_comment(match)
    if fence is not None:
        assert fence.source == fence_text(name, body)
    else:
        assert "\n" in text or not text.isprintable()
