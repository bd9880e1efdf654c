"""What speaks against an answer, told as facts."""

from __future__ import annotations

import re

import pytest

from mkdocs_recall import Corpus, Result
from mkdocs_recall.ranking.recall import LIKELY


def doubts(pages: dict[str, str], query: str, **options: object) -> tuple[str, ...]:
    corpus = Corpus.from_markdown(pages)
    return corpus.recall(query, on_empty="omit", max_sentences=1, **options).doubts  # type: ignore[arg-type]


MAIL = "# Mail\n\nMail goes out on port 587.\n\n## Spam\n\nIt is deleted."


def test_an_answer_that_nothing_speaks_against_has_no_doubts() -> None:
    assert doubts({"a.md": MAIL, "b.md": "# B\n\nAll else."}, "which port has mail?") == ()


def test_the_next_place_is_named_where_the_quoted_one_is_not_likely() -> None:
    pages = {"a.md": "# A\n\nThe port is 587.", "b.md": "# B\n\n## Mail\n\nThe port is 25."}
    said = "the quote answers with a probability of {:.0%} only; next comes 'b.md#mail' with {:.0%}"
    (doubt,) = doubts(pages, "which port?")
    shares = [int(share) / 100 for share in re.findall(r"(\d+)%", doubt)]
    assert doubt == said.format(*shares)
    assert shares[0] <= LIKELY
    assert sum(shares) == pytest.approx(1, abs=0.02)
    assert doubts(pages, "which port?", scorer="coverage") == ()


def test_a_page_that_is_quoted_too_is_no_doubt() -> None:
    pages = {"a.md": "# A\n\nThe port is 587.", "b.md": "# B\n\nThe port is 25."}
    assert Corpus.from_markdown(pages).recall("which port?").doubts == ()


def test_the_rarest_word_is_named_if_the_quote_lacks_it() -> None:
    (doubt,) = doubts({"a.md": MAIL}, "which port has the mail of a walrus?")
    assert doubt == "'walrus', the rarest word of the query, is not in the quote"


def test_a_name_is_told_of_if_the_quote_has_only_a_longer_or_shorter_one() -> None:
    page = "# Settings\n\n`storage.max_file` is 1 GB by default, and `storage.size_mb` is 5."
    for name in ("storage.max_file_size_mb", "storage.max_size_mb"):
        (doubt,) = doubts({"a.md": page}, f"default of `{name}`")
        assert doubt == f"'{name}', which the query names, is not in the quote"
    assert doubts({"a.md": page}, "default of `storage.max_file`") == ()


def test_a_word_in_the_heading_is_in_the_quote() -> None:
    assert doubts({"a.md": "# Walrus\n\n" + MAIL}, "walrus mail port") == ()


def test_a_sibling_that_is_named_is_told_of_if_another_is_quoted() -> None:
    page = (
        '# Larch\n\nLarch has an installer:\n\n=== "Linux"\n\n    Run `curl`.\n\n'
        '=== "Windows"\n\n    {{ macro }}\n'
    )
    found = doubts({"a.md": page}, "installer of larch on windows", context="section")
    assert "the query names 'Windows', and what is beside it is quoted" in found


def test_the_tab_that_the_citation_names_is_in_the_quote() -> None:
    page = '# Larch\n\n=== "Linux"\n\n    A script.\n\n=== "Windows"\n\n    A program is here.\n'
    assert doubts({"a.md": page}, "program on windows", context=0) == ()


def test_doubts_are_in_json_and_come_back() -> None:
    result = Corpus.from_markdown({"a.md": MAIL}).recall("which port has the mail of a walrus?")
    assert result.doubts
    assert Result.from_json(result.to_json()).doubts == result.doubts
