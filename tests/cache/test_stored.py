"""Stored values come back equal; any other bytes are a miss, and never an exception."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import given, strategies as st

from mkdocs_recall import Corpus
from mkdocs_recall.answers.alternatives import Alternative, Alternatives
from mkdocs_recall.answers.insertion import Quote
from mkdocs_recall.factors import history
from mkdocs_recall.factors.history import History, PageHistory
from mkdocs_recall.files import fingerprint
from mkdocs_recall.hosts.build import LastBuild, Origin
from mkdocs_recall.hosts.fill import FilledSite
from mkdocs_recall.pages.library import FileVersion, Manifest, PageEntry, unpack_manifest
from mkdocs_recall.pages.published import PackedPage, pack_page
from mkdocs_recall.store import pack, unpack
from mkdocs_recall.text import document as documents
from mkdocs_recall.text.front_matter import Validity


class Stored(NamedTuple):
    """A stored type."""

    sample: Any
    pack: Callable[[Any], bytes]
    unpack: Callable[[bytes], Any]
    """Returns None for a miss."""


def _unpack_document(packed: bytes) -> Any:
    try:
        return documents.unpack("a.md", packed)
    except ValueError:
        return None


PAGE: Final = "# A\n\n- A *fir* isn’t\n- deciduous\n\n| a | b |\n|-|-|\n| 1 | 2 |\n"
(DOCUMENT,) = Corpus.from_markdown({"a.md": PAGE}).documents
VERSION: Final = FileVersion([1, 2], "digest")
ENTRY: Final = PageEntry(
    *("a.md", VERSION, None, "", Validity("", "2099-01-01")),
    {"tags": ["a", 1, 2.5, True, None]},
    *("ff", {"b.md": VERSION, "c.md": FileVersion(None, "")}, {"b": "b.md", "c": None}),
)
MANIFEST: Final = Manifest(
    *(["docs"], True, "digest", {"mkdocs.yml": [1, 2], "x": None}, {"HOME": ""}, "docs", ["site"]),
    *("digest", "digest", {"d.md": "a draft"}, {"a.md": ENTRY}),
)
PLACE: Final = Alternative("/a.md#a", "A", "A fir.", "fir", "a/#a")
BESIDE: Final = Alternatives("fir", "", ("A doubt.",), PLACE, (PLACE,))
QUOTE: Final = Quote("<blockquote>", warning="It is short.", notes=("A.",), beside=BESIDE)
ORIGIN: Final = Origin(b"key", ["a.md"], b"digest")
STORED: Final = {
    "document": Stored(DOCUMENT, documents.pack, _unpack_document),
    "published page": Stored(pack_page(DOCUMENT), pack, partial(unpack, PackedPage)),
    "manifest": Stored(MANIFEST, pack, unpack_manifest),
    "history": Stored(
        History({"a.md": PageHistory(["2026-01-02T03:04:05+00:00"], whole=True)}, shallow=True),
        pack,
        history._unpack,  # noqa: SLF001
    ),
    "dates": Stored({"a.md": "2026-01-02"}, pack, partial(unpack, dict[str, str])),
    "state": Stored(
        LastBuild({"a.md": "digest"}, {"a.md": [(0, 9)]}, ["b.md"], {b"name": ORIGIN}),
        pack,
        partial(unpack, LastBuild),
    ),
    "quote": Stored(QUOTE, pack, partial(unpack, Quote)),
    "filled site": Stored(
        ("digest", FilledSite({}, {}, ["Mend it."], 1, 2, 3, 4)),
        pack,
        partial(unpack, tuple[str, FilledSite]),
    ),
}


@pytest.mark.parametrize("name", STORED)
def test_a_stored_value_comes_back_equal(name: str) -> None:
    stored = STORED[name]
    assert stored.sample
    assert stored.unpack(stored.pack(stored.sample)) == stored.sample
    assert not stored.unpack(b"")


def _edited(name: str, at: int, length: int, new: bytes) -> bytes:
    whole = STORED[name].pack(STORED[name].sample)
    at %= len(whole)
    return whole[:at] + new + whole[at + length :]


EDITS: Final = st.builds(
    _edited,
    st.sampled_from(list(STORED)),
    st.integers(0, 1 << 20),
    st.integers(0, 3),
    st.binary(max_size=3)
    | st.sampled_from((b"null", b"-1", b"1e999", b'"\\ud800"', b"[", b"\xc0")),
)


@pytest.mark.parametrize("name", STORED)
@given(EDITS | st.binary(max_size=60) | st.sampled_from((b"[" * 99_999, b"\x91" * 99_999)))
def test_any_bytes_are_a_miss_or_a_value_that_comes_back_equal(name: str, packed: bytes) -> None:
    stored = STORED[name]
    value = stored.unpack(packed)
    if value is not None:
        again = stored.pack(value)
        assert again
        assert stored.pack(stored.unpack(again)) == again  # not `==`: NaN is not NaN


@pytest.mark.parametrize("value", ["\ud800", 1 << 64, [{"a": "\udcff"}]])
def test_what_bytes_cannot_hold_is_not_cached(value: object) -> None:
    assert pack(value) == b""


@pytest.mark.parametrize("key", ["f", "no digits"])
def test_a_manifest_with_a_key_that_is_none_is_a_miss(key: str) -> None:
    assert unpack_manifest(pack(MANIFEST._replace(pages={"a.md": ENTRY._replace(key=key)}))) is None


def test_a_manifest_of_an_impossible_folder_is_not_current(tmp_path: Path) -> None:
    file = tmp_path / "mkdocs.yml"
    file.touch()
    settings = {str(file): fingerprint(str(file))}
    manifest = MANIFEST._replace(roots=["a\0"], folder="b\0", settings=settings)
    assert not manifest.is_current(str(file))
