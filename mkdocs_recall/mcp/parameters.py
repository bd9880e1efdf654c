"""The parameters of the tools for agents: types with descriptions for a language model."""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

from pydantic import Field

from mkdocs_recall.options import Unit

_LONGEST: Final = 100_000  # characters of a query
_LONGEST_PATH: Final = 4096  # characters of a source, and of an anchor
_MOST_PATHS: Final = 1000

_Path: TypeAlias = Annotated[str, Field(max_length=_LONGEST_PATH)]

Query = Annotated[
    str,
    Field(
        description="What to look for: a question or key words. Words count by how rare they are, "
        "whatever their endings; text in double quotes is looked for as it stands.",
        min_length=1,
        max_length=_LONGEST,
    ),
]
Source = Annotated[
    _Path | Annotated[list[_Path], Field(max_length=_MOST_PATHS)],
    Field(
        description="Where to look, with paths as list_pages has them: a page ('guides/auth.md'), "
        "a section ('guides/auth.md#expiry'), a folder ('guides/'), a glob ('guides/**'), a list "
        "of these, or '**' for all pages."
    ),
]
MaxSentences = Annotated[int, Field(description="How many passages at most.", ge=1, le=1000)]
MaxSentencesOrUsual = Annotated[
    int | None,
    Field(description="How many passages at most. Left out, 3.", ge=1, le=1000),
]
MaxTokens = Annotated[
    int,
    Field(
        description="How long the reply may be, in tokens as estimated; what does not fit is left "
        "out whole, and counted.",
        ge=200,
        le=1_000_000,
    ),
]
Units = Annotated[
    list[Unit] | None,
    Field(
        description="What may be quoted: prose, list, table (rows), definition, admonition, code. "
        "Left out, all but code: name code to find commands and examples."
    ),
]
Explain = Annotated[bool, Field(description="Tell with each passage how its score came about.")]
Start = Annotated[int, Field(description="Where to go on: 'next' of the reply before.", ge=0)]
Context = Annotated[
    int, Field(description="Sentences to quote on each side of a passage.", ge=0, le=50)
]
MaxSentencesEach = Annotated[int, Field(description="How many for each page.", ge=1, le=1000)]
SectionSource = Annotated[
    _Path,
    Field(description="The section, as results name it: 'page.md#anchor'; a page for all of it."),
]
Page = Annotated[_Path, Field(description="The page, if no source is given.")]
Anchor = Annotated[
    _Path,
    Field(description="The section: what stands behind '#' in a source. Left out, the whole page."),
]
Sections = Annotated[bool, Field(description="Name the anchors of each page's sections, too.")]
