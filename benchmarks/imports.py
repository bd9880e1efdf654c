"""What the plugin's imports cost, in a fresh interpreter each time."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile

from benchmarks.process import environment

_STAGES = {
    "MkDocs": (
        *("mkdocs.__main__", "mkdocs.commands.build", "mkdocs.config.defaults"),
        *("mkdocs.contrib.search", "markdown.extensions.toc", "pymdownx.superfences"),
    ),
    "plugin": ("mkdocs_recall.plugin.plugin",),
    "directive": ("mkdocs_recall.plugin.build",),
    "answer": (
        *("mkdocs_recall.directives.parser", "mkdocs_recall.directives.schema"),
        *(
            "mkdocs_recall.readers.mkdocs_pages",
            "mkdocs_recall.corpus.corpus",
            "mkdocs_recall.answers.answer",
        ),
        "mkdocs_recall.text.packing",
    ),
}
"""What a build imports, in this order: always, for the first directive, for the first answer."""
_PROGRAM = """
import importlib, json, sys, time
seconds = {}
for stage, modules in json.loads(sys.argv[1]).items():
    start = time.process_time()
    for module in modules:
        importlib.import_module(module)
    seconds[stage] = time.process_time() - start
print(json.dumps(seconds))
"""


def with_bytecode() -> dict[str, float]:
    """Return the CPU seconds of each stage, when all modules are compiled."""
    _stages(environment())  # compiles them
    return _stages(environment())


def without_bytecode() -> dict[str, float]:
    """Return the CPU seconds of each stage, when no module is, MkDocs' neither."""
    with tempfile.TemporaryDirectory() as empty:
        nowhere = {"PYTHONPYCACHEPREFIX": empty, "PYTHONDONTWRITEBYTECODE": "1"}
        return _stages({**environment(), **nowhere})


def _stages(env: dict[str, str]) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, json.dumps(_STAGES)],
        check=True,
        capture_output=True,
        env=env,
    )
    return {stage: float(seconds) for stage, seconds in json.loads(done.stdout).items()}
