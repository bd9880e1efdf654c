"""An MkDocs hook: the CPU time that a build spends in the events of mkdocs-recall.

It imports nothing of ours, since MkDocs loads it as a file. Only `on_startup` is over before it can
begin; the plugin's import is not an event, either.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.plugins import event_priority

if TYPE_CHECKING:
    from collections.abc import Callable

    from mkdocs.config.defaults import MkDocsConfig

_calls: list[float] = []  # CPU seconds of each


def _timed(method: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: object, **kwargs: object) -> object:
        start = time.process_time()
        try:
            return method(*args, **kwargs)
        finally:
            _calls.append(time.process_time() - start)

    return call


@event_priority(1000)  # before the plugin's own `on_config`
def on_config(config: MkDocsConfig) -> None:
    """Time each of the plugin's methods."""
    for methods in config.plugins.events.values():
        for number, method in enumerate(methods):
            if type(getattr(method, "__self__", None)).__module__.startswith("mkdocs_recall."):
                methods[number] = _timed(method)


@event_priority(-1000)  # after all
def on_shutdown() -> None:
    """Write the times, and the CPU time of the whole process, in the build's folder."""
    measured = {"plugin": sum(_calls), "process": time.process_time()}
    Path("inside.json").write_text(json.dumps(measured), encoding="utf-8")
