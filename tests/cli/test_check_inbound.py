"""`check --inbound`: a site learns from others' files which quotes of it an edit changes."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import dataclass
from shutil import copyfile
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from golden_demo import DEMO
from terminal import Terminal

from mkdocs_recall.publishing.outbound import OutboundPassage, OutboundQuote
from mkdocs_recall.publishing.published_file import FILE, SiteHeader, pack_site

if TYPE_CHECKING:
    from pathlib import Path

    from terminal import Said

URL = "https://flux.example/docs/"
PAGES = {
    "index.md": "# Flux\n\nFlux keeps clusters in sync with their repositories.\n",
    "guides/tokens.md": (
        "# Tokens\n\n## Expiry\n\nA flux token expires after 12 hours.\n\n"
        "## Renewal\n\nThe controller renews a flux token an hour before.\n"
    ),
    "ports.md": "# Ports\n\n| Port | Service |\n|---|---|\n| 8080 | tokens |\n| 9090 | metrics |\n",
    "install.md": "# Install\n\n```bash\nflux install --token TOKEN\nflux check\n```\n",
}
ASKED = "When does a flux token expire?"


def fence(query: str, source: object, **options: object) -> str:
    lines = {"query": query, "source": source, "max_sentences": 1, **options}
    body = "\n".join(f"{name}: {json.dumps(value)}" for name, value in lines.items())
    return f"\n```recall\n{body}\n```\n"


@dataclass(frozen=True)
class Sites:
    """Two repositories: Flux, and Larch, which quotes it."""

    flux: Terminal
    larch: Terminal

    @property
    def file(self) -> str:
        """The published file of Larch."""
        return str(self.larch.folder / "site" / FILE)

    def quote(self, *fences: str, **recall: Any) -> None:
        """Have Larch quote Flux as Flux is now, in a build."""
        build(self.flux)
        root = (self.flux.folder / "site").as_uri()
        settings = {"publish": {"outbound": True}, "sites": {"flux": {"url": f"{root}/"}}, **recall}
        configure(self.larch, "Larch", "https://larch.example/", settings)
        self.larch.write({"index.md": "# Larch\n" + "".join(fences)})
        assert self.larch.run("fetch", "--allow-file", "--update").status == 0
        build(self.larch)

    def edit(self, uri: str, old: str, new: str) -> None:
        """Change a page of Flux."""
        path = self.flux.folder / "docs" / uri
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")

    def check(self, *arguments: str) -> Said:
        """Check, in the repository of Flux, what Larch quotes."""
        return self.flux.run("check", "--inbound", self.file, *arguments)


def configure(terminal: Terminal, name: str, url: str, recall: dict[str, Any]) -> None:
    settings = {
        "site_name": name,
        "site_url": url,
        "markdown_extensions": ["tables", "fenced_code"],
        "plugins": [{"recall": recall}],
    }
    terminal.configure(yaml.safe_dump(settings))


def build(terminal: Terminal) -> None:
    from mkdocs.commands.build import build as build_site
    from mkdocs.config import load_config

    config = load_config(str(terminal.folder / "mkdocs.yml"))
    config.plugins.on_startup(command="build", dirty=False)
    build_site(config)
    config.plugins.on_shutdown()


@pytest.fixture
def sites(tmp_path: Path) -> Sites:
    """Both sites; Larch has no page yet."""
    made = Sites(Terminal(tmp_path / "flux"), Terminal(tmp_path / "larch"))
    for terminal in (made.flux, made.larch):
        terminal.folder.mkdir()
    configure(made.flux, "Flux", URL, {"publish": True})
    made.flux.write(PAGES)
    return made


def test_the_quotes_of_one_version_are_chosen_by_its_url(sites: Sites) -> None:
    configure(sites.flux, "Flux", f"{URL}2.5", {"publish": True})  # so mike writes it
    sites.quote(fence(ASKED, "flux:guides/tokens.md"))
    configure(sites.flux, "Flux", URL, {"publish": True})
    sites.edit("guides/tokens.md", "12 hours", "a day")
    said = sites.check()
    assert said.status == 1
    assert f"it quotes {URL}2.5/; choose a version of this site with --site-url" in said.err
    said = sites.check("--site-url", f"{URL}2.5")
    assert said.status == 3
    assert "+ A flux token expires after a day." in said.out
    assert sites.check("--site-url", f"{URL}2.5/").out == said.out


def test_a_url_that_is_none_or_without_inbound_is_an_error(sites: Sites) -> None:
    said = sites.check("--site-url", "flux.example")
    assert (said.status, "--site-url is no http or https URL: 'flux.example'" in said.err) == (2, 1)
    said = sites.flux.run("check", "--site-url", URL)
    assert (said.status, "--site-url needs --inbound" in said.err) == (2, 1)


def test_quotes_that_stay_as_they_are_are_counted(sites: Sites) -> None:
    sites.quote(
        fence(ASKED, "flux:guides/tokens.md#expiry"),
        fence(ASKED, "flux:**"),
        fence("Which port do metrics use?", ["flux:ports.md", "flux:index.md"]),
        fence("How do I check flux?", "flux:install.md", units="code"),
        "\n```synopsis\nsource: flux:index.md\n```\n",
        fence(ASKED, ["index.md", "flux:**"], temporal=True),
    )
    said = sites.check()
    assert (said.status, said.out) == (0, "")
    assert said.err.endswith("0 of 6 quotes in 1 file would change or break.\n")


def test_a_page_with_a_hash_in_its_name_stays_the_page_that_was_quoted(sites: Sites) -> None:
    sites.flux.write({"c#.md": "# Sharp\n\nThis garden has an octopus.\n"})
    sites.quote(fence("Which garden has an octopus?", ["flux:c%23.md", "/index.md"]))
    said = sites.check()
    assert (said.status, said.out) == (0, "")
    sites.edit("c#.md", "an octopus", "no octopus")
    assert "  from c#.md#sharp\n" in sites.check().out


def test_an_edited_sentence_is_shown_with_both_places(sites: Sites) -> None:
    sites.quote(fence(ASKED, "flux:guides/tokens.md#expiry"))
    sites.edit("guides/tokens.md", "12 hours", "a day")
    said = sites.check()
    assert (said.status, said.err) == (3, "1 of 1 quote in 1 file would change or break.\n")
    assert said.out == (
        f"{sites.file}: index.md:3: recall '{ASKED}': a quoted sentence changes\n"
        "- A flux token expires after 12 hours.\n"
        "+ A flux token expires after a day.\n"
        "  from guides/tokens.md#expiry\n"
        "  see docs/guides/tokens.md:5\n"
    )


def test_the_case_in_the_documentation_is_what_the_command_prints(sites: Sites) -> None:
    [shown] = re.findall(
        r"^\$ mkdocs-recall check --inbound larch\.jsonl\.gz\n(.*?)^```",
        (DEMO / "other-sites.md").read_text(encoding="utf-8"),
        re.DOTALL | re.MULTILINE,
    )
    intro = "# Tokens\n\nA token lets a program in.\n\n## Expiry\n\nPlan how to renew it.\n\n"
    sites.flux.write({"guides/tokens.md": f"{intro}A token is valid for a day.\n"})
    quotes = fence("How long is a token valid?", "flux:guides/tokens.md#expiry")
    more = fence("metrics", "flux:ports.md") + fence("clusters", "flux:index.md")
    sites.larch.write({"guides/release.md": "# Release\n\n" + "Text.\n\n" * 4 + quotes + more})
    sites.quote()
    copyfile(sites.file, sites.flux.folder / "larch.jsonl.gz")
    sites.edit("guides/tokens.md", "a day", "12 hours")
    said = sites.flux.run("check", "--inbound", "larch.jsonl.gz")
    assert said.out + said.err == shown


def test_the_answer_changes_as_it_says_once_the_copy_is_updated(sites: Sites) -> None:
    sites.quote(fence(ASKED, "flux:**"))
    sites.edit("index.md", "# Flux\n", f"# Flux\n\n## {ASKED}\n\nA flux token does expire.\n")
    (finding,) = json.loads(sites.check("--json").out)["findings"]
    sites.quote(fence(ASKED, "flux:**"))
    second = gzip.decompress((sites.larch.folder / "site" / FILE).read_bytes()).splitlines()[1]
    (quote,) = json.loads(second)["outbound"]["quotes"]
    assert finding["kind"] == "replaced"
    assert finding["source"] == {"file": str(sites.flux.folder / "docs/index.md"), "line": 5}
    assert finding["after"]["passages"] == [passage["text"] for passage in quote["passages"]]
    assert sites.check().status == 0


def test_the_place_of_another_answer_is_that_of_its_new_sentence(sites: Sites) -> None:
    sites.quote(fence("flux token", "flux:guides/", max_sentences=2))
    sites.edit("guides/tokens.md", "renews a flux token", "renews it")
    more = "# A flux token\n\nA flux token is a flux token.\n"
    sites.flux.write({"guides/x.md": more})
    (finding,) = json.loads(sites.check("--json").out)["findings"]
    assert finding["kind"] == "changed"
    assert finding["source"] == {
        "file": str(sites.flux.folder / "docs/guides/tokens.md"),
        "line": 9,
    }
    sites.edit("guides/tokens.md", "renews it", "renews a flux token")
    (finding,) = json.loads(sites.check("--json").out)["findings"]
    assert finding["kind"] == "replaced"
    assert finding["source"] == {"file": str(sites.flux.folder / "docs/guides/x.md"), "line": 3}


def test_an_answer_in_the_same_words_from_another_page_moves(sites: Sites) -> None:
    sites.quote(fence(ASKED, "flux:**"))
    text = "A flux token expires after 12 hours."
    sites.edit("index.md", "# Flux\n", f"# Flux\n\n## {ASKED}\n\n{text}\n")
    (finding,) = json.loads(sites.check("--json").out)["findings"]
    assert finding["kind"] == "moved"
    assert finding["after"]["sources"] == ["index.md#when-does-a-flux-token-expire"]


CHANGES = {
    "gone": ("A flux token expires after 12 hours.", "Nothing to see here."),
    "moved": ("## Expiry", "## Lifetime"),
    "changed": ("12 hours", "a day"),
}


@pytest.mark.parametrize(("kind", "edit"), CHANGES.items())
def test_what_becomes_of_the_sentences_of_a_directive_that_asks_other_sites_too(
    sites: Sites, kind: str, edit: tuple[str, str]
) -> None:
    sites.quote(fence(ASKED, ["index.md", "flux:**"]))
    sites.edit("guides/tokens.md", *edit)
    said = sites.check("--json")
    (finding,) = json.loads(said.out)["findings"]
    assert (said.status, finding["kind"]) == (3, kind)
    assert finding["before"]["passages"] == ["A flux token expires after 12 hours."]
    file = finding["source"]["file"]
    assert file == str(sites.flux.folder / "docs" / "guides" / "tokens.md")
    assert finding["source"]["line"] == (None if kind == "gone" else 5)


@pytest.mark.parametrize("source", ["flux:guides/tokens.md", "flux:**"])
def test_a_sentence_that_moves_takes_its_citation_along(sites: Sites, source: str) -> None:
    sites.quote(fence(ASKED, source))
    sites.edit("guides/tokens.md", "## Expiry", "## Lifetime")
    said = sites.check()
    assert said.status == 3
    assert ": a quoted sentence moves\n" in said.out
    assert "- from guides/tokens.md#expiry\n+ from guides/tokens.md#lifetime\n" in said.out


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("flux:guides/tokens.md#expiry", "'guides/tokens.md' has no section '#expiry'"),
        ("flux:index.md", "source 'index.md' is not a page"),
    ],
)
def test_a_source_that_disappears_breaks_the_directive(
    sites: Sites, source: str, message: str
) -> None:
    sites.quote(fence(ASKED, source, on_empty="synopsis"))
    sites.edit("guides/tokens.md", "## Expiry", "## Lifetime")
    (sites.flux.folder / "docs/index.md").rename(sites.flux.folder / "docs/start.md")
    said = sites.check()
    assert said.status == 3
    assert f": the directive would fail: {message}" in said.out


def test_a_page_that_is_hidden_is_as_good_as_gone(sites: Sites) -> None:
    sites.quote(fence(ASKED, "flux:guides/tokens.md"), fence(ASKED, ["index.md", "flux:**"]))
    sites.edit("guides/tokens.md", "# Tokens\n", "---\nsearch: {exclude: true}\n---\n# Tokens\n")
    said = sites.check("--json")
    kinds = [finding["kind"] for finding in json.loads(said.out)["findings"]]
    assert (said.status, kinds) == (3, ["broken", "gone"])


def test_an_annotation_marks_the_edited_line_of_this_site(sites: Sites) -> None:
    sites.quote(fence(ASKED, "flux:**"), recall={})
    sites.edit("guides/tokens.md", "12 hours", "100%, ::warning::or 12 hours")
    said = sites.check("--format", "github")
    assert said.status == 3
    (line,) = said.out.splitlines()
    assert line.startswith(
        "::error file=docs/guides/tokens.md,line=5,"
        "title=quoted by Larch%3A a quoted sentence changes::index.md:3: recall "
    )
    assert "%0A+ A flux token expires after 100%25, " in line


def test_the_record_names_both_sides(sites: Sites) -> None:
    sites.quote(fence(ASKED, "flux:guides/tokens.md#expiry"))
    sites.edit("guides/tokens.md", "12 hours", "a day")
    record = json.loads(sites.check("--format", "json").out)
    answer = {"sources": ["guides/tokens.md#expiry"], "fallback": None}
    old, new = (f"A flux token expires after {time}." for time in ("12 hours", "a day"))
    assert record == {
        "schema": 1,
        "findings": [
            {
                "kind": "changed",
                "consumer": {
                    "file": sites.file,
                    "site": "Larch",
                    "site_url": "https://larch.example/",
                },
                "page": "index.md",
                "line": 3,
                "directive": "recall",
                "query": [ASKED],
                "message": "",
                "source": {
                    "file": str(sites.flux.folder / "docs/guides/tokens.md"),
                    "line": 5,
                },
                "before": {**answer, "passages": [old], "text": old},
                "after": {**answer, "passages": [new], "text": new},
            }
        ],
    }


def test_two_sites_of_one_name_are_told_apart_by_their_files(sites: Sites) -> None:
    sites.quote(fence(ASKED, "flux:**"))
    folders = [sites.flux.folder / "quoting" / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir(parents=True)
        copyfile(sites.file, folder / FILE)
    sites.edit("guides/tokens.md", "12 hours", "a day")
    for arguments in ((f"quoting/a/{FILE}", f"quoting/b/{FILE}"), ("quoting/*/*.gz",)):
        said = sites.flux.run("check", "--inbound", *arguments)
        assert said.status == 3
        assert re.findall(r"^(\S+): index\.md:3: ", said.out, re.MULTILINE) == [
            f"quoting/a/{FILE}",
            f"quoting/b/{FILE}",
        ]
        assert said.err == "2 of 2 quotes in 2 files would change or break.\n"


def test_the_name_that_the_other_site_gives_this_one_does_not_matter(sites: Sites) -> None:
    root = (sites.flux.folder / "site").as_uri()
    names = {"platform": {"url": f"{root}/"}}
    sites.quote(fence(ASKED, "platform:guides/tokens.md"), sites=names)
    assert sites.check().status == 0
    sites.edit("guides/tokens.md", "12 hours", "a day")
    assert sites.check().status == 3


def test_a_finished_site_is_compared_with_what_its_plugins_have_put_in(sites: Sites) -> None:
    sites.quote(fence(ASKED, "flux:**"))
    sites.edit("guides/tokens.md", "12 hours", "a day")
    assert sites.check("--built", "site").status == 0
    build(sites.flux)
    assert sites.check("--built", "site").status == 3


def hostile(path: Path, **fields: Any) -> str:
    """Write the file of a site that quotes Flux in its own way."""
    text = "A flux token expires after 12 hours."
    passage = OutboundPassage("flux", URL, "guides/tokens.md", "expiry", text)
    values = {"directive": "synopsis", "source": ("flux:**",), "options": {}, **fields}
    quote = OutboundQuote(page="a\x1b[31m.md", line=1, query=(), passages=(passage,), **values)
    path.write_bytes(pack_site(SiteHeader("Red"), [], outbound=[quote]))
    return path.name


@pytest.mark.parametrize(
    "fields",
    [
        {"directive": "\x1b[31m"},
        {"options": {"max_sentences": 10**8}},
        {"options": {"max_sentences": "1"}},
        {"options": {"unheard_of": 1}},
        {"options": {"source": "**", "query": "x"}},
        {"options": {"semantic": {"model": "x"}, "token_counter": "none"}},
        {"source": ("",)},
        {"source": ()},
    ],
)
def test_a_directive_that_this_site_cannot_answer_is_compared_by_its_sentences(
    sites: Sites, fields: dict[str, Any]
) -> None:
    name = hostile(sites.flux.folder / "red.jsonl.gz", **fields)
    said = sites.flux.run("check", "--inbound", name)
    assert (said.status, said.out) == (0, "")


@pytest.mark.parametrize("source", ["flux:../../secret.md", "flux:" + "*" * 1000, "flux:\x1b.md"])
def test_a_hostile_file_can_neither_read_other_files_nor_drive_a_terminal(
    sites: Sites, source: str
) -> None:
    name = hostile(sites.flux.folder / "red.jsonl.gz", source=(source,))
    for form in ("text", "github"):
        said = sites.flux.run("check", "--inbound", name, "--format", form)
        assert said.status == 3
        assert "a\\u001b[31m.md:1: synopsis" in said.out
        assert "\x1b" not in said.out + said.err


def test_a_file_without_a_quote_of_this_site_says_why(sites: Sites) -> None:
    sites.quote(fence(ASKED, "flux:**"), publish=True)
    said = sites.check()
    assert (said.status, said.out) == (1, "")
    assert "does not say what its site quotes; with 'publish: {outbound: true}'" in said.err
    sites.quote(publish={"outbound": True})
    said = sites.check()
    assert (said.status, said.out) == (1, "")
    assert said.err.endswith(f"quotes nothing of {URL}\n")
    sites.quote(fence(ASKED, "flux:**"))
    configure(sites.flux, "Flux", "https://flux.example/docs/3/", {"publish": True})
    said = sites.check()
    assert (said.status, said.out) == (1, "")
    assert said.err.endswith(f"quotes nothing of https://flux.example/docs/3/; it quotes {URL}\n")


def test_a_command_that_cannot_be_run_names_the_remedy(sites: Sites) -> None:
    (sites.flux.folder / "bad.gz").write_bytes(b"PK")
    for arguments, message in (
        (("--inbound",), "--inbound needs the published files of the sites that quote this one"),
        (("a.gz",), "'a.gz' needs --inbound; add it, or leave out the file"),
        (("--inbound", "none.gz"), "'none.gz' cannot be used: there is no such file"),
        (("--inbound", "none/*.gz"), "'none/*.gz' matches no file"),
        (("--inbound", "bad.gz"), "'bad.gz' cannot be used: it is not compressed by gzip"),
        (("--inbound", "bad.gz", "--docs", "docs"), "name its mkdocs.yml with --config"),
    ):
        said = sites.flux.run("check", *arguments)
        assert (said.status, said.out) == (2, ""), arguments
        assert message in said.err
    sites.flux.configure()
    said = sites.flux.run("check", "--inbound", "bad.gz")
    assert (said.status, said.out) == (2, "")
    assert "has no 'site_url', by which other sites name this one; set it" in said.err
