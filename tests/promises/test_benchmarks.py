"""The benchmarks run, and say so when what was built is wrong."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from golden_demo import ROOT

from benchmarks import build, checks, documentation, report, sites
from benchmarks.site import Directive, Site, inserted, write_site
from mkdocs_recall import Corpus

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own interpreter, our own modules
        [sys.executable, "-m", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=ROOT,
    )


def site_of(root: Path, count: int = 3) -> Site:
    return write_site(root, documentation.made_up(count, seed=1), directives=2, seed=1)


@pytest.mark.slow
def test_builds_of_a_tiny_site_are_measured_and_checked(tmp_path: Path) -> None:
    written = tmp_path / "measured.json"
    done = run("benchmarks.build", "--pages", "4", "--rounds", "1", "--json", str(written))
    assert done.returncode == 0, done.stderr
    measured = json.loads(written.read_text(encoding="utf-8"))
    [size] = measured["sizes"]
    assert (size["pages"], size["directives"], size["faults"]) == (4, 4, [])
    assert list(size["builds"]) == ["plain", "no directives", "cold", "warm", "edited"]
    inside = {way: sample["inside"] for way, [sample] in size["builds"].items()}
    assert inside["plain"] == 0 < inside["no directives"] < inside["warm"] < inside["cold"]
    for way in size["builds"]:
        assert f"| 4 | {way} |" in done.stdout


@pytest.mark.slow
def test_questions_on_the_command_line_are_measured_and_checked(tmp_path: Path) -> None:
    written = tmp_path / "measured.json"
    done = run("benchmarks.asking", "--pages", "3", "--rounds", "1", "--json", str(written))
    assert done.returncode == 0, done.stderr
    measured = json.loads(written.read_text(encoding="utf-8"))
    assert measured["another question"][0] < measured["first question"][0]
    for name in measured:
        assert f"| {name} |" in done.stdout


@pytest.mark.slow
def test_rebuilds_are_measured_and_pile_up_nothing(tmp_path: Path) -> None:
    written = tmp_path / "measured.json"
    options = "--pages", "4", "--builds", "10", "--json", str(written)
    done = run("benchmarks.rebuilds", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    measured = json.loads(written.read_text(encoding="utf-8"))
    assert [len(builds) for builds in measured.values()] == [10, 10]
    assert "| with the plugin | 10 |" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("dirty", [(), ("--dirty",)], ids=["all pages", "dirty"])
def test_edits_under_serve_are_measured_and_quoted(tmp_path: Path, dirty: tuple[str, ...]) -> None:
    written = tmp_path / "measured.json"
    small = ("--pages", "4", "--edits", "2", "--json", str(written))
    done = run("benchmarks.serve", *small, *dirty)
    assert done.returncode == 0, done.stdout + done.stderr
    measured = json.loads(written.read_text(encoding="utf-8"))
    assert [is_quoted for _, _, is_quoted in measured["with the plugin"]] == [True, True]
    assert "| with the plugin | 2 |" in done.stdout


@pytest.mark.slow
def test_reading_the_history_is_measured_and_checked(tmp_path: Path) -> None:
    written = tmp_path / "measured.json"
    small = ("--commits", "60", "--pages", "8", "--rounds", "1", "--json", str(written))
    done = run("benchmarks.history", *small)
    assert done.returncode == 0, done.stderr
    for folders, sample in json.loads(written.read_text(encoding="utf-8")).items():
        assert f"| {folders} | 8 | " in done.stdout
        assert all(value > 0 for [value] in (sample["wall"], sample["log"]))


@pytest.mark.slow
def test_filling_a_finished_site_is_measured_and_checked(tmp_path: Path) -> None:
    written = tmp_path / "measured.json"
    done = run("benchmarks.fill", "--pages", "4", "--rounds", "1", "--json", str(written))
    assert done.returncode == 0, done.stderr
    [sample] = json.loads(written.read_text(encoding="utf-8"))
    assert list(sample) == ["plugin", "cold", "unchanged"]
    assert "| unchanged | " in done.stdout


@pytest.mark.slow
def test_edits_change_the_answers_that_impact_names() -> None:
    done = run("benchmarks.impact", "--pages", "4", "--edits", "4", "--edited-pages", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^4 edits changed [1-9]\d* answers$", done.stdout, re.MULTILINE)
    assert "no miss, no false alarm" in done.stdout
    assert '4 pages, "**" as source, a new edit: ' in done.stdout


@pytest.mark.slow
def test_other_tools_are_measured_on_the_same_pages() -> None:
    done = run("benchmarks.peers", "--pages", "4", "--rounds", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = re.findall(r"^\| ([^|]+) \| [^|]* \| ([\d.]+) \|", done.stdout, re.MULTILINE)
    tools = ["MkDocs' search", "Material's search", "snippets", "include-markdown", "embedm"]
    assert [name for name, _ in rows] == [*tools, "mkdocs-recall, cold", "mkdocs-recall, warm"]
    assert all(float(milliseconds) > 0 for _, milliseconds in rows), rows


@pytest.mark.slow
def test_parts_are_measured(tmp_path: Path) -> None:
    written = tmp_path / "measured.json"
    done = run("benchmarks.parts", "--scale", "0.01", "--rounds", "1", "--json", str(written))
    assert done.returncode == 0, done.stderr
    figures = json.loads(written.read_text(encoding="utf-8"))
    assert all(figure["ratio"] > 0 for figure in figures), figures
    for figure in figures:
        assert f"| {figure['what']} | {figure['yardstick']} |" in done.stdout


@pytest.mark.slow
def test_hostile_input_is_measured(tmp_path: Path) -> None:
    written = tmp_path / "measured.json"
    small = ("--part", "putting in", "--what", "breaks", "--sizes", "1000", "9000")
    done = run("benchmarks.adversarial", *small, "--json", str(written))
    assert done.returncode == 0, done.stderr
    [found] = json.loads(written.read_text(encoding="utf-8"))
    assert (found["part"], found["what"], found["sizes"]) == ("putting in", "breaks", [1000, 9000])
    assert all(seconds > 0 for seconds in found["seconds"])
    assert "| putting in | breaks |" in done.stdout


@pytest.mark.slow
def test_many_sites_are_measured_and_give_the_same_answers(tmp_path: Path) -> None:
    for number in range(2):
        pages = documentation.made_up(4, seed=number)
        for page in pages:
            path = tmp_path / f"site{number}" / page.uri
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(page.markdown, encoding="utf-8")
    folders = [str(tmp_path / f"site{number}") for number in range(2)]
    small = ["--sites", "3", "--sentences", "600", "--queries", "5", "--rounds", "1"]
    small += ["--processes", "2"]
    kept = tmp_path / "kept"
    done = run("benchmarks.sites", *folders, *small, "--keep", str(kept))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "| a query, p95 | " in done.stdout
    assert re.search(r"\| 2 \| \d+\.\d \| \d+ ms \| \d+ ms \| [\d,]+ MiB \|\n", done.stdout)
    corpus = Corpus.from_published(sorted(kept.glob("*.gz")), cache=False)
    assert 600 <= sum(map(sites.sentences_of, corpus.documents)) < 900
    one, copy = ([p for p in corpus.documents if p.uri.startswith(f"site-0{n}:")] for n in (0, 2))
    assert one[0].sentences[0].text != copy[0].sentences[0].text
    again = tmp_path / "again"
    assert run("benchmarks.sites", *folders, *small, "--keep", str(again)).returncode == 0
    for file in kept.glob("*.gz"):
        assert (again / file.name).read_bytes() == file.read_bytes()


def test_a_page_whose_directive_became_no_quote_is_a_fault(tmp_path: Path) -> None:
    site = site_of(tmp_path)
    quotes = {
        name: f'<blockquote class="{name}" data-search-exclude>\n<p>It is so.</p>'
        for name in ("recall", "synopsis")
    }
    built = {}
    for uri in site.uris:
        names = [directive.name for directive in site.directives if directive.host == uri]
        built[uri] = "\n".join(quotes[name] for name in names)
        path = checks.built_page(site, uri)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(built[uri], encoding="utf-8")
    assert checks.unresolved(site) == []

    host = site.uris[1]
    for wrong in (
        "",
        built[host].replace("<p>It is so.</p>", ""),
        built[host] + quotes["recall"],
        built[host] + '<div class="admonition caution danger recall-error">',
        built[host] + '<pre class="language-synopsis">',
        built[host] + "<!-- recall:0123 -->",
    ):
        checks.built_page(site, host).write_text(wrong, encoding="utf-8")
        assert checks.unresolved(site) == [host], wrong


def test_builds_that_differ_are_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = site_of(tmp_path)
    monkeypatch.setattr(checks, "unresolved", lambda _: [])
    home = checks.built_page(site, "index.md")
    home.parent.mkdir()
    edit = Directive("index.md", "other.md", "what")
    trees: dict[str, dict[str, str]] = {}

    def faults(way: str, html: str) -> list[str]:
        home.write_text(html, encoding="utf-8")
        return list(build.faults(site, way, trees, edit))

    assert faults("cold", "quotes") == []
    assert faults("warm", "quotes") == []
    assert "index.html differs" in faults("warm", "other quotes")[0]
    assert faults("edited", f"quotes {build.TOKEN}") == []
    assert "index.html differs" in faults("edited", f"stale {build.TOKEN}")[0]
    assert "does not quote the new sentence" in faults("edited", "quotes")[-1]


def test_a_small_documentation_is_the_beginning_of_a_large_one() -> None:
    small = list(documentation.made_up(3, seed=7))
    assert list(documentation.made_up(5, seed=7))[:3] == small
    assert list(documentation.made_up(3, seed=8)) != small
    assert all(page.headings() for page in small)
    assert all(len(page.markdown) >= documentation.SMALLEST for page in small)


def test_real_pages_are_those_that_mkdocs_builds(tmp_path: Path) -> None:
    for name in ("index.md", "README.md", "a/README.md", "a/b.md", ".hidden/c.md", "d.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("# A page\n", encoding="utf-8")
    pages = list(documentation.real(tmp_path, 9, seed=1))
    assert [page.uri for page in pages] == ["a/README.md", "a/b.md", "index.md"]
    assert len(list(documentation.real(tmp_path, 2, seed=1))) == 2
    with pytest.raises(FileNotFoundError):
        list(documentation.real(tmp_path / "nowhere", 1, seed=1))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# Title\n\nText.\n", "# Title\n\nFENCE\n\nText.\n"),
        ("---\na: 1\n---\n\n# Title\nText.\n", "---\na: 1\n---\n\n# Title\n\nFENCE\n\nText.\n"),
        ("Text.\n", "FENCE\n\nText.\n"),
    ],
)
def test_a_directive_stands_below_the_title(before: str, after: str) -> None:
    assert inserted(before, ["FENCE"]).lstrip("\n") == after


def test_growth_is_the_exponent_of_the_size() -> None:
    assert report.exponent([10, 100, 1000], [2.0, 20.0, 200.0]) == pytest.approx(1)
    assert report.exponent([10, 100], [1.0, 100.0]) == pytest.approx(2)
    assert report.exponent([10], [1.0]) is None
    assert report.exponent([10, 100], [1.0, None]) is None


def test_numbers_have_three_digits_that_count() -> None:
    numbers = [0.0123456, 1.234, 12.34, 1234.5, 0]
    assert [report.number(each) for each in numbers] == ["0.0123", "1.23", "12.3", "1,230", "0"]


@pytest.mark.slow
def test_answers_are_measured_by_the_headings_of_a_documentation(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "# A\n\n## Feeding the tame kangaroo\n\nLeaves are fine.\n\n## Other animals\n\nNone.\n",
        encoding="utf-8",
    )
    (tmp_path / "b.md").write_text("# B\n\nFeeding pigeons is not allowed.\n", encoding="utf-8")
    done = run("benchmarks.answers", str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "1 questions; answered from the right section: 1.000 when their page" in done.stdout
    lines = done.stdout.splitlines()
    assert [line.split(" | ")[:2] for line in lines if line.startswith("| from")] == [
        ["| from the right section", "1.00"],
        ["| from elsewhere on the page", "0.00"],
        ["| from another page", "1.00"],
    ]


@pytest.mark.slow
def test_answers_are_measured_by_questions_that_people_wrote(tmp_path: Path) -> None:
    questions = {
        "language": "en",
        "pages": [
            {"uri": "a.md", "markdown": "A kangaroo eats leaves."},
            {"uri": "b.md", "markdown": "Pigeons eat bread."},
        ],
        "queries": [{"text": "What does a kangaroo eat?", "page": 0}, {"text": "?", "page": None}],
    }
    file = tmp_path / "questions.json"
    file.write_text(json.dumps(questions), encoding="utf-8")
    done = run("benchmarks.answers", "--questions", str(file))
    assert "questions.json: 1 questions; answered from the right section: 1.000" in done.stdout
