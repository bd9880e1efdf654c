"""What a chosen sentence is quoted with: its section's opening, its block, its section, or N."""

from __future__ import annotations

import random
from typing import Any

import pytest

from mkdocs_recall import Corpus

FILLER = " ".join(f"Line {number} is about the weather here." for number in range(40))
INSTALL = """# Larch

## Installing

Larch runs on one server. It needs no database.

Zebras install it by hand. To do so, run this:

```bash
larch setup
```

1. Open the page.
2. Log in.

### Below

Nobody installs below.
"""


def quote(text: str, query: str, **options: Any) -> str:
    """Return the text of the first passage."""
    passages = Corpus.from_markdown({"a.md": text}).recall(query, min_score=0, **options).passages
    return passages[0].text


def test_a_place_is_quoted_from_the_opening_of_its_section() -> None:
    found = quote(INSTALL, "zebras by hand")
    assert found.startswith("Larch runs on one server. It needs no database.")
    assert "Zebras install it by hand. To do so, run this:\nlarch setup" in found
    assert "Nobody" not in found


def test_a_sentence_that_says_nearly_all_of_the_query_is_quoted_alone() -> None:
    text = f"# A\n\nThe opening is here.\n\nA zebra crosses the river at night.\n\n{FILLER}"
    assert quote(text, "zebra crosses river") == "A zebra crosses the river at night."
    assert quote(text, "zebra river").startswith("The opening"), "two words are in many a sentence"


def test_a_sentence_without_a_value_does_not_answer_how_many_alone() -> None:
    text = "# A\n\nThe account is locked after {} attempts.\n\nWait for an hour.\n"
    query = "After how many attempts is an account locked?"
    assert "Wait" in quote(text.format("too many"), query)
    assert "Wait" not in quote(text.format("5"), query)


def test_what_is_further_down_comes_after_an_ellipsis() -> None:
    text = f"# A\n\nThe opening is here.\n\n{FILLER}\n\nA zebra sleeps.\n\nThe end."
    found = quote(text, "zebra dances")
    opening, _, rest = found.partition(" … ")
    assert opening.startswith("The opening is here. Line 0")
    assert rest.startswith("A zebra sleeps.")
    assert 40 <= len(found.split()) <= 100


def test_code_comes_where_the_next_sentence_leads_to_it() -> None:
    text = "# A\n\nThe zebra can be changed to a path. Set it so:\n\n```yaml\nzebra: a/b\n```\n"
    for options in ({"max_sentences": 1}, {}):
        assert quote(text, "how can the zebra be changed", **options).endswith("zebra: a/b")
    assert "zebra: a/b" not in quote(text, "how can the zebra be changed", context=0)


def test_code_is_cut_at_thirty_whole_lines() -> None:
    lines = [f"step {number}" for number in range(40)]
    text = "# A\n\nTo feed a zebra:\n\n```\n" + "\n".join(lines) + "\n```\n"
    shown = quote(text, "feed a zebra").split("\n")
    assert shown[1:31] == lines[:30]
    assert shown[31:] in ([], ["…"])
    assert quote(text, "feed a zebra", context=0).count("step") == 15
    assert quote(text.replace("zebra:", "zebra."), "zebra", context="section").count("step") == 30


def test_a_list_is_cut_at_a_whole_item() -> None:
    items = [f"Item {number} tells what to do with the zebra then." for number in range(30)]
    text = "# A\n\nTo feed a zebra:\n\n" + "".join(f"- {item}\n" for item in items)
    shown = quote(text, "feed a zebra").split("\n")
    assert shown[0] == "To feed a zebra:"
    assert shown[-1] == "…"
    assert shown[1:-1] == items[: len(shown) - 2]
    assert 5 < len(shown) < 20


BLOCKS = """# A

The opening.

One starts. A zebra sleeps. It ends so:

```
larch
```

- one item
- the walrus item
- last item

| Key | Value |
|---|---|
| otter | 1 |
| seal | 2 |

!!! note

    A note on the puffin.

    Its second paragraph.
"""


