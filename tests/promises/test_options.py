"""One question by every way: a fence, a command, an agent's tool and a call from Python."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, get_args

import anyio
import click
import pytest
import yaml
from conftest import Site
from mcp import Client
from mcp.types import CallToolResult, TextContent, Tool
from tables import beside, tabled

from mkdocs_recall import Corpus, Limits, OptionError, Query, Result, Semantic, Temporal
from mkdocs_recall.cli.group import group
from mkdocs_recall.cli.main import main
from mkdocs_recall.cli.mcp_server import Tools
from mkdocs_recall.directives.catalog import OPTIONS, PARSERS, as_limits, as_semantic, as_temporal
from mkdocs_recall.directives.options import read_options
from mkdocs_recall.options import (
    ALGORITHM_NAMES,
    BOUNDS,
    CONTEXTS,
    MODES,
    MOST,
    UNITS,
    Options,
    RecallKeywords,
    RecallOptions,
    ScorerName,
    SynopsisKeywords,
    TrivialQuery,
)
from mkdocs_recall.ranking.scores import ALGORITHMS, SCORERS

QUERY = "When does a session expire?"
UNANSWERED = "Which zebra crosses the river in a session?"
"""Three sentences share one of its words, and none answers it."""
PAGES = {
    "auth.md": "# Sign-in\n\nA session expires after 12 hours. Every session has a cookie.\n\n"
    "A session of a guest is short.\n",
    "guides/mail.md": "# Mail\n\nMail goes out on port 587.\n",
}


@dataclass(frozen=True)
class Doors:
    """A site and its entry points."""

    site: Site
    capture: pytest.CaptureFixture[str]
    asked: list[Options]
    """What has reached the pages, where `seen` puts it."""

    @property
    def corpus(self) -> Corpus:
        """The pages as Python opens them."""
        return Corpus.from_site(self.site.root / "mkdocs.yml", cache=False)

    def fence(self, name: str, values: Mapping[str, Any]) -> str:
        """Build the site with one fence, and return what stands in its place."""
        body = yaml.safe_dump(dict(values), sort_keys=False)
        return self.site.build({"index.md": f"```{name}\n{body}```\n"}).html()

    def command(self, *arguments: str) -> tuple[int, str, str]:
        """Run a command, and return its status, what it wrote, and what it noted."""
        config = str(self.site.root / "mkdocs.yml")
        self.capture.readouterr()
        with pytest.raises(SystemExit) as left:
            main([*arguments, "--config", config])
        streams = self.capture.readouterr()
        assert isinstance(left.value.code, int), streams.err
        return left.value.code, streams.out, streams.err

    def tool(
        self, name: str, arguments: Mapping[str, Any], options: Mapping[str, Any] | None = None
    ) -> CallToolResult:
        """Call an agent's tool."""
        corpus = self.corpus

        async def call() -> CallToolResult:
            async with Client(Tools(corpus, options=options or {}).server()) as client:
                return await client.call_tool(name, dict(arguments))

        return anyio.run(call)


@pytest.fixture
def doors(site: Site, capfd: pytest.CaptureFixture[str]) -> Doors:
    """A documentation of two pages, and a home page."""
    site.write({"index.md": "# Home\n", **PAGES})
    site.configure()
    return Doors(site, capfd, [])


@pytest.fixture
def seen(doors: Doors, monkeypatch: pytest.MonkeyPatch) -> Doors:
    """The same, with pages that note what is asked of them and answer nothing."""

    def note(_: Corpus, options: Options, *, page: str = "") -> Result:
        assert page in {"", "index.md"}
        doors.asked.append(options)
        return Result((), options.algorithm)

    monkeypatch.setattr(Corpus, "answer", note)
    return doors


