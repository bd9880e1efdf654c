"""What is not the site's: no source, link or setting reads it, no command writes or deletes it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from repositories import GIT, Repository, posix, script
from terminal import Terminal

import mkdocs_recall
from mkdocs_recall import Corpus, RecallError, git, history
from mkdocs_recall.cache import FILE
from mkdocs_recall.files import files_opened, write_whole
from mkdocs_recall.lock import read as read_lock
from mkdocs_recall.settings import plugin_options
from mkdocs_recall.touched import touched

if TYPE_CHECKING:
    from conftest import Site

links = pytest.mark.skipif(sys.platform == "win32", reason="Windows lets few users make links")
OUTSIDE = "The xyzzy expires after a outside session."


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    """A terminal in a folder with a site, beside which lies what is not the site's."""
    made = Terminal(tmp_path / "project")
    made.folder.mkdir()
    made.write({"secret.md": f"# Secret\n\n{OUTSIDE}\n"}, folder="../outside")
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


# -------------------------------------------------------------------------------- files we write


@links
def test_a_lock_file_that_leads_out_of_its_folder_is_neither_read_nor_written(
    terminal: Terminal,
) -> None:
    outside = terminal.folder.parent / "outside/secret.md"
    before = outside.read_bytes()
    (terminal.folder / "recall.lock").symlink_to("../outside/secret.md")
    for arguments in (("lock", "--accept"), ("lock",), ("check",)):
        said = terminal.run(*arguments)
        assert said.status == 2
        assert said.err == (
            "Error: 'recall.lock' is a link that leads out of its folder; remove it\n"
        )
    assert outside.read_bytes() == before
    (terminal.folder / "recall.lock").unlink()
    (terminal.folder / "locks").mkdir()
    (terminal.folder / "recall.lock").symlink_to("locks/docs.lock")
    assert terminal.run("lock").status == 0
    assert terminal.run("check").status == 0
    assert (terminal.folder / "recall.lock").is_symlink()


