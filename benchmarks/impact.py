"""What `mkdocs-recall impact` costs, and whether it finds the changed answers, and no others.

Seeded edits are made to the pages of a site in a git repository. After each, `impact` compares the
work tree with the last commit, and all directives are answered anew, as `check` does.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.documentation import made_up, real
from benchmarks.site import Site, write_site
from mkdocs_recall.answers.lock import changed_answers, read_lock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mkdocs_recall.answers.lock import LockEntry

_GIT = ("git", "-c", "user.name=A", "-c", "user.email=a@larch.example")
_SENTENCE = re.compile(r"^[A-Z][^`\n]*\w\.$", re.MULTILINE)
_NUMBER = re.compile(r"\d+")
_ROUNDS = 5


def commit(site: Site, *, whole_site: bool) -> None:
    """Commit a site; with its directives asking all pages, if wanted."""
    (site.root / "mkdocs.yml").write_bytes((site.root / "recall.yml").read_bytes())
    (site.root / ".gitignore").write_text("cache/\nbare/\n", encoding="utf-8")
    if whole_site:
        for uri in site.uris:
            text = site.page(uri).read_text(encoding="utf-8")
            text = re.sub(r"^source: .*$", 'source: "**"', text, flags=re.MULTILINE)
            site.page(uri).write_text(text, encoding="utf-8")
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Pages"]):
        subprocess.run([*_GIT, *arguments], cwd=site.root, check=True)


def edited(text: str, rng: random.Random) -> str:
    """Return a page with one edit: a sentence changed, removed or added, or a value changed."""
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
            _NUMBER.sub(lambda number: str(int(number[0]) + 1), sentence),
            " ".join(words[: len(words) // 2 + 1]) + ".",
            sentence.replace(" the ", " a "),
        ]
    )
    return text[: match.start()] + new + text[match.end() :]


def answers(root: Path) -> tuple[LockEntry, ...]:
    """Return all answers, in a process of its own as `lock` gives them."""
    run_command(root, "lock", "--accept")
    return read_lock(root / "recall.lock")


def run_command(root: Path, *arguments: str) -> str:
    """Run a command in a site, and return what it prints."""
    command = [sys.executable, "-m", "mkdocs_recall", *arguments]
    done = subprocess.run(command, cwd=root, check=False, capture_output=True)
    return done.stdout.decode()


def faults(site: Site, edits: int, seed: int) -> Iterator[str]:
    """Yield the misses and the false alarms of `impact` in some edits."""
    rng = random.Random(f"{seed}/impact")
    before = answers(site.root)
    changes = 0
    for number in range(edits):
        page = site.page(rng.choice(site.uris))
        text = page.read_text(encoding="utf-8")
        page.write_text(edited(text, rng), encoding="utf-8")
        after = answers(site.root)
        found = json.loads(run_command(site.root, "impact", "--diff", "HEAD", "--json"))
        page.write_text(text, encoding="utf-8")
        reported = {
            (each["page"], (each["before"] or {}).get("text"), (each["after"] or {}).get("text"))
            for each in found["impacts"]
        }
        expected = {
            (
                change.entry.page,
                *(each.text if each else None for each in (change.before, change.after)),
            )
            for change in changed_answers(before, after)
        }
        changes += len(expected)
        yield from (
            f"edit {number}: missed {each}" for each in sorted(expected - reported, key=str)
        )
        yield from (f"edit {number}: false {each}" for each in sorted(reported - expected, key=str))
    print(f"{edits} edits changed {changes} answers", file=sys.stderr)


def seconds(site: Site) -> float:
    """Return the least CPU time of a warm run after a one-line edit."""
    page = site.page(site.directives[0].source)
    text = page.read_text(encoding="utf-8")
    command = "impact", "--diff", "HEAD"
    run_command(site.root, *command)
    times = []
    for number in range(_ROUNDS):
        page.write_text(f"{text}\nSentence {number} is here.\n", encoding="utf-8")
        before = os.times()
        run_command(site.root, *command)
        after = os.times()
        used = after.children_user - before.children_user
        times.append(used + after.children_system - before.children_system)
    page.write_text(text, encoding="utf-8")
    return min(times)


def main() -> int:
    """Print the table, then what `impact` got wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", type=Path, help="a folder of real Markdown for the edits")
    parser.add_argument("--pages", type=int, default=1000, help="of the timed site")
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--edited-pages", type=int, default=100, help="of the edited site")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, whole_site in (("pages as sources", False), ('"**" as source', True)):
            if arguments.pages:
                pages = made_up(arguments.pages, seed=arguments.seed)
                site = write_site(
                    Path(folder, str(whole_site)), pages, directives=1, seed=arguments.seed
                )
                commit(site, whole_site=whole_site)
                print(f"{arguments.pages} pages, {name}: {seconds(site):.2f} s CPU")
        count = arguments.edited_pages
        pages = (
            real(arguments.docs, count, seed=arguments.seed)
            if arguments.docs
            else made_up(count, seed=arguments.seed)
        )
        site = write_site(Path(folder, "edits"), pages, directives=1, seed=arguments.seed)
        commit(site, whole_site=False)
        wrong = list(faults(site, arguments.edits, arguments.seed))
    print("\n".join(wrong) or "no miss, no false alarm")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
