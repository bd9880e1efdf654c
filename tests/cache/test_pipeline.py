"""Every change of the code or of a word list changes the key of all cached values."""

from __future__ import annotations

import shutil
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

import mkdocs_recall
from mkdocs_recall import store

PACKAGE = Path(mkdocs_recall.__file__).parent
FILES = [
    path.relative_to(PACKAGE).as_posix()
    for pattern in ("*.py", "*.txt")
    for path in sorted(PACKAGE.rglob(pattern))
]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, which may be edited."""
    folder = tmp_path_factory.mktemp("copy") / "mkdocs_recall"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def test_the_key_is_that_of_the_whole_package() -> None:
    assert Path(store.PACKAGE).resolve() == PACKAGE.resolve()
    assert store.pipeline() == store.package_digest(str(PACKAGE))
    rooms = {name.partition("/")[0] for name in FILES if "/" in name}
    assert rooms >= {"answers", "hosts", "pages", "ranking", "text"}


def test_the_same_code_in_another_folder_has_the_same_key(package: Path) -> None:
    assert store.package_digest(str(package)) == store.pipeline()


@pytest.mark.slow
def test_any_edited_file_changes_the_key(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_versions", list)  # they are looked up each time
    before = store.package_digest(str(package))
    for name in FILES:
        file = package / name
        content = file.read_bytes()
        file.write_bytes(content + b"#")
        assert store.package_digest(str(package)) != before, name
        file.write_bytes(content)


def test_a_file_that_is_added_moved_or_deleted_changes_the_key(package: Path) -> None:
    file = package / "text/new.py"
    file.write_text("")
    keys = {store.pipeline(), store.package_digest(str(package))}
    file.rename(package / "ranking/new.py")
    keys.add(store.package_digest(str(package)))
    (package / "ranking/new.py").unlink()
    assert len(keys) == 3
    assert store.package_digest(str(package)) == store.pipeline()


def test_the_versions_of_libraries_are_those_that_python_names() -> None:
    versions = dict(store._versions())  # noqa: SLF001 - found without importlib.metadata
    installed = {}
    for library in store._LIBRARIES:  # noqa: SLF001
        with suppress(PackageNotFoundError):
            installed[library] = version(library)
    assert versions == installed
    read_by = {"selectolax", "markdown_it_py", "mdit_py_plugins", "Markdown", "pymdown_extensions"}
    assert read_by <= versions.keys()  # else an upgrade leaves pages as the old one read them


def test_a_library_s_version_is_in_the_key(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = store.pipeline()  # it is kept, so it must not be computed with the other version
    monkeypatch.setattr(store, "_versions", lambda: [("selectolax", "999")])
    assert store.package_digest(str(package)) != before


def test_a_library_that_is_not_where_others_are_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(store, "_LIBRARIES", ("Markdown", "nowhere-to-be-found"))
    monkeypatch.setattr("os.listdir", lambda _: [])
    assert dict(store._versions()) == {"Markdown": version("Markdown")}  # noqa: SLF001
