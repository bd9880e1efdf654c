"""A section of any HTML: harmful parts are dropped, and the cache adds none."""

from __future__ import annotations

import re

import pytest
from bs4 import BeautifulSoup
from hostile import HTML
from hypothesis import given
from judging import judge_markdown
from tables import beside

from mkdocs_recall.answers.links import rebase
from mkdocs_recall.answers.markdown import to_markdown
from mkdocs_recall.answers.section import cut_section, fitted
from mkdocs_recall.answers.whitelist import clean, is_clean


def quoted(html: str) -> str:
    cut = cut_section(html, "a")
    return clean(cut, lambda href: rebase(href, "guides/a/", "index.html"))


INERT = {"script", "style", "iframe", "form", "object", "embed", "link", "meta", "base", "template"}


def judge(section: str) -> None:
    html = BeautifulSoup(section, "html.parser")
    for tag in html.find_all(True):  # noqa: FBT003 - all of them
        assert tag.name not in INERT
        for name, value in tag.attrs.items():
            assert not name.startswith("on")
            assert name != "style" or re.fullmatch(r"text-align:\w+", str(value))
            if name in {"href", "src", "poster"}:
                assert re.match(
                    r"(?:https?|mailto|ftp|tel|data:image/.*):|[^:]*$|[^:/]*/", str(value)
                )
                assert not str(value).startswith("data:") or tag.name == "img"


ATTACKS: list[str] = beside(__file__)["ATTACKS"]


@pytest.mark.parametrize("attack", ATTACKS)
def test_harmful_parts_never_come_with_a_section(attack: str) -> None:
    section = quoted(f'<h2 id="a">A</h2><p>x</p>{attack}<p>y</p>')
    judge(section)
    for word in (
        *("alert", "onerror", "position", "fixed-top", "stretched", "md-overlay", "recall"),
        *("synopsis", "javascript"),
    ):
        assert word not in section.replace("recall:0:", "")
    assert is_clean(section)
    judge_markdown(to_markdown(fitted(section, "0a", 2)))


@given(html=HTML)
def test_a_section_of_any_html_is_clean_and_stays_so(html: str) -> None:
    section = quoted(f'<h2 id="a">A</h2>{html}')
    judge(section)
    assert is_clean(section)
    fit = fitted(section, "0a", 2)
    assert is_clean(fit.replace("recall-0a-", "recall:0:"))
    judge_markdown(to_markdown(fit))


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_forged_section_is_not_clean(attack: str) -> None:
    assert not is_clean(f"<h1>A</h1><p>x</p>{attack}")
