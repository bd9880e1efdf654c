"""A build, or the command, publishes only a site's public pages, without quotes."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import Built, Site
from mkdocs.exceptions import Abort
from tables import beside, tabled
from terminal import Terminal

from mkdocs_recall.pages.published import FILE, SiteHeader, read_site

ASKING = "# Home\n\nA larch sheds.\n\n```recall\nsource: '**'\nquery: evergreen fir\n```\n"
FIR_META = "t_expired: 2030-01-31\nrecall: {asks: What stays green?}"
PAGES = {
    "index.md": ASKING,
    "fir.md": f"---\n{FIR_META}\n---\n# Fir\n\nA fir is an evergreen tree.\n",
    "guides/oak.md": "# Oak\n\nAn oak lives long.\n",
}
HIDDEN: dict[str, str] = beside(__file__)["HIDDEN"]
SETTINGS: dict[str, Any] = beside(__file__)["SETTINGS"]


def text(built: Built) -> str:
    return gzip.decompress((built.folder / FILE).read_bytes()).decode()


def documents(folder: Path) -> dict[str, str]:
    """Return the sentences of each published page."""
    site = read_site(folder / FILE)
    return {uri: " ".join(s.text for s in site.document(uri).sentences) for uri in site.pages}


def test_a_build_publishes_the_pages_for_all_without_their_quotes(site: Site) -> None:
    built = site.build({**PAGES, **HIDDEN}, **SETTINGS)
    assert documents(built.folder) == {
        "index.md": "A larch sheds.",
        "fir.md": "A fir is an evergreen tree.",
        "guides/oak.md": "An oak lives long.",
    }
    assert "canary" not in text(built)
    assert "A fir is an evergreen tree." in built.text("blockquote p")
    assert read_site(built.folder / FILE).pages["fir.md"].expires == "2030-01-31"


def test_the_header_says_what_the_site_says_of_itself_without_markup(site: Site) -> None:
    built = site.build(
        PAGES, theme={"name": None, "custom_dir": "theme", "locale": "de"}, **SETTINGS
    )
    assert read_site(built.folder / FILE).header == SiteHeader(
        "Larch", "https://larch.example/", "2.5", "de", "CC-BY-4.0", "Copyright © Larch authors"
    )


def test_a_site_without_a_directive_publishes_too(site: Site) -> None:
    built = site.build({"index.md": "# Home\n\nA larch.\n"}, recall={"publish": True})
    assert documents(built.folder) == {"index.md": "A larch."}


@pytest.mark.parametrize("publish", [None, False])
def test_a_site_that_does_not_ask_for_it_publishes_nothing(site: Site, publish: object) -> None:
    recall = {} if publish is None else {"publish": publish}
    assert not (site.build(PAGES, recall=recall).folder / FILE).exists()


def test_a_preview_publishes_nothing(site: Site) -> None:
    site.write(PAGES)
    site.configure(recall={"publish": True})
    site.rebuild(command="serve")
    assert (site.root / "site" / "index.html").exists()
    assert not (site.root / "site" / FILE).exists()


@pytest.mark.parametrize("cache", [True, False])
def test_every_later_build_publishes_what_a_first_one_would(site: Site, cache: bool) -> None:  # noqa: FBT001
    settings = {**SETTINGS, "recall": {"publish": True, "cache": cache}}
    cold = (site.build({**PAGES, **HIDDEN}, **settings).folder / FILE).read_bytes()
    warm = (site.rebuild().folder / FILE).read_bytes()
    assert warm == cold
    site.write({"guides/oak.md": "# Oak\n\nAn oak gives shade.\n"})
    assert site.run("--dirty", "--quiet").returncode == 0
    dirty = (site.root / "site" / FILE).read_bytes()
    full = (site.rebuild().folder / FILE).read_bytes()
    assert dirty == full != cold
    assert b"canary" not in gzip.decompress(full)


def test_a_page_that_is_hidden_later_disappears_from_the_file(site: Site) -> None:
    site.build(PAGES, recall={"publish": True})
    site.write({"fir.md": "---\nsearch:\n  exclude: true\n---\n# Fir\n\nA fir is evergreen.\n"})
    assert "fir.md" not in documents(site.rebuild().folder)


@tabled
def test_a_wrong_setting_is_an_error(site: Site, publish: object, message: str) -> None:
    with pytest.raises(Abort):
        site.build(PAGES, recall={"publish": publish})
    assert message in "\n".join(record.getMessage() for record in site.records)
    here = Terminal(site.root)
    outcome = here.run("publish")
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err


@pytest.mark.parametrize("structure", ["folder", "suffix"])
def test_the_languages_of_a_site_are_published_together(site: Site, structure: str) -> None:
    form = {"folder": "{locale}/{name}.md", "suffix": "{name}.{locale}.md"}[structure]
    languages = [
        {"locale": "en", "name": "English", "default": True},
        {"locale": "de", "name": "Deutsch"},
    ]
    i18n = {"i18n": {"docs_structure": structure, "languages": languages}}
    texts = {"en": "A session expires.", "de": "Eine Sitzung endet."}
    pages = {
        form.format(name="index", locale=locale): f"# Home\n\n{content}\n"
        for locale, content in texts.items()
    } | {form.format(name="more", locale="en"): "# More\n\nOnly English.\n"}
    built = site.build(pages, plugins=[i18n, {"recall": {"publish": True}}])
    published = read_site(built.folder / FILE)
    assert list(documents(built.folder).values()) == [texts["en"], "Only English.", texts["de"]]
    assert published.header.language == "en"
    assert published.header.site_url == "https://larch.example/"
    assert json.loads(text(built).splitlines()[1])["frequencies"].keys() == {"en", "de"}
    assert {page.url for page in published.pages.values()} == {"", "more/", "de/"}


def test_the_command_publishes_what_a_build_does(site: Site) -> None:
    built = site.build({**PAGES, **HIDDEN}, **SETTINGS)
    data = (built.folder / FILE).read_bytes()
    here = Terminal(site.root)
    assert here.run("publish", "--check").status == 0
    assert here.run("publish", "--check", "--built", "site").status == 0
    assert here.run("publish", "--check", "--sites", "mkdocs.*").status == 0
    outcome = here.run("publish", "--output", "out/larch.jsonl.gz")
    assert (outcome.status, outcome.out) == (0, "")
    assert "'out/larch.jsonl.gz' holds 3 pages." in outcome.err
    assert (site.root / "out" / "larch.jsonl.gz").read_bytes() == data
    site.write({"guides/oak.md": "# Oak\n\nAn oak gives shade.\n"})
    outcome = here.run("publish", "--check")
    assert outcome.status == 3
    assert "'site/recall.jsonl.gz' is out of date" in outcome.err
    assert (built.folder / FILE).read_bytes() == data
    assert here.run("publish").status == 0
    outcome = here.run("publish", "--output", "docs/guides/oak.md")
    assert "'docs/guides/oak.md' exists, and is not a published file; name another" in outcome.err
    assert (site.root / "docs/guides/oak.md").read_bytes().startswith(b"# Oak")
    assert here.run("publish", "--check").status == 0


def test_only_the_first_of_two_sites_in_one_folder_is_published(site: Site) -> None:
    built = site.build(PAGES, **SETTINGS)
    data = (built.folder / FILE).read_bytes()
    text = (site.root / "mkdocs.yml").read_text("utf-8")
    (site.root / "mkdocs.de.yml").write_text(f"{text}\nsite_author: Tree\n", "utf-8")
    outcome = Terminal(site.root).run("publish", "--sites", "mkdocs.yml", "--sites", "mkdocs.*.yml")
    assert outcome.status == 2
    fault = "'mkdocs.de.yml' has the site_dir of 'mkdocs.yml', which is published there; give each"
    assert fault in outcome.err
    assert (built.folder / FILE).read_bytes() == data


def test_the_command_takes_titles_from_front_matter_also_of_finished_pages(site: Site) -> None:
    pages = {"index.md": f"---\ntitle: Front & back\n---\n{ASKING}", "fir.md": PAGES["fir.md"]}
    built = site.build(pages, theme={"name": "mkdocs"}, **SETTINGS)
    assert read_site(built.folder / FILE).pages["index.md"].title == "Front & back"
    outcome = Terminal(site.root).run("publish", "--check", "--built", "site")
    assert outcome.status == 0, outcome.err


@pytest.mark.parametrize("hidden", ["unsearched.md", "unquoted.md", "aside.md"])
def test_a_moved_page_is_not_published_if_it_refuses(site: Site, hidden: str) -> None:
    language = {"locale": "en", "name": "English", "default": True, "build": True}
    plugins = [{"i18n": {"docs_structure": "folder", "languages": [language]}}, "recall"]
    site.build(
        {"en/index.md": "# Home\n\nHome.\n", f"en/{hidden}": HIDDEN[hidden]},
        plugins=plugins,
        not_in_nav="aside.md",
    )
    outcome = Terminal(site.root).run("publish", "--built", "site")
    assert outcome.status == 2
    assert f"'en/{hidden}' must not be published, and is not at 'en/{hidden[:-3]}/" in outcome.err
    assert not (site.root / "site" / FILE).exists()


def test_a_page_that_a_plugin_has_made_is_published_beside_hidden_ones(site: Site) -> None:
    made = site.build({**PAGES, **HIDDEN}, **SETTINGS).folder / "made.html"
    made.write_text("<article><h1>Made</h1><p>A plugin.</p></article>", encoding="utf-8")
    assert Terminal(site.root).run("publish", "--built", "site").status == 0
    assert {*documents(site.root / "site")} == {*PAGES, "made.html"}


@tabled
def test_the_command_needs_a_site(tmp_path: Path, arguments: list[str], message: str) -> None:
    here = Terminal(tmp_path)
    here.write({"a.md": "# A\n\nA larch.\n"})
    outcome = here.run("publish", *arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err.replace(str(tmp_path), "HERE")


def test_a_site_that_keeps_all_its_pages_back_publishes_none(tmp_path: Path) -> None:
    here = Terminal(tmp_path)
    here.configure()
    here.write({"a.md": HIDDEN["unsearched.md"]})
    outcome = here.run("publish")
    assert (outcome.status, outcome.out) == (1, "")
    assert "no page that may be published in 'site/recall.jsonl.gz'." in outcome.err
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("name", ["two\nlines.md", "back\\slash.md"])
def test_a_page_with_an_unreadable_name_is_not_published(site: Site, name: str) -> None:
    if not _can_be_named(site.root, name):
        pytest.skip("this system has no file of this name")
    built = site.build({**PAGES, name: "# Odd\n\nAn odd page.\n"}, **SETTINGS)
    shown = " ".join(name.split("\n"))
    message = f"{shown}: this page is not published, because its path has a backslash"
    assert [text for text in built.warnings if message in text]
    assert documents(built.folder).keys() == {"index.md", "fir.md", "guides/oak.md"}
    outcome = Terminal(site.root).run("publish", "--check")
    assert (outcome.status, message in outcome.err) == (0, True)


def test_an_unpublished_page_may_have_any_name(site: Site) -> None:
    if not _can_be_named(site.root, "back\\slash.md"):
        pytest.skip("this system has no file of this name")
    built = site.build({**PAGES, "back\\slash.md": HIDDEN["unsearched.md"]}, **SETTINGS)
    assert not [text for text in built.warnings if "not published" in text]


def _can_be_named(folder: Path, name: str) -> bool:
    try:
        (folder / name).write_text("")
    except OSError:
        return False
    return name in {path.name for path in folder.iterdir()}


def test_a_cache_that_fails_when_the_file_is_written_is_noted(site: Site) -> None:
    hook = (
        "import shutil\n"
        "from pathlib import Path\n"
        "def on_post_build(config):\n"
        f"    cache = Path({str(site.cache)!r})\n"
        "    shutil.rmtree(cache)\n"
        "    cache.write_text('mine')\n"
    )
    built = site.build(PAGES, hook=hook, **SETTINGS)
    assert [info for info in built.infos if str(site.cache) in info and "is not written" in info]
    assert documents(built.folder)


def test_each_line_of_a_file_is_json(site: Site) -> None:
    built = site.build(PAGES, recall={"publish": True})
    assert all(isinstance(json.loads(line), dict) for line in text(built).splitlines())


PAGE = Path(__file__, "../../../demo_site/publishing.md").resolve().read_text(encoding="utf-8")


def test_the_program_on_the_page_reads_a_file_without_this_package(
    site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    [program] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert "mkdocs_recall" not in program
    assert len(program.splitlines()) <= 11
    monkeypatch.chdir(site.build(PAGES, recall={"publish": True}).folder)
    exec(program, {})  # noqa: S102 - the documentation's own
    root = "https://larch.example/"
    assert capsys.readouterr().out.splitlines() == [
        f"{root}#home A larch sheds.",
        f"{root}fir/#fir A fir is an evergreen tree.",
        f"{root}guides/oak/#oak An oak lives long.",
    ]


def test_the_page_names_each_field_of_a_file(site: Site) -> None:
    head, frequencies, *pages = map(json.loads, text(site.build(PAGES, **SETTINGS)).splitlines())
    fields = {*head, *frequencies, *head["counts"], *(name for page in pages for name in page)}
    assert [name for name in sorted(fields) if f"`{name}`" not in PAGE] == []
    assert {len(page["document"]) for page in pages} == {8}
    assert {len(page["document"][7]) for page in pages} == {8}
