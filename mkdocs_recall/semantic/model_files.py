"""The files of a model, checked before anything in their folder is loaded.

A model is data. Libraries that load one may run code that lies beside it, or that a pickle names;
a folder with such code is refused. To load the model is left to `embedders`.
"""

from __future__ import annotations

import json
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_SUFFIXES: Final = frozenset({".json", ".model", ".onnx", ".safetensors", ".txt"})
"""The suffixes of files that the vectors of a model depend on."""
_CHUNK: Final = 1 << 20
"""Bytes of a file that are read at once."""
_NAMING: Final = ("modules.json", "config.json", "router_config.json", "wordembedding_config.json")
"""The files that name classes: those of a model, and of each of its parts in its own folder."""
_UNREADABLE: Final = (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError)
_LIBRARIES: Final = ("sentence_transformers.", "torch.nn.")
_PICKLES: Final = ("pytorch_model*.bin", "*.pt", "*.pth", "*.pkl", "*.ckpt")


def package_folder(package: str) -> Path | None:
    """Return the folder of an installed package, which is not imported; None without one."""
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
    """Return what code besides that of its libraries a model would run; an empty text for none.

    Its files name the classes of its parts. Before version 6, sentence-transformers imports and
    calls any class that they name.
    """
    for path in (path for name in _NAMING for path in sorted(folder.rglob(name))):
        try:
            settings = json.loads(path.read_bytes())
            is_list = isinstance(settings, list)
            classes = list(map(str, _modules(settings) if is_list else _classes(settings)))
        except _UNREADABLE as error:
            return f"its {path.relative_to(folder).as_posix()} cannot be read: {error}"
        foreign = [name for name in classes if not name.startswith(_LIBRARIES)]
        if foreign:
            return f"it would run code of its own, which is not done: {foreign[0]}"
    return ""


def _modules(parts: list[Any]) -> list[object]:
    """Return the classes of the parts of a model."""
    for place in (Path(part.get("path", "")) for part in parts):
        if place.is_absolute() or ".." in place.parts:
            msg = f"'{place}' lies outside of it"
            raise ValueError(msg)
    return [part["type"] for part in parts]


def _classes(settings: Any) -> list[object]:  # noqa: ANN401 - any JSON
    """Return the classes that the settings of a part name, each with its module."""
    single = (settings.get(name) for name in ("activation_function", "tokenizer_class"))
    return [*settings.get("types", {}).values(), *(name for name in single if "." in str(name))]


def model_file_digests(folder: Path) -> Iterator[str]:
    """Yield the names and digests of the files that the vectors of a model depend on."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in _SUFFIXES and path.is_file():
            yield path.relative_to(folder).as_posix()
            yield _digest(path)


def _digest(path: Path) -> str:
    """Return the digest of a file, without holding all of it in memory."""
    content = sha256()
    with path.open("rb", buffering=0) as file:
        while chunk := file.read(_CHUNK):
            content.update(chunk)
    return content.hexdigest()
