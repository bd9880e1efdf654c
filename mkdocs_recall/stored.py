"""Values as bytes for the cache and for published files, and back.

A type says what the bytes may hold, down to each value. Whoever reads them may have them from
anywhere, so bytes of another shape are refused, and nothing is made but values of that type. The
cache has MessagePack; published files, and the documents in both, are JSON. Lone surrogates, which
no file holds, and numbers of more than 64 bits are not cached.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, TypeVar

import msgspec

_T = TypeVar("_T")
_decoder: Final[Any] = cache(msgspec.msgpack.Decoder)
_json_decoder: Final[Any] = cache(msgspec.json.Decoder)
MISSHAPEN: Final = msgspec.MsgspecError, ValueError, RecursionError
"""What decoding bytes of another shape raises."""


def pack(value: object) -> bytes:
    """Return a value as bytes; empty if they cannot hold it, so that it is not cached."""
    try:
        return msgspec.msgpack.encode(value)
    except (UnicodeEncodeError, OverflowError):
        return b""


def unpack(kind: type[_T], packed: bytes | None) -> _T | None:
    """Return the value that `pack` has packed; None for anything else."""
    try:
        value: _T = _decoder(kind).decode(packed or b"")
    except MISSHAPEN:
        return None
    return value


def pack_json(value: object) -> bytes:
    """Return a value as JSON in UTF-8; empty if that cannot hold it."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return b""


def unpack_json(kind: type[_T], packed: bytes) -> _T:
    """Return a value from JSON; another shape raises one of `MISSHAPEN`."""
    value: _T = _json_decoder(kind).decode(packed)
    return value
