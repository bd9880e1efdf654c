"""A budget shared by a file's fences or an agent's queries: fair, and without repetitions."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given, strategies as st
from tables import beside
from terminal import Outcome, Terminal

from mkdocs_recall import Corpus
from mkdocs_recall.answers.files import FileRenderer, RenderedFile
from mkdocs_recall.options import TokenCounter
from mkdocs_recall.ranking.budget import estimate

PAGES: dict[str, str] = beside(__file__)["PAGES"]
CORPUS = Corpus.from_markdown(PAGES)
EXPIRY = "A session expires after 12 hours without a request."


def fence(query: str, source: str = "'**'", **options: object) -> str:
    """Return a fence that is answered with single sentences, where no option says otherwise."""
    stated = {"query": query, "source": source, "min_score": 0, "context": 0, **options}
    return "```recall\n" + "".join(f"{n}: {v}\n" for n, v in stated.items()) + "```\n"


def rendered(
    *fences: str, max_tokens: int, corpus: Corpus = CORPUS, counter: TokenCounter = estimate
) -> RenderedFile:
    """Return a file of fences without faults."""
    renderer = FileRenderer(corpus, max_tokens=max_tokens, counter=counter)
    file = renderer.render(Path("AGENTS.md"), content="\n".join(fences).encode())
    assert not file.faults
    return file


def quotes(file: RenderedFile) -> list[str]:
    """Return the quoted lines, without the sources."""
    lines = [line.removeprefix("> ") for line in file.text.splitlines()]
    return [line for line in lines if line and line != ">" and not line.startswith("— ")]


def test_each_fence_gets_its_best_passage_before_any_gets_a_second() -> None:
    queries = ["larch server", "session expire", "token expire", "mail port"]
    best = rendered(*(fence(query, max_sentences=1) for query in queries), max_tokens=400)
    assert best.tokens
    assert len(quotes(best)) == len(queries)
    file = rendered(*map(fence, queries), max_tokens=best.tokens + len(queries))
    assert file.text == best.text
    assert file.left_out
    more = rendered(*map(fence, queries), max_tokens=best.tokens + 40)
    assert len(more.text) > len(best.text)


def test_a_sentence_of_several_pages_or_fences_is_quoted_once() -> None:
    file = rendered(
        fence("session expires hours"), fence("session without a request"), max_tokens=400
    )
    assert file.text.count(EXPIRY) == 1
    assert file.text.count("8443") <= 1


def test_each_fence_keeps_a_sentence_that_is_context_of_another() -> None:
    pages = {
        "a.md": f"# A\n\n{EXPIRY} It also ends with the browser.\n",
        "b.md": f"# B\n\n{EXPIRY} This is checked each minute.\n",
    }
    corpus = Corpus.from_markdown(pages)
    body = [fence("ends with the browser"), fence("checked each minute"), fence("12 hours")]
    for fences in (body, body[::-1]):
        file = rendered(*fences, corpus=corpus, max_tokens=400)
        assert file.text.count(EXPIRY) == 1
        assert file.text.count("minute") == file.text.count("browser") == 1


def test_a_fence_whose_sentences_are_all_quoted_elsewhere_is_removed_with_a_note() -> None:
    body = fence("mail port", max_sentences=1)
    file = rendered(body, body, max_tokens=400)
    assert quotes(file) == ["Mail goes out on port 587."]
    (left_out,) = file.left_out
    assert left_out == "AGENTS.md:9: recall: every answer is quoted elsewhere in the file"


@given(max_tokens=st.integers(1, 500), queries=st.lists(st.sampled_from(sorted(PAGES)), min_size=1))
def test_the_file_never_exceeds_the_budget(max_tokens: int, queries: list[str]) -> None:
    words = [" ".join(PAGES[uri].split()[2:9]) for uri in queries]
    file = rendered(*(fence(f'"{text}"') for text in words), max_tokens=max_tokens)
    assert file.tokens == estimate(file.text) <= max_tokens
    assert len(quotes(file)) == len({*quotes(file)})


def test_a_counter_may_count_more_in_the_whole_than_in_the_parts() -> None:
    def superlinear(text: str) -> int:
        return len(text) ** 2 // 100

    fences = map(fence, ("session", "port", "token", "larch"))
    file = rendered(*fences, max_tokens=900, counter=superlinear)
    assert quotes(file)
    assert superlinear(file.text) == file.tokens
    assert superlinear(file.text) <= 900
    assert file.left_out


def test_synopses_of_several_pages_give_the_best_of_each_first() -> None:
    markdown = "```synopsis\nsource: '**'\n```\n"
    whole = rendered(markdown, max_tokens=400)
    best = {CORPUS.synopsis(uri, max_sentences=1).passages[0].text for uri in PAGES}
    assert whole.tokens
    file = rendered(markdown, max_tokens=whole.tokens - 20)
    assert file.left_out
    assert all(text in file.text for text in best)


def test_a_fence_without_max_sentences_fills_the_budget() -> None:
    few = rendered(fence("session token larch", max_sentences=2), max_tokens=400)
    full = rendered(fence("session token larch"), max_tokens=400)
    assert len(re.findall(r"\w\.", " ".join(quotes(few)))) == 2
    assert len(re.findall(r"\w\.", " ".join(quotes(full)))) > 3


def test_places_fill_the_budget_and_the_last_gets_the_remaining_context() -> None:
    steps = "".join(f"Step {number} of the setup takes a minute. " for number in range(9))
    pages = {f"{n}.md": f"# Setup {n}\n\n{steps}\n\nThe setup needs disk {n}.\n" for n in range(4)}
    corpus = Corpus.from_markdown(pages)
    body = fence("which disk does the setup need?", context="auto")
    sizes = []
    for max_tokens in range(40, 400, 30):
        file = rendered(body, max_tokens=max_tokens, corpus=corpus)
        assert file.tokens
        assert file.tokens <= max_tokens
        sizes.append(file.tokens)
    assert sizes == sorted(sizes)


def test_the_context_of_one_fence_leaves_room_for_the_best_sentence_of_each() -> None:
    topics = ("apple", "birch", "cedar")
    rest = "Much more is to be said of it, at some length. " * 5
    pages = {f"{t}.md": f"# {t}\n\n{rest}\n\nThe {t} grows on hills.\n" for t in topics}
    corpus = Corpus.from_markdown(pages)
    queries = [f"where does the {t} grow?" for t in topics]
    alone = rendered(*map(fence, queries), corpus=corpus, max_tokens=400)
    assert alone.tokens
    for max_tokens in (alone.tokens + len(queries), alone.tokens + 60):
        asked = [fence(query, context="auto") for query in queries]
        file = rendered(*asked, max_tokens=max_tokens, corpus=corpus)
        assert re.findall(r"The (\w+) grows", file.text) == [*topics]
    assert file.tokens
    assert file.tokens > alone.tokens


def test_a_place_that_fits_nowhere_is_left_out_and_stops_nothing() -> None:
    long = "A blob is " + "very " * 200 + "long."
    corpus = Corpus.from_markdown({**PAGES, "blob.md": f"# Blob\n\n{long}\n"})
    fences = [fence("long blob", context="auto"), fence("session expire", context="auto")]
    file = rendered(*fences, max_tokens=120, corpus=corpus)
    assert EXPIRY in file.text
    first = [omission for omission in file.left_out if omission.startswith("AGENTS.md:1:")]
    assert first == ["AGENTS.md:1: recall: 1 passage: blob.md#blob"]


def test_an_expectation_is_checked_of_what_is_quoted() -> None:
    body = fence("session expire", expect="30 days")
    assert not rendered(body, max_tokens=400).warnings
    (warning,) = rendered(body, max_tokens=45).warnings
    assert "30 days" in warning


CONFIG = "site_name: Larch\nplugins: [recall]\n"


def run(terminal: Terminal, text: str, *options: str) -> Outcome:
    terminal.write({"AGENTS.in.md": text}, folder=".")
    return terminal.run("render", "AGENTS.in.md", *options)


def test_passages_that_do_not_fit_are_listed_on_stderr_with_their_fence(terminal: Terminal) -> None:
    expire = fence("session expire", max_sentences=1)
    text = f"# Larch\n\n{expire}\n{fence('which port has mail')}"
    said = run(terminal, text, "--max-tokens", "50")
    assert said.status == 0
    assert EXPIRY in said.out
    assert "Mail goes out on port 587." in said.out
    assert "Left out: AGENTS.in.md:11: recall: 1 passage: ports.md#ports\n" in said.err
    assert f"AGENTS.in.md: {estimate(said.out)} of 50 tokens.\n" in said.err


def test_the_written_file_is_verified_and_checked_for_drift(terminal: Terminal) -> None:
    options = ("--max-tokens", "90", "--output", "AGENTS.md")
    text = fence("when does a session expire")
    assert run(terminal, text, *options).status == 0
    assert terminal.run("verify", "AGENTS.md").status == 0
    assert run(terminal, text, *options, "--check").status == 0
    terminal.write({"auth.md": PAGES["auth.md"].replace("12 hours", "8 hours")})
    terminal.write({"ports.md": PAGES["ports.md"].replace("12 hours", "8 hours")})
    said = run(terminal, text, *options, "--check")
    assert said.status == 3
    assert "+> A session expires after 8 hours" in said.out


def test_a_file_that_is_too_long_without_its_quotes_is_an_error(terminal: Terminal) -> None:
    said = run(
        terminal, "# Larch\n\n" + "Read this. " * 20 + f"\n\n{fence('port')}", "--max-tokens", "50"
    )
    assert (said.status, said.out) == (2, "")
    assert said.err == (
        "Error: 'AGENTS.in.md' has 58 tokens without its quotes, and 'max_tokens' is 50\n"
    )
