"""The place of a cache; one from a pull request is neither read nor written."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from conftest import Built, Site
from repositories import Repository
from terminal import Terminal

from mkdocs_recall import git
from mkdocs_recall.files import user_cache_folder
from mkdocs_recall.store import Cache, Cache as AnyCache, refusal, segments

FILE = segments().replace("*", "0f")


POSIX_ONLY = pytest.mark.skipif(os.name != "posix", reason="Windows may have no links")
OWN = ".cache/recall"
FORGED = "Install with curl"  # as long as what it replaces, so that the record stays one
PAGES = {
    "index.md": "# Home\n\n```recall\nsource: auth.md\nquery: when does a session expire?\n```\n",
    "auth.md": "# Auth\n\nA session expires after twelve hours.\n",
}


def tree(folder: Path) -> dict[str, bytes]:
    """Return the content of all files in a folder."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def poison(site: Site, monkeypatch: pytest.MonkeyPatch, recall: Mapping[str, object]) -> Built:
    """Build, and leave a forged quote to the next build; return what is right."""
    put = Cache.put

    def forge(cache: AnyCache, key: bytes, value: bytes) -> None:
        put(cache, key, value.replace(b"A session expires", FORGED.encode()))

    with monkeypatch.context() as patched:
        patched.setattr(Cache, "put", forge)
        return site.build(PAGES, recall=recall)


@pytest.fixture
def cloned(site: Site, monkeypatch: pytest.MonkeyPatch, repository: Repository) -> Site:
    """A site in a clone, at the very path where its forged cache was made, which git tracks."""
    made = type(site)(repository.root, site.records)
    clean = poison(made, monkeypatch, {"cache_dir": OWN}).files()
    assert FORGED in made.rebuild().html()  # the attack, without git
    repository.git("add", "--force", ".")
    repository.git("commit", "--quiet", "--message", "docs: Mend a typo")
    origin = repository.root.with_name("origin")
    repository.root.rename(origin)
    subprocess.run(["git", "clone", "--quiet", origin, repository.root], check=True)  # noqa: S603, S607
    assert made.rebuild().files().keys() == clean.keys()
    return made


def test_a_cache_that_a_clone_brings_changes_no_page(cloned: Site) -> None:
    before = tree(cloned.root / OWN)
    for dirty in (False, True):
        built = cloned.rebuild(dirty=dirty)
        assert FORGED not in built.html()
        [notice] = [info for info in built.infos if "is not used" in info]
        assert "git tracks files there" in notice
        assert "leave out 'cache_dir', or name a folder outside of the repository" in notice
    assert tree(cloned.root / OWN) == before


def test_no_command_reads_it(cloned: Site, capsys: pytest.CaptureFixture[str]) -> None:
    from mkdocs_recall.cli.main import main

    before = tree(cloned.root / OWN)
    config = str(cloned.root / "mkdocs.yml")
    for _ in range(2):
        with pytest.raises(SystemExit):
            main(["search", "when does a session expire?", "--config", config])
        output = capsys.readouterr()
        assert "A session expires" in output.out
        assert output.err.count("git tracks files there") == 1
    assert tree(cloned.root / OWN) == before


def test_it_is_used_once_git_tracks_it_no_longer(cloned: Site, repository: Repository) -> None:
    repository.git("rm", "-rf", "--quiet", OWN)
    cloned.rebuild()
    assert ", 1 from the cache" in cloned.rebuild().infos[-1]


