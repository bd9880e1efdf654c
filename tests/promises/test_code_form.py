"""The form of the code that `CONTRIBUTING.md` promises, as far as no linter checks it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "mkdocs_recall"
MODULES = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}


def test_each_class_has_a_name_of_its_own() -> None:
    """Whoever reads a name knows which class is meant, in whatever room."""
    names = Counter(
        name
        for text in MODULES.values()
        for name in re.findall(r"^ *class (\w+)[(:]", text, re.MULTILINE)
    )
    assert len(names) > 100
    assert [name for name, count in names.items() if count > 1] == []
