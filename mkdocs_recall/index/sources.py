"""The resolution of sources to pages and sections: paths, folders and globs.

Names are resolved without opening a page. In a glob, `*` and `?` stay within a folder, `**` crosses
folders. A filtered source is one text, `guides/** where {"tags": "admin"}`, so it is compared,
stored and locked like any other. Values are compared as written: `2.5` in a page equals `"2.5"`.
"""

from __future__ import annotations

import json
import posixpath
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, KeysView, Mapping, Sequence
from datetime import date
from functools import lru_cache
from itertools import chain, count
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias
from urllib.parse import unquote

from msgspec import Struct

from mkdocs_recall.errors import CLOSE, SHOWN, OptionError, SourceError, did_you_mean, nearest
from mkdocs_recall.messages import check_settings, shown

if TYPE_CHECKING:
    from mkdocs_recall.text.model import Document


def is_glob(path: str) -> bool:
    """Tell whether a path is a pattern."""
    return any(sign in path for sign in "*?[")


def names_section(sources: Sequence[str]) -> bool:
    """Tell whether sources name just one section, or the top, of one page."""
    if len(sources) != 1 or split_filter(sources[0])[1]:
        return False
    path, sign, _ = sources[0].rpartition("#")
    return bool(sign) and not path.endswith("/") and not is_glob(path)


def matching(pattern: str, uris: Sequence[str]) -> tuple[str, ...]:
    """Return the pages that match a pattern."""
    matches = _expression(pattern).fullmatch
    return tuple(uri for uri in uris if matches(f"{uri}/"))


def fits_name(pattern: str, name: str) -> bool:
    """Tell whether a name without folders matches a pattern."""
    return _expression(pattern).fullmatch(f"{name}/") is not None


_LONGEST_PATTERN: Final = 4096
"""A longer pattern matches no path, and takes seconds to compile."""


@lru_cache(maxsize=64)
def _expression(pattern: str) -> re.Pattern[str]:
    """Compile a pattern for paths with `/` after each of their names.

    Only the last star is ever widened, since it can match whatever an earlier one could. So the
    time grows at most with the square of the path. Each earlier star is a lookahead that is
    repeated and never retried, as in `fnmatch`.
    """
    if len(pattern) > _LONGEST_PATTERN:
        return re.compile("(?!)")
    numbers = count()

    def joined(parts: Iterable[str], unit: str) -> str:
        """Join expressions; an empty one matches any number of a unit."""
        runs: list[list[str]] = [[]]
        for part in parts:
            if part:
                runs[-1].append(part)
            else:
                runs.append([])
        first, *inner = map("".join, runs)
        last = f"{unit}*?{inner.pop()}" if inner else ""
        once = (f"(?=(?P<_{(n := next(numbers))}>{unit}*?{run}))(?P=_{n})" for run in inner if run)
        return "".join((first, *once, last))

    names = ("" if f == "**" else f"{joined(_characters(f), '[^/]')}/" for f in pattern.split("/"))
    return re.compile(joined(names, "(?:[^/]*/)"))


def _characters(name: str) -> Iterator[str]:
    """Yield the expression of each character of a name in a pattern; "" for `*`."""
    # No class ends after the last bracket. Searching behind each "[" there would take quadratic
    # time.
    last = name.rfind("]") + 1
    for token in chain(re.findall(r"\[!?[^\]]+\]|.", name[:last], re.DOTALL), name[last:]):
        if len(token) == 1:
            yield {"*": "", "?": "[^/]"}.get(token, re.escape(token))
            continue
        is_negated = token[1] == "!"
        ranges = re.findall(r"(.)-(.)|(.)", token[2 if is_negated else 1 : -1], re.DOTALL)
        inside = (
            f"{re.escape(a)}-{re.escape(b)}" if a else re.escape(c) for a, b, c in ranges if a <= b
        )
        characters = "".join(inside)
        negation, empty = ("^", "[^/]") if is_negated else ("", "(?!)")
        yield f"(?!/)[{negation}{characters}]" if characters else empty


