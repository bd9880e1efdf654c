"""Hostile pages: quotes carry only text, and messages cannot be forged."""

from __future__ import annotations

import json
import logging
import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from bs4 import BeautifulSoup
from judging import judge_html
from markdown import markdown
from markdown_it import MarkdownIt
from mkdocs.exceptions import Abort
from msgspec import DecodeError, msgpack
from tables import beside, tabled
from terminal import INITIALIZE, Terminal, request

from mkdocs_recall import Corpus, Document, Heading, Mark
from mkdocs_recall.answers.files import FileRenderer
from mkdocs_recall.answers.insertion import Quote
from mkdocs_recall.messages import escape_invisible, single_line
from mkdocs_recall.store import Cache
from mkdocs_recall.text.document import pack

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from conftest import Site

posix = pytest.mark.skipif(sys.platform == "win32", reason="no file of Windows has such a name")

DRIVING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What could drive a terminal, or show a line in another order than it is written in."""
LINE_ENDS = re.compile("[\n\x0b\x0c\r\x1c-\x1e\x85\u2028\u2029]")
COMMAND = re.compile(r"(?:^|\s)::[\w-]+.*::|##\w*\[")
"""What a line is to be to command GitHub, Azure or TeamCity: they read the log of a build."""
AT_START = re.compile(r"^\s*::[\w-]+.*::", re.MULTILINE)
FORGED = "\\nWARNING -  b.md:1: forged\\r\\x9b1m\\u2028::error file=x::y ##[error]z\\u202e"
"""As a text between quotation marks in YAML says it: all that could forge a log."""


def is_one_plain_line(text: str) -> bool:
    """Tell whether a message is a line that drives nothing and commands nobody."""
    return not (LINE_ENDS.search(text) or DRIVING.search(text) or COMMAND.search(text))


@tabled
def test_terminal_controls_and_ci_commands_become_visible(text: str, shown: str) -> None:
    assert escape_invisible(text) == shown
    assert escape_invisible(shown) == shown


def test_half_of_a_surrogate_pair_is_seen() -> None:
    assert escape_invisible("a\udcff \ud800") == "a\\udcff \\ud800"


def test_a_message_is_one_line() -> None:
    assert single_line("a\n  b\rc\r\n\nd") == "a b\\u000dc d"
    assert single_line("a  b") == "a  b"
    assert single_line("x\n::error::y") == "x \\u003a:error::y"


def test_a_directive_cannot_forge_a_log_line(site: Site) -> None:
    fences = (
        f'source: "{FORGED}"\nquery: session',
        f'query: session\nscorer: "{FORGED}"',
        f'query: session\n"{FORGED}": 1',
        f'query: "zebra {FORGED}"\nexpect: "{FORGED}"',
        f'query: session\nexpect_source: "{FORGED}"',
        f'query: session\nlanguage: "{FORGED}"',
        f'query: session\nsemantic: {{model: "transformers:{FORGED}"}}',
        f'query: session\nsemantic: {{model: "{FORGED}"}}',
        f'query: session\ntemporal: {{now: "{FORGED}"}}',
        f'source: "auth.md#{FORGED}"\nquery: session',
        'query: "session',
        "query: session\n\x1b[31m: x\x07",
    )
    page = "".join(f"```recall\n{fence}\n```\n\n" for fence in fences)
    matter = f'---\nt_expired: "{FORGED}"\ntemporal_stability: "{FORGED}"\n---\n'
    built = site.build({"index.md": page, "auth.md": f"{matter}# Auth\n\nA session expires.\n"})
    said = [record.getMessage() for record in built.records]
    assert len(said) > len(fences)
    assert [text for text in said if not is_one_plain_line(text)] == []
    assert "forged" in " ".join(said)
    assert not DRIVING.search(built.html()), "nor in the box that a reader sees"


@posix
def test_the_name_of_a_page_cannot_forge_a_log_line(site: Site) -> None:
    name = "a\n::error::b\x1b[2J \u202e.md"
    page = "---\nt_expired: never\n---\n```recall\nquery: a\nscorer: b\n```\n"
    built = site.build({name: page, "index.md": "# Larch\n"})
    messages = [text for text in built.warnings if "recall: " in text]
    assert len(messages) == 2
    assert [text for text in messages if not is_one_plain_line(text)] == []


def test_messages_of_stopping_errors_cannot_be_forged(site: Site) -> None:
    page = f'```recall\nsource: "{FORGED}"\nquery: session\n```\n'
    with pytest.raises(Abort):
        site.build({"index.md": page}, recall={"on_error": "raise"})
    [said] = [r.getMessage() for r in site.records if r.levelno == logging.ERROR]
    assert "forged" in said
    assert is_one_plain_line(said)
    with pytest.raises(Abort):
        site.build({}, recall={"cache_dir": "docs/a\n::error::b\x1b[2J"})
    [said] = [r.getMessage() for r in site.records if r.levelno == logging.ERROR]
    assert "cache_dir" in said
    assert is_one_plain_line(said)


HOSTILE = (
    "# A\x1b]0;title\x07\u202e\n\n::set-output name=session::expires\n\n"
    "A session expires ##[add-mask]after\x9b2J \u202ea day.\n\n```\n::error::session code\n```\n"
)


def hostile_pages(folder: Path) -> Terminal:
    """Return a terminal in a folder with a page that drives terminals and commands CI."""
    new_terminal = Terminal(folder)
    new_terminal.write({"auth.md": HOSTILE, "b.md": "# B\n\nA token.\n"})
    return new_terminal


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    """A terminal in a folder with a page that drives terminals and commands CI."""
    return hostile_pages(tmp_path)


@tabled
def test_a_command_prints_nothing_that_drives_a_terminal_or_commands_ci(
    terminal: Terminal, arguments: tuple[str, ...]
) -> None:
    where = () if "--docs" in arguments or arguments[0].startswith("\n") else ("--docs", "docs")
    outcome = terminal.run(*arguments, *where)
    shown = outcome.out + outcome.err
    assert shown
    assert not DRIVING.search(shown)
    assert not AT_START.search(shown), shown
    assert not re.search(r"##\w*\[", shown), shown


@posix
def test_no_annotation_and_no_finding_can_be_forged(terminal: Terminal) -> None:
    name = "a\n::error file=b::c\x1b[2J,d:e%.md"
    wrong = f'```recall\nsource: "{FORGED}"\nquery: session\n```\n'
    asked = '```recall\nsource: auth.md\nquery: "session expires ::error::x"\n{}```\n'
    right, unanswered = asked.format("on_empty: synopsis\n"), asked.format("sections: 1\n")
    terminal.write({name: f"# A\n\n{right}"})
    assert terminal.run("lock", "--docs", "docs").status == 0
    wrong += f"\n{unanswered}"
    terminal.write({name: f"# A\n\n{right}\n{wrong}", "auth.md": HOSTILE.replace("day", "week")})
    outcome = terminal.run("check", "--docs", "docs", "--format", "github")
    annotations = outcome.out.splitlines()
    assert len(annotations) == 3  # a mistake, no answer, and a changed one
    for line in annotations:
        assert re.fullmatch(r"::error file=[^:,]+,line=\d+,title=[^:,]+::.*", line)
        assert not DRIVING.search(line)
        assert LINE_ENDS.search(line) is None
    for form in ("text", "json"):
        outcome = terminal.run("check", "--docs", "docs", "--format", form)
        assert not DRIVING.search(outcome.out + outcome.err)
        assert not AT_START.search(outcome.out + outcome.err)
        assert not re.search(r"##\w*\[", outcome.out + outcome.err)
    outcome = terminal.run("check", "--docs", "docs")
    assert all(re.match(r"docs/|[-+ ] |$", line) for line in outcome.out.splitlines()), outcome.out


PAGES = {
    "index.md": "# Larch\n\n```recall\nsource: auth.md\nquery: session expires\ncontext: 0\n```\n",
    "auth.md": "# Auth\n\nA **session** expires, see [tokens](https://larch.example/).\n",
}


def record(value: bytes) -> list[Any]:
    """Return a record of the cache; empty for a page, which is JSON."""
    try:
        values = msgpack.decode(value)
    except DecodeError:
        return []
    return list(values)


@tabled
def test_forged_cached_values_reach_no_page(
    site: Site, monkeypatch: pytest.MonkeyPatch, html: str
) -> None:
    put = Cache.put

    def poison(cache: Cache, key: bytes, value: bytes) -> None:
        stored = record(value)
        if len(stored) == len(Quote.__struct_fields__):
            stored[0] = html
        put(cache, key, msgpack.encode(stored) if stored else value)

    with monkeypatch.context() as patched:
        patched.setattr(Cache, "put", poison)
        expected = site.build(PAGES).files()
    built = site.rebuild()
    assert built.files() == expected
    assert ", 0 from the cache" in built.infos[0]
    assert ", 1 from the cache" in site.rebuild().infos[0]


@tabled
def test_forged_data_of_the_last_build_reach_no_page(
    site: Site, monkeypatch: pytest.MonkeyPatch, at: list[int], forged: str | int
) -> None:
    put = Cache.put

    def poison(cache: Cache, key: bytes, value: bytes) -> None:
        stored = record(value)
        if stored and isinstance(stored[0], dict):  # the state
            *way, last = at
            found = stored[1]["index.md"]
            for step in way:
                found = found[step]
            found[last] = forged
        put(cache, key, msgpack.encode(stored) if stored else value)

    with monkeypatch.context() as patched:
        patched.setattr(Cache, "put", poison)
        expected = site.build(PAGES).files()
    site.write({"auth.md": PAGES["auth.md"] + "\nMore.\n"})  # so that it is answered anew
    assert site.rebuild().html() == expected["index.html"].decode()


@pytest.mark.parametrize("url", ["javascript:x()", "//evil.example/", "data:text/html,x", 'a"b'])
def test_a_forged_cached_page_is_quoted_only_as_text(
    site: Site, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """Whoever writes the cache can have anything said, but not run."""

    def poisoned(document: Document) -> bytes:
        blocks = []
        for block in document.blocks:
            text = f"Poisoned session expires {block.text} <script>x()</script>"
            marks = Mark(0, 8, "link", url), Mark(9, len(text), "code")
            blocks.append(replace(block, text=text, marks=marks))
        headings = [Heading("<img src=x onerror=x()>", h.level, '"><b>') for h in document.headings]
        titled = replace(document, title="<script>x()</script>", url=url)
        return pack(replace(titled, headings=tuple(headings), blocks=tuple(blocks)))

    fence = '```recall\nsource: "**"\nquery: session expires\nexplain: true\n```\n'
    with monkeypatch.context() as patched:
        patched.setattr("mkdocs_recall.text.document.pack", poisoned)
        site.build({"index.md": fence, "auth.md": PAGES["auth.md"], "b.md": "# B\n\nA token.\n"})
    html = site.build({"index.md": fence.replace("session expires", "session token")}).html()
    start, end = html.index("<article>") + len("<article>"), html.rindex("</article>")
    assert "Poisoned" in html
    judge_html(html[start:end])
    for link in BeautifulSoup(html, "html.parser").select("cite a"):
        assert not re.match(r"/|[a-z]+:", str(link["href"])), "it leads to a page of the site"


@pytest.mark.parametrize("form", ["blockquote", "list", "admonition"])
def test_every_kind_of_quote_comes_from_the_cache(site: Site, form: str) -> None:
    asked = [
        "source: auth.md\nquery: session expires\nexplain: true",
        "source: auth.md\nquery: zebra",
        'source: "**"\nquery: session code table\nunits: [prose, code, list, table]\nexplain: true',
        "source: auth.md\nquery: nothing of it\non_empty: omit",
    ]
    fences = [f"```recall\n{body}\nformat: {form}\n```\n" for body in asked]
    fences.append(f"```synopsis\nsource: auth.md\nformat: {form}\n```\n")
    page = (
        "# Auth & <b>\n\nA *session* <expires> & `a<b>`, see [x](b.md?a=1&b='2'#c).\n\n"
        '## "Q"\n\nDo:\n\n- a session\n- two\n\n```\nsession <code>\n```\n\n'
        "| Session | table |\n|---|---|\n| 1 | [y](../z) |\n"
    )
    site.build({"index.md": "\n".join(fences), "auth.md": page})
    assert f", {len(fences)} from the cache" in site.rebuild().infos[-1]


TRICKS: list[str] = beside(__file__)["TRICKS"]


def hostile(trick: str) -> dict[str, str]:
    """Return a page that holds a trick wherever it can, and one that quotes all of it."""
    page = (
        f'---\ntitle: "Auth <img src=x onerror=x()> {{{{ 191*7 }}}}"\n---\n\n'
        f"# A <script>x()</script> heading\n\n## Session {trick}\n\nA session expires.\n\n"
        f"{trick}\n\nA session {trick} expires.\n\n- A session {trick} expires\n- then\n\n"
        f"| Session | {trick} |\n|---|---|\n| session expires | {trick} |\n\n"
        f'!!! note "{trick[:20]}"\n    A session {trick} expires.\n\n'
        f"```html\nsession expires {trick}\n```\n"
    )
    bodies = [
        "format: blockquote\nexplain: true",
        "format: list\nunits: [code, list, table, admonition, prose]",
        "format: admonition\nunits: [code, list, table, admonition, prose]",
    ]
    asked = re.sub(r"[\x00-\x1f]", " ", f"session expires {trick}")  # no fence may hold these
    fences = [
        f"```recall\nsource: a.md\nquery: {json.dumps(asked)}\nmax_sentences: 30\n{body}\n```\n"
        for body in bodies
    ]
    return {"index.md": "\n".join(fences), "a.md": page}


@pytest.mark.parametrize("trick", TRICKS, ids=range(len(TRICKS)))
def test_a_quote_of_a_hostile_page_holds_text_and_allowed_marks(site: Site, trick: str) -> None:
    html = site.build(hostile(trick)).html()
    start, end = html.index("<article>") + len("<article>"), html.rindex("</article>")
    assert "session expires" in html[start:end] or "has no sentence to quote" in html[start:end]
    judge_html(html[start:end])


@pytest.mark.parametrize("trick", TRICKS, ids=range(len(TRICKS)))
def test_so_does_the_same_quote_as_markdown_whoever_reads_that(site: Site, trick: str) -> None:
    site.write(hostile(trick))
    rendered = FileRenderer(Corpus.from_site(site.configure(), cache=False)).render(
        site.docs / "index.md"
    )
    assert "session expires" in rendered.text or rendered.text == "", "nothing is found"
    judge_html(markdown(rendered.text, extensions=["extra", "admonition", "toc"]))
    judge_html(MarkdownIt("commonmark").render(rendered.text))


TEMPLATES = [
    "{{ 191*7 }}",
    "{% raw %}",
    "{# x #}",
    "{{{ 191*7 }}}",
    "{{191*7}}{{191*7}}",
    "{%- set x = 1 %}",
]
AGAIN = """
def on_post_page(output, page, config):
    return config.theme.get_env().from_string(output).render()
