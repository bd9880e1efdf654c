"""A folder of Markdown can be queried without a site."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tables import beside, tabled

from mkdocs_recall import Corpus, RecallError
from mkdocs_recall.store import segments


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CACHE_HOME", "HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "home"))


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Return a folder with pages, and with what is none."""
    root = tmp_path / "notes"
    texts = beside(__file__)["NOTES"]
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root


def test_its_pages_go_folder_by_folder_each_with_its_opening_page_first(notes: Path) -> None:
    corpus = Corpus.from_folder(notes)
    uris = [page.uri for page in corpus.documents]
    assert uris == ["README.md", "zeta.md", "post/index.md", "post/mail.markdown"]


def test_in_a_foreign_folder_pages_have_the_names_of_files(tmp_path: Path) -> None:
    texts = beside(__file__)["FOREIGN"]
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    corpus = Corpus.from_folder(tmp_path)
    uris = ["guide/Old.MDX", "guide/mail.mdx", "guide/tokens.md"]
    assert [page.uri for page in corpus.documents] == ["index.mdx", *uris]
    assert [page.uri for page in corpus.select("guide/*.mdx")] == ["guide/mail.mdx"]
    [passage] = corpus.recall("Which port is open?", source="guide/mail.mdx#ports").passages
    assert (passage.text, passage.line) == ("It is open.", 4)
    [passage] = corpus.recall("How long does a token last?", max_sentences=9).passages
    assert passage.text == "A token lasts for an hour."
    (tmp_path / "guide/mail.mdx").write_text("Mail is closed.", "utf-8")
    assert corpus.refreshed().select("guide/mail.mdx")[0].blocks[0].text == "Mail is closed."


def test_a_passage_names_its_file_and_line(notes: Path) -> None:
    [passage] = Corpus.from_folder(notes).recall("which port?").passages
    assert (passage.text, passage.title) == ("Mail is sent on port 587.", "Post")
    assert (passage.file, passage.line) == (str(notes / "post/mail.markdown"), 7)


def test_a_folder_is_cached_in_the_user_s_own_cache(notes: Path, tmp_path: Path) -> None:
    before = sorted(notes.rglob("*"))
    done: list[int] = []
    for _ in range(2):
        corpus = Corpus.from_folder(notes, progress=lambda read, _: done.append(read))
        assert len(corpus.documents) == 4
    assert done == [1, 2, 3, 4]
    assert sorted(notes.rglob("*")) == before
    assert list((tmp_path / "home").rglob(segments()))


@pytest.mark.skipif(os.name != "posix", reason="Windows asks the system, and not variables")
def test_without_a_user_folder_nothing_is_cached(
    notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name)
    monkeypatch.setattr(os, "getuid", lambda: 3_999_999_999)  # as in a container
    monkeypatch.chdir(notes)
    before = sorted(notes.rglob("*"))
    for _ in range(2):
        [passage] = Corpus.from_folder(notes).recall("which port?").passages
        assert passage.text == "Mail is sent on port 587."
    assert sorted(notes.rglob("*")) == before


def test_its_language_can_be_stated(notes: Path) -> None:
    for language in ("de", "fr"):
        corpus = Corpus.from_folder(notes, language=language)
        assert {page.language for page in corpus.documents} == {language}


def test_targets_of_links_outside_are_not_read(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("The word is xyzzy.")
    (notes / "leak.md").symlink_to(tmp_path / "secret.md")
    (notes / "inner.md").symlink_to(notes / "zeta.md")
    uris = {page.uri for page in Corpus.from_folder(notes).documents}
    assert "inner.md" in uris
    assert "leak.md" not in uris


@tabled
def test_a_folder_without_pages_is_an_error(
    notes: Path, tmp_path: Path, name: str, message: str
) -> None:
    (notes / "empty").mkdir()
    with pytest.raises(RecallError, match=message):
        Corpus.from_folder(tmp_path / name)


def test_a_page_whose_front_matter_is_refused_is_left_out_and_named(notes: Path) -> None:
    """It may say that the page is never quoted."""
    base = "base: &b {" + ", ".join(f"k{number}: 1" for number in range(200)) + "}\n"
    merged = "".join(f"m{number}:\n  <<: *b\n" for number in range(60))
    text = f"---\n{base}{merged}recall: {{exclude: true}}\n---\nA secret walrus."
    (notes / "merged.md").write_text(text, "utf-8")
    corpus = Corpus.from_folder(notes)
    assert "merged.md" not in [page.uri for page in corpus.documents]
    (warning,) = corpus.warnings
    assert warning == (
        "'merged.md' is left out: its front matter merges too many keys; write them out "
        "('<<' merges more than 10,000 keys)"
    )