Scalar: TypeAlias = str | int | float | bool | None
"""A value in front matter; a date is text in ISO 8601."""
PagePath: TypeAlias = "str | PurePath"
"""The path of a page in Python."""
SourceLike: TypeAlias = "PagePath | Sequence[PagePath] | Mapping[str, Any]"
"""A source in Python: a path, a list of these, or `{pages, where}`."""

_WHERE: Final = " where "
_NOT: Final = "not"
_SHOWN_VALUES: Final = 12
_LONGEST: Final = 1_000
"""The most characters of a value; nobody filters by longer ones."""
_MOST: Final = 10_000
"""The most values of a page. With aliases, a short file can have more than fit in memory."""
_LARGEST: Final = 10**SHOWN


def as_path(path: PagePath) -> str:
    """Return a path as text; raise an OptionError for anything else."""
    if not isinstance(path, (str, PurePath)):
        raise OptionError(f"a page must be a path, such as 'guides/auth.md', not {shown(path)}")
    return path if isinstance(path, str) else path.as_posix()


def as_sources(source: SourceLike) -> tuple[str, ...]:
    """Return a path, a list of these, or `{pages, where}` as source texts."""
    if isinstance(source, (str, bytes, PurePath)) or not isinstance(source, Iterable):
        return (as_path(source),)
    if not isinstance(source, Mapping):
        return tuple(map(as_path, source))
    check_settings("source", source, ("pages", "where"))
    pages = as_sources(source.get("pages") or "**")
    if "where" not in source:
        return pages
    text = _as_text(source["where"])
    return tuple(f"{path}{_WHERE}{text}" for path in pages)


def split_filter(source: str) -> tuple[str, str]:
    """Return the path of a source, and its filter, which may be empty."""
    path, _, text = source.partition(_WHERE)
    return (path, text) if text.startswith("{") else (source, "")


def front_matter_values(meta: Mapping[Any, Any]) -> dict[str, list[Scalar]]:
    """Return the values of each key; a list has several, a mapping none."""
    values: dict[str, list[Scalar]] = {}
    left = _MOST
    for key, value in meta.items():
        items = list(value)[:left] if isinstance(value, (list, tuple, set)) else [value]
        left -= len(items) + 1
        if left < 0:
            break
        values[_key(key)] = [scalar for item in items for scalar in _scalars(item)]
    return values


def _as_text(where: object) -> str:
    if not isinstance(where, Mapping) or not where:
        example = "{tags: admin}"
        msg = f"'where' must map keys of front matter to values, as {example}, not {shown(where)}"
        raise OptionError(msg)
    conditions: dict[str, Any] = {}
    for key, condition in where.items():
        name = _key(key)
        if isinstance(condition, Mapping):
            if list(condition) != [_NOT]:
                raise _impossible(name, condition)
            conditions[name] = {_NOT: _wanted(name, condition[_NOT])}
        else:
            conditions[name] = _wanted(name, condition)
    return json.dumps(conditions, ensure_ascii=False, sort_keys=True)


def _wanted(name: str, value: object) -> Scalar | list[Scalar]:
    items = value if isinstance(value, (list, tuple)) else [value]
    scalars = [scalar for item in items for scalar in _scalars(item)]
    if not scalars or len(scalars) < len(items):
        raise _impossible(name, value)
    return scalars[0] if len(scalars) == 1 else scalars


def _impossible(name: str, value: object) -> OptionError:
    return OptionError(
        f"'where.{name}' must be a value, a list of values, or {{not: …}}, not {shown(value)}"
    )


@lru_cache(maxsize=64)
def _conditions(text: str) -> Mapping[str, Any]:
    try:
        conditions = json.loads(text)
        _as_text(conditions)
    except (ValueError, RecursionError) as error:
        raise OptionError(f"'where' is not a filter: {shown(text)}") from error
    return dict(conditions)


