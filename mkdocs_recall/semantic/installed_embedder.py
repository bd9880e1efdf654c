"""The embedder that an installed package provides, checked: any fault is an EmbedderError."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from mkdocs_recall.errors import EmbedderError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from importlib.metadata import EntryPoint
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray


class InstalledEmbedder:
    """The embedder of an installed package, checked; it raises an EmbedderError for any fault."""

    def __init__(self, model: str, embedder: Any) -> None:  # noqa: ANN401 - whatever the package returns
        """Take the object that the package has returned."""
        self._model = model
        self._embedder = embedder
        self.name: str = self._attribute("name", str)
        _ = self.fingerprint, self.default_min_similarity, self._attribute("embed", Callable)

    @property
    def dimension(self) -> int:
        """The dimension that it states."""
        return int(self._attribute("dimension", Integral))

    @property
    def fingerprint(self) -> str:
        """The fingerprint that it states."""
        return str(self._attribute("fingerprint", str))

    @property
    def default_min_similarity(self) -> float:
        """The similarity that it states."""
        similarity = float(self._attribute("default_min_similarity", Real))
        if not -1 <= similarity <= 1:
            fault = f"its 'default_min_similarity' is {similarity}"
            msg = f"model '{self._model}' is not an embedder: {fault}"
            raise EmbedderError(msg)
        return similarity

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return its vectors of some texts; `vectors` checks them."""
        rows: NDArray[np.float32] = self._embedder.embed(texts)
        return rows

    def embed_alone(self, text: str) -> NDArray[np.float32]:
        """Return its vector of a text; `vectors` checks it."""
        return self.embed([text])

    def _attribute(self, name: str, kind: Any) -> Any:  # noqa: ANN401
        with _embedder_errors(self._model):
            value = getattr(self._embedder, name)
        if not isinstance(value, kind):
            msg = (
                f"model '{self._model}' is not an embedder: its '{name}' is {type(value).__name__}"
            )
            raise EmbedderError(msg)
        return value


def installed_embedder(entry: EntryPoint, model: str, root: Path) -> InstalledEmbedder:
    """Return the embedder of an installed package.

    Args:
        model: The value of the option `model`.
        root: The folder from which a relative path starts: that of mkdocs.yml.
    """
    with _embedder_errors(model):
        embedder: Any = entry.load()(model.partition(":")[2], root)
    return InstalledEmbedder(model, embedder)


@contextmanager
def _embedder_errors(model: str) -> Iterator[None]:
    """Raise an EmbedderError for whatever a package raises."""
    try:
        yield
    except EmbedderError:
        raise
    except Exception as error:
        msg = f"model '{model}' cannot be had: {type(error).__name__}: {error}"
        raise EmbedderError(msg) from error