@links
def test_a_file_is_not_written_through_what_somebody_has_laid_in_its_way(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text("theirs")
    (tmp_path / f"ours.{os.getpid()}.new").symlink_to(theirs)
    write_whole(tmp_path / "ours", b"ours")
    assert theirs.read_text() == "theirs"
    assert (tmp_path / "ours").read_text() == "ours"
    assert not (tmp_path / "ours").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ours", "theirs"]


# ----------------------------------------------------------------------------------------- git


@posix
def test_a_repository_that_lies_among_the_files_of_another_is_not_asked(
    repository: Repository, tmp_path: Path
) -> None:
    """A pull request may bring the files of a bare repository; its settings name programs."""
    repository.commit(1, a="A text.")
    spy = script(tmp_path / "spy", f'echo "$@" >> "{tmp_path / "called"}"')
    project = repository.root / "project"
    repository.git("init", "--quiet", "--bare", str(project))
    for name, value in (
        *(("core.bare", "false"), ("core.worktree", ".")),
        *(("core.fsmonitor", str(spy)), ("core.pager", str(spy)), ("core.hooksPath", ".")),
    ):
        git_of(project, "config", name, value)
    (project / "docs").mkdir()
    (project / "docs/a.md").write_text("A text.")
    with pytest.raises(git.GitError, match=r"bare repository|in no git repository"):
        git.ask(project, "rev-parse", "--git-dir")
    assert touched(project) == ()
    assert history.head(project) == ""
    assert not (tmp_path / "called").exists()


def git_of(folder: Path, *arguments: str) -> None:
    subprocess.run([GIT, "--git-dir", str(folder), *arguments], check=True)  # noqa: S603 - git


@posix
def test_a_file_or_folder_whose_name_is_an_option_of_git_is_a_name(
    repository: Repository, tmp_path: Path
) -> None:
    spied = tmp_path / "called"
    names = ("--output=called", "-O", "--upload-pack=touch called", ":(glob)**", "--", "-c")
    for name in names:
        repository.write(f"docs/{name}/{name}.md", "A text.")
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message", "A change")
    files = [repository.file(f"docs/{name}/{name}.md") for name in names]
    assert set(history.created(files)) == set(files)
    for name in names:
        repository.write(f"docs/{name}/{name}.md", "Another text.")
    assert len(touched(repository.root / "docs")) == len(names)
    assert not list(tmp_path.rglob("called"))
    assert not spied.exists()


# -------------------------------------------------------------------------- what is never done


MODULES = sorted(Path(mkdocs_recall.__file__).parent.rglob("*.py"))
NEVER_IMPORTED = {
    *("pickle", "cPickle", "dill", "shelve", "marshal", "ctypes", "code", "runpy", "socket"),
    *("urllib.request", "http", "http.client", "ftplib", "smtplib", "requests", "httpx", "aiohttp"),
    *("webbrowser", "pty", "multiprocessing", "xmlrpc", "telnetlib"),
}
NEVER_CALLED = {"eval", "exec", "compile", "__import__", "system", "popen", "execv", "spawn"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_module_evaluates_unpickles_starts_programs_or_goes_online(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    imported: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported |= {node.module or "", *(f"{node.module}.{n.name}" for n in node.names)}
        elif isinstance(node, ast.Call):
            name = node.func
            called = name.id if isinstance(name, ast.Name) else getattr(name, "attr", "")
            is_pattern = isinstance(name, ast.Attribute) and called == "compile"
            assert called not in NEVER_CALLED or is_pattern, (called, node.lineno)
            for keyword in node.keywords:
                assert keyword.arg != "shell", node.lineno
                if keyword.arg in {"allow_pickle", "trust_remote_code"}:
                    assert isinstance(keyword.value, ast.Constant)
                    assert keyword.value.value is False
            if called == "load" and isinstance(name, ast.Attribute):
                owner = name.value.id if isinstance(name.value, ast.Name) else ""
                if owner == "yaml":  # with a loader of our own, which a test of its own looks at
                    assert path.stem in {"lock", "settings", "front_matter"}
                if owner == "np":
                    assert "allow_pickle" in {keyword.arg for keyword in node.keywords}
    assert not imported & NEVER_IMPORTED
    assert ("subprocess" in imported) == (path.stem == "git"), "git is the only program"


@pytest.mark.parametrize(
    "tag",
    [
        "!!python/object/apply:os.system ['touch called']",
        "!!python/object/new:os.system ['touch called']",
        "!!python/name:os.system",
        "!!python/module:os",
    ],
)
def test_no_yaml_runs_code(
    site: Site, tag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = f"---\nrecall: {tag}\ntitle: {tag}\n---\n# A\n\n```recall\nquery: {tag}\n```\n"
    long = f"# A\n\n```recall\nquery: {tag}\n# {'x' * 2000}\n```\n"
    built = site.build({"index.md": page, "b.md": long})
    assert len([text for text in built.warnings if "recall" in text]) >= 2
    lock = f"format: 1\nanswers: {tag}\n"
    (tmp_path / "recall.lock").write_text(lock)
    with pytest.raises(RecallError):
        read_lock(tmp_path / "recall.lock")
    (tmp_path / "mkdocs.yml").write_text(f"site_name: A\nplugins: [{{recall: {tag}}}]\n")
    assert plugin_options(tmp_path / "mkdocs.yml") == {}
    assert not (tmp_path / "called").exists()


FORBID = """\
import runpy, sys
WATCHED = ("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo",
           "socket.gethostbyname", "socket.gethostbyaddr", "urllib.Request", "ftplib.connect",
           "http.client.connect", "smtplib.connect", "os.system", "os.exec", "os.posix_spawn",
           "os.spawn", "pickle.find_class", "webbrowser.open")
def forbid(event, args):
    if event in WATCHED:
        sys.stderr.write(f"FORBIDDEN {event} {args}\\n")
        sys.stderr.flush()
        raise PermissionError(event)
    if event == "subprocess.Popen" and not str(args[0]).endswith("git"):
        sys.stderr.write(f"FORBIDDEN {event} {args}\\n")
        sys.stderr.flush()
        raise PermissionError(event)
sys.addaudithook(forbid)
module = sys.argv[1]
sys.argv = sys.argv[1:]
runpy.run_module(module, run_name="__main__")
"""
ONLINE = (
    "# A\n\n![x](http://192.0.2.1/x.png) A [session](http://192.0.2.1/) expires.\n\n"
    "```recall\nsource: http://192.0.2.1/\nquery: session\n```\n\n"
    '```recall\nquery: when does a session expire\nsource: "**"\ntemporal: true\nenrich: always\n```\n\n'
    "```recall\nsource: //192.0.2.1/share\nquery: session\n```\n\n"
    "```recall\nquery: session\nsemantic: {model: 'transformers:sentence-transformers/none'}\n```\n"
)


@pytest.mark.parametrize(
    "arguments",
    [
        ("mkdocs", "build"),
        ("mkdocs_recall", "search", "session expires", "--temporal"),
        ("mkdocs_recall", "recall", "when does a session expire", "--semantic"),
        ("mkdocs_recall", "synopsis", "http://192.0.2.1/"),
        ("mkdocs_recall", "lock"),
        ("mkdocs_recall", "render", "docs/index.md"),
        ("mkdocs_recall", "mcp"),
    ],
    ids=" ".join,
)
def test_nothing_goes_online_and_no_program_but_git_is_started(
    terminal: Terminal, arguments: tuple[str, ...]
) -> None:
    terminal.configure("site_name: Larch\nplugins: [recall]\ntheme: {name: mkdocs}\n")
    terminal.write({"index.md": ONLINE})
    asked = (
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
        '"capabilities":{},"clientInfo":{"name":"a","version":"1"}}}\n'
        '{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"recall","arguments":'
        '{"query":"when does a session expire","source":"**"}}}\n'
    )
    process = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", FORBID, *arguments],
        input=asked if "mcp" in arguments else "",
        capture_output=True,
        text=True,
        check=False,
        cwd=terminal.folder,
        env=terminal.environment(),
    )
    assert "FORBIDDEN" not in process.stderr
    assert "Traceback" not in process.stderr
    assert process.returncode == (2 if arguments[1] in {"synopsis", "lock", "render"} else 0), (
        process.stderr
    )
