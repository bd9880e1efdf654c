"""`recall: {backlinks: true}` in front matter lists the pages that quote a page."""

from __future__ import annotations

from conftest import Site
from tables import Case, tabled


@tabled
def test_a_page_lists_those_that_cite_it_on_request(site: Site, case: Case) -> None:
    site.expect(case)
