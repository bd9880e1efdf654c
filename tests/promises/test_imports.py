"""A run imports only what it uses: that is why imports are inside functions."""

from __future__ import annotations

import subprocess
import sys

import pytest

HELP = """
from click import Context
from mkdocs_recall.cli.group import group
group.get_help(Context(group))
"""
STATED = """
from mkdocs_recall.hosts.config import RecallConfig
config = RecallConfig()
config.load_dict({})
config.validate()
"""
SKIPPED = """
from mkdocs_recall.cli.main import main
try:
    main(["recall", "ok"])
except SystemExit:
    pass
"""
NEAR = """
from mkdocs_recall.directives.fences import find_near_misses
find_near_misses("```yaml\\nsource: a\\n```\\n\\n```recal\\na: b\\n```\\n\\n<!-- recall:0a -->\\n")
"""
NO_PAGES = "mkdocs[.]|yaml|sqlite3|markdown|regex|selectolax|sentencex|mcp"
LATER = {
    "import mkdocs_recall": "mkdocs_recall.",
    # a site without a directive pays for no more than this
    "import mkdocs_recall.hosts.plugin": (
        "mkdocs_recall.(store|pages.corpus|index|options|ranking|directives.catalog)"
    ),
    # … whose configuration states no option
    STATED: "mkdocs_recall.(directives|pages.published|text.(document|language))",
    # a warm build reads no page and scores no sentence, also where others write copies of pages
    "import mkdocs_recall.hosts.build, mkdocs_recall.hosts.copies": (
        "mkdocs_recall.(options|text.(html|language|runs|sentences)|answers.(answer|html|lock)"
        "|ranking)"
    ),
    # … nor does it check an option because a page has YAML in it
    NEAR: "mkdocs_recall.directives.(catalog|options)",
    HELP: f"mkdocs_recall.(pages.corpus|ranking.(recall|coverage)|hosts)|{NO_PAGES}",
    SKIPPED: NO_PAGES,
    "from mkdocs_recall import Corpus; Corpus.from_markdown({'a.md': 'A b c.'}).recall('a b c')": (
        "mkdocs[.]|numpy|mkdocs_recall.(factors.embedders|git|pages.cluster)"
        "|mkdocs_recall.ranking.(budget|reranking|semantic|synopsis)"
    ),
    # a cluster is asked by those alone who name one
    "from mkdocs_recall.pages import corpus, published; from mkdocs_recall.cli import ask": (
        "dask|distributed|mkdocs_recall.pages.cluster"
    ),
}


@pytest.mark.parametrize("code", LATER)
def test_late_imports_are_not_done_at_once(code: str) -> None:
    report = (
        "import re, sys\n"
        f"{code}\n"
        f"print([name for name in sys.modules if re.match({LATER[code]!r}, name)])"
    )
    run = subprocess.run(  # noqa: S603 - our own interpreter and text
        [sys.executable, "-c", report], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"
