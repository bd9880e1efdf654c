"""Read pages are cached for the next process, until their files change."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import cache_file
from tables import beside, tabled

from mkdocs_recall import Corpus, RecallError, SiteError
from mkdocs_recall.files import content_digest, fingerprint, listing_digest, user_cache_folder
from mkdocs_recall.pages import library as manifest
from mkdocs_recall.store import Cache, pack

SETTINGS = "site_name: Site\nmarkdown_extensions: [toc]\n"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a site of three pages; it has no cache yet."""
    write(tmp_path, "mkdocs.yml", SETTINGS)
    write(tmp_path, "docs/index.md", "# Home\n\nA token opens the door. See [mail](mail.md).")
    write(tmp_path, "docs/mail.md", "# Mail\n\nMail is sent on port 587.")
    write(tmp_path, "docs/more/keys.md", '# Keys\n\nA key "opens" the door as well.')
    return tmp_path


def _cache(site: Path) -> Path:
    folder = user_cache_folder(site / "mkdocs.yml")
    assert folder is not None
    return folder


def write(folder: Path, name: str, text: str) -> None:
    """Write a file, and have its date differ from that of an older one."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(text, "utf-8")
    if path.stat().st_mtime_ns <= before:
        os.utime(path, ns=(before + 1, before + 1))


def said(folder: Path, *, cache: bool = True) -> list[tuple[object, ...]]:
    """Return all that is read of a site."""
    corpus = Corpus.from_site(folder / "mkdocs.yml", cache=cache)
    return [
        (page.uri, page.title, page.url, page.language, page.description, page.file, *blocks)
        for page in corpus.documents
        for blocks in [[(b.text, b.kind, b.line, b.headings, b.marks) for b in page.blocks]]
    ]


def rendered(folder: Path) -> int:
    """Return how many pages have to be read anew."""
    done: list[int] = []
    corpus = Corpus.from_site(folder / "mkdocs.yml", progress=lambda read, _: done.append(read))
    assert corpus.documents
    return len(done)


def test_unchanged_pages_are_not_rendered_again_without_mkdocs(site: Path) -> None:
    assert rendered(site) == 3
    assert rendered(site) == 0
    code = (
        "import sys; from mkdocs_recall import Corpus; corpus = Corpus.from_site('mkdocs.yml'); "
        "(best, *_) = corpus.recall('which port?', context=0).passages; "
        "assert best.text == 'Mail is sent on port 587.'; "
        "assert not {'mkdocs', 'markdown', 'jinja2'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=site, check=True)  # noqa: S603 - our own


def test_a_question_for_one_page_reads_that_page_alone(site: Path) -> None:
    done: list[int] = []
    corpus = Corpus.from_site(site / "mkdocs.yml", progress=lambda read, _: done.append(read))
    corpus.synopsis("mail.md")
    assert done == [1]
    assert rendered(site) == 2


@tabled
def test_only_files_affected_by_a_change_are_read_again(
    site: Path, change: str, path: str, text: str, count: int
) -> None:
    before = said(site)
    write(site, path, text.replace("SETTINGS", SETTINGS))
    after = said(site, cache=False)
    assert after != before, change
    assert rendered(site) == count, change
    assert said(site) == after, change


def test_a_fresh_checkout_changes_nothing(site: Path) -> None:
    before = said(site)
    for path in [*site.glob("docs/**/*.md"), site / "mkdocs.yml"]:
        os.utime(path, ns=(1, 1))
    assert rendered(site) == 0
    assert said(site) == before


def test_a_deleted_page_is_not_quoted_from_the_cache(site: Path) -> None:
    said(site)
    (site / "docs/mail.md").unlink()
    assert rendered(site) == 1, "the page that links to it"
    assert said(site) == said(site, cache=False)
    with pytest.raises(RecallError, match=r"'mail\.md' is not a page of this site"):
        Corpus.from_site(site / "mkdocs.yml").synopsis("mail.md")


def test_a_page_that_goes_while_the_site_is_read_is_named(site: Path) -> None:
    corpus = Corpus.from_site(site / "mkdocs.yml", cache=False)
    (site / "docs/mail.md").unlink()
    with pytest.raises(RecallError, match=r"mail\.md' cannot be read: No such file"):
        corpus.synopsis("mail.md")


def test_a_link_to_a_page_that_comes_later_leads_there(site: Path) -> None:
    write(site, "docs/index.md", "# Home\n\nAll is in the [plan](plan.md).")

    def links() -> list[str]:
        [page, *_] = Corpus.from_site(site / "mkdocs.yml").documents
        return [mark.href for block in page.blocks for mark in block.marks]

    assert links() == ["plan.md"]
    write(site, "docs/plan.md", "# Plan\n\nWe have one.")
    assert links() == ["plan/"]


def test_included_text_counts_as_the_page_s_own(site: Path) -> None:
    extension = "{pymdownx.snippets: {base_path: parts}}"
    write(site, "mkdocs.yml", f"site_name: Site\nmarkdown_extensions: [{extension}]\n")
    write(site, "parts/note.md", "A note about rain.")
    write(site, "docs/mail.md", "# Mail\n\n--8<-- 'note.md'\n")
    assert "A note about rain." in str(said(site))
    write(site, "parts/note.md", "A note about snow.")
    assert rendered(site) == 1
    assert "A note about snow." in str(said(site))


@pytest.mark.parametrize("options", ["{}", "{base_path: ''}", "{base_path: [parts/.., docs]}"])
def test_snippets_are_the_same_from_wherever_the_site_is_read(
    site: Path, monkeypatch: pytest.MonkeyPatch, options: str
) -> None:
    write(
        site, "mkdocs.yml", f"site_name: S\nmarkdown_extensions: [pymdownx.snippets: {options}]\n"
    )
    write(site, "parts/note.md", "A note about rain.")
    write(site, "docs/mail.md", "# Mail\n\n--8<-- 'parts/note.md'\n")
    monkeypatch.chdir(site / "docs")
    assert "A note about rain." in str(said(site))
    monkeypatch.chdir(site)
    assert rendered(site) == 0


@pytest.mark.parametrize(
    "mark", ["--8<-- 'late.md'", '--8<-- "late.md:1"', "--8<--\nlate.md\n--8<--", "-8<- 'more.md'"]
)
def test_a_snippet_that_comes_later_or_before_is_noticed(site: Path, mark: str) -> None:
    extension = "{pymdownx.snippets: {base_path: [first, parts]}}"
    write(site, "mkdocs.yml", f"site_name: Site\nmarkdown_extensions: [{extension}]\n")
    write(site, "parts/more.md", "--8<-- 'late.md'\n")
    write(site, "docs/mail.md", f"# Mail\n\n{mark}\n")
    said(site)
    assert rendered(site) == 0
    for folder, text in [("parts", "A note about rain."), ("first", "A note about snow.")]:
        write(site, f"{folder}/late.md", text)
        assert rendered(site) == 1
        assert text in str(said(site))


def test_where_a_link_leads_counts(site: Path) -> None:
    for version in ("v1", "v2"):
        write(site, f"{version}/guide/{version}/a.md", "# A\n\nOne.")
        write(site, f"{version}/guide/other/a.md", "# A\n\nTwo.")
        (site / version / "guide/now").symlink_to(version)
    write(site, "mkdocs.yml", "site_name: Site\ndocs_dir: latest\n")
    latest = site / "latest"
    latest.symlink_to("v1")
    before = said(site)
    turn(site / "v1/guide/now", "other")
    assert said(site) == said(site, cache=False) != before
    turn(latest, "v2")
    assert said(site) == said(site, cache=False)
    assert "guide/v2/a.md" in str(said(site))
    corpus = Corpus.from_folder(latest)
    turn(latest, "v1")
    assert "guide/v1/a.md" in corpus.refreshed().files


def test_a_folder_that_is_gone_is_not_an_empty_one(tmp_path: Path) -> None:
    write(tmp_path, "mkdocs.yml", SETTINGS)
    (tmp_path / "docs").mkdir()
    assert said(tmp_path) == []
    (tmp_path / "docs").rmdir()
    with pytest.raises(RecallError, match="docs_dir"):
        said(tmp_path)


def turn(link: Path, target: str) -> None:
    """Have a link lead elsewhere."""
    link.unlink()
    link.symlink_to(target)


def test_a_page_of_the_same_size_and_date_is_another(site: Path) -> None:
    os.utime(site / "docs/mail.md", ns=(0, 0))
    said(site)
    (site / "docs/mail.md").write_text("# Mail\n\nMail is sent on port 465.", "utf-8")
    os.utime(site / "docs/mail.md", ns=(0, 0))
    assert "port 465" in str(said(site))


@pytest.mark.parametrize("folder", [".well-known", "node_modules", "more/site-packages"])
def test_hidden_and_installed_pages_count_where_mkdocs_has_them(site: Path, folder: str) -> None:
    write(site, "mkdocs.yml", SETTINGS + "exclude_docs: '!.well-known'\n")
    said(site)
    write(site, f"docs/{folder}/a.md", "# A\n\nIt is new.")
    assert "It is new." in str(said(site))
    write(site, f"docs/{folder}/a.md", "# A\n\nIt is old.")
    assert "It is old." in str(said(site))


def test_settings_from_elsewhere_count(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(site, "base.yml", "theme: {name: mkdocs, locale: en}\n")
    write(site, "mkdocs.yml", "INHERIT: base.yml\nsite_name: Site\ndocs_dir: !ENV [DOCS, docs]\n")
    assert {page[3] for page in said(site)} == {"en"}
    write(site, "base.yml", "theme: {name: mkdocs, locale: fr}\n")
    assert {page[3] for page in said(site)} == {"fr"}
    write(site, "other/only.md", "# Only\n\nThis is all.")
    monkeypatch.setenv("DOCS", "other")
    assert [page[0] for page in said(site)] == ["only.md"]
    monkeypatch.delenv("DOCS")
    assert len(said(site)) == 3


def test_an_extension_that_the_site_has_itself_counts(site: Path) -> None:
    code = beside(__file__)["SHOUT"]
    write(site, "mkdocs.yml", "site_name: Site\nmarkdown_extensions: [own_shout]\n")
    ask = (
        "import sys; sys.path.insert(0, '.'); from mkdocs_recall import Corpus; "
        "print(Corpus.from_site('mkdocs.yml').recall('which port?').passages[0].text)"
    )
    for word in ("flown", "driven"):
        write(site, "own_shout.py", code.format(word=word))
        process = subprocess.run(  # noqa: S603 - our own
            [sys.executable, "-B", "-c", ask], cwd=site, check=True, capture_output=True, text=True
        )
        assert process.stdout == f"Mail is {word} on port 587.\n"


INCLUDE: str = beside(__file__)["INCLUDE"]


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("name", ["included.txt", "docs/index.md", "docs/data.csv"])
def test_any_opened_file_counts(site: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write(site, "including.py", INCLUDE)
    write(site, "mkdocs.yml", "site_name: Site\nmarkdown_extensions: [including]\n")
    write(site, "docs/mail.md", f"# Mail\n\nINCLUDE {(site / name).as_posix()}\n")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.delitem(sys.modules, "including", raising=False)
    for text in ("The weather is rainy.", "The weather is dry."):
        write(site, name, text)
        (mail,) = (page for page in said(site) if page[0] == "mail.md")
        assert text in str(mail)
        assert rendered(site) == 0
    write(site, "site/index.html", "A build writes this.")
    assert rendered(site) == 0
    monkeypatch.delitem(sys.modules, "including")


def test_after_any_edits_the_cache_reads_as_without_one(site: Path) -> None:
    chance = random.Random(5)  # noqa: S311
    names = ["index.md", "mail.md", "more/keys.md", "more/new.md", "plan.md"]
    texts = ["See [it](plan.md).", "A port.", "---\nlang: de\n---\nEin Text.", "# T\n\nWords."]
    for _ in range(25):
        path = site / "docs" / chance.choice(names)
        if path.exists() and chance.random() < 0.3 and len(list(site.rglob("*.md"))) > 1:
            path.unlink()
        else:
            write(site, f"docs/{chance.choice(names)}", chance.choice(texts))
        if chance.random() < 0.2:
            write(site, "mkdocs.yml", SETTINGS + chance.choice(["", "use_directory_urls: false\n"]))
        assert said(site) == said(site, cache=False)


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Return a file with some bytes changed, or its end missing."""
    if chance.random() < 0.3:
        return data[: chance.randrange(len(data))]
    changed = bytearray(data)
    for _ in range(20):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def test_a_damaged_cache_is_none(site: Path) -> None:
    expected = said(site)
    file = cache_file(_cache(site))
    whole = file.read_bytes()
    chance = random.Random(1)  # noqa: S311
    for _ in range(20):
        for path in file.parent.glob("*.bin"):
            path.unlink()
        file.write_bytes(damaged(whole, chance))
        assert said(site) == expected


