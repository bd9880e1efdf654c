"""Input crafted to hold up a build: `python -m benchmarks.hostile`.

A family is a unit of text that is repeated, or opened and not closed, up to a size in characters.
`hostile.yml` has the units. The output is the power of the size with which CPU time and memory
grow, by least squares of the logarithms. A family ends at the first size that takes too long.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import yaml

from benchmarks import report
from mkdocs_recall.answers.html import QuotingPage, render
from mkdocs_recall.answers.insertion import insert_quotes, marker
from mkdocs_recall.answers.lock import LockEntry, pack_lock, unpack_lock
from mkdocs_recall.cli.mcp_server import repaired
from mkdocs_recall.directives.fences import find_fences
from mkdocs_recall.directives.options import read_options
from mkdocs_recall.errors import RecallError
from mkdocs_recall.hosts.html_fences import find_html_directives
from mkdocs_recall.index.sources import PageSet
from mkdocs_recall.options import ALGORITHM_NAMES, Limits, Options, Query, RecallOptions
from mkdocs_recall.pages.corpus import Corpus
from mkdocs_recall.ranking.result import Result
from mkdocs_recall.text.document import analyse, pack, unpack
from mkdocs_recall.text.front_matter import front_matter_faults, split_front_matter
from mkdocs_recall.text.html import read_html
from mkdocs_recall.text.model import Block, Document
from mkdocs_recall.text.theme import read_themed_page

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mkdocs_recall.text.model import Kind

SIZES = (10_000, 50_000, 250_000, 1_000_000, 5_000_000)
LONGEST = 120.0  # seconds
STEEPEST = 1.1  # what takes more is named below the table
_LEAST = 0.05  # seconds; what takes fewer is done again, and the shortest time counts
_NOTICEABLE = 8.0  # MiB; less drowns in what Python takes to begin with
_UNBOUNDED: Final = Limits(**dict.fromkeys(("page_size", "directive_size", "list_length"), 1 << 40))


@dataclass(frozen=True, slots=True)
class Family:
    """Input of one kind, of any size."""

    part: str  # who reads it
    what: str  # what is repeated
    write: Callable[[int], Any]  # makes the input of a size
    read: Callable[[Any], object]

    def prepare(self, size: int) -> Callable[[], object]:
        """Make the input of a size, and return a function that reads it."""
        return partial(self.read, self.write(size))


# What is written

_UNITS: Final = yaml.safe_load(Path(__file__).with_name("hostile.yml").read_text("utf-8"))
_ALIKE: Final = {
    "": _UNITS["answers"]["one paragraph"],
    "short paragraphs, ": "<p>A session {} expires after a day of token{}.</p>",
    "a few sections, ": "<h2>Session</h2>" + "<p>A session expires on day {}.</p>" * 500,
    "the same over and over, ": "<p>A session expires on day {}.</p>"
    + "<p>A session of everybody expires after a day, at noon.</p>" * 9,
}
"""Sentences that are compared with many chosen ones."""
_QUERY: Final = "when does a session expire"


def _repeated(unit: str, size: int) -> str:
    """Repeat a unit up to a size; `{}` in it is the repetition's number."""
    if "{}" not in unit:
        return unit * max(1, size // len(unit))
    parts: list[str] = []
    length = 0
    while length < size:
        parts.append(unit.replace("{}", str(len(parts))))
        length += len(parts[-1])
    return "".join(parts)


def _within(unit: tuple[str, str, str], size: int) -> str:
    before, inside, after = unit
    return before + _repeated(inside, size) + after


def _nested(unit: tuple[str, str, str], size: int) -> str:
    opening, inside, closing = unit
    depth = max(1, size // len(opening + closing))
    return opening * depth + inside + closing * depth


def _with_front_matter(unit: str, size: int) -> str:
    return f"---\nt_created: never\n{_repeated(unit, size)}\n---\n# A\n"


def _with_markers(unit: str, size: int) -> tuple[str, dict[str, str], dict[str, str]]:
    ids = [f"{number:016x}" for number in range(max(1, size // (len(unit) + 34)))]
    html = "".join(unit.replace("{}", marker(each)).replace("{0}", each) for each in ids)
    quotes = dict.fromkeys(ids, "<blockquote>a</blockquote>")
    return html, quotes, dict.fromkeys(ids, "```recall\nquery: a\n```")


def _lock_entries(unit: str, size: int) -> list[LockEntry]:
    text = _repeated(unit, 100)
    entry = LockEntry("", "a.md", "recall", ("q",), (), ("a.md",), (text,), text)
    return [replace(entry, id=str(number)) for number in range(max(1, size // (2 * len(text))))]


def _analysed(unit: str, size: int) -> Document:
    return _document(_repeated(unit, size))


def _document(html: str) -> Document:
    reading = read_html(html, limits=_UNBOUNDED)
    return analyse(reading, uri="a.md", title="Sessions", language="en", url="a/")


def _published(unit: list[tuple[Kind, str, int]], size: int) -> bytes:
    """Return a packed page with blocks that no reader would make."""
    blocks: list[Block] = []
    while len(blocks) * 60 < size:  # as many characters are about one of its blocks
        for kind, text, above in unit:
            lead = len(blocks) - above if 0 < above <= len(blocks) else None
            blocks.append(Block(text, kind, 0, 0, (), lead=lead))
    return pack(Document("a.md", "Sessions", "en", tuple(blocks)))


# What reads it


def _read_page(html: str) -> None:
    for block in _document(html).blocks:
        assert block.sentences is not None


def _read_finished_page(html: str) -> None:
    find_html_directives(html)
    read_themed_page(html, limits=_UNBOUNDED)


def _read_fence(body: str) -> None:
    with suppress(RecallError):
        read_options("recall", body, limits=_UNBOUNDED)


def _read_front_matter(text: str) -> None:
    front_matter_faults(split_front_matter(text).meta, text)


def _match(pattern: str) -> None:
    pages = PageSet([f"{number}/{'a' * 200}.md" for number in range(1000)], _document)
    with suppress(RecallError):
        pages.scope([f"{pattern}b"])


def _show(result: Result, options: Options) -> None:
    if result.passages:
        render(result, options, QuotingPage("b.md", "b/"))
    Result.from_json(result.to_json(explain=True))


def _recall(asked: Mapping[str, Any], page: str | bytes) -> None:
    result = _corpus(page).recall(**{"query": _QUERY, "min_score": 0, **asked})
    _show(result, RecallOptions(query=(Query(_QUERY),), explain=True))


def _synopsis(algorithm: str, html: str) -> None:
    result = _corpus(html).synopsis("a.md", algorithm=algorithm)
    _show(result, Options(explain=True))


def _corpus(page: str | bytes) -> Corpus:
    def read(uri: str) -> Document:
        return _document(page) if isinstance(page, str) else unpack(uri, page)

    return Corpus(PageSet(["a.md"], read))


_Row: TypeAlias = "tuple[str, Mapping[str, Any], Callable[..., Any], Callable[[Any], object]]"
_ROWS: Final[tuple[_Row, ...]] = (
    ("page", _UNITS["page"], _repeated, _read_page),
    ("page", _UNITS["page within"], _within, _read_page),
    ("page", _UNITS["nested page"], _nested, _read_page),
    ("finished page", _UNITS["finished page"], _repeated, _read_finished_page),
    ("finished page", _UNITS["nested finished page"], _nested, _read_finished_page),
    ("Markdown", _UNITS["Markdown"], _repeated, find_fences),
    ("fence", _UNITS["YAML"], _repeated, _read_fence),
    ("front matter", _UNITS["YAML"], _with_front_matter, _read_front_matter),
    ("putting in", _UNITS["markers"], _with_markers, lambda given: insert_quotes(*given)),
    ("glob", _UNITS["glob"], _repeated, _match),
    ("lock file", _UNITS["lock"], _lock_entries, lambda entries: unpack_lock(pack_lock(entries))),
    ("cache", _UNITS["cache"], _analysed, lambda document: unpack("a.md", pack(document))),
    ("agent's message", _UNITS["JSON"], _repeated, lambda text: repaired(text.encode())),
    ("recall", _UNITS["answers"], _repeated, partial(_recall, {})),
    ("recall of blocks", _UNITS["answers within"], _within, partial(_recall, {})),
    ("published blocks", _UNITS["published blocks"], _published, partial(_recall, {})),
    *(
        ("recall", {f"{kind}{what}": unit}, _repeated, partial(_recall, asked))
        for (kind, unit), (what, asked) in product(_ALIKE.items(), _UNITS["recall"].items())
    ),
    *(
        (f"synopsis, {name}", _UNITS["summarised"], _repeated, partial(_synopsis, name))
        for name in ALGORITHM_NAMES
    ),
)
FAMILIES: Final = tuple(
    Family(part, what, partial(write, unit), read)
    for part, units, write, read in _ROWS
    for what, unit in units.items()
)


class Measured(NamedTuple):
    """The cost of a family in one size."""

    size: int  # characters
    seconds: float  # of CPU, the shortest of some rounds
    peak: float  # MiB that the process took more than before


def measure(number: int, sizes: tuple[int, ...]) -> list[Measured]:
    """Measure a family, by its number, in a fresh process."""
    family = FAMILIES[number]
    family.prepare(1000)()  # what is imported on first use
    before = report.own_peak()
    measured: list[Measured] = []
    for size in sizes:
        run = family.prepare(size)
        taken: list[float] = []
        while sum(taken) < _LEAST:
            start = time.process_time()
            run()
            taken.append(time.process_time() - start)
        measured.append(Measured(size, min(taken), report.own_peak() - before))
        if min(taken) > LONGEST:
            break
    return measured


def main() -> int:
    """Measure all families, or those that are named."""
    parser = report.parser("hostile", __doc__)
    parser.add_argument("--only", metavar="TEXT", default="", help='such as "page: nested"')
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="characters")
    arguments = parser.parse_args()
    rows: list[list[str]] = []
    steep: list[str] = []
    for number, family in enumerate(FAMILIES):
        name = f"{family.part}: {family.what}"
        if arguments.only not in name:
            continue
        report.say(name)
        with report.fresh_process() as fresh:
            measured = fresh.submit(measure, number, tuple(arguments.sizes)).result()
        sizes, seconds, peaks = zip(*measured, strict=True)
        power = report.exponent(sizes, seconds)
        noticed = [each for each in measured if each.peak > _NOTICEABLE]
        growth = report.exponent([each.size for each in noticed], [each.peak for each in noticed])
        if max(seconds) > LONGEST or power > STEEPEST or growth > STEEPEST:
            steep.append(name)
        shown = [report.number(power), f"{seconds[-1]:.2f} s", report.number(growth)]
        rows.append([family.part, family.what, *shown, report.number(peaks[-1], " MiB")])
    print(f"{report.machine()}; {', '.join(f'{size:,}' for size in arguments.sizes)} characters\n")
    head = "read by | input | time grows by | largest took | memory grows by | and had"
    print(report.table(head, rows))
    print(f"\n{len(rows)} families, {len(steep)} steeper than {STEEPEST}: {'; '.join(steep)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
