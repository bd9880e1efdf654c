"""What one build leaves to the next: of the right shape, of this site, or not believed."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import pytest

from mkdocs_recall.cache import Cache

if TYPE_CHECKING:
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
        (key, json.dumps(other).encode())
        for key, value in kept.items()
        for other in _variants(json.loads(value))
    ]
    for key, packed in random.Random(3).sample(wrong, VARIANTS):  # noqa: S311 - no secret
        answers = {key: b"" for key, value in kept.items() if b"<blockquote" in value}
        built = _rebuild_with(site, kept | answers | {key: packed})
        assert built.files() == clean, packed
        assert built.warnings == []