"""


def test_a_quote_has_no_template_for_a_later_plugin_to_fill(site: Site) -> None:
    lines = "".join(f"A session expires {text} late.\n\n" for text in TEMPLATES)
    title = '---\ntitle: "{{ 191*7 }} {% x %}"\n---\n'
    page = f"{title}{lines}```\nsession {' '.join(TEMPLATES)}\n```\n"
    fence = (
        '```recall\nsource: a.txt.md\nquery: "session expires {{ 191*7 }}"\nmax_sentences: 20\n'
        "units: [prose, code]\nexplain: true\nformat: admonition\n```\n"
        '```recall\nsource: a.txt.md\nquery: x\nscorer: "{{ 191*7 }}{% x %}"\n```\n'
    )
    built = site.build({"index.md": fence, "a.txt.md": page})
    plain = built.page().select_one("article")
    assert plain is not None
    assert not re.search(r"\{[{%#]", built.html())
    for text in TEMPLATES:
        assert text in plain.get_text()
    site.configure(hook=AGAIN)
    (site.docs / "a.txt.md").write_text(page.replace("{", "&#123;"), encoding="utf-8")
    again = site.rebuild().page().select_one("article")
    assert again is not None
    assert "1337" not in again.get_text()
    assert "{{ 191*7 }}" in again.get_text()


@tabled
def test_changes_of_text_direction_end_with_the_quote(site: Site, text: str, closing: str) -> None:
    pages = {"a.md": f"# A\n\nA **{text}.** More.\n\n- {text}\n"}
    for form in ("blockquote", "list"):
        fence = (
            f"```recall\nsource: a.md\nquery: session expires\ncontext: 0\nformat: {form}\n```\n"
        )
        built = site.build({"index.md": fence, **pages})
        assert f"{text}.{closing}" in built.page().get_text()
    page = site.docs / "index.md"
    rendered = FileRenderer(Corpus.from_site(site.root / "mkdocs.yml")).render(page)
    assert f"{text}.{closing}" in rendered.text.replace("**", "")


HOSTILE_NAME = f"a\n::error::b\x1b[2J\x9b\u202e\u2028##[error]x\0{'y' * 3000}"
HOSTILE_CALLS: dict[str, tuple[str, dict[str, object]]] = {
    "recall": ("recall", {"query": f"when does a session {HOSTILE_NAME}", "source": HOSTILE_NAME}),
    "search": ("search", {"query": HOSTILE_NAME, "source": [HOSTILE_NAME]}),
    "synopsis": ("synopsis", {"source": HOSTILE_NAME}),
    "read_section": ("read_section", {"page": HOSTILE_NAME, "anchor": HOSTILE_NAME}),
    "list_pages": ("list_pages", {"source": HOSTILE_NAME}),
    "an anchor": ("read_section", {"page": "auth.md", "anchor": HOSTILE_NAME}),
}


@pytest.fixture(scope="module")
def replies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What a server in a process of its own replies to all hostile calls."""
    pytest.importorskip("mcp")
    terminal = hostile_pages(tmp_path_factory.mktemp("agents"))
    return dict(zip(HOSTILE_CALLS, call(terminal, HOSTILE_CALLS.values()), strict=True))


