"""The options of a recall and of a synopsis, and the limits of a site.

This is the single list of names, types, defaults and bounds. `directives.options` makes one of
these objects for any fence, command, agent's tool or Python call, and passes it on to `ranking`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Final,
    Literal,
    Protocol,
    TypeAlias,
    TypedDict,
    get_args,
)
from urllib.parse import unquote

from mkdocs_recall.errors import OptionError
from mkdocs_recall.limits import (
    LIMITS as LIMITS,
    MOST as MOST,
    Bounds as Bounds,
    Limits as Limits,
    bounded,
)
from mkdocs_recall.messages import kind_of, quoted_hint, shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Unit: TypeAlias = Literal["prose", "list", "table", "definition", "admonition", "code"]
"""The kinds of quotable text: sentences of running text, list items, definitions or admonitions;
table rows; code blocks."""
ScorerName: TypeAlias = Literal["structure", "coverage", "overlap", "bm25"]
AlgorithmName: TypeAlias = Literal["edmundson", "lead", "frequency", "luhn", "textrank"]
ContextName: TypeAlias = Literal["auto", "block", "section"]
"""How much of a place is quoted: what makes it an answer, its block, or its section."""
OnEmpty: TypeAlias = Literal["warn", "synopsis", "omit", "error"]
"""What happens when no sentence answers a query."""
Format: TypeAlias = Literal["blockquote", "list", "admonition", "plain"]
TrivialQuery: TypeAlias = Literal["allow", "warn", "skip"]
"""What happens to a query that asks for nothing: see `ranking.trivial`."""
Mode: TypeAlias = Literal["supplement", "blend", "gate"]
"""Whether meaning supplements what words find, also reorders it, or only decides whether there is
an answer."""
CommitDate: TypeAlias = Literal["committer", "author"]
"""Which date of a commit counts: when it was applied, or when it was written."""
Enrich: TypeAlias = Literal[False, "serve", "always"]
"""When the embedded query names the most recently edited files."""
LockMode: TypeAlias = Literal["off", "warn", "enforce"]
"""What a build does with the approved answers in `recall.lock`."""
Slugs: TypeAlias = Literal["github", "mkdocs"]
"""Whose anchors a link in Markdown has: those on GitHub or on the site."""
TokenCounter: TypeAlias = Callable[[str], int]
"""Returns how many tokens a text has, 0 or more."""

UNITS: Final[tuple[Unit, ...]] = get_args(Unit)
DEFAULT_UNITS: Final = tuple(unit for unit in UNITS if unit != "code")
"""All units except code, which is unexpected among sentences."""
SLUGS: Final[tuple[Slugs, ...]] = get_args(Slugs)
DEFAULT_SCORER: Final = "structure"
ALGORITHM_NAMES: Final[tuple[AlgorithmName, ...]] = get_args(AlgorithmName)
DEFAULT_MAX_SENTENCES: Final = 3
_FEW_TOKENS: Final = 8
"""The least tokens of most passages."""
CONTEXTS: Final[tuple[ContextName, ...]] = get_args(ContextName)
FORMATS: Final[tuple[Format, ...]] = get_args(Format)
MODES: Final[tuple[Mode, ...]] = get_args(Mode)
LOCK_MODES: Final[tuple[LockMode, ...]] = get_args(LockMode)
ENRICH: Final[tuple[Enrich, ...]] = get_args(Enrich)

EMBEDM_DEFAULTS: Final[Mapping[str, object]] = {"context": 0}
"""The defaults of a fence written for embedm, which quotes lone sentences."""
GATE: Final = 0.3
"""The default gate of the mode `gate`; `ranking.reranking` has its source."""


@dataclass(frozen=True, slots=True)
class Query:
    """One question.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> corpus = Corpus.from_markdown({"a.md": "Mail needs a port. A token needs a name."})
        >>> queries = [Query("mail port"), Query("token name", weight=2)]
        >>> corpus.recall(queries, max_sentences=1, context=0).passages[0].text
        'A token needs a name.'
    """

    text: str
    weight: float = 1.0
    """Its weight among several queries; greater than 0."""

    def __post_init__(self) -> None:
        text: object = self.text
        if not isinstance(text, str):
            raise OptionError(f"'query' must be text, not {kind_of(text)}{quoted_hint(text)}")
        weight: object = self.weight
        if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not weight > 0:
            raise OptionError(f"'weight' must be a number greater than 0, got {shown(weight)}")
        if weight >= MOST:
            raise OptionError("'weight' must be less than a billion")


class Embedder(Protocol):
    """Turns texts into vectors; the closer two texts in meaning, the greater their cosine."""

    @property
    def name(self) -> str:
        """The name of the kind of embedder, for messages."""

    @property
    def dimension(self) -> int:
        """How many numbers a vector has. This may load the model."""

    @property
    def fingerprint(self) -> str:
        """The identity of its vectors: the model, its files, and the versions of libraries.

        It is cheap, and loads nothing.
        """

    @property
    def default_min_similarity(self) -> float:
        """The cosine below which two texts are unrelated."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a vector of length 1 for each text, (n, d).

        A text has the same vector, bit for bit, whatever other texts are embedded with it.
        """

    def embed_alone(self, text: str) -> NDArray[np.float32]:
        """Return the vector of a text that is always embedded by itself, (1, d).

        It is the same each time; from that of `embed` it may differ in the last bits.
        """


@dataclass(frozen=True, slots=True)
class Semantic:
    """How meaning counts; the names are those of the option `semantic`.

    Example:
        >>> from mkdocs_recall import Corpus, Semantic
        >>> corpus = Corpus.from_markdown({"a.md": "A session expires after a day."})
        >>> semantic = Semantic(model="transformers:models/none")  # it need not exist
        >>> result = corpus.recall("session expires", semantic=semantic)
        >>> result.passages[0].found_by, len(result.diagnostics)
        ('lexical', 1)
    """

    min_lexical_score: float = bounded(0.35, least=0)
    """`supplement`, `blend`: meaning helps a query whose best `coverage` score is under this."""
    min_relevance_score: float = bounded(70.0, least=0, most=100)
    """Pages below this quality, 0 … 100, are not searched by meaning."""
    min_similarity: float | None = bounded(None, least=0, most=1)
    """The least cosine of a sentence found by meaning; None for the model's own."""
    limit: int = bounded(5, least=1)
    """For `supplement` and `blend`: the most passages that are appended."""
    model: str | Embedder = "minilm"
    """An embedder by name, with its argument after a colon: `static:models/potion`. In Python, it
    may be the embedder itself."""
    mode: Mode | None = None
    """None means `gate` if there is a gate, else `supplement`."""
    gate: float | None = bounded(None, least=0, most=1)
    """There is an answer if the cosine of the best passage's section with a query is at least this;
    None for no gate, or for `GATE` in the mode `gate`."""

    def __post_init__(self) -> None:
        """Choose the mode and the gate if they are not stated."""
        if self.mode is None:
            object.__setattr__(self, "mode", "supplement" if self.gate is None else "gate")
        elif self.mode == "gate" and self.gate is None:
            object.__setattr__(self, "gate", GATE)


