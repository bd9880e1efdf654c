"""Formulas of MathML, written on one line: `E=mc^2`, `a/(b+c)`, `√(2n)`."""

from __future__ import annotations

import re
from html import escape, unescape
from itertools import chain, zip_longest
from typing import Final

from mkdocs_recall.text.runs import is_unseen

_ATTRIBUTES: Final = r"""(?:[^<>"']+|"[^"]*"|'[^']*')*[^<>]*>?"""
"""The rest of a tag. It always matches, so there is no backtracking."""
_REST: Final = re.compile(_ATTRIBUTES)
_TOKEN: Final = re.compile(rf"<!--(?:[^-]|-(?!->))*(?:-->)?|(<(/?)([a-z]*){_ATTRIBUTES})|([^<]+)")
_SIGNS: Final = {"mfrac": "/", "msub": "_", "msup": "^", "munder": "_", "mtr": ", ", "mtable": "; "}
"""What stands between the parts of an element."""
_SIMPLE: Final = re.compile(r"[\w.,]*|.")
_SPACE: Final = re.compile(r"\s+")
_UNSEEN: Final = {0x2061: " ", 0x2062: "", 0x2063: "", 0x2064: "+"}
"""Function application, and operators that are not written."""


def formulas_as_code(html: str) -> str:
    """Return HTML with the source of each formula, or else its text, in place of its MathML."""
    parts = html.split("<math")
    output = parts[:1]
    for part in parts[1:]:
        inside, end, after = part.partition("</math")
        start = _REST.match(inside).end()  # type: ignore[union-attr]  # it always matches
        attributes, mathml = inside[:start], inside[start:]
        is_formula = end and not attributes[:1].isalpha() and not is_unseen(attributes)
        text = escape(_linear(mathml)) if is_formula else ""  # which may stand in an attribute
        after = after.partition(">")[2]
        is_alone = f">{output[-1]}".rstrip().endswith(">") and f"{after}<".lstrip().startswith("<")
        is_block = is_alone and 'display="block"' in attributes and "<annotation" not in mathml
        form = '<div class="arithmatex">{}</div>' if is_block else "<code>{}</code>"
        output.append(form.format(text) + after if text else f"<math{part}")
    return "".join(output)


def _linear(mathml: str) -> str:
    """Return a formula on one line: its source, if that is stated, else what its elements say."""
    source = ""
    opened: list[tuple[str, list[str]]] = [("math", [])]
    for whole, end, tag, text in _TOKEN.findall(mathml):
        if tag and not end and not whole.endswith("/>"):
            opened.append((tag, []))
        elif end and len(opened) > 1:
            tag, parts = opened.pop()  # noqa: PLW2901 - what ends, whatever its end tag says
            opened[-1][1].extend(filter(None, [_written(tag, parts)]))
        elif text.strip() and opened[-1][0] == "annotation":
            source = source or unescape(text)  # there may be others
        elif text := unescape(text).translate(_UNSEEN).strip("\n\t"):
            is_prose = opened[-1][0] == "mtext"
            opened[-1][1].append(_SPACE.sub(" ", text) if is_prose else text.strip())
    return source.strip() or "".join(chain.from_iterable(parts for _, parts in opened)).strip()


def _written(tag: str, parts: list[str]) -> str:
    if tag == "annotation":  # of XML, which says the same again
        return ""
    if tag in {"msqrt", "mroot"}:
        degree = parts.pop() if tag == "mroot" and len(parts) > 1 else ""
        return f"{degree}√{_grouped(''.join(parts))}"
    if tag in {"mfrac", "msub", "msup", "munder", "msubsup", "munderover"}:
        parts = [*map(_grouped, parts)]
    if tag in {"msubsup", "munderover"}:
        return "".join(map("".join, zip_longest(parts, "_^", fillvalue="")))
    return _SIGNS.get(tag, "").join(parts)


def _grouped(text: str) -> str:
    return text if _SIMPLE.fullmatch(text) else f"({text})"
