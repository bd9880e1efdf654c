"""Titles of admonitions: which say something, and which only name the kind of box."""

from __future__ import annotations

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
