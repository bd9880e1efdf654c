"""Real MkDocs builds for the tests of the plugin: pages and settings in, a built site out."""

from __future__ import annotations

import gc
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Generator, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml
from bs4 import BeautifulSoup, Tag
from hypothesis import settings
from kept import keep
from mkdocs.commands.build import build
from mkdocs.config import load_config
from repositories import Repository
from tables import in_one
from terminal import FORKS, Terminal, run_mkdocs

from mkdocs_recall.files import user_cache_folder
from mkdocs_recall.pages.published import FILE
from mkdocs_recall.store import Cache, segments

_FUZZES = "RECALL_FUZZ" in os.environ
# Machines are noisy, so nothing is timed. Each run has the same cases; RECALL_FUZZ tries others.
settings.register_profile(
    "here", deadline=None, derandomize=not _FUZZES, max_examples=100 if _FUZZES else 25
)
settings.load_profile("here")
keep()


PLAIN = (
    "<!doctype html>\n<html><head><title>{{ page.title }}</title></head>\n"
    "<body><article>\n{{ page.content }}\n</article></body></html>\n"
)
"""A theme that shows a page's content and nothing else, so that a build takes milliseconds."""
EXTENSIONS: tuple[str, ...] = ("admonition", "tables", "footnotes", "pymdownx.superfences")


def cache_file(folder: Path) -> Path:
    """Return the only segment of a cache."""
    [path] = folder.glob(segments())
    return path


def cached(folder: Path) -> dict[bytes, bytes]:
    """Return the contents of a cache's segments."""
    cache = Cache(folder)
    return cache.get_many(key for each in cache._read() for key in each.places)  # noqa: SLF001 - nobody else asks


_COMMANDS = {"cli", "neighbours", "promises", "browser"}
_SLOWER = ("browser", "host", "model", "slow")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skip tests of commands in a quick run."""
    is_left_out = config.option.markexpr == "quick" and collection_path.name in _COMMANDS
    return is_left_out or None


@pytest.hookimpl(optionalhook=True, wrapper=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """Start one worker more than processors, since they wait for commands, servers and locks."""
    return (yield) + 1


def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class, name: str, obj: object
) -> pytest.Function | None:
    """Combine cases without fixtures into one test."""
    test = in_one(obj) if name.startswith("test_") else None
    return test and pytest.Function.from_parent(collector, name=name, callobj=test)


def pytest_collection(session: pytest.Session) -> None:
    """Let each worker compile its share of the tests, rather than all of them.

    Imports leave no garbage, so the collector is off meanwhile.
    """
    gc.disable()
    if session.config.args != session.config.getini("testpaths"):
        return
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    modules = sorted(session.config.rootpath.glob("tests/[!b]*/**/test_*.py"))  # browser: plugins
    share = modules[number :: int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))]
    if len(share) < len(modules):
        for module in share:
            sys.path.insert(0, str(module.parent))  # as pytest does
            with suppress(Exception, pytest.skip.Exception):  # reported when all are collected
                import_module(module.stem)


def pytest_collection_finish() -> None:
    """Collect garbage again, without freezing objects, which Hypothesis 6.100 would miss."""
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests without folders, commands and drawn cases as quick: half a minute in all."""
    for item in items:
        needs_folder = "tmp_path" in getattr(item, "fixturenames", ())
        needs_folder |= not _COMMANDS.isdisjoint(item.path.parts)
        is_drawn = hasattr(getattr(item, "obj", None), "hypothesis")
        if not (needs_folder or is_drawn or any(map(item.get_closest_marker, _SLOWER))):
            item.add_marker("quick")


