"""What one build leaves to the next: of the right shape, of this site, or not believed."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from mkdocs_recall import Query, Semantic, Temporal
from mkdocs_recall.cache.store import Cache, digest
from mkdocs_recall.directives.fences import Fence
from mkdocs_recall.options import Options, RecallOptions
from mkdocs_recall.plugin.state import State, StoredDirective

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Built, Site

VARIANTS = 60
"""Of some hundred, all of which were tried by hand."""
PAGES = {
    "index.md": "# Home\n\n```recall\nsource: guides/**\nquery: larch\n```\n",
    "own.md": "# Own\n\nOne birch.\n\n```synopsis\n```\n",
    "guides/a.md": "# A\n\nThe *larch* is `green`, see [b](b.md).\n\n## Part\n\nMore of it.\n",
    "guides/b.md": "# B\n\nNo larch is blue.\n",
}

KINDS: list[Any] = [None, 7, "text", [], {}]
MISSHAPEN: list[Any] = [
    *(None, True, 7, 1e9, "", "text", [], [[]], [[], []], {}, {"a": 1}, [1, 2], [{}, {}]),
    *([{"index.md": None}, {"guides/a.md": None}], [{"index.md": []}, {"guides/a.md": []}]),
    [{"index.md": [1, 2, 3, 4, 5]}, {"guides/a.md": [1, 2]}],
    *(["<p>", "", False], [1, 2, 3, 4], [None] * 4, [None] * 5, ["", "", "", ""]),
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


def _rebuild_with(site: Site, values: dict[bytes, bytes]) -> Built:
    """Put values into the cache, with right checks, and build."""
    cache = Cache(site.root / ".cache/plugin/recall")
    for key, value in values.items():
        cache.put(key, value)
    cache.save()
    return site.rebuild()


@pytest.mark.parametrize("shape", MISSHAPEN, ids=repr)
def test_values_of_another_shape_are_missed(
    site: Site, kept: dict[bytes, bytes], shape: Any
) -> None:
    clean = site.rebuild().files()
    packed = json.dumps(shape).encode()
    for wrong in (packed, packed[:-1]):
        built = _rebuild_with(site, dict.fromkeys(kept, wrong))
        assert built.files() == clean
        assert built.warnings == []


def test_values_with_one_part_of_another_kind_are_missed(
    site: Site, kept: dict[bytes, bytes]
) -> None:
    clean = site.rebuild().files()
    wrong = [
        (key, json.dumps(other, separators=(",", ":")).encode() + check)
        for key, value in kept.items()
        for text, check in [_split(value)]
        for other in _variants(json.loads(text))
    ]
    for key, packed in random.Random(3).sample(wrong, VARIANTS):  # noqa: S311 - no secret
        answers = {key: b"" for key, value in kept.items() if b"<blockquote" in value}
        built = _rebuild_with(site, kept | answers | {key: packed})
        assert built.files() == clean, packed
        assert built.warnings == []


def _split(value: bytes) -> tuple[bytes, bytes]:
    """Part a value into its JSON, and the digest behind it, which only the state has."""
    is_state = value[-16:] == digest(value[:-16])
    return (value[:-16], value[-16:]) if is_state else (value, b"")


# ------------------------------------------------------------------------------------------ options

FENCE = Fence("recall", False, "", 2, 4, "query: x", "```recall\nquery: x\n```", 8)  # noqa: FBT003 - its fields
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


@pytest.mark.parametrize("options", DIFFERENT, ids=str)
def test_what_a_directive_asks_comes_back_from_json(options: Options) -> None:
    stored = StoredDirective.of(FENCE, options)
    back = StoredDirective(FENCE, json.loads(json.dumps(stored.values)))
    assert back.options == options
    again = StoredDirective.of(FENCE, back.options)
    assert (again.fence, again.values, again.digest) == (FENCE, stored.values, stored.digest)


def test_every_setting_makes_a_digest_of_its_own() -> None:
    digests = {StoredDirective.of(FENCE, options).digest for options in DIFFERENT}
    assert len(digests) == len(DIFFERENT)


KEY = digest("state")


def leave(folder: Path, options: Options, *, reading: bytes = b"1") -> None:
    """Leave a page with one directive to the next build."""
    cache = Cache(folder)
    state = State(cache, KEY, reading=reading, site=b"1")
    state.note_page("a.md", "text", 3, [StoredDirective.of(FENCE, options)])
    state.settle_page("a.md", [1], ["00"])
    state.seal()
    state.save()
    cache.save()


def found(folder: Path) -> State:
    """Return what the next build finds."""
    return State(Cache(folder), KEY, reading=b"1", site=b"1")


@pytest.mark.parametrize("options", [SEMANTIC, TEMPORAL], ids=["semantic", "temporal"])
def test_the_next_build_knows_a_directive_with_settings(tmp_path: Path, options: Options) -> None:
    leave(tmp_path, options)
    state = found(tmp_path)
    assert state.spans("a.md", "text") == [FENCE.span]
    _, (known,) = state.directives("a.md", [FENCE.source])
    assert known.options == options


@pytest.mark.parametrize("name", ["semantic", "temporal"])
@pytest.mark.parametrize(
    "settings", [None, True, 7, [], {}, {"limit": 2}, {"foreign": 1}, "blend"], ids=repr
)
def test_settings_that_are_not_those_that_were_left_are_not_believed(
    tmp_path: Path, name: str, settings: object
) -> None:
    leave(tmp_path, {"semantic": SEMANTIC, "temporal": TEMPORAL}[name])
    cache = Cache(tmp_path)
    text, check = _split(cache.get(KEY) or b"")
    hosts, *others = json.loads(text)
    (packed,) = hosts["a.md"][3]
    packed[5][name] = settings
    cache.put(KEY, json.dumps([hosts, *others], separators=(",", ":")).encode() + check)
    cache.save()
    assert found(tmp_path).spans("a.md", "text") is None


def test_what_another_version_has_left_is_read_anew(tmp_path: Path) -> None:
    leave(tmp_path, SEMANTIC, reading=b"another")
    state = found(tmp_path)
    assert state.spans("a.md", "text") is None
    assert state.has_directives("a.md")
