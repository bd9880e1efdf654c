"""The nearest configuration of a site: in a folder, or in one above it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from mkdocs_recall.errors import SiteError
from mkdocs_recall.readers.mkdocs_yml import config_in

if TYPE_CHECKING:
    from pathlib import Path


def nearest_config(here: Path) -> Path | None:
    """Return the configuration in a folder, or in the nearest one above it; None for none."""
    return next(filter(None, map(config_in, (here, *here.parents))), None)


def check_owner(config: Path, here: Path) -> None:
    """Refuse a `mkdocs.yml` that no option names and a stranger owns: MkDocs runs code it names."""
    if sys.platform != "win32" and config.stat().st_uid not in {
        os.geteuid(),
        here.stat().st_uid,
        0,
    }:
        msg = f"'{config}' belongs to another user; if you trust it, name it with --config"
        raise SiteError(msg)