@dataclass(frozen=True)
class Built:
    """The result and the messages of a build."""

    folder: Path
    records: tuple[logging.LogRecord, ...]

    @property
    def warnings(self) -> list[str]:
        """The warnings of MkDocs and its plugins, as an author reads them."""
        return [r.getMessage() for r in self.records if r.levelno >= logging.WARNING]

    @property
    def infos(self) -> list[str]:
        """The messages of this plugin other than warnings."""
        return [
            r.getMessage()
            for r in self.records
            if r.levelno == logging.INFO and r.name.startswith("mkdocs.plugins")
        ]

    def html(self, path: str = "index.html") -> str:
        """Return a built page as written."""
        return (self.folder / path).read_bytes().decode("utf-8")

    def page(self, path: str = "index.html") -> BeautifulSoup:
        """Return a built page."""
        return BeautifulSoup(self.html(path), "html.parser")

    def tag(self, selector: str, path: str = "index.html") -> Tag:
        """Return the only element of a page that a CSS selector matches."""
        tags = self.page(path).select(selector)
        assert len(tags) == 1, (selector, self.html(path), self.warnings)
        return tags[0]

    def text(self, selector: str, path: str = "index.html") -> str:
        """Return the text of that element, with single spaces."""
        return " ".join(self.tag(selector, path).get_text().split())

    def shown(self, place: str) -> list[str]:
        """Return the text of each element that a selector matches, with single spaces.

        `auth/ blockquote` are the quotes of a page, `cite a@href` an attribute on the home page.
        """
        path, _, selector = place.rpartition("/ ")
        selector, _, attribute = selector.partition("@")
        tags = self.page(f"{path}/index.html".lstrip("/")).select(selector)
        if attribute:
            return [" ".join(map(str, tag.get_attribute_list(attribute))) for tag in tags]
        return [" ".join(tag.get_text().split()) for tag in tags]

    def files(self) -> dict[str, bytes]:
        """Return the built pages, and the files published for other sites, by path."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in (*sorted(self.folder.rglob("*.html")), *self.folder.glob(FILE))
        }


@dataclass
class Site:
    """A documentation in a separate folder."""

    root: Path
    records: list[logging.LogRecord] = field(default_factory=list)

    @property
    def docs(self) -> Path:
        """The folder of the pages."""
        return self.root / "docs"

    @property
    def cache(self) -> Path:
        """The folder of the cache."""
        folder = user_cache_folder(self.root / "mkdocs.yml")
        assert folder is not None
        return folder

    def write(self, pages: Mapping[str, str | bytes]) -> None:
        """Write pages; text is written with its line ends as they are."""
        for uri, content in pages.items():
            path = self.docs / uri
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)

    def configure(
        self,
        *,
        recall: Mapping[str, Any] | None = None,
        hook: str | None = None,
        plugins: list[Any] | None = None,
        **settings: Any,
    ) -> Path:
        """Write `mkdocs.yml`.

        Args:
            recall: The plugin's own options.
            hook: Python code of a hook, run before the plugin's own events.
            plugins: All plugins, instead of only this one.
            settings: Anything else.
        """
        theme = self.root / "theme"
        theme.mkdir(exist_ok=True)
        (theme / "main.html").write_text(PLAIN, encoding="utf-8")
        config: dict[str, Any] = {
            "site_name": "Larch",
            "site_url": "https://larch.example/",
            "theme": {"name": None, "custom_dir": "theme"},
            "plugins": [{"recall": dict(recall or {})}] if plugins is None else plugins,
            "markdown_extensions": list(EXTENSIONS),
            **settings,
        }
        if hook is not None:
            (self.root / "hook.py").write_text(hook, encoding="utf-8")
            config["hooks"] = ["hook.py"]
        path = self.root / "mkdocs.yml"
        path.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
        return path

    def build(self, pages: Mapping[str, str | bytes] | None = None, **settings: Any) -> Built:
        """Write pages and settings, and build in this process.

        Raises:
            Abort: `mkdocs build` would stop.
        """
        self.write(pages or {})
        self.configure(**settings)
        return self.rebuild()

    def expect(self, case: Mapping[str, Any], **settings: Any) -> None:
        """Build `pages` with `settings`, cold and warm, and check `shown` texts and warnings."""
        self.write(case["pages"])
        self.configure(**{**settings, **case.get("settings", {})})
        command = case.get("command", "build")
        built = self.rebuild(command=command)
        for again in (built, self.rebuild(command=command)):
            assert {place: again.shown(place) for place in case["shown"]} == case["shown"]
            assert again.warnings == case.get("warnings", [])
        assert built.infos == case.get("infos", built.infos)

    def rebuild(
        self, *, dirty: bool = False, command: Literal["build", "serve"] = "build"
    ) -> Built:
        """Build the written pages."""
        self.records.clear()
        config = load_config(str(self.root / "mkdocs.yml"))
        config.plugins.on_startup(command=command, dirty=dirty)
        try:
            build(config, dirty=dirty)
        finally:
            config.plugins.on_shutdown()
        return Built(self.root / "site", tuple(self.records))

    def run(
        self, *arguments: str, hash_seed: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run `mkdocs build` on the written pages in a separate process, like an author."""
        return run_mkdocs(*arguments, folder=self.root, hash_seed=hash_seed)


class _Recorder(logging.Handler):
    def __init__(self, records: list[logging.LogRecord]) -> None:
        super().__init__(logging.INFO)
        self.records = records

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """An empty documentation, which records what MkDocs logs during builds."""
    new_site = Site(tmp_path)
    recorder = _Recorder(new_site.records)
    logger = logging.getLogger("mkdocs")
    level = logger.level
    logger.addHandler(recorder)
    logger.setLevel(logging.INFO)
    yield new_site
    logger.removeHandler(recorder)
    logger.setLevel(level)


@pytest.fixture(scope="session", autouse=True)
def _own_caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep tests out of the user's own files."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("caches")))
        yield


@pytest.fixture(scope="session", autouse=True)
def _end_of_forks() -> Iterator[None]:
    yield
    FORKS.close()


@pytest.fixture
def interruptible() -> Iterator[None]:
    """A test whose programs can be interrupted, even if this one cannot.

    A shell starts the background jobs of a script, such as `nohup pytest &`, with SIGINT ignored,
    and whatever they start ignores it, too. A program of ours respects that; a test of Ctrl-C has
    to restore the signal.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def terminal(tmp_path: Path, request: pytest.FixtureRequest) -> Terminal:
    """A terminal in the folder of a site, with `PAGES` and `CONFIG` of the module, if any."""
    here = Terminal(tmp_path)
    here.write(getattr(request.module, "PAGES", {}))
    here.configure(getattr(request.module, "CONFIG", "site_name: Larch\n"))
    return here


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """An empty repository; git does not see the user's own settings."""
    (tmp_path / "settings").write_text("[init]\ndefaultBranch = main\n", encoding="utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "settings"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (tmp_path / "site").mkdir()
    new_repository = Repository(tmp_path / "site")
    new_repository.git("init", "--quiet")
    return new_repository
