"""The parameters of the tools for agents: types with descriptions for a language model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias

from pydantic import BaseModel, Field

from mkdocs_recall.index.sources import WHOLE_SITE
from mkdocs_recall.options import ContextName, Unit

if TYPE_CHECKING:
    from mkdocs_recall.index.sources import SourceLike


_LONGEST: Final = 100_000  # characters of a query
_LONGEST_PATH: Final = 4096  # characters of a source, and of an anchor
_MOST_PATHS: Final = 1000
_MOST_KEYS: Final = 20

_Path: TypeAlias = Annotated[str, Field(max_length=_LONGEST_PATH)]


class QuoteToVerify(BaseModel, extra="forbid"):
    """A quote that is to be verified."""

    text: str = Field(min_length=1, max_length=_LONGEST, description="What is quoted.")
    source: _Path = Field(default="", description="Page and section, 'page.md#anchor'.")
    url: _Path = Field(default="", description="The address, if no source is given.")


Query = Annotated[
    str,
    Field(
        description="What to look for: a question or keywords. Rare words count more, and endings "
        "do not matter; text in double quotes adds to the score where it occurs verbatim.",
        min_length=1,
        max_length=_LONGEST,
    ),
]
Queries = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=_LONGEST)]],
    Field(description="The questions, the most important first.", min_length=1, max_length=50),
]
Source = Annotated[
    _Path | Annotated[list[_Path], Field(max_length=_MOST_PATHS)],
    Field(
        description="Where to search, with paths as list_pages returns them: a page "
        "('guides/auth.md'), a section ('guides/auth.md#expiry'), a folder ('guides/'), a glob "
        "('guides/**'), a list "
        "of these, or '**' for all pages."
    ),
]
Where = Annotated[
    Annotated[dict[str, Any], Field(max_length=_MOST_KEYS)] | None,
    Field(
        description="Only pages whose front matter has these values: {'tags': 'admin', 'status': "
        "['stable', 'beta'], 'draft': {'not': true}}. A list means any of its values."
    ),
]
MaxSentences = Annotated[int, Field(description="Maximum number of passages.", ge=1, le=1000)]
MaxSentencesOrUsual = Annotated[
    int | None,
    Field(
        description="Maximum number of sentences to choose; those of one section are one passage. "
        "Default: 3.",
        ge=1,
        le=1000,
    ),
]
MaxTokens = Annotated[
    int,
    Field(
        description="Maximum length of the reply, in estimated tokens. Passages that do not fit "
        "are left out whole, and counted.",
        ge=200,
        le=1_000_000,
    ),
]
Units = Annotated[
    list[Unit] | None,
    Field(
        description="What may be quoted: prose, list, table (rows), definition, admonition, code. "
        "Default: all but code. Include code to "
        "find commands and examples."
    ),
]
Explain = Annotated[bool, Field(description="Explain the score of each passage.")]
Start = Annotated[int, Field(description="Where to continue: 'next' of the previous reply.", ge=0)]
Context = Annotated[
    ContextName | Annotated[int, Field(ge=0, le=50)],
    Field(
        description="How much of each place to quote. auto: what makes it an answer; block: the "
        "paragraph, list or note; section: all of the section; a number: so many sentences before "
        "and after each chosen one, 0 for the sentence alone."
    ),
]
MaxSentencesEach = Annotated[
    int, Field(description="Maximum number of sentences for each page.", ge=1, le=1000)
]
SectionSource = Annotated[
    _Path,
    Field(
        description="A section, as results name it: 'page.md#anchor'; or a whole page: 'page.md'."
    ),
]
Page = Annotated[_Path, Field(description="The page, if no source is given.")]
Anchor = Annotated[
    _Path,
    Field(description="The section: the part of a source after '#'. Default: the whole page."),
]
Quotes = Annotated[
    list[QuoteToVerify],
    Field(
        description="The quotes, each of whole sentences: 'text', and where it comes from: "
        "'source' as results name it, or 'url'.",
        min_length=1,
        max_length=_MOST_PATHS,
    ),
]
Sections = Annotated[bool, Field(description="Also list the anchors of each page's sections.")]


def sources(source: str | list[str], where: dict[str, Any] | None) -> SourceLike:
    """Return the pages that an agent names; none is all."""
    pages = source or WHOLE_SITE
    return {"pages": pages, "where": where} if where else pages
