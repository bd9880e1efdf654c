"""A site says what it quotes of others, in the file that it publishes, only where it wants to."""

from __future__ import annotations

import gzip
import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest
from golden_demo import DEMO
from mkdocs.exceptions import Abort
from other_site import FLUX, SITES, URL, flux, put_copy
from terminal import Terminal

from mkdocs_recall.cache.store import Cache
from mkdocs_recall.errors import PublishedFileError
from mkdocs_recall.publishing.published_file import FILE, SiteHeader, pack_site, read_site

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Built, Site

FENCE = (
    "\n```recall\nquery: when does a flux token expire?\n"
    "source: flux:guides/tokens.md#expiry\nmax_sentences: 1\n```\n"
)
HOME = f"---\ntitle: Larch\n---\n# Larch\n\nA larch sheds.\n{FENCE}"
TEXT = "A flux token expires after 12 hours, see the start."
OUTBOUND: dict[str, Any] = {"publish": {"outbound": True}, "sites": SITES}
QUOTE = {
    "page": "index.md",
    "line": 8,
    "directive": "recall",
    "query": ["when does a flux token expire?"],
    "source": ["flux:guides/tokens.md#expiry"],
    "options": {"max_sentences": 1},
    "passages": [{"source": "flux:guides/tokens.md#expiry", "text": TEXT}],
}


def published(folder: Path) -> str:
    return gzip.decompress((folder / FILE).read_bytes()).decode()


def outbound(built: Built) -> Any:
    return json.loads(published(built.folder).splitlines()[1]).get("outbound")


def test_a_site_says_what_it_quotes_and_where(site: Site) -> None:
    put_copy(site.root)
    built = site.build({"index.md": HOME}, recall=OUTBOUND)
    assert outbound(built) == {"sites": {"flux": URL}, "quotes": [QUOTE]}


def test_the_page_names_each_field(site: Site) -> None:
    put_copy(site.root)
    page = (DEMO / "publishing.md").read_text(encoding="utf-8")
    value = outbound(site.build({"index.md": HOME}, recall=OUTBOUND))
    (quote,) = value["quotes"]
    fields = {"outbound", *value, *quote, *quote["passages"][0]}
    assert [name for name in sorted(fields) if f"`{name}`" not in page] == []


