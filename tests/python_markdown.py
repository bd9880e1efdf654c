"""The extensions of Python-Markdown that documentation commonly uses."""

from __future__ import annotations

from typing import Any

DEFAULT_EXTENSIONS: tuple[str, ...] = (
    *("abbr", "admonition", "attr_list", "def_list", "footnotes", "md_in_html", "tables", "toc"),
    *("pymdownx.arithmatex", "pymdownx.betterem", "pymdownx.caret", "pymdownx.critic"),
    *("pymdownx.details", "pymdownx.emoji", "pymdownx.highlight", "pymdownx.inlinehilite"),
    *("pymdownx.keys", "pymdownx.mark", "pymdownx.superfences", "pymdownx.tabbed"),
    *("pymdownx.tasklist", "pymdownx.tilde", "pymdownx.blocks.admonition"),
    *("pymdownx.blocks.caption", "pymdownx.blocks.details", "pymdownx.blocks.tab"),
)

_ADMONITIONS = (
    *("note", "abstract", "info", "tip", "success", "question", "warning", "failure", "danger"),
    *("bug", "example", "quote", "attention", "caution", "error", "hint", "important", "check"),
)
DEFAULT_CONFIGS: dict[str, dict[str, Any]] = {
    "pymdownx.arithmatex": {"generic": True},
    "pymdownx.critic": {"mode": "view"},
    "pymdownx.highlight": {"use_pygments": False},
    "pymdownx.tabbed": {"alternate_style": True},
    "pymdownx.blocks.admonition": {"types": list(_ADMONITIONS)},
}
"""Settings for `DEFAULT_EXTENSIONS`. Code needs no colours, since only its text is read."""
