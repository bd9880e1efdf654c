"""An MkDocs hook: the CPU time that a build spends in the events of mkdocs-recall.

It stands alone, since MkDocs loads it as a file. Only `on_startup` is over before it can begin; the
plugin's import is not an event, either (`parts.py` measures that). With `extra: {clocked: NAME}` it
is the time in another plugin, or in the snippets of PyMdown Extensions.
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

_calls: dict[str, list[float]] = {}
"""CPU seconds of each call, by event."""
_file = Path("inside.json")
_SNIPPETS = "pymdownx.snippets"


def _timed(method: Callable[..., Any], seconds: list[float]) -> Callable[..., Any]:
    def call(*args: object, **kwargs: object) -> object:
        start = time.process_time()
        try:
            return method(*args, **kwargs)
        finally:
            seconds.append(time.process_time() - start)

    return call


@event_priority(1000)  # before the plugin's own `on_config`
def on_config(config: MkDocsConfig) -> None:
    """Put a clock around each of the plugin's methods."""
    global _file  # noqa: PLW0603 - `on_shutdown` is told nothing
    clocked = config.extra.get("clocked", "mkdocs_recall")
    _file = Path(config.config_file_path).with_name("inside.json")
    for event, methods in config.plugins.events.items():
        for number, method in enumerate(methods):
            owner = type(getattr(method, "__self__", None))
            if f"{owner.__module__}.".startswith(f"{clocked}."):
                methods[number] = _timed(method, _calls.setdefault(event, []))
    if clocked == _SNIPPETS:
        from pymdownx.snippets import SnippetPreprocessor  # type: ignore[import-untyped]

        timed = _timed(SnippetPreprocessor.run, _calls.setdefault("preprocessor", []))
        SnippetPreprocessor.run = timed


@event_priority(-1000)  # after all
def on_shutdown() -> None:
    """Write what was measured, and the CPU time of the whole process."""
    events = {event: sum(seconds) for event, seconds in _calls.items() if seconds}
    measured = {"events": events, "process": time.process_time()}
    _file.write_text(json.dumps(measured), encoding="utf-8")
