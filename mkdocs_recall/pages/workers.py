"""Processes that read many pages at once, one for each processor, for commands and agents.

A worker is a new Python process, because a fork of a process with threads may hang. It gets its
items on stdin and returns one line of JSON for each on stdout. The parent process handles items
that a worker cannot, and so reports errors as if there were no workers. Ctrl-C does not reach a
worker. It ends when its stdin does: when the parent closes it, or ends for any reason.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from json import dumps, loads
from threading import Thread
from typing import IO, TYPE_CHECKING, Any, Final, NoReturn

from msgspec import Raw, Struct, json

from mkdocs_recall.limits import Limits
from mkdocs_recall.store import gc_paused
from mkdocs_recall.text.document import pack

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mkdocs_recall.pages.reader import Reader

MIN_PAGES: Final = 200
"""Fewer pages are read before workers have started."""
_MOST: Final = 8
"""The most workers; each takes 100 MB."""
NOT_DONE: Final = b"null\n"
"""A worker's reply to an item that it cannot handle."""
_START: Final = "import sys; sys.path[:] = {}; from {} import work; work({!r})"


def usable_processors() -> int:
    """Return how many workers this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on macOS and Windows
    return min(_MOST, len(affinity(0)) if affinity else os.cpu_count() or 1)


class Workers:
    """Workers that run a task for each item, in order."""

    def __init__(self, task: str, setting: object, items: Sequence[str], processes: int) -> None:
        """Start them.

        The task names a function, `module:function`. It takes the setting and distinct items, and
        yields a value for each; None if it fails. All of these must be JSON values.
        """
        import subprocess

        self._running: list[subprocess.Popen[bytes]] = []
        self._waiting: dict[str, Iterable[tuple[str, bytes]]] = {}
        self._done: dict[str, bytes] = {}
        command = _START.format([str(path) for path in sys.path], __name__, task)
        mode = f"utf8={sys.flags.utf8_mode}"
        shares = [items[number::processes] for number in range(min(processes, len(items)))]
        try:
            for _ in shares:
                worker = subprocess.Popen(  # noqa: S603 - this Python
                    [sys.executable, "-X", mode, "-c", command],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,  # extensions would repeat their output
                    start_new_session=True,
                    creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # on Windows
                )
                self._running.append(worker)
            for worker, share in zip(self._running, shares, strict=True):
                assert worker.stdin is not None
                assert worker.stdout is not None
                # A file name that is not UTF-8 goes through as surrogates, which msgspec refuses.
                worker.stdin.write(dumps((setting, share)).encode() + b"\n")
                worker.stdin.flush()
                answers = zip(share, worker.stdout, strict=False)
                self._waiting |= dict.fromkeys(share, answers)
        except OSError:
            self.close()
        except BaseException:
            self.close()
            raise

    def take(self, item: str) -> bytes | None:
        """Return the JSON for an item, once; None if no worker has done it."""
        for other, line in self._waiting.pop(item, ()):
            if line.endswith(b"\n"):  # else the worker was killed
                self._done[other] = line
            if other == item:
                break
        return self._done.pop(item, None)

    def close(self) -> None:
        """End them."""
        self._waiting.clear()
        for worker in self._running:
            worker.kill()
            with suppress(OSError):  # from unwritten data
                worker.communicate()
        self._running.clear()


def work(task: str) -> NoReturn:
    """Do a task as a worker."""
    from concurrent.futures import ThreadPoolExecutor

    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)  # extensions may print or read stdin
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    setting, items = loads(requests.readline())
    Thread(target=_end_with, args=(requests,), daemon=True).start()
    module, _, name = task.partition(":")
    do: Callable[[Any, list[str]], Iterable[object]] = getattr(import_module(module), name)
    # Written in a thread, so the next page is read before this one is taken.
    with ThreadPoolExecutor(1) as writer:
        for value in do(setting, items):
            writer.submit(_write, answers, json.encode(value) + b"\n")
    os._exit(0)


def _end_with(requests: IO[bytes]) -> None:
    """End this process when the other end of its stdin is closed."""
    requests.read()
    os._exit(1)


def _write(answers: IO[bytes], line: bytes) -> None:
    try:
        answers.write(line)
        answers.flush()
    except OSError:  # nobody reads the results
        os._exit(1)


class ReadPage(Struct, array_like=True):
    """A page that a worker has read."""

    document: Raw
    """The document, packed by `text.document`."""
    others: list[str]
    """See `Reader`."""
    links: list[str]


def read_pages(identity: Sequence[str], uris: Iterable[str]) -> Iterator[ReadPage | None]:
    """Read pages as a worker, by the reader with this identity."""
    opened = _reader(*identity).open()
    with gc_paused():
        for uri in uris:
            try:
                packed = pack(opened.load(uri))
                others = [*opened.others.get(uri, ())]
                links = [*opened.links.get(uri, ())]
                yield ReadPage(Raw(packed), others, links) if packed else None
            except Exception:  # noqa: BLE001, PERF203 - an extension may raise anything; see the module
                yield None


def _reader(kind: str, place: str, *settings: str) -> Reader:
    *language, text = settings
    limits = json.decode(text, type=Limits)
    if kind == "folder":
        from mkdocs_recall.pages.reader import Folder

        return Folder(place, language=language[0], limits=limits)
    from mkdocs_recall.pages.site import Site

    return Site(place, limits)
