"""What carries meaning on a page is in its quotes: powers, icons, check boxes, numbers of steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from mkdocs_recall import Corpus
from mkdocs_recall.answers.html import QuotingPage, render
from mkdocs_recall.answers.links import is_quote
from mkdocs_recall.options import Query, RecallOptions
from mkdocs_recall.ranking.result import Result, quoted_texts

CASES: dict[str, dict[str, str]] = yaml.safe_load(
    Path(__file__).with_name("faithful.yml").read_text("utf-8")
)
EXTENSIONS = ["attr_list", "def_list", "md_in_html", "tables", "toc"]
EXTENSIONS += ["pymdownx.superfences", "pymdownx.tasklist"]
PAGE = QuotingPage("other.md", "other/")


def ask(markdown: str, query: str, **options: Any) -> Result:
    corpus = Corpus.from_markdown({"page.md": markdown}, markdown_extensions=EXTENSIONS)
    return corpus.recall(query, min_score=0, **options)


def quote(result: Result) -> str:
    options = RecallOptions(query=(Query("a"),), source=("page.md",))
    return render(result, options, PAGE)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_carries_meaning_is_quoted(case: dict[str, str]) -> None:
    result = ask(f"# Page\n\n{case['page']}\n", case["query"])
    html, text = quote(result), "\n".join(quoted_texts(result))
    assert case["html"] in html.replace('src="../', 'src="')
    assert case["text"] in text
    assert "not" not in case or case["not"] not in html + text
    assert is_quote(html)
