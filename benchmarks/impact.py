"""What `mkdocs-recall impact` costs, and whether it finds the changed answers, and no others.

Seeded edits are made to the pages of a site in a git repository. After each, `impact` compares the
work tree with the last commit, and all directives are answered anew, as `check` does.
"""

from __future__ import annotations

import argparse
import os
import posixpath
import random
import re
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.documentation import made_up, real
from benchmarks.site import Site, write_site
from mkdocs_recall.answers.lock import changed_answers
from mkdocs_recall.cli.findings import survey
from mkdocs_recall.cli.revisions import WORK_TREE, impacts_in_git
from mkdocs_recall.cli.where import Where

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_GIT = ("git", "-c", "user.name=A", "-c", "user.email=a@larch.example")
_SENTENCE = re.compile(r"^[A-Z][^`\n]*\w\.$", re.MULTILINE)
_HEADING = re.compile(r"^## .*$", re.MULTILINE)
_SOURCE = re.compile(r'^source: "(.*)"$', re.MULTILINE)
_HEADINGS = 0.15
"""How many edits are those of a heading."""
_DELETIONS = 0.05
"""How many edits delete a page."""
_NUMBER = re.compile(r"\d+")
_ROUNDS = 5


def commit(site: Site, source: Callable[[str], str]) -> None:
    """Commit a site.

    Args:
        site: The site.
        source: Returns what a directive asks in place of a page.
    """
    (site.root / "mkdocs.yml").write_bytes((site.root / "recall.yml").read_bytes())
    (site.root / ".gitignore").write_text("cache/\nbare/\n", encoding="utf-8")
    for uri in site.uris:
        page = site.page(uri)
        text = page.read_text(encoding="utf-8")
        page.write_text(_SOURCE.sub(lambda match: source(match[1]), text), encoding="utf-8")
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Pages"]):
        subprocess.run([*_GIT, *arguments], cwd=site.root, check=True)


def page_itself(page: str) -> str:
    """Return the source of a directive that asks one page."""
    return f'source: "{page}"'


def whole_site(_: str) -> str:
    """Return the source of a directive that asks all pages."""
    return 'source: "**"'


def mixed_sources() -> Callable[[str], str]:
    """Return what gives the directives of a site, in turn, a page, its folder, and all pages."""
    numbers = count()

    def source(page: str) -> str:
        folder = posixpath.dirname(page)
        sources = (page, page, f"{folder}/" if folder.strip("/") else page, "**")
        return f'source: "{sources[next(numbers) % len(sources)]}"'

    return source


def edited(text: str, rng: random.Random) -> str:
    """Return a page with one edit of a sentence or a heading."""
    heading = rng.choice(_HEADING.findall(text) or [""])
    if heading and rng.random() < _HEADINGS:
        return text.replace(heading, rng.choice(["", f"{heading} and more", "## Other"]), 1)
    sentences = list(_SENTENCE.finditer(text))
    if not sentences:
        return f"{text}\nOne more sentence is here.\n"
    match = rng.choice(sentences)
    sentence = match[0]
    words = sentence.split(" ")
    rng.shuffle(words)
    new = rng.choice(
        [
            "",
            f"{sentence} Also, {sentence}",
            f"{heading.strip('# ')} {sentence}",
            _NUMBER.sub(lambda number: str(int(number[0]) + 1), sentence),
            " ".join(words[: len(words) // 2 + 1]) + ".",
            sentence.replace(" the ", " a "),
        ]
    )
    return text[: match.start()] + new + text[match.end() :]


def faults(site: Site, edits: int, seed: int) -> Iterator[str]:
    """Yield the misses and the false alarms of `impact` in some edits."""
    rng = random.Random(f"{seed}/impact")
    where = Where(str(site.root / "mkdocs.yml"))
    before = survey(where).entries
    changes = 0
    for number in range(edits):
        uri = rng.choice(site.uris)
        page = site.page(uri)
        text = page.read_text(encoding="utf-8")
        if rng.random() < _DELETIONS:
            page.unlink()
        else:
            page.write_text(edited(text, rng), encoding="utf-8")
        after = survey(where).entries
        reported = {
            (found.directive.page, *(each and each.text for each in (found.before, found.after)))
            for found in impacts_in_git(where, "HEAD", WORK_TREE)
            if found.kind != "same"
        }
        page.write_text(text, encoding="utf-8")
        expected = {
            (change.entry.page, *(each and each.text for each in (change.before, change.after)))
            for change in changed_answers(before, after)
        }
        changes += len(expected)
        for kind, wrong in (("missed", expected - reported), ("false", reported - expected)):
            yield from (
                f"edit {number} of {uri}: {kind} {each}" for each in sorted(map(repr, wrong))
            )
    print(f"{edits} edits changed {changes} answers")


def seconds(site: Site, *, edits: bool) -> float:
    """Return the least CPU time of a warm run, each after a new one-line edit or after none."""
    page = site.page(site.directives[0].source)
    text = page.read_text(encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs_recall", "impact", "--diff", "HEAD"]
    times = []
    for number in range(_ROUNDS):
        if edits or not number:
            page.write_text(f"{text}\nSentence {number} is here.\n", encoding="utf-8")
        before = os.times()
        subprocess.run(command, cwd=site.root, check=False, capture_output=True)
        after = os.times()
        used = after.children_user - before.children_user
        times.append(used + after.children_system - before.children_system)
    page.write_text(text, encoding="utf-8")
    return min(times[1:])


def main() -> int:
    """Print the table, then what `impact` got wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=Path, help="a folder of real Markdown for the edits")
    parser.add_argument("--pages", type=int, default=1000, help="of the timed site; 0 for none")
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--edited-pages", type=int, default=25, help="of the edited site")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, source in (("pages as sources", page_itself), ('"**" as source', whole_site)):
            if arguments.pages:
                pages = made_up(arguments.pages, seed=arguments.seed)
                root = Path(folder, source.__name__)
                site = write_site(root, pages, directives=1, seed=arguments.seed)
                commit(site, source)
                for kind, edits in (("a new edit", True), ("the same edit", False)):
                    used = seconds(site, edits=edits)
                    print(f"{arguments.pages} pages, {name}, {kind}: {used:.2f} s CPU")
        if arguments.edits:
            number, seed = arguments.edited_pages, arguments.seed
            docs = arguments.docs
            pages = real(docs, number, seed=seed) if docs else made_up(number, seed=seed)
            site = write_site(Path(folder, "edits"), pages, directives=3, seed=seed)
            commit(site, mixed_sources())
            wrong = list(faults(site, arguments.edits, seed))
    print("\n".join(wrong) or "no miss, no false alarm")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
