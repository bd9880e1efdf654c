"""Bad input on the command line: a short message that helps, the right status, no traceback."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from tables import beside, tabled
from terminal import COMMAND, Outcome, Terminal

AUTH = "# Sign-in\n\nA session expires after 12 hours.\n"
FENCE = "```recall\nquery: when does a session expire?\n```\n"
STATUS_OF_ERRORS = 2
QUERIES = ("search", "recall", "explain")
NO_SIGINT_ON_WINDOWS = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no SIGINT for another process"
)


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    """A terminal in a folder that has a folder with one page in it."""
    here = Terminal(tmp_path)
    here.write({"auth.md": AUTH})
    return here


def error(said: Outcome) -> str:
    """Return the message of a command that has failed as it should."""
    assert said.status == 2
    assert said.out == ""
    assert "Traceback" not in said.err
    message = re.search(r"^Error: (.*)\n\Z", said.err, re.DOTALL | re.MULTILINE)
    assert message
    return message[1]


@tabled
def test_an_error_is_reported_with_its_remedy(
    terminal: Terminal, behaviour: str, config: str | None, arguments: list[str], message: str
) -> None:
    (terminal.folder / ".empty").mkdir()
    if config is not None:
        terminal.configure(config)
    outcome = terminal.run(*arguments)
    assert message in f"{error(outcome)}\n".replace(str(terminal.folder), "FOLDER"), behaviour


@pytest.mark.parametrize("closed", ["docs", "docs/closed", "mkdocs.yml"])
def test_unreadable_files_are_reported(terminal: Terminal, closed: str) -> None:
    terminal.write({"closed/more.md": AUTH})
    terminal.configure()
    folder = terminal.folder / closed
    folder.chmod(0)
    try:
        if os.access(folder, os.R_OK):
            pytest.skip("this user may read everything")
        if closed != "mkdocs.yml":
            message = error(terminal.run("search", "session", "--docs", "docs"))
            assert re.search(rf"'\S*{closed}' (is not readable|cannot be read)", message)
        if closed != "docs/closed":  # what lies below, MkDocs passes over
            message = error(terminal.run("search", "session"))
            assert message == f"'{folder}' cannot be read: Permission denied"
    finally:
        folder.chmod(0o700)


def test_a_query_as_long_as_may_be_is_answered(terminal: Terminal) -> None:
    query = "session expires ".ljust(100_000, "x").encode()
    assert terminal.run("search", "-", "--docs", "docs", given=query).status in (0, 1)
    assert "more than" in error(terminal.run("search", "-", "--docs", "docs", given=query + b"x"))


def test_an_empty_query_is_reported_before_anything_is_read(terminal: Terminal) -> None:
    for command, query in product(QUERIES, ("", " \t\n")):
        assert "the query is empty; ask something" in error(terminal.run(command, query))
        assert "the query is empty" in error(terminal.run(command, "-", given=query.encode()))


def test_control_characters_of_query_and_page_do_not_reach_the_terminal(terminal: Terminal) -> None:
    page = (
        "# A\x1b]0;title\x07\n\nA session\x1b[31m expires\x9b2J \u202eafter\u202c 12 hours.\x00\n"
    )
    terminal.write({"auth.md": page})
    for arguments in beside(__file__)["SHOWING_COMMANDS"]:
        outcome = terminal.run(*arguments, "--docs", "docs")
        shown = outcome.out + outcome.err
        assert shown
        assert [c for c in shown if (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160] == []
        assert "\u202e" not in shown
    outcome = terminal.run("search", "-", "--docs", "docs", given=b"session\0expires\xff \x1b[2J")
    assert outcome.status == 0


def test_a_query_that_is_not_utf_8_is_read_as_far_as_possible(terminal: Terminal) -> None:
    outcome = terminal.run("search", b"session \xe9\xff expires", "--docs", "docs")
    assert outcome.status == 0
    assert "A session expires" in outcome.out


def test_characters_that_an_encoding_lacks_are_escaped(terminal: Terminal) -> None:
    terminal.write({"auth.md": "# Sitzung\n\nDie Sitzung läuft nach 12 Stunden ab – 終わり.\n"})
    ascii_only = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    outcome = terminal.run("search", "Sitzung", "--docs", "docs", variables=ascii_only)
    assert outcome.status == 0
    assert outcome.out.isascii()
    assert r"l\xe4uft" in outcome.out


@pytest.mark.skipif(sys.platform == "win32", reason="names have one encoding there")
@pytest.mark.parametrize("place", [("--docs", "docs"), ("--built", "site")])
def test_no_locale_changes_a_page_s_name(terminal: Terminal, place: tuple[str, str]) -> None:
    terminal.write({"tök.md": "# Token\n\nA token expires after a day.\n"})
    html = "<h1>Token</h1><main><p>A token expires after a day.</p></main>"
    terminal.write({"tök/index.html": html}, folder="site")
    ascii_names = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for variables in ({**ascii_names, "PYTHONIOENCODING": "utf-8"}, {}, ascii_names, {}):
        outcome = terminal.run("search", "token", *place, variables=variables)
        assert outcome.status == 0
        assert "udc" not in outcome.out
        assert ("tök" in outcome.out) != (variables == ascii_names)  # there, "t\\xf6k" is printed


@pytest.mark.parametrize("place", [("--docs", "docs"), ("--config", "mkdocs.yml")])
def test_a_page_not_in_utf_8_is_left_out(terminal: Terminal, place: tuple[str, ...]) -> None:
    terminal.configure()
    fence = FENCE.replace("recall\n", "recall\nsource: auth.md\n", 1)
    terminal.write({"latin.md": b"# Latin\n\nCaf\xe9 is open.\n", "../AGENTS.md": fence})
    warning = "Note: 'latin.md' is left out: its file is not UTF-8 (line 3); save it as UTF-8\n"
    for command in beside(__file__)["READING_COMMANDS"]:
        outcome = terminal.run(*command, *place)
        assert outcome.status == 0, command
        assert outcome.err.count(warning) == 1, command
        assert "Latin" not in outcome.out, command
    fault = error(terminal.run("search", "open", "--source", "latin.md", *place))
    assert fault.startswith("source 'latin.md' cannot be quoted: its file is not UTF-8 (line 3)")
    terminal.write({"latin.md": "# Latin\n\nCafé is open.\n"})
    outcome = terminal.run("search", "open", *place)
    assert "not UTF-8" not in outcome.err
    assert "Café is open." in outcome.out


def test_the_page_of_errors_has_the_warning_about_encodings(terminal: Terminal) -> None:
    terminal.write({"guides/labels.md": b"# Labels\n\nCaf\xe9.\n"})
    outcome = terminal.run("pages", "--docs", "docs").err
    page = Path(__file__).parents[2] / "demo_site" / "mistakes.md"
    assert page.read_text(encoding="utf-8").count(outcome.removeprefix("Note: ").strip()) == 1


def test_a_page_that_is_a_link_to_nowhere_is_reported_once(terminal: Terminal) -> None:
    terminal.configure()
    (terminal.folder / "docs/lost.md").symlink_to("nowhere.md")
    outcome = terminal.run("pages")
    assert "'lost.md'" in error(outcome)
    assert len(outcome.err.splitlines()) == 1


def test_a_file_name_that_mkdocs_cannot_build_is_reported(terminal: Terminal) -> None:
    terminal.configure()
    terminal.write({"caf\udce9.md": "# Coffee\n\nIt is open.\n"})
    assert r"'caf\udce9.md' is not UTF-8" in error(terminal.run("pages"))
    assert "It is open." in terminal.run("search", "open", "--docs", "docs").out


@pytest.mark.skipif(os.name == "nt", reason="a shell is needed that closes streams")
def test_a_process_without_stdin_or_stdout_works(terminal: Terminal) -> None:
    assert "the query is empty" in in_shell(terminal, "search - --docs docs <&-").err
    assert in_shell(terminal, "search session --docs docs >&-") == Outcome(0, "", "")
    assert in_shell(terminal, "render docs/auth.md --docs docs >&-") == Outcome(0, "", "")


def in_shell(terminal: Terminal, line: str) -> Outcome:
    """Run a command with the streams that a shell gives it."""
    process = subprocess.run(  # noqa: S602 - our own line
        f"{shlex.join(COMMAND)} {line}",
        shell=True,
        cwd=terminal.folder,
        env=terminal.environment(),
        capture_output=True,
        check=False,
        text=True,
    )
    return Outcome(process.returncode, process.stdout, process.stderr)


def extend(terminal: Terminal, code: str) -> dict[str, str]:
    """Give the site a Markdown extension that runs code for each page.

    Returns:
        The variables with which Python finds it.
    """
    (terminal.folder / "larch_extension.py").write_text(
        "import os, sys, time\n"
        "from markdown import Extension\n"
        "class Larch(Extension):\n"
        "    def extendMarkdown(self, md): md.preprocessors.register(self, 'larch', 1)\n"
        f"    def run(self, lines): {code}\n"
        "def makeExtension(**_): return Larch()\n",
        encoding="utf-8",
    )
    terminal.configure("site_name: Larch\nmarkdown_extensions: [larch_extension]\n")
    return {"PYTHONPATH": f"{terminal.folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}


def test_a_markdown_extension_that_fails_is_not_a_traceback(terminal: Terminal) -> None:
    variables = extend(terminal, "raise KeyError('larch')")
    message = error(terminal.run("search", "session", variables=variables))
    assert message == "MkDocs cannot render 'auth.md': KeyError: 'larch'"


@tabled
def test_output_of_markdown_extensions_and_their_programs_is_not_data(
    terminal: Terminal, arguments: tuple[str, ...], code: str
) -> None:
    (terminal.folder / "docs" / "auth.md").write_text(f"{FENCE}{AUTH}", encoding="utf-8")
    variables = extend(terminal, f"return {code} and None or lines")
    outcome = terminal.run(*arguments, "--json", variables=variables)
    assert outcome.err.startswith("noise\n")
    assert json.loads(outcome.out)["schema"] == 1


@pytest.fixture
def in_background() -> Iterator[None]:
    """A test that runs as the background job of a script does: with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


