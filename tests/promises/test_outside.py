"""Files outside the site: no source, link or setting reads them, no command changes them."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from threading import Event, current_thread, get_native_id, main_thread

import pytest
from conftest import Site, cache_file
from repositories import GIT, Repository, created, posix, script
from tables import beside, tabled
from terminal import INITIALIZE, Terminal, request

import mkdocs_recall
from mkdocs_recall import Corpus, RecallError, git
from mkdocs_recall.answers.lock import read_lock
from mkdocs_recall.factors import history
from mkdocs_recall.factors.history import recent_file_names
from mkdocs_recall.files import write_atomically
from mkdocs_recall.pages.config import plugin_options

links = pytest.mark.skipif(sys.platform == "win32", reason="Windows lets few users make links")
OUTSIDE = "The xyzzy expires after a outside session."


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    """A terminal in a folder with a site, beside which lies what is not the site's."""
    new_terminal = Terminal(tmp_path / "project")
    new_terminal.folder.mkdir()
    new_terminal.write({"secret.md": f"# Secret\n\n{OUTSIDE}\n"}, folder="../outside")
    new_terminal.write({"auth.md": "# Auth\n\nA session expires.\n"})
    new_terminal.configure()
    return new_terminal


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
    for arguments in (("search", "session"), ("cache", "clear")):
        outcome = terminal.run(*arguments)
        assert outcome.status == 2
        assert "mkdocs.yml: recall: 'cache_dir' cannot be" in outcome.err
        assert outcome.err.count("\n") == 1
    assert sorted(terminal.folder.parent.rglob("*")) == before


def test_clearing_the_cache_spares_foreign_files(
    terminal: Terminal,
) -> None:
    terminal.configure("site_name: Larch\nplugins: [{recall: {cache_dir: ../data}}]\n")
    theirs = {
        "vectors/measured.npy": "theirs",
        "vectors/measured.npy.gz": "theirs",
        "recall-notes.sqlite3": "theirs",
        "recall-notes.bin": "theirs",
        ".gitignore": "theirs",
    }
    terminal.write(theirs, folder="../data")
    assert terminal.run("search", "session").status == 0
    folder = terminal.folder.parent / "data"
    assert cache_file(folder)
    (folder / "recall-pages-2-0f.bin").mkdir()
    assert terminal.run("cache", "clear").status == 0
    left = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert left == set(theirs)


@links
def test_clearing_the_cache_follows_no_link_out_of_it(terminal: Terminal) -> None:
    name = f"{'0f' * 16}.npy"
    terminal.write({name: "theirs"}, folder="../data")
    assert terminal.run("search", "session").status == 0
    folder, theirs = terminal.cache, terminal.folder.parent / "data"
    (folder / "vectors").symlink_to(theirs)
    (folder / "recall-pages-7-0f.bin").symlink_to(theirs / name)
    assert terminal.run("cache", "clear").status == 0
    assert (theirs / name).read_text() == "theirs"


@links
def test_a_lock_file_linked_out_of_its_folder_is_never_used(
    terminal: Terminal,
) -> None:
    outside = terminal.folder.parent / "outside/secret.md"
    before = outside.read_bytes()
    (terminal.folder / "recall.lock").symlink_to("../outside/secret.md")
    for arguments in (("lock", "--accept"), ("lock",), ("check",)):
        outcome = terminal.run(*arguments)
        assert outcome.status == 2
        assert outcome.err == (
            "Error: 'recall.lock' is a link that leads out of its folder; remove it\n"
        )
    assert outside.read_bytes() == before
    (terminal.folder / "recall.lock").unlink()
    (terminal.folder / ".git").mkdir()
    (terminal.folder / "recall.lock").symlink_to(".git/config")
    assert "is a link that leads out of its folder" in terminal.run("lock").err
    (terminal.folder / "recall.lock").unlink()
    (terminal.folder / "locks").mkdir()
    (terminal.folder / "recall.lock").symlink_to("locks/docs.lock")
    assert terminal.run("lock").status == 0
    assert terminal.run("check").status == 0
    assert (terminal.folder / "recall.lock").is_symlink()


