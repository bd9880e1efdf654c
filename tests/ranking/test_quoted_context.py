"""How much of a place is quoted: what makes it an answer, its block, its section, or sentences."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from answered import expect
from hypothesis import given, settings, strategies as st
from tables import Case, beside, tabled

from mkdocs_recall import Corpus, Result
from mkdocs_recall.options import UNITS
from mkdocs_recall.ranking.budget import estimate
from mkdocs_recall.ranking.quotation import OVERHANG, WORDS
from mkdocs_recall.ranking.result import quoted_texts

CONTEXTS: tuple[Any, ...] = ("auto", "block", "section")
MOST = -(-WORDS // 10)
"""How many sentences of ten words begin within those of an opening."""


def recall(section: str, query: str, **options: Any) -> Result:
    """Ask a page with two sections, of which one answers, for one sentence and its context."""
    page = f"# Larch\n\nAbove it all.\n\n## Answers\n\n{section}\n\n## Others\n\nBelow it all.\n"
    given = {"max_sentences": 1, "on_empty": "omit", "min_score": 0, **options}
    return Corpus.from_markdown({"a.md": page}).recall(query, **given)


def quote(section: str, query: str, **options: Any) -> str:
    """Return the one quote of an answer."""
    (text,) = quoted_texts(recall(section, query, **options))
    return text


def sentences(count: int, words: int = 10) -> list[str]:
    """Return sentences of so many words that say nothing of any query."""
    return [f"{' '.join(['Alder'] * (words - 2))} stone {number}." for number in range(count)]


@tabled
def test_a_quote_is_as_long_as_its_context_says(
    behaviour: str, section: str, query: str, options: dict[str, Any], expected: str
) -> None:
    assert quote(section, query, **options) == expected, behaviour


def test_an_opening_ends_with_the_sentence_in_which_its_words_do() -> None:
    opening = sentences(MOST + 3)
    section = " ".join([opening[0], "The walrus sings.", *opening[1:]])
    within = " ".join([opening[0], "The walrus sings.", *opening[1:MOST]])
    assert quote(section, "walrus") == within


@pytest.mark.parametrize(("beyond", "is_quoted"), [(OVERHANG, True), (OVERHANG + 1, False)])
def test_a_long_sentence_is_quoted_whole_or_not(beyond: int, *, is_quoted: bool) -> None:
    opening = ["The walrus sings to all of us on each day.", *sentences(MOST - 2)]
    (long,) = sentences(1, WORDS - 10 * (MOST - 1) + beyond)
    quoted = [*opening, long] if is_quoted else opening
    assert quote("\n\n".join([*opening, long, *sentences(1)]), "walrus") == " ".join(quoted)


@pytest.mark.parametrize(("last", "is_whole"), [(OVERHANG, True), (OVERHANG + 1, False)])
def test_a_paragraph_that_ends_soon_is_quoted_whole(last: int, *, is_whole: bool) -> None:
    all_words = ["The walrus sings.", *sentences(MOST + 2)]
    all_words += sentences(1, WORDS + last - 10 * (MOST + 2) - 3)
    (text,) = {quote(" ".join(all_words) + below, "walrus") for below in ("", "\n\nSeals dance.")}
    assert text == " ".join(all_words if is_whole else all_words[: MOST + 1])


def test_a_distant_chosen_sentence_follows_an_ellipsis_with_its_context() -> None:
    above, below = sentences(30), ["Seals dance.", *sentences(9)]
    section = "\n\n".join([*above, "The walrus sings.", *below])
    start, end = quote(section, "walrus").split(" … ")
    assert start == " ".join(above[: len(start.split()) // 10])
    assert end.startswith("The walrus sings. Seals dance. Alder")
    assert len(start.split()) + len(end.split()) <= WORDS + 20


def test_the_opening_of_a_section_far_above_is_not_quoted() -> None:
    paragraph = "Seals dance. The walrus sings."
    for count, starts_with_section in ((30, True), (50, False)):
        text = quote("\n\n".join([*sentences(count), paragraph]), "walrus")
        assert text.startswith("Alder") == starts_with_section
        assert starts_with_section or text == paragraph


INSTALL = "Install the small server as root"
STEPS = "1. Get larch:\n\n    ```\n    get\n    ```\n\n2. Run larch:\n\n    ```\n    run\n    ```"


@pytest.mark.parametrize(
    "start", [f"{INSTALL}:", f"{INSTALL}. Do this:", f"{INSTALL}.\n\nDo this:"]
)
@pytest.mark.parametrize(
    ("below", "quoted"),
    [
        ("```\nget larch\nrun larch\n```", "get larch\nrun larch"),
        ("- Get larch.\n- Run larch.", "Get larch.\nRun larch."),
        (STEPS, "1. Get larch:\nget\n2. Run larch:\nrun"),
    ],
    ids=("code", "list", "steps"),
)
def test_a_lone_sentence_brings_what_it_leads_to(start: str, below: str, quoted: str) -> None:
    section = f"The gate has a guard.\n\n{start}\n\n{below}\n\nGuards sleep."
    assert quote(section, "install small server as root") == (
        f"{start}\n{quoted}".replace("\n\n", " ")
    )


def test_code_right_below_the_last_quoted_text_is_quoted_too() -> None:
    opening = " ".join(["The walrus sings.", *sentences(MOST)])
    code = "\n\n```\nget larch\n```\n\n"
    assert quote(f"{opening}{code}Guards sleep.", "walrus") == f"{opening}\nget larch"
    assert quote(f"{opening}\n\nGuards sleep.{code}", "walrus") == opening


def lines(count: int) -> str:
    return "\n".join(f"get larch {number}" for number in range(count))


@tabled
def test_code_of_more_than_30_lines_is_cut(query: str, context: Any, start: str) -> None:
    for count, end in ((30, ""), (31, "\n…")):
        text = quote(f"{start}\n\n```\n{lines(count)}\n```", query, context=context)
        assert text == f"{start}\n{lines(30)}{end}"


def test_a_long_list_is_cut_after_an_item_and_says_so() -> None:
    items = sentences(20)
    bullets = "\n".join(map("- {}".format, items))
    led = quote(f"The walrus sings:\n\n{bullets}", "walrus seal otter")
    assert led == "\n".join(["The walrus sings:", *items[:8], "…"])
    below = quote(f"The walrus sings.\n\n{bullets}", "walrus seal otter")
    assert below == "\n".join(["The walrus sings.", *items[:MOST], "…"])


@pytest.mark.parametrize(("context", "count"), [("auto", 5), ("block", 8), (0, 8)])
def test_an_opening_has_part_of_a_list_of_long_items(context: Any, count: int) -> None:
    items = [f"{number} song{'s and songs' * 8}." for number in range(9)]
    page = f"The walrus sings:\n\n{''.join(f'- {item}' + chr(10) for item in items)}"
    assert quote(page, "walrus seal cat", context=context).split("\n")[1:] == [*items[:count], "…"]


BLOCKS: str = beside(__file__)["BLOCKS"]
SONGS = [f"A walrus sings song {number} on the long road to the sea.\n" for number in range(9)]


@tabled
def test_blocks_and_sections_are_quoted_whole(case: Case) -> None:
    expect(case)


def test_only_chosen_sentences_are_counted_in_max_sentences() -> None:
    section = "The gate has a guard. Seals dance.\n\nThe walrus sings. Otters swim."
    whole = section.replace("\n\n", " ")
    quotes = {
        (context, count): quote(section, "walrus sings guard", context=context, max_sentences=count)
        for context in CONTEXTS
        for count in (1, 2)
    }
    one = {each: text for each, text in quotes.items() if text != whole}
    assert one == {("block", 1): "The walrus sings. Otters swim."}


@pytest.mark.parametrize("context", [*CONTEXTS, 0])
@pytest.mark.parametrize(
    ("name", "size"), [("max_words", lambda text: len(text.split())), ("max_tokens", estimate)]
)
def test_the_size_of_a_quote_with_context_is_bounded(context: Any, name: str, size: Any) -> None:
    section = "\n".join(["Seals dance.\n", *SONGS])
    sizes = []
    for most in range(16, 100, 8):
        result = recall(section, "walrus song 5", context=context, max_sentences=2, **{name: most})
        text = "\n\n".join(quoted_texts(result)).replace("…", "")
        assert 0 < size(text) <= most
        sizes.append(size(text))
    assert sizes == sorted(sizes)


@pytest.mark.parametrize("below", ["```\nget\nrun\nlog\nend\n```", "- get\n- run\n- log\n- end"])
def test_the_words_of_code_and_of_items_are_counted_in_max_words(below: str) -> None:
    section = f"The walrus sings.\n\nSeals do this:\n\n{below}\n\nOtters swim."
    for most in range(3, 13):
        text = quote(section, "walrus", max_words=most)
        assert len(text.replace("…", "").split()) <= most


def test_cut_context_never_ends_with_a_lead_in() -> None:
    section = "The walrus sings.\n\nSeals do this:\n\n```\ndance\n```\n\nOtters swim."
    texts = {quote(section, "walrus", max_tokens=most) for most in range(5, 20)}
    assert texts == {
        "The walrus sings.",
        "The walrus sings. Seals do this:\ndance",
        "The walrus sings. Seals do this:\ndance\nOtters swim.",
    }


@pytest.mark.slow
def test_code_after_code_is_quoted_with_its_section_in_linear_time() -> None:
    section = "A walrus sings:\n\n- a\n\n" + "    ```\n    x\n    ```\n\n" * 15_000
    start = time.process_time()
    assert recall(section, "walrus sings", context="section").passages
    assert time.process_time() - start < 5  # one; a square of the size takes 12


def test_sentences_with_a_number_of_others_stay_passages_of_their_own() -> None:
    section = "The walrus sings. Seals dance.\n\nOtters swim. Birds fly.\n\nA walrus is fat."
    result = recall(section, "walrus sings", context=0, max_sentences=2)
    assert [p.text for p in result.passages] == ["The walrus sings.", "A walrus is fat."]
    assert len(recall(section, "walrus sings", max_sentences=2).passages) == 1
    assert (
        quote(section, "walrus sings", context=2) == "The walrus sings. Seals dance. Otters swim."
    )


# Each unit has a number, in reading order, and ends with the same number.
UNIT = re.compile(r"[A-Z]\d+( \w+){1,12} end(\d+)[.:]?")
NOUNS = st.lists(st.sampled_from(("walrus", "seal", "port", "sings")), min_size=1, max_size=12)
TEMPLATES = (
    *("{}.", "{}. {}.", "{}. {}:", "{}. {}. {}. {}. {}."),
    *("- {}.\n- {}:\n    - {}\n    - {}\n- {}", "1. {}:\n\n    ```\n    {}\n    ```\n\n2. {}."),
    *("```\n{}\n{}\n```", "| P | Q |\n|-|-|\n| {} | {} |\n| {} | {} |", "Term\n:   {}. {}."),
    *("!!! note\n\n    {}. {}.\n\n    - {}", '=== "One"\n\n    {}.\n\n=== "Two"\n\n    {}. {}.'),
    "## Section {}",
)


@st.composite
def pages(draw: st.DrawFn) -> tuple[str, list[str]]:
    """Return a page, and its units."""
    blocks, units = [], list[str]()
    for template in draw(st.lists(st.sampled_from(TEMPLATES), min_size=2, max_size=9)):
        lines = []
        for _ in range(template.count("{}")):
            number = len(units)
            lines.append(f"X{number} {' '.join(draw(NOUNS))} end{number}")
            units.append(lines[-1])
        blocks.append(template.format(*lines))
    return "\n\n".join(blocks), units


@settings(max_examples=40)
@given(
    pages(),
    st.sampled_from(("walrus", "seal port", "walrus seal sings", ["port", "walrus"])),
    st.sampled_from((*CONTEXTS, 0, 1)),
    st.integers(1, 4),
    st.none() | st.integers(1, 60),
)
def test_a_quote_is_whole_sentences_in_reading_order_each_once(
    page: tuple[str, list[str]], query: Any, context: Any, count: int, most: int | None
) -> None:
    text, units = page
    result = Corpus.from_markdown({"a.md": text}).recall(
        query, context=context, max_sentences=count, max_words=most, min_score=0, units=UNITS
    )
    for each in (*(passage.text for passage in result.passages), *quoted_texts(result)):
        found = [*UNIT.finditer(each)]
        assert all(unit[0].rstrip(".:") == units[int(unit[2])] for unit in found)
        numbers = [int(unit[2]) for unit in found]
        assert numbers == sorted(numbers)
        rest = re.sub(r"\b(One|Two|Term|P|Q)\b|^\d+\. ", "", UNIT.sub("", each), flags=re.MULTILINE)
        assert not set(rest) - set(" \n…:—"), "there is nothing but sentences"
    numbers = [int(n) for each in quoted_texts(result) for _, n in UNIT.findall(each)]
    assert len(numbers) == len(set(numbers))


@pytest.mark.parametrize("context", [*CONTEXTS, 1])
@pytest.mark.parametrize(
    "long",
    [
        f"A walrus {'sings ' * 50_000}.",
        f"- A walrus {'sings ' * 50_000}.",
        f"| Walrus |\n|---|\n| A walrus {'sings ' * 50_000} |",
        f"```\nwalrus {'sings ' * 50_000}\n```",
    ],
    ids=["sentence", "item", "row", "code"],
)
def test_overlong_sentences_are_never_quoted(context: Any, long: str) -> None:
    page = f"# Walrus\n\nThe walrus sings at sea:\n\n{long}\n\nThen the walrus sleeps.\n"
    result = Corpus.from_markdown({"a.md": page}).recall(
        "walrus sings", context=context, units=UNITS, min_score=0
    )
    assert "The walrus sings at sea:" in quoted_texts(result)[0]
    assert max(map(len, quoted_texts(result))) < 200


def test_rejected_sentences_are_shown_with_the_same_context_as_chosen_ones() -> None:
    text = (
        "# A\n\nBread is soft. A port is open. Salt is white.\n\n## B\n\nPort 80 is open. It rains."
    )
    result = Corpus.from_markdown({"a.md": text}).recall("open port", max_sentences=1, context=1)
    shown = [len(each.quotation.sentences) for each in (*result.passages, result.lost[0].passage)]
    assert all(count > 1 for count in shown), shown
