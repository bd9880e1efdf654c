"""An MkDocs site → its pages, rendered on first need without building it."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs_recall.errors import SiteError
from mkdocs_recall.pages import collect, page_order
from mkdocs_recall.rendered import read_page

if TYPE_CHECKING:
    from os import PathLike

    from mkdocs.structure.files import File

    from mkdocs_recall.collection import Collection
    from mkdocs_recall.text.model import Document


def read_site(config_file: str | PathLike[str]) -> Collection:
    """Return the pages of a site, rendered on first need with the site's Markdown extensions.

    Plugins and hooks are not loaded, so that nothing of the site's own code runs.

    Args:
        config_file: The site's `mkdocs.yml`.

    Raises:
        SiteError: There is no such file, or MkDocs cannot read it.
    """
    from mkdocs.config import load_config  # noqa: PLC0415 - MkDocs is needed only for sites
    from mkdocs.exceptions import MkDocsException  # noqa: PLC0415
    from mkdocs.structure.files import get_files, set_exclusions  # noqa: PLC0415
    from mkdocs.structure.nav import get_navigation  # noqa: PLC0415
    from mkdocs.structure.pages import Page  # noqa: PLC0415

    path = Path(config_file)
    if not path.is_file():
        msg = f"there is no '{path}'; name the site's mkdocs.yml"
        raise SiteError(msg)
    reasons = _Reasons()
    try:
        config = load_config(str(path), plugins=[], hooks=[])
        files = get_files(config)
        set_exclusions(files, config)
        nav = get_navigation(files, config)
    except (MkDocsException, SystemExit) as error:
        msg = f"MkDocs cannot read '{path}': {'; '.join(reasons.messages) or error}"
        raise SiteError(msg) from error
    finally:
        reasons.close()
    order = page_order(files, nav)
    for file in order:
        page = file.page or Page(None, file, config)
        try:
            page.read_source(config)
        except (OSError, ValueError) as error:
            msg = f"MkDocs cannot read '{file.src_uri}': {error}"
            raise SiteError(msg) from error

    def load(file: File) -> Document:
        page = file.page
        assert page is not None
        page.render(config, files)
        return read_page(page, config, with_lines=True)

    return collect(files, order, load)


class _Reasons(logging.Handler):
    """Keeps what MkDocs logs as errors; its warnings are those of a build, and this is none."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []
        self._log = logging.getLogger("mkdocs")
        self._propagated = self._log.propagate
        self._log.propagate = False
        self._log.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a message."""
        self.messages.append(record.getMessage())

    def close(self) -> None:
        """Let MkDocs log as before."""
        self._log.removeHandler(self)
        self._log.propagate = self._propagated
        super().close()