@links
@pytest.mark.parametrize("place", ["../outside/secret.md", ".git/config"])
def test_rendered_files_go_through_no_link_outside(terminal: Terminal, place: str) -> None:
    target = terminal.folder / place
    target.parent.mkdir(exist_ok=True)
    target.write_text("A secret.\n")
    (terminal.folder / "agents").mkdir()
    for name, link, more in (("AGENTS.md", "", ()), ("agents/AGENTS.md", "../", ("--check",))):
        (terminal.folder / name).symlink_to(f"{link}{place}")
        outcome = terminal.run("render", "docs/auth.md", "--output", name, *more)
        assert outcome.status == 2
        assert f"'{name}' is a link to '{target.resolve()}'" in outcome.err
        assert "A secret" not in outcome.out + outcome.err
    assert target.read_text() == "A secret.\n"
    (terminal.folder / "agents/CLAUDE.md").symlink_to("../CLAUDE.md")
    outcome = terminal.run("render", "docs/auth.md", "--output", "agents/CLAUDE.md")
    assert outcome.status == 0
    assert (terminal.folder / "CLAUDE.md").is_file()


PAGE = """<html><head></head><body><h1>Auth</h1><p>A session expires.</p>
<pre><code class="language-recall">query: session\n</code></pre></body></html>"""


@links
@pytest.mark.parametrize(
    ("link", "leads_to"), [("assets", ""), ("assets/recall.css", "recall.css")]
)
def test_filled_files_stay_within_the_site(terminal: Terminal, link: str, leads_to: str) -> None:
    theirs = terminal.folder.parent / "outside/recall.css"
    theirs.write_text("theirs")
    terminal.write({"index.html": PAGE}, folder="site")
    (terminal.folder / "site" / link).parent.mkdir(exist_ok=True)
    (terminal.folder / "site" / link).symlink_to(theirs.parent / leads_to)
    outcome = terminal.run("fill", "site")
    assert outcome.status == 2
    assert "cannot be written: a link leads out of its folder; remove the link" in outcome.err
    assert theirs.read_text() == "theirs"


@links
@pytest.mark.parametrize("output", ["", "recall.jsonl.gz", "kept/recall.jsonl.gz"])
def test_published_files_go_through_no_link_outside(terminal: Terminal, output: str) -> None:
    terminal.configure(
        "site_name: Larch\nsite_url: https://larch.example/\nplugins: [{recall: {publish: true}}]\n"
    )
    theirs = terminal.folder.parent / "outside/secret.md"
    before = theirs.read_bytes()
    link = terminal.folder / (output or "site/recall.jsonl.gz")
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(theirs)
    outcome = terminal.run("publish", *(["--output", output] if output else []))
    assert outcome.status == 2
    assert "cannot be written: a link leads out of its folder; remove the link" in outcome.err
    assert theirs.read_bytes() == before


@links
def test_a_dirty_build_publishes_through_no_link_out_of_the_built_site(site: Site) -> None:
    theirs = site.root / "theirs"
    theirs.write_text("theirs")
    site.write({"index.md": "# Auth\n\nA session expires.\n"})
    (site.root / "site").mkdir()
    (site.root / "site/recall.jsonl.gz").symlink_to(theirs)
    site.configure(recall={"publish": True})
    assert "a link leads out of its folder" in site.run("--dirty").stderr
    assert theirs.read_text() == "theirs"


@links
@tabled
def test_no_stylesheet_goes_through_a_link_outside(site: Site, link: str, leads_to: str) -> None:
    """Cleaning leaves a link to a folder, and `--dirty` any link. To some, `.GIT` is `.git`."""
    theirs = [site.root / folder / "recall.css" for folder in ("theirs", "site/.git", "site/.GIT")]
    for path in theirs:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("theirs")
    site.write({"index.md": "# Auth\n\nA session expires.\n\n```synopsis\n```\n"})
    (site.root / "site" / link).parent.mkdir(exist_ok=True)
    (site.root / "site" / link).symlink_to(leads_to)
    site.configure(theme="mkdocs")
    for mode in ("--dirty", "--clean") if link == "assets" else ("--dirty",):
        assert "a link leads out of its folder" in site.run(mode).stderr
        assert [path.read_text() for path in theirs] == ["theirs"] * 3
        assert "recall.css" not in (site.root / "site/index.html").read_text("utf-8")


@links
def test_a_circle_of_links_in_place_of_the_stylesheet_is_replaced(site: Site) -> None:
    site.write({"index.md": "# Auth\n\nA session expires.\n\n```synopsis\n```\n"})
    styles = site.root / "site/assets/recall.css"
    styles.parent.mkdir(parents=True)
    styles.symlink_to("recall.css")
    site.configure(theme="mkdocs")
    assert site.run("--dirty", "--quiet").returncode == 0
    assert "cite" in styles.read_text("utf-8")