@tabled
def test_other_bytes_are_not_a_snapshot(
    site: Path, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = said(site)
    get = Cache.get

    def stranger(cache: Cache, key: bytes) -> bytes | None:
        found = get(cache, key)
        return found and value.encode()

    monkeypatch.setattr(Cache, "get", stranger)
    assert said(site) == expected


def test_a_forged_snapshot_reads_no_files_outside_of_the_site(site: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("# Secret\n\nThe password is larch.\n", encoding="utf-8")
    expected = said(site)
    config = site / "mkdocs.yml"
    library = Corpus.from_site(config)._library  # noqa: SLF001 - anybody knows its keys
    assert library is not None
    version = manifest.file_version(str(secret))
    entry = manifest.PageEntry(str(secret), version, None, excluded="")
    forged = manifest.Manifest(
        roots=[],
        include_ignored=False,
        listing=listing_digest([], manifest.PAGES, include_ignored=False),
        settings={},
        variables={},
        folder="",
        outputs=[],
        files="",
        rendering="",
        refused={},
        pages={"index.md": entry},
    )
    for settings in ({}, {str(config): None}, {str(secret): fingerprint(str(secret))}):
        cache = Cache(_cache(site))
        cache.put(library._key, pack(forged._replace(settings=settings)))  # noqa: SLF001
        cache.save()
        assert str(secret) not in Corpus.from_site(config).files.values()
        assert said(site) == expected


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no such thing")
def test_what_is_not_a_file_is_not_read_for_ever() -> None:
    assert content_digest("/dev/zero") == ""
    assert content_digest("a\0b") == ""
    assert fingerprint("a\0b") is None


def test_without_a_cache_nothing_is_written(site: Path) -> None:
    write(site, "mkdocs.yml", f"{SETTINGS}plugins: [{{recall: {{cache: false}}}}]\n")
    before = sorted(site.rglob("*"))
    said(site)
    said(site, cache=False)
    assert sorted(site.rglob("*")) == before
    assert not _cache(site).exists()


def test_the_cache_is_where_the_plugin_has_it(site: Path) -> None:
    write(site, "mkdocs.yml", f"{SETTINGS}plugins: [{{recall: {{cache_dir: kept/here}}}}]\n")
    assert rendered(site) == 3
    assert cache_file(site / "kept/here")
    assert not _cache(site).exists()
    assert rendered(site) == 0


def test_nothing_is_written_among_the_pages(site: Path) -> None:
    write(site, "mkdocs.yml", f"{SETTINGS}plugins: [{{recall: {{cache_dir: docs/kept}}}}]\n")
    before = sorted(site.rglob("*"))
    with pytest.raises(SiteError, match="'cache_dir' cannot be 'docs/kept'"):
        said(site)
    assert sorted(site.rglob("*")) == before


def test_files_outside_of_the_pages_are_not_read(site: Path) -> None:
    write(site, "secret.md", "# Secret\n\nThe word is xyzzy.")
    (site / "docs/leak.md").symlink_to(site / "secret.md")
    corpus = Corpus.from_site(site / "mkdocs.yml")
    assert "xyzzy" not in str([page.blocks for page in corpus.documents])
    with pytest.raises(RecallError, match=r"'leak\.md' cannot be quoted: a link leads out"):
        corpus.synopsis("leak.md")


def test_a_corpus_is_refreshed_when_a_file_has_changed(site: Path) -> None:
    corpus = Corpus.from_site(site / "mkdocs.yml")
    assert corpus.recall("which port?").passages[0].text == "Mail is sent on port 587."
    assert corpus.refreshed() is corpus
    write(site, "docs/mail.md", "# Mail\n\nMail is sent on port 25.")
    fresh = corpus.refreshed()
    assert fresh is not corpus
    assert fresh.recall("which port?").passages[0].text == "Mail is sent on port 25."
    assert corpus.recall("which port?").passages[0].text == "Mail is sent on port 587."
    assert Corpus.from_markdown({"a.md": "Text."}).refreshed().documents


@pytest.mark.parametrize("nested", ["[\n" * 10_000, "{a: " * 10_000, "\n" + "- " * 10_000 + "x"])
def test_front_matter_nested_too_deep_leaves_out_its_page(tmp_path: Path, nested: str) -> None:
    (tmp_path / "mkdocs.yml").write_text("site_name: Larch\nplugins: [recall]\n", "utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/auth.md").write_text("# Auth\n\nA session expires after a day.\n", "utf-8")
    (tmp_path / "docs/bad.md").write_text(f"---\na: {nested}\n---\n# B\n\nA session.\n", "utf-8")
    for corpus in (
        Corpus.from_site(tmp_path / "mkdocs.yml"),
        Corpus.from_folder(tmp_path / "docs"),
    ):
        assert [page.uri for page in corpus.documents] == ["auth.md"]
        assert corpus.warnings == (
            "'bad.md' is left out: its front matter is nested too deeply; flatten it",
        )


def test_a_configuration_nested_too_deep_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    text = "site_name: Larch\nplugins: [recall]\nextra: " + "[\n" * 10_000
    (tmp_path / "mkdocs.yml").write_text(text, "utf-8")
    with pytest.raises(SiteError, match=r"mkdocs\.yml.: its values are nested too deeply"):
        _ = Corpus.from_site(tmp_path / "mkdocs.yml").documents
