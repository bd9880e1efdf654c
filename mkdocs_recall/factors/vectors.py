"""The vectors of texts, cached on disk: a text is embedded once, and only then is a model loaded.

They have their own files, so that vectors and pages do not evict each other.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from mkdocs_recall.errors import EmbedderError
from mkdocs_recall.store import Cache, digest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from mkdocs_recall.options import Embedder


try:
    import numpy as np
except ImportError:  # numpy comes with the extras
    np = None  # type: ignore[assignment]  # unused without vectors

DIGITS: Final = 4
"""The digits of a cosine: machines and library versions differ by less than a millionth."""
_ALONE: Final = "alone"
_TOLERANCE: Final = 1e-3
"""The tolerance for the length of a vector, which is 1."""
_BATCH: Final = 4096


class Vectors:
    """The vectors of texts by one embedder; thread-safe."""

    def __init__(self, embedder: Embedder, folder: Path | None) -> None:
        if np is None:
            msg = f"model '{embedder.name}': numpy is not installed: pip install numpy"
            raise EmbedderError(msg)
        self._embedder = embedder
        self._cache = Cache(folder, name="vectors")
        self._model = digest(embedder.name, embedder.fingerprint)
        self._rows: dict[bytes, NDArray[np.float32]] = {}
        self._lock = Lock()
        self._last: tuple[Sequence[str], NDArray[np.float32]] | None = None

    @property
    def notice(self) -> str:
        """Why the file could not be read or written; empty if it could."""
        return self._cache.notice

    def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of some texts, (n, d), each embedded once."""
        if not texts:
            return np.zeros((0, self._embedder.dimension), np.float32)
        return self._of([digest(self._model, text) for text in texts], texts, self._embedder.embed)

    def alone(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a text that is embedded by itself, (d,): a query, or a section.

        Its last bits may differ from those in a batch, so it is cached separately.
        """
        key = digest(self._model, _ALONE, text)
        rows = self._of([key], [text], lambda texts: self._embedder.embed_alone(texts[0]))
        row: NDArray[np.float32] = rows[0]
        return row

    def _of(
        self,
        keys: Sequence[bytes],
        texts: Sequence[str],
        embed: Callable[[Sequence[str]], NDArray[np.float32]],
    ) -> NDArray[np.float32]:
        texts_by_key = dict(zip(keys, texts, strict=True))
        with self._lock:
            if unread := [key for key in texts_by_key if key not in self._rows]:
                self._rows |= _unpack(self._cache.get_many(unread))
            while missing := [key for key in texts_by_key if key not in self._rows]:
                self._embed({key: texts_by_key[key] for key in missing}, embed)
            return np.concatenate([self._rows[key] for key in keys]).reshape(len(keys), -1)

    def cosines(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the cosines of some texts with a query, from -1 to 1."""
        vector = self.alone(query).astype(np.float64)
        rows = self._rows_of(texts)
        batches = (rows[start : start + _BATCH] for start in range(0, len(rows), _BATCH))
        return [cosine for batch in batches for cosine in _cosines(vector, batch)]

    def cosine(self, query: str, text: str) -> float:
        """Return the cosine of one text with a query, both embedded alone."""
        return _cosines(self.alone(query).astype(np.float64), self.alone(text)[np.newaxis])[0]

    def _rows_of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of some texts; those of the last tuple are kept."""
        if self._last is not None and self._last[0] == texts:
            return self._last[1]
        rows = self.of(texts)
        if isinstance(texts, tuple):
            self._last = texts, rows
        return rows

    def save(self) -> None:
        """Write new vectors, and close the file."""
        with self._lock:
            self._cache.save()

    def _embed(
        self, missing: Mapping[bytes, str], embed: Callable[[Sequence[str]], NDArray[np.float32]]
    ) -> None:
        name = self._embedder.name
        try:
            vectors = np.asarray(embed([*missing.values()]), np.float32)
            expected = len(missing), self._embedder.dimension
        except EmbedderError:
            raise
        except Exception as error:
            msg = f"model '{name}' failed: {type(error).__name__}: {error}"
            raise EmbedderError(msg) from error
        if vectors.shape != expected:
            msg = f"model '{name}' returned an array of shape {vectors.shape}, not {expected}"
            raise EmbedderError(msg)
        lengths = np.sqrt((vectors.astype(np.float64) ** 2).sum(axis=1))
        if not ((np.abs(lengths - 1) < _TOLERANCE) | (lengths == 0)).all():  # 0 without a word
            raise EmbedderError(f"model '{name}' returned vectors whose length is not 1")
        if self._rows and len(next(iter(self._rows.values()))) != expected[1]:
            self._rows = {}  # from another model, despite the fingerprint
        for key, vector in zip(missing, vectors, strict=True):
            self._rows[key] = vector
            self._cache.put(key, vector.tobytes())


def _cosines(query: NDArray[np.float64], rows: NDArray[np.floating[Any]]) -> list[float]:
    # A sum per row: the last digits of a matrix product depend on the number of rows.
    cosines: list[float] = (
        np.clip(np.round((rows * query).sum(axis=1), DIGITS), -1, 1) + 0.0  # no -0.0
    ).tolist()
    return cosines


def _unpack(values: Mapping[bytes, bytes]) -> dict[bytes, NDArray[np.float32]]:
    """Return vectors from the cache, checked since others may write there."""
    size = len(next(iter(values.values()), b""))
    keys = [key for key, value in values.items() if len(value) == size]
    if not keys or size % 4:
        return {}
    rows = np.frombuffer(b"".join(values[key] for key in keys), "<f4").reshape(len(keys), -1)
    squares = np.einsum("ij,ij->i", rows, rows)  # without copying the vectors
    are_vectors = ((np.abs(squares - 1) < _TOLERANCE) | (squares == 0)).tolist()
    return {key: row for key, row, fits in zip(keys, rows, are_vectors, strict=True) if fits}
