"""The public API of the package, and its documentation."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Iterable
from importlib import import_module
from importlib.resources import files

import pytest

import mkdocs_recall


def test_all_is_exactly_what_the_package_holds() -> None:
    for name in mkdocs_recall.__all__:
        assert getattr(mkdocs_recall, name) is not None
    assert dir(mkdocs_recall) == sorted(mkdocs_recall.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Corpse'"):
        _ = mkdocs_recall.Corpse
    assert sorted(mkdocs_recall.__all__) == sorted(set(mkdocs_recall.__all__))


def test_the_public_names_are_these() -> None:
    assert set(mkdocs_recall.__all__) == {
        *("Corpus", "Limits", "Query", "Semantic", "Temporal", "Result", "Passage", "Lost"),
        *("Explanation", "Quotation", "Document", "Block", "Heading", "Mark", "Publisher"),
        *("Sentence", "RecallError", "OptionError", "RecordError", "SiteError", "SourceError"),
        "PublishedFileError",
        "__version__",
    }


CLASSES = [
    value
    for name in mkdocs_recall.__all__
    if isinstance(value := getattr(mkdocs_recall, name), type)
]


def members(public: type) -> dict[str, object]:
    """Return what a class offers, also what it has from others of this package."""
    bases = [base for base in public.__mro__ if base.__module__.startswith("mkdocs_recall")]
    return {name: member for base in reversed(bases) for name, member in vars(base).items()}


@pytest.mark.parametrize("public", CLASSES, ids=lambda public: public.__name__)
def test_every_public_class_and_all_it_offers_is_documented(public: type) -> None:
    assert public.__doc__
    for name, member in members(public).items():
        if name.startswith("_"):
            continue
        if isinstance(member, (classmethod, staticmethod)):
            assert inspect.getdoc(member.__func__), name
        elif inspect.isfunction(member) or isinstance(member, property):
            assert inspect.getdoc(member), name


@pytest.mark.parametrize("public", CLASSES, ids=lambda public: public.__name__)
def test_a_public_method_that_describes_arguments_describes_all_of_them(public: type) -> None:
    for name, member in members(public).items():
        function = getattr(member, "__func__", member)
        text = inspect.getdoc(function) or ""
        if name.startswith("_") or not inspect.isfunction(function) or "Args:" not in text:
            continue
        described = set(re.findall(r"^    (\w+):", text, flags=re.MULTILINE))
        assert set(list(inspect.signature(function).parameters)[1:]) <= described, name


@pytest.mark.parametrize("public", CLASSES, ids=lambda public: public.__name__)
def test_every_public_signature_is_annotated_and_keyword_only_after_the_first(public: type) -> None:
    for name, member in members(public).items():
        function = getattr(member, "__func__", member)
        if name.startswith("_") or not inspect.isfunction(function):
            continue
        signature = inspect.signature(function)
        assert signature.return_annotation is not signature.empty, name
        positional = []
        for parameter in list(signature.parameters.values())[1:]:
            assert parameter.annotation is not parameter.empty, f"{name}: {parameter.name}"
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
                positional.append(parameter.name)
        assert len(positional) <= 1, f"{name}: {positional}"


def test_the_errors_have_one_root() -> None:
    errors = import_module("mkdocs_recall.errors")
    classes = [value for value in vars(errors).values() if isinstance(value, type)]
    assert len(classes) > 1
    assert all(issubclass(value, mkdocs_recall.RecallError) for value in classes)
    drawing = errors.__doc__ or ""
    assert all(value.__name__ in drawing for value in classes)


def test_the_package_is_typed() -> None:
    assert files("mkdocs_recall").joinpath("py.typed").is_file()


@pytest.mark.parametrize("public", CLASSES, ids=lambda public: public.__name__)
def test_every_public_class_has_examples_that_run(public: type) -> None:
    module = import_module(public.__module__)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    tests = doctest.DocTestFinder().find(public, public.__name__, module)
    for test in tests:
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
    assert any(test.examples for test in tests)


def getdoc(value: object) -> str:
    return inspect.getdoc(value) or ""


def reachable(values: Iterable[object]) -> set[type]:
    """Return the classes of this package that one can get from values by public names."""
    found: dict[type, None] = {}
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if isinstance(value, (tuple, list)):
            waiting += value
        kind = type(value)
        if not kind.__module__.startswith("mkdocs_recall") or kind in found:
            continue
        found[kind] = None
        names = (name for name in dir(kind) if not name.startswith("_"))
        members = (getattr(value, name) for name in names)
        waiting += (member for member in members if not callable(member))
    return set(found)


def test_types_that_a_caller_can_get_are_public() -> None:
    pages = {"a.md": "# A\n\nA `port` is open. Port 80 is open."}
    made = mkdocs_recall.Corpus.from_markdown(pages)
    result = made.recall(mkdocs_recall.Query("open port"), max_sentences=1, context=0)
    again = mkdocs_recall.Result.from_json(result.to_json(explain=True))
    assert result.lost
    public = {public for public in CLASSES if not issubclass(public, Exception)}
    given = {
        *(mkdocs_recall.Query, mkdocs_recall.Limits),
        *(mkdocs_recall.Semantic, mkdocs_recall.Temporal),
    }
    of_other_sites = {mkdocs_recall.Publisher}
    expected = public - given - of_other_sites
    assert reachable([made, result]) == expected, "one asks with what is given"
    assert reachable([again]) <= public


def test_every_error_that_is_announced_is_public() -> None:
    announced = {
        name
        for public in CLASSES
        for member in members(public).values()
        for name in re.findall(
            r"^ +(\w+Error): ",
            inspect.getdoc(getattr(member, "__func__", member)) or "",
            re.MULTILINE,
        )
    }
    assert announced
    assert announced <= set(mkdocs_recall.__all__)
