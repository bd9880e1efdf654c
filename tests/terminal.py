"""`mkdocs-recall` run as at a terminal: in a separate process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import pytest
from repositories import Repository

from mkdocs_recall.files import user_cache_folder

COMMAND = (sys.executable, "-m", "mkdocs_recall")
_INTERPRETER = ("PYTHON", "LANG", "LC_", "LD_")
"""Prefixes of variables that affect Python's start; a fork can add a PYTHONPATH."""


@dataclass(frozen=True)
class Outcome:
    """The result of a command."""

    status: int
    out: str
    err: str


@dataclass
class Running:
    """A running command, which has a result when it has ended."""

    stdin: IO[str]
    stdout: IO[str]
    rest: str = ""
    """The unread rest of stdout."""
    err: str = ""
    status: int | None = None


class ForkServer:
    """Runs commands in forks of one process, if the system can fork."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._process: subprocess.Popen[bytes] | None = None

    def takes(self, environment: Mapping[str, str]) -> bool:
        """Tell whether a command can run here: Python must not need a different start."""
        usual = {**os.environ, "PYTHONUTF8": "1"}
        if not hasattr(os, "fork") or _for_interpreter(environment) != _for_interpreter(usual):
            return False
        if self._process is None:
            self._start(usual)
        return True

    def run(
        self,
        module: str,
        arguments: Sequence[str],
        given: bytes,
        folder: Path,
        environment: Mapping[str, str],
    ) -> Outcome:
        """Run a module as a command and wait for it."""
        streams = [Path(self._folder.name) / name for name in ("in", "out", "err")]
        for path, content in zip(streams, (given, b"", b""), strict=True):
            path.write_bytes(content)
        self._ask(module, arguments, folder, environment, streams)
        status = int(self._replies.readline())
        return Outcome(status, *(path.read_bytes().decode("utf-8") for path in streams[1:]))

    @contextmanager
    def running(
        self, module: str, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> Iterator[Running]:
        """Run a module as a command that is written to, and read from, while it runs."""
        pipes = [Path(self._folder.name) / name for name in ("stdin", "stdout")]
        errors = Path(self._folder.name) / "err"
        errors.write_bytes(b"")
        for path in pipes:
            os.mkfifo(path)
        self._ask(module, arguments, folder, environment, [*pipes, errors])
        with pipes[0].open("w", encoding="utf-8") as given, pipes[1].open(encoding="utf-8") as out:
            command = Running(given, out)
            try:
                yield command
            finally:
                with suppress(BrokenPipeError):
                    given.close()
                command.rest = "" if out.closed else out.read()
                command.status = int(self._replies.readline())
                command.err = errors.read_text(encoding="utf-8")
                for path in pipes:
                    path.unlink()

    def _ask(
        self,
        module: str,
        arguments: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        streams: Sequence[Path],
    ) -> None:
        command = {
            "module": module,
            "arguments": arguments,
            "folder": str(folder),
            "environment": environment,
            "streams": [str(path) for path in streams],
        }
        self._requests.write(json.dumps(command).encode() + b"\n")
        self._requests.flush()

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._requests.close()
            self._replies.close()
            self._process.wait()
            self._process = None
            self._folder.cleanup()

    def _start(self, environment: Mapping[str, str]) -> None:
        theirs, end = os.pipe()
        self._requests = os.fdopen(end, "wb")
        end, replies = os.pipe()
        self._replies = os.fdopen(end, "rb")
        script = Path(__file__).with_name("fork_server.py")
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
            [sys.executable, script, str(theirs), str(replies)],
            stdin=theirs,  # pipes, as those of commands may be
            stdout=replies,
            env=environment,
            pass_fds=(theirs, replies),
        )
        os.close(theirs)
        os.close(replies)
        self._folder = TemporaryDirectory()


def _for_interpreter(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: text
        for name, text in environment.items()
        if name.startswith(_INTERPRETER) and name != "PYTHONPATH"
    }


FORKS = ForkServer()


def run_module(
    module: str,
    arguments: Sequence[str | bytes],
    *,
    folder: Path,
    environment: Mapping[str, str],
    given: bytes = b"",
) -> Outcome:
    """Run `python -m MODULE` in a folder, in a fork if that is equivalent."""
    if FORKS.takes(environment):
        return FORKS.run(module, list(map(os.fsdecode, arguments)), given, folder, environment)
    process = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-m", module, *arguments],
        input=given,
        capture_output=True,
        check=False,
        cwd=folder,
        env=environment,
    )
    return Outcome(process.returncode, process.stdout.decode("utf-8"), process.stderr.decode())


def run_mkdocs(
    *arguments: str, folder: Path, hash_seed: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `mkdocs build` in a separate process, like an author."""
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONUTF8": "1"}
    if hash_seed:
        environment["PYTHONHASHSEED"] = hash_seed
    said = run_module("mkdocs", ["build", *arguments], folder=folder, environment=environment)
    return subprocess.CompletedProcess(arguments, said.status, said.out, said.err)


