"""Formulas of MathML, written on one line: `E=mc^2`, `a/(b+c)`, `√(2n)`."""

from __future__ import annotations

import re
from html import escape, unescape
from itertools import chain, zip_longest
from typing import Final

from mkdocs_recall.text.runs import is_unseen

_TOKEN: Final = re.compile(r"<(/?)([a-z]*)[^<>]*?(/?)>|([^<]+)")
_SIGNS: Final = {"mfrac": "/", "msub": "_", "msup": "^", "munder": "_", "mtr": ", ", "mtable": "; "}
"""What stands between the parts of an element."""
_SIMPLE: Final = re.compile(r"[\w.,]*|.")
_UNSEEN: Final = {0x2061: " ", 0x2062: "", 0x2063: "", 0x2064: "+"}
"""Function application, and operators that are not written."""


def formulas_as_code(html: str) -> str:
    """Return HTML with the source of each formula, or else its text, in place of its MathML."""
    output, *others = html.split("<math")
    for part in others:
        inside, end, after = part.partition("</math")
        attributes, _, mathml = inside.partition(">")
        is_formula = end and not attributes[:1].isalpha() and not is_unseen(attributes)
        text = escape(_linear(mathml), quote=False) if is_formula else ""
        is_block = 'display="block"' in attributes and "<annotation" not in mathml
        form = '<div class="arithmatex">{}</div>' if is_block else "<code>{}</code>"
        output += form.format(text) + after.partition(">")[2] if text else f"<math{part}"
    return output


def _linear(mathml: str) -> str:
    """Return a formula on one line: its source, if that is stated, else what its elements say."""
    source = ""
    opened: list[tuple[str, list[str]]] = [("math", [])]
    for end, tag, alone, text in _TOKEN.findall(mathml):
        if tag and not end and not alone:
            opened.append((tag, []))
        elif end and len(opened) > 1:
            tag, parts = opened.pop()  # noqa: PLW2901 - what ends, whatever its end tag says
            opened[-1][1].extend(filter(None, [_written(tag, parts)]))
        elif text.strip() and opened[-1][0] == "annotation":
            source += unescape(text)
        elif text := unescape(text).translate(_UNSEEN).strip("\n\t"):
            opened[-1][1].append(text.strip() or " " * (opened[-1][0] == "mtext"))
    return source.strip() or "".join(chain.from_iterable(parts for _, parts in opened)).strip()


def _written(tag: str, parts: list[str]) -> str:
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
