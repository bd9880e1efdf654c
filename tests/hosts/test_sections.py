"""Sections quoted whole in real builds, checked like any answer."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from conftest import Built, Site
from other_site import SITES, flux, put_copy
from serving import COUNT, serving
from tables import Case, beside, tabled
from terminal import Terminal

from mkdocs_recall.answers.insertion import Quote, marker_id
from mkdocs_recall.answers.whitelist import is_clean
from mkdocs_recall.hosts.build import cached_quote

GUIDE: str = beside(__file__)["GUIDE"]
HOME = "# Home\n\n## Start\n\n```recall\nsource: guides/guide.md#install\n{}```\n\nLast.\n"
PAGES: dict[str, str | bytes] = {
    "index.md": HOME.format(""),
    "guides/guide.md": GUIDE,
    "guides/larch.png": b"",
}
EXTENSIONS: list[Any] = [
    *("admonition", "attr_list", "footnotes", "tables", "pymdownx.superfences"),
    {"pymdownx.tabbed": {"alternate_style": True}},
    {"toc": {"permalink": True}},
]
BOX = "section.recall.recall-section[data-search-exclude]"


def built(site: Site, pages: dict[str, str | bytes] | None = None, **settings: Any) -> Built:
    return site.build({**PAGES, **(pages or {})}, markdown_extensions=EXTENSIONS, **settings)


def home(*lines: str) -> dict[str, str | bytes]:
    return {"index.md": HOME.format("".join(f"{line}\n" for line in lines))}


def test_a_section_is_as_rich_as_on_its_page_and_fits_in(site: Site) -> None:
    build = built(site)
    assert build.warnings == []
    box = build.tag(BOX)
    assert [h.name for h in box.select("h1, h2, h3, h4, h5, h6")] == ["h3", "h4"]
    assert [span.get_text() for span in box.select(".filename")] == ["shell"]
    assert [cell.get_text() for cell in box.select("td")] == ["587", "mail"]
    assert [tag["src"] for tag in box.select("img")] == ["guides/larch.png"]
    assert [li.get_text() for li in box.select("ol > li")][:2] == ["Run it.", "Read the rest."]
    labels = [label["for"] for label in box.select(".tabbed-labels label")]
    assert labels == [tag["id"] for tag in box.select("input[type=radio]")]
    assert "They are the same." in box.select_one(".footnote").get_text()  # type: ignore[union-attr]
    assert box.select_one("a[href='guides/guide/#rest']")
    assert "No more." not in box.get_text()
    cite = box.select_one("cite a")
    assert cite is not None
    assert (cite["href"], cite.get_text()) == ("guides/guide/#install", "Guide › Install")
    ids = [tag["id"] for tag in build.page().select("[id]")]
    assert len(ids) == len(set(ids))
    assert "Last." in build.tag("article").get_text()


@tabled
def test_an_option_shapes_what_is_quoted_of_a_section(
    site: Site, lines: list[str], there: list[str], not_there: list[str]
) -> None:
    text = built(site, home(*lines)).text(BOX)
    assert [part for part in there if part not in text] == []
    assert [part for part in not_there if part in text] == []


@tabled
def test_what_is_not_a_single_section_is_an_error(site: Site, body: str, message: str) -> None:
    build = built(site, {"index.md": f"# Home\n\n```recall\n{body}\n```\n"})
    assert len(build.warnings) == 1
    assert message in build.warnings[0]
    assert message in BeautifulSoup(build.html(), "html.parser").get_text()


NESTED: dict[str, str | bytes] = beside(__file__)["NESTED"]


def test_a_quote_in_a_section_comes_along_one_level_deep(site: Site) -> None:
    pages = {**NESTED, "b.md": "# B\n\n## Bee\n\nDeep. See [c](c.md).\n"}
    build = built(site, {k: pages[k] for k in ("guides/guide.md", "b.md", "c.md")})
    assert build.warnings == []
    text = " ".join(build.page().select(BOX)[0].get_text().split())
    assert text.startswith("Install Take it. Bee Deep. See c. — B › Bee More. — G › Install")
    assert [h.name for h in build.page().select(f"{BOX} h2, {BOX} h3, {BOX} h4")] == ["h3", "h4"]
    assert next(a["href"] for a in build.page().select(f"{BOX} a")) == "c/"


def test_deeper_and_circular_quotes_are_left_out_with_their_chain(site: Site) -> None:
    build = built(site, NESTED)
    assert "Deeper." not in build.html()
    assert "Deeper." in build.html("b/index.html")
    assert "; ".join(build.warnings) == (
        "index.md:5: recall: quotes are nested one level deep, so the last one is left out: "
        "index.md → guides/guide.md#install → /b.md#bee → c.md#cee"
    )
    itself: dict[str, str | bytes] = {
        "index.md": "# Home\n\n## A\n\nText.\n\n```recall\nsource: '#a'\n```\n\nEnd.\n"
    }
    circle = built(site, {**itself, **PAGES, **itself})
    assert "index.md → #a → #a" in circle.warnings[0]
    assert circle.text(BOX) == "A Text. End."


def test_a_section_is_the_same_cold_and_warm_byte_for_byte(site: Site) -> None:
    cold = built(site, NESTED).files()
    build = site.rebuild()
    assert build.files() == cold
    assert "3 from the cache" in build.infos[-1]


def test_an_edit_of_text_or_only_markup_of_the_source_shows(site: Site) -> None:
    built(site, {"guides/larch2.png": b""})
    for old, new, shown in (
        ("Run it.", "Start it.", "Start it."),
        ("Take one", "Take *one*", "<em>one</em>"),
        ("larch.png", "larch2.png", "guides/larch2.png"),
    ):
        text = (site.docs / "guides/guide.md").read_text(encoding="utf-8")
        site.write({"guides/guide.md": text.replace(old, new)})
        assert shown in str(site.rebuild().tag(BOX))
        assert shown in str(site.rebuild(dirty=True).tag(BOX))


def test_a_section_below_another_heading_has_other_levels(site: Site) -> None:
    built(site)
    site.write({"index.md": str(PAGES["index.md"]).replace("## Start", "### Start")})
    assert [h.name for h in site.rebuild().tag(BOX).select("h3, h4, h5")] == ["h4", "h5"]


def test_a_forged_section_in_the_cache_reaches_no_page(site: Site) -> None:
    box = re.findall(
        '<section class="recall recall-section".*</section>', built(site).html(), re.DOTALL
    )[0]
    assert is_clean(box.replace(f"recall-{marker_id('index.md', 0)}-", "recall:0:"))
    for attack in ("<script>x</script>", '<p onclick="x">y</p>', "<!-- y -->", "{{ x }}"):
        for at in ("<p>", "</p>"):
            assert cached_quote(Quote(box.replace(at, at + attack), "")) is None


def test_the_search_of_material_finds_only_the_original(site: Site) -> None:
    built(site, theme={"name": "material"}, plugins=["material/search", "recall"])
    index = json.loads((site.root / "site/search/search_index.json").read_text(encoding="utf-8"))
    found = [page["location"] for page in index["docs"] if "Run it." in page["text"]]
    assert found == ["guides/guide/#check"]


@pytest.fixture
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("elsewhere")


@pytest.mark.slow
def test_an_edit_of_the_source_shows_in_a_preview(site: Site, elsewhere: Path) -> None:
    site.write(PAGES)
    site.configure(hook=COUNT, markdown_extensions=EXTENSIONS)
    with serving(site, elsewhere, "-q") as server:
        assert "Run it." in server.page()
        server.edit({"guides/guide.md": GUIDE.replace("Run it.", "Start it.")})
        assert "Start it." in server.page()


def test_a_section_is_locked_and_checked_like_any_answer(site: Site) -> None:
    site.write(PAGES)
    site.configure(markdown_extensions=EXTENSIONS, recall={"lock": "warn"})
    terminal = Terminal(site.root)
    assert terminal.run("lock", "--accept").status == 0
    assert terminal.run("check").status == 0
    assert site.rebuild().warnings == []
    site.write({"guides/guide.md": GUIDE.replace("Run it.", "Start it.")})
    assert terminal.run("check").status != 0
    warned = site.rebuild()
    assert len(warned.warnings) == 1
    assert "differs from the approved one" in warned.warnings[0]
    site.configure(markdown_extensions=EXTENSIONS, recall={"lock": "enforce"})
    assert "is new, since the approved one" in site.rebuild().warnings[0]
    site.write({"guides/guide.md": GUIDE})
    rebuilt = site.rebuild()
    assert rebuilt.warnings == []
    assert rebuilt.tag(BOX).select("input[type=radio]")


@tabled
def test_a_section_is_quoted_as_a_fence_says(site: Site, case: Case) -> None:
    site.write(PAGES)
    site.expect(case, markdown_extensions=EXTENSIONS)


@pytest.mark.parametrize("recall", [{}, {"receipts": True}])
def test_a_built_section_is_verified_as_any_quote(site: Site, recall: dict[str, Any]) -> None:
    built(site, NESTED, recall=recall)
    site.write({"guides/guide.md": GUIDE})
    site.rebuild()
    terminal = Terminal(site.root)
    outcome = terminal.run("verify", "site/index.html")
    assert (outcome.status, outcome.err) == (0, "1 exact, 0 moved, 0 changed, 0 gone.\n"), outcome
    site.write({"guides/guide.md": GUIDE.replace("Run it.", "Start it.")})
    assert "[-Run-] {+Start+} it." in terminal.run("verify", "site/index.html").out
    assert "1 exact" in terminal.run("verify", "site/b/index.html").err


def test_graph_and_impact_know_what_is_quoted(site: Site) -> None:
    built(site)
    terminal = Terminal(site.root)
    edges = json.loads(terminal.run("graph", "--format", "json").out)
    assert "guides/guide.md#install" in str(edges)


def test_it_is_rendered_as_markdown_below_the_headings_of_a_file(site: Site) -> None:
    built(site)
    outcome = Terminal(site.root).run("render", "docs/index.md")
    assert outcome.status == 0
    assert "\n### Install\n\nTake one of these" in outcome.out
    assert "\n#### Check\n" in outcome.out
    assert "— [Guide › Install](guides/guide.md#install)" in outcome.out


def test_another_site_s_section_is_written_from_its_text(site: Site) -> None:
    text = "# Flux\n\n## Keys\n\nA key opens. See [more](b.md).\n\n### Old\n\n- One\n- Two\n"
    site.write({"index.md": "# Home\n\n```recall\nsource: 'flux:index.md#keys'\n```\n"})
    site.configure(recall={"sites": SITES})
    put_copy(site.root, data=flux({"index.md": text, "b.md": "# B\n\nB.\n"}))
    build = site.rebuild()
    assert build.warnings == []
    box = build.tag(BOX)
    assert [h.get_text() for h in box.select("h2, h3")] == ["Keys", "Old"]
    assert [li.get_text() for li in box.select("li")] == ["One", "Two"]
    assert "Flux" in box.select_one("cite").get_text()  # type: ignore[union-attr]


def test_a_finished_site_is_filled_with_it_and_stays_the_same(site: Site) -> None:
    pages = {
        **PAGES,
        **NESTED,
        "guides/guide.md": f"{GUIDE}\n## B\n\n```recall\nsource: /b.md#bee\n```\n",
    }
    highlight: list[Any] = [*EXTENSIONS, {"pymdownx.highlight": {"use_pygments": False}}]
    site.build(
        {**pages, "b.md": "# B\n\n## Bee\n\nDeep.\n"}, plugins=[], markdown_extensions=highlight
    )
    terminal = Terminal(site.root)
    assert terminal.run("fill", "site").status == 0
    first = (site.root / "site/index.html").read_text(encoding="utf-8")
    box = BeautifulSoup(first, "html.parser").select("section.recall-section")[0]
    assert [h.name for h in box.select("h1, h2, h3, h4")] == ["h3", "h4"]
    assert box.select("input[type=radio]")
    assert re.search(r'src="(?:\./)?guides/larch\.png"', str(box))
    assert terminal.run("fill", "site").status == 0
    assert (site.root / "site/index.html").read_text(encoding="utf-8") == first
