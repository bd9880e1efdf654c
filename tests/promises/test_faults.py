"""A fault at any step of a build: it ends, or says so; nothing is half done, and the next is right.

Which functions of the plugin a build goes through is found by watching one. In each of them, in
turn, a fault is raised. Here some of them have one; with `RECALL_FAULTS=all`, each has each.
"""

from __future__ import annotations

import gc
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import product
from typing import TypeVar

import pytest
from conftest import Site
from faults import ERRORS, FAULTS, Disk, fault_in, steps
from meaning import Toy, larch
from mkdocs.commands.build import build
from mkdocs.config import load_config
from tables import beside

from mkdocs_recall.store import gc_paused, segments

__all__ = ["larch"]

Thing = TypeVar("Thing")
Fault = TypeVar("Fault")

CACHE = ".cache/plugin/recall"
PAGES: dict[str, str] = beside(__file__)["PAGES"]
EDITED = {"guides/b.md": "# B\n\nNo larch is red. An old one is tall.\n"}
KINDS = ["first", "again", "edited", "dirty"]
SEMANTIC = {"enabled": True, "model": "larch", "min_relevance_score": 0, "min_lexical_score": 0.9}
_SOME = 10
"""Of the steps, as many as there are kinds of faults."""


class Scene:
    """A site before a build of some kind, as often as it is wanted."""

    def __init__(self, site: Site, kind: str, **recall: object) -> None:
        """Build it as far as that."""
        self.site = site
        self.dirty = kind == "dirty"
        site.write(PAGES)
        site.configure(recall={"cache_dir": CACHE, **recall})
        if kind != "first":
            site.rebuild()
        if kind in {"edited", "dirty"}:
            site.write(EDITED)
        for name in ("site", ".cache"):
            if (site.root / name).exists():
                shutil.copytree(site.root / name, site.root / "kept" / name)
        self.build()
        self.right = self.written()
        assert site.records
        assert not self.warnings()

    def set(self) -> None:
        """Restore the site to its state before the build."""
        for name in ("site", ".cache"):
            shutil.rmtree(self.site.root / name, ignore_errors=True)
            if (self.site.root / "kept" / name).exists():
                shutil.copytree(self.site.root / "kept" / name, self.site.root / name)

    def again(self) -> None:
        """Go back, and build."""
        self.set()
        self.build()

    def build(self) -> None:
        """Build as `mkdocs build` does."""
        self.site.records.clear()
        config = load_config(str(self.site.root / "mkdocs.yml"))
        config.plugins.on_startup(command="build", dirty=self.dirty)
        try:
            build(config, dirty=self.dirty)
        finally:
            config.plugins.on_shutdown()

    def written(self) -> dict[str, bytes]:
        """Return the pages that were built."""
        folder = self.site.root / "site"
        return {path.name + str(path): path.read_bytes() for path in sorted(folder.rglob("*.html"))}

    def warnings(self) -> list[str]:
        """Return what an author is warned of, but for what MkDocs says of each dirty build."""
        messages = [each.getMessage() for each in self.site.records if each.levelname != "INFO"]
        return [each for each in messages if "'dirty' build" not in each]


def some(
    found: Sequence[Thing], faults: Sequence[Fault], kind: str
) -> Iterator[tuple[Thing, Fault]]:
    """Yield some of what was found, others for each kind of build, each with one of the faults.

    Or all, with all of them.
    """
    if os.environ.get("RECALL_FAULTS") == "all":
        yield from product(found, faults)
        return
    apart = max(1, len(found) // _SOME)
    first = apart * KINDS.index(kind) // len(KINDS)
    for number, place in enumerate(range(first, len(found), apart)):
        yield found[place], faults[number % len(faults)]


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, what it was raised from, or after, and so on."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def assert_survived(scene: Scene, error: BaseException, name: str) -> bool:
    """Build with a fault; assert that it ends with it, or is right, or warns; so the next is right.

    Returns:
        Whether it went on.
    """
    try:
        scene.build()
    except BaseException as raised:  # noqa: BLE001 - any may be thrown into it
        assert error in causes(raised), name  # noqa: PT017
        went_on = False
    else:
        assert scene.written() == scene.right or scene.warnings(), name
        went_on = True
    del error
    assert gc.isenabled(), name
    remaining = {path.name for path in (scene.site.root / CACHE).glob("*")}
    assert not {each for each in remaining if not each.endswith((".bin", ".gitignore"))}, name
    scene.build()
    assert scene.written() == scene.right, name
    assert not scene.warnings(), name
    return went_on


@pytest.mark.parametrize("kind", KINDS)
def test_after_a_fault_at_any_step_the_next_build_is_right(
    site: Site, larch: Toy, kind: str
) -> None:
    assert larch.name
    scene = Scene(site, kind, semantic=SEMANTIC)
    functions = steps(scene.again)
    assert len(functions) > 100
    ended = 0
    for step, fault in some(functions, FAULTS, kind):
        scene.set()
        error = fault()
        with fault_in(step, error):
            name = f"{step.co_filename}:{step.co_firstlineno} {step.co_name}: {error!r}"
            ended += not assert_survived(scene, error, name)
    assert ended > 5


DISK = Disk()


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_fails_on_the_disk_builds_go_on(site: Site, larch: Toy, kind: str) -> None:
    assert larch.name
    scene = Scene(site, kind, semantic=SEMANTIC)
    found = DISK.uses(scene.again)
    pages, vectors = (segments(name)[:-5] for name in ("pages", "vectors"))
    assert any(pages in each for each in found)
    assert any(vectors in each for each in found) == (kind != "again")
    for number, kind_of_fault in some(range(len(found)), ERRORS, kind):
        scene.set()
        error = OSError(kind_of_fault, os.strerror(kind_of_fault))
        with DISK.failing(number, error):
            assert assert_survived(scene, error, f"{found[number]}: {error}")


def test_two_threads_do_not_leave_the_collector_off(monkeypatch: pytest.MonkeyPatch) -> None:
    is_enabled, other = gc.isenabled, gc_paused()

    def asked() -> bool:
        """Look just before the other thread ends its pause."""
        answer = is_enabled()
        other.__exit__(None, None, None)
        return answer

    other.__enter__()
    monkeypatch.setattr(gc, "isenabled", asked)
    with gc_paused():
        pass
    assert is_enabled()


SIGNALS = {"first": ["SIGINT", "SIGKILL"], "edited": ["SIGTERM", "SIGKILL"]}


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="Windows has other signals")
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("kind", SIGNALS)
def test_after_an_interrupt_at_any_moment_the_next_build_is_right(site: Site, kind: str) -> None:
    scene = Scene(site, kind)
    chance = random.Random(7)  # noqa: S311 - no secret
    command = [sys.executable, "-m", "mkdocs", "build", "-q"]
    started = time.perf_counter()
    subprocess.run(command, cwd=site.root, check=True)  # noqa: S603 - our own interpreter
    lasts = time.perf_counter() - started
    for name in SIGNALS[kind]:
        scene.set()
        with subprocess.Popen(  # noqa: S603 - our own interpreter
            command, cwd=site.root, stderr=subprocess.DEVNULL
        ) as process:
            time.sleep(lasts * (0.4 + 0.6 * chance.random()))  # before, Python starts
            process.send_signal(getattr(signal, name))
        scene.build()
        assert scene.written() == scene.right, name
        assert not scene.warnings(), name
        assert not any("cache '" in each.getMessage() for each in site.records), name
        remaining = {path.name for path in (site.root / CACHE).glob("*")}
        assert {each.rpartition(".")[2] for each in remaining} == {"bin", "gitignore"}
