"""Directives that a page includes while it is rendered, and builds after these have changed."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Built, Site
from rebuilds import Dirty, Rebuilds, counts
from tables import Case, beside, tabled

FENCE = "```recall\nsource: /auth.md\nquery: when does a session expire\n```\n"
AUTH = "# Auth\n\nA session expires after a day.\n"
QUOTE = "A session expires after a day."
PAGES = {"index.md": '# Home\n\n--8<-- "ask.md"\n', "auth.md": AUTH}


def _snippets(site: Site, **parts: str) -> list[Any]:
    """Write snippets outside of `docs_dir`; return the extensions of a site that includes them."""
    folder = site.root / "parts"
    folder.mkdir(exist_ok=True)
    for name, text in parts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    snippets = {"pymdownx.snippets": {"base_path": [str(folder), str(site.docs)]}}
    return ["pymdownx.superfences", "admonition", snippets]


def _places(built: Built) -> list[str]:
    return [warning.split(": recall:")[0] for warning in built.warnings]


@tabled
def test_a_fence_in_a_snippet_is_answered_where_it_is_included(site: Site, page: str) -> None:
    extensions = _snippets(
        site,
        ask=FENCE,
        nested='Before.\n\n--8<-- "ask.md"\n',
        section=f"No.\n\n# --8<-- [start:asked]\n{FENCE}# --8<-- [end:asked]\n",
    )
    built = site.build(
        {"index.md": f"# Home\n\n{page}", "auth.md": AUTH}, markdown_extensions=extensions
    )
    assert built.text("blockquote p").startswith(QUOTE)
    assert "query" not in built.html()
    assert built.warnings == []


def test_fences_of_the_page_and_of_its_snippets_keep_their_own_answers(site: Site) -> None:
    fence = FENCE.replace("when does a session expire", "when does a session expire\ncontext: 0")
    other = fence.replace("when does a session expire", "which tree is green")
    extensions = _snippets(site, ask=fence)
    site.write({"auth.md": f"{AUTH}\nThe larch is a green tree.\n"})
    page = f'# Home\n\n{other}\n--8<-- "ask.md"\n\n{other}\n--8<-- "ask.md"\n'
    for _ in range(2):
        built = site.build({"index.md": page}, markdown_extensions=extensions)
        quotes = [quote.get_text() for quote in built.page().select("blockquote")]
        assert [QUOTE in quote for quote in quotes] == [False, True, False, True]
        assert ["larch" in quote for quote in quotes] == [True, False, True, False]
    assert counts(built) == (4, 0, 4)


RENDER: str = beside(__file__)["RENDER"]


def test_a_page_rendered_twice_has_each_fence_once(site: Site) -> None:
    built = site.build(PAGES, markdown_extensions=_snippets(site, ask=FENCE), hook=RENDER)
    assert built.text("blockquote p").startswith(QUOTE)
    assert built.warnings == []


@tabled
def test_included_fences_are_answered_like_the_page_s_own(
    site: Site, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    monkeypatch.chdir(site.root)
    site.write({"auth.md": AUTH})
    snippets = {"pymdownx.snippets": {"base_path": ["parts", "docs"]}}
    extensions = ["pymdownx.superfences", "admonition", snippets]
    site.expect(case, markdown_extensions=extensions)


@tabled
def test_a_message_names_the_snippet_and_its_line(site: Site, page: str, place: str) -> None:
    wrong = "```recall\nquery: x\nscorer: bad\n```\n"
    extensions = _snippets(site, wrong=f"# Part\n\n{wrong}", outer='One.\n\n--8<-- "wrong.md"\n')
    built = site.build(
        {"index.md": f"# Home\n\n{page}", "inside.md": f"One.\n{wrong}"},
        markdown_extensions=extensions,
        exclude_docs="inside.md",
    )
    assert _places(built) == [place]
    assert "unknown scorer 'bad'" in built.text(".admonition")


@pytest.fixture
def rebuilds(site: Site) -> Rebuilds:
    """A documentation whose home page and one source include snippets, built once."""
    extensions = _snippets(site, ask=FENCE, expiry="A session expires after a day.\n")
    site.write(PAGES | {"auth.md": '# Auth\n\n--8<-- "expiry.md"\n', "other.md": "# Other\n"})
    made = Rebuilds(site, {"markdown_extensions": extensions})
    assert made.cached() == 0
    return made


def test_a_warm_build_answers_a_fence_of_a_snippet_from_the_cache(rebuilds: Rebuilds) -> None:
    assert rebuilds.cached() == 1
    assert rebuilds.cached() == 1


def test_a_changed_snippet_is_never_answered_from_the_cache(rebuilds: Rebuilds) -> None:
    parts = rebuilds.site.root / "parts"
    (parts / "expiry.md").write_text("A session expires after a week.\n", encoding="utf-8")
    assert "after a week" in rebuilds.build().text("blockquote")
    (parts / "ask.md").write_text(f"{FENCE}\n{FENCE}", encoding="utf-8")
    assert len(rebuilds.build().page().select("blockquote")) == 2
    (parts / "ask.md").write_text("No fence.\n", encoding="utf-8")
    assert "blockquote" not in rebuilds.build().html()


@pytest.fixture
def dirty(site: Site) -> Dirty:
    """The same documentation, built once and then with `--dirty`."""
    extensions = _snippets(site, ask=FENCE, expiry="A session expires after a day.\n")
    site.write(
        PAGES
        | {
            "auth.md": '# Auth\n\n--8<-- "expiry.md"\n',
            "plain.md": f"# Plain\n\n{FENCE}",
            "other.md": "# Other\n\nNothing.\n",
        }
    )
    made = Dirty(site)
    made.settings = {"markdown_extensions": extensions}
    made.make(dirty=False)
    made.build()
    assert made.written == {INDEX, SOURCE, PLAIN}
    return made


INDEX, SOURCE, PLAIN = "index.html", "auth/index.html", "plain/index.html"


def test_a_dirty_build_renders_who_includes_a_changed_snippet(dirty: Dirty) -> None:
    parts = dirty.site.root / "parts"
    (parts / "expiry.md").write_text("A session expires after a week.\n", encoding="utf-8")
    assert "after a week" in dirty.build().text("blockquote")
    assert dirty.written == {INDEX, SOURCE, PLAIN}
    (parts / "ask.md").write_text(f"{FENCE}\n{FENCE}", encoding="utf-8")
    assert len(dirty.build().page().select("blockquote")) == 2
    assert dirty.written == {INDEX, SOURCE, PLAIN}


def test_a_dirty_build_sees_removed_and_replaced_snippets(dirty: Dirty) -> None:
    (dirty.site.root / "parts" / "expiry.md").unlink()
    dirty.site.write({"expiry.md": "A session expires after a month.\n"})
    assert "after a month" in dirty.build().text("blockquote", PLAIN)
    assert {INDEX, SOURCE, PLAIN} <= dirty.written
    (dirty.site.root / "parts" / "expiry.md").write_text("A session expires after a year.\n")
    assert "after a year" in dirty.build().text("blockquote", PLAIN)
    assert dirty.written == {INDEX, SOURCE, PLAIN}


def test_a_dirty_build_repeats_the_warning_of_a_wrong_snippet(dirty: Dirty) -> None:
    wrong = FENCE.replace("query", "querry")
    (dirty.site.root / "parts" / "ask.md").write_text(wrong, encoding="utf-8")
    for _ in range(2):
        [_, warning] = dirty.build().warnings
        assert warning.startswith("parts/ask.md:3 (included in index.md): recall: unknown option")


def test_a_dirty_build_renders_a_page_whose_snippet_gains_a_fence(dirty: Dirty) -> None:
    dirty.site.write({"other.md": '# Other\n\n--8<-- "more.md"\n'})
    (dirty.site.root / "parts" / "more.md").write_text("Nothing.\n")
    dirty.build()
    (dirty.site.root / "parts" / "more.md").write_text(FENCE)
    assert dirty.build().text("blockquote", "other/index.html").startswith(QUOTE)


GENERATE: str = beside(__file__)["GENERATE"]
HOOK: str = beside(__file__)["HOOK"]
READ: str = beside(__file__)["READ"]
CONTENT = HOOK.replace("on_page_markdown(markdown", "on_page_content(html").replace(
    "markdown", "html"
)
WRITERS: dict[str, dict[str, Any]] = {
    "macro": {"plugins": ["macros", "recall"], "extra": {"day": "day"}},
    "generated": {"plugins": [{"gen-files": {"scripts": ["generate.py"]}}, "recall"]},
    "hook": {"hook": HOOK},
    "content": {"hook": CONTENT},
    "reader": {"hook": READ},
}


@pytest.mark.parametrize("kind", [Rebuilds, Dirty])
@pytest.mark.parametrize("writer", WRITERS)
def test_changed_output_of_a_plugin_is_never_answered_from_the_cache(
    site: Site, writer: str, kind: type[Rebuilds]
) -> None:
    day = "{{ day }}" if writer == "macro" else "DAY"
    auth = {} if writer == "generated" else {"auth.md": AUTH.replace("day", day)}
    site.write({"index.md": f"# Home\n\n{FENCE}", **auth})
    (site.root / "generate.py").write_text(GENERATE)
    (site.root / "day.txt").write_text("day")
    built = kind(site, dict(WRITERS[writer]))
    if isinstance(built, Dirty):
        built.make(dirty=False)
    assert "after a day" in built.build().text("blockquote")
    (site.root / "day.txt").write_text("week")
    built.settings["extra"] = {"day": "week"}
    assert "after a week" in built.build().text("blockquote")


MOVE = "def on_page_markdown(markdown, **_):\n    return markdown + '\\n\\nMore.'\n"


@pytest.mark.parametrize(("times", "place"), [(1, "index.md:3"), (2, "index.md")])
def test_a_moved_fence_has_a_line_if_it_is_unique_in_its_file(
    site: Site, times: int, place: str
) -> None:
    fence = FENCE.replace("auth.md", "gone.md")
    built = site.build({"index.md": f"# Home\n\n{(fence + chr(10)) * times}"}, hook=MOVE)
    assert [text.partition(": recall: ")[0] for text in built.warnings] == [place] * times
