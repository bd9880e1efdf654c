"""The vectors of texts, kept on disk, so that a text is embedded once and a model loaded for it.

One file for each model, named by its fingerprint: a NumPy array whose rows hold the digest of a
text, its vector and a sum that tells whether it is whole. It is mapped into memory, and replaced as
a whole. A file that is damaged, foreign, or cannot be read or written is a miss and one notice.
"""

from __future__ import annotations

import math
import os
from contextlib import suppress
from errno import EEXIST
from io import BytesIO
from itertools import islice
from stat import S_ISREG
from threading import Lock
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from mkdocs_recall.cache.files import write_atomically
from mkdocs_recall.cache.store import digest, make_folder
from mkdocs_recall.errors import EmbedderError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from mkdocs_recall.semantic.embedders import Embedder

FORMAT: Final = 1
"""Of the file; it is part of its name."""
FOLDER: Final = "vectors"
"""In the folder of the cache."""
OURS: Final = "[0-9a-f]" * 32 + ".npy*"
"""What the files there are called, also while they are written; others may lie beside them."""
LIMIT: Final = 256 * 1024 * 1024
"""Bytes that all files together may hold: of all-MiniLM-L6-v2, 170,000 sentences."""
DIGITS: Final = 6
"""Of a cosine: machines differ in the seventh."""
_KEY: Final = 16  # bytes
_END: Final = ".npy"
_HEAD: Final = 256  # bytes before the rows, at most
_OFF: Final = 1e-3
"""How far from 1 the length of a vector may be."""
_SHARE: Final = 8
"""What is new is written at the latest when it is this part of all."""
_AT_ONCE: Final = 4096
"""Rows whose cosines are computed together."""


