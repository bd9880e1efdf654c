"""What is not the site's: no source, link or setting reads it, no command writes or deletes it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from terminal import Terminal

from mkdocs_recall.cache import FILE

if TYPE_CHECKING:
    from pathlib import Path

links = pytest.mark.skipif(sys.platform == "win32", reason="Windows lets few users make links")
OUTSIDE = "The xyzzy expires after a outside session."


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    """A terminal in a folder with a site, beside which lies what is not the site's."""
    made = Terminal(tmp_path / "project")
    made.folder.mkdir()
    made.write({"outside.md": f"# Secret\n\n{OUTSIDE}\n"}, folder="../outside")
    made.write({"auth.md": "# Auth\n\nA session expires.\n"})
    made.configure()
    return made


# ----------------------------------------------------------------------------------- the cache


@pytest.mark.parametrize(
    "folder", ["docs", "docs/kept", "./docs/../docs", "site", "site/kept", ".", "..", "theme/kept"]
)
def test_commands_refuse_a_cache_where_a_build_does(terminal: Terminal, folder: str) -> None:
    terminal.configure(
        "site_name: Larch\ntheme: {name: mkdocs, custom_dir: theme}\n"
        f"plugins: [{{recall: {{cache_dir: '{folder}'}}}}]\n"
    )
    terminal.write({"main.html": ""}, folder="theme")
    before = sorted(terminal.folder.parent.rglob("*"))
    for arguments in (("search", "session"), ("cache", "clear"), ("cache", "info")):
        said = terminal.run(*arguments)
        assert said.status == 2
        assert "mkdocs.yml: recall: 'cache_dir' cannot be" in said.err
        assert said.err.count("\n") == 1
    assert sorted(terminal.folder.parent.rglob("*")) == before


def test_clearing_the_cache_deletes_no_file_that_only_looks_like_one_of_ours(
    terminal: Terminal,
) -> None:
    terminal.configure("site_name: Larch\nplugins: [{recall: {cache_dir: ../data}}]\n")
    theirs = {
        "vectors/measured.npy": "theirs",
        "vectors/measured.npy.gz": "theirs",
        "recall-notes.sqlite3": "theirs",
        ".gitignore": "theirs",
    }
    terminal.write(theirs, folder="../data")
    assert terminal.run("search", "session").status == 0
    folder = terminal.folder.parent / "data"
    assert (folder / FILE).is_file()
    (folder / "recall-2.sqlite3").mkdir()
    assert terminal.run("cache", "clear").status == 0
    left = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert left == set(theirs)


@links
def test_clearing_the_cache_follows_no_link_out_of_it(terminal: Terminal) -> None:
    name = f"{'0f' * 16}.npy"
    terminal.write({name: "theirs"}, folder="../data")
    assert terminal.run("search", "session").status == 0
    folder = terminal.folder / ".cache/plugin/recall"
    (folder / "vectors").symlink_to("../../../../data")
    (folder / "recall-7.sqlite3").symlink_to(f"../../../../data/{name}")
    assert terminal.run("cache", "clear").status == 0
    assert (terminal.folder.parent / "data" / name).read_text() == "theirs"