@pytest.mark.parametrize("name", HOSTILE_CALLS)
def test_an_agent_s_hostile_call_is_a_line(replies: dict[str, dict[str, Any]], name: str) -> None:
    said = replies[name]
    [content] = said["content"]
    assert is_one_plain_line(content["text"])
    if name != "an anchor":
        assert said["isError"]
        assert len(content["text"]) < 2000


def call(
    terminal: Terminal, calls: Collection[tuple[str, dict[str, object]]]
) -> list[dict[str, Any]]:
    """Call tools of a server that is a process, and return what is read from its pipe."""
    messages = [INITIALIZE, {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    messages += [
        request(number, "tools/call", name=tool, arguments=arguments)
        for number, (tool, arguments) in enumerate(calls, start=2)
    ]
    with terminal.start("mcp", "--docs", "docs") as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        for message in messages:
            server.stdin.write(json.dumps(message).encode() + b"\n")
        server.stdin.flush()
        replies: dict[int, dict[str, Any]] = {}
        while len(replies) <= len(calls):
            reply = json.loads(server.stdout.readline())
            replies[reply["id"]] = reply
        server.stdin.close()
        output = server.stderr.read().decode()
    assert not DRIVING.search(output)
    assert not AT_START.search(output)
    return [
        reply.get("result") or {"isError": True, "content": [{"text": reply["error"]["message"]}]}
        for _, reply in sorted(replies.items())
    ][1:]
