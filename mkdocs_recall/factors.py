"""What may count beside words when a query is answered, and how much; off by default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Mode: TypeAlias = Literal["supplement", "blend"]
"""Whether meaning is asked where words find too little, or counts in every score."""
CommitDate: TypeAlias = Literal["committer", "author"]
"""Which date of a commit counts: when it was put where it is, or when it was written."""
Enrich: TypeAlias = Literal[False, "serve", "always"]
"""When what is embedded says which files were touched last."""

MODES: Final[tuple[Mode, ...]] = ("supplement", "blend")
COMMIT_DATES: Final[tuple[CommitDate, ...]] = ("committer", "author")
ENRICH: Final[tuple[Enrich, ...]] = (False, "serve", "always")


@dataclass(frozen=True, slots=True)
class Semantic:
    """How meaning counts; the names are those of the option `semantic`.

    Example:
        >>> from mkdocs_recall import Corpus, Semantic
        >>> corpus = Corpus.from_markdown({"a.md": "A session expires after a day."})
        >>> asked = Semantic(model="transformers:models/none")  # it needs not be there
        >>> result = corpus.recall("session expires", semantic=asked)
        >>> result.passages[0].found_by, len(result.diagnostics)
        ('lexical', 1)
    """

    min_lexical_score: float = 0.35
    """`supplement`: a query whose best `coverage` score is under this is asked by meaning, too."""
    min_relevance_score: float = 70.0
    """`supplement`: pages under this quality, from 0 to 100, are not asked: see `quality`."""
    min_similarity: float | None = None
    """The least cosine of what is found by meaning; None for the model's own."""
    limit: int = 5
    """`supplement`: how many passages are appended at most."""
    model: str = "transformers"
    """An embedder by name, with its argument behind a colon: `static:models/potion`."""
    mode: Mode = "supplement"


@dataclass(frozen=True, slots=True)
class Temporal:
    r"""How time counts; the names are those of the option `temporal`.

    Example:
        >>> from mkdocs_recall import Corpus, Temporal
        >>> old = "---\nt_created: 2020-01-01\n---\nA session expires after a day."
        >>> new = "---\nt_created: 2026-01-01\n---\nA session expires after an hour."
        >>> corpus = Corpus.from_markdown({"old.md": old, "new.md": new})
        >>> asked = Temporal(now="2026-01-02")
        >>> corpus.recall("session expires", temporal=asked, max_sentences=1).passages[0].uri
        'new.md'
    """

    tau_days: float = 21.0
    """After how many days a commit counts 1/e of what it did."""
    cooldown_hours: float = 24.0
    """A commit that another one follows within this time counts as part of a burst …"""
    burst_discount: float = 0.2
    """… and is worth this share of one by itself."""
    k: float = 0.35
    """How much all commits together weigh."""
    commit_date: CommitDate = "committer"
    now: str = ""
    """A date in ISO 8601; empty for `SOURCE_DATE_EPOCH`, else the date of git's HEAD."""
