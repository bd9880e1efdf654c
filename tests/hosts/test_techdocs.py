"""TechDocs: MkDocs with a plugin that adds other plugins and extensions at `on_config`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from conftest import Built
from tables import beside

if TYPE_CHECKING:
    from conftest import Site

pytest.importorskip(
    "techdocs_core", reason="mkdocs-techdocs-core is not installed: see the group 'techdocs'"
)
pytestmark = pytest.mark.host

ASKED = "```recall\nsource: /auth.md\ncontext: 0\nquery: when does a session expire?\n```\n"
AUTH: str = beside(__file__)["AUTH"]
ANSWER = "A session expires after a day. — Sign-in › Expiry"
MISTAKE = "index.md:3: recall: 'query' is required"


def indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def techdocs(site: Site, *plugins: Any, **settings: Any) -> str:
    """Build as Backstage does; return what MkDocs has said."""
    site.configure(plugins=list(plugins), theme="mkdocs", markdown_extensions=[], **settings)
    process = site.run("--verbose")
    assert process.returncode == 0, process.stderr
    return process.stderr


def quotes(site: Site, page: str = "index.html") -> list[str]:
    """Return the text of the quotes of a page; nothing else of a directive is left."""
    built = Built(site.root / "site", ())
    assert "query" not in built.html(page)
    assert "recall:" not in built.html(page)
    tags = built.page(page).select("article [data-search-exclude]")
    return [" ".join(quote.get_text().split()) for quote in tags]


@pytest.mark.parametrize(
    "plugins", [("techdocs-core", "recall"), ("recall", "techdocs-core")], ids=" before ".join
)
def test_directives_are_answered_in_all_of_techdocs(site: Site, plugins: tuple[str, str]) -> None:
    part = site.root / "part"
    (part / "docs").mkdir(parents=True)
    (part / "mkdocs.yml").write_text("site_name: part\nnav: [index.md]\n", encoding="utf-8")
    (part / "docs" / "index.md").write_text(
        f"# Moon\n\nThe moon is full.\n\n{ASKED}", encoding="utf-8"
    )
    item = f"- Item:\n\n{indented(ASKED)}"
    alert = "> [!TIP]\n" + "".join(f"> {line}\n" for line in ASKED.splitlines())
    site.write(
        {
            "index.md": f'# Larch\n\n{ASKED}\n{item}\n--8<-- "docs/ask.txt"\n',
            "notes.md": f"# Notes\n\n{alert}\n"
            + ASKED.replace("when does a session expire", "what is small in the box")
            + "\n"
            + ASKED.replace("auth", "part/index").replace("when does a session expire", "moon"),
            "auth.md": AUTH,
            "ask.txt": ASKED,
        }
    )
    said = techdocs(
        site,
        *plugins,
        nav=["index.md", "notes.md", "auth.md", {"Part": "!include part/mkdocs.yml"}],
    )
    assert quotes(site) == [ANSWER, ANSWER, ANSWER]
    assert quotes(site, "part/index.html") == [ANSWER]
    assert quotes(site, "notes/index.html") == [
        ANSWER,
        "Cookies in the box are small. — Sign-in › Expiry",
        "The moon is full. — Moon",
    ]
    assert "WARNING" not in said
    assert "recall: 7 directives answered, 0 by fallback, 0 from the cache" in said


def test_an_error_stops_a_build_of_backstage_where_mkdocs_yml_is_strict(site: Site) -> None:
    site.write({"index.md": "# Larch\n\n```recall\nsource: auth.md\n```\n", "auth.md": AUTH})
    assert f"WARNING -  {MISTAKE}" in techdocs(site, "techdocs-core", "recall")
    site.configure(plugins=["techdocs-core", "recall"], strict=True)
    process = site.run("--verbose")
    assert process.returncode == 1
    assert MISTAKE in process.stderr


@pytest.mark.parametrize("material", [True, False])
def test_only_the_search_of_mkdocs_finds_quotes(site: Site, *, material: bool) -> None:
    site.write({"index.md": f"# Larch\n\n{ASKED}", "auth.md": AUTH})
    techdocs(site, {"techdocs-core": {"use_material_search": material}}, "recall")
    index = json.loads((site.root / "site/search/search_index.json").read_text("utf-8"))
    found = {entry["location"] for entry in index["docs"] if "expires" in entry["text"]}
    assert found == {"auth/#expiry"} if material else found >= {"", "auth/#expiry"}
