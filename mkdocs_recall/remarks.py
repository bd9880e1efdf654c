"""What there is to say of all answers together, beside each answer's own diagnostics."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Remarks:
    """What was said so far; each text once."""

    warnings: list[str] = field(default_factory=list)
    """What an author should mend."""
    notices: list[str] = field(default_factory=list)
    """What an author should know."""

    def warn(self, text: str) -> None:
        """Say what an author should mend."""
        if text not in self.warnings:
            self.warnings.append(text)

    def note(self, text: str) -> None:
        """Say what an author should know."""
        if text not in self.notices:
            self.notices.append(text)

    @property
    def all(self) -> tuple[str, ...]:
        """Both, warnings first."""
        return (*self.warnings, *self.notices)