def _meets(values: Sequence[Scalar], condition: Any) -> bool:  # noqa: ANN401 - as `_as_text` checks it
    is_not = isinstance(condition, Mapping)
    condition = condition[_NOT] if is_not else condition
    among = condition if isinstance(condition, list) else [condition]
    return is_not != any(_equal(member, value) for value in values for member in among)


def _equal(one: Scalar, other: Scalar) -> bool:
    if isinstance(one, str) and not isinstance(other, str):
        one = _unquoted(one)
    elif isinstance(other, str) and not isinstance(one, str):
        other = _unquoted(other)
    return type(one) is type(other) and one == other


@lru_cache(maxsize=1024)
def _unquoted(text: str) -> Scalar:
    """Return the value that YAML reads for an unquoted text."""
    import yaml

    loader = yaml.SafeLoader("")
    try:
        tag = loader.resolve(yaml.ScalarNode, text, (True, False))  # type: ignore[no-untyped-call]
        value = loader.construct_object(yaml.ScalarNode(tag, text))
    except (ValueError, yaml.YAMLError):  # such as February 30
        return text
    return next(iter(_scalars(value)), text)


def _scalars(value: object) -> tuple[Scalar, ...]:
    """Return the scalars in a value, as in JSON; none if it cannot be compared."""
    if isinstance(value, date):
        return (value.isoformat(),)
    if isinstance(value, int) and abs(value) >= _LARGEST:
        return ()
    if isinstance(value, str) and len(value) > _LONGEST:
        return ()
    return (value,) if value is None or isinstance(value, (str, int, float)) else ()


def _key(key: object) -> str:
    return key if isinstance(key, str) else _shown(next(iter(_scalars(key)), None))


def _shown(value: Scalar) -> str:
    return value if isinstance(value, str) else json.dumps(value)


_SHOWN_ANCHORS: Final = 12
_ENDING: Final = re.compile(r"(?:/index)?\.(?:md|markdown|html?)\Z|/index\Z")
"""The endings in which a page's names in Markdown and on the site differ."""
_OF_FOLDERS: Final = frozenset({"index", "README"})
_SEPARATORS: Final = re.compile(r"[\s,;]+")
_LIKE_PATH: Final = re.compile(r"\.md(?:#|\Z)|/\Z|\A#|\*")
_CONJUNCTIONS: Final = re.compile(r"\s+(?:and|or|[|&+])\s+")
"""Separators of paths other than a comma; a path may hold each of these."""
_INVISIBLE: Final = "[\u00a0\u2000-\u200f\u202f\u2060\u3000\ufeff]"
"""Invisible characters that are pasted with a path: odd spaces and marks of direction."""


def check_single(source: str) -> None:
    """Refuse a text that is a link, or holds several paths or hidden characters."""
    if hidden := re.search(_INVISIBLE, source):
        name = unicodedata.name(hidden[0], "character").lower()
        called = name.replace("no-break", "non-breaking")
        raise SourceError(f"source '{source}' holds a {called} (U+{ord(hidden[0]):04X}); retype it")
    if link := re.search(r"\]\(([^()\s]+)\)", source):
        raise SourceError(f"source '{source}' is a link; write its path: {link[1]}")
    listed = _CONJUNCTIONS.sub(", ", source)
    parts = [part for part in _SEPARATORS.split(listed.strip("[] \t")) if part]
    if len(parts) > 1 and all(map(_LIKE_PATH.search, parts)):
        listed = ", ".join(part if part[0] not in "#*" else f'"{part}"' for part in parts)
        raise SourceError(f"source '{source}' contains several paths; write a list: [{listed}]")


def _of_stem(stem: str, path: str, uris: Sequence[str]) -> str:
    """Return the page or folder that a path without a suffix means."""
    present = frozenset(uris)
    if f"{stem}.md" in present:
        return f"{stem}.md"
    if any(uri.startswith(f"{path}/") for uri in uris):
        return f"{path}/"
    return next((uri for uri in (f"{stem}/index.md", f"{stem}/README.md") if uri in present), "")


