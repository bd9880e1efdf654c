"""Pictures for people: every kind of quote in each theme, and the demo site's first page.

    python tests/browser/screenshots.py FOLDER

Nothing compares them; the tests beside this file say what has to hold.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent))

from golden_demo import ROOT, build
from shown import VIEWS, View, browser_program, build_themes, served, unavailable
from sight import open_page


def main(folder: Path) -> None:
    """Take the pictures."""
    if reason := unavailable():
        sys.exit(reason)
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as made, import_module("playwright.sync_api").sync_playwright() as p:
        sites = build_themes(Path(made))
        build(ROOT / "mkdocs.yml", sites / "demo")
        chromium = p.chromium.launch(executable_path=browser_program())
        demo = [View("demo", view.scheme, view.width) for view in VIEWS if view.theme == "material"]
        with served(sites) as address:
            for view in VIEWS + demo:
                url = f"{address}/{view.theme}/"
                with open_page(chromium, url, scheme=view.scheme, width=view.width) as sight:
                    sight.unfold()
                    sight.page.screenshot(path=folder / f"{view}.png", full_page=True)
        chromium.close()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
