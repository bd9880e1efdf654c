"""The demo site builds, says what the code does, and quotes what the golden copy holds."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup
from golden_demo import DEMO, GOLDEN, ROOT, build, pages, quotes_in, read_quotes

from mkdocs_recall import __version__
from mkdocs_recall.directives.catalog import OPTIONS
from mkdocs_recall.directives.directive import Directive
from mkdocs_recall.directives.fences import find_fences
from mkdocs_recall.hosts.config import RecallConfig

SHOWN_THEN_LIVE = re.compile(
    r"^````markdown\n(?P<shown>.*?)^````\n\n(?=(?P<live>.*))", re.DOTALL | re.MULTILINE
)
MESSAGE = re.compile(
    r"^(?P<ticks>`+) ?(?P<message>[^\n]+?) ?(?P=ticks)(?:\{#\S+\})?\n:   \S", re.MULTILINE
)
"""A message on the page of mistakes, and what to do about it."""
GROUPS = ("Everyday options", "Advanced options")
SET_UP_ELSEWHERE = {
    "semantic",
    "enrich",
    "temporal",
    "include_expired",
    "trivial_query",
    "acknowledgments",
}
"""Options that do nothing without a model, a history or a package, or that suit a whole site."""
ANCHORS = ROOT / "tests" / "promises" / "anchors.yaml"
"""The pages and anchors that links from elsewhere may name."""
WORDS = 25_400
"""What a reader may be asked to read: Markdown words, code included."""
LOGGED = re.compile(
    r"^WARNING +- +mistake-(\d+)\.md(?::\d+)?: (?:recall|synopsis): (.*)$", re.MULTILINE
)


PLAIN = "theme: {name: null, custom_dir: theme}\n"


@dataclass(frozen=True)
class Site:
    folder: Path
    output: str
    status: int
    pages: Mapping[str, BeautifulSoup]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("demo") / "site"
    result = build(ROOT / "mkdocs.yml", folder)
    return Site(folder, result.stdout + result.stderr, result.returncode, pages(folder))


@pytest.fixture(scope="session")
def sources() -> Mapping[str, str]:
    return {
        path.relative_to(DEMO).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(DEMO.rglob("*.md"))
    }


def _live(sources: Mapping[str, str]) -> Iterator[tuple[str, Directive]]:
    for name, text in sources.items():
        for fence in find_fences(text):
            yield name, fence


def test_the_site_builds_strictly_without_a_warning(demo: Site) -> None:
    assert demo.status == 0, demo.output
    assert not re.search(r"warning|error|caution", demo.output, re.IGNORECASE), demo.output


def test_each_page_shows_the_version_and_one_page_the_changelog(demo: Site) -> None:
    assert all(__version__ in str(page.select("footer")) for page in demo.pages.values())
    headings = [tag.get_text() for tag in demo.pages["changelog/index.html"].select("article h2")]
    assert any(__version__ in heading for heading in headings), headings


def test_published_addresses_and_anchors_still_exist(demo: Site) -> None:
    """Bookmarks, issues and other sites name the anchors that were once published."""
    published = yaml.safe_load(ANCHORS.read_text(encoding="utf-8"))
    assert sum(map(len, published.values())) > 400
    for url, anchors in published.items():
        page = demo.pages[f"{url.removeprefix('./')}index.html"].select_one("article")
        assert page is not None, url
        ids = {str(tag["id"]) for tag in page.find_all(id=True)}
        assert [anchor for anchor in anchors if anchor not in ids] == [], url


def test_the_documentation_is_short_enough_to_be_read(sources: Mapping[str, str]) -> None:
    assert sum(len(text.split()) for text in sources.values()) <= WORDS


def test_every_quote_is_that_of_the_golden_copy(demo: Site) -> None:
    golden = yaml.safe_load(GOLDEN.read_text(encoding="utf-8"))
    built = read_quotes(demo.pages)
    assert built.keys() == golden.keys()
    for name, quotes in golden.items():
        assert built[name] == quotes, f"{name}: read the module docstring of golden_demo.py"


def test_every_live_fence_became_one_quote(demo: Site, sources: Mapping[str, str]) -> None:
    fences = list(_live(sources))
    omitted = [fence for _, fence in fences if "on_empty: omit" in fence.body]
    quotes = [
        quote
        for page in demo.pages.values()
        for quote in quotes_in(page)
        if "recall-note" not in quote.get_attribute_list("class")
    ]
    assert len(omitted) == 1
    assert len(quotes) == len(fences) - len(omitted)


def _rows(text: str, heading: str) -> dict[str, list[str]]:
    """Return the cells of the first table of a section, without the name that begins each row."""
    _, _, section = text.partition(f"\n## {heading}")
    table = section.partition("\n| ")[2].partition("\n\n")[0]
    rows = [row.strip("| ").split(" | ") for row in table.splitlines()[2:]]
    names = [re.match(r"\[?`(\w+)`(?:\{#\1\}|\]\(#\1\))", row[0]) for row in rows]
    return {match[1]: row[1:] for match, row in zip(names, rows, strict=True) if match}


def test_the_page_of_options_says_of_each_what_the_code_says(sources: Mapping[str, str]) -> None:
    rows = [_rows(sources["options.md"], group) for group in GROUPS]
    stated = {**rows[0], **rows[1]}
    assert len(stated) == sum(map(len, rows))
    assert stated.keys() == OPTIONS.keys()
    for option in OPTIONS.values():
        directives = "both" if len(option.directives) > 1 else f"`{option.directives[0]}`"
        *facts, meaning = stated[option.name]
        assert facts == [option.type, directives, option.default], option.name
        assert meaning.startswith(option.meaning), option.name


def test_the_site_wide_settings_are_those_of_the_plugin(sources: Mapping[str, str]) -> None:
    names = [option.name for option in OPTIONS.values() if not option.site_wide]
    assert names == ["source", "query", "subsections", "expect", "expect_source"]
    said = "Every option except `source`, `query`, `expect` and `expect_source` is allowed there"
    assert said in " ".join(sources["options.md"].split())
    rows = _rows(sources["options.md"], "Site-wide settings")
    defaults = {name: setting.default for name, setting in RecallConfig._schema}  # noqa: SLF001
    assert rows.keys() == defaults.keys() - OPTIONS.keys()
    for name, (_, default, _) in rows.items():
        if name != "limits":  # `test_limits` has its settings
            stated = default.strip("`")
            written = None if stated == "none" else yaml.safe_load(stated)
            config = RecallConfig()
            config.load_dict({name: written})
            assert config.validate() == ([], []), name
            assert defaults[name] in (written, config[name]), name


def test_every_promise_on_the_page_of_security_is_held_by_a_test() -> None:
    page = (DEMO / "security.md").read_text(encoding="utf-8")
    tests = ROOT / "tests"
    there = {
        name
        for file in tests.rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
    promised = [row for row in page.splitlines() if row.startswith("| ") and "Held by" not in row]
    assert len(promised) > 20
    for row in promised:
        assert "`test_" in row or row.rstrip(" |").endswith("the same"), row
    assert set(re.findall(r"`(test_\w+)`", page)) <= there
    for file in re.findall(r"`((?:tests|benchmarks)/[\w/]+(?:\.py)?)`", page):
        assert (ROOT / file).exists(), file


def test_every_option_and_setting_has_an_anchor(demo: Site) -> None:
    page = demo.pages["options/index.html"]
    names = OPTIONS.keys() | set(RecallConfig())
    assert [name for name in names if page.find(id=name) is None] == []


def test_every_setting_of_the_plugin_that_a_page_shows_is_valid(sources: Mapping[str, str]) -> None:
    shown = 0
    for name, text in sources.items():
        for block in re.findall(
            r"^```yaml[^\n]*\n(plugins:\n.*?)^```$", text, re.DOTALL | re.MULTILINE
        ):
            plugins = yaml.safe_load(block)["plugins"]
            for plugin in plugins:
                if "recall" not in plugin or isinstance(plugin, str):
                    continue
                config = RecallConfig()
                config.load_dict(plugin["recall"])
                assert config.validate() == ([], []), name
                shown += 1
    assert shown > 5


def test_every_simple_option_is_used_in_a_live_fence(sources: Mapping[str, str]) -> None:
    used = {key for _, fence in _live(sources) for key in yaml.safe_load(fence.body or "{}") or {}}
    assert OPTIONS.keys() - used <= SET_UP_ELSEWHERE


def test_every_example_is_followed_by_the_same_fence_live(sources: Mapping[str, str]) -> None:
    compared = 0
    for name, text in sources.items():
        for match in SHOWN_THEN_LIVE.finditer(text):
            shown = find_fences(match["shown"])
            live = find_fences(match["live"])[: len(shown)]
            assert shown, f"{name}: an example without a fence: {match['shown']}"
            assert [f.source for f in shown] == [f.source for f in live], name
            compared += len(shown)
    assert compared > 10


def test_no_demo_page_has_a_marker_an_error_or_an_unread_fence(demo: Site) -> None:
    for name, page in demo.pages.items():
        html = (demo.folder / name).read_text(encoding="utf-8")
        shown = {
            "how-it-works/index.html": {"6f1c0e2ab94d7735"},
            "other-generators/index.html": {"fence"},  # what a render hook of Hugo writes
        }.get(name, set())
        assert set(re.findall(r"!-- recall:(\w+)", page.get_text() + html)) <= shown, name
        assert not page.select(".recall-error, .synopsis-error"), name
        assert not page.select(".language-recall, .language-synopsis, .language-embedm"), name
        fences = page.find_all(string=re.compile("```|~~~"))
        assert all(text.find_parent(["pre", "code"]) for text in fences), name


def test_every_link_in_a_quote_leads_to_an_existing_page_and_id(demo: Site) -> None:
    checked = 0
    for name, page in demo.pages.items():
        links = [a["href"] for quote in quotes_in(page) for a in quote.find_all("a")]
        for link in map(str, links):
            target = urlsplit(urljoin(f"http://site.invalid/{name}", link))
            assert target.netloc == "site.invalid", link
            path = target.path.removeprefix("/")
            path = f"{path}index.html" if path.endswith("/") or not path else path
            assert path in demo.pages, f"{name}: {link}"
            if target.fragment:
                anchor = unquote(target.fragment)
                assert demo.pages[path].find(id=anchor) is not None, f"{name}: {link}"
            checked += 1
    assert checked > 30


def messages(page: str, *headings: str) -> list[str]:
    """Return the messages in sections of the page of mistakes."""
    parts = [page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0] for heading in headings]
    return [match["message"] for part in parts for match in MESSAGE.finditer(part)]


def test_each_invalid_fence_gives_its_message(sources: Mapping[str, str], tmp_path: Path) -> None:
    text = (ROOT / "tests" / "promises" / "mistakes.yaml").read_text(encoding="utf-8")
    expected = dict(enumerate(yaml.safe_load(text)))
    shutil.copytree(DEMO, tmp_path / "demo_site")
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    config = re.sub(r"^theme:\n(?: .*\n)+", PLAIN, config, flags=re.MULTILINE)  # in a third
    (tmp_path / "mkdocs.yml").write_text(config, encoding="utf-8")
    (tmp_path / "theme").mkdir()
    (tmp_path / "theme/main.html").write_text("{{ page.content }}", encoding="utf-8")
    for number, (fence, _) in expected.items():
        page = tmp_path / "demo_site" / f"mistake-{number}.md"
        page.write_text(f"# Mistake\n\n{fence}", encoding="utf-8")
    result = build(tmp_path / "mkdocs.yml", tmp_path / "site", strict=False)
    logged = {int(number): message for number, message in LOGGED.findall(result.stderr)}
    assert logged == {number: message for number, (_, message) in expected.items()}
    of_fences = ("Options", "YAML", "Sources", "No answer", "Expectations", "The fence itself")
    shown = messages(sources["mistakes.md"], *of_fences)
    assert len(shown) > 25
    shown.remove(next(text for text in shown if text.startswith("a fence of this page is shown")))
    for message in shown:
        start = message.removesuffix("…")
        assert any(text.startswith(start) for text in logged.values()), message
        assert start != message or message in logged.values()


def test_the_messages_on_mkdocs_yml_are_real(sources: Mapping[str, str], tmp_path: Path) -> None:
    shown = messages(sources["mistakes.md"], "In `mkdocs.yml`")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Home\n", encoding="utf-8")
    said = ""
    for settings in ({"max_sentence": 2, "query": "x"}, {"lock": True}):
        config = yaml.safe_dump({"site_name": "Larch", "plugins": [{"recall": settings}]})
        (tmp_path / "mkdocs.yml").write_text(config, encoding="utf-8")
        result = build(tmp_path / "mkdocs.yml", tmp_path / "site")
        assert result.returncode == 1
        said += result.stderr
    assert len(shown) == 3
    for message in shown:
        assert f": {message}\n" in said
