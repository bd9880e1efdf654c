"""The documentation of a mill, of which each fence says what it expects, for several generators."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from bs4 import BeautifulSoup
from terminal import Outcome, Terminal

from mkdocs_recall.hosts.html_fences import COMMENT

MILL = Path(__file__).with_name("mill")
FAULTS = [
    "mistakes.md: a code block reads like a directive, but no class names the language",
    "mistakes.md:7: recall: unknown option 'sorce'; did you mean 'source'?",
    "mistakes.md:12: recall: source 'storrage.md' is not a page of this site; did you mean",
    "mistakes.md:19: recall: 'storage.md' has no section '#shelf-live'; did you mean '#shelf-life'",
    "mistakes.md:26: recall: 'query' is required",
    "mistakes.md:33: synopsis: the options are not valid YAML",
    "mistakes.md:38: recall: no sentence answers the query",
    "mistakes.md:46: recall: expected 'for ten years', which is nowhere in the site",
]
"""What the pages that all generators get are wrong in, on purpose."""


def sources(folder: Path, host: str, pages: str) -> None:
    """Write the documentation for a generator, with the pages of all in one of its folders."""
    shutil.copytree(MILL / host, folder, dirs_exist_ok=True)
    shutil.copytree(MILL / "pages", folder / pages, dirs_exist_ok=True)


def fill(folder: Path, site: str, docs: str, *arguments: str) -> Outcome:
    """Fill a site, with nothing from a cache."""
    shutil.rmtree(folder / ".caches", ignore_errors=True)
    return Terminal(folder).run("fill", site, "--docs", docs, *arguments)


def warnings(said: Outcome) -> list[str]:
    """Return the warnings of a command, which are in order of their places."""
    return re.findall(r"^Warning: (.*)$", said.err, re.MULTILINE)


def assert_faults(said: Outcome, expected: list[str]) -> None:
    """Check that a site was filled with these warnings, each shortened, and no other."""
    messages = warnings(said)
    assert [w[: len(e)] for w, e in zip(messages, expected, strict=False)] == expected, said.err
    assert len(messages) == len(expected), said.err


def fences(folder: Path) -> int:
    """Count the directives in the sources."""
    forms = (
        r"^[ >]*(?:```|~~~)(?:recall|synopsis)\b",
        r"^[ >]*(?:````?|:::)(?:\{code-block\} (?:recall|synopsis)|\{(?:recall|synopsis)\})$",
        r"^ *\.\. (?:(?:code|code-block|sourcecode):: )?(?:recall|synopsis)(?:::)?$",
        r"^ *::$",
    )
    files = (path for path in folder.rglob("*") if path.suffix in {".md", ".rst"})
    texts = [path.read_text("utf-8") for path in files]
    return sum(len(re.findall(form, text, re.MULTILINE)) for form in forms for text in texts)


def quotes(site: Path) -> Iterator[str]:
    """Yield what stands between each comment of a directive and its end."""
    for path in sorted(site.rglob("*.html")):
        html = path.read_text("utf-8")
        for comment in COMMENT.finditer(html):
            yield html[comment.end() : html.index("<!-- /recall:fence -->", comment.end())]


def assert_links(site: Path) -> None:
    """Check that each link of a quote leads to a page of the site, and to an anchor in it."""
    pages = {
        path: BeautifulSoup(path.read_text("utf-8"), "html.parser") for path in site.rglob("*.html")
    }
    links = [(path, link) for path, page in pages.items() for link in page.select("cite a")]
    assert len(links) > 30
    for path, link in links:
        href, _, anchor = str(link["href"]).partition("#")
        target = (path.parent / unquote(href)).resolve() if href else path
        page = pages[target / "index.html" if target.is_dir() else target]
        assert not anchor or page.find(id=anchor), (path, link)
