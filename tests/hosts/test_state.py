"""The data that one build saves for the next: valid, of this site, or ignored."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from conftest import Built, Site
from msgspec import msgpack
from tables import beside

from mkdocs_recall import Query, Semantic, Temporal
from mkdocs_recall.directives.fences import fences_at, find_fences
from mkdocs_recall.options import RecallOptions
from mkdocs_recall.store import Cache

VARIANTS = 40
"""Of some hundred, all of which were tried by hand."""
PAGES: dict[str, str] = beside(__file__)["PAGES"]

KINDS: list[Any] = [None, 7, "text", [], {}]
MISSHAPEN: list[Any] = [
    *(None, True, 7, 1e9, "", "text", [], [[]], [[], []], {}, {"a": 1}, [1, 2], [{}, {}]),
    *([{"index.md": None}, {"guides/a.md": None}], [{"index.md": []}, {"guides/a.md": []}]),
    [{"index.md": [1, 2, 3, 4, 5]}, {"guides/a.md": [1, 2]}],
    *(["<p>", "", False], [1, 2, 3, 4], [None] * 4, [None] * 5, ["", "", "", 1]),
]


def _variants(value: Any) -> list[Any]:
    """Return copies of a JSON value in which it, or one part of it, is of another kind."""
    made = [other for other in KINDS if type(other) is not type(value)]
    if isinstance(value, list):
        for place, part in enumerate(value):
            made += [[*value[:place], other, *value[place + 1 :]] for other in _variants(part)]
    if isinstance(value, dict):
        for place, part in value.items():
            made += [value | {place: other} for other in _variants(part)]
    return made


@pytest.fixture
def kept(site: Site, monkeypatch: pytest.MonkeyPatch) -> dict[bytes, bytes]:
    """All that is put into the cache, by key."""
    values: dict[bytes, bytes] = {}
    put = Cache.put

    def recorded(self: Cache, key: bytes, value: bytes) -> None:
        values[key] = value
        put(self, key, value)

    monkeypatch.setattr(Cache, "put", recorded)
    site.build(PAGES)
    return values


def _rebuild_with(site: Site, values: dict[bytes, bytes], *, dirty: bool = False) -> Built:
    """Put values into the cache, with right checks, and build."""
    cache = Cache(site.cache)
    for key, value in values.items():
        cache.put(key, value)
    cache.save()
    return site.rebuild(dirty=dirty)


def test_values_of_another_shape_are_missed(site: Site, kept: dict[bytes, bytes]) -> None:
    clean = site.rebuild().files()
    for number, shape in enumerate(MISSHAPEN):
        packed, binary = json.dumps(shape).encode(), msgpack.encode(shape)
        cut = [packed[:-1], binary[:-1]][number % 2]
        for wrong in (packed, binary) if number % 4 else (packed, binary, cut):
            built = _rebuild_with(site, dict.fromkeys(kept, wrong))
            assert built.files() == clean, wrong
            assert built.warnings == []


def test_values_with_one_wrong_part_are_missed(site: Site, kept: dict[bytes, bytes]) -> None:
    clean = site.rebuild().files()
    wrong = [
        (key, form.encode(other))
        for key, value in kept.items()
        for form in (msgspec.json if value.startswith(b"[") else msgpack,)
        for other in _variants(form.decode(value))
    ]
    for key, packed in random.Random(3).sample(wrong, VARIANTS):  # noqa: S311 - no secret
        answers = {key: b"\0" for key, value in kept.items() if b"<blockquote" in value}
        built = _rebuild_with(site, kept | answers | {key: packed})
        assert built.files() == clean, packed
        assert built.warnings == []


PLAIN = RecallOptions(query=(Query("x"),))
SEMANTIC = replace(PLAIN, semantic=Semantic())
TEMPORAL = replace(PLAIN, temporal=Temporal())
DIFFERENT = [
    PLAIN,
    SEMANTIC,
    *(
        replace(PLAIN, semantic=semantic)
        for semantic in (
            *(Semantic(min_lexical_score=0.5), Semantic(min_relevance_score=50.0)),
            *(Semantic(min_similarity=0.1), Semantic(limit=2)),
            *(Semantic(model="static:a"), Semantic(mode="blend")),
            *(Semantic(gate=0.1), Semantic(gate=0.2), Semantic(gate=0.1, mode="supplement")),
        )
    ),
    TEMPORAL,
    *(
        replace(PLAIN, temporal=temporal)
        for temporal in (
            *(Temporal(tau_days=7.0), Temporal(cooldown_hours=1.0), Temporal(burst_discount=0.1)),
            *(Temporal(k=1.0), Temporal(commit_date="author"), Temporal(now="2026-02-11")),
        )
    ),
    replace(PLAIN, include_expired=True),
    replace(PLAIN, enrich="serve"),
    replace(PLAIN, enrich="always"),
    replace(PLAIN, trivial_query="skip"),
    replace(PLAIN, acknowledgments=("looks good to me", "ship it now")),
    replace(PLAIN, units=("prose", "list")),
    replace(SEMANTIC, temporal=Temporal(), expect=("a",), source=("a.md",)),
]


def test_every_setting_makes_an_answer_of_its_own() -> None:
    assert len({repr(options) for options in DIFFERENT}) == len(DIFFERENT)  # a part of the key


TEXT = "# A page\n```recall\nquery: x\nmax_sentences: 1\n```\n# More\n```\n"


def _spans(text: str) -> list[tuple[int, int]]:
    return [(fence.start, fence.start + len(fence.source)) for fence in find_fences(text)]


@pytest.mark.parametrize("opening", ["recall", "yaml embedm\ntype: recall"])
@pytest.mark.parametrize("prefix", ["", "> ", "    "])
def test_fences_are_known_as_they_were_found(opening: str, prefix: str) -> None:
    page = "\n- A page\n\n```recall\nquery: x\n```\n".replace("recall", opening)
    text = "- A list\n" + page.replace("\n", f"\n{prefix}") * 2
    assert fences_at(text, _spans(text)) == find_fences(text)
    assert len(find_fences(text)) == 2
    for known in (text.replace("\n", "\r\n"), text.rstrip()):
        assert fences_at(known, _spans(known)) == find_fences(known)
    assert fences_at(text, _spans(text)[:1] * 2) is None
    assert fences_at(text, _spans(text)[::-1]) is None


@pytest.mark.parametrize("text", [TEXT, f"x {TEXT[9:]}", TEXT.replace("\n```\n", "\n``` x\n")])
def test_no_other_part_of_a_text_is_known_as_a_fence(text: str) -> None:
    ends = range(-len(text), len(text) + 3)
    known = [(start, end) for start in ends for end in ends if fences_at(text, [(start, end)])]
    assert known == (_spans(text) if text == TEXT else [])
