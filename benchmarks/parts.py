"""What whole builds do not show: `python -m benchmarks.parts`, from the folder of the project.

- start-up: what the imports of the plugin add to those of MkDocs
- a large page: the first recall from a page of 900 KB, and each after it; the same for synopsis
- the whole site: 1,000 queries of 1,000 pages, and a query of 5,000 words
- a page with 1,000 directives
- memory: what the pages and the index hold

All figures are CPU time, in milliseconds and in times of something that a reader knows: most often,
what Python-Markdown takes to render the same pages. Each part runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
import tracemalloc
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import markdown

from benchmarks import build, documentation, imports, report, vocabulary
from benchmarks.site import EXTENSIONS, write_site
from mkdocs_recall.corpus.corpus import Corpus
from mkdocs_recall.index.selection import PageSet
from mkdocs_recall.text.analysis import analyse
from mkdocs_recall.text.html.reader import read_html

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mkdocs_recall.text.model import Document

_T = TypeVar("_T")

LARGE_PAGE = 900_000  # bytes of Markdown
PAGES = 1_000
QUERIES = 1_000
LATER = 20  # queries of the large page, after the first
LONG_QUERY = 5_000  # words
DIRECTIVES = 1_000  # on one page
ASKED = 100  # pages, by these
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Figure:
    """Something that was measured, and what it is compared with."""

    what: str
    value: float
    unit: str
    yardstick: str
    ratio: float


def start_up(scale: float, seed: int) -> list[Figure]:  # noqa: ARG001 - as the other parts
    """Measure the imports."""
    found = []
    for state, seconds in (
        ("compiled", imports.with_bytecode()),
        ("not compiled", imports.without_bytecode()),
    ):
        mkdocs = seconds.pop("MkDocs")
        for stage, cpu in seconds.items():
            what = f"imports, {state}: {stage}"
            found.append(_figure(what, cpu, "MkDocs' imports", mkdocs))
    return found


def large_page(scale: float, seed: int) -> list[Figure]:
    """Measure a page that is much larger than others."""
    page = documentation.made_up_page(1, seed=seed, size=round(LARGE_PAGE * scale))
    html, rendering = _rendered([page])
    queries = _queries([page], LATER + 1, seed=seed)
    recalls = _corpus(html)
    first, later = _each(lambda query: recalls.recall(query, source=page.uri, min_score=0), queries)
    synopses = _corpus(html)
    lengths = range(3, 3 + len(queries))  # another one each time: what was asked is remembered
    once, again = _each(lambda length: synopses.synopsis(page.uri, max_sentences=length), lengths)
    return [
        _figure(f"{LARGE_PAGE * scale / 1000:,.0f} KB page: {what}", cpu, "rendering it", rendering)
        for what, cpu in (
            ("first recall", first),
            ("each later recall", later),
            ("first synopsis", once),
            ("each later synopsis", again),
        )
    ]


def whole_site(scale: float, seed: int) -> list[Figure]:
    """Measure queries of all pages."""
    pages = list(documentation.made_up(round(PAGES * scale), seed=seed))
    html, rendering = _rendered(pages)
    corpus = _corpus(html)
    queries = _queries(pages, round(QUERIES * scale) + 1, seed=seed)
    first, later = _each(lambda query: corpus.recall(query, min_score=0), queries)
    words = vocabulary.draw(random.Random(seed), round(LONG_QUERY * scale))
    long, _ = _seconds(lambda: corpus.recall(" ".join(words), min_score=0))
    site, one = "rendering the pages", "rendering one page"
    return [
        _figure(f"{len(pages):,} pages: index, pages read for it", first - later, site, rendering),
        *(
            _figure(f'{len(pages):,} pages: {what} of "**"', cpu, one, rendering / len(pages))
            for what, cpu in (("a query", later), (f"a query of {len(words):,} words", long))
        ),
    ]


def many_directives(scale: float, seed: int) -> list[Figure]:
    """Measure a page with very many directives, in a whole build."""
    count = round(DIRECTIVES * scale)
    pages = documentation.made_up(round(ASKED * scale) + 1, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        site = write_site(Path(folder), pages, directives=count, seed=seed, hosts=1)
        cold = build.build(site, "cold")
        warm = build.build(site, "warm")
    return [
        _figure(f"page with {count:,} directives, {way}: {what}", sample.events[event], rest, of)
        for way, sample in (("cold", cold), ("warm", warm))
        for what, event in (("finding them", "page_markdown"), ("answering them", "env"))
        for rest, of in [("the rest of the build", sample.inside / sample.share)]
    ]


def memory(scale: float, seed: int) -> list[Figure]:
    """Measure what is held when all pages are read and there is an index of them."""
    pages = list(documentation.made_up(round(PAGES * scale), seed=seed))
    html, _ = _rendered(pages)
    size = sum(len(page.markdown.encode()) for page in pages)
    [query] = _queries(pages, 1, seed=seed)
    tracemalloc.start()
    corpus = _corpus(html)
    corpus.recall(query, min_score=0)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    what = f"{len(pages):,} pages: memory of the index and the pages"
    return [Figure(what, held / 1e6, "MB", "their Markdown", held / size)]


PARTS = (start_up, large_page, whole_site, many_directives, memory)


def _figure(what: str, cpu: float, yardstick: str, of: float) -> Figure:
    return Figure(what, 1000 * cpu, "ms", yardstick, cpu / of)


def _rendered(pages: Sequence[documentation.Page]) -> tuple[dict[str, str], float]:
    """Return the HTML of pages, and the CPU seconds that Python-Markdown took."""
    names: list[str] = []
    configs: dict[str, dict[str, Any]] = {}
    for extension in EXTENSIONS:
        configs |= extension if isinstance(extension, dict) else {}
        names += [extension] if isinstance(extension, str) else list(extension)
    renderer = markdown.Markdown(extensions=names, extension_configs=configs)
    seconds, html = _seconds(
        lambda: {page.uri: renderer.reset().convert(page.markdown) for page in pages}
    )
    return html, seconds


def _corpus(html: dict[str, str]) -> Corpus:
    """Return pages that are read from their HTML when they are asked, as in a build."""

    def load(uri: str) -> Document:
        return analyse(read_html(html[uri]), uri=uri, title=uri, language="en", url=uri)

    return Corpus(PageSet(list(html), load))


def _queries(pages: Sequence[documentation.Page], count: int, *, seed: int) -> list[str]:
    """Draw queries that are made of the words of a heading."""
    headings = [words for page in pages for words in page.headings()]
    return [" ".join(words) for words in random.Random(seed).choices(headings, k=count)]


def _seconds(action: Callable[[], _T]) -> tuple[float, _T]:
    start = time.process_time()
    made = action()
    return time.process_time() - start, made


def _each(action: Callable[[_T], object], asked: Iterable[_T]) -> tuple[float, float]:
    """Return the CPU seconds of the first of several actions, and the mean of the others."""
    first, *later = [_seconds(lambda: action(each))[0] for each in asked]  # noqa: B023 - called here
    return first, sum(later) / len(later)


def in_fresh_process(
    part: Callable[[float, int], list[Figure]], scale: float, seed: int
) -> list[Figure]:
    """Measure a part in an interpreter that has done nothing before."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
        return fresh.submit(part, scale, seed).result()


