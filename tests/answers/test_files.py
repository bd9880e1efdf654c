"""`mkdocs-recall render`: a Markdown file with its directives answered and nothing else changed."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from other_site import SITES, flux, put_copy
from tables import Steps, beside, tabled
from terminal import Outcome, Terminal

from mkdocs_recall import Corpus
from mkdocs_recall.answers.files import FileRenderer
from mkdocs_recall.cli.write import write_output
from mkdocs_recall.errors import SiteError

AUTH: str = beside(__file__)["AUTH"]
TOKENS = "# Tokens\n\nA token lets a program in.\n\n## Life\n\nNo token expires by itself.\n"
ASKED = "```recall\nsource: auth.md\nquery: When does a session expire?\nmax_sentences: 1\n```\n"
QUOTE = (
    "> A session expires after 12 hours without a request.\n>\n"
    "> — [Sign-in › Expiry](docs/auth.md#expiry)\n"
)

CONFIG = "site_name: Larch\nplugins: [recall]\n"
PAGES = {"auth.md": AUTH, "guides/tokens.md": TOKENS}


def rendered(terminal: Terminal, text: str | bytes, **defaults: Any) -> str:
    """Return the rendering of a file without faults."""
    terminal.write({"AGENTS.md": text}, folder=".")
    corpus = Corpus.from_folder(terminal.folder / "docs", cache=False)
    found = FileRenderer(corpus, defaults=defaults).render(terminal.folder / "AGENTS.md")
    assert found.faults == found.warnings == []
    return found.text


GUIDE: str = beside(__file__)["GUIDE"]
TWINS = "# T\n\n## Twins\n\n## Twins\n\nMore.\n"
ON_GITHUB: dict[str, str] = beside(__file__)["ON_GITHUB"]
IN_THE_SITE: dict[str, str] = beside(__file__)["IN_THE_SITE"]


@pytest.mark.parametrize(
    ("file", "options", "expected"),
    [
        ("AGENTS.md", [], ON_GITHUB),
        ("docs/page.md", [], IN_THE_SITE),
        ("docs/page.md", ["--slugs", "github"], ON_GITHUB),
        ("AGENTS.md", ["--slugs", "mkdocs"], IN_THE_SITE),
        ("docs/page.md", ["--docs", "docs"], ON_GITHUB),
    ],
    ids=["outside", "a page", "a page for GitHub", "outside for the site", "no site"],
)
def test_a_citation_opens_its_section_where_the_file_is_read(
    terminal: Terminal, file: str, options: list[str], expected: dict[str, str]
) -> None:
    """GitHub and editors make other anchors of a heading than MkDocs does."""
    fence = "\n".join(
        f"```recall\nsource: /guide.md\nquery: {query}\nmax_sentences: 1\n```\n"
        for query in expected
    )
    terminal.configure("site_name: A\nmarkdown_extensions: [attr_list]\n")
    terminal.write({"docs/guide.md": GUIDE, "docs/twins.md": TWINS, file: fence}, folder=".")
    outcome = terminal.run("render", file, *options)
    assert outcome.err == ""
    path = "guide.md" if file.startswith("docs/") else "docs/guide.md"
    cited = [line for line in outcome.out.splitlines() if line.startswith("> —")]
    assert len(cited) == len(expected)
    for line, anchor in zip(cited, expected.values(), strict=True):
        assert f"]({path}{anchor})" in line


def test_links_within_a_quote_open_their_sections_too(terminal: Terminal) -> None:
    fence = "```recall\nsource: guide.md\nquery: see the size\nmax_sentences: 1\n```\n"
    terminal.write({"docs/guide.md": GUIDE, "docs/twins.md": TWINS, "A.md": fence}, folder=".")
    assert "[twins](docs/twins.md#twins-1)" in terminal.run("render", "A.md").out


@tabled
def test_a_rendered_file_has_its_quotes_and_all_else(terminal: Terminal, case: Steps) -> None:
    terminal.follow(case)


@tabled
def test_a_quote_stands_apart_from_what_is_around_it(
    terminal: Terminal, text: str, expected: str
) -> None:
    filled = expected.format(ASKED=ASKED, QUOTE=QUOTE)
    assert rendered(terminal, text.format(ASKED=ASKED)) == filled


def indented(text: str, first: str, others: str) -> str:
    lines = text.splitlines()
    return "".join(
        f"{line}\n" for line in (first + lines[0], *((others + x).rstrip() for x in lines[1:]))
    )


@tabled
def test_each_line_has_the_prefix_of_the_fence(terminal: Terminal, first: str, others: str) -> None:
    above = "Item\n\n" if first == "    " else ""
    text = f"- {above}" if above else ""
    expected = text + indented(QUOTE, first, others)
    assert rendered(terminal, text + indented(ASKED, first, others)) == expected


def test_line_ends_byte_order_mark_and_a_missing_line_end_stay(terminal: Terminal) -> None:
    text = f"# Agents\n\n{ASKED}\nEnd"
    terminal.write({"AGENTS.md": f"\ufeff{text}".replace("\n", "\r\n")}, folder=".")
    assert terminal.run("render", "AGENTS.md", "--output", "out.md").status == 0
    data = (terminal.folder / "out.md").read_bytes()
    assert data == f"\ufeff# Agents\n\n{QUOTE}\nEnd".replace("\n", "\r\n").encode()
    terminal.write({"AGENTS.md": ASKED.rstrip()}, folder=".")
    assert terminal.run("render", "AGENTS.md", "--output", "out.md").status == 0
    assert (terminal.folder / "out.md").read_text("utf-8") == QUOTE.rstrip()


RICH: str = beside(__file__)["RICH"]
WRITTEN: str = beside(__file__)["WRITTEN"]


@pytest.mark.parametrize("docs", [(), ("--docs", "docs")], ids=["site", "folder"])
def test_a_quote_has_the_form_of_its_page(terminal: Terminal, docs: tuple[str, ...]) -> None:
    names = "admonition, def_list, pymdownx.highlight, pymdownx.superfences, pymdownx.tabbed"
    terminal.configure(f"site_name: Larch\nplugins: [recall]\nmarkdown_extensions: [{names}]\n")
    markdown = "```recall\nsource: vault.md\nquery: how to install the vault\n```\n"
    terminal.write({"vault.md": RICH, "b.md": "```recall\nsource: vault.md#setup\n```\n"})
    terminal.write({"c.md": markdown})
    assert terminal.run("render", "docs/b.md", *docs).out.startswith(WRITTEN)
    outcome = terminal.run("render", "docs/c.md", *docs).out
    assert "\n> ```bash\n> pip install vault\n> ```\n" in outcome


FENCED = "# Run\n\n## How to run\n\nRun it in `#!js x`:\n\n```{}\nrun\nvault = 1\n```\n"


@tabled
def test_code_has_the_language_of_its_fence(
    terminal: Terminal, extensions: str, info: str, language: str
) -> None:
    terminal.configure(f"site_name: Larch\nplugins: [recall]\nmarkdown_extensions: {extensions}\n")
    for source, mark in (("run.md#how-to-run", ""), ("run.md\nquery: how to run it", "> ")):
        markdown = f"```recall\nsource: {source}\n```\n"
        terminal.write({"run.md": FENCED.format(info), "b.md": markdown})
        code = "".join(f"{mark}{line}\n" for line in (f"```{language}", "run", "vault = 1", "```"))
        assert f"\n{code}" in terminal.run("render", "docs/b.md").out


def test_code_of_another_site_is_quoted(terminal: Terminal) -> None:
    """Only its published text is known, and no HTML."""
    sites = json.dumps(SITES)
    terminal.configure(f"site_name: Larch\nplugins: [{{recall: {{sites: {sites}}}}}]\n")
    put_copy(terminal.folder, data=flux({"run.md": FENCED.format("py")}))
    for source in ("source: flux:run.md#how-to-run", "source: flux:**\nquery: how to run it"):
        terminal.write({"b.md": f"```recall\n{source}\n```\n"})
        outcome = terminal.run("render", "docs/b.md")
        assert outcome.err == ""
        assert "vault = 1\n" in outcome.out


@tabled
def test_a_command_that_cannot_be_meant_says_why(
    terminal: Terminal, arguments: list[str], message: str
) -> None:
    terminal.write({"A.md": "A", "latin.md": b"caf\xe9", "docs/A.md": "A"}, folder=".")
    (terminal.folder / "empty").mkdir()
    outcome = terminal.run("render", *arguments)
    assert outcome.status == 2
    assert message in outcome.err
    assert "Traceback" not in outcome.err
    assert (terminal.folder / "A.md").read_text("utf-8") == "A"


def written(terminal: Terminal, *arguments: str) -> dict[str, str]:
    """Return the files that `--output out/` has written, by path."""
    outcome = terminal.run("render", *arguments, "--output", "out/")
    assert outcome.status == 0, outcome.err
    out = terminal.folder / "out"
    return {
        path.relative_to(out).as_posix(): path.read_text("utf-8")
        for path in sorted(out.rglob("*"))
        if path.is_file()
    }


def test_several_files_keep_their_places_below_the_folder_they_share(terminal: Terminal) -> None:
    for name in ("docs/index.md", "docs/a/index.md", "docs/a/b/index.md", "README.md"):
        terminal.write({name: name}, folder=".")
    names = ["docs/index.md", "docs/a/b/index.md", "docs/./index.md"]
    assert list(written(terminal, *names)) == ["a/b/index.md", "index.md"]
    shutil.rmtree(terminal.folder / "out")
    mixed = written(terminal, "docs/a", "README.md")
    assert mixed == {name: name for name in ("README.md", "docs/a/b/index.md", "docs/a/index.md")}
    shutil.rmtree(terminal.folder / "out")
    assert list(written(terminal, "docs/a/b/index.md")) == ["index.md"]


def test_a_file_of_a_folder_that_is_not_utf_8_is_left_out(terminal: Terminal) -> None:
    terminal.write({"notes/latin.md": b"A\ncaf\xe9", "notes/a.md": "A"}, folder=".")
    outcome = terminal.run("render", "notes")
    path = os.path.join("notes", "latin.md")  # as messages have it
    assert outcome == Outcome(
        0, "A\n", f"Warning: '{path}' is left out: line 2 is not UTF-8; save it as UTF-8\n"
    )


@pytest.mark.skipif(os.name == "nt", reason="links need a permission there")
def test_a_tree_is_not_written_through_a_link_out_of_it(
    terminal: Terminal, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (terminal.folder / "out").mkdir()
    (terminal.folder / "out" / "guides").symlink_to(elsewhere)
    outcome = terminal.run("render", "docs", "--output", "out/")
    assert outcome.status == 2
    assert "is a link to" in outcome.err
    assert not list(elsewhere.iterdir())


def test_a_changed_line_end_is_a_change_and_long_differences_are_cut(terminal: Terminal) -> None:
    terminal.write({"A.md": "line\n" * 99, "out.md": "line\r\n" * 99}, folder=".")
    outcome = terminal.run("render", "A.md", "--output", "out.md", "--check")
    assert outcome.status == 3
    assert len(outcome.out.splitlines()) == 41
    assert outcome.out.endswith(" more lines\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_a_file_that_is_written_again_keeps_its_mode_and_its_link(terminal: Terminal) -> None:
    terminal.write({"A.md": ASKED, "real/out.md": "old"}, folder=".")
    real = terminal.folder / "real/out.md"
    real.chmod(0o600)
    (terminal.folder / "out.md").symlink_to(real)
    assert terminal.run("render", "A.md", "--output", "out.md").status == 0
    assert (terminal.folder / "out.md").is_symlink()
    assert real.read_text("utf-8") == QUOTE
    assert real.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in real.parent.iterdir()] == ["out.md"]


@pytest.mark.parametrize("busy", [0, 1, 4, 5])
def test_a_file_that_is_open_on_windows_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, busy: int
) -> None:
    """A virus scanner has it open for a moment; whoever keeps it open is told of."""
    file = tmp_path / "out.md"
    file.write_bytes(b"old")
    replace, attempts = Path.replace, 0

    def replace_on_windows(self: Path, target: Path) -> Path:
        nonlocal attempts
        attempts += 1
        if attempts > busy:
            return replace(self, target)
        error = PermissionError(13, "it is being used by another process")
        error.winerror = 32  # type: ignore[attr-defined,unused-ignore]
        raise error

    monkeypatch.setattr(Path, "replace", replace_on_windows)
    if busy < 5:
        write_output(file, "new")
    else:
        with pytest.raises(SiteError, match=r"out.md' cannot be written: it is being used by"):
            write_output(file, "new")
    assert file.read_bytes() == (b"new" if busy < 5 else b"old")
    assert list(tmp_path.iterdir()) == [file]


def test_a_name_may_be_as_long_as_the_file_system_allows(terminal: Terminal) -> None:
    terminal.write({"A.md": ASKED}, folder=".")
    name = "n" * 252 + ".md"
    assert terminal.run("render", "A.md", "--output", name).status == 0
    assert (terminal.folder / name).read_text("utf-8") == QUOTE


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_a_device_or_a_pipe_is_neither_replaced_nor_awaited(terminal: Terminal) -> None:
    pipe = terminal.folder / "pipe"
    os.mkfifo(pipe)
    terminal.write({"A.md": ASKED}, folder=".")
    outcome = terminal.run("render", "A.md", "--output", "pipe")
    assert (outcome.status, outcome.err) == (
        2,
        "Error: 'pipe' cannot be written: it exists, and is not a file\n",
    )
    outcome = terminal.run("render", "A.md", "--output", "pipe", "--check")
    assert (outcome.status, outcome.err) == (2, "Error: 'pipe' cannot be read: it is not a file\n")
    assert pipe.is_fifo()


LINES = st.lists(
    st.sampled_from(["", "text", "- item", "> said", "    code", "~~~", "# x"]), max_size=12
)


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans(), LINES)
def test_lines_without_a_directive_are_never_touched(
    tmp_path_factory: pytest.TempPathFactory,
    above: list[str],
    end: str,
    mark: bool,  # noqa: FBT001 - as hypothesis gives it
    below: list[str],
) -> None:
    folder = tmp_path_factory.mktemp("docs")
    (folder / "auth.md").write_text(AUTH, encoding="utf-8")
    documents = FileRenderer(Corpus.from_folder(folder, cache=False))
    text = "\ufeff" * mark + end.join([*above, *ASKED.splitlines(), *below])
    path = folder.parent / "page.md"
    path.write_bytes(text.encode())
    found = documents.render(path).text
    rest = iter(found.split("\n"))
    lines = [*above, *below] if "12 hours" in found else text.removeprefix("\ufeff").split(end)
    for line in lines:
        if line.strip() and "recall" not in line:
            assert any(other.removeprefix("\ufeff").rstrip("\r") == line for other in rest), (
                text,
                found,
            )
