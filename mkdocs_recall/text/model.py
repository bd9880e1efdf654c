"""What a page is made of once it is read: blocks, their headings and marks, sentences and words.

Everything points into `Block.text` with half-open spans, so that a citation is exact. Nothing here
knows where the text came from or what is asked of it. (What a page has hundreds of is no frozen
dataclass: that takes three times as long to make.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from mkdocs_recall.text.front_matter import Stability

Role: TypeAlias = Literal["code", "em", "strong", "link"]
"""What a `Mark` says of its span."""

Kind: TypeAlias = Literal["prose", "list", "table", "definition", "admonition", "code", "label"]
"""What form a block has: running text, (a part of) a list item, a table's row, what is said of a
term, text in an admonition, a code block, or a label of what follows (a term that is defined, an
admonition's title), which is never quoted alone."""

UNITS: tuple[Kind, ...] = ("prose", "list", "table", "definition", "admonition", "code")
"""The kinds that can be chosen."""
DEFAULT_UNITS = tuple(unit for unit in UNITS if unit != "code")
"""Those that are chosen unless others are asked for: who asks for sentences expects no code."""
TEXT: tuple[Kind, ...] = ("prose", "list", "definition", "admonition")
"""Those among them that are made of sentences."""


class Heading(NamedTuple):
    r"""A heading of the page.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> (page,) = Corpus.from_markdown({"auth.md": "# Auth\n\n## Expiry {: #over }"}).documents
        >>> page.headings[1]
        Heading(text='Expiry', level=2, anchor='over')
    """

    text: str
    """Its text, without markup and the permalink sign; empty where template syntax stands in it."""
    level: int
    """1 for `h1` … 6 for `h6`."""
    anchor: str
    """Its `id`, as rendered; empty where it has none."""


class Mark(NamedTuple):
    """Inline markup: the half-open span `[start, end)` of a block's text, with a role.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> (page,) = Corpus.from_markdown({"a.md": "Run `larch` *now*."}).documents
        >>> block = page.blocks[0]
        >>> [(mark.role, block.text[mark.start : mark.end]) for mark in block.marks]
        [('code', 'larch'), ('em', 'now')]
    """

    start: int
    end: int
    role: Role
    href: str = ""
    """Where a link leads, relative to the page it stands on; empty for other roles."""


class Sentence(NamedTuple):
    """One sentence of a block: the half-open span `[start, end)` of the block's text.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> (page,) = Corpus.from_markdown({"a.md": "Larch keeps files. It is small."}).documents
        >>> sentence = page.sentences[1]
        >>> sentence.text, sentence.start, sentence.end
        ('It is small.', 19, 31)
    """

    text: str
    """`block.text[start:end]`, which neither ends nor, but for code, starts with white space."""
    start: int
    end: int
    block: int
    """The position of its block in `Document.blocks`."""
    words: tuple[str, ...]
    """Its words in order, with repetitions: folded, without stop words. Their stems are terms."""
    quotable: bool = True
    """False where template syntax or leftover markup stands bare in it."""


@dataclass(slots=True, unsafe_hash=True)
class Block:
    r"""One run of text: a paragraph, a list item's own text, a definition, a caption.

    Nothing of it may be changed. It is cut into sentences when these are first asked for: of most
    pages only some blocks are.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> corpus = Corpus.from_markdown({"a.md": "# Ports\n\n- 80 is plain\n- 443 is not"})
        >>> (page,) = corpus.documents
        >>> [(block.kind, block.text, block.heading, block.line) for block in page.blocks]
        [('list', '80 is plain', 'Ports', 3), ('list', '443 is not', 'Ports', 4)]
    """

    text: str
    """The text, with every run of white space as one blank; of code, its lines as they stand.
    Empty only for a row of a table that says nothing."""
    kind: Kind
    top: int
    """Which top-level block of the page it stands in, from 0; headings are not counted."""
    section: int
    """The section it stands in: 0 before any heading, one more at each heading."""
    headings: tuple[Heading, ...]
    """The headings it stands under, outermost first."""
    marks: tuple[Mark, ...] = ()
    """Inline markup, ordered by start, outer before inner."""
    line: int | None = None
    """The line of the author's file on which it starts, from 1; None where that is not known."""
    number: int = 0
    """Its position in `Document.blocks`."""
    lead: int | None = None
    """The position, in `Document.blocks`, of the block that leads in to this one: a label, or the
    text right before a list, a table or a code block. None where nothing does."""
    cut: Callable[[Block], tuple[Sentence, ...]] = field(default=lambda _: (), repr=False)
    """What finds its sentences: one function for all blocks in a language."""
    _sentences: tuple[Sentence, ...] | None = field(
        default=None, init=False, repr=False, compare=False
    )
    _read: Callable[[], tuple[str, tuple[Mark, ...]]] | None = field(
        default=None, init=False, repr=False, compare=False
    )

    def defer(self, read: Callable[[], tuple[str, tuple[Mark, ...]]]) -> None:
        """Leave text and marks to be made when they are first asked for."""
        self._read = read
        del self.text, self.marks

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """Make the text and the marks that were deferred."""
            if name not in {"text", "marks"}:
                raise AttributeError(name)
            if (read := self._read) is not None:  # else another thread has made them meanwhile
                self.text, self.marks = read()
                self._read = None
            return object.__getattribute__(self, name)

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """Its sentences in order. They cover the text but for the white space between them."""
        if self._sentences is None:
            self._sentences = self.cut(self)
        return self._sentences

    @property
    def anchor(self) -> str:
        """The nearest anchor above the block; empty at the top of a page."""
        return next((h.anchor for h in reversed(self.headings) if h.anchor), "")

    @property
    def heading(self) -> str:
        """The text of the nearest heading above the block, or an empty string."""
        return self.headings[-1].text if self.headings else ""


@dataclass(frozen=True, slots=True)
class Document:
    r"""A page as it can be asked: its title and its blocks in reading order.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> (page,) = Corpus.from_markdown({"auth.md": "# Auth\n\nA token lasts."}).documents
        >>> page.uri, page.title, page.anchors, page.sentences[0].text
        ('auth.md', 'Auth', ('auth',), 'A token lasts.')
    """

    uri: str
    """The page's path from the documentation's root, with `/`: `guides/auth.md`."""
    title: str
    language: str
    """The language its sentences and words are made with: `en`, `pt-BR` …"""
    blocks: tuple[Block, ...]
    headings: tuple[Heading, ...] = ()
    """All headings in order. `headings[n - 1]` opens section `n`."""
    url: str = ""
    """Where the page is served, relative to the site's root: `guides/auth/`."""
    description: str = ""
    """What its author says of it, in the front matter; empty where nothing is said."""
    created: str = ""
    """The date its front matter has as `t_created`, in ISO 8601; empty where there is none."""
    file: str = ""
    """The path of the author's file on this machine; empty where that is not known."""
    valid: str = ""
    """Since when it holds: `t_valid`, in ISO 8601; empty where there is none."""
    stability: Stability = ""
    """How fast it grows old: `temporal_stability`; empty where there is none."""
    quality: float | None = None
    """What its author thinks it is worth, from 0 to 100: `recall_quality`, and 0 for a page with
    `draft: true`; None where nothing is said."""
    whole: bool = True
    """False where more stood on the page than `limits.page_size` lets be read."""

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences of its text, in reading order: without tables, code and labels."""
        return tuple(s for b in self.blocks if b.kind in TEXT for s in b.sentences)

    @property
    def anchors(self) -> tuple[str, ...]:
        """The anchors of the page's headings, in order."""
        return tuple(h.anchor for h in self.headings if h.anchor)
