"""The garbage collector, and how to do without it for a while."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the garbage collector, which would go through all of MkDocs' pages again and again.

    Nothing that is made meanwhile holds itself, so that all of it is freed without the collector.
    """
    if not gc.isenabled():
        yield
        return
    try:
        gc.disable()
        yield
    finally:  # whoever pauses it resumes it, or two threads could leave it off for ever
        gc.enable()
