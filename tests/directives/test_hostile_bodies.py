"""Fences crafted to hold up a build are refused at once, with a message."""

from __future__ import annotations

from time import process_time

import pytest
from tables import tabled

from mkdocs_recall import RecallError
from mkdocs_recall.directives.catalog import OPTIONS
from mkdocs_recall.directives.fences import find_fences
from mkdocs_recall.directives.options import read_options

BOMB = "\n".join(
    ["  - &a0 [x, x, x, x, x, x, x, x, x]"]
    + [f"  - &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
)
"""Lists of lists: a thousand characters, thirty thousand million entries."""
ENDLESS = f"0x{'f' * 6000}"
"""A number that Python can make, and not show."""


def refused(body: str) -> str:
    with pytest.raises(RecallError) as raised:
        read_options("recall", body)
    return str(raised.value)


@pytest.mark.parametrize("unit", ["[", "{", "[a, ", "{a: ", "- ", "- - ", "? ", "!!seq [", "&a ["])
@pytest.mark.parametrize("around", ["{}", "query: {}", "```yaml embedm\ntype: recall\na: {}\n```"])
def test_deep_nesting_is_refused_as_soon_as_it_is_reached(unit: str, around: str) -> None:
    def read(body: str) -> object:
        return find_fences(body) if body.startswith("`") else refused(body)

    start = process_time()
    read(around.format(unit * (5_000 // len(unit))))
    assert process_time() - start < 5  # PyYAML alone takes longer


@pytest.mark.parametrize("name", OPTIONS)
def test_no_option_shows_what_aliases_make_endless(name: str) -> None:
    query = "" if name == "query" else "query: x\n"
    assert len(refused(f"{query}{name}:\n{BOMB}\n")) < 500
    assert len(refused(f"{query}{name}: {{a: {ENDLESS}}}\n")) < 500


@pytest.mark.parametrize("body", ["query:\n  - text: a\n    weight:\n{}", "query: x\nother:\n{}"])
def test_no_message_shows_what_aliases_make_endless(body: str) -> None:
    indented = BOMB.replace("  - ", "      - ")
    assert len(refused(body.format(indented))) < 500


@tabled
def test_a_number_that_cannot_be_written_out_is_refused(body: str) -> None:
    assert len(refused(body.format(ENDLESS))) < 500


def test_levels_that_somebody_may_need_are_read() -> None:
    assert read_options("recall", "query: x\nsource: [a.md]").source == ("a.md",)
    assert "must be a path" in refused(f"query: x\nsource: {'[' * 20}a.md{']' * 20}")
    stairs = "\n".join(f"{' ' * depth}-" for depth in range(100))
    assert "more than 32 deep" in refused(f"query: x\nsource:\n{stairs}")
