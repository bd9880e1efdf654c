"""Where the text of a page stands: in which section and block, in what form, and what leads in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from mkdocs_recall.text.html.runs import Run, RunBuilder, heading_text
from mkdocs_recall.text.html.tags import HEADING_TAGS, PARTS, class_of, id_of, is_wrapper, part_of
from mkdocs_recall.text.model import Heading, Mark

if TYPE_CHECKING:
    from collections.abc import Callable

    from mkdocs_recall.text.html.tables import Row
    from mkdocs_recall.text.html.tags import Part
    from mkdocs_recall.text.model import Kind

_Around: TypeAlias = (
    "tuple[bool, Part, Kind | None, int | None, int | None, int | None, int | None, bool]"
)
"""Whether a block is a top-level block of the page, what it is, and what holds again after it."""
_UNRENDERED = re.compile(r"```|\{\{|\{%")
_ALERT = re.compile(r"\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\] ?")
"""What GitHub makes the title of an alert, and Python-Markdown leaves in the quote."""
MUTE = frozenset({None, "label"})
"""Kinds of text in which no heading, table or code block counts."""
_UNCOUNTED = frozenset({"title", "term", "quiet"})
_JOINED = 200
"""Characters of a label to which the next one is added, where several stand over one text."""


class BlockBuilder(RunBuilder):
    """The run of text being gathered, and where in the page's tree it stands.

    Texts are known by their number among the runs. `lead` leads in to the texts that follow,
    `before` stands right before what follows, and `inner` leads in to lists, tables and code that
    have no text right before them.
    """

    def __init__(self) -> None:
        """Start at the top of a page."""
        super().__init__()
        self.runs: list[Run] = []
        self.headings: list[Heading] = []
        self.path: tuple[Heading, ...] = ()
        self.heading_level, self.heading_anchor = 0, ""
        self.open_blocks: list[_Around | bool] = []
        self.top = -1
        self.in_top = False
        self.top_holds_text = False  # a top-level block without any text is not counted
        self.kind: Kind | None = "prose"  # None where no text counts
        self.lead: int | None = None
        self.before: int | None = None
        self.inner: int | None = None
        self.is_named = True  # False in a list item before its first text
        self.term: int | None = None  # the label of the definitions that follow
        self.tab: int | None = None  # what stands before each of some tabs
        self.box = ""  # the classes of the admonition opened last
        self.quotes = 0  # how many block quotes are open
        self.apart = 0  # how many boxes of footnotes are open
        self.place: tuple[int, tuple[Heading, ...]] = (0, ())  # the section, and its headings

    def open_block(self, tag: str, attributes: str) -> None:
        """Open a block: the text before it ends."""
        if self.parts:
            self.flush()
        if tag == "p":
            self.before = None
        part = PARTS.get(tag, "")
        if 'class="' in attributes:
            part = part_of(class_of(attributes)) or part
        is_top = not (self.in_top or part in _UNCOUNTED or is_wrapper(tag, attributes))
        if is_top:
            self.in_top, self.top_holds_text = True, False
        if not part:
            self.open_blocks.append(is_top)
            return
        self.open_blocks.append(
            (is_top, part, self.kind, self.lead, self.inner, self.term, self.tab, self.is_named)
        )
        self._enter(part, attributes)

    def _enter(self, part: Part, attributes: str) -> None:  # noqa: C901, PLR0912 - a case for each
        kind, before, self.before = self.kind, self.before, None
        if part == "item":
            self.is_named = False
            if kind == "prose":
                self.kind = "list"
        elif part == "list":
            self.lead = self.inner = self.inner if before is None else before
            self.is_named = True
        elif part == "definition":
            self.lead = self.inner = self.term
            self.is_named = True
            if kind in {"prose", "list"}:
                self.kind = "definition"
        elif part in {"term", "title"}:
            self.kind, self.lead = kind and "label", None
        elif part == "terms":
            self.term = None
        elif part == "box":
            self.kind = kind and "admonition"
            self.lead = self.inner = None
            self.is_named, self.box = True, class_of(attributes)
        elif part == "quote":
            self.quotes += 1
        elif part == "apart":
            self.lead = self.inner = None
            self.apart += 1
            self.place = 0, ()
        elif part == "tabs":
            self.tab = before
        elif part == "tab":
            self.before = self.tab
        else:
            self.kind, self.before = None, before

    def close_block(self, _tag: str) -> None:
        """Close a block: what held around it holds again."""
        if self.parts:
            self.flush()
        if not self.open_blocks:
            return
        around = self.open_blocks.pop()
        if isinstance(around, tuple):
            label = self.before if self.kind == "label" else None
            counted, part, self.kind, self.lead, self.inner, term, self.tab, self.is_named = around
            if part != "quiet":
                self.before = None
            if part == "quote":
                self.quotes -= 1
            elif part == "apart":
                self.apart -= 1
                self._note_place()
            if part == "term":
                self.term = self._joined(term, label)
            else:
                self.term = term
                if part == "title" and label is not None:
                    self._entitle(label)
        else:
            counted = around
        if counted:
            self.in_top = False

    def _joined(self, term: int | None, label: int | None) -> int | None:
        """Return the label of a definition: the last, joined to the one it follows."""
        if label is None or term is None or label != term + 1:
            return term if label is None else label
        above, run = self.runs[term], self.runs[label]
        shift = len(above.text) + 2
        if shift > _JOINED:
            return label
        marks = above.marks + tuple(
            Mark(start + shift, end + shift, role, href) for start, end, role, href in run.marks
        )
        self.runs[term:] = [above._replace(text=f"{above.text}, {run.text}", marks=marks)]
        return term

    def _entitle(self, label: int) -> None:
        """Let the title of a box lead in to what is in it, unless it only names the kind of box."""
        if label == len(self.runs) - 1 and is_default_title(self.runs[label].text, self.box):
            self.runs.pop()
            return
        around = self.open_blocks[-1] if self.open_blocks else False
        if isinstance(around, tuple) and around[1] == "box":
            self.lead = self.inner = label

    def open_heading(self, tag: str, attributes: str) -> None:
        """Open a heading."""
        if self.kind in MUTE:
            return
        self.flush()
        self.heading_level = HEADING_TAGS[tag]
        self.heading_anchor = id_of(attributes)

    def close_heading(self, _tag: str) -> None:
        """Close a heading: a section begins."""
        if self.kind in MUTE:
            return
        text, marks = self.take()
        bare = _UNRENDERED.search(text)
        if bare and not any(m.start <= bare.start() < m.end for m in marks if m.role == "code"):
            text = ""
        heading = Heading(heading_text(text), self.heading_level, self.heading_anchor)
        self.headings.append(heading)
        self.path = (*[h for h in self.path if h.level < heading.level], heading)
        self._note_place()

    def _note_place(self) -> None:
        """Note the section and the headings of what follows; footnotes are of none."""
        if not self.apart:
            self.place = len(self.headings), self.path

    def flush(self) -> None:
        """End the run of text, unless it is blank."""
        if not self.parts:
            return
        text, marks = self.take()
        kind = self.kind
        if kind is None:
            return
        if text.startswith("[!") and (alert := _ALERT.match(text)):
            cut = alert.end()
            text = text[cut:]
            marks = tuple(
                Mark(max(0, start - cut), end - cut, role, href)
                for start, end, role, href in marks
                if end > cut
            )
            if self.quotes:
                kind = self.kind = "admonition"  # until the quote is closed
        if not text:
            return
        if kind != "label" and not (self.in_top and self.top_holds_text):
            self.top += 1
            self.top_holds_text = True
        lead = self.lead
        if lead is None:  # as it is for most: do without another call
            self.before = len(self.runs)
            self.runs.append(Run(text, kind, max(self.top, 0), *self.place, marks))
        else:
            self.before = self.add_run(text, kind, marks, lead=lead)
        if not self.is_named:
            self.inner, self.is_named = self.before, True

    def lead_of_block(self) -> int | None:
        """Return what leads in to a table or a code block that stands here."""
        return self.inner if self.before is None else self.before

    def add_run(
        self,
        text: str,
        kind: Kind,
        marks: tuple[Mark, ...] = (),
        *,
        lead: int | None = None,
        read: Callable[[], Row] | None = None,
    ) -> int:
        """Add a run, and return its number. Nothing leads in over a heading."""
        if lead is not None and self.runs[lead].section != self.place[0]:
            lead = None
        self.runs.append(Run(text, kind, max(0, self.top), *self.place, marks, lead, read))
        return len(self.runs) - 1


_NAMES = frozenset(
    (
        "note abstract summary tldr info todo tip hint success check question help faq warning "
        "attention failure danger error bug example quote caution important details "
        "hinweis anmerkung tipp warnung achtung gefahr wichtig beispiel zusammenfassung frage "
        "nota consejo sugerencia advertencia aviso atención cuidado peligro importante ejemplo "
        "remarque astuce conseil avertissement exemple résumé suggerimento avviso avvertenza "
        "attenzione pericolo esempio riassunto atenção dica perigo exemplo opmerking let\u00a0op "
        "waarschuwing gevaar belangrijk voorbeeld примечание заметка совет внимание "
        "предупреждение важно опасно пример obs anmärkning tips varning viktigt exempel bemærk "
        "advarsel vigtigt eksempel merk viktig huomautus huomio vinkki varoitus tärkeää esimerkki "
        "megjegyzés tipp figyelmeztetés figyelem fontos példa notă sfat avertisment atenție "
        "exemplu not ipucu uyarı dikkat önemli örnek uwaga wskazówka ostrzeżenie ważne przykład "
        "poznámka varování ملاحظة تلميح تحذير هام مثال "
        "नोट ध्यान\u00a0दें सुझाव चेतावनी उदाहरण "
        "注 注意 注記 補足 備考 メモ ヒント 警告 危険 重要 例 "
        "提示 备注 说明 注释 技巧 信息 危险 示例 "
        "備註 說明 資訊 危險 範例 참고 노트 팁 주의 경고 위험 중요 예 예시 예제"
    )
    .casefold()
    .split(" ")
)
"""What boxes are called where their author gave them no title of their own, folded."""


def is_default_title(title: str, classes: str) -> bool:
    """Tell whether a box's title is only the name of its kind, in any language.

    Args:
        title: The title.
        classes: The classes of the box: Python-Markdown makes of the first a title.
    """
    name = title.strip(" :!.：！").casefold()
    return not name or name.replace(" ", "\u00a0") in _NAMES or name in classes.casefold().split()
