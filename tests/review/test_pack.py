"""`pack`: the answers to several queries in one file, within one budget, nothing twice."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from golden_demo import DEMO, ROOT
from hypothesis import given
from hypothesis import strategies as st
from terminal import Terminal

from mkdocs_recall import Corpus
from mkdocs_recall.directives.schema import recall_options, synopsis_options
from mkdocs_recall.errors import PackError
from mkdocs_recall.options import RecallOptions
from mkdocs_recall.rendering.markdown import TargetFile
from mkdocs_recall.retrieval.token_budget import estimate
from mkdocs_recall.review.pack import Pack, make_pack, pack_of
from mkdocs_recall.review.pack_file import OPTIONS, PackEntry, PackRequest, read_pack

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PAGES = {
    "index.md": "# Larch\n\nLarch keeps the files of a team.\n\nLarch runs on one small server.\n",
    "auth.md": (
        "# Auth\n\nLarch knows who you are.\n\n## Expiry\n\n"
        "A session expires after 12 hours without a request. It also ends with the browser.\n\n"
        "Whatever happens, a session ends after 30 days.\n\n"
        "## Tokens\n\nA token expires after a year.\n\nAn expired token is removed.\n"
    ),
    "ports.md": (
        "# Ports\n\nLarch listens on port 8443.\n\nMail goes out on port 587.\n\n"
        "A session expires after 12 hours without a request.\n"
    ),
}
CORPUS = Corpus.from_markdown(PAGES)
EXPIRY = "A session expires after 12 hours without a request."
FILE = "title: Larch\nmax_tokens: 400\noutput: AGENTS.md\nqueries:\n"
NO_ENTRY = "an entry of 'queries' must be text or options, not"
NO_YAML = "the options are not valid YAML"
SAME = "start both in the same column"
ASKED = (
    f"{FILE}  - {{query: when does a session expire, context: 0}}\n"
    "  - {query: which port has mail, priority: 2, context: 0}\n"
)


def entry(query: str, priority: float = 1.0, **options: Any) -> PackEntry:
    """Return an entry that is answered with single sentences, where no option says otherwise."""
    values: dict[str, Any] = {"source": "**", "on_empty": "omit", "min_score": 0, "context": 0}
    values |= options
    return PackEntry(recall_options(query, **values), priority)


def packed(*entries: PackEntry, max_tokens: int = 400, corpus: Corpus = CORPUS) -> Pack:
    return pack_of(entries, corpus, max_tokens)


def quoted(pack: Pack) -> list[str]:
    return [packed.passage.text for packed in pack.packed]


def test_the_text_has_pages_and_sections_in_reading_order_each_with_its_source() -> None:
    mail, session = entry("mail port", max_sentences=1), entry("session end", max_sentences=2)
    file = TargetFile(uri="", folder="/", root="/docs")
    request = PackRequest((mail, session), 400, title="Larch", intro="*Read this.*")
    assert make_pack(request, CORPUS, file, comment="<!-- made -->").text == (
        "<!-- made -->\n\n# Larch\n\n*Read this.*\n\n## Auth\n\n"
        f"> {EXPIRY} It also ends with the browser. "
        "Whatever happens, a session ends after 30 days.\n>\n"
        "> — [Auth › Expiry](docs/auth.md#expiry)\n\n## Ports\n\n"
        "> Mail goes out on port 587.\n>\n> — [Ports](docs/ports.md#ports)\n"
    )


def test_each_query_gets_its_best_passage_before_any_gets_a_second() -> None:
    queries = ["larch server", "session expire", "token expire", "mail port"]
    entries = [entry(query) for query in queries]
    best = packed(*(entry(query, max_sentences=1) for query in queries))
    assert len(best.packed) == len(queries)
    pack = packed(*entries, max_tokens=best.tokens)
    assert pack.text == best.text
    assert pack.left_out
    assert len(packed(*entries, max_tokens=best.tokens + 30).packed) > len(queries)


def test_a_greater_priority_comes_first_where_the_budget_is_small() -> None:
    mail, token = entry("mail port", max_sentences=1), entry("token year", max_sentences=1)
    few = max(packed(mail).tokens, packed(token).tokens)
    assert quoted(packed(mail, token, max_tokens=few)) == ["Mail goes out on port 587."]
    urgent = PackEntry(token.options, priority=1.5)
    pack = packed(mail, urgent, max_tokens=few)
    assert quoted(pack) == ["A token expires after a year."]
    assert [left.passage.text for left in pack.left_out] == ["Mail goes out on port 587."]


def test_priority_counts_among_the_other_passages_too() -> None:
    """Of three sections of equal length each, only the order decides."""
    animals = {"cats": "cat", "dogs": "dog"}
    pages = {
        f"{name}.md": "".join(f"## {n}\n\nA {one} has {n * 111} toys.\n\n" for n in range(1, 4))
        for name, one in animals.items()
    }
    corpus = Corpus.from_markdown(pages)
    cats, dogs = entry("cat toys", source="cats.md"), entry("dog toys", source="dogs.md")
    most = packed(cats, dogs, corpus=corpus).tokens
    for favourite, other in ((cats, dogs), (dogs, cats)):
        preferred = PackEntry(favourite.options, 9)
        pack = packed(other, preferred, max_tokens=most - 9, corpus=corpus)
        assert {left.entry for left in pack.left_out} == {other}


def test_a_sentence_of_several_pages_or_queries_is_quoted_once() -> None:
    pack = packed(entry("session expires hours"), entry("session without a request"))
    assert pack.text.count(EXPIRY) == 1
    assert "8443" not in pack.text or pack.text.count("8443") == 1


def test_a_passage_within_the_context_of_another_is_not_quoted_again() -> None:
    pages = {
        "a.md": f"# A\n\n{EXPIRY} It also ends with the browser.\n",
        "b.md": f"# B\n\n{EXPIRY} This is checked each minute.\n",
    }
    corpus = Corpus.from_markdown(pages)
    queries = [entry("ends with the browser"), entry("checked each minute"), entry("12 hours")]
    for order in (queries, queries[::-1]):
        pack = packed(*order, corpus=corpus)
        assert pack.text.count(EXPIRY) == 1
        assert pack.text.count("minute") == pack.text.count("browser") == 1


def test_a_budget_too_small_for_the_first_passage_is_an_error_with_both_numbers() -> None:
    with pytest.raises(PackError) as caught:
        packed(entry("mail port"), max_tokens=10)
    match = re.fullmatch(
        r"the first passage, of 'ports.md#ports', needs (\d+) tokens with the title and its "
        r"source, and 'max_tokens' is 10",
        str(caught.value),
    )
    assert match
    needed = int(match[1])
    assert packed(entry("mail port"), max_tokens=needed).packed
    with pytest.raises(PackError):
        packed(entry("mail port"), max_tokens=needed - 1)


@given(
    max_tokens=st.integers(40, 500), queries=st.lists(st.sampled_from(sorted(PAGES)), min_size=1)
)
def test_the_text_never_exceeds_the_budget(max_tokens: int, queries: list[str]) -> None:
    words = [" ".join(PAGES[uri].split()[2:9]) for uri in queries]
    pack = packed(*map(entry, words), max_tokens=max_tokens)
    assert pack.tokens == estimate(pack.text) <= max_tokens
    sentences = [packed.passage.sentence.text for packed in pack.packed]
    assert len(sentences) == len({*sentences})


def test_a_counter_that_finds_more_in_the_whole_than_in_its_parts_is_obeyed() -> None:
    def superlinear(text: str) -> int:
        return len(text) ** 2 // 100

    file = TargetFile(uri="", folder="/", root="/")
    entries = tuple(map(entry, ("session", "port", "token", "larch")))
    request = PackRequest(entries, 900, token_counter=superlinear)
    pack = make_pack(request, CORPUS, file)
    assert pack.packed
    assert superlinear(pack.text) == pack.tokens <= 900
    assert pack.left_out
    with pytest.raises(PackError, match="needs"):
        make_pack(replace(request, max_tokens=20), CORPUS, file)


def test_synopses_of_several_pages_give_the_best_of_each_first() -> None:
    options = synopsis_options(source="**", max_sentences=3)
    whole = packed(PackEntry(options))
    best = {CORPUS.synopsis(uri, max_sentences=1).passages[0].text for uri in PAGES}
    pack = packed(PackEntry(options), max_tokens=whole.tokens - 20)
    assert pack.left_out
    assert best <= {*quoted(pack), EXPIRY}


def test_an_entry_without_max_sentences_fills_the_budget() -> None:
    assert len(packed(entry("session token larch")).packed) > 3
    assert len(packed(entry("session token larch", max_sentences=2)).packed) == 2


def test_an_entry_is_answered_with_places_unless_it_says_otherwise() -> None:
    for text in ("when does a session expire", "{query: when does a session expire}"):
        (made,) = read_pack(f"max_tokens: 99\nqueries: [{text}]\n").entries
        assert isinstance(made.options, RecallOptions)
        assert made.options.context == "auto"
    whole = quoted(packed(entry("token removed", source="auth.md", context="auto")))
    assert "A token expires after a year. An expired token is removed." in whole
    alone = quoted(packed(entry("token removed", source="auth.md")))
    assert "An expired token is removed." in alone


def test_places_fill_the_budget_and_the_last_has_the_context_that_fits() -> None:
    steps = "".join(f"Step {number} of the setup takes a minute. " for number in range(9))
    pages = {f"{n}.md": f"# Setup {n}\n\n{steps}\n\nThe setup needs disk {n}.\n" for n in range(4)}
    corpus = Corpus.from_markdown(pages)
    asked = entry("which disk does the setup need?", context="auto")
    sizes = []
    for max_tokens in range(40, 400, 30):
        pack = packed(asked, max_tokens=max_tokens, corpus=corpus)
        assert pack.tokens <= max_tokens
        assert pack.packed, "the first place fits without its context"
        sizes.append(pack.tokens)
    assert sizes == sorted(sizes)
    assert len(pack.packed) > 1
    lengths = {len(each.passage.quotation.sentences) for each in pack.packed}
    assert len(lengths) > 1, "the last one has less context"


def test_the_context_of_one_entry_leaves_room_for_the_best_sentence_of_each() -> None:
    topics = ("apple", "birch", "cedar")
    rest = "Much more is to be said of it, at some length. " * 5
    pages = {f"{t}.md": f"# {t}\n\n{rest}\n\nThe {t} grows on hills.\n" for t in topics}
    corpus = Corpus.from_markdown(pages)
    alone = packed(*(entry(f"where does the {t} grow?") for t in topics), corpus=corpus)
    entries = [entry(f"where does the {t} grow?", context="auto") for t in topics]
    for max_tokens in (alone.tokens, alone.tokens + 60):
        pack = packed(*entries, max_tokens=max_tokens, corpus=corpus)
        assert [each.passage.uri for each in pack.packed] == list(pages)
    assert pack.tokens > alone.tokens


def test_a_place_that_fits_nowhere_is_left_out_and_stops_nothing() -> None:
    long = "A blob is " + "very " * 200 + "long."
    corpus = Corpus.from_markdown({**PAGES, "blob.md": f"# Blob\n\n{long}\n"})
    entries = [entry("session expire", context="auto"), entry("long blob", context="auto")]
    pack = packed(*entries, max_tokens=120, corpus=corpus)
    assert pack.packed
    assert long in [left.passage.sentence.text for left in pack.left_out]


def test_the_same_entries_make_the_same_text() -> None:
    entries = [entry("session"), entry("token"), entry("port")]
    texts = {packed(*entries, corpus=Corpus.from_markdown(PAGES)).text for _ in range(3)}
    assert len(texts) == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("max_tokens: 9\nquries: [a b]\n", (2, "unknown option 'quries'; did you mean 'queries'?")),
        ("queries: [a b]\n", (0, "'max_tokens' is required: how long may the pack be?")),
        (
            "max_tokens: 9\n",
            (0, "there are no queries: list some below 'queries' or 'synopses'"),
        ),
        (
            "max_tokens: 9\nqueries: how so\n",
            (2, "'queries' must be a list, not 'how so'; begin each entry with '- '"),
        ),
        (
            "max_tokens: 9\nqueries:\n  - a b\n  - 404\n",
            (4, f'{NO_ENTRY} a number; put it in quotes: "404"'),
        ),
        (
            "max_tokens: 9\nqueries:\n  - query: a\n    source: x.md\n    max_sentence: 3\n",
            (5, "unknown option 'max_sentence'; did you mean 'max_sentences'?"),
        ),
        (
            "max_tokens: 9\nqueries:\n  - query: a\n    priorty: 3\n",
            (4, "unknown option 'priorty'; did you mean 'priority'?"),
        ),
        (
            "max_tokens: 9\nqueries:\n  - priority: high\n    query: a\n",
            (3, "'priority' must be a number greater than 0, and less than a billion, not 'high'"),
        ),
        (
            "max_tokens: 9\nqueries:\n- {query: a, cite: false}\n",
            (3, "'cite' has no effect on an entry of a pack; leave it out"),
        ),
        (
            "max_tokens: 9\nsynopses:\n  -\n    max_sentences: 2\n",
            (4, "'source' is required: which pages is the synopsis about?"),
        ),
        (
            "max_tokens: 9\nqueries:\n  - source: a.md\n",
            (3, "'query' is required: what should the quote answer?"),
        ),
        (
            "max_tokens: many\nqueries: [a]\n",
            (1, "'max_tokens' must be a whole number, not 'many'"),
        ),
        (
            "title: 2026\nmax_tokens: 9\nqueries: [a]\n",
            (1, "'title' must be text on one line, not 2026; put it in quotes: \"2026\""),
        ),
        (
            "max_tokens: 9\nqueries:\n  - query: a: b\n",
            (3, 'the options are not valid YAML; put the value in quotes: query: "a: b"'),
        ),
        (
            "max_tokens: 9\nqueries:\n  - query: a\n    units: code\n  - query: a: b\n",
            (5, 'the options are not valid YAML; put the value in quotes: query: "a: b"'),
        ),
        (
            "max_tokens: 9\nqueries:\n  - query: a\n   units: code\n",
            (4, f"{NO_YAML}: the line is indented less than the one above; {SAME}"),
        ),
    ],
)
def test_faults_are_reported_with_their_line_and_the_remedy(
    text: str, fault: tuple[int, str]
) -> None:
    with pytest.raises(PackError) as caught:
        read_pack(text)
    assert caught.value.faults == (fault,)


@given(
    lines=st.lists(
        st.sampled_from(["queries:", "synopses: [a]", "max_tokens: 9", "- query: a", "- b"])
        | st.text("-:[]{}&*!|>'\"# \t\n\x00\x85\u2028\ufeffa1"),
        max_size=6,
    ),
    indents=st.lists(st.integers(0, 4), min_size=6, max_size=6),
)
def test_whatever_stands_in_a_file_it_is_read_or_a_fault(
    lines: list[str], indents: list[int]
) -> None:
    text = "\n".join(" " * indent + line for indent, line in zip(indents, lines, strict=False))
    with suppress(PackError):
        assert read_pack(text).entries


def test_all_faults_of_a_file_are_reported_together() -> None:
    with pytest.raises(PackError) as caught:
        read_pack("max_token: 9\nqueries:\n  - query: a\n    units: proze\n  - {qeury: b}\n")
    assert [line for line, _ in caught.value.faults] == [1, 4, 5]


def test_entries_have_the_options_of_a_fence_in_any_form_of_yaml() -> None:
    text = (
        "max_tokens: 500\r\nintro: |\r\n  One.\r\n\r\n  Two.\r\nqueries:\r\n"
        "- how do I\r\n  install it\r\n"
        "-   query: [a, {text: b, weight: 2}]\r\n    # why\r\n    source:\r\n    - x.md\r\n"
        "    priority: .5\r\n"
        "- {query: c, units: [code]}\r\nsynopses: [guides/]\r\n"
    )
    request = read_pack(text, defaults={"max_sentences": 7})
    assert (request.max_tokens, request.intro) == (500, "One.\n\nTwo.")
    assert [entry.label for entry in request.entries] == [
        "how do I install it",
        "a, b",
        "c",
        "synopsis of guides/",
    ]
    assert [entry.line for entry in request.entries] == [7, 9, 14, 15]
    assert [entry.priority for entry in request.entries] == [1, 0.5, 1, 1]
    assert {entry.options.max_sentences for entry in request.entries} == {7}
    assert [entry.options.source for entry in request.entries] == [
        ("**",),
        ("x.md",),
        ("**",),
        ("guides/",),
    ]


def test_the_counter_of_the_site_counts_unless_the_pack_states_one() -> None:
    text = "max_tokens: 9\nqueries: [a]\n"
    site = {"token_counter": "cl100k"}
    own = read_pack(f"token_counter: estimate\n{text}", defaults=site)
    requests = [read_pack(text), read_pack(text, defaults=site), own]
    assert [request.token_counter for request in requests] == [None, "cl100k", "estimate"]
    assert own.entries[0].options.token_counter == own.token_counter


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    terminal = Terminal(tmp_path)
    terminal.write(PAGES)
    terminal.configure("site_name: Larch\nplugins: [recall]\n")
    terminal.write({"pack.yml": ASKED}, folder=".")
    return terminal


def record(said: str) -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = json.loads(said)
    return loaded


def test_the_file_is_written_verified_and_checked_for_drift(terminal: Terminal) -> None:
    said = terminal.run("pack", "pack.yml")
    assert (said.status, said.out) == (0, "")
    file = terminal.folder / "AGENTS.md"
    text = file.read_text(encoding="utf-8")
    assert text.startswith("<!-- mkdocs-recall pack: edit 'pack.yml' instead -->\n\n# Larch\n")
    assert f"> {EXPIRY}" in text
    assert "(docs/auth.md#expiry)" in text
    assert f"{estimate(text)} of 400 tokens.\n" in said.err
    assert terminal.run("verify", "AGENTS.md").status == 0
    assert terminal.run("pack", "pack.yml", "--check").status == 0
    page = PAGES["auth.md"].replace("12 hours", "8 hours")
    terminal.write({"auth.md": page, "ports.md": PAGES["ports.md"].replace("12", "8")})
    said = terminal.run("pack", "pack.yml", "--check")
    assert said.status == 3
    assert "\n-> A session expires after 12 hours" in said.out
    assert "\n+> A session expires after 8 hours" in said.out
    assert "'AGENTS.md' is out of date" in said.err
    assert file.read_text(encoding="utf-8") == text
    assert terminal.run("pack", "pack.yml").status == 0
    assert terminal.run("pack", "pack.yml", "--check").status == 0


def test_an_output_with_windows_line_ends_is_up_to_date(terminal: Terminal) -> None:
    assert terminal.run("pack", "pack.yml").status == 0
    file = terminal.folder / "AGENTS.md"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    said = terminal.run("pack", "pack.yml", "--check")
    assert (said.status, said.out) == (0, "")


def test_a_missing_output_is_drift_and_stdout_cannot_drift(terminal: Terminal) -> None:
    said = terminal.run("pack", "pack.yml", "--check")
    assert (said.status, said.out) == (3, "AGENTS.md is not there\n")
    said = terminal.run("pack", "pack.yml", "--check", "--output", "-")
    assert (said.status, "name that with --output" in said.err) == (2, True)


def test_stdout_has_the_text_alone(terminal: Terminal) -> None:
    said = terminal.run("pack", "pack.yml", "--output", "-")
    assert said.out.startswith("<!-- mkdocs-recall pack: ")
    assert not (terminal.folder / "AGENTS.md").exists()
    terminal.run("pack", "pack.yml")
    assert (terminal.folder / "AGENTS.md").read_text(encoding="utf-8") == said.out


def test_json_has_what_is_in_the_text_and_what_is_left_out(terminal: Terminal) -> None:
    few = ASKED.replace("400", "90") + "  - what is a walrus\n"
    terminal.write({"pack.yml": few}, folder=".")
    said = terminal.run("pack", "pack.yml", "--json", "--output", "-")
    pack = record(said.out)
    assert (pack["schema"], pack["output"], pack["current"]) == (1, None, None)
    assert pack["tokens"] == estimate(pack["text"]) <= pack["max_tokens"] == 90
    assert [passage["asked"] for passage in pack["passages"]][-1] == "which port has mail"
    assert pack["passages"][0]["file"].endswith("auth.md")
    assert {left["asked"] for left in pack["left_out"]} == {"when does a session expire"}
    assert pack["unanswered"] == ["what is a walrus"]
    assert "Warning: pack.yml:7: 'what is a walrus' has no answer: " in said.err
    assert re.search(
        r"^Left out: \d passages? for 'when does a session expire': ", said.err, re.MULTILINE
    )
    assert terminal.run("verify", "-", given=said.out.encode()).status == 0


def test_a_file_that_somebody_wrote_by_hand_is_never_replaced(terminal: Terminal) -> None:
    terminal.write({"AGENTS.md": "# Mine\n"}, folder=".")
    for more in ((), ("--check",), ("--json",)):
        said = terminal.run("pack", "pack.yml", *more)
        assert (said.status, "'AGENTS.md' was not written by this command" in said.err) == (2, True)
    assert (terminal.folder / "AGENTS.md").read_text(encoding="utf-8") == "# Mine\n"


@pytest.mark.parametrize("output", ["../out.md", "/out.md", "docs", "pack.yml"])
def test_a_pack_file_names_no_output_elsewhere(terminal: Terminal, output: str) -> None:
    terminal.write({"pack.yml": ASKED.replace("AGENTS.md", output)}, folder=".")
    said = terminal.run("pack", "pack.yml")
    assert (said.status, "Error: pack.yml: 'output' is '" in said.err) == (2, True)


def test_an_output_among_the_pages_is_refused_lest_it_quotes_itself(terminal: Terminal) -> None:
    terminal.write({"docs/agents.md": "<!-- mkdocs-recall pack: x -->\n"}, folder=".")
    for link in ("docs/agents.md", "docs/../docs/agents.md"):
        said = terminal.run("pack", "pack.yml", "--output", link)
        assert said.status == 2
        assert said.err == (
            f"Error: pack.yml: '{link}' is a page, and would quote itself; "
            "write it to another folder\n"
        )


def test_a_link_that_leads_elsewhere_is_never_written_through(terminal: Terminal) -> None:
    elsewhere = terminal.folder.parent / f"{terminal.folder.name}.elsewhere"
    elsewhere.write_bytes(b"")
    (terminal.folder / "AGENTS.md").symlink_to(elsewhere)
    for more in ((), ("--output", "AGENTS.md")):
        said = terminal.run("pack", "pack.yml", *more)
        assert (said.status, "if you trust it, name" in said.err) == (2, True)
    assert elsewhere.read_bytes() == b""


def test_what_an_entry_cuts_by_a_budget_of_its_own_is_listed(terminal: Terminal) -> None:
    own = "  - {query: session, source: auth.md, context: 0, max_sentences: 3, max_tokens: 15}\n"
    terminal.write({"pack.yml": FILE + own}, folder=".")
    pack = record(terminal.run("pack", "pack.yml", "--json", "--output", "-").out)
    assert pack["passages"]
    assert {left["asked"] for left in pack["left_out"]} == {"session"}


def test_faults_of_the_file_and_of_the_answers_name_file_and_line(terminal: Terminal) -> None:
    terminal.write({"pack.yml": f"{ASKED}  - query: x\n    source: aut.md\n"}, folder=".")
    said = terminal.run("pack", "pack.yml")
    assert said.status == 2
    assert said.err == (
        "Error: pack.yml:7: source 'aut.md' is not a page of this site; did you mean 'auth.md'?\n"
    )
    terminal.write({"pack.yml": f"{ASKED}  - query: x\n    units: proze\n"}, folder=".")
    assert terminal.run("pack", "pack.yml").err.startswith(
        "Error: pack.yml:8: unknown unit 'proze'; did you mean 'prose'?"
    )
    said = terminal.run("pack", "missing.yml")
    assert (said.status, "Error: 'missing.yml' cannot be read: " in said.err) == (2, True)


def test_nothing_is_written_where_nothing_answers(terminal: Terminal) -> None:
    terminal.write({"pack.yml": f"{FILE}  - what is a walrus\n"}, folder=".")
    said = terminal.run("pack", "pack.yml")
    assert (said.status, "Nothing found: " in said.err) == (1, True)
    assert not (terminal.folder / "AGENTS.md").exists()


def test_an_entry_may_require_an_answer_and_what_it_holds(terminal: Terminal) -> None:
    strict = f"{ASKED}  - {{query: what is a walrus, on_empty: error}}\n"
    terminal.write({"pack.yml": strict}, folder=".")
    said = terminal.run("pack", "pack.yml")
    assert (said.status, "Error: pack.yml:7: no sentence answers the query" in said.err) == (
        2,
        True,
    )
    expecting = f"{ASKED}  - {{query: when does a token expire, expect: two years}}\n"
    terminal.write({"pack.yml": expecting}, folder=".")
    said = terminal.run("pack", "pack.yml")
    assert said.status == 0
    assert "Warning: pack.yml:7: " in said.err
    assert "two years" in said.err


def test_expired_pages_are_packed_only_where_that_is_wanted(terminal: Terminal) -> None:
    old = "---\nt_expired: 2020-01-01\n---\n# Old\n\nThe walrus port was 99.\n"
    terminal.write({"old.md": old})
    variables = {"SOURCE_DATE_EPOCH": "1767225600"}
    asked = f"{ASKED}  - walrus port\n"
    terminal.write({"pack.yml": asked}, folder=".")
    run = ("pack", "pack.yml", "--output", "-")
    assert "walrus port was" not in terminal.run(*run, variables=variables).out
    assert "walrus port was" in terminal.run(*run, "--include-expired", variables=variables).out
    wanted = f"{ASKED}  - {{query: walrus port, include_expired: true}}\n"
    terminal.write({"pack.yml": wanted}, folder=".")
    assert "walrus port was" in terminal.run(*run, variables=variables).out


def test_the_example_in_the_documentation_writes_what_it_shows(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    shutil.copytree(DEMO, tmp_path / "demo_site")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    page = (DEMO / "packs.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(yaml|console|markdown)\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    (_, pack), (_, console), (_, text) = blocks[:3]
    terminal.write({"pack.yml": pack}, folder=".")
    said = terminal.run("pack", "pack.yml")
    assert f"$ mkdocs-recall pack pack.yml\n{said.err}{said.out}" == console
    assert (tmp_path / "AGENTS.md").read_text(encoding="utf-8") == text


def test_every_option_of_a_pack_is_in_the_documentation() -> None:
    page = (DEMO / "packs.md").read_text(encoding="utf-8")
    table = page.partition("## Options of a pack\n")[2].partition("\n\n| ")[0]
    assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == set(OPTIONS)


def test_no_name_of_a_pack_file_ends_the_comment_at_the_top(terminal: Terminal) -> None:
    terminal.write({"a-->b.yml": ASKED}, folder=".")
    assert terminal.run("pack", "a-->b.yml").status == 0
    text = (terminal.folder / "AGENTS.md").read_text(encoding="utf-8")
    assert text.startswith("<!-- mkdocs-recall pack: edit the pack file instead -->\n\n# Larch\n")
