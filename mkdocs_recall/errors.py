"""The exceptions, as types that carry data; the plugin or command line phrases the message.

```
RecallError                     anything this package raises on purpose
├── OptionError                 an option with a fault, or a directive that cannot be read
├── SourceError                 a source that names nothing that can be quoted
├── SiteError                   a site that cannot be read, or a cluster that cannot be asked
│   ├── PageError               a page that cannot be read, unlike the others
│   ├── PublishedFileError      a file that another site has published, and that cannot be used
│   └── SiteCopyError           a copy of another site that is not the one that was fetched
├── RecordError                 JSON that holds no result
├── LockError                   a lock file that is missing, broken, or cannot be written
└── EmbedderError               a model that is missing, cannot be loaded, or gives no vectors
```
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable


SHOWN: Final = 80


class RecallError(Exception):
    """The root of the exceptions that this package raises; its text is a message for an author.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> corpus = Corpus.from_markdown({"auth.md": "A session expires."})
        >>> try:
        ...     corpus.recall("session", source="aut.md")
        ... except RecallError as error:
        ...     print(error)
        source 'aut.md' is not a page of this site; did you mean 'auth.md'?
    """


class OptionError(RecallError):
    """An option that is unknown, of the wrong type, or impossible; or a fence that cannot be read.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> Corpus.from_markdown({"a.md": "A token."}).recall("token", scorer="bm52")
        Traceback (most recent call last):
        mkdocs_recall.errors.OptionError: unknown scorer 'bm52'; did you mean 'bm25'? (...

    Attributes:
        line: The lines from the opening fence down to the fault; 0 for the fence itself and outside
            of fences.
    """

    def __init__(self, message: str, *, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


class SourceError(RecallError):
    """A source that names no page, no section, or nothing that may be quoted.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> Corpus.from_markdown({"a.md": "A token."}).synopsis("guides/")
        Traceback (most recent call last):
        mkdocs_recall.errors.SourceError: source 'guides/' matches no page
    """


class SiteError(RecallError):
    """A site that cannot be read: no configuration, no pages; or a cluster that does not answer.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> Corpus.from_site("none.yml")
        Traceback (most recent call last):
        mkdocs_recall.errors.SiteError: there is no file 'none.yml'; name the site's mkdocs.yml
    """


class PageError(SiteError):
    """A single page that cannot be read, for example because of its front matter.

    Attributes:
        line: The first line that is not UTF-8; 0 for other faults.
    """

    line = 0

    @classmethod
    def not_utf8(cls, file: str, fault: UnicodeDecodeError) -> PageError:
        """Return the error for a file, given its decoding error."""
        line = fault.object.count(b"\n", 0, fault.start) + 1
        error = cls(f"'{file}' cannot be read: line {line} is not UTF-8; save it as UTF-8")
        error.line = line
        return error


class PublishedFileError(SiteError):
    """A published file that is missing, damaged, too large, or of a newer schema.

    Example:
        >>> from mkdocs_recall import Corpus
        >>> Corpus.from_published(["none/flux.jsonl.gz"])
        Traceback (most recent call last):
        mkdocs_recall.errors.PublishedFileError: ...flux.jsonl.gz' cannot be used: ...

    Attributes:
        fault: The message without the remedy.
    """

    def __init__(self, fault: str, remedy: str) -> None:
        super().__init__(fault, remedy)  # another process may have raised it
        self.fault = fault

    def __str__(self) -> str:
        return "; ".join(filter(None, self.args))


class SiteCopyError(SiteError):
    """A copy of another site, or its lock file, that is not what `mkdocs-recall fetch` wrote."""


class RecordError(RecallError):
    """JSON that is not a result, has a newer schema, or lacks requested data.

    Example:
        >>> from mkdocs_recall import Result
        >>> Result.from_json("[]")
        Traceback (most recent call last):
        mkdocs_recall.errors.RecordError: this is not a result: Expected `object`, got `array`
    """


class LockError(RecallError):
    """A lock file that is missing, invalid, or cannot be written."""


class EmbedderError(RecallError):
    """An embedding model that is missing, cannot be loaded, or returns no vectors."""


def lines_below(error: Exception | None) -> int:
    """Return how many lines below the opening fence an error is; 0 for the fence itself."""
    return error.line if isinstance(error, OptionError) else 0


_MEANT: Final = {
    word: name
    for name, words in {
        "query": "question q prompt text",
        "source": "path file page uri",
        "docs": "folder dir directory",
        "max_sentences": "limit top_k topk top k n count number results max_results num_results",
        "max_tokens": "tokens budget token_budget",
        "min_score": "threshold cutoff",
        "language": "lang",
        "clear": "purge delete remove clean",
    }.items()
    for word in words.split()
}
"""Names of options in other programs that are spelled unlike ours."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` for the known word nearest to `word`, or an empty string.

    An option may be spelled as on a command line, such as `--top-k`.
    """
    spelled = {name.lstrip("-").replace("-", "_"): name for name in known}
    spelling = word.lstrip("-").replace("-", "_")
    meant = spelled.get(_MEANT.get(spelling.lower(), ""))
    spelling = spelling.lower() if spelling.isupper() else spelling
    meant = meant or spelled.get(nearest(spelling, sorted(spelled)))
    return f"; did you mean '{meant}'?" if meant else ""


CLOSE: Final = 0.6
"""The similarity from which a name is suggested: the default of `difflib.get_close_matches`."""


def nearest(word: str, known: Iterable[str], cutoff: float = CLOSE) -> str:
    """Return the known word that is most like `word`; an empty string if none is."""
    # `difflib` takes a millisecond to import, and most words have too few letters of any.
    # A word of three times the length is not similar.
    shared = [(name, sum(letter in name for letter in word[: 3 * len(name)])) for name in known]
    similar = [name for name, most in shared if 2 * most >= cutoff * (len(word) + len(name))]
    if not similar:
        return ""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, similar, cutoff=cutoff, n=1)), "")