def _same_name(stem: str, uris: Iterable[str]) -> str:
    """Return a page of that name in another folder, unless every folder has one."""
    file_name = posixpath.basename(stem)
    if file_name in _OF_FOLDERS:
        return ""
    name = file_name.lower()  # an author may write the title
    namesakes = [uri for uri in uris if posixpath.basename(_ENDING.sub("", uri)).lower() == name]
    return nearest(stem, namesakes, 0.0)


def _most_similar(path: str, paths: Iterable[str]) -> str:
    """Return the path that is most similar to another, as a whole and by name."""
    from difflib import get_close_matches

    name = posixpath.basename(path)
    names = sorted({posixpath.basename(other) for other in paths})
    similar = frozenset(get_close_matches(name, names, n=len(names) or 1, cutoff=CLOSE))
    return nearest(path, sorted(other for other in paths if posixpath.basename(other) in similar))


WHOLE_SITE: Final = "**"
_URL: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//")
_NETWORK: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:/?/|mailto:")
"""The beginning of a source that is a URL rather than a site's name."""
_PARENTS: Final = re.compile(r"(?:\.\./?)+")
_SITE: Final = re.compile(r"[^/:#]+(?=:)")
"""The name of another site, or a pattern for names, before a path."""
_SITE_PAGES: Final = 1 << 32
"""The number of the first page of another site, after all pages of this one."""


_PAGE: Final = r"(?si).*?\.(?:md|markdown|mdown|mkdn|mkd|mdx|rst|qmd|adoc|ipynb|html?)(?=#|\Z)"
"""The path of a page: its name may have a `#`, but ends with a page's suffix."""


class Target(NamedTuple):
    """A page, or one section of it."""

    uri: str
    anchor: str = ""
    """The `id` of the heading that opens the section; empty for the whole page."""

    @classmethod
    def of(cls, place: str) -> Target:
        """Read a place as authors write it."""
        page = re.match(_PAGE, place)
        uri = page[0] if page else place.partition("#")[0]
        return cls(uri, place[len(uri) + 1 :])

    def __str__(self) -> str:
        """Return the place as authors write it: `guides/auth.md#expiry`."""
        return f"{self.uri}#{self.anchor}" if self.anchor else self.uri


_Match: TypeAlias = "tuple[Target, str, Sequence[str]]"
"""What a source names: a path and a section there, its filter, and the pages before that."""


class Scope(Struct, frozen=True):
    """The pages and sections that one or several sources name."""

    key: tuple[str, ...]
    """The sources from the root: in a `PageSet`, equal keys mean equal targets."""
    targets: tuple[Target, ...]
    """The targets in page order, without repetitions."""
    named: tuple[Target, ...]
    """The targets that a source names itself; other targets only match a pattern."""
    uris: KeysView[str]


