"""Quotes keep meaning: powers, icons, check boxes, numbers of steps."""

from __future__ import annotations

from typing import Any

import pytest
from tables import beside

from mkdocs_recall import Corpus
from mkdocs_recall.answers.html import QuotingPage, render
from mkdocs_recall.answers.statements import Verifier, quotes_in
from mkdocs_recall.answers.whitelist import is_clean
from mkdocs_recall.options import Query, RecallOptions
from mkdocs_recall.ranking.result import Result, quoted_texts
from mkdocs_recall.text.wording import quoted_wording

CASES: dict[str, dict[str, Any]] = beside(__file__)
EXTENSIONS = ["admonition", "attr_list", "def_list", "md_in_html", "tables", "toc"]
EXTENSIONS += ["pymdownx.superfences", "pymdownx.tasklist"]
PAGE = QuotingPage("other.md", "other/")


def ask(markdown: str, query: str, **options: Any) -> Result:
    corpus = Corpus.from_markdown({"page.md": markdown}, markdown_extensions=EXTENSIONS)
    return corpus.recall(query, min_score=0, **options)


def quote(result: Result) -> str:
    options = RecallOptions(query=(Query("a"),), source=("page.md",))
    return render(result, options, PAGE)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_carries_meaning_is_quoted_and_found_in_its_page(case: dict[str, Any]) -> None:
    pages = {"page.md": f"# Page\n\n{case['page']}\n"}
    corpus = Corpus.from_markdown(pages, markdown_extensions=EXTENSIONS)
    result = corpus.recall(case["query"], min_score=0, context=case.get("context", "auto"))
    html, text = quote(result), "\n".join(quoted_texts(result))
    assert case["html"] in html.replace('src="../', 'src="')
    assert case["text"] in text
    assert "not" not in case or case["not"] not in html + text
    assert is_clean(html)
    verdicts = [v.verdict for v in Verifier(corpus).verify(quotes_in(html))]
    assert verdicts  # a page of Markdown in memory has no address, so that its quotes have "moved"
    assert {*verdicts} <= {"exact", "moved"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Stop it. Wait a minute.", "1. Stop it.\n2. Wait a minute."),
        ("It keeps 106 events of 5 m2.", "It keeps 10^6 events of 5 m²."),
        ("It runs in O(2n+1) on xi,j.", "It runs in O(2^(n+1)) on x_(i,j)."),
        ("SSO is on Free.", "SSO is ⬚ on Free."),
    ],
)
def test_an_answer_that_was_approved_without_signs_stays_approved(before: str, after: str) -> None:
    assert quoted_wording(before) == quoted_wording(after)


def test_a_quote_in_another_language_says_so() -> None:
    result = ask(
        "---\nlang: ar\n---\n\n# صفحة\n\nيبدأ النسخ الاحتياطي كل ليلة.\n", "النسخ الاحتياطي"
    )
    html = quote(result)
    assert '<blockquote class="recall" data-search-exclude lang="ar" dir="rtl">' in html
    assert is_clean(html)
