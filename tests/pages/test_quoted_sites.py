"""A corpus of a site quotes the copies of other sites that its sources name."""

from __future__ import annotations

import shutil

import pytest
from conftest import Site
from other_site import FLUX, SITES, flux, put_copy

from mkdocs_recall import Corpus, Publisher, Result
from mkdocs_recall.answers.markdown import TargetFile, render_markdown
from mkdocs_recall.answers.statements import Verifier, read_claims
from mkdocs_recall.errors import SiteCopyError, SiteError
from mkdocs_recall.options import RecallOptions

QUERY = "when does a flux token expire"


@pytest.fixture
def corpus(site: Site) -> Corpus:
    """A site with a page of its own, and the copy of another site."""
    site.write({"index.md": "# Larch\n\nA larch token is a leaf.\n"})
    sites = {"flux": {**SITES["flux"], "private": True}}
    site.configure(recall={"sites": sites})
    put_copy(site.root, data=flux(licence="CC-BY-4.0"))
    return Corpus.from_site(site.root / "mkdocs.yml", cache=False)


def test_only_a_source_that_names_another_site_opens_it(corpus: Corpus, site: Site) -> None:
    (site.root / "recall-sites" / "flux.jsonl.gz").write_bytes(b"changed")
    assert [page.uri for page in corpus.documents] == ["index.md"]
    assert {p.uri for p in corpus.recall("larch token", source="**").passages} == {"index.md"}
    with pytest.raises(SiteCopyError, match="does not have the digest"):
        corpus.recall(QUERY, source="flux:**")


def test_a_page_of_another_site_says_who_publishes_it(corpus: Corpus) -> None:
    (first, *_) = corpus.recall(QUERY, source=["flux:**", "**"]).passages
    assert first.document.publisher == Publisher(
        "flux", "Flux", "https://flux.example/docs/", "CC-BY-4.0", private=True
    )
    assert first.url == "https://flux.example/docs/guides/tokens/#expiry"


def test_a_result_read_back_from_json_still_names_the_other_site(corpus: Corpus) -> None:
    result = corpus.recall(QUERY, source="flux:**")
    again = Result.from_json(result.to_json())
    assert [p.document.publisher for p in again.passages] == [
        p.document.publisher for p in result.passages
    ]
    assert again.to_json() == result.to_json()


def test_markdown_names_the_other_site_and_links_to_it(corpus: Corpus) -> None:
    result = corpus.recall(QUERY, source="flux:**", max_sentences=1)
    text = render_markdown(
        result,
        RecallOptions(query=(), cite=True),
        TargetFile("", folder="/elsewhere", root="/docs"),
    )
    assert text == (
        "> A flux token expires after 12 hours, see "
        "[the start](https://flux.example/docs/guides/start/).\n>\n"
        "> — [Flux › Tokens › Expiry](https://flux.example/docs/guides/tokens/#expiry) (CC-BY-4.0)"
    )


def test_markdown_of_a_site_without_a_url_has_no_links(corpus: Corpus, site: Site) -> None:
    put_copy(site.root, data=flux(site_url=""))
    result = corpus.recall(QUERY, source="flux:**", max_sentences=1)
    text = render_markdown(
        result,
        RecallOptions(query=(), cite=True),
        TargetFile("", folder="/elsewhere", root="/docs"),
    )
    assert text.endswith("see the start.\n>\n> — Flux › Tokens › Expiry")


def test_a_long_run_sees_a_copy_that_changes_or_comes(corpus: Corpus, site: Site) -> None:
    assert "12 hours" in corpus.recall(QUERY, source="flux:**").passages[0].text
    assert corpus.refreshed() is corpus
    put_copy(site.root, data=flux({"index.md": "# Flux\n\nA flux token expires at once.\n"}))
    corpus = corpus.refreshed()
    assert "at once" in corpus.recall(QUERY, source="flux:**").passages[0].text
    shutil.rmtree(site.root / "recall-sites")
    corpus = corpus.refreshed()
    with pytest.raises(SiteError, match="mkdocs-recall fetch flux"):
        corpus.recall(QUERY, source="flux:**")
    put_copy(site.root)
    corpus = corpus.refreshed()
    assert "12 hours" in corpus.recall(QUERY, source="flux:**").passages[0].text


def test_pages_of_several_sites_come_in_the_order_of_the_setting(site: Site) -> None:
    site.write({"index.md": "# Larch\n\nA larch.\n"})
    url = SITES["flux"]["url"]
    site.configure(recall={"sites": {"yew": {"url": url}, "ash": {"url": url}}})
    put_copy(site.root, "yew", flux({"b.md": "# B\n\nA text.\n", "a.md": "# A\n\nA text.\n"}))
    put_copy(site.root, "ash", flux({"c.md": "# C\n\nA text.\n"}))
    for first in ("ash:**", "yew:**"):  # whichever is opened first
        corpus = Corpus.from_site(site.root / "mkdocs.yml", cache=False)
        corpus.select(first)
        uris = [page.uri for page in corpus.select(["*:**", "**"])]
        assert uris == ["index.md", "yew:b.md", "yew:a.md", "ash:c.md"]


def test_a_page_with_a_colon_in_its_name_is_not_another_site(site: Site) -> None:
    site.write({"index.md": "# Larch\n\nA larch.\n", "flux:index.md": "# Own\n\nIt is ours.\n"})
    site.configure(recall={"sites": SITES})
    put_copy(site.root)
    corpus = Corpus.from_site(site.root / "mkdocs.yml", cache=False)
    assert corpus.select("flux:guides/")[0].publisher is not None
    assert corpus.select("flux:index.md")[0].publisher is None


def test_a_receipt_of_another_site_is_verified_by_its_copy(corpus: Corpus, site: Site) -> None:
    record = corpus.recall(QUERY, source="flux:**", max_sentences=1).to_json()

    def verdicts(pages: Corpus) -> list[str]:
        return [claim.verdict for claim in Verifier(pages).verify(read_claims(record))]

    assert verdicts(corpus) == ["exact"]
    put_copy(site.root, data=flux({**FLUX, "guides/tokens.md": "# Tokens\n\nNothing lasts.\n"}))
    assert verdicts(corpus.refreshed()) == ["gone"]
    put_copy(site.root, data=flux({"index.md": "# Flux\n\nNothing lasts.\n"}))
    assert verdicts(corpus.refreshed()) == ["gone"]
    shutil.rmtree(site.root / "recall-sites")
    with pytest.raises(SiteError, match="mkdocs-recall fetch flux"):
        verdicts(corpus.refreshed())