class PageSet(Struct, eq=False):
    """The pages of a site in page order (the navigation's, then by path)."""

    uris: Sequence[str]
    """The pages that may be quoted, in page order."""
    load: Callable[[str], Document]
    """Reads a page. It is called once per page, until the page is released."""
    refused: Mapping[str, str] = {}
    """The pages that may not be quoted, with the reason."""
    unlisted: frozenset[str] = frozenset()
    """The refused pages that may quote themselves: drafts, in a preview."""
    alias: Callable[[str], str | None] = lambda _: None
    """Returns the page for a path that is not a page, such as its translation."""
    truncated: dict[str, None] = {}
    """The loaded pages that exceed the limit, so that only their start was read."""
    written: dict[str, str] = {}
    """The pages found by `alias`, with the path as the source has it."""
    heading_of: Callable[[Document, str], str] | None = None
    """Returns the anchor of the heading with a label, if any."""
    sites: frozenset[str] = frozenset()
    """The names of other sites, which begin their pages' uris: `flux:index.md`."""
    others: Mapping[str, Callable[[], Sequence[str]]] = {}
    """Open another site when a source names it, and return its pages, which are not in `uris`."""
    remedy: Callable[[], str] = lambda: ""
    """Returns the remedy in the message about an unknown page without a similar one."""
    meta: Callable[[str], Mapping[Any, Any] | None] | None = None
    """Returns the front matter of one of `uris`, if it is known."""
    _order: dict[str, int] = {}
    _by_site: dict[str, list[str]] = {}
    """The paths of the pages of each site; this one has no name."""
    _documents: dict[str, Document] = {}
    _values: dict[str, Mapping[str, Sequence[Scalar]]] = {}
    """What filters compare of each page: its front matter, read once."""
    _matches: dict[str, tuple[str, ...]] = {}
    """The pages that match each pattern."""
    _scopes: dict[tuple[str, ...], Scope] = {}
    """The scopes by `Scope.key`."""

    def __post_init__(self) -> None:
        if self.others:
            self.sites = frozenset(self.others)
            self._by_site[""] = list(self.uris)
        self._order = {uri: number for number, uri in enumerate(self.uris)}
        for uri in self.uris if self.sites and not self.others else ():
            name, _, path = uri.partition(":")
            site = name if name in self.sites else ""
            self._by_site.setdefault(site, []).append(path if site else uri)

    def document(self, uri: str) -> Document:
        """Return a page, loading it on first need."""
        document = self._documents.get(uri)
        if document is None:
            if uri not in self._order and uri not in self.unlisted:
                raise KeyError(uri)
            document = self._documents[uri] = self._load_page(uri)
        return document

    def peek(self, uri: str) -> Document:
        """Return a page without keeping it in memory, unless it is already there."""
        return self._documents.get(uri) or self._load_page(uri)

    def with_headings(self, sources: Sequence[str], *, page: str = "") -> tuple[str, ...]:
        """Return sources with labels replaced by the anchors of their headings."""

        def with_heading(source: str) -> str:
            path, sign, anchor = source.rpartition("#")
            if not (self.heading_of and sign and anchor) or _is_pattern(path):
                return source
            target = next(iter(self.scope((source,), page=page).named))
            document = self.document(target.uri)
            is_label = target.anchor not in document.anchors
            heading = self.heading_of(document, target.anchor) if is_label else ""
            return f"{path}#{heading}" if heading else source

        return tuple(map(with_heading, sources))

    def place(self, source: str, anchor: str = "") -> tuple[Document, str]:
        """Return the page that a source names, and the section or `anchor`."""
        targets = self.scope((source,)).named
        if not targets:
            raise SourceError(f"'{source}' is a folder or a pattern: name one page")
        document = self.document(targets[0].uri)
        anchor = anchor or targets[0].anchor
        self.check_anchor(document, anchor)
        return document, anchor

    def check_anchor(self, document: Document, anchor: str) -> None:
        """Raise a SourceError if a page lacks the section that a source names."""
        anchors, uri = document.anchors, document.uri
        if not anchor or anchor in anchors:
            return
        similar = nearest(anchor, anchors)
        hint = f"; did you mean '#{similar}'?" if similar else ""
        listed = ", ".join(f"#{a}" for a in anchors[:_SHOWN_ANCHORS]) or "none"
        more = f" and {len(anchors) - _SHOWN_ANCHORS} more" if len(anchors) > _SHOWN_ANCHORS else ""
        written = self.written.get(uri, uri)
        page = f"'{uri}'"
        if written != uri:
            page = f"'{written}' is {page} in the language of this page, and that"
        raise SourceError(f"{page} has no section '#{anchor}'{hint} (its sections: {listed}{more})")

    @property
    def loaded(self) -> Sequence[str]:
        """The pages that are in memory, in the order in which they were loaded."""
        return [*self._documents]

    def release(self, *uris: str) -> None:
        """Drop pages from memory; the next access loads them again."""
        for uri in uris:
            self._documents.pop(uri, None)

    def scope(self, sources: Sequence[str], *, page: str = "") -> Scope:
        """Resolve sources relative to a page, by default the root; no sources mean the page.

        They are paths like links (`auth.md#expiry`, `/guides/auth.md`, `#here`), folders
        (`guides/`), globs (`guides/**`), or `**` for the whole site.
        """
        matched: dict[str, _Match] = {}
        for written in sources or ("",):
            source, where = split_filter(written)
            path, anchor = self._place(source, page)
            if path not in self._order and path not in self.refused and (alias := self.alias(path)):
                if not alias.startswith(path):  # else only the suffix is left out
                    self.written.setdefault(alias, path)
                path = alias
            if path not in self._order and path not in self.refused:  # a plugin may generate it
                stem = posixpath.splitext(path)[0]
                built = f"{stem}/index.html", f"{stem}.html"
                path = next((uri for uri in built if uri in self._order), path)
            if path not in self._order and _is_pattern(path):
                uris = self._match(path, anchor, source, page)
            else:
                self._check(path, anchor, source, page)
                uris = (path,)
            target = Target(path, anchor)
            place = f"{target}{_WHERE}{where}" if where else str(target)
            matched[place] = target, where, uris
        key = tuple(matched)
        if key not in self._scopes:
            self._scopes[key] = self._resolve(key, matched.values())
        return self._scopes[key]

    def _load_page(self, uri: str) -> Document:
        document = self.load(uri)
        if not document.whole:
            self.truncated[uri] = None
        return document

    def _place(self, source: str, page: str) -> tuple[str, str]:
        """Return the path from the root and the anchor of a source."""
        if source.startswith("/") or not posixpath.dirname(page):
            literal = source.removeprefix("/")  # in the form of a passage's `source`
            path, _, anchor = literal.rpartition("#")
            if literal in self._order:
                return literal, ""
            if path in self._order:
                return path, unquote(anchor)
        path, anchor = self._other_site(source) or _normalise(source, page)
        if " " in anchor or "," in anchor:
            check_single(source)  # `a.md#b, c.md`
        if _leads_out(path):
            msg = f"source '{source}' is outside the documentation"
            inside = _PARENTS.sub("", path)
            raise SourceError(msg + self._suggest(inside, anchor, page, source, exact=True))
        return path, anchor

    def _other_site(self, source: str) -> tuple[str, str] | None:
        """Return the path and anchor in another site; None for this site."""
        name = _SITE.match(source.strip())
        if name is None:
            return None
        if not any(fits_name(name[0], site) for site in self.sites):
            if self.others and len(name[0]) > 1 and not _NETWORK.match(source.strip()):
                hint = f" ({', '.join(sorted(self.sites))})"
                if near := nearest(name[0], sorted(self.sites)):
                    hint = f"; did you mean '{near}:{source.strip().partition(':')[2]}'?"
                msg = f"source '{source}' names a site that 'sites' does not have{hint}"
                raise SourceError(msg)
            return None
        self._open(name[0])
        path, anchor = _normalise(source.strip()[name.end() + 1 :] or "/", "")
        if _leads_out(path):
            raise SourceError(f"source '{source}' is outside the site '{name[0]}'")
        return f"{name[0]}:{path}", anchor

    def _open(self, pattern: str) -> None:
        """Open the other sites whose names match a pattern."""
        for number, (name, paths_of) in enumerate(self.others.items(), 1):
            if name not in self._by_site and fits_name(pattern, name):
                paths = list(paths_of())
                for position, path in enumerate(paths, number * _SITE_PAGES):
                    self._order.setdefault(f"{name}:{path}", position)
                self._by_site[name] = paths

    def _resolve(self, key: tuple[str, ...], matches: Collection[_Match]) -> Scope:
        anchors: dict[str, set[str]] = {}
        for (path, anchor), where, uris in matches:
            for uri in self._filtered(uris, where, path) if where else uris:
                anchors.setdefault(uri, set()).add(anchor)
        if not anchors:
            paths = ", ".join(target.uri for target, _, _ in matches)
            _, where, _ = next(iter(matches))
            raise self._no_match([uri for _, _, uris in matches for uri in uris], where, paths)
        ordered = sorted(anchors, key=lambda uri: self._order.get(uri, len(self._order)))
        return Scope(
            key=key,
            targets=tuple(
                Target(uri, anchor)
                for uri in ordered
                # no anchor means the whole page, which includes every section
                for anchor in ([""] if "" in anchors[uri] else sorted(anchors[uri]))
            ),
            named=tuple(
                target
                for target, _, uris in matches
                if target.uri in uris and target.uri in anchors
            ),
            uris=dict.fromkeys(ordered).keys(),
        )

    def _filtered(self, uris: Sequence[str], text: str, source: str) -> list[str]:
        """Return the pages that pass a filter."""
        conditions = _conditions(text)
        values = [self._values_of(uri, source) for uri in uris]
        for key in conditions:
            if not any(key in of_page for of_page in values):
                keys = {key for uri in self.uris for key in self._values_of(uri, source)}
                if key not in keys:
                    hint = did_you_mean(key[:SHOWN], keys)
                    msg = f"no page has {shown(key)} in its front matter, which 'where' names{hint}"
                    raise SourceError(msg)
        return [
            uri
            for uri, of_page in zip(uris, values, strict=True)
            if all(_meets(of_page.get(key, ()), condition) for key, condition in conditions.items())
        ]

    def _no_match(self, uris: Iterable[str], text: str, source: str) -> SourceError:
        """Return the error for a filter that no page passes, with the pages' values."""
        values = [self._values_of(uri, source) for uri in uris]
        hint = ""
        for key, condition in _conditions(text).items():
            if not any(_meets(of_page.get(key, ()), condition) for of_page in values):
                page_values = chain.from_iterable(of_page.get(key, ()) for of_page in values)
                texts = sorted({*map(_shown, page_values)})
                more = len(texts) - _SHOWN_VALUES
                and_more = f" and {more} more" if more > 0 else ""
                listed = ", ".join(texts[:_SHOWN_VALUES]) or "without a value"
                hint = f"; there, '{key}' is {listed}{and_more}"
                break
        return SourceError(f"source '{source}' matches no page where {text}{hint}")

    def _values_of(self, uri: str, source: str) -> Mapping[str, Sequence[Scalar]]:
        if uri not in self._values:
            meta = self.meta(uri) if self.meta else None
            if meta is None:
                raise SourceError(
                    f"source '{source}' cannot be filtered with 'where': the front matter of its "
                    "pages is not published; name the pages instead"
                )
            self._values[uri] = front_matter_values(meta)
        return self._values[uri]

    def _match(self, pattern: str, anchor: str, source: str, page: str) -> Sequence[str]:
        matches = self._matches.get(pattern)
        if matches is None:
            matches = self._matches[pattern] = self._matching(pattern)
        if not matches:
            check_single(source)
            msg = f"source '{source}' matches no page"
            path = pattern.removesuffix("/**")
            is_url = path != pattern and not is_glob(path)  # `guides/labels/`
            hint = self._suggest(path, anchor, page, source, exact=True) if is_url else ""
            folders = {*map(posixpath.dirname, self._uris_like(pattern))} - {""}
            like = _most_similar(pattern.rstrip("*/").partition("*")[0].rstrip("/"), folders)
            if like and not hint:
                hint = f"; did you mean '{_root(source)}{like}/'?"
            if is_url and not hint:
                hint = self._suggest(path, anchor, page, source)
            raise SourceError(msg + hint)
        return matches

    def _matching(self, pattern: str) -> tuple[str, ...]:
        name = _SITE.match(pattern) if self.sites else None
        if name is None:
            uris = self._by_site.get("") or self.uris
            return (*matching(pattern, uris), *self._translations(pattern, uris))
        path = pattern[name.end() + 1 :]
        return tuple(
            f"{site}:{uri}"
            for site, uris in self._by_site.items()
            if site and fits_name(name[0], site)
            for uri in matching(path, uris)
        )

    def _translations(self, pattern: str, uris: Sequence[str]) -> tuple[str, ...]:
        """Return the pages of another language that replace those that match a pattern.

        An untranslated page asks for `en/guides/**` in the German site, too.
        """
        language, slash, _ = pattern.partition("/")
        if not slash or is_glob(language):
            return ()
        paths = [f"{language}/{uri.partition('/')[2]}" for uri in uris]
        missing = {*matching(pattern, paths)} - self._order.keys()
        pairs = zip(uris, paths, strict=True)
        return tuple(uri for uri, path in pairs if path in missing and self.alias(path) == uri)

    def _check(self, path: str, anchor: str, source: str, page: str) -> None:
        if path in self._order or (path == page and path in self.unlisted):
            return
        if path in self.refused:
            subject = f"source '{source}'" if source else "this page"
            raise SourceError(f"{subject} cannot be quoted: {self.refused[path]}")
        if path == page or not path:
            raise SourceError("there is no page to quote: name one with 'source'")
        check_single(source)
        name = _SITE.match(path) if self.sites else None
        site = f"the site '{name[0]}'" if name else "this site"
        msg = f"source '{source}' is not a page of {site}"
        hint = self._suggest(path, anchor, page, source) or ("" if name else self.remedy())
        raise SourceError(msg + hint)

    def _suggest(
        self, path: str, anchor: str, page: str, source: str, *, exact: bool = False
    ) -> str:
        """Return `; did you mean 'x'?` for another page of the site, as `page` would write it.

        With `exact`, only a page with the same name.
        """
        viewed_from = "" if self.sites and _SITE.match(path) else page
        stem = _ENDING.sub("", path)
        candidates = [uri for uri in self._uris_like(path) if uri != viewed_from]
        similar = _of_stem(stem, path, candidates) or _same_name(stem, candidates)
        if not similar and not exact:
            stems = {_ENDING.sub("", uri): uri for uri in candidates}
            similar = stems.get(_most_similar(stem, stems), "")
        if not similar:
            return ""
        written = f"{_root(source)}{similar}"
        if viewed_from and not _root(source):
            written = posixpath.relpath(similar, posixpath.dirname(viewed_from))
        if similar.endswith("/"):
            return f"; did you mean '{written.rstrip('/')}/'?"
        return f"; did you mean '{written}{f'#{anchor}' if anchor else ''}'?"

    def _uris_like(self, path: str) -> Sequence[str]:
        name = _SITE.match(path) if self.sites else None
        if name is None:
            return self._by_site.get("") or self.uris
        return [f"{name[0]}:{path}" for path in self._by_site.get(name[0], ())]