@dataclass(frozen=True, slots=True)
class Temporal:
    r"""How time counts, named as in the option `temporal`.

    Example:
        >>> from mkdocs_recall import Corpus, Temporal
        >>> old = "---\nt_created: 2020-01-01\n---\nA session expires after a day."
        >>> new = "---\nt_created: 2026-01-01\n---\nA session expires after an hour."
        >>> corpus = Corpus.from_markdown({"old.md": old, "new.md": new})
        >>> temporal = Temporal(now="2026-01-02")
        >>> corpus.recall("session expires", temporal=temporal, max_sentences=1).passages[0].uri
        'new.md'
    """

    tau_days: float = bounded(21.0, least=0, exclusive=True)
    """After how many days a commit counts 1/e as much."""
    cooldown_hours: float = bounded(24.0, least=0)
    """A commit followed by another within this time is part of a burst …"""
    burst_discount: float = bounded(0.2, least=0, most=1)
    """… and counts this share of a single one."""
    k: float = bounded(0.35, least=0)
    """How much all commits together weigh."""
    commit_date: CommitDate = "committer"
    now: str = ""
    """A date in ISO 8601; empty for `SOURCE_DATE_EPOCH`, else the date of git's HEAD."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of a synopsis, named as in YAML; those of a recall are `RecallOptions`."""

    name: ClassVar[str] = "synopsis"
    """The name of the directive."""

    source: tuple[str, ...] = ()
    """The sources as written; empty for the page itself."""
    max_sentences: int | None = bounded(DEFAULT_MAX_SENTENCES, least=1)
    """None for `DEFAULT_MAX_SENTENCES` or, in a recall with `max_tokens`, for as many as fit."""
    sections: int = bounded(0, least=0)
    language: str | None = None
    """None for the page's, then the site's."""
    algorithm: AlgorithmName = "edmundson"
    """In a recall, the algorithm of the fallback synopsis."""
    diversity: float | None = bounded(None, least=0, most=1)
    """None for the scorer's or algorithm's own."""
    prefer_description: bool = False
    max_words: int | None = bounded(None, least=1)
    max_tokens: int | None = bounded(None, least=1)
    token_counter: TokenCounter | None = None
    """None for `ranking.budget.estimate`."""
    cite: bool | Literal["auto"] = "auto"
    format: Format = "blockquote"
    explain: bool = False
    temporal: Temporal | None = None
    """None if time does not count."""
    include_expired: bool = False
    embedm: bool = False
    """Whether it was written for embedm: then sentences come without what they need to be
    understood, `sections` counts headings, a single page fills `max_sentences`, and a note replaces
    a page without sentences."""
    expect: tuple[str, ...] = ()
    """The expectations as written: texts, and patterns between slashes."""
    expect_source: tuple[str, ...] = ()
    """The expected sources as written."""
    restated: tuple[str, ...] = field(default=(), compare=False)
    """The sorted names of options that are written with their default value; settings follow their
    option, `semantic.limit`. If a later version changes a default, the author's choice stays."""

    def default_of(self, name: str) -> object:
        """Return the default of an option, which may differ in a fence for embedm."""
        defaults = EMBEDM_DEFAULTS if self.embedm else {}
        return defaults.get(name, DEFAULTS[self.name][name])

    @property
    def is_pure(self) -> bool:
        """Whether its answer depends only on pages: not on a model, git or the time."""
        return self.temporal is None

    @property
    def synopsis_sentences(self) -> int:
        """The most sentences of a synopsis, even one that replaces an answer."""
        return self.max_sentences or DEFAULT_MAX_SENTENCES


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallOptions(Options):
    """The options of a recall, named as in YAML."""

    name: ClassVar[str] = "recall"

    query: tuple[Query, ...]
    """Empty if the source is one section, which is then quoted whole."""
    max_sentences: int | None = bounded(None, least=1)
    scorer: ScorerName = DEFAULT_SCORER
    on_empty: OnEmpty = "warn"
    units: tuple[Unit, ...] = DEFAULT_UNITS
    context: int | Literal["auto", "block", "section"] = bounded("auto", least=0)
    """How much of each place is quoted: see `ranking.quotation`; a number means that many sentences
    on each side of a chosen one."""
    subsections: bool = True
    """Whether a section that is quoted whole includes its subsections."""
    min_score: float | None = bounded(None, least=0)
    """None for the scorer's own."""
    links: bool = True
    """Whether links between the searched pages count, with the scorer `structure`."""
    chronicles: bool = True
    """Whether a sentence in release notes and the like counts less, with that scorer."""
    semantic: Semantic | None = None
    """None if only words count."""
    enrich: Enrich = False
    trivial_query: TrivialQuery = "allow"
    acknowledgments: tuple[str, ...] = ()
    """Additional acknowledgments, besides those of `ranking.trivial`."""

    @property
    def is_pure(self) -> bool:
        """Whether its answer depends only on pages; meaning counts, too."""
        return self.temporal is None and self.semantic is None

    @property
    def section(self) -> str | None:
        """The anchor of the section that is quoted whole; None with a query.

        It is empty for the part above a page's first heading.
        """
        _, sign, anchor = "".join(self.source[:1]).rpartition("#")
        return unquote(anchor) if sign and not self.query else None

    @property
    def fills_budget(self) -> bool:
        """Whether to choose as many sentences as fit `max_tokens`."""
        return self.max_tokens is not None and self.max_sentences is None

    @property
    def sentence_limit(self) -> int:
        """The most sentences to choose; more than fit, to fill a budget."""
        if self.max_tokens is None or self.max_sentences is not None:
            return self.max_sentences or DEFAULT_MAX_SENTENCES
        return min(LIMITS.sentences, max(DEFAULT_MAX_SENTENCES, self.max_tokens // _FEW_TOKENS))


class SynopsisKeywords(TypedDict, total=False):
    """The options of a synopsis as keywords in Python; None means the default."""

    max_sentences: int | None
    sections: int
    language: str | None
    algorithm: str
    diversity: float | None
    prefer_description: bool
    max_words: int | None
    max_tokens: int | None
    token_counter: TokenCounter | None
    temporal: bool | Mapping[str, Any] | Temporal | None
    include_expired: bool


class RecallKeywords(SynopsisKeywords, total=False):
    """The options of a recall as keywords in Python; None means the default."""

    scorer: str
    links: bool
    chronicles: bool
    units: Unit | Sequence[Unit]
    context: int | ContextName
    min_score: float | None
    on_empty: str
    semantic: bool | Mapping[str, Any] | Semantic | None
    enrich: Enrich


DEFAULTS: Final[Mapping[str, Mapping[str, Any]]] = {
    options.name: {option.name: option.default for option in fields(options)}
    for options in (RecallOptions, Options)
}
"""Defaults by directive and option."""
SETTINGS: Final[Mapping[str, type[Semantic | Temporal | Limits]]] = {
    "semantic": Semantic,
    "temporal": Temporal,
    "limits": Limits,
}
"""The options with settings of their own."""
BOUNDS: Final[Mapping[str, Bounds]] = {
    f"{name}.{option.name}".lstrip("."): option.metadata["bounds"]
    for name, owner in {"": RecallOptions, **SETTINGS}.items()
    for option in fields(owner)
    if "bounds" in option.metadata
}
"""Bounds by name as authors write it; settings follow their option, `semantic.limit`."""
