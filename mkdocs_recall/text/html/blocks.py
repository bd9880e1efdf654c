"""The runs of text of a page, each with its section, top-level block, kind and lead.

The lead of a run is the run that introduces it: a label, or the text right before a list, a table
or a code block. The lead of a label is the text before it or the label around it, so that from each
run the leads go up to all labels around it. `labels` finds the labels; `scanner` calls the builder
for each block that opens and closes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from mkdocs_recall.text.html.labels import Figure, TabSet, is_default_title
from mkdocs_recall.text.html.runs import MarkedText, Run, RunBuilder, heading_text
from mkdocs_recall.text.html.tags import (
    HEADING_TAGS,
    PARTS,
    class_of,
    id_of,
    is_alternate,
    is_wrapper,
    part_of,
)
from mkdocs_recall.text.model import TEXT, Heading, Mark

if TYPE_CHECKING:
    from collections.abc import Callable

    from mkdocs_recall.text.html.tags import Part
    from mkdocs_recall.text.model import Kind

_OuterState: TypeAlias = (
    "tuple[bool, Part, Kind | None, int | None, int | None, int | None, int | None, TabSet | None,"
    " bool]"
)
"""Of an open block: whether it is a top-level block, its role, and the attributes of the builder
that its end restores."""
_UNRENDERED = re.compile(r"```|\{\{|\{%")
_ALERT = re.compile(r"\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\] ?")
"""The first line of an alert, which GitHub turns into a title and Python-Markdown keeps as text."""
MUTE = frozenset({None, "label"})
"""Kinds of text in which no heading or table counts."""
_NEVER_TOP = frozenset({"title", "term", "code_box"})
"""Roles of elements that are no top-level blocks."""
_COUNTED = frozenset({"list", "quote", "footnotes", "figure", "caption"})
"""Roles of elements whose ends change more than the state restored for every block."""
_COLONS = (":", "\uff1a")
"""What ends a text that introduces the next block."""
_JOINED_SIZE = 200
"""The most characters of a label to which the label of the same text that follows is joined."""


class BlockBuilder(RunBuilder):
    """The runs of a page so far, the current run and its position in the page's tree.

    Three attributes hold the number of a run that introduces later ones: `lead` introduces the
    texts that follow, `previous` is right before the next block, and `inner` introduces lists,
    tables and code that have no text right before them.

    Where code is indented less than Python-Markdown demands, it follows the list of its step. So
    the last item of a list that has just ended is `previous`, too, if it ends with a colon.
    """

    # A quote has to bring what a sentence needs to be understood: the text that introduces a list,
    # the tab or admonition around it, the term above a definition. HTML says none of it, so each
    # run notes the run before it that introduces it, and an open element remembers what counted
    # around it, to be put back when it ends.

    def __init__(self) -> None:
        """Start at the top of a page."""
        super().__init__()
        self.runs: list[Run] = []
        self.headings: list[Heading] = []
        self.path: tuple[Heading, ...] = ()
        self.heading_level, self.heading_anchor = 0, ""
        self.open_blocks: list[_OuterState | bool] = []  # a bool for one without a role
        self.top = -1
        self.in_top = False
        self.top_holds_text = False  # a top-level block without text is not counted
        self.kind: Kind | None = "prose"  # None where text does not count
        self.lead: int | None = None
        self.previous: int | None = None
        self.above_paragraph: int | None = None  # `previous` of a paragraph that has just started
        self.inner: int | None = None
        self.has_text = True  # False in a list item before its first text
        self.label: int | None = None  # the innermost label around the texts that follow
        self.term: int | None = None  # the label of the definitions that follow
        self.tabs: TabSet | None = None  # around the current position, not in one of its tabs
        self.figures: list[Figure] = []  # those that are open
        self.code_classes = ""  # of the box around code that was opened last
        self.is_titled = False  # whether the current text is the title of a code block
        self.admonition_classes = ""  # of the admonition that was opened last
        self.quotes = 0  # how many block quotes are open
        self.footnotes = 0  # how many boxes of footnotes are open
        self.section: tuple[int, tuple[Heading, ...]] = (0, ())  # its number and headings

    def open_block(self, tag: str, attributes: str) -> None:
        """Open a block, which ends the text before it."""
        if self.parts:
            self.flush()
        if tag == "p":
            self.above_paragraph, self.previous = self.previous, None
        part = PARTS.get(tag, "")
        if 'class="' in attributes:
            part = part_of(class_of(attributes)) or part
        is_top = not (self.in_top or part in _NEVER_TOP or is_wrapper(tag, attributes))
        if is_top:
            self.in_top, self.top_holds_text = True, False
        if not part:
            self.open_blocks.append(is_top)
            return
        self.open_blocks.append(
            (
                *(is_top, part, self.kind, self.lead, self.inner, self.label, self.term, self.tabs),
                self.has_text,
            )
        )
        self._enter(part, attributes)

    def _enter(self, part: Part, attributes: str) -> None:  # noqa: C901, PLR0912 - a case for each
        """Change the state for the blocks in an element with this role."""
        kind, previous, self.previous = self.kind, self.previous, None
        if part == "item":
            self.has_text = False
            if kind == "prose":
                self.kind = "list"
        elif part == "list":
            self.lead = self.inner = self.inner if previous is None else previous
            self.has_text = True
        elif part == "definition":
            self.lead = self.inner = self.term
            if self.term is not None:
                self.label = self.term
            self.has_text = True
            if kind in {"prose", "list"}:
                self.kind = "definition"
        elif part in {"term", "title"}:
            self.kind, self.lead = kind and "label", None
        elif part == "definition_list":
            self.term = None
        elif part == "admonition":
            self.kind = kind and "admonition"
            self.lead = self.inner = None
            self.has_text, self.admonition_classes = True, class_of(attributes)
        elif part == "quote":
            self.quotes += 1
        elif part == "footnotes":
            self.lead = self.inner = self.label = None
            self.footnotes += 1
            self.section = 0, ()
        elif part == "tab_set":
            self.tabs = TabSet(previous, is_alternate(attributes))
        elif part in {"tab_contents", "tab"}:
            self._enter_tab(part)
        elif part == "figure":
            self.previous = previous
            self.figures.append(Figure(len(self.runs)))
        elif part == "caption":
            if self.figures:
                self.figures[-1].open_caption(len(self.runs))
        else:  # a box around code
            if kind is not None:
                self.code_classes = class_of(attributes)
            self.kind, self.previous = None, previous

    def close_block(self, _tag: str) -> None:
        """Close a block, and restore the state around it."""
        if self.parts:
            self.flush()
        self.above_paragraph = None
        if not self.open_blocks:
            return
        state = self.open_blocks.pop()
        if isinstance(state, tuple):
            label = self.previous if self.kind == "label" else None
            is_top, part, self.kind, self.lead, self.inner, self.label, term, self.tabs, text = (
                state
            )
            self.has_text = text
            if part != "code_box" or self._is_code_title(self.previous):
                self.previous = None
            self.term = self._join_labels(term, label) if part == "term" else term
            if part == "title" and label is not None:
                self._use_title(label)
            elif part in _COUNTED:
                self._leave(part)
        else:
            is_top = state
        if is_top:
            self.in_top = False

    def _leave(self, part: Part) -> None:
        """Leave an element with one of the roles in `_COUNTED`."""
        if part == "list":
            if self.runs and self.runs[-1].kind in TEXT and self.runs[-1].text.endswith(_COLONS):
                self.previous = len(self.runs) - 1
        elif part == "quote":
            self.quotes -= 1
        elif part == "footnotes":
            self.footnotes -= 1
            self._update_section()
        elif part == "figure":
            self.figures.pop().lead_with_caption(self.runs, depth=len(self.figures))
        elif self.figures:
            self.figures[-1].close_caption(len(self.runs))

    def _join_labels(self, term: int | None, label: int | None) -> int | None:
        """Join the label of a definition to the one right before it, and return the label."""
        if label is None or term is None or label != term + 1:
            return term if label is None else label
        above, run = self.runs[term], self.runs[label]
        shift = len(above.text) + 2
        if shift > _JOINED_SIZE:
            return label
        marks = above.marks + tuple(
            Mark(start + shift, end + shift, role, href) for start, end, role, href in run.marks
        )
        self.runs[term:] = [above._replace(text=f"{above.text}, {run.text}", marks=marks)]
        return term

    def _use_title(self, label: int) -> None:
        """Make an admonition's title the lead of its blocks; drop one that only names its kind."""
        if label == len(self.runs) - 1 and is_default_title(
            self.runs[label].text, self.admonition_classes
        ):
            self.runs.pop()
            return
        state = self.open_blocks[-1] if self.open_blocks else False
        if isinstance(state, tuple) and state[1] == "admonition":
            self.lead = self.inner = self.label = label

    def open_tab_title(self, _tag: str, _attributes: str) -> None:
        """Open the title of a tab."""
        self.flush()

    def close_tab_title(self, _tag: str) -> None:
        """Close the title of a tab, which is added in front of the contents of the tab."""
        text, marks = self.take()
        if self.tabs is not None:
            self.tabs.titles.append(MarkedText(text, marks))

    def _enter_tab(self, part: Part) -> None:
        """Enter the contents of a tab, or in the alternate style, those of all tabs."""
        tabs = self.tabs
        if tabs is None:
            return
        self.previous = tabs.previous
        if tabs.alternate and part == "tab_contents":
            return
        self.tabs = None
        title = tabs.titles.popleft() if tabs.titles else None
        if title is not None and title.text and self.kind not in MUTE:
            lead = self.lead_of_block()
            self.lead = self.inner = self.label = self.add_run(
                title.text, "tab", title.marks, lead=lead
            )
            self.previous, self.has_text = None, True

    def open_code_title(self) -> None:
        """Open the title of a code block, which goes on up to the next block."""
        self.take()
        self.is_titled = True

    def _is_code_title(self, number: int | None) -> bool:
        """Tell whether the run right before the next block is the title of a code block."""
        return number is not None and self.runs[number].kind == "label"

    def open_heading(self, tag: str, attributes: str) -> None:
        """Open a heading."""
        if self.kind in MUTE:
            return
        self.flush()
        self.heading_level = HEADING_TAGS[tag]
        self.heading_anchor = id_of(attributes)

    def close_heading(self, _tag: str) -> None:
        """Close a heading, which starts a section."""
        if self.kind in MUTE:
            return
        text, marks = self.take()
        markup = _UNRENDERED.search(text)
        if markup and not any(m.start <= markup.start() < m.end for m in marks if m.role == "code"):
            text = ""
        heading = Heading(heading_text(text), self.heading_level, self.heading_anchor)
        self.headings.append(heading)
        self.path = (*[h for h in self.path if h.level < heading.level], heading)
        self._update_section()

    def _update_section(self) -> None:
        """Set the section of the runs that follow; footnotes belong to none."""
        if not self.footnotes:
            self.section = len(self.headings), self.path

    def flush(self) -> None:
        """End the current run, and add it unless it is empty."""
        if not self.parts:
            return
        text, marks = self.take_text()
        kind = self.kind
        if kind is None:
            is_titled, self.is_titled = self.is_titled, False
            if is_titled and not is_default_title(text, self.code_classes.replace("-", " ")):
                self.previous = self.add_run(text, "label", marks, lead=self.lead_of_block())
            return
        if text.startswith("[!") and (alert := _ALERT.match(text)):
            text, marks = _from(text, marks, alert.end())
            if self.quotes:
                kind = self.kind = "admonition"  # until the quote closes
        if not text:
            return
        if kind != "label" and not (self.in_top and self.top_holds_text):
            self.top += 1
            self.top_holds_text = True
        lead = self.label if self.lead is None else self.lead
        if lead is None:  # `add_run` inlined for the most frequent case
            self.previous = len(self.runs)
            self.runs.append(Run(text, kind, max(self.top, 0), *self.section, marks))
        else:
            self.previous = self.add_run(text, kind, marks, lead=lead)
        if not self.has_text:
            self.inner, self.has_text = self.previous, True

    def lead_of_block(self) -> int | None:
        """Return the lead of a table or code block at this position."""
        lead = self.above_paragraph if self.previous is None else self.previous
        lead = self.inner if lead is None else lead
        return self.label if lead is None else lead

    def add_run(
        self,
        text: str,
        kind: Kind,
        marks: tuple[Mark, ...] = (),
        *,
        lead: int | None = None,
        read: Callable[[], MarkedText] | None = None,
    ) -> int:
        """Add a run, and return its number; of leads from another section, only a label counts."""
        if lead is not None and self.runs[lead].section != self.section[0]:
            lead = self.label
        self.runs.append(Run(text, kind, max(0, self.top), *self.section, marks, lead, read))
        return len(self.runs) - 1


def _from(text: str, marks: tuple[Mark, ...], start: int) -> tuple[str, tuple[Mark, ...]]:
    """Return a marked text without the characters before `start`."""
    return text[start:], tuple(
        mark._replace(start=max(0, mark.start - start), end=mark.end - start)
        for mark in marks
        if mark.end > start
    )