def _root(source: str) -> str:
    return "/" if source.lstrip().startswith("/") else ""


def _leads_out(path: str) -> bool:
    return path == ".." or path.startswith("../")


def _is_pattern(path: str) -> bool:
    return path.endswith("/") or is_glob(path)


def _normalise(source: str, page: str) -> tuple[str, str]:
    """Return the path from the root and the anchor of a source relative to a page."""
    path, _, anchor = source.strip().partition("#")
    if path == WHOLE_SITE:
        return path, anchor
    if "\0" in path or _URL.match(path) or "\\" in path:
        hint = "; write it with '/'" if "\\" in path else ""
        if not hint and ":" in path and not _NETWORK.match(path):
            hint = f"; 'sites' in mkdocs.yml has no site '{path.partition(':')[0]}'"
        printable = source.replace("\0", "\\0")
        raise SourceError(f"source '{printable}' is not the path of a page of this site{hint}")
    if not path:
        return page, unquote(anchor)
    folder = path.endswith(("/", "/.", "/..")) or path in {".", ".."}
    if not is_glob(path):
        path = unquote(path)
    full = path.lstrip("/") if path.startswith("/") else f"{posixpath.dirname(page)}/{path}"
    full = posixpath.normpath(full.lstrip("/") or ".")
    if folder and not _leads_out(full):
        full = "**" if full == "." else f"{full}/**"
    return full, unquote(anchor)
