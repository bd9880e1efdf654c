"""How much is read of what a site holds, and quoted, so that no page can hold up all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Limits:
    """What is read and quoted at most; the names are those of the setting `limits` in `mkdocs.yml`.

    Example:
        >>> from mkdocs_recall import Corpus, Limits
        >>> page = "A session expires after a day. Tokens live for an hour."
        >>> corpus = Corpus.from_markdown({"a.md": page}, limits=Limits(page_size=33))
        >>> [sentence.text for block in corpus.documents[0].blocks for sentence in block.sentences]
        ['A session expires after a day.']
    """

    page_size: int = 10_000_000
    """Characters of rendered HTML that are read of one page; what stands behind is not quoted."""
    directives: int = 1_000
    """Directives on one page; those behind are not answered."""
    directive_size: int = 100_000
    """Characters between the lines that open and close a directive."""
    list_length: int = 200
    """Entries of a list in a directive: of queries, sources, expectations."""
    sentences: int = 1_000
    """What `max_sentences` and `context` of a directive may be at most."""


def curtailment(page: str) -> str:
    """Say that not all of a page is read, and what to do."""
    return (
        f"{page}: only the start of this page is read, for it is longer than 'limits.page_size' "
        "allows; make several pages of it, or raise the limit"
    )


LIMITS: Final = Limits()
"""Those that hold where none are stated."""


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