def test_by_default_a_clone_cannot_bring_a_cache_and_git_does_not_run(
    cloned: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    cloned.configure()
    monkeypatch.setattr(git, "run_git", lambda *_, **__: pytest.fail("git was asked"))
    shutil.rmtree(cloned.cache, ignore_errors=True)
    built = cloned.rebuild()
    assert built.infos == ["recall: 1 directive answered, 0 by fallback, 0 from the cache"]
    assert FORGED not in built.html()
    assert ", 1 from the cache" in cloned.rebuild().infos[-1]


def test_a_restored_cache_is_used(site: Site, repository: Repository, tmp_path: Path) -> None:
    """As in CI, where the folder of the cache comes from elsewhere."""
    here = type(site)(repository.root, site.records)
    here.build(PAGES, recall={"cache_dir": OWN})
    (here.root / OWN).rename(tmp_path / "saved")
    (tmp_path / "saved").rename(here.root / OWN)
    built = here.rebuild()
    assert built.infos == ["recall: 1 directive answered, 0 by fallback, 1 from the cache"]


@pytest.fixture
def folder(repository: Repository) -> Path:
    """A folder in a work tree."""
    made = repository.root / ".cache/plugin/recall"
    made.mkdir(parents=True)
    return made


def track(repository: Repository, name: str) -> None:
    """Have git track a file."""
    path = repository.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("theirs", encoding="utf-8")
    repository.git("add", "--force", name)


def test_untracked_files_are_ours(repository: Repository, folder: Path) -> None:
    for name in ("index.md", ".cache/plugin/other", ".cache/plugin/recall-old/x"):
        track(repository, name)
    assert refusal(folder) == ""
    assert refusal(repository.root.parent / "elsewhere") == ""


@pytest.mark.parametrize(
    "name",
    [FILE, "inside/x.txt", ".gitignore", "other", "../RECALL/x", "../../../.CACHE/Plugin/Recall/x"],
)
def test_tracked_files_may_be_foreign(repository: Repository, folder: Path, name: str) -> None:
    path = os.path.normpath(f".cache/plugin/recall/{name}")
    track(repository, path)
    assert "git tracks files there" in refusal(folder)
    (repository.root / path).unlink()  # a sparse checkout may lack it
    assert "git tracks files there" in refusal(folder)


@POSIX_ONLY
def test_a_folder_whose_name_is_a_pattern_is_no_other(repository: Repository) -> None:
    track(repository, "cache/x/recall")
    for name in ("*recall", "[c]ache", "cach?"):
        assert refusal(repository.root / name) == ""
        track(repository, f"{name}/x")
        assert "git tracks files there" in refusal(repository.root / name)


@POSIX_ONLY
def test_a_link_that_git_tracks_is_not_followed(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (repository.root / ".cache").symlink_to(tmp_path / "theirs")
    assert refusal(repository.root / ".cache/own") == ""
    repository.git("add", "--force", ".cache")
    assert "git tracks files there" in refusal(repository.root / ".cache/own")
    (repository.root / ".cache").unlink()
    (repository.root / ".cache").symlink_to("loop")
    (repository.root / "loop").symlink_to(".cache")
    assert refusal(repository.root / ".cache/own") != ""


@POSIX_ONLY
def test_a_link_to_a_tracked_folder_counts_as_tracked(repository: Repository) -> None:
    track(repository, "data/x")
    (repository.root / ".cache").symlink_to("data")
    assert "git tracks files there" in refusal(repository.root / ".cache")


def test_a_submodule_is_a_strangers_as_well(repository: Repository, tmp_path: Path) -> None:
    inner = type(repository)(tmp_path / "inner")
    inner.root.mkdir()
    inner.git("init", "--quiet")
    track(inner, f"recall/{FILE}")
    inner.git("commit", "--quiet", "--message", "x")
    add = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add")
    repository.git(*add, str(inner.root), ".cache")
    for name in (".cache", ".cache/recall"):
        assert "git tracks files there" in refusal(repository.root / name)
    assert refusal(repository.root / ".cache/own") == ""


@POSIX_ONLY
@pytest.mark.parametrize("name", [".cache", "my cache/it's -rf", "cach?", "dash/-f"])
def test_the_remedy_for_a_tracked_cache_works_anywhere(repository: Repository, name: str) -> None:
    track(repository, "cache/x")
    track(repository, f"{name}/x")
    command = refusal(repository.root / name).rpartition(", or run: ")[2]
    subprocess.run(["sh", "-c", command], check=True, cwd="/")  # noqa: S603, S607
    assert refusal(repository.root / name) == ""
    assert (repository.root / "cache/x").exists()


LEAVE_OUT = (
    "git tracks files there, which strangers may have written; leave out 'cache_dir', or name a "
    "folder outside of the repository"
)


def test_no_message_suggests_emptying_a_repository(repository: Repository) -> None:
    """`git rm -rf .`, in the folder of the site, would remove the site."""
    inner = type(repository)(repository.root / ".cache")
    inner.root.mkdir()
    inner.git("init", "--quiet")
    track(inner, FILE)
    assert refusal(inner.root) == LEAVE_OUT


@POSIX_ONLY
def test_a_command_that_a_message_would_alter_is_not_shown(repository: Repository) -> None:
    track(repository, "a\x1b[31m\nb/x")
    assert refusal(repository.root / "a\x1b[31m\nb") == LEAVE_OUT


@pytest.mark.parametrize("what", ["no git", "no index", "no repository"])
def test_where_git_has_no_answer_the_cache_is_not_used(
    repository: Repository, folder: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    if what == "no git":
        monkeypatch.setenv("PATH", str(folder))
    elif what == "no index":
        (repository.root / ".git/index").write_bytes(b"DIRC and more")
    else:
        shutil.rmtree(repository.root / ".git")
        (repository.root / ".git").write_text("gitdir: nowhere", encoding="utf-8")
    reason = refusal(folder)
    assert reason.startswith("git cannot tell whether it tracks files there: ")
    assert reason.endswith("leave out 'cache_dir', or name a folder outside of the repository")
    cache = Cache(folder)
    cache.put(b"0" * 16, b"value")
    cache.save()
    assert list(folder.iterdir()) == []
    assert reason in cache.notice


def test_folders_with_one_name_have_caches_of_their_own(tmp_path: Path) -> None:
    one, two = (user_cache_folder(tmp_path / name / "mkdocs.yml") for name in ("a", "b"))
    assert one is not None
    assert two is not None
    assert one != two
    assert one.name.startswith("a-mkdocs.yml-")
    assert user_cache_folder("/") is not None
    long = user_cache_folder(tmp_path / ("木" * 200))
    assert long is not None
    assert len(os.fsencode(long.name)) < 255


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other folders")
@pytest.mark.parametrize("variable", ["XDG_CACHE_HOME", "HOME"])
@pytest.mark.parametrize("what", ["a circle", "a file", "a folder below a circle"])
def test_a_home_without_room_for_a_cache_fails_nothing(
    site: Site, monkeypatch: pytest.MonkeyPatch, variable: str, what: str
) -> None:
    place = site.root / "caches"
    if what == "a file":
        place.write_text("theirs", encoding="utf-8")
    else:
        place.symlink_to("caches")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv(variable, str(place / "below" if "below" in what else place))
    built = site.build(PAGES)
    assert "A session expires" in built.html()
    assert (built.warnings, len(built.infos)) == ([], 2)
    assert "the cache" in built.infos[0]
    outcome = Terminal(site.root).run("search", "when does a session expire?")
    assert outcome.status == 0
    assert "A session expires" in outcome.out


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other folders")
def test_the_path_that_ci_restores_holds_the_caches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    text = Path(__file__, "../../../demo_site/rebuilds.md").resolve().read_text(encoding="utf-8")
    [restored] = re.findall(r"actions/cache@v\d+\n *with:\n *path: (.+)", text)
    folder = user_cache_folder(tmp_path / "mkdocs.yml")
    assert folder is not None
    assert folder.parent == Path(restored).expanduser()