def flags(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield options as they are typed at a terminal."""
    for name, value in values.items():
        option = f"--{'no-' if value is False else ''}{name.replace('_', '-')}"
        for each in value if isinstance(value, list) else [value]:
            yield from [option] if isinstance(each, bool) else [option, str(each)]


OF_A_TOOL = {"source", "max_sentences", "context", "units"}
"""What an agent may say of a question; `max_tokens` is that of its reply."""
RECALLS: list[dict[str, Any]] = beside(__file__)["RECALLS"]
SYNOPSES: list[dict[str, Any]] = beside(__file__)["SYNOPSES"]


def joined(cases: list[dict[str, Any]]) -> dict[str, Any]:
    """Return all options together."""
    return {name: value for case in cases for name, value in case.items()}


@pytest.mark.parametrize("values", [*RECALLS, joined(RECALLS)], ids=str)
def test_a_recall_is_the_same_through_every_door(seen: Doors, values: dict[str, Any]) -> None:
    written = {"source": "**", **values}
    seen.fence("recall", {"query": QUERY, "on_empty": "omit", **written})
    assert seen.command("recall", QUERY, *flags(values))[0] == 1
    seen.corpus.recall(QUERY, on_empty="omit", **values)
    if values.keys() <= OF_A_TOOL:
        assert not seen.tool("recall", {"query": QUERY, **values}).is_error
    assert len(seen.asked) == 3 + (values.keys() <= OF_A_TOOL)
    of_fence = read_options(
        "recall", yaml.safe_dump({"query": QUERY, "on_empty": "omit", **written})
    )
    assert seen.asked == [of_fence] * len(seen.asked)
    as_by_default = RecallOptions(query=(Query(QUERY),), source=("**",), on_empty="omit")
    assert (of_fence == as_by_default) == (not values)


@pytest.mark.parametrize("values", [*SYNOPSES, joined(SYNOPSES)], ids=str)
def test_a_synopsis_is_the_same_through_every_door(seen: Doors, values: dict[str, Any]) -> None:
    written = {"source": "auth.md", **values}
    seen.fence("synopsis", written)
    assert seen.command("synopsis", "auth.md", *flags(values))[0] == 1
    seen.corpus.synopsis("auth.md", **values)
    if values.keys() <= OF_A_TOOL:
        assert not seen.tool("synopsis", written).is_error
    assert len(seen.asked) == 3 + (values.keys() <= OF_A_TOOL)
    of_fence = read_options("synopsis", yaml.safe_dump(written))
    assert seen.asked == [of_fence] * len(seen.asked)
    assert (of_fence == Options(source=("auth.md",))) == (not values)


@pytest.mark.parametrize(("name", "cases"), [("recall", RECALLS), ("synopsis", SYNOPSES)])
def test_every_option_of_a_command_is_among_those_cases(
    name: str, cases: list[dict[str, Any]]
) -> None:
    of_commands = [option for option in OPTIONS.values() if option.help]
    names = {option.name for option in of_commands if name in option.directives}
    assert names - joined(cases).keys() == {"include_expired"}  # with `temporal`, below


@tabled
def test_meaning_and_time_are_the_same_options_through_every_door(
    seen: Doors, values: dict[str, Any], typed: list[str]
) -> None:
    seen.fence("recall", {"query": QUERY, "source": "**", "on_empty": "omit", **values})
    assert seen.command("recall", QUERY, *typed)[0] == 1
    seen.corpus.recall(QUERY, on_empty="omit", **values)
    assert not seen.tool("recall", {"query": QUERY}, values).is_error
    options = replace(
        RecallOptions(query=(Query(QUERY),), source=("**",), on_empty="omit"),
        semantic=as_semantic(values.get("semantic")),
        temporal=as_temporal(values.get("temporal")),
        include_expired=values.get("include_expired", False),
    )
    assert options.semantic or options.temporal
    assert seen.asked == [options] * 4


IN_A_FENCE = {
    *("subsections", "cite", "format", "explain", "expect", "expect_source", "embedm", "restated"),
}
"""What a fence says of its quote; there is none elsewhere."""
ASKED_IN_PYTHON = {"on_empty": "omit"}
"""What Python and the commands do by default, unlike a fence, whose author is warned."""


@pytest.mark.parametrize(
    ("keywords", "options", "missing"),
    [
        (RecallKeywords, RecallOptions, IN_A_FENCE | {"query", "trivial_query", "acknowledgments"}),
        (SynopsisKeywords, Options, IN_A_FENCE),
    ],
    ids=["recall", "synopsis"],
)
def test_the_keywords_of_python_are_the_options_and_have_their_defaults(
    seen: Doors, keywords: type, options: type[Options], missing: set[str]
) -> None:
    defaults = {field.name: field.default for field in fields(options)}
    assert keywords.__annotations__.keys() == defaults.keys() - missing - {"source"}
    if options is RecallOptions:
        seen.corpus.recall(QUERY)
    else:
        seen.corpus.synopsis("**")
    (asked,) = seen.asked
    for name in keywords.__annotations__:
        assert getattr(asked, name) == ASKED_IN_PYTHON.get(name, defaults[name]), name


def test_an_unknown_keyword_is_refused_with_a_suggestion(doors: Doors) -> None:
    with pytest.raises(
        TypeError, match="no keyword argument 'top_k'; did you mean 'max_sentences'"
    ):
        doors.corpus.recall(QUERY, top_k=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="no keyword argument 'cite'"):
        doors.corpus.recall(QUERY, cite=True)  # type: ignore[call-arg]


def test_too_low_scores_are_not_answers_by_any_way(doors: Doors) -> None:
    result = doors.corpus.recall(UNANSWERED)
    assert result.fallback == "low_score"
    stated = re.search(r"'min_score' is ([\d.]+)\)$", result.why)
    assert stated is not None
    assert float(stated[1]) > 0
    assert doors.corpus.recall(UNANSWERED, on_empty="omit").passages == ()
    wrong = doors.corpus.recall(UNANSWERED, on_empty="omit", min_score=0).passages
    assert len(wrong) == 1, "their section is quoted where 0 is the least score"
    alone = doors.corpus.recall(UNANSWERED, min_score=0, context=0).passages
    assert len(alone) == 3, "they were quoted where 0 was the default"

    assert doors.command("recall", UNANSWERED) == (1, "", f"Nothing found: {result.why}.\n")
    assert doors.command("search", UNANSWERED) == (1, "", f"Nothing found: {result.why}.\n")

    for name in ("recall", "search"):
        reply = doors.tool(name, {"query": UNANSWERED}).structured_content
        assert reply is not None
        assert reply["passages"] == []
        assert result.why in json.dumps(reply, ensure_ascii=False)

    arguments = {"query": UNANSWERED, "source": "**"}
    assert "session" not in doors.fence("recall", {**arguments, "on_empty": "omit"})
    assert "the best scores" in doors.fence("recall", {**arguments, "on_empty": "error"})
    quote = doors.fence("recall", arguments)
    assert "recall-note" in quote, "a synopsis stands there, and says so"
    assert "A session expires" in doors.fence("recall", {**arguments, "min_score": 0})


def test_the_names_of_options_are_those_of_the_registry_in_its_order() -> None:
    assert tuple(SCORERS) == get_args(ScorerName)
    assert tuple(ALGORITHMS) == ALGORITHM_NAMES


def set_one(name: str, value: object) -> object:
    """Set an option, or one of `limits`, `semantic` or `temporal`, as a fence or a site does."""
    owner, _, setting = name.rpartition(".")
    if not owner:
        return PARSERS[name](value)
    make: dict[str, Callable[[object], object]] = {
        "limits": as_limits,
        "semantic": as_semantic,
        "temporal": as_temporal,
    }
    return getattr(make[owner]({setting: value}), setting)


@pytest.mark.parametrize("name", BOUNDS)
def test_values_outside_an_option_s_bounds_are_refused(name: str) -> None:
    least, most, exclusive = BOUNDS[name]
    refused: list[object] = [least - 1, -MOST, most + 1, math.nan, math.inf, -math.inf, "1", True]
    taken: list[object] = [least + 1 if exclusive else least, most]
    (refused if exclusive else taken).append(least)
    for value in refused:
        with pytest.raises(OptionError):
            set_one(name, value)
    for value in taken:
        assert set_one(name, value) == value


def test_every_number_among_the_options_has_bounds_that_hold_its_default() -> None:
    numbers = {
        prefix + field.name: field.default
        for prefix, owner in (
            ("", RecallOptions),
            ("", Options),
            ("limits.", Limits),
            ("semantic.", Semantic),
            ("temporal.", Temporal),
        )
        for field in fields(owner)
        if str(field.type).partition(" ")[0] in {"int", "float"}
    }
    assert numbers.keys() == BOUNDS.keys()
    for name, default in numbers.items():
        assert default is None or set_one(name, default) == default


def parameters_of(command: str) -> dict[str, click.Option]:
    """Return the options of a command by name."""
    made = group.get_command(click.Context(group), command)
    assert made is not None
    return {str(option.name): option for option in made.params if isinstance(option, click.Option)}


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("recall", RecallOptions),
        ("search", RecallOptions),
        ("explain", RecallOptions),
        ("synopsis", Options),
    ],
)
def test_a_command_has_the_bounds_of_the_options(command: str, options: type[Options]) -> None:
    parameters = parameters_of(command)
    numbers = {field.name for field in fields(options)} & BOUNDS.keys()
    lists = command == "search"  # sentences one by one
    assert parameters.keys() & BOUNDS.keys() == numbers - ({"max_words"} if lists else set())
    assert "context" not in numbers or parameters["context"].default == (0 if lists else "auto")
    named = {"context"} if not lists else set()
    for name in (parameters.keys() & BOUNDS.keys()) - named:
        taken = parameters[name].type
        assert isinstance(taken, (click.IntRange, click.FloatRange)), name
        least, most, exclusive = BOUNDS[name]
        assert (taken.min, taken.min_open) == (least, exclusive), name
        assert taken.max == (most if most < MOST else None), name
        assert not taken.clamp, name
    names = {
        name: tuple(parameter.type.choices)
        for name, parameter in parameters.items()
        if isinstance(parameter.type, click.Choice)
    }
    if command == "recall":
        assert {*names.pop("trivial_query"), "warn"} == {*get_args(TrivialQuery)}
    if "context" in numbers and not lists:
        assert parameters["context"].metavar == f"[{'|'.join(CONTEXTS)}|N]"
    if options is RecallOptions:
        assert parameters["semantic"].metavar == f"[{'|'.join(MODES)}]"
    assert names == (
        {"scorer": get_args(ScorerName), "units": UNITS}
        if options is RecallOptions
        else {"algorithm": ALGORITHM_NAMES}
    )


def test_the_context_option_takes_a_name_or_a_number(seen: Doors) -> None:
    for typed, context in (("block", "block"), ("0", 0), ("12", 12)):
        assert seen.command("recall", QUERY, "--context", typed)[0] == 1
        asked = seen.asked.pop()
        assert isinstance(asked, RecallOptions)
        assert asked.context == context
    accepted = "(auto, block, section, or a whole number)"
    for typed, fault in (
        ("sectoin", f"unknown context 'sectoin'; did you mean 'section'? {accepted}"),
        ("1.5", "'context' must be auto, block, section or a whole number, not 1.5"),
        ("-1", "'context' must be 0 or more, got -1"),
    ):
        status, _, noted = seen.command("recall", QUERY, "--context", typed)
        assert status == 2
        assert fault in noted
    status, _, noted = seen.command("search", QUERY, "--context", "auto")
    assert status == 2, "it lists sentences"
    assert "'context' must be a whole number, not 'auto'" in noted


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("max_sentences", value) for value in (0, "many", 1.5)),
        *(("max_tokens", -1), ("diversity", 2), ("min_score", math.nan), ("min_score", "high")),
        *(("scorer", "bm52"), ("units", "proze"), ("context", "bloc"), ("language", "german")),
    ],
)
def test_an_impossible_value_has_one_message_at_every_door(
    seen: Doors, option: str, value: object
) -> None:
    values: dict[str, Any] = {option: value}
    with pytest.raises(OptionError) as raised:
        seen.corpus.recall(QUERY, **values)
    message = str(raised.value)
    assert message in seen.fence("recall", {"query": QUERY, **values}).replace("&#x27;", "'")
    status, _, noted = seen.command("recall", QUERY, *flags(values))
    assert status == 2
    assert f"Error: Invalid value for '--{option.replace('_', '-')}': {message}\n" in noted
    if option in OF_A_TOOL:
        given = {option: [value] if option == "units" else value}
        (content,) = seen.tool("recall", {"query": QUERY, **given}).content
        assert isinstance(content, TextContent)
        assert content.text == f"Error executing tool recall: {message}"


def test_a_language_that_is_spelled_like_a_number_is_a_language(seen: Doors) -> None:
    assert seen.command("recall", QUERY, "--language", "nan")[0] == 1
    assert seen.asked.pop().language == "nan"


def test_the_tools_of_an_agent_have_the_bounds_of_the_options(doors: Doors) -> None:
    async def tools() -> list[Tool]:
        async with Client(Tools(doors.corpus).server()) as client:
            return (await client.list_tools()).tools

    schemas = {tool.name: tool.input_schema["properties"] for tool in anyio.run(tools)}
    for tool, name in (
        ("recall", "max_sentences"),
        ("recall", "context"),
        ("search", "max_sentences"),
        ("synopsis", "max_sentences"),
    ):
        schema = schemas[tool][name]
        schema |= next((s for s in schema.get("anyOf", ()) if s.get("type") == "integer"), {})
        assert schema["minimum"] == BOUNDS[name].least
        assert schema["maximum"] <= BOUNDS[name].most
    for tool, options in (("recall", RecallOptions), ("synopsis", Options)):
        defaults = {field.name: field.default for field in fields(options)}
        for name in schemas[tool].keys() & {"max_sentences", "context"}:
            assert schemas[tool][name]["default"] == defaults[name]
