"""A hook of this site: the version of the package stands in the footer of each page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mkdocs_recall import __version__

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig


def on_config(config: MkDocsConfig) -> None:
    """Write the version where the theme shows a copyright notice."""
    config.copyright = f"mkdocs-recall {__version__}"