def start_reading(terminal: Terminal) -> subprocess.Popen[bytes]:
    """Start a search, and wait until it reads a page, which goes on until it gets a line."""
    waits = "sys.stderr.write('reading\\n'), sys.stderr.flush(), sys.stdin.readline()"
    variables = extend(terminal, f"return ({waits}) and lines")
    process = terminal.start("search", "session", variables=variables)
    assert process.stderr is not None
    assert process.stderr.readline() == b"reading\n"
    return process


@NO_SIGINT_ON_WINDOWS
@pytest.mark.usefixtures("in_background", "interruptible")
def test_ctrl_c_ends_the_command_with_130_and_no_traceback(terminal: Terminal) -> None:
    process = start_reading(terminal)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, b"", b"")


@NO_SIGINT_ON_WINDOWS
@pytest.mark.usefixtures("in_background")
def test_a_command_in_the_background_of_a_script_is_not_interrupted(terminal: Terminal) -> None:
    process = start_reading(terminal)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(b"\n")
    assert (process.returncode, err) == (0, b"")
    assert b"A session expires after 12 hours." in out


def test_a_reader_that_closes_the_pipe_ends_the_command_quietly(terminal: Terminal) -> None:
    process = terminal.start("recall", "-", "--docs", "docs")
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()  # before anything is written: the query is still to come
    process.stdin.write(b"When does a session expire?")
    process.stdin.close()
    assert process.stderr.read() == b""
    assert process.wait() == 141
    process.stderr.close()


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_leaves_ends_the_command_quietly(terminal: Terminal, unbuffered: str) -> None:
    """In containers Python is often told not to buffer: a write that is cut short looks whole."""
    lines = [f"A session number{n} expires after some minutes of rest{n}.\n\n" for n in range(1500)]
    (terminal.folder / "docs" / "long.md").write_text("".join(lines))
    arguments = "search", "session expires", "--docs", "docs", "--max-sentences", "1500"
    variables = {"PYTHONUNBUFFERED": unbuffered}
    whole = terminal.run(*arguments)
    assert len(whole.out) > 2 * 65_536, "more than a pipe holds"
    assert len(whole.out.splitlines()) == 1500
    process = terminal.start(*arguments, variables=variables)
    assert process.stdin is not None
    process.stdin.close()
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith(b"   1  ")
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait() == 141
    process.stderr.close()


