"""What it costs to ask many published sites as one: `python -m benchmarks.sites [FOLDER …]`.

Each folder of Markdown is a documentation, by default the demo site. Copies in which some words are
replaced by others make up the rest of `--sites` and `--sentences`. The files are opened with
nothing cached, then again by one process after the other; CPU time is that of the process, its
start included. Then several processes at once ask the same files, as the servers of several agents
do. The tables go to the standard output, all else to the standard error. The exit status is 1 if
answers differ from one process to the next.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import report
from benchmarks.process import environment, run
from mkdocs_recall import Corpus
from mkdocs_recall.options import DEFAULT_UNITS
from mkdocs_recall.publishing.packed_page import pack_page
from mkdocs_recall.publishing.published_file import SiteHeader, join_pages
from mkdocs_recall.text.model import Block, Heading

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mkdocs_recall import Document
    from mkdocs_recall.publishing.packed_page import PackedPage

_ROOT = Path(__file__).parent.parent
SITES = 22
SENTENCES = 312_000
QUERIES = 200
ROUNDS = 3
PROCESSES = (1, 2, 4)
REPLACED = 0.3
"""How many words of a copy are replaced, each by one of the same length, so that marks keep their
places. Others are drawn as often as they occur, so that rare words stay rare."""
_SAMPLE = 2_000  # pages whose words are drawn
_WORD = re.compile(r"[A-Za-z]{3,}")
_HEADING_WORDS = range(2, 9)  # of a heading that is a query


def arguments_of() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="benchmarks.sites", description=__doc__)
    parser.add_argument(
        "folders", nargs="*", type=Path, metavar="FOLDER", help="Markdown of a site"
    )
    for name, default in (("sites", SITES), ("sentences", SENTENCES), ("queries", QUERIES)):
        parser.add_argument(f"--{name}", type=int, default=default, help="(default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="(default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="(default: %(default)s)")
    parser.add_argument(
        "--processes", type=int, nargs="*", default=PROCESSES, metavar="N", help="at once; 1 2 4"
    )
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the published files here")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep every measurement")
    return parser.parse_args()


class Perturbation:
    """Makes copies of pages that say something else in words as frequent."""

    def __init__(self, pages: Sequence[Document]) -> None:
        """Collect the words of some pages."""
        self._words: dict[int, list[str]] = {}
        for page in pages:
            for block in page.blocks:
                for word in _WORD.findall(block.text):
                    self._words.setdefault(len(word), []).append(word)

    def copy(self, page: Document, folder: str, rng: random.Random) -> Document:
        """Return a copy of a page, in a folder; the same for the same state of `rng`."""

        def other(match: re.Match[str]) -> str:
            words = self._words.get(len(match[0])) if rng.random() < REPLACED else None
            return rng.choice(words) if words else match[0]

        headings = {
            heading: Heading(_WORD.sub(other, heading.text), heading.level, heading.anchor)
            for heading in dict.fromkeys(page.headings)
        }
        blocks = [
            Block(
                _WORD.sub(other, block.text),
                block.kind,
                block.top,
                block.section,
                tuple(map(headings.__getitem__, block.headings)),
                block.marks,
                number=block.number,
                lead=block.lead,
                cut=block.cut,
            )
            for block in page.blocks
        ]
        return replace(
            page,
            uri=f"{folder}{page.uri}",
            url=f"{folder}{page.url}",
            blocks=tuple(blocks),
            headings=tuple(map(headings.__getitem__, page.headings)),
        )


def sentences_of(page: Document) -> int:
    """Return how many sentences of a page are searched."""
    return sum(len(block.sentences) for block in page.blocks if block.kind in DEFAULT_UNITS)


def write_sites(
    folder: Path, bases: Sequence[Sequence[Document]], sites: int, sentences: int, *, seed: int
) -> list[Path]:
    """Write the published files of some sites that have about so many sentences together."""
    sizes = [sum(map(sentences_of, base)) for base in bases]
    all_pages = [page for base in bases for page in base]
    sample = random.Random(seed).sample(all_pages, min(_SAMPLE, len(all_pages)))
    perturbation = Perturbation(sample)
    whole = sum(sizes[number % len(bases)] for number in range(sites))
    files = []
    for number in range(sites):
        base = number % len(bases)
        wanted = sentences * sizes[base] / whole
        pages: list[PackedPage] = []
        for page in _pages(bases[base], perturbation, number, len(bases), seed):
            pages.append(pack_page(page))
            wanted -= sentences_of(page)
            if wanted <= 0:
                break
        name = f"site-{number:02}"
        header = SiteHeader(name, f"https://{name}.example/")
        files.append(folder / f"{name}.jsonl.gz")
        files[-1].write_bytes(join_pages(header, pages))
        report.say(f"{name}: {len(pages)} pages")
    return files


def _pages(
    base: Sequence[Document], perturbation: Perturbation, site: int, originals: int, seed: int
) -> Iterator[Document]:
    """Yield the pages of a site without end: those of a documentation, then copies."""
    for copy in count():
        folder = f"copy-{copy}/" if copy else ""
        for page in base:
            rng = random.Random(f"{seed}/{site}/{copy}/{page.uri}")
            is_original = site < originals and not copy
            yield page if is_original else perturbation.copy(page, folder, rng)


def queries_of(bases: Sequence[Sequence[Document]], wanted: int, *, seed: int) -> list[str]:
    """Draw headings as queries."""
    headings = {
        heading.text
        for base in bases
        for page in base
        for heading in page.headings
        if len(heading.text.split()) in _HEADING_WORDS
    }
    return random.Random(seed).sample(sorted(headings), min(wanted, len(headings)))


def measure(files: Sequence[Path], queries: Sequence[str], work: Path) -> dict[str, Any]:
    """Return what a process of its own has measured, with its peak memory in MiB."""
    folder = Path(tempfile.mkdtemp(dir=work))
    asked, written = folder / "asked.json", folder / "measured.json"
    asked.write_text(json.dumps({"files": list(map(str, files)), "queries": queries}))
    usage = run(
        (sys.executable, "-m", "benchmarks.asked_sites", str(asked), str(written)),
        folder=_ROOT,
        env={**environment(), "XDG_CACHE_HOME": str(work / "caches")},
    )
    measured: dict[str, Any] = json.loads(written.read_text(encoding="utf-8"))
    return {**measured, "peak": usage.peak}


def measure_together(
    number: int, files: Sequence[Path], queries: Sequence[str], work: Path
) -> list[dict[str, Any]]:
    """Return what each of some processes has measured that ask at the same time."""
    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(lambda _: measure(files, queries, work), range(number)))


def row_of(together: Sequence[dict[str, Any]]) -> list[str]:
    """Return what processes that asked at the same time have measured, as a row of a table."""
    waits = [wait for each in together for wait in each["waits"]]
    clock = max(each["ended"] for each in together) - min(each["began"] for each in together)
    return [
        str(len(together)),
        f"{len(waits) / clock:.1f}",
        f"{1000 * percentile(waits, 0.5):.0f} ms",
        f"{1000 * percentile(waits, 0.95):.0f} ms",
        f"{sum(each['peak'] or 0 for each in together):,.0f} MiB",
    ]


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share of the values is."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main() -> int:
    """Measure, and say what came out."""
    given = arguments_of()
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        folder = given.keep or work
        asked = folder / "queries.json"
        if not asked.exists():
            report.say("reading the pages")
            folders = given.folders or [_ROOT / "demo_site"]
            bases = [Corpus.from_folder(each, cache=False).documents for each in folders]
            folder.mkdir(parents=True, exist_ok=True)
            write_sites(folder, bases, given.sites, given.sentences, seed=given.seed)
            asked.write_text(json.dumps(queries_of(bases, given.queries, seed=given.seed)))
        files = sorted(folder.glob("site-*.jsonl.gz"))
        queries = json.loads(asked.read_text())
        report.say("opening the files")
        first, *again = (measure(files, queries, work) for _ in range(1 + given.rounds))
        report.say("asking at once")
        together = [measure_together(n, files, queries, work) for n in given.processes]
    print(f"{report.machine()}; {len(files)} sites; rounds: {given.rounds}\n")
    seconds = [min(each) for each in zip(*(each["seconds"] for each in again), strict=True)]
    peaks = [each["peak"] or 0 for each in again]
    rows = [
        ["opening, nothing cached", f"{first['opened']:.2f} s"],
        ["opening again", f"{min(each['opened'] for each in again):.2f} s"],
        ["a query, p50", f"{1000 * percentile(seconds, 0.5):.0f} ms"],
        ["a query, p95", f"{1000 * percentile(seconds, 0.95):.0f} ms"],
        ["peak memory, nothing cached", f"{first['peak'] or 0:,.0f} MiB"],
        ["peak memory, again", f"{max(peaks):,.0f} MiB"],
    ]
    print(report.table(["What", "CPU time or memory"], rows))
    if together:
        head = ["Processes at once", "Queries a second", "p50, clock", "p95, clock", "Peak memory"]
        print(f"\n{report.table(head, map(row_of, together))}")
    if given.json:
        measured = {"first": first, "again": again, "together": together, "queries": queries}
        given.json.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    wrong = len({each["answers"] for each in (first, *again, *chain.from_iterable(together))}) > 1
    report.say("WRONG: answers differ" if wrong else "all processes gave the same answers")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
