"""A build quotes the fetched copies of other sites, and nothing else of them."""

from __future__ import annotations

import gzip
import json
from hashlib import sha256
from typing import Any

import pytest
from conftest import Built, Site
from mkdocs.exceptions import Abort
from other_site import FLUX, SITES, flux, put_copy
from tables import Case, tabled

QUERY = "when does a flux token expire"


def fence(source: Any, query: str = QUERY, **options: Any) -> str:
    lines = {"query": query, "source": source, **options}
    body = "\n".join(f"{name}: {json.dumps(value)}" for name, value in lines.items())
    return f"\n```recall\n{body}\n```\n"


def build(site: Site, *sources: Any, pages: dict[str, str] | None = None, **settings: Any) -> Built:
    page = "# Larch\n\nA larch token is a leaf.\n" + "".join(map(fence, sources))
    recall = {"sites": SITES, **settings}
    return site.build({"index.md": page, **(pages or {})}, recall=recall)


@tabled
def test_a_build_quotes_the_copies_that_a_fence_names(site: Site, case: Case) -> None:
    for name, header in case["copies"].items():
        put_copy(site.root, name, flux(**header))
    site.expect(case, recall={"sites": SITES})


@tabled
def test_a_source_that_names_nothing_is_an_error(site: Site, source: str, message: str) -> None:
    put_copy(site.root)
    sites = {**SITES, "beech": {"url": "https://beech.example/"}}
    built = build(site, source, "flux:**", sites=sites)
    (warning,) = built.warnings
    assert "index.md:5: recall: " in warning
    assert message in warning
    assert "12 hours" in built.page().select(".recall")[-1].get_text()


def test_a_copy_without_a_digest_is_an_error_that_names_the_command(site: Site) -> None:
    put_copy(site.root)
    (site.root / "recall-sites.lock").unlink()
    (warning,) = build(site, "flux:**").warnings
    assert "does not list the copy of the site 'flux'; run 'mkdocs-recall fetch flux'" in warning


def stopped(site: Site) -> str:
    """Return the message with which a build stops."""
    with pytest.raises(Abort):
        build(site, "flux:**")
    return site.records[-1].getMessage()


def test_a_copy_with_another_digest_stops_the_build(site: Site) -> None:
    path = put_copy(site.root)
    path.write_bytes(flux({"index.md": "# Flux\n\nA flux token never expires.\n"}))
    assert "does not have the digest that 'recall-sites.lock' states" in stopped(site)
    assert build(site).warnings == []  # nothing asks it


@pytest.mark.parametrize(
    "lock", ["<<<<<<< HEAD\n[flux]\n", "[flux]\nsha256 = 12\n", "[c]\nsha256 =\n", "[flux\n", "\0"]
)
def test_a_broken_lock_file_stops_the_build(site: Site, lock: str) -> None:
    put_copy(site.root)
    (site.root / "recall-sites.lock").write_text(lock)
    message = stopped(site)
    assert "recall-sites.lock' cannot be used: " in message
    assert "version control" in message


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (flux()[:-30], "damaged; 'mkdocs-recall fetch flux --update' replaces it"),
        (b"PK\x03\x04 something else", "not compressed by gzip"),
        (gzip.compress(b'{"schema": 9}\n', mtime=0), "newer than 1: upgrade mkdocs-recall"),
        (gzip.compress(bytes(100_000_000), mtime=0), "unpacks to more than any documentation has"),
        (flux(site_url="https://larch.example"), "the site 'flux' is this site itself"),
    ],
)
def test_an_unusable_copy_leaves_other_quotes_alone(site: Site, data: bytes, message: str) -> None:
    put_copy(site.root, data=data)
    put_copy(site.root, "beech", flux({"a.md": "# Beech\n\nA flux token of a beech is a nut.\n"}))
    sites = {**SITES, "beech": {"url": "https://beech.example/"}}
    built = build(site, "flux:**", "beech:**", sites=sites)
    (warning,) = built.warnings
    assert message in warning
    assert str(site.root) not in warning + built.html()
    assert "is a nut" in built.text("blockquote")


