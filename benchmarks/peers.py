"""What the plugin costs beside others: `python -m benchmarks.peers`, from the project's folder.

Each page of a site takes a text from another one, in the way of each tool, over the same pages:

- MkDocs' search, Material's search: the index of the site; they take no text
- snippets (PyMdown Extensions): the first five lines of the other page
- include-markdown: what is before the first section of the other page
- embedm: the sentences that answer a query, or a synopsis
- mkdocs-recall: the same queries and synopses, with an empty cache, and again with nothing changed

Measured is the CPU time in the events of a plugin, and in the whole command of embedm, which writes
new Markdown. The table goes to the standard output, all else to the standard error. The exit status
is 1 if a tool left something undone.
"""

from __future__ import annotations

import argparse
import json
import os
import posixpath
import shutil
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from benchmarks import documentation, report
from benchmarks.process import run
from benchmarks.site import EXTENSIONS, inserted, write_site

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from benchmarks.site import Directive, Site

PAGES: Final = 1_000
ROUNDS: Final = 3
_OTHER: Final = "other"
_COMPILED: Final = "compiled"
_MKDOCS: Final = (sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file")
_EMBEDM: Final = (
    *(sys.executable, "-c", "from embedm.application.orchestration import main; main()"),
    *(f"{_OTHER}/**", "--output-dir", _COMPILED, "--accept-all", "--no-color"),
)


class Peer(NamedTuple):
    """A tool beside ours."""

    name: str
    package: str
    clocked: str = ""
    """The module whose time is measured; empty for a command."""
    changes: Mapping[str, Any] = MappingProxyType({})
    """What its configuration has in place of the plain one's."""
    fence: Callable[[Directive], str] | None = None
    """Makes what a page contains for a directive; None for a search."""
    undone: str = ""
    """What no finished page contains."""


def _snippet(directive: Directive) -> str:
    return f'--8<-- "{directive.source}:1:5"'


def _include(directive: Directive) -> str:
    return f'{{% include-markdown "{_path(directive)}" end="\\n## " %}}'


def _embedm(directive: Directive) -> str:
    query = f"query: {json.dumps(directive.query)}\n" if directive.query else ""
    source = json.dumps(_path(directive))
    return f"```yaml embedm\ntype: {directive.name}\nsource: {source}\n{query}```"


def _path(directive: Directive) -> str:
    """Return the path from a page to the one that it asks, among the pages without directives."""
    folder = posixpath.dirname(posixpath.join(_OTHER, directive.host))
    return posixpath.relpath(posixpath.join("bare", directive.source), folder)


PEERS: Final = (
    Peer("MkDocs' search", "mkdocs", "mkdocs.contrib.search"),
    Peer(
        *("Material's search", "mkdocs-material", "material.plugins.search"),
        {"theme": {"name": "material"}, "plugins": ["material/search"]},
    ),
    Peer(
        *("snippets", "pymdown-extensions", "pymdownx.snippets"),
        {"markdown_extensions": [*EXTENSIONS, {"pymdownx.snippets": {"base_path": ["bare"]}}]},
        *(_snippet, "--8&lt;--"),
    ),
    Peer(
        *("include-markdown", "mkdocs-include-markdown-plugin", "mkdocs_include_markdown_plugin"),
        {"plugins": ["search", "include-markdown"]},
        *(_include, "{% include-markdown"),
    ),
    Peer("embedm", "embedm", fence=_embedm, undone="```yaml embedm"),
)


def configure(site: Site, peer: Peer) -> None:
    """Write the pages and the configuration of a tool."""
    shutil.rmtree(site.root / _OTHER, ignore_errors=True)
    shutil.copytree(site.root / "bare", site.root / _OTHER)
    if peer.fence is not None:
        for directive in site.directives:
            page = site.root / _OTHER / directive.host
            text = inserted(page.read_text(encoding="utf-8"), [peer.fence(directive)])
            page.write_text(text, encoding="utf-8", newline="\n")
    config = json.loads((site.root / "plain.yml").read_text(encoding="utf-8"))
    own = {"docs_dir": _OTHER, "extra": {"clocked": peer.clocked}}
    (site.root / "peer.yml").write_text(
        json.dumps({**config, **peer.changes, **own}), encoding="utf-8"
    )


def measure(site: Site, peer: Peer) -> tuple[float | None, list[str]]:
    """Return the CPU seconds of a tool, and what went wrong."""
    configure(site, peer)
    if peer.clocked:
        seconds: float | None = built(site, "peer")
        pages = list(site.built.rglob("*.html"))
    else:
        shutil.rmtree(site.root / _COMPILED, ignore_errors=True)
        seconds = run(_EMBEDM, folder=site.root).cpu
        pages = list((site.root / _COMPILED).rglob("*.md"))
    faults = []
    if len(pages) < len(site.uris):
        faults.append(f"{peer.name}: {len(pages)} pages of {len(site.uris)}")
    texts = [page.read_text(encoding="utf-8") for page in pages]
    if peer.undone and (undone := sum(peer.undone in text for text in texts)):
        faults.append(f"{peer.name}: {undone} pages are as they were")
    return seconds, faults


def built(site: Site, configuration: str) -> float:
    """Build the site; return the CPU seconds in the events that are clocked."""
    shutil.rmtree(site.built, ignore_errors=True)
    run([*_MKDOCS, f"{configuration}.yml"], folder=site.root)
    return float(sum(json.loads(site.inside.read_text(encoding="utf-8"))["events"].values()))


def measure_all(site: Site) -> tuple[dict[str, float | None], list[str]]:
    """Return the CPU seconds of each tool in one round, and what went wrong."""
    seconds: dict[str, float | None] = {}
    faults: list[str] = []
    for peer in PEERS:
        seconds[peer.name], wrong = measure(site, peer)
        faults += wrong
    site.forget()
    for way in ("cold", "warm"):
        seconds[f"mkdocs-recall, {way}"] = built(site, "recall")
    return seconds, faults


def main() -> int:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    for name, default in (("pages", PAGES), ("rounds", ROUNDS), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default, help=f"{default}")
    parser.add_argument("--docs", type=Path, metavar="FOLDER", help="real Markdown instead")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep every measurement")
    arguments = parser.parse_args()
    pages = (
        documentation.real(arguments.docs, arguments.pages, seed=arguments.seed)
        if arguments.docs
        else documentation.made_up(arguments.pages, seed=arguments.seed)
    )
    measured: list[dict[str, float | None]] = []
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        site = write_site(Path(os.path.realpath(folder)), pages, directives=1, seed=arguments.seed)
        for number in range(arguments.rounds):
            found, wrong = measure_all(site)
            measured.append(found)
            faults += wrong
            report.say(f"round {number + 1}: {found}")
    packages = {peer.name: f"{peer.package} {version(peer.package)}" for peer in PEERS}
    rows = []
    for name in measured[0]:
        ratios = [_ratio(found[name], found["MkDocs' search"]) for found in measured]
        seconds = report.median(found[name] for found in measured)
        each = "–" if seconds is None else report.number(1_000 * seconds / len(site.uris))
        rows.append([name, packages.get(name, ""), each, report.times(report.median(ratios))])
    print(f"{report.machine()}; {len(site.uris)} pages; rounds: {arguments.rounds}\n")
    head = ["tool", "version", "CPU, ms a page", "in times of MkDocs' search"]
    print(report.table(head, rows))
    if arguments.json:
        arguments.json.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    for fault in faults:
        report.say(fault)
    return min(len(faults), 1)


def _ratio(seconds: float | None, others: float | None) -> float | None:
    return None if seconds is None or not others else seconds / others


if __name__ == "__main__":
    sys.exit(main())
