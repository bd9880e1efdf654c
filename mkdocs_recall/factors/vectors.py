"""The vectors of texts, cached on disk: a text is embedded once, and only then is a model loaded.

Each model has a file, named by its fingerprint: a NumPy array whose rows hold the digest of a text,
its vector, and a checksum. The file is mapped into memory, and replaced as a whole. A file that is
damaged, foreign, or cannot be read or written is a miss and one notice.
"""

from __future__ import annotations

import os
from contextlib import suppress
from errno import EEXIST
from io import BytesIO
from itertools import islice
from stat import S_ISREG
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from mkdocs_recall.cache import digest, make_folder, refusal
from mkdocs_recall.errors import EmbedderError
from mkdocs_recall.files import VECTOR_FILES, VECTORS, write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from mkdocs_recall.options import Embedder


try:
    import numpy as np
except ImportError:  # it comes with the extras
    np = None  # type: ignore[assignment]  # no vectors are made without it

FORMAT: Final = 1
"""The version of the file's format, a part of its name."""
LIMIT: Final = 256 * 1024 * 1024
"""Bytes of all files together: with all-MiniLM-L6-v2, 170,000 sentences."""
DIGITS: Final = 4
"""Of a cosine: machines, and versions of a library, differ by less than a millionth."""
_KEY: Final = 16  # bytes
_ALONE: Final = "alone"
"""Part of the key of a vector that was computed by itself."""
_SUFFIX: Final = ".npy"
_HEAD: Final = 256  # bytes before the rows, at most
_TOLERANCE: Final = 1e-3
"""How far from 1 the length of a vector may be."""
_SHARE: Final = 8
"""New vectors are written at the latest when they are one in this many of all."""
_BATCH: Final = 4096
"""Rows whose cosines are computed together."""