def test_a_changed_copy_changes_the_quote_and_an_unchanged_one_is_cached(site: Site) -> None:
    put_copy(site.root)
    cold = build(site, "flux:**")
    warm = site.rebuild()
    assert warm.html() == cold.html()
    assert "1 from the cache" in warm.infos[-1]
    edited = {uri: text.replace("after 12 hours", "at once") for uri, text in FLUX.items()}
    put_copy(site.root, data=flux(edited))
    changed = site.rebuild()
    assert "expires at once" in changed.text(".recall")
    put_copy(site.root, data=flux(site_url="https://flux.example/new/"))
    assert "https://flux.example/new/" in site.rebuild().html()


def test_dirty_renders_pages_again_whose_copy_has_changed(site: Site) -> None:
    put_copy(site.root)
    build(site, "flux:**", pages={"other.md": f"# Other\n{fence('flux:index.md')}"})
    outs = [site.root / "site" / name for name in ("index.html", "other/index.html")]
    put_copy(site.root, data=flux({"index.md": "# Flux\n\nA flux token expires at once.\n"}))
    assert site.run("--dirty").returncode == 0
    assert all("expires at once" in out.read_text("utf-8") for out in outs)


@tabled
def test_impossible_sites_stop_a_build_and_say_why(
    site: Site, sites: Any, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises((Abort, SystemExit)):
        build(site, sites=sites)
    assert message in caplog.text + " ".join(r.getMessage() for r in site.records)


def hostile(**header: str) -> bytes:
    """Return a file in which each text that a quote shows tries to be something else."""
    pages = {
        "a.md": "# <script>alert(1)</script> \u202eTokens\n\n"
        "## {{ x }} \u2066<img src=x onerror=y>\n\n"
        "A flux token expires `<script>alert(2)</script>` [here](b.md) "
        "[there](../../../up.md) \u202eafter 12 hours. A token has {% raw %} no end.\n"
    }
    head, words, page = gzip.decompress(flux(pages)).splitlines(keepends=True)
    value = json.loads(page)
    text = json.dumps(value["document"], separators=(",", ":"))
    text = text.replace('"b.md"', '"javascript:alert(3)"')
    text = text.replace('"Flux"', '"\\u202e<b>"')
    page = b'%s,"document":%s}\n' % (
        json.dumps(
            {
                "uri": value["uri"],
                "url": "a/",
                "title": value["title"],
                "digest": sha256(text.encode()).hexdigest()[: len(value["digest"])],
            }
        )[:-1].encode(),
        text.encode(),
    )
    first = {
        **json.loads(head),
        "site": "<script>alert(4)</script>\u202e",
        "licence": "\u202e<i>'\"{{ y }}",
        "digest": sha256(words + page).hexdigest(),
        **header,
    }
    return gzip.compress(json.dumps(first).encode() + b"\n" + words + page)


@pytest.mark.parametrize("form", ["blockquote", "list", "admonition"])
def test_nothing_of_a_hostile_site_comes_out_as_markup(site: Site, form: str) -> None:
    put_copy(site.root, data=hostile())
    page = "# Larch\n" + fence("flux:**", format=form, explain=True)
    page += '\n```synopsis\nsource: "flux:**"\nformat: admonition\n```\n'
    built = site.build({"index.md": page}, recall={"sites": SITES})
    assert built.warnings == []
    names = {tag.name for tag in built.page().article.select("*")}  # type: ignore[union-attr]
    assert not names & {"script", "img", "b", "i"}
    assert "{{" not in built.html()
    assert "{%" not in built.html()
    assert all(a["href"].startswith("https://flux.example/")  # type: ignore[union-attr]
               for a in built.page().select(".recall a"))  # fmt: skip
    for tag in built.page().select("cite, cite a, .admonition-title, p"):
        text = tag.get_text()
        opened = sum(map(text.count, "\u202e\u2066"))
        assert sum(map(text.count, "\u202c\u2069")) == opened, repr(text)
    warm = site.rebuild()  # the whitelist of quotes in the cache knows them
    assert "2 from the cache" in warm.infos[-1]
    assert warm.html() == built.html()


def test_a_hostile_address_is_refused(site: Site) -> None:
    put_copy(site.root, data=hostile(site_url="javascript:alert(5)"))
    (warning,) = build(site, "flux:**").warnings
    assert "its site_url is not an http or https URL" in warning
