"""The benchmarks run, and report wrong builds."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest
from golden_demo import ROOT
from tables import tabled

from benchmarks import build, documentation, hostile, report
from benchmarks.site import Directive, Site, inserted, write_site


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own interpreter, our own modules
        [sys.executable, "-m", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=ROOT,
    )


def site_of(root: Path) -> Site:
    return write_site(root, documentation.pages(3), directives=2)


def rows(printed: str) -> list[list[str]]:
    """Return the cells of the rows of the table that a program has printed."""
    table = [line for line in printed.splitlines() if line.startswith("| ")]
    return [line.strip("| ").split(" | ") for line in table[2:]]


@pytest.mark.slow
def test_builds_of_a_tiny_site_are_measured_and_checked() -> None:
    process = run("benchmarks.build", "--pages", "4", "--rounds", "1")
    assert process.returncode == 0, process.stderr
    shares = {way: share for _, way, _, _, _, share in rows(process.stdout)}
    assert list(shares) == ["plain", "no directives", "cold", "warm", "edited"]
    assert shares.pop("plain") == "–"
    inside = {way: float(share.removesuffix(" %")) for way, share in shares.items()}
    assert 0 < inside["no directives"] < inside["warm"] < inside["cold"]


@pytest.mark.slow
def test_rebuilds_are_measured_and_pile_up_nothing() -> None:
    process = run("benchmarks.rebuilds", "--pages", "4", "--builds", "2")
    assert process.returncode == 0, process.stdout + process.stderr
    measured = [(way, int(number)) for way, number, *_ in rows(process.stdout)]
    ways = ("plain", "with the plugin")
    assert measured == [(way, number) for way in ways for number in range(1, 3)]


@pytest.mark.slow
def test_edits_under_serve_are_measured_and_quoted() -> None:
    process = run("benchmarks.serve", "--pages", "4", "--edits", "1", "--dirty")
    assert process.returncode == 0, process.stdout + process.stderr
    assert [row[:2] for row in rows(process.stdout)] == [["plain", "1"], ["with the plugin", "1"]]


@pytest.mark.slow
def test_filling_a_finished_site_is_measured_and_checked() -> None:
    process = run("benchmarks.fill", "--pages", "4", "--rounds", "1")
    assert process.returncode == 0, process.stderr
    seconds = {what: float(cpu) for what, cpu, _ in rows(process.stdout)}
    assert 0 < seconds["unchanged"] < seconds["cold"]


@pytest.mark.slow
def test_hostile_input_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["hostile", "--only", "putting in: breaks", "--sizes", "1000", "9000"]
    monkeypatch.setattr(sys, "argv", arguments)
    assert hostile.main() == 0
    output = capsys.readouterr().out
    [[part, what, exponent, *_]] = rows(output)
    assert (part, what) == ("putting in", "breaks")
    assert float(exponent) > 0
    assert "1,000, 9,000 characters" in output


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
        path = site.built_page(uri)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(built[uri], encoding="utf-8")
    assert site.unresolved() == []

    host = site.uris[1]
    for wrong in (
        "",
        built[host].replace("<p>It is so.</p>", ""),
        built[host] + quotes["recall"],
        built[host] + '<div class="admonition caution danger recall-error">',
        built[host] + '<pre class="language-synopsis">',
        built[host] + "<!-- recall:0123 -->",
    ):
        site.built_page(host).write_text(wrong, encoding="utf-8")
        assert site.unresolved() == [host], wrong


def test_builds_that_differ_are_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = site_of(tmp_path)
    monkeypatch.setattr(Site, "unresolved", lambda _: [])
    home = site.built_page("index.md")
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
    small = list(documentation.pages(3))
    assert list(documentation.pages(5))[:3] == small
    assert all(page.headings() for page in small)
    assert all(len(page.markdown) >= documentation.SMALLEST for page in small)


def test_real_pages_are_those_that_mkdocs_builds(tmp_path: Path) -> None:
    for name in ("index.md", "README.md", "a/README.md", "a/b.md", ".hidden/c.md", "d.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("# A page\n", encoding="utf-8")
    pages = list(documentation.pages(9, tmp_path))
    assert [page.uri for page in pages] == ["a/README.md", "a/b.md", "index.md"]
    assert len(list(documentation.pages(2, tmp_path))) == 2
    with pytest.raises(FileNotFoundError):
        list(documentation.pages(1, tmp_path / "nowhere"))


@tabled
def test_a_directive_stands_below_the_title(before: str, after: str) -> None:
    assert inserted(before, ["FENCE"]).lstrip("\n") == after


def test_growth_is_the_exponent_of_the_size() -> None:
    assert report.exponent([10, 100, 1000], [2.0, 20.0, 200.0]) == pytest.approx(1)
    assert report.exponent([10, 100], [1.0, 100.0]) == pytest.approx(2)
    assert math.isnan(report.exponent([10], [1.0]))
    assert math.isnan(report.exponent([10, 100], [1.0, math.nan]))


def test_numbers_have_three_digits_that_count() -> None:
    numbers = [0.0123456, 1.234, 12.34, 1234.5, 0, math.nan]
    assert [report.number(n) for n in numbers] == ["0.0123", "1.23", "12.3", "1,230", "0", "–"]
    assert report.median_ratio([(3, 2), (1, 1), (4, 1)]) == "1.50 x"


@pytest.mark.slow
def test_answers_are_measured_by_the_headings_of_a_documentation(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "# A\n\n## Feeding the tame kangaroo\n\nLeaves are fine.\n\n## Other animals\n\nNone.\n",
        encoding="utf-8",
    )
    (tmp_path / "b.md").write_text("# B\n\nFeeding pigeons is not allowed.\n", encoding="utf-8")
    process = run("benchmarks.answers", str(tmp_path))
    assert process.returncode == 0, process.stderr
    assert "1 questions; answered from the right section: 1.000 when their page" in process.stdout
    lines = process.stdout.splitlines()
    assert [line.split(" | ")[:2] for line in lines if line.startswith("| from")] == [
        ["| from the right section", "1.00"],
        ["| from elsewhere on the page", "0.00"],
        ["| from another page", "1.00"],
    ]