class Vectors:
    """The vectors of texts by one embedder, for several threads; processes may share a folder.

    Attributes:
        notice: Why the file could not be read or written; empty while it can.
        embedded: How many texts the embedder has embedded.
    """

    def __init__(self, embedder: Embedder, folder: Path | None, *, limit: int = LIMIT) -> None:
        """Take an embedder, and the folder of the cache.

        Args:
            embedder: Embeds texts that are not cached.
            folder: Where the folder of the vectors is, or will be; None to cache nothing.
        """
        if np is None:
            msg = f"model '{embedder.name}': numpy is not installed: pip install numpy"
            raise EmbedderError(msg)
        self.notice = ""
        self.embedded = 0
        self._embedder = embedder
        is_used = folder is not None and not refusal(folder)  # if not, `Cache` says why
        self._path = folder / VECTORS / _file_name(embedder) if folder and is_used else None
        self._limit = limit
        self._rows: dict[bytes, NDArray[np.float32]] = {}
        self._used: dict[bytes, None] = {}
        self._new_count = 0
        self._is_read = False
        self._lock = Lock()
        self._last: tuple[Sequence[str], NDArray[np.float32]] | None = None

    def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of some texts, (n, d); a text that is not cached is embedded once."""
        if not texts:
            return np.zeros((0, self._embedder.dimension), np.float32)
        return self._of([digest(text) for text in texts], texts, self._embedder.embed)

    def alone(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a text that is embedded by itself, (d,): a query, or a section.

        That is faster, and the last bits may differ from those among others, so that it is cached
        separately: a text has the same vector each time.
        """

        def embed(texts: Sequence[str]) -> NDArray[np.float32]:
            return self._embedder.embed_alone(texts[0])

        row: NDArray[np.float32] = self._of([digest(_ALONE, text)], [text], embed)[0]
        return row

    def _of(
        self,
        keys: Sequence[bytes],
        texts: Sequence[str],
        embed: Callable[[Sequence[str]], NDArray[np.float32]],
    ) -> NDArray[np.float32]:
        texts_by_key = dict(zip(keys, texts, strict=True))
        with self._lock:
            if not self._is_read:
                self._rows, self._is_read = self._read(), True
            while missing := [key for key in texts_by_key if key not in self._rows]:
                self._embed({key: texts_by_key[key] for key in missing}, embed)
            self._used.update(dict.fromkeys(keys))
            return np.concatenate([self._rows[key] for key in keys]).reshape(len(keys), -1)

    def cosines(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the similarity in meaning of each of some texts to a query, from -1 to 1."""
        vector, rows = self.alone(query).astype(np.float64), self._rows_of(texts)
        batches = (rows[start : start + _BATCH] for start in range(0, len(rows), _BATCH))
        return [cosine for batch in batches for cosine in _cosines(vector, batch)]

    def cosine(self, query: str, text: str) -> float:
        """Return the similarity in meaning of one text to a query; both are embedded alone."""
        return _cosines(self.alone(query).astype(np.float64), self.alone(text)[np.newaxis])[0]

    def _rows_of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of some texts; those of a tuple stay in memory for the next query."""
        if self._last is not None and self._last[0] is texts:
            return self._last[1]
        rows = self.of(texts)
        if isinstance(texts, tuple):
            self._last = texts, rows
        return rows

    def save(self, *, soon: bool = True) -> None:
        """Write the file if texts were embedded since the last time."""
        with self._lock:
            least = 1 if soon else len(self._rows) // _SHARE
            if self._path is not None and self._new_count >= max(1, least):
                self._new_count = 0
                self._write(self._path)

    def _write(self, path: Path) -> None:
        rows = {key: self._rows[key] for key in self._used}
        dimension = len(next(iter(rows.values())))
        for key, row in {**self._rows, **self._read()}.items():  # vectors in use come first
            if len(row) == dimension:
                rows.setdefault(key, row)
        try:
            make_folder(path.parent.parent)
            _check_place(path)
            write_atomically(path, self._pack(rows))
        except OSError as error:
            self.notice = f"the vectors in '{path}' are not written: {error}"
            return
        with suppress(OSError):  # another process may do the same
            _shrink(path, self._limit)

    def _embed(
        self,
        missing: Mapping[bytes, str],
        embed: Callable[[Sequence[str]], NDArray[np.float32]],
    ) -> None:
        """Embed some texts by key, and check their vectors."""
        vectors = _embed(self._embedder, list(missing.values()), embed)
        if self._rows and len(next(iter(self._rows.values()))) != vectors.shape[1]:
            self._rows, self._used = {}, {}  # of another model, in spite of the fingerprint
        self._rows.update(zip(missing, vectors, strict=True))
        self.embedded += len(missing)
        self._new_count += len(missing)

    def _read(self) -> dict[bytes, NDArray[np.float32]]:
        """Return the rows on disk that are whole, by the digest of their text."""
        path = self._path
        if path is None:
            return {}
        try:
            _check_place(path)
            rows, damaged = _unpack(path, self._limit)
        except FileNotFoundError:
            return {}
        except Exception as error:  # noqa: BLE001 - NumPy may raise anything
            self.notice = f"the vectors in '{path}' are not used: {error}"
            return {}
        if damaged:
            self.notice = f"{damaged} vectors in '{path}' were damaged and are rebuilt"
        return rows

    def _pack(self, rows: Mapping[bytes, NDArray[np.float32]]) -> bytes:
        """Return the file with the first of some rows, as many as the limit allows."""
        row_type = _row_type(len(next(iter(rows.values()))))
        table = np.zeros(min(len(rows), (self._limit - _HEAD) // row_type.itemsize), row_type)
        table["key"] = np.frombuffer(b"".join(rows)[: len(table) * _KEY], f"V{_KEY}")
        for number, row in enumerate(islice(rows.values(), len(table))):
            table["vector"][number] = row
        table["sum"] = _sums(table["vector"])
        file = BytesIO()
        np.save(file, table, allow_pickle=False)
        return file.getvalue()


def _file_name(embedder: Embedder) -> str:
    return digest(str(FORMAT), embedder.name, embedder.fingerprint).hex() + _SUFFIX


def _check_place(path: Path) -> None:
    """Raise an OSError where anything but a regular file in a folder of ours is in the way.

    A link may lead to somebody else's file, and a pipe would block.
    """
    if path.parent.is_symlink() or (os.path.lexists(path) and not S_ISREG(path.lstat().st_mode)):
        raise OSError(EEXIST, "it is there, and is not a file of ours")


def _cosines(query: NDArray[np.float64], rows: NDArray[np.floating[Any]]) -> list[float]:
    """Return the cosine of a query with each of some rows, all of length 1.

    It is a sum for each row: the last digits of a matrix product depend on the number of rows.
    """
    cosines: list[float] = (
        np.clip(np.round((rows * query).sum(axis=1), DIGITS), -1, 1) + 0.0  # no -0.0
    ).tolist()
    return cosines


def _embed(
    embedder: Embedder,
    texts: Sequence[str],
    embed: Callable[[Sequence[str]], NDArray[np.float32]],
) -> NDArray[np.float32]:
    """Return the vectors of some texts, checked."""
    try:
        vectors: NDArray[np.float32] = np.asarray(embed(texts), np.float32)
        expected = len(texts), embedder.dimension
    except EmbedderError:
        raise
    except Exception as error:
        msg = f"model '{embedder.name}' failed: {type(error).__name__}: {error}"
        raise EmbedderError(msg) from error
    if vectors.shape != expected:
        msg = f"model '{embedder.name}' gave numbers of shape {vectors.shape}, and not {expected}"
        raise EmbedderError(msg)
    lengths = np.sqrt((vectors.astype(np.float64) ** 2).sum(axis=1))
    if not (
        (np.abs(lengths - 1) < _TOLERANCE) | (lengths == 0)
    ).all():  # 0 for a text without a word
        msg = f"model '{embedder.name}' gave vectors whose length is not 1"
        raise EmbedderError(msg)
    return vectors


def _row_type(dimension: int) -> np.dtype[np.void]:
    """Return the type of a row in the file."""
    return np.dtype([("key", f"V{_KEY}"), ("sum", "<u4"), ("vector", "<f4", (dimension,))])


def _sums(vectors: NDArray[np.float32]) -> NDArray[np.uint32]:
    """Return a checksum of each vector, which changes with any bit of it."""
    sums: NDArray[np.uint32] = vectors.view(np.uint32).sum(axis=1, dtype=np.uint32)
    return sums + np.uint32(1)  # so that a lost block, all zeros, holds no valid row


def _unpack(path: Path, limit: int) -> tuple[dict[bytes, NDArray[np.float32]], int]:
    """Return the valid rows of a file, and the number of invalid ones."""
    with path.open("rb") as file:  # once: the file may be replaced between two openings
        if os.fstat(file.fileno()).st_size > limit:
            msg = f"it holds more than {limit:,} bytes, which ours never does"
            raise ValueError(msg)
        table = _map(file)
    if table.ndim != 1 or table.dtype != _row_type((table.dtype["vector"].shape or (0,))[0]):
        msg = "it is not a file of this version of mkdocs-recall"
        raise ValueError(msg)
    keys = table["key"].tobytes()
    vectors = table["vector"].view(np.ndarray)
    squares = np.einsum("ij,ij->i", vectors, vectors)  # without a copy of the vectors
    are_vectors = (np.abs(squares - 1) < _TOLERANCE) | (squares == 0)
    valid = (are_vectors & (_sums(vectors) == table["sum"])).tolist()
    rows = {
        keys[number * _KEY : (number + 1) * _KEY]: row
        for number, row in enumerate(vectors)
        if valid[number]
    }
    return rows, valid.count(False)


def _map(file: BinaryIO) -> NDArray[np.void]:
    """Return the array in a file, mapped into memory where a mapped file can be replaced."""
    if os.name == "nt":
        return np.load(file, allow_pickle=False)  # type: ignore[no-any-return]
    np.lib.format.read_magic(file)
    shape, _, row_type = np.lib.format.read_array_header_1_0(file)
    return np.memmap(file, row_type, "r", file.tell(), shape)


def _shrink(path: Path, limit: int) -> None:
    """Delete the vectors of other models, the oldest first, as long as there are too many."""
    others = [file for file in path.parent.glob(VECTOR_FILES) if file != path]
    sizes = {file: file.stat().st_size for file in (path, *others)}
    for file in sorted(others, key=lambda other: (other.stat().st_mtime_ns, other.name)):
        if sum(sizes.values()) > limit:
            file.unlink()
            del sizes[file]
