"""The YAML loaders of front matter and configuration: like MkDocs', but in linear time.

PyYAML copies a mapping wherever `<<` names it, and multiplies a number of base 60 digit by digit:
both are quadratic. So too many merged keys are an error, and a long number of base 60 is text.
"""

from __future__ import annotations

import re
from typing import Any, Final

import yaml

from mkdocs_recall.errors import SHOWN

MOST_MERGED: Final = 10_000
"""Keys that `<<` may merge in all: fifty of them into each of two hundred mappings."""
_MANY_NESTED: Final = 1000
"""The fast YAML loader is not used for text that may nest values deeper than this."""
_INDENTATION: Final = re.compile("[ ?:-]+")
"""The part of a line to which each level of a block adds: `- - ? -` opens four."""
_TAG: Final = "tag:yaml.org,2002:"


def safe_loader(text: str) -> Any:  # PyYAML's loaders share no type
    """Return the loader for a text: in Python, if it may be deep."""
    return _PYTHON if may_nest_deeply(text) else _C


def may_nest_deeply(text: str) -> bool:
    """Tell whether YAML may be too deep for PyYAML's loader in C."""
    return len(text) > _MANY_NESTED and (
        text.count("[") + text.count("{") > _MANY_NESTED
        or max(map(len, _INDENTATION.findall(text)), default=0) > _MANY_NESTED
    )


class TooManyMergedError(yaml.MarkedYAMLError):
    """`<<` merges too many keys."""


def _number(loader: Any, node: yaml.ScalarNode) -> object:  # see `safe_loader`
    """Construct a number, or text for a long one of base 60."""
    text: str = loader.construct_scalar(node)
    if ":" in text and len(text) > SHOWN:
        return text
    is_whole = node.tag == f"{_TAG}int"
    number: object = (loader.construct_yaml_int if is_whole else loader.construct_yaml_float)(node)
    return number


def _bounded(base: Any) -> Any:  # see `safe_loader`

    class BoundedLoader(base):  # type: ignore[misc]
        """Counts the keys that `<<` merges."""

        _merged = 0

        def flatten_mapping(self, node: yaml.MappingNode) -> None:
            """Merge what `<<` names into a mapping, if it is not too much."""
            for key, value in node.value:
                if key.tag == f"{_TAG}merge":
                    self._count(value.value if isinstance(value, yaml.SequenceNode) else [value])
            super().flatten_mapping(node)

        def _count(self, nodes: list[yaml.Node]) -> None:
            for node in nodes:
                if isinstance(node, yaml.MappingNode):
                    self.flatten_mapping(node)
                    self._merged += 1 + len(node.value)
                    if self._merged > MOST_MERGED:
                        problem = f"'<<' merges more than {MOST_MERGED:,} keys"
                        raise TooManyMergedError(problem=problem, problem_mark=node.start_mark)

    for name in ("int", "float"):
        BoundedLoader.add_constructor(f"{_TAG}{name}", _number)
    return BoundedLoader


_PYTHON: Final = _bounded(yaml.SafeLoader)
_C: Final = _bounded(getattr(yaml, "CSafeLoader", yaml.SafeLoader))
"""The loader in C, where libyaml is installed."""
