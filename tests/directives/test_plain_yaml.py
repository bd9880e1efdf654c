"""What is read without a YAML parser is what YAML says."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from mkdocs_recall.directives.yaml import read_plain

LOADERS = [yaml.SafeLoader, getattr(yaml, "CSafeLoader", yaml.SafeLoader)]

KEYS = (
    *("query", "source", "max_sentences", "type", "cite", "a", "_", "a_", "Query", "on", "y", "no"),
    *("null", "a b", "a1", "1", "", "-", "- a", "? a", "é", "'a'", '"a"', "[a]", "{a}", "<<", "="),
    *("---", "...", "%YAML", "!a", "&a", "*a", "#a", "a#", "a:", " a", "\ta", "\ufeffa"),
)
COLONS = (": ", ":  ", ":", ":\t", " : ", ": \t", "")
WORDS = (
    *("auth.md", "/guides/auth.md#expiry", "../a.md", "./a/", ".", "..", "/", "~", "what is it?"),
    *("true", "True", "TRUE", "tRue", "false", "yes", "No", "on", "Off", "y", "N", "null", "Null"),
    *("0", "7", "07", "0o7", "0x7", "0b1", "1_0", "123456789", "1234567890", "-1", "+1", "٣", "½"),
    *("1.5", "1.", ".5", "./5", "1e3", "1:30", "12:30:45", "2001-01-01", ".inf", "-.INF", ".nan"),
    *("nan", "inf", "e5", "x12", "=", "<<", "a=b", "a:b", "a:", "a: b", "a #b", "a#b", "#a", "#"),
    *("a, b", "a]", "[a]", "{a}", "a{b}", "*a", "&a b", "!a b", "!!str a", "|", ">", "%a", "@a"),
    *("`a`", "a `b`", "'a'", "it's", '"a"', 'a "b"', "'", "- a", "-a", "? a", "?a", ",a", "---"),
    *("...", "a\tb", "a\t", "\ta", "a  b", "a ", " a", "a\\nb", "日本語?", "é", "«a»", "a\xa0b"),
    *("a\x85b", "a\u2028b", "a\u3000", "a\ufeff", "\ufeffa", "a\x07", "a\ud800", "🙂a", "a🙂"),
    *("\ue000", "a\ue000", "a\uffff", "a\rb", "a\r", "ª", "ǅ", "İ", "ſ", "ON", "oﬀ", ""),
)
VALUES = st.sampled_from(WORDS) | st.lists(st.sampled_from(WORDS), max_size=3).map("".join)
LINES = st.tuples(st.sampled_from(KEYS), st.sampled_from(COLONS), VALUES).map("".join)
ENTRIES = st.tuples(st.sampled_from(KEYS[:7]), VALUES | st.text(max_size=9)).map(": ".join)
OTHERS = st.sampled_from(["", " ", "\t", "# a", " # a", "---", "...", "- a", "a", " a", "a:"])
BODIES = st.lists(ENTRIES | LINES | OTHERS, max_size=4).map("\n".join)


@settings(max_examples=150)
@given(BODIES | ENTRIES | st.text())
def test_what_is_read_without_a_parser_is_what_the_parsers_read(body: str) -> None:
    plain = read_plain(body)
    if plain is not None:
        for loader in LOADERS:
            read = yaml.load(body, loader) or {}  # noqa: S506 - both are safe loaders
            assert list(read.items()) == list(plain.items())
            assert [type(value) for value in read.values()] == list(map(type, plain.values()))


@pytest.mark.parametrize(
    "body",
    [
        "",
        "query: when does a session expire?",
        "source: guides/auth.md#sessions\nquery: when does it expire?\nmax_sentences: 3\n",
        "source: /guides/auth.md\n\nquery: what's a `token`, and why (or not) [x]?",
        "source: ../auth/\nquery: Was heißt „Größe“?\nlanguage: de",
        "source: ./auth.md\nquery: 日本語は?\ncite: false\nformat: list",
        "type: synopsis\nsource: guides/auth.md\nalgorithm: luhn\nsections: 0",
        "query: see https://example.org/a#b\non_empty: omit\ncite: auto  ",
    ],
)
def test_a_common_fence_needs_no_parser(body: str) -> None:
    assert read_plain(body) is not None


@pytest.mark.parametrize(
    "body",
    [
        *("query: a: b", "query: a # b", "query:", "query: ", "query: 'a'", "query: [a]"),
        *("a: x\na: y", "query:\n  - a", "source: '#a'", "source: **", "query: no", "# a"),
        *("diversity: 0.5", "a"),
        *("query: a\n b", "<<: a", "no: a", "{query: a}", "query: >\n  a", "query: NULL", "a: 007"),
    ],
)
def test_what_may_mean_more_is_left_to_the_parser(body: str) -> None:
    assert read_plain(body) is None