def medians(rounds: Sequence[Sequence[Figure]]) -> list[Figure]:
    """Return the medians of the figures of several rounds."""
    return [
        Figure(
            *(same[0].what, report.median(figure.value for figure in same) or 0, same[0].unit),
            *(same[0].yardstick, report.median(figure.ratio for figure in same) or 0),
        )
        for same in zip(*rounds, strict=True)
    ]


def main() -> int:
    """Measure all parts."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.parts", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--rounds", type=int, default=ROUNDS, help=f"medians are over these; {ROUNDS}")
    add("--scale", type=float, default=1.0, help="measure smaller things, such as 0.1; 1")
    add("--seed", type=int, default=1, help="of the pages that are made up; 1")
    add("--json", type=Path, metavar="FILE", help="write the figures, too")
    arguments = parser.parse_args()
    rounds: list[list[Figure]] = []
    for number in range(arguments.rounds):
        rounds.append([])
        for part in PARTS:
            report.say(f"round {number + 1}, {part.__name__}")
            rounds[-1] += in_fresh_process(part, arguments.scale, arguments.seed)
    figures = medians(rounds)
    print(f"{report.machine()}; rounds: {arguments.rounds}\n")
    rows = [
        [f.what, f.yardstick, report.times(f.ratio), f"{report.number(f.value)} {f.unit}"]
        for f in figures
    ]
    print(report.table(["what", "compared with", "ratio", "here"], rows))
    if arguments.json:
        text = json.dumps([asdict(figure) for figure in figures], indent=1)
        arguments.json.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
