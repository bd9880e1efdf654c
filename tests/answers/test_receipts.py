"""Receipts and `verify`: quotes are found again, and changes are noticed."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from time import process_time
from typing import Any

import pytest
from conftest import Site
from hypothesis import given, strategies as st
from tables import Steps, beside, tabled
from terminal import Terminal

import mkdocs_recall
from mkdocs_recall import Corpus, Result
from mkdocs_recall.answers.statements import (
    Verification,
    Verifier,
    quotes_in,
    read_claims,
)
from mkdocs_recall.answers.whitelist import is_clean
from mkdocs_recall.errors import RecordError
from mkdocs_recall.options import UNITS
from mkdocs_recall.text.wording import wording_digest

AUTH: str = beside(__file__)["AUTH"]
PAGES = {"index.md": "# Larch\n\nLarch keeps files.\n", "auth.md": AUTH}
QUERIES = ("session expire hours", "larch ends a session", "sessions.idle default", "token run")
SENTENCES = (
    "A session does not expire before 12 hours have passed.",
    "Each request starts the idle clock anew.",
    "Larch keeps files.",
    "Larch knows who you are.",
)


def verified(text: str, pages: dict[str, str] | None = None) -> list[Verification]:
    return list(Verifier(Corpus.from_markdown(pages or PAGES)).verify(read_claims(text)))


def verdict(text: str, source: str = "auth.md#expiry", pages: dict[str, str] | None = None) -> str:
    (result,) = verified(json.dumps([{"text": text, "source": source}]), pages)
    return result.verdict


def answers(corpus: Corpus) -> list[Result]:
    return [corpus.recall(query, units=UNITS, context=1) for query in QUERIES]


def test_each_passage_carries_its_receipt_and_it_comes_back_from_json() -> None:
    result = Corpus.from_markdown(PAGES).recall(QUERIES[0], max_sentences=1)
    result = replace(result, site="Larch")
    (passage,) = json.loads(result.to_json())["passages"]
    assert passage["receipt"] == {
        "site": "Larch",
        "version": mkdocs_recall.__version__,
        "uri": "auth.md",
        "anchor": "expiry",
        "line": 7,
        "digest": wording_digest(passage["sentence"]),
    }
    assert Result.from_json(result.to_json()).to_json() == result.to_json()


STEPS = '# Larch\n\n=== "Linux"\n\n    1. Fell it.\n    2. Saw it.\n    3. Burn it.\n'


@pytest.mark.parametrize("text", ["Linux: 1. Fell it.\n2. Saw it.", "Linux: …\n3. Burn it."])
def test_steps_are_verified_with_their_numbers(text: str) -> None:
    pages = {"auth.md": STEPS}
    assert verdict(text, "auth.md", pages) == "exact"
    assert verdict(text.replace("it", "them"), "auth.md", pages) != "exact"


@pytest.mark.parametrize("word", ["No", "7", "Not"])
def test_a_quoted_step_has_its_own_number(word: str) -> None:
    text = f"Linux: 1. Fell it.\n… {word}. Burn it."
    assert verdict(text.replace(word, "3"), "auth.md", {"auth.md": STEPS}) == "exact"
    assert verdict(text, "auth.md", {"auth.md": STEPS}) != "exact"


def test_a_lettered_step_is_found_without_the_name_of_its_page() -> None:
    pages = {"auth.md": '# Larch\n\n<ol type="a"><li>Fell it.</li><li>Saw it.</li></ol>\n'}
    assert verdict("b. Saw it.", "", pages) == "exact"
    assert verdict("c. Saw it.", "", pages) != "exact"


def test_long_quotes_of_long_lists_are_verified_in_linear_time() -> None:
    steps = "\n".join(f"{number}. Step {number} fells it." for number in range(1, 5001))
    start = process_time()
    assert verdict(f"{steps} Gone.", "auth.md", {"auth.md": f"# Larch\n\n{steps}\n"}) != "exact"
    assert process_time() - start < 10  # two; a square of the size takes 17


def test_a_result_of_older_versions_without_receipts_is_verified() -> None:
    record = json.loads(Corpus.from_markdown(PAGES).recall(QUERIES[0]).to_json())
    del record["site"]
    for passage in record["passages"]:
        del passage["receipt"]
    assert Result.from_json(json.dumps(record)).passages
    assert {result.verdict for result in verified(json.dumps(record))} == {"exact"}


def test_quotes_are_exact_while_pages_are_unchanged() -> None:
    for result in answers(Corpus.from_markdown(PAGES)):
        assert result.passages
        assert {claim.verdict for claim in verified(result.to_json())} == {"exact"}


@pytest.mark.parametrize("what", ["code", "description"])
def test_whole_code_and_a_sentence_of_a_description_are_found_by_their_digests(what: str) -> None:
    description = "Larch keeps old files. It also keeps who wrote them."
    page = f"---\ndescription: {description}\n---\n{AUTH}"
    corpus = Corpus.from_markdown({"auth.md": page})
    if what == "code":
        result = corpus.recall("token new", units=["code"], max_sentences=1)
    else:
        result = corpus.synopsis("auth.md", prefer_description=True, max_sentences=1)
    (found,) = Verifier(corpus).verify(read_claims(result.to_json()))
    assert (found.verdict, bool(found.claim.digests)) == ("exact", True)


def test_a_bare_receipt_is_verified_by_its_digest() -> None:
    receipt = {
        "uri": "auth.md",
        "anchor": "expiry",
        "line": 1,
        "digest": wording_digest(SENTENCES[0]),
    }
    (exact,) = verified(json.dumps({"receipts": [receipt]}))
    (gone,) = verified(json.dumps([{**receipt, "digest": "0" * 32}]))
    assert (exact.verdict, exact.line, gone.verdict) == ("exact", 7, "gone")


def test_a_receipt_that_is_not_of_its_sentence_is_a_change() -> None:
    record = {"text": SENTENCES[0], "receipt": {"uri": "auth.md", "digest": "0" * 32}}
    (result,) = verified(json.dumps([record]))
    assert result.verdict == "changed"


@tabled
def test_a_sentence_that_stands_elsewhere_has_moved(source: str, expected: str, place: str) -> None:
    (result,) = verified(json.dumps([{"text": SENTENCES[0], "source": source}]))
    assert (result.verdict, result.source) == (expected, place)


def test_a_changed_sentence_has_the_nearest_match_and_a_word_diff() -> None:
    (result,) = verified(
        json.dumps([{"text": SENTENCES[0].replace("12", "24"), "source": "auth.md#expiry"}])
    )
    assert result.verdict == "changed"
    assert result.now == SENTENCES[0]
    assert result.diff == "A session does not expire before [-24-] {+12+} hours have passed."


def test_only_the_changed_sentence_is_shown() -> None:
    text = f"{SENTENCES[0]} {SENTENCES[1].replace('idle', 'idle or')}"
    (result,) = verified(json.dumps([{"text": text, "source": "auth.md#expiry"}]))
    assert result.diff == "Each request starts the idle [-or-] clock anew."


@pytest.mark.parametrize(
    "text", ["Walruses sleep in the sea.", "A session does not expire.", "hours have passed."]
)
def test_only_whole_sentences_of_a_page_are_exact(text: str) -> None:
    assert verdict(text) in {"changed", "gone"}


@st.composite
def mutations(draw: st.DrawFn) -> str:
    """Return a sentence with one change of a letter, a digit, a word or the order of words."""
    text = draw(st.sampled_from(SENTENCES))
    words = text.split()
    number = draw(st.integers(0, len(words) - 1))
    kind = draw(st.sampled_from(["letter", "drop", "swap", "negate", "double", "case"]))
    if kind == "letter":
        at = draw(st.sampled_from([i for i, c in enumerate(text) if c.isalnum()]))
        letter = draw(st.sampled_from("abcxyz0123789é"))
        mutated = text[:at] + letter + text[at + 1 :]
    elif kind == "drop":
        mutated = " ".join(words[:number] + words[number + 1 :])
    elif kind == "swap":
        other = draw(st.integers(0, len(words) - 1))
        words[number], words[other] = words[other], words[number]
        mutated = " ".join(words)
    elif kind == "negate":
        mutated = " ".join([*words[:number], "not", *words[number:]])
    elif kind == "double":
        mutated = " ".join([*words[:number], words[number], *words[number:]])
    else:
        mutated = text.swapcase()
    return mutated if mutated != text else f"No, {text}"


@given(mutations())
def test_every_mutated_sentence_is_caught(text: str) -> None:
    assert verdict(text, "") in {"changed", "gone"}


@given(text=mutations(), other=st.sampled_from(SENTENCES), first=st.booleans())
def test_a_mutated_sentence_beside_a_true_one_is_caught(
    text: str, other: str, *, first: bool
) -> None:
    both = f"{text} {other}" if first else f"{other} {text}"
    assert verdict(both, "") in {"changed", "gone"}


@given(st.sampled_from(SENTENCES), st.data())
def test_reflowed_and_re_marked_text_is_not_a_false_alarm(text: str, data: st.DataObject) -> None:
    words = text.split()
    marks = data.draw(
        st.lists(
            st.sampled_from(["{}", "{}", "**{}**", "*{}*", "`{}`", "[{}](x.md#y)"]),
            min_size=len(words),
            max_size=len(words),
        )
    )
    gaps = data.draw(
        st.lists(st.sampled_from([" ", "\n", "  "]), min_size=len(words), max_size=len(words))
    )
    marked = ""
    for word, mark, gap in zip(words, marks, gaps, strict=True):
        stem = word.rstrip(".")
        marked += mark.format(stem) + word[len(stem) :] + gap
    assert verdict(marked, "") == "exact"  # re-marked by who quotes
    assert verdict(text, "new.md", {"new.md": f"# New\n\n{marked}\n"}) == "exact"  # on its page


@tabled
def test_typographic_signs_cause_no_false_alarm(page: str, quote: str) -> None:
    assert verdict(quote, "a.md", {"a.md": page}) == "exact"
    assert verdict(page, "a.md", {"a.md": quote}) == "exact"


@tabled
def test_json_without_quotes_is_refused_with_the_place(text: str, fault: str) -> None:
    with pytest.raises(RecordError, match=fault):
        read_claims(text)


@tabled
def test_verify_tells_what_it_was_given(terminal: Terminal, case: Steps) -> None:
    terminal.follow(case)


ASK = "# Home\n\n```recall\nsource: auth.md\nquery: when does a session expire?\n{}\n```\n"


def built(site: Site, **recall: Any) -> str:
    site.build({"auth.md": AUTH, "index.md": ASK.format("cite: false")}, recall=recall)
    return (site.root / "site" / "index.html").read_text(encoding="utf-8")


def test_quotes_have_receipts_only_where_the_site_asks_for_them(site: Site) -> None:
    assert "data-recall" not in built(site)
    html = built(site, receipts=True)
    (attribute,) = re.findall(r'data-recall-receipts="([^"]*)"', html)
    digest = wording_digest(SENTENCES[0])
    assert f"auth.md#expiry::{digest}" in attribute.split()
    assert f'data-recall-site="Larch" data-recall-version="{mkdocs_recall.__version__}"' in html
    assert built(site, receipts=True) == html  # now from the cache
    assert "data-recall" not in built(site)


def test_a_cached_quote_may_have_receipts_and_no_other_attributes() -> None:
    digest = "0" * 32
    box = (
        '<blockquote class="recall" data-search-exclude data-recall-site="A &quot;b&quot;" '
        f'data-recall-version="1.0" data-recall-receipts="a%20b.md#x:7:{digest} c.md#::{digest}">'
    )
    assert is_clean(f"{box}\n<p>A.</p>\n</blockquote>")
    for wrong in (
        box.replace(digest, "javascript", 1),
        box.replace(">", ' onclick="x">'),
        box.replace("1.0", '1.0" onclick="x'),
    ):
        assert not is_clean(f"{wrong}\n<p>A.</p>\n</blockquote>")


def test_the_quotes_of_a_built_page_are_verified_and_their_changes_found(site: Site) -> None:
    html = built(site, receipts=True)
    verifier = Verifier(Corpus.from_site(site.root / "mkdocs.yml"))
    (exact,) = verifier.verify(quotes_in(html))
    (changed,) = verifier.verify(quotes_in(html.replace("12 hours", "13 hours", 1)))
    assert (exact.verdict, exact.source) == ("exact", "auth.md#expiry")
    assert (changed.verdict, changed.diff) == (
        "changed",
        "A session does not expire before [-13-] {+12+} hours have passed.",
    )


@pytest.mark.parametrize("form", ["blockquote", "list", "admonition"])
@pytest.mark.parametrize("cite", ["true", "false"])
def test_a_built_quote_in_every_format_is_exact(site: Site, form: str, cite: str) -> None:
    page = ASK.format(f"cite: {cite}\nformat: {form}\nmax_sentences: 9\nmin_score: 0")
    site.build({"auth.md": AUTH, "index.md": page}, recall={"receipts": True})
    html = (site.root / "site" / "index.html").read_text(encoding="utf-8")
    claims = quotes_in(html)
    assert claims
    folder = str(site.root / "site")
    results = Verifier(Corpus.from_site(site.root / "mkdocs.yml"), folder).verify(claims)
    assert {result.verdict for result in results} == {"exact"}


@pytest.mark.parametrize("names_language", [True, False])
def test_a_built_quote_of_code_with_a_title_of_its_language_is_exact(
    site: Site, *, names_language: bool
) -> None:
    highlight = {"auto_title": True, "pygments_lang_class": names_language}
    page = "# Home\n\nRun it like this:\n\n```python\nx = 1\n```\n"
    asks = "# A\n\n```recall\nsource: index.md\nquery: how to run it\n```\n"
    extensions = ["pymdownx.superfences", {"pymdownx.highlight": highlight}]
    site.build({"index.md": page, "a.md": asks}, markdown_extensions=extensions)
    html = (site.root / "site" / "a" / "index.html").read_text(encoding="utf-8")
    results = Verifier(Corpus.from_site(site.root / "mkdocs.yml")).verify(quotes_in(html))
    assert {result.verdict for result in results} == {"exact"}


@pytest.mark.parametrize("name", ["a session", "séance", "セッション", "c#"])
def test_the_quote_of_a_page_whose_url_is_encoded_is_exact(site: Site, name: str) -> None:
    query = "```recall\nsource: '{}.md'\nquery: When does a session expire?\n```\n"
    site.build({f"{name}.md": AUTH, "index.md": query.format(name)})
    html = (site.root / "site" / "index.html").read_text(encoding="utf-8")
    folder = str(site.root / "site")
    verifier = Verifier(Corpus.from_site(site.root / "mkdocs.yml"), folder)
    assert {result.verdict for result in verifier.verify(quotes_in(html))} == {"exact"}


CONFIG = "site_name: Larch\nplugins: [recall]\n"


def test_the_quote_of_a_page_with_a_hash_in_its_name_is_exact(terminal: Terminal) -> None:
    terminal.write({"c#.md": "# Sharp\n\nThis garden has an octopus.\n"})
    written = terminal.run("recall", "which garden has an octopus", "--json").out
    outcome = terminal.run("verify", "-", given=written.encode())
    assert outcome.out.startswith("passage 1: exact: c#.md#sharp ")


def test_verify_reads_the_output_of_recall(terminal: Terminal) -> None:
    written = terminal.run("recall", "session expire", "--max-sentences", "1", "--json").out
    assert json.loads(written)["passages"][0]["receipt"]["site"] == "Larch"
    outcome = terminal.run("verify", "-", given=written.encode())
    assert (outcome.status, outcome.err) == (0, "1 exact, 0 moved, 0 changed, 0 gone.\n")
    assert outcome.out.startswith("passage 1: exact: auth.md#expiry (docs")
    outcome = terminal.run("verify", "-", given=b"# Nothing")
    assert (outcome.status, outcome.err) == (1, "Nothing found: there is no quote in '-'.\n")
    changed = written.replace("12 hours", "24 hours")
    outcome = terminal.run("verify", "-", "--json", given=changed.encode())
    assert outcome.status == 3
    (record,) = json.loads(outcome.out)["quotes"]
    assert (record["verdict"], record["source"]) == ("changed", "auth.md#expiry")
    assert "[-24-] {+12+}" in record["diff"]


@pytest.mark.parametrize("form", ["blockquote", "list", "admonition"])
def test_a_rendered_markdown_file_is_verified_with_its_lines(terminal: Terminal, form: str) -> None:
    fence = ASK.format(f"format: {form}").replace("auth.md", "docs/auth.md")
    (terminal.folder / "answer.src.md").write_text(
        fence.replace("docs/auth.md", "/auth.md"), encoding="utf-8"
    )
    process = terminal.run("render", "answer.src.md", "--output", "answer.md")
    assert process.status == 0, process.err
    outcome = terminal.run("verify", "answer.md")
    assert (outcome.status, outcome.out.split(" (")[0]) == (
        0,
        outcome.out.partition(":")[0] + ": exact: auth.md#expiry",
    )
    answer = terminal.folder / "answer.md"
    number = int(outcome.out.removeprefix("line ").partition(":")[0])
    assert "auth.md#expiry" in answer.read_text(encoding="utf-8").split("\n")[number - 1]
    answer.write_text(answer.read_text(encoding="utf-8").replace("**not** ", ""), encoding="utf-8")
    outcome = terminal.run("verify", "answer.md")
    assert outcome.status == 3
    assert "A session does {+not+} expire" in outcome.out


def test_the_title_of_a_markdown_admonition_is_not_a_quote() -> None:
    text = "> **When?**\n>\n> Larch keeps files.\n>\n> — [Larch](index.md#larch)\n"
    (claim,) = quotes_in(text, in_markdown=True)
    assert claim.texts == ("Larch keeps files.",)


def test_a_row_of_dots_stands_for_rows_that_are_left_out() -> None:
    row = "> | {} | {} |\n"
    head = row.format("Setting", "Default") + row.format("---", "---") + row.format("…", "")
    text = head + row.format("`sessions.idle`", "12 hours") + ">\n> — [A](auth.md#expiry)\n"
    (claim,) = quotes_in(text, in_markdown=True)
    assert claim.texts == ("Setting: sessions.idle — Default: 12 hours",)


ROWS = (
    "# Limits\n\nA token has limits:\n\n| Setting | Default | Meaning |\n|---|---|---|\n"
    "| `token.life` | 12 h | How long a token lives |\n"
    "| `token.count` | | How many a user has |\n\n"
    '```toml title="larch.toml"\ntoken.life = "12h"  # a token\n```\n'
)
ASKING_ROWS = (
    "# Home\n\n```recall\nsource: limits.md\nquery: how long a token lives, how many a user has\n"
    "max_sentences: 8\nmin_score: 0\nunits: [table, code, prose]\n```\n"
)


def test_rows_and_coloured_code_are_verified_as_their_page_has_them(site: Site) -> None:
    html = site.build(
        {"index.md": ASKING_ROWS, "limits.md": ROWS},
        markdown_extensions=["tables", "pymdownx.highlight", "pymdownx.superfences"],
    ).html()
    assert '<table class="recall-table"' in html
    assert '<span class="' in html
    verifier = Verifier(Corpus.from_site(site.root / "mkdocs.yml"))

    def verdicts(text: str) -> set[str]:
        return {verified.verdict for verified in verifier.verify(quotes_in(text))}

    assert verdicts(html) == {"exact"}
    start = html.index('<blockquote class="recall"')
    for before, after in (
        (">12 h<", ">13 h<"),
        (">Default<", ">Maximum<"),
        ("many", "few"),
        ("12h", "13h"),
        (">Setting<", "><"),
    ):
        changed = html[:start] + html[start:].replace(before, after, 1)
        assert changed != html, before
        assert verdicts(changed) == {"changed"}, before