def test_programs_that_read_only_pages_go_on(
    site: Site, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    put_copy(site.root)
    page = (DEMO / "publishing.md").read_text(encoding="utf-8")
    [program] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    monkeypatch.chdir(site.build({"index.md": HOME}, recall=OUTBOUND).folder)
    exec(program, {})  # noqa: S102 - the documentation's own
    assert capsys.readouterr().out == "https://larch.example/#larch A larch sheds.\n"
    assert json.loads(published(site.root / "site").splitlines()[0])["schema"] == 1


def test_a_mixed_answer_has_only_the_sentences_of_others(site: Site) -> None:
    put_copy(site.root)
    asked = 'query: token\nsource: ["/own.md", "flux:**"]\nmax_sentences: 9\ncontext: 0'
    fence = f"\n```recall\n{asked}\n```\n"
    pages = {"index.md": f"# Larch\n{fence}", "own.md": "# Own\n\nA larch token is a leaf.\n"}
    built = site.build(pages, recall=OUTBOUND)
    assert "A larch token is a leaf." in built.text(".recall")
    (quote,) = outbound(built)["quotes"]
    assert [passage["source"] for passage in quote["passages"]] == [
        "flux:guides/tokens.md#expiry",
        "flux:guides/tokens.md#renewal",
    ]


@pytest.mark.parametrize("publish", [True, {"outbound": False}])
@pytest.mark.parametrize("is_built", [False, True])
def test_without_the_option_nothing_of_others_is_in_the_file(
    site: Site, publish: object, *, is_built: bool
) -> None:
    put_copy(site.root)
    built = site.build({"index.md": HOME}, recall={**OUTBOUND, "publish": publish})
    assert "12 hours" in built.text(".recall")
    if is_built:
        assert Terminal(site.root).run("publish", "--built", "site").status == 0
    assert "A larch sheds." in published(built.folder)
    assert "12 hours" not in published(built.folder)
    assert "flux" not in published(built.folder)
    assert read_site(built.folder / FILE).outbound is None


def test_a_site_that_quotes_no_other_says_so(site: Site) -> None:
    built = site.build({"index.md": "# Larch\n\nA larch.\n"}, recall=OUTBOUND)
    assert outbound(built) == {"sites": {}, "quotes": []}


def test_a_private_site_is_neither_quoted_nor_named(site: Site) -> None:
    put_copy(site.root)
    put_copy(site.root, "payroll", flux({"a.md": "# Pay\n\nA payroll token is secret.\n"}))
    secret = {"url": "https://payroll.example/", "private": True}
    mixed = '\n```recall\nquery: token\nsource: ["flux:**", "payroll:**"]\ncontext: 0\n```\n'
    query = "[payroll token secret, when does a flux token expire]"
    all_sites = f'\n```recall\nquery: {query}\nsource: "*:**"\nmax_sentences: 9\ncontext: 0\n```\n'
    built = site.build(
        {"index.md": f"# Larch\n{mixed}{all_sites}"},
        recall={**OUTBOUND, "sites": {**SITES, "payroll": secret}},
    )
    assert built.html().count("A payroll token is secret.") == 2
    (quote,) = outbound(built)["quotes"]
    assert quote["source"] == ["*:**"]
    assert {passage["source"].partition(":")[0] for passage in quote["passages"]} == {"flux"}
    assert "payroll:" not in published(built.folder)
    assert "is secret" not in published(built.folder)


def test_quotes_on_pages_that_are_kept_back_are_kept_back(site: Site) -> None:
    put_copy(site.root)
    pages = {
        "index.md": "# Larch\n\nA larch sheds.\n",
        "draft.md": f"# Draft\n{FENCE}",
        "aside.md": f"# Aside\n{FENCE}",
        "hidden.md": f"---\nsearch: {{exclude: true}}\n---\n# Hidden\n{FENCE}",
    }
    settings = {"draft_docs": "draft.md", "not_in_nav": "aside.md", "recall": OUTBOUND}
    assert outbound(site.build(pages, **settings))["quotes"] == []
    assert Terminal(site.root).run("publish", "--check").status == 0


def test_a_site_without_a_url_is_left_out(site: Site) -> None:
    put_copy(site.root, data=flux(site_url=""))
    assert outbound(site.build({"index.md": HOME}, recall=OUTBOUND))["quotes"] == []


@pytest.mark.parametrize("cache", [True, False])
def test_every_later_build_says_what_a_first_one_would(site: Site, cache: bool) -> None:  # noqa: FBT001
    put_copy(site.root)
    pages = {"index.md": HOME, "b.md": f"# B\n{FENCE}", "c.md": "# C\n\nA resin.\n"}
    cold = site.build(pages, recall={**OUTBOUND, "cache": cache}).folder / FILE
    first = cold.read_bytes()
    site.rebuild()
    assert cold.read_bytes() == first
    site.write({"b.md": f"# B\n\nA line more.\n{FENCE}"})
    assert site.run("--dirty", "--quiet").returncode == 0
    dirty = cold.read_bytes()
    site.rebuild()
    assert cold.read_bytes() == dirty != first
    lines = [quote.line for quote in read_site(cold).outbound or ()]
    assert lines == [8, 5]


def test_pages_that_dirty_skips_are_read_where_no_build_has_noted_their_quotes(site: Site) -> None:
    put_copy(site.root)
    pages = {"index.md": HOME, "c.md": "# C\n\nA resin.\n"}
    site.build(pages, recall={"sites": SITES, "publish": True})
    site.configure(recall=OUTBOUND)
    site.write({"c.md": "# C\n\nA resin is sticky.\n"})
    assert site.run("--dirty", "--quiet").returncode == 0
    quotes = read_site(site.root / "site" / FILE).outbound or ()
    assert [quote.page for quote in quotes] == ["index.md"]


def test_a_changed_copy_is_what_a_dirty_build_says_it_quotes(site: Site) -> None:
    put_copy(site.root)
    site.build({"index.md": HOME}, recall=OUTBOUND)
    changed = FLUX["guides/tokens.md"].replace("12 hours", "a day")
    put_copy(site.root, data=flux({**FLUX, "guides/tokens.md": changed}))
    assert site.run("--dirty", "--quiet").returncode == 0
    assert "expires after a day" in published(site.root / "site")


@pytest.mark.parametrize("forged", [1, [1], [["flux"]], [["flux", URL, "a.md", "", 1]]])
def test_what_a_stranger_has_put_into_the_cache_is_not_published(
    site: Site, monkeypatch: pytest.MonkeyPatch, forged: object
) -> None:
    put = Cache.put

    def poison(cache: Cache, key: bytes, value: bytes) -> None:
        kept = json.loads(value) if value.startswith(b'["<') else []
        if kept:
            assert TEXT in kept[5][0]
            value = json.dumps([*kept[:5], forged]).encode()
        put(cache, key, value)

    put_copy(site.root)
    with monkeypatch.context() as patched:
        patched.setattr(Cache, "put", poison)
        expected = outbound(site.build({"index.md": HOME}, recall=OUTBOUND))
    built = site.rebuild()
    assert ", 0 from the cache" in built.infos[-1]
    assert outbound(built) == expected
    assert ", 1 from the cache" in site.rebuild().infos[-1]


def test_the_quotes_of_all_languages_are_published_together(site: Site) -> None:
    put_copy(site.root)
    languages = [
        {"locale": "en", "name": "English", "default": True},
        {"locale": "de", "name": "Deutsch"},
    ]
    i18n = {"i18n": {"docs_structure": "suffix", "languages": languages}}
    pages = {f"index.{locale}.md": HOME for locale in ("en", "de")}
    built = site.build(pages, plugins=[i18n, {"recall": OUTBOUND}])
    quotes = [(quote["page"], quote["line"]) for quote in outbound(built)["quotes"]]
    assert quotes == [("index.en.md", 8), ("index.de.md", 8)]


def test_the_command_says_what_a_build_does(site: Site) -> None:
    put_copy(site.root)
    weighted = (
        "\n```recall\nquery: [{text: token, weight: 2}, renew]\n"
        "source: flux:**\nunits: [prose]\ndiversity: 0.5\nscorer: structure\n```\n"
    )
    pages = {"index.md": f"{HOME}{weighted}", "b.md": "# B\n\n```synopsis\nsource: flux:**\n```\n"}
    built = site.build(pages, recall={**OUTBOUND, "max_sentences": 2})
    _, quote, _ = outbound(built)["quotes"]
    assert quote["query"] == [{"text": "token", "weight": 2}, "renew"]
    assert quote["options"] == {
        "diversity": 0.5,
        "max_sentences": 2,
        "scorer": "structure",
        "units": ["prose"],
    }
    here = Terminal(site.root)
    assert here.run("publish", "--check").status == 0
    site.rebuild()
    assert here.run("publish", "--check").status == 0
    put_copy(site.root, data=flux({**FLUX, "guides/tokens.md": "# Tokens\n\n## Expiry\n\nNo.\n"}))
    assert here.run("publish", "--check").status == 3


@pytest.mark.parametrize("mode", ["warn", "enforce"])
def test_the_command_takes_approved_answers_as_a_build_does(site: Site, mode: str) -> None:
    put_copy(site.root)
    site.write({"index.md": HOME.replace("guides/tokens.md#expiry", "**")})
    site.configure(recall={**OUTBOUND, "lock": mode})
    here = Terminal(site.root)
    assert here.run("lock").status == 0
    better = "# When does a flux token expire?\n\nA flux token does expire, a flux token does.\n"
    put_copy(site.root, data=flux({**FLUX, "index.md": better}))
    built = site.rebuild()
    (quote,) = outbound(built)["quotes"]
    (passage,) = quote["passages"]
    assert passage["text"] in built.text(".recall")
    assert ("12 hours" in passage["text"]) == (mode == "enforce")
    assert here.run("publish", "--check").status == 0


def test_the_command_warns_of_directives_that_quote_nothing(site: Site) -> None:
    site.write({"index.md": HOME})
    site.configure(recall=OUTBOUND)
    said = Terminal(site.root).run("publish")
    assert (said.status, said.out) == (0, "")
    assert "docs/index.md:8: recall: the site 'flux' has no copy in 'recall-sites'" in said.err
    (site.root / "mkdocs.yml").write_text(
        "site_name: Larch\nplugins: [{recall: {publish: {outbound: true}, sites: {f: 1}}}]\n"
    )
    said = Terminal(site.root).run("publish")
    assert (said.status, said.out) == (2, "")
    assert "mkdocs.yml: recall: 'sites' cannot have a site 'f'" in said.err


def test_a_setting_that_is_neither_true_nor_false_is_an_error(site: Site) -> None:
    with pytest.raises(Abort):
        site.build({"index.md": HOME}, recall={"publish": {"outbound": "all"}})
    messages = "\n".join(record.getMessage() for record in site.records)
    assert "'publish.outbound' must be true or false, not 'all'" in messages


def rebuilt(tmp_path: Path, value: object) -> Path:
    """Write a published file whose second line has this of other sites."""
    data = gzip.decompress(pack_site(SiteHeader("Larch"), []))
    head, second, *rest = data.splitlines(keepends=True)
    second = json.dumps({**json.loads(second), "outbound": value}).encode() + b"\n"
    lines = second + b"".join(rest)
    head = json.dumps({**json.loads(head), "digest": sha256(lines).hexdigest()}).encode() + b"\n"
    path = tmp_path / "larch.jsonl.gz"
    path.write_bytes(gzip.compress(head + lines))
    return path


@pytest.mark.parametrize(
    "value",
    [
        [],
        "all",
        {"sites": {}},
        {"sites": {}, "quotes": [1]},
        {"sites": {"flux": 1}, "quotes": []},
        {"sites": {}, "quotes": [QUOTE]},
        {"sites": {"flux": URL}, "quotes": [{**QUOTE, "line": "8"}]},
        {"sites": {"flux": URL}, "quotes": [{**QUOTE, "options": []}]},
        {"sites": {"flux": URL}, "quotes": [{**QUOTE, "query": [{"text": "a", "weight": -1}]}]},
        {"sites": {"flux": URL}, "quotes": [{**QUOTE, "passages": [{"text": "a"}]}]},
    ],
)
def test_quotes_of_another_form_are_an_error_with_its_place(tmp_path: Path, value: object) -> None:
    path = rebuilt(tmp_path, value)
    with pytest.raises(PublishedFileError) as caught:
        read_site(path)
    assert str(caught.value) == (
        f"'{path.as_posix()}':2 cannot be used: its 'outbound' is not what a site quotes of others"
    )


def test_fields_of_a_later_version_do_no_harm(tmp_path: Path) -> None:
    later = {**QUOTE, "query": [{"text": "a", "weight": 2, "more": 1}], "more": 1}
    site = read_site(rebuilt(tmp_path, {"sites": {"flux": URL}, "quotes": [later], "more": 1}))
    assert [passage.text for quote in site.outbound or () for passage in quote.passages] == [TEXT]