@pytest.mark.parametrize(
    ("query", "whole"),
    [
        ("zebra", "One starts. A zebra sleeps. It ends so:\nlarch"),
        ("walrus", "one item\nthe walrus item\nlast item"),
        ("otter", "Key: otter — Value: 1"),
        ("puffin", "A note on the puffin. Its second paragraph."),
    ],
)
def test_a_block_is_quoted_whole(query: str, whole: str) -> None:
    assert quote(BLOCKS, query, context="block", max_sentences=1).replace("\n", " ") == (
        whole.replace("\n", " ")
    )


def test_a_section_is_quoted_whole_without_those_below_it() -> None:
    found = quote(INSTALL, "zebras by hand", context="section")
    for part in ("Larch runs", "larch setup", "Open the page.", "Log in."):
        assert part in found
    assert "Nobody" not in found


def test_a_number_adds_sentences_on_each_side() -> None:
    text = "# A\n\nOne. Two. A zebra sleeps. Four. Five."
    assert quote(text, "zebra", context=0) == "A zebra sleeps."
    assert quote(text, "zebra", context=1) == "Two. A zebra sleeps. Four."


def test_footnotes_are_quoted_apart_from_what_is_above_the_first_heading() -> None:
    text = "Above.[^1]\n\n# A\n\nOne.\n\n## B\n\nTwo.\n\n[^1]: A note on the zebra. More of it.\n"
    for context in ("auto", "block", "section"):
        assert quote(text, "zebra note", context=context) == "A note on the zebra. More of it."


def test_only_chosen_sentences_count_and_words_bound_the_whole() -> None:
    text = f"# A\n\nA zebra sleeps. {FILLER}\n\n## B\n\nA walrus sleeps. {FILLER}\n"
    corpus = Corpus.from_markdown({"a.md": text})
    one = corpus.recall("zebra walrus", min_score=0, max_sentences=1).passages
    two = corpus.recall("zebra walrus", min_score=0).passages
    assert [len(passages) for passages in (one, two)] == [1, 2]
    assert len(one[0].text.split()) > 40
    for bound in ("max_words", "max_tokens"):
        bounded = corpus.recall("zebra walrus", min_score=0, **{bound: 30}).passages
        words = sum(len(passage.text.split()) for passage in bounded)
        assert 10 < words <= 30


KINDS = (
    "Zebra {n} sleeps at night. It is {n} years old. Nobody sees it here.",
    "To see zebra {n}, run:\n\n```\nlarch {n}\nzebra {n}\n```",
    "- zebra item {n}\n- walrus item {n}\n\n    More on item {n}.",
    "| Key{n} | Value |\n|---|---|\n| zebra{n} | {n} |\n| walrus{n} | night |",
    "!!! note\n\n    A note of zebra {n}.\n\n    It goes on.",
    '=== "Tab {n}"\n\n    A zebra of tab {n}.\n\n=== "Night {n}"\n\n    A walrus of tab {n}.',
    "## Zebra {n}",
    "### Night {n}",
)


@pytest.mark.parametrize("context", ["auto", "block", "section", 0, 2])
def test_a_quote_is_verbatim_in_order_and_nothing_is_quoted_twice(context: int | str) -> None:
    chance = random.Random(32)  # noqa: S311 - no secret
    for _ in range(40):
        parts = [chance.choice(KINDS).format(n=number) for number in range(12)]
        corpus = Corpus.from_markdown({"a.md": "# Page\n\n" + "\n\n".join(parts)})
        (document,) = corpus.documents
        query = chance.choice(["zebra night", "zebra 3", "walrus item old", "see zebra run"])
        result = corpus.recall(query, min_score=0, context=context, max_sentences=4)
        seen: set[tuple[int, int]] = set()
        for passage in result.passages:
            sentences = passage.quotation.sentences
            places = [(sentence.block, sentence.start) for sentence in sentences]
            assert places == sorted(places)
            assert not seen.intersection(places)
            seen.update(places)
            for sentence in sentences:
                block = document.blocks[sentence.block]
                assert sentence.text == block.text[sentence.start : sentence.end]