@links
def test_a_file_is_not_written_through_a_planted_link(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.write_text("theirs")
    (tmp_path / f"ours.{os.getpid()}-{get_native_id()}.new").symlink_to(theirs)
    write_atomically(tmp_path / "ours", b"ours")
    assert theirs.read_text() == "theirs"
    assert (tmp_path / "ours").read_text() == "ours"
    assert not (tmp_path / "ours").is_symlink()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ours", "theirs"]


def test_a_file_that_two_threads_write_at_once_is_that_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, is_written, is_replaced = tmp_path / "ours", Event(), Event()
    replace = Path.replace

    def wait(path: Path, target: Path) -> Path:
        if current_thread() is not main_thread():
            is_written.set()
            assert is_replaced.wait(9)
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", wait)
    with ThreadPoolExecutor(1) as threads:
        later = threads.submit(write_atomically, file, b"later")
        assert is_written.wait(9)
        write_atomically(file, b"sooner")
        assert file.read_bytes() == b"sooner"
        is_replaced.set()
        later.result()
    assert file.read_bytes() == b"later"


@posix
def test_a_repository_among_another_s_files_is_not_used(
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
    with pytest.raises(git.GitError, match=r"bare repository|not in a git repository"):
        git.run_git(project, "rev-parse", "--git-dir")
    assert recent_file_names(project) == ()
    assert history.head_state(project) == ""
    assert not (tmp_path / "called").exists()


def git_of(folder: Path, *arguments: str) -> None:
    subprocess.run([GIT, "--git-dir", str(folder), *arguments], check=True)  # noqa: S603 - git


@posix
def test_a_name_that_is_an_option_of_git_is_a_name(repository: Repository, tmp_path: Path) -> None:
    spied = tmp_path / "called"
    names = ("--output=called", "-O", "--upload-pack=touch called", ":(glob)**", "--", "-c")
    for name in names:
        repository.write(f"docs/{name}/{name}.md", "A text.")
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--message", "A change")
    files = [repository.file(f"docs/{name}/{name}.md") for name in names]
    assert set(created(files)) == set(files)
    for name in names:
        repository.write(f"docs/{name}/{name}.md", "Another text.")
    assert len(recent_file_names(repository.root / "docs")) == len(names)
    assert not list(tmp_path.rglob("called"))
    assert not spied.exists()


MODULES = sorted(Path(mkdocs_recall.__file__).parent.rglob("*.py"))
NEVER_IMPORTED = {
    *("pickle", "cPickle", "dill", "shelve", "marshal", "ctypes", "code", "runpy", "socket"),
    *("urllib.request", "http", "http.client", "ftplib", "smtplib", "requests", "httpx", "aiohttp"),
    *("webbrowser", "pty", "multiprocessing", "xmlrpc", "telnetlib"),
}
FETCHES = "fetch"
"""The module of `pages` that fetches copies of other sites, for the command of this name."""
NEVER_CALLED = {"eval", "exec", "compile", "__import__", "system", "popen", "execv", "spawn"}


def test_no_module_evaluates_unpickles_starts_programs_or_goes_online() -> None:
    for path in MODULES:
        look_for_danger(path)


def look_for_danger(path: Path) -> None:
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
            assert called not in NEVER_CALLED or is_pattern, (path, called, node.lineno)
            for keyword in node.keywords:
                assert keyword.arg != "shell", (path, node.lineno)
                if keyword.arg in {"allow_pickle", "trust_remote_code"}:
                    assert isinstance(keyword.value, ast.Constant)
                    assert keyword.value.value is False
            if called == "load" and isinstance(name, ast.Attribute):
                owner = name.value.id if isinstance(name.value, ast.Name) else ""
                if owner == "yaml":  # with a loader of our own, which a test of its own looks at
                    assert path.stem in {"lock", "config", "evaluation", "front_matter"}
                if owner == "np":
                    assert "allow_pickle" in {keyword.arg for keyword in node.keywords}
    online = {"urllib.request", "http.client"} if path.stem == FETCHES else set()
    assert not imported & NEVER_IMPORTED - online, path
    # `fill` what a user has written after `fill … --`, `library` this Python
    starts = path.stem in {"fill", "git", "library"}
    assert ("subprocess" in imported) == starts


@tabled
def test_no_yaml_runs_code(
    site: Site, tag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = f"---\nrecall: {tag}\ntitle: {tag}\n---\n# A\n\n```recall\nquery: {tag}\n```\n"
    long = f"# A\n\n```recall\nquery: {tag}\n# {'x' * 2000}\n```\n"
    built = site.build({"index.md": page, "b.md": long})
    assert len([text for text in built.warnings if "recall" in text]) >= 2
    lock = f"format: 2\nversion: 0.1.0\nanswers: {tag}\n"
    (tmp_path / "recall.lock").write_text(lock)
    with pytest.raises(RecallError):
        read_lock(tmp_path / "recall.lock")
    (tmp_path / "mkdocs.yml").write_text(f"site_name: A\nplugins: [{{recall: {tag}}}]\n")
    assert plugin_options(tmp_path / "mkdocs.yml") == {}
    assert not (tmp_path / "called").exists()


FORBID: str = beside(__file__)["FORBID"]
ONLINE: str = beside(__file__)["ONLINE"]


@tabled
def test_nothing_goes_online_or_starts_other_programs(
    terminal: Terminal, commands: dict[str, int]
) -> None:
    terminal.configure("site_name: Larch\nplugins: [recall]\ntheme: {name: mkdocs}\n")
    terminal.write({"index.md": ONLINE})
    arguments = {"query": "when does a session expire", "source": "**"}
    messages = (
        INITIALIZE,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request(2, "tools/call", name="recall", arguments=arguments),
    )
    asked = "".join(f"{json.dumps(message)}\n" for message in messages)
    process = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", FORBID, json.dumps([command.split() for command in commands])],
        input=asked,
        capture_output=True,
        text=True,
        check=False,
        cwd=terminal.folder,
        env=terminal.environment(),
    )
    assert "FORBIDDEN" not in process.stderr
    assert "Traceback" not in process.stderr
    assert f"STATUSES {[*commands.values()]}" in process.stderr


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root gives files to others"
)
def test_the_settings_of_another_user_are_not_looked_for_above(terminal: Terminal) -> None:
    """MkDocs runs what they name: in a folder below `/tmp`, that would be anybody's code."""
    inner = Terminal(terminal.folder / "docs/guides")
    inner.folder.mkdir()
    assert inner.run("pages").status == 0
    config = terminal.folder / "mkdocs.yml"
    os.chown(config, 12345, -1)
    for arguments in (("pages",), ("cache", "clear"), ("mcp",)):
        outcome = inner.run(*arguments)
        assert (outcome.status, outcome.out) == (2, "")
        assert outcome.err == (
            f"Error: '{config}' belongs to another user; if you trust it, name it with --config\n"
        )
    assert inner.run("pages", "--config", str(config)).status == 0
    assert terminal.run("pages").status == 0, "MkDocs reads it there, too"
    os.chown(inner.folder, 12345, -1)
    assert inner.run("pages").status == 0, "as where a container's root works in a user's folder"


NOWHERE = [
    *beside(__file__)["NOWHERE"],
    *("\ud800/\udfff.md", "x" * 5000, "x/" * 5000, "../" * 5000, "*" * 5000),
]


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """The root of a site that has links to what lies beside it."""
    root = tmp_path / "project"
    (root / "docs/guides").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.md").write_text(f"# Secret\n\n{OUTSIDE}\n")
    (root / "docs/auth.md").write_text("# Auth\n\nA session expires.\n")
    (root / "docs/guides/a.md").write_text("# A\n\nA token.\n")
    (root / "mkdocs.yml").write_text("site_name: Larch\n")
    if sys.platform != "win32":
        (root / "docs/leak.md").symlink_to(tmp_path / "outside/secret.md")
        (root / "docs/leaks").symlink_to(tmp_path / "outside")
    return root


@pytest.fixture
def opened() -> Iterator[set[Path]]:
    """The files that are opened meanwhile, as Python tells its audit hooks."""
    _add_hook()
    _opened.clear()
    yield _opened
    _opened.clear()


_opened: set[Path] = set()


@cache
def _add_hook() -> None:
    """Note each opened file, from now on: Python cannot remove an audit hook."""
    installed = tuple(os.path.realpath(path) for path in sysconfig.get_paths().values())

    def note(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str):
            path = os.path.realpath(arguments[0])
            if not path.startswith(installed) and "__pycache__" not in path:
                _opened.add(Path(path))

    sys.addaudithook(note)


def told(corpus: Corpus, source: str, page: str) -> str:
    """Return what a page is quoted of a source, or why nothing is."""
    try:
        query = "secret session xyzzy"
        result = corpus.recall(query, source=source, page=page, min_score=0).passages
        return str([p.text for p in (*result, *corpus.synopsis(source, page=page).passages)])
    except RecallError as error:
        return str(error)


def test_no_source_leads_out_of_the_documentation(outside: Path, opened: set[Path]) -> None:
    code = Path(mkdocs_recall.__file__).parent
    for corpus in (
        Corpus.from_site(outside / "mkdocs.yml", cache=False),
        Corpus.from_folder(outside / "docs", cache=False),
    ):
        for source in NOWHERE:
            opened.clear()
            said = [told(corpus, source, page) for page in ("", "guides/a.md")]
            paths = sorted(path for path in opened if path.is_file())
            assert "xyzzy" not in str(said), source
            assert [p for p in paths if not any(map(p.is_relative_to, (outside, code)))] == []


@links
def test_targets_of_links_outside_are_not_pages_for_commands_and_agents(outside: Path) -> None:
    for corpus in (
        Corpus.from_site(outside / "mkdocs.yml", cache=False),
        Corpus.from_folder(outside / "docs", cache=False),
    ):
        assert {page.uri for page in corpus.documents} == {"auth.md", "guides/a.md"}
        assert corpus.recall("secret session xyzzy", min_score=0).passages[0].uri == "auth.md"
    built = outside / "site"
    (built / "a").mkdir(parents=True)
    (built / "a/index.html").write_text("<h1>A</h1><p>A session expires.</p>")
    (outside.parent / "outside/index.html").write_text(f"<h1>S</h1><p>{OUTSIDE}</p>")
    (built / "leak.html").symlink_to(outside.parent / "outside/index.html")
    (built / "leaks").symlink_to(outside.parent / "outside")
    corpus = Corpus.from_built(built, cache=False)
    assert [page.uri for page in corpus.documents] == ["a/index.html"]


@links
def test_a_build_reads_nothing_that_mkdocs_has_not_rendered(site: Site) -> None:
    """MkDocs follows links out of 'docs_dir' and publishes what is there; quotes add nothing."""
    outside = site.root / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text(f"# Secret\n\n{OUTSIDE}\n")
    (outside / "hidden.md").write_text("# Hidden\n\nThe plugh is hidden.\n")
    asked = 'source: "**"\nquery: xyzzy plugh'
    fences = [asked, *(f"source: {json.dumps(source)}\nquery: xyzzy" for source in NOWHERE)]
    fences = [fence for fence in fences if "\\ud8" not in fence]
    site.write({"index.md": "".join(f"```recall\n{fence}\n```\n\n" for fence in fences)})
    (site.docs / "linked").symlink_to(outside)
    built = site.build(exclude_docs="hidden.md\n")
    assert "xyzzy" in built.html("linked/secret/index.html")
    quotes = built.page().select("blockquote.recall")
    assert [" ".join(quote.get_text().split()) for quote in quotes] == [f"{OUTSIDE} — Secret"]
    assert "plugh" not in built.html()


@posix
@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../outside/none.md", "//host/share/a.md", "a\0b.md", "x" * 5000]
)
def test_for_no_snippet_is_looked_outside(
    outside: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """On Windows, to ask whether `//host/share` is there goes online."""
    settings = "site_name: Larch\nmarkdown_extensions: [pymdownx.snippets]\n"
    (outside / "mkdocs.yml").write_text(settings)
    page = f'# Auth\n\n--8<-- "{path}"\n\nA session.\n\n--8<--\n{path}\nwithin.md\n--8<--\n'
    (outside / "docs/auth.md").write_bytes(page.encode())
    looked: list[str] = []
    exists = os.path.exists

    def spy(path: str | os.PathLike[str]) -> bool:
        looked.append(os.path.normpath(path))
        return exists(path)

    monkeypatch.setattr("os.path.exists", spy)
    corpus = Corpus.from_site(outside / "mkdocs.yml", cache=False)
    assert corpus.recall("session", source="auth.md").passages
    assert str(outside / "within.md") in looked
    named = [each for each in looked if each.endswith((path, path.lstrip("./")))]
    assert all(Path(each).is_relative_to(outside) for each in named)
