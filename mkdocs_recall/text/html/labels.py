"""The labels of a page's blocks: titles of tabs and admonitions, and captions of figures.

A label is in front of the blocks that it is about, wherever the HTML has it: the titles of tabs may
come before all of the tabs, a caption may come after its figure.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs_recall.text.html.runs import MarkedText, Run

_FIGURES = 4
"""In more figures than this, one in the other, the captions of the inner ones stay where they are:
each caption that moves takes time for all of its figure."""
_DEFAULT_TITLES = frozenset(
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
"""The titles of admonitions to which their author gave none, folded."""


class TabSet:
    """A set of tabs while it is read: its titles so far, without those of the tabs that are read.

    Attributes:
        previous: The run right before the set.
        alternate: Whether all titles come first; else each is in front of its tab.
        titles: The titles of the tabs that follow.
    """

    def __init__(self, previous: int | None, alternate: bool) -> None:  # noqa: FBT001
        """Start without titles."""
        self.previous = previous
        self.alternate = alternate
        self.titles: deque[MarkedText] = deque()


class Figure:
    """A figure while it is read: where its runs start, and which of them is its caption."""

    def __init__(self, start: int) -> None:
        """Open a figure before the run with this number."""
        self._start = start
        self._caption: range | None = None
        self._is_open = False

    def open_caption(self, number: int) -> None:
        """Open a caption before the run with this number; only the first one counts."""
        self._is_open = self._caption is None
        if self._is_open:
            self._caption = range(number, number)

    def close_caption(self, number: int) -> None:
        """Close the caption before the run with this number."""
        if self._is_open and self._caption is not None:
            self._caption = range(self._caption.start, number)
        self._is_open = False

    def lead_with_caption(self, runs: list[Run], *, depth: int) -> None:
        """Make the caption the label of the other runs of the figure, and put it in front of them.

        A caption of several paragraphs, and that of a figure without text, stays text.
        """
        start, caption = self._start, self._caption
        if caption is None or len(caption) != 1 or depth >= _FIGURES or len(runs) < start + 2:
            return
        (number,) = caption
        title = runs.pop(number)
        contents = runs[start:]
        first = contents[0]

        def lead(run: Run) -> int:
            if run.lead is None or run.lead < start or run.lead == number:
                return start
            return run.lead + (run.lead < number)

        outer = first.lead if first.lead is None or first.lead < start else None
        runs[start:] = [
            first._replace(text=title.text, marks=title.marks, kind="label", lead=outer, read=None),
            *(run._replace(lead=lead(run)) for run in contents),
        ]


def is_default_title(title: str, classes: str) -> bool:
    """Tell whether an admonition's title is only the name of its kind, in any language."""
    name = title.strip(" :!.：！").casefold()
    return (
        not name
        or name.replace(" ", "\u00a0") in _DEFAULT_TITLES
        or name in classes.casefold().split()
    )
