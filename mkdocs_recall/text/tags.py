"""Facts about single tags: elements without an end tag, shapes, and icons.

A warm build needs these for the quotes it places, and nothing else of this package.
"""

from __future__ import annotations

import re

VOID_TAGS = frozenset(
    "area base br col embed hr img input link meta param source track wbr".split()  # noqa: SIM905 - words
)
"""Elements without an end tag."""

SHAPES = frozenset(
    "circle ellipse g line path polygon polyline rect text tspan".split()  # noqa: SIM905 - words
)
"""Elements of a drawing in SVG."""

_FONTS = r"fa(?:[bdlrst]|-[a-z]+)?|bi|glyphicon|las?|mdi|octicon|oi|ph|ri|ti"
_FONT_ICON = rf"(?a)(?:{_FONTS})(?: [\w-]+){{1,4}}"
_DRAWN_ICON = r"(?a)(?:-?[\d.]{1,9} ){4}[Mm][MmLlHhVvCcSsQqTtAaZz\d\s,.eE+-]{1,8000}"


def is_font_icon(classes: str) -> bool:
    """Tell whether an empty element with these classes shows an icon of a font."""
    return re.fullmatch(_FONT_ICON, classes) is not None


def is_drawn_icon(source: str) -> bool:
    """Tell whether a text is an icon's view box and path."""
    return re.fullmatch(_DRAWN_ICON, source) is not None
