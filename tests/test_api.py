"""What the package offers to other programs, and that it is documented."""

from __future__ import annotations

import doctest
import inspect
from importlib import import_module
from importlib.resources import files

import pytest

import mkdocs_recall
from mkdocs_recall import corpus


def test_all_is_exactly_what_the_package_holds() -> None:
    for name in mkdocs_recall.__all__:
        assert getattr(mkdocs_recall, name) is not None
    assert dir(mkdocs_recall) == sorted(mkdocs_recall.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Corpse'"):
        _ = mkdocs_recall.Corpse
    assert sorted(mkdocs_recall.__all__) == sorted(set(mkdocs_recall.__all__))


def test_the_public_names_are_these() -> None:
    assert set(mkdocs_recall.__all__) == {
        "Corpus",
        "Document",
        "Passage",
        "RecallError",
        "Result",
        "Sentence",
        "__version__",
    }


CLASSES = [
    value
    for name in mkdocs_recall.__all__
    if isinstance(value := getattr(mkdocs_recall, name), type)
]


@pytest.mark.parametrize("public", CLASSES, ids=lambda public: public.__name__)
def test_every_public_class_and_all_it_offers_is_documented(public: type) -> None:
    assert public.__doc__
    for name, member in vars(public).items():
        if name.startswith("_"):
            continue
        if isinstance(member, (classmethod, staticmethod)):
            assert inspect.getdoc(member.__func__), name
        elif inspect.isfunction(member) or isinstance(member, property):
            assert inspect.getdoc(member), name


@pytest.mark.parametrize("public", CLASSES, ids=lambda public: public.__name__)
def test_every_public_signature_is_annotated_and_keyword_only_after_the_first(
    public: type,
) -> None:
    for name, member in vars(public).items():
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


def test_the_example_of_the_documentation_runs() -> None:
    outcome = doctest.testmod(corpus)
    assert outcome.attempted > 0
    assert outcome.failed == 0