class Vectors:
    """The vectors of texts by one embedder. Several threads may ask, and processes share a folder.

    Attributes:
        notice: Why what is kept could not be read or written; empty while all is well.
        embedded: How many texts the embedder was asked for.
    """

    def __init__(self, embedder: Embedder, folder: Path | None, *, limit: int = LIMIT) -> None:
        """Take an embedder, and the folder of the cache.

        Args:
            embedder: Is asked for what is not kept.
            folder: Where the folder of the vectors is, or will be; None to keep nothing.
            limit: Bytes that may be kept.

        Raises:
            EmbedderError: NumPy is not installed, or the embedder does not tell what it is.
        """
        try:
            import numpy  # noqa: ICN001 - an extra; only whether it is there
        except ImportError as error:
            msg = f"model '{embedder.name}': numpy is not installed: pip install numpy"
            raise EmbedderError(msg) from error
        del numpy
        self.notice = ""
        self.embedded = 0
        self._embedder = embedder
        self._path = folder and folder / FOLDER / _file_name(embedder)
        self._limit = limit
        self._rows: dict[bytes, NDArray[np.float32]] = {}
        self._used: dict[bytes, None] = {}
        self._new = 0
        self._is_read = False
        self._lock = Lock()
        self._last: tuple[Sequence[str], NDArray[np.float32]] | None = None

    def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of some texts, (n, d); each text that is not kept is embedded once.

        Raises:
            EmbedderError: The model cannot be loaded, or gives no vectors.
        """
        import numpy as np

        if not texts:
            return np.zeros((0, self._embedder.dimension), np.float32)
        keys = [digest(text) for text in texts]
        asked = dict(zip(keys, texts, strict=True))
        with self._lock:
            if not self._is_read:
                self._rows, self._is_read = self._read(), True
            while missing := {key: text for key, text in asked.items() if key not in self._rows}:
                self._embed(missing)
            self._used.update(dict.fromkeys(keys))
            return np.concatenate([self._rows[key] for key in keys]).reshape(len(keys), -1)

    def cosines(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return how near in meaning each of some texts is to a query, from -1 to 1.

        Raises:
            EmbedderError: The model cannot be loaded, or gives no vectors.
        """
        import numpy as np

        first, rows = self.of([query])[0].astype(np.float64), self._held(texts)
        parts = (rows[start : start + _AT_ONCE] for start in range(0, len(rows), _AT_ONCE))
        return [cosine for part in parts for cosine in _cosines(first, part)]

    def _held(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of some texts; of a tuple, they are held for the next question."""
        if self._last is not None and self._last[0] is texts:
            return self._last[1]
        rows = self.of(texts)
        if isinstance(texts, tuple):
            self._last = texts, rows
        return rows

    def lengths(self, texts: Sequence[str], starts: Sequence[int]) -> list[float]:
        """Return the length of the sum of the vectors of each group of texts.

        The cosine of a query with their mean is the sum of its cosines with each, divided by it.

        Args:
            texts: The texts.
            starts: Where each group starts, in order, the first at 0; it ends where the next does.

        Raises:
            EmbedderError: The model cannot be loaded, or gives no vectors.
        """
        import numpy as np

        rows = self.of(texts)
        ends = [*starts[1:], len(rows)]
        sums = (rows[a:b].astype(np.float64).sum(axis=0) for a, b in zip(starts, ends, strict=True))
        return [math.sqrt(float((total * total).sum())) for total in sums]

    def save(self, *, soon: bool = True) -> None:
        """Write what was embedded since the last time; if nothing was, nothing is written.

        Args:
            soon: Also if that is little, for which all would have to be written again.
        """
        with self._lock:
            least = 1 if soon else len(self._rows) // _SHARE
            if self._path is not None and self._new >= max(1, least):
                self._new = 0
                self._write(self._path)

    def _write(self, path: Path) -> None:
        rows = {key: self._rows[key] for key in self._used}
        dimension = len(next(iter(rows.values())))
        for key, row in {**self._rows, **self._read()}.items():  # what is in use comes first
            if len(row) == dimension:
                rows.setdefault(key, row)
        try:
            make_folder(path.parent.parent)
            _check_place(path)
            write_atomically(path, self._packed(rows))
        except OSError as error:
            self.notice = f"the vectors in '{path}' are not written: {error}"
            return
        with suppress(OSError):  # another process may do so, too
            _shrink(path, self._limit)

    def _embed(self, missing: Mapping[bytes, str]) -> None:
        """Have some texts embedded, and look at what comes."""
        made = _checked(self._embedder, list(missing.values()))
        if self._rows and len(next(iter(self._rows.values()))) != made.shape[1]:
            self._rows, self._used = {}, {}  # what was kept is not of this model, whatever it says
        self._rows.update(zip(missing, made, strict=True))
        self.embedded += len(missing)
        self._new += len(missing)

    def _read(self) -> dict[bytes, NDArray[np.float32]]:
        """Return the rows on disk that are whole, by the digest of their text."""
        path = self._path
        if path is None:
            return {}
        try:
            _check_place(path)
            rows, damaged = _unpacked(path, self._limit)
        except FileNotFoundError:
            return {}
        except Exception as error:  # noqa: BLE001 - NumPy raises what it likes
            self.notice = f"the vectors in '{path}' are not used: {error}"
            return {}
        if damaged:
            self.notice = f"{damaged} vectors in '{path}' were damaged and are made anew"
        return rows

    def _packed(self, rows: Mapping[bytes, NDArray[np.float32]]) -> bytes:
        """Return a file with the first of some rows, as many as may be kept."""
        import numpy as np

        kind = _kind(len(next(iter(rows.values()))))
        table = np.zeros(min(len(rows), (self._limit - _HEAD) // kind.itemsize), kind)
        table["key"] = np.frombuffer(b"".join(rows)[: len(table) * _KEY], f"V{_KEY}")
        for number, row in enumerate(islice(rows.values(), len(table))):
            table["vector"][number] = row
        table["sum"] = _sums(table["vector"])
        file = BytesIO()
        np.save(file, table, allow_pickle=False)
        return file.getvalue()


def _file_name(embedder: Embedder) -> str:
    return digest(str(FORMAT), embedder.name, embedder.fingerprint).hex() + _END


def _check_place(path: Path) -> None:
    """Raise an OSError where something else than a file, and a folder of ours, is in the way.

    A link may lead to anybody's file, and a pipe would keep us waiting.
    """
    if path.parent.is_symlink() or (os.path.lexists(path) and not S_ISREG(path.lstat().st_mode)):
        raise OSError(EEXIST, "it is there, and is no file of ours")


def _cosines(query: NDArray[np.float64], rows: NDArray[np.floating[Any]]) -> list[float]:
    """Return the cosine of a query with each of some rows, all of length 1.

    A sum for each row, and no product of matrices: that would depend on how many there are.
    """
    import numpy as np

    found: list[float] = (
        np.clip(np.round((rows * query).sum(axis=1), DIGITS), -1, 1) + 0.0  # no -0.0
    ).tolist()
    return found


def _checked(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    """Return what an embedder makes of some texts.

    Raises:
        EmbedderError: It fails, or what it makes are no vectors.
    """
    import numpy as np

    try:
        made: NDArray[np.float32] = np.asarray(embedder.embed(texts), np.float32)
        expected = len(texts), embedder.dimension
    except EmbedderError:
        raise
    except Exception as error:
        msg = f"model '{embedder.name}' failed: {type(error).__name__}: {error}"
        raise EmbedderError(msg) from error
    if made.shape != expected:
        msg = f"model '{embedder.name}' gave numbers of shape {made.shape}, and not {expected}"
        raise EmbedderError(msg)
    lengths = np.sqrt((made.astype(np.float64) ** 2).sum(axis=1))
    if not ((np.abs(lengths - 1) < _OFF) | (lengths == 0)).all():  # a text without a word is 0
        msg = f"model '{embedder.name}' gave vectors whose length is not 1"
        raise EmbedderError(msg)
    return made


def _kind(dimension: int) -> np.dtype[np.void]:
    """Return what a row of the file is."""
    import numpy as np

    return np.dtype([("key", f"V{_KEY}"), ("sum", "<u4"), ("vector", "<f4", (dimension,))])


def _sums(vectors: NDArray[np.float32]) -> NDArray[np.uint32]:
    """Return for each vector a number that is another when a bit of it is."""
    import numpy as np

    sums: NDArray[np.uint32] = vectors.view(np.uint32).sum(axis=1, dtype=np.uint32)
    return sums + np.uint32(1)  # so that zeros, of which a lost block is full, are no row


def _unpacked(path: Path, limit: int) -> tuple[dict[bytes, NDArray[np.float32]], int]:
    """Return the rows of a file that are whole, and how many are not."""
    import numpy as np

    with path.open("rb") as file:  # once: between two times it may be replaced
        if os.fstat(file.fileno()).st_size > limit:
            msg = f"it holds more than {limit:,} bytes, which ours never does"
            raise ValueError(msg)
        table = _mapped(file)
    if table.ndim != 1 or table.dtype != _kind((table.dtype["vector"].shape or (0,))[0]):
        msg = "it is no file of this version of mkdocs-recall"
        raise ValueError(msg)
    keys = table["key"].tobytes()
    vectors = table["vector"].view(np.ndarray)
    squares = np.einsum("ij,ij->i", vectors, vectors)  # which makes no copy of them
    are_vectors = (np.abs(squares - 1) < _OFF) | (squares == 0)
    whole = (are_vectors & (_sums(vectors) == table["sum"])).tolist()
    rows = {
        keys[number * _KEY : (number + 1) * _KEY]: row
        for number, row in enumerate(vectors)
        if whole[number]
    }
    return rows, whole.count(False)


def _mapped(file: BinaryIO) -> NDArray[np.void]:
    """Return the array in a file, mapped into memory where a file that is can be replaced."""
    import numpy as np

    if os.name == "nt":
        return np.load(file, allow_pickle=False)  # type: ignore[no-any-return]
    np.lib.format.read_magic(file)
    shape, _, kind = np.lib.format.read_array_header_1_0(file)
    return np.memmap(file, kind, "r", file.tell(), shape)


def _shrink(path: Path, limit: int) -> None:
    """Delete the vectors of other models, the oldest first, as long as there are too many."""
    others = [each for each in path.parent.glob(OURS) if each != path]
    sizes = {each: each.stat().st_size for each in (path, *others)}
    for each in sorted(others, key=lambda other: (other.stat().st_mtime_ns, other.name)):
        if sum(sizes.values()) > limit:
            each.unlink()
            del sizes[each]
