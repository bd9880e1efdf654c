"""Why MkDocs could not do what it was asked: it says so in its log alone."""

from __future__ import annotations

import logging


class Reasons(logging.Handler):
    """Keeps what MkDocs logs as errors; its warnings are those of a build, and this is none."""

    def __init__(self) -> None:
        """Listen from now on."""
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