def at(value: Any, path: Sequence[str]) -> Any:
    """Return the value at a path of keys and numbers; `*` means each item of a list."""
    for number, key in enumerate(path):
        if key == "*":
            return [at(each, path[number + 1 :]) for each in value]
        value = value[int(key) if isinstance(value, list) else key]
    return value


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def request(number: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


@dataclass(frozen=True)
class Terminal:
    """A folder in which commands run; their caches for other folders are below it, too."""

    folder: Path
    variables: Mapping[str, str] = field(default_factory=dict)
    """Environment variables of all commands."""

    @property
    def cache(self) -> Path:
        """The folder of the cache of the site in this folder."""
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("XDG_CACHE_HOME", self.environment()["XDG_CACHE_HOME"])
            folder = user_cache_folder(self.folder / "mkdocs.yml")
        assert folder is not None
        return folder

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the environment of a command."""
        variables = {"XDG_CACHE_HOME": str(self.folder / ".caches"), "PYTHONUTF8": "1"}
        around = {name: text for name, text in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
        return {**around, "NO_MKDOCS_2_WARNING": "1", **variables, **self.variables, **(more or {})}

    def run(
        self,
        *arguments: str | bytes,
        given: bytes | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> Outcome:
        """Run a command.

        Args:
            arguments: The arguments after the program's name.
            given: The content of stdin, if any.
            variables: More variables of its environment.
        """
        return run_module(
            "mkdocs_recall",
            arguments,
            folder=self.folder,
            environment=self.environment(variables),
            given=given or b"",
        )

    def follow(self, steps: Iterable[Mapping[str, Any]]) -> None:
        """Take steps: each may `write`, `edit` and `remove` files, use `git`, `run` and look.

        A look compares the `status` of a command, its `out` and `err`, values `told` by its JSON,
        what a file `holds`, its `lines`, and the files of a `tree`. Only `has` compares parts of
        texts.
        """
        for step in steps:
            self.write(step.get("write", {}), folder=".")
            for path, old, new in step.get("edit", []):
                self.edit(path, old, new)
            for path in step.get("remove", []):
                (self.folder / path).unlink()
            for command in step.get("git", []):
                Repository(self.folder).git(*command)
            if "run" in step:
                seen = self.seen(step)
                expected = {name: step[name] for name in seen if name in step}
                assert {name: seen[name] for name in expected} == expected, (step, seen)
                for part in step.get("has", []):
                    assert part in seen["out"] + seen["err"], (step, seen)
            for path, text in step.get("holds", {}).items():
                assert (self.folder / path).read_bytes().decode() == text, step
            for path, lines in step.get("lines", {}).items():
                assert {*lines} <= {*(self.folder / path).read_text("utf-8").splitlines()}, step
            for path, names in step.get("tree", {}).items():
                assert self.tree(path) == names, step

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace a text that a file has."""
        text = (self.folder / path).read_text(encoding="utf-8")
        assert old in text, text
        self.write({path: text.replace(old, new)}, folder=".")

    def seen(self, step: Mapping[str, Any]) -> dict[str, Any]:
        """Return the output of a step's command; for JSON, the values to be told."""
        given, expected = step.get("given", "").encode(), step.get("told", {})
        said = self.run(*step["run"], given=given, variables=step.get("variables"))
        folder = str(self.folder)
        out, err = (
            text.replace(folder, "FOLDER").replace(os.sep, "/") for text in (said.out, said.err)
        )
        whole = said.out.replace(folder, "FOLDER")
        data = {path: at(json.loads(whole), path.split(".")) for path in expected}
        return {"status": said.status, "out": out, "err": err, "told": data}

    def tree(self, folder: str) -> list[str]:
        """Return the files in a folder, by their paths in it."""
        paths = (self.folder / folder).rglob("*")
        return sorted(
            path.relative_to(self.folder / folder).as_posix() for path in paths if path.is_file()
        )

    def ask_server(
        self,
        *calls: tuple[str, str],
        arguments: Sequence[str] = (),
        variables: Mapping[str, str] | None = None,
    ) -> list[dict[str, Any]]:
        """Return the replies of the server for agents, one per tool, with its query if not empty.

        Args:
            calls: The names of the tools and their queries.
            arguments: The arguments after `mcp`.
            variables: More variables of its environment.
        """
        environment = self.environment(variables)
        if not FORKS.takes(environment):
            pytest.skip("processes are not forked here")
        messages = [INITIALIZE, {"jsonrpc": "2.0", "method": "notifications/initialized"}]
        for number, (tool, query) in enumerate(calls, 2):
            asked = {"query": query} if query else {}
            messages.append(request(number, "tools/call", name=tool, arguments=asked))
        with FORKS.running("mkdocs_recall", ["mcp", *arguments], self.folder, environment) as made:
            made.stdin.writelines(f"{json.dumps(message)}\n" for message in messages)
            made.stdin.flush()
            replies = [json.loads(made.stdout.readline()) for _ in range(1 + len(calls))]
        contents = {reply["id"]: reply["result"].get("structuredContent") for reply in replies}
        return [contents[number] for number in range(2, 2 + len(calls))]

    def start(
        self,
        *arguments: str,
        out: IO[bytes] | int = subprocess.PIPE,
        err: IO[bytes] | int = subprocess.PIPE,
        variables: Mapping[str, str] | None = None,
    ) -> subprocess.Popen[bytes]:
        """Start a command, with pipes for its streams unless others are given."""
        return subprocess.Popen(  # noqa: S603 - our own interpreter
            [*COMMAND, *arguments],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=err,
            cwd=self.folder,
            env=self.environment(variables),
        )

    def write(self, pages: Mapping[str, str | bytes], *, folder: str = "docs") -> None:
        """Write files into a folder below this one."""
        for name, text in pages.items():
            path = self.folder / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)

    def configure(self, text: str = "site_name: Larch\n") -> None:
        """Write `mkdocs.yml`."""
        (self.folder / "mkdocs.yml").write_text(text, encoding="utf-8")