def test_a_reader_that_has_what_it_wants_is_not_an_error_either(terminal: Terminal) -> None:
    process = terminal.start("--help")
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate()
    assert (process.returncode, err) == (141, b"")


def test_a_full_disk_is_reported(terminal: Terminal) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full here")
    with full.open("wb") as out:
        process = terminal.start("search", "session", "--docs", "docs", out=out)
        _, err = process.communicate()
    message = b"Error: the output cannot be used: No space left on device\n"
    assert (process.returncode, err) == (2, message)


def test_no_command_shows_the_help_where_no_data_is_expected(terminal: Terminal) -> None:
    outcome = terminal.run()
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("Usage: mkdocs-recall ")
    assert "issing command" in error(terminal.run("cache"))


def test_the_name_of_a_language_is_answered_with_its_code(terminal: Terminal) -> None:
    (terminal.folder / "AGENTS.md").write_text("# Agents\n", encoding="utf-8")
    for command in ("recall", "search", "explain", "synopsis", "render"):
        asked = {"synopsis": "auth.md", "render": "AGENTS.md"}.get(command, "do sessions expire?")
        said = terminal.run(command, asked, "--docs", "docs", "--language", "german")
        assert "unknown language 'german'; did you mean 'de'?" in error(said)
        outcome = terminal.run(command, asked, "--docs", "docs", "--language", "de")
        assert outcome.status != STATUS_OF_ERRORS, outcome
