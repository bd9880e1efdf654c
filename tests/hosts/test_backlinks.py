"""`recall: {backlinks: true}` in front matter: a page says which other pages quote it."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import Site
from tables import beside

BUILDS: dict[str, dict[str, Any]] = beside(__file__)["builds"]


@pytest.mark.parametrize("case", BUILDS.values(), ids=BUILDS)
def test_a_page_lists_those_that_cite_it_where_it_asks_for_that(
    site: Site, case: dict[str, Any]
) -> None:
    site.expect(case)
