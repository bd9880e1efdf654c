"""Pages that mkdocs-encryptcontent-plugin encrypts: no other page shows their text."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from conftest import Built, Site
from encryptcontent.plugin import encryptContentPlugin  # type: ignore[import-untyped]
from reading import ask
from tables import beside

from mkdocs_recall import Corpus

ROTA = "# Rota\n\nThe engineer on call has the number canary.\n"
OPEN = "# Open\n\nThe engineer reads mail.\n"
HOME = "# Home\n\n" + ask(source='"**"', query="number of the engineer on call", max_sentences=9)
LEFT_OUT = "another plugin encrypts its text"
HIDDEN: dict[str, tuple[str, dict[str, Any]]] = beside(__file__)["HIDDEN"]
"""The front matter of a page, and the settings of the plugin."""


@pytest.fixture(autouse=True)
def _own_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test see the passwords of another: the plugin keeps them for its process."""
    monkeypatch.setattr(encryptContentPlugin, "setup", {})


QUICK = {"arithmatex": False, "mermaid2": False, "hljs": False, "kdf_pow": 0}
"""Nothing is looked for in other plugins, and keys are derived in a moment."""


def build(site: Site, front: str, settings: dict[str, Any], home: str = HOME) -> Built:
    """Build a site with an encrypted page and two that are not, whatever the settings."""
    (site.root / "passwords.yml").write_text("staff: larch\n", encoding="utf-8")
    (site.root / "global.yml").write_text("_global: larch\n", encoding="utf-8")
    plain = "---\npassword: ''\nlevel: ''\n---\n"
    pages = {"index.md": plain + home, "open.md": plain + OPEN}
    body = f'{ROTA}\n<div id="part">It is the part.</div>\n'
    return site.build(
        {**pages, "rota.md": f"---\n{front}\n---\n{body}"},
        plugins=[
            "search",
            {"encryptcontent": {**QUICK, **settings}},
            {"recall": {"publish": True}},
        ],
    )


@pytest.mark.parametrize(("front", "settings"), HIDDEN.values(), ids=HIDDEN)
def test_encrypted_text_is_in_no_file_of_a_site_and_no_answer(
    site: Site, front: str, settings: dict[str, Any]
) -> None:
    built = build(site, front, settings)
    assert "reads mail" in built.text("blockquote")
    in_clear = {"rota/index.html"} if "inject_id" in front else set()
    for file in built.folder.rglob("*"):
        if file.is_file() and file.relative_to(built.folder).as_posix() not in in_clear:
            data = file.read_bytes()
            text = gzip.decompress(data) if file.suffix == ".gz" else data
            assert b"canary" not in text, file
    corpus = Corpus.from_site(site.root / "mkdocs.yml")
    assert [document.uri for document in corpus.documents] == ["index.md", "open.md"]


def test_naming_an_encrypted_page_is_an_error_that_says_why(site: Site) -> None:
    built = build(site, *HIDDEN["password"], home=ask(source="rota.md", query="engineer"))
    message = f"source 'rota.md' cannot be quoted: {LEFT_OUT}"
    assert [text for text in built.warnings if "recall:" in text] == [
        f"index.md:5: recall: {message}"
    ]
    with pytest.raises(Exception, match=message):
        Corpus.from_site(site.root / "mkdocs.yml").recall("engineer", source="rota.md")


def test_a_page_that_dirty_skips_is_left_out_too(site: Site) -> None:
    build(site, *HIDDEN["global password"])
    site.write({"index.md": f"---\npassword: ''\n---\n{HOME}\nMore.\n"})
    built = site.rebuild(dirty=True)
    assert "reads mail" in built.text("blockquote")
    assert "canary" not in built.html()


def test_commands_follow_the_settings_of_the_plugin_as_they_change(site: Site) -> None:
    """A page read before its site was encrypted comes from no cache afterwards."""
    config = site.root / "mkdocs.yml"
    site.write({"rota.md": ROTA})
    settings = "site_name: Site\nplugins:\n  - encryptcontent"

    def uris(text: str) -> list[str]:
        config.write_text(text, encoding="utf-8")
        return [document.uri for document in Corpus.from_site(config).documents]

    assert uris(f"{settings}\n") == ["rota.md"]
    assert uris(f"{settings}: {{password_file: none.yml}}\n") == []
    assert uris(f"{settings}: {{global_password: larch}}\n") == []
    assert uris(f"{settings}: {{global_password: !ENV RECALL_NOT_SET}}\n") == []
    assert uris(f"{settings}: {{global_password: larch, enabled: false}}\n") == ["rota.md"]
    assert uris("site_name: Site\nplugins: [recall]\n") == ["rota.md"]


def test_the_quotes_of_an_encrypted_page_are_encrypted_with_it(site: Site) -> None:
    """Its text is kept aside before quotes are placed: they are not lost, nor in the clear."""
    quoting = "# Rota\n\n" + ask(source="open.md", query="engineer mail")
    built = site.build(
        {"open.md": OPEN, "rota.md": f"---\npassword: larch\n---\n{quoting}"},
        plugins=[{"encryptcontent": QUICK}, "recall"],
        hook=KEPT,
    )
    assert "reads mail" in (site.root / "kept.html").read_text("utf-8")
    assert "reads mail" not in built.html("rota/index.html")
    assert "recall:" not in (site.root / "kept.html").read_text("utf-8")


KEPT: str = beside(__file__)["KEPT"]
