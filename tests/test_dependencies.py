"""What an answer depends on is found without what takes long to import."""

from __future__ import annotations

from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from mkdocs_recall.cache import pipeline

if TYPE_CHECKING:
    import pytest


def test_the_versions_of_libraries_are_those_that_python_names() -> None:
    found = dict(pipeline._versions())  # noqa: SLF001 - found without importlib.metadata
    installed = {}
    for library in pipeline._LIBRARIES:  # noqa: SLF001
        with suppress(PackageNotFoundError):
            installed[library] = version(library)
    assert found == installed
    assert "selectolax" in found


def test_a_library_that_is_not_where_others_are_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pipeline, "_LIBRARIES", ("Markdown", "nowhere-to-be-found"))
    monkeypatch.setattr("os.listdir", lambda _: [])
    assert dict(pipeline._versions()) == {"Markdown": version("Markdown")}  # noqa: SLF001
