"""`mkdocs serve`: an edit shows once in every page that quotes it, and nothing piles up."""

from __future__ import annotations

import gc
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import Site
from other_site import SITES, flux, put_copy
from serving import COUNT, serving
from terminal import Terminal

from mkdocs_recall.hosts.build import Build
from mkdocs_recall.store import segments

PAGES = {
    "index.md": "# Home\n\n```recall\nsource: guides/**\nquery: larch\n```\n",
    "apart.md": "# Apart\n\nNo tree at all.\n",
    "guides/a.md": "# A\n\nThe larch is green.\n\n## Part {#part}\n\nMore of it.\n",
}
BLOCK = re.compile("<blockquote.*</blockquote>", re.DOTALL)
PART = "# Home\n\n```synopsis\nsource: guides/a.md#part\n```\n"


@pytest.fixture
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that is not watched."""
    return tmp_path_factory.mktemp("elsewhere")


@pytest.mark.slow
def test_an_edit_shows_where_quoted_and_faults_come_and_go(site: Site, elsewhere: Path) -> None:
    site.write(PAGES)
    site.configure(hook=COUNT, markdown_extensions=["attr_list", "admonition"])
    with serving(site, elsewhere, "-q") as server:
        assert "The larch is green." in server.page()
        first = server.builds
        server.edit({"guides/a.md": PAGES["guides/a.md"].replace("green", "blue")})
        assert "The larch is blue." in server.page()
        assert server.settle() == first + 1

        beside = site.run("--strict", "-d", str(elsewhere / "beside"))
        assert beside.returncode == 0, beside.stderr
        built = (elsewhere / "beside/index.html").read_text(encoding="utf-8")
        assert BLOCK.findall(server.page()) == BLOCK.findall(built)

        server.edit({"index.md": PART})
        assert "More of it." in server.page()
        for _ in range(2):
            server.edit({"guides/a.md": PAGES["guides/a.md"].replace("#part", "#rest")})
            assert "has no section &#x27;#part&#x27;" in server.page()
            server.edit({"guides/a.md": PAGES["guides/a.md"]})
            assert "caution" not in server.page()
            assert "More of it." in server.page()
        assert server.settle() == first + 6


@pytest.mark.slow
def test_pages_edited_during_a_build_are_served_in_the_end(site: Site, elsewhere: Path) -> None:
    asking = {f"asking{n}.md": PAGES["index.md"].replace("larch", f"larch {n}") for n in range(8)}
    site.write(PAGES | asking)
    site.configure(hook=COUNT)

    def write(name: str) -> None:
        text = (PAGES | asking)[name]
        for edit in range(20):  # not at once: a build may read half a page
            (site.docs / name).write_text(text.replace("green", f"green{edit}") + f"\nEdit {edit}.")
            time.sleep(0.05)

    with serving(site, elsewhere, "-q") as server:
        with ThreadPoolExecutor() as editors:
            list(editors.map(write, ["guides/a.md", *asking]))
        server.settle()
        site.run("--strict", "-d", str(elsewhere / "beside"))
        for name in ("index", *(name.removesuffix(".md") for name in asking)):
            path = "" if name == "index" else f"{name}/"
            served = server.page(path)
            assert "The larch is green19." in served
            assert served.count("<blockquote") == 1
            built = (elsewhere / f"beside/{path}index.html").read_text(encoding="utf-8")
            assert (BLOCK.findall(served), "Edit 19." in served) == (
                BLOCK.findall(built),
                name != "index",
            )


@pytest.mark.slow
def test_a_cache_in_a_watched_folder_rebuilds_nothing(site: Site, elsewhere: Path) -> None:
    site.write(PAGES)
    extensions = ["attr_list", "admonition"]
    site.configure(hook=COUNT, watch=["."], markdown_extensions=extensions)
    with serving(site, elsewhere) as server:
        assert server.settle() <= 4
        for pages in (
            {"guides/a.md": PAGES["guides/a.md"].replace("green", "blue")},
            {"index.md": PART.replace("#part", "#nowhere")},
            {"apart.md": "# Apart\n\nIt may recall a tree.\n"},
        ):
            before = server.builds
            server.edit(pages)
            assert server.settle() <= before + 2  # one, and one for what that has kept
        assert "has no section" in server.page()


@pytest.mark.slow
def test_a_dirty_server_rebuilds_who_asks_a_changed_page(site: Site, elsewhere: Path) -> None:
    site.write(PAGES)
    site.configure(hook=COUNT, markdown_extensions=["attr_list", "admonition"])
    with serving(site, elsewhere, "--dirty", "-q") as server:
        first = server.builds
        server.edit({"guides/a.md": PAGES["guides/a.md"].replace("green", "blue")})
        assert "The larch is blue." in server.page()
        server.edit({"guides/b.md": "# B\n\nNo larch is red.\n"})
        assert "No larch is red." in server.page()
        server.edit({"index.md": PART})
        assert "More of it." in server.page()
        server.edit({"guides/a.md": PAGES["guides/a.md"].replace("#part", "#rest")})
        assert "caution" in server.page()
        server.edit({"guides/a.md": PAGES["guides/a.md"]})
        assert "caution" not in server.page()
        assert server.settle() == first + 5


def _open_files() -> int:
    """Count the files that this process has open."""
    count = 0
    for number in range(1024):
        try:
            os.fstat(number)
        except OSError:
            continue
        count += 1
    return count


def test_a_copy_of_another_site_that_is_fetched_again_is_quoted(
    site: Site, elsewhere: Path
) -> None:
    fence = '# Home\n\n```recall\nquery: when does a flux token expire\nsource: "flux:**"\n```\n'
    site.write({**PAGES, "index.md": fence})
    site.configure(hook=COUNT, recall={"sites": SITES})
    put_copy(site.root)
    with serving(site, elsewhere, "-q") as server:
        assert "12 hours" in server.page()
        put_copy(site.root, data=flux({"index.md": "# Flux\n\nA flux token expires at once.\n"}))
        server.until(lambda: "expires at once" in server.page())


@pytest.mark.slow
def test_an_answer_shows_once_it_is_approved(site: Site, elsewhere: Path) -> None:
    ask = (
        "# Home\n\n```recall\nsource: guides/**\nquery: is the larch green\nmax_sentences: 1\n```\n"
    )
    site.write({**PAGES, "index.md": ask, "guides/b.md": "# B\n\nNothing.\n"})
    site.configure(hook=COUNT, recall={"lock": "enforce"})
    assert Terminal(site.root).run("lock", "--accept").status == 0
    with serving(site, elsewhere, "-q") as server:

        def quote() -> str:
            return " ".join(re.findall("<blockquote.*?</blockquote>", server.page(), re.DOTALL))

        assert "The larch is green." in quote()
        server.edit({"guides/b.md": "# Is the larch green?\n\nIs the larch green? Yes, green.\n"})
        assert "The larch is green." in quote()  # nobody has approved it
        before = server.builds
        assert Terminal(site.root).run("lock", "--accept").status == 0
        server.until(lambda: server.builds > before)
        assert "larch green?" in quote()
        assert "cite" in server.page("assets/recall.css")  # the site is written anew each time


def test_twenty_rebuilds_leave_nothing_open_and_one_build_in_memory(site: Site) -> None:
    """MkDocs keeps the one instance of the plugin from build to build, as a server does."""
    site.build(PAGES, markdown_extensions=["attr_list"])
    before = _open_files()
    for turn in range(20):
        pages = {"guides/a.md": f"# A\n\nThe larch is {turn} years old.\n"}
        if turn % 5 == 4:
            pages["index.md"] = PART if turn == 4 else PAGES["index.md"]
        site.write(pages)
        site.rebuild()
        for path in site.cache.glob(segments()):
            path.rename(path.with_suffix(".moved"))  # which Windows forbids while it is open
            path.with_suffix(".moved").rename(path)
    assert _open_files() == before
    gc.collect()
    assert sum(type(value) is Build for value in gc.get_objects()) <= 1
