"""Phrases by language that tell what a sentence is for; a language without lists has none.

All are matched case-folded: pointers at the start of a word, the others of the sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from mkdocs_recall.text.language import get_language


@dataclass(frozen=True, slots=True)
class Phrases:
    """The phrase lists of one language; nothing matches where there are none."""

    self_reference: re.Pattern[str] | None = None
    pointers: tuple[str, ...] = ()
    dangling: re.Pattern[str] | None = None

    def speaks_of_page(self, sentence: str) -> bool:
        """Tell whether a sentence speaks of its page: "This guide shows …"."""
        return self.self_reference is not None and self.self_reference.match(sentence) is not None

    def points_elsewhere(self, sentence: str) -> bool:
        """Tell whether a sentence sends the reader elsewhere: "For more information, see …"."""
        folded = f" {sentence.lower()}"
        return any(map(folded.__contains__, self.pointers))

    def leans(self, sentence: str) -> bool:
        """Tell whether a sentence leans on the one before it: "It …", "However, …"."""
        return (
            self.dangling is not None
            and self.dangling.match(sentence) is not None
            and not self.speaks_of_page(sentence)
        )


_PAGES = {
    "en": "page|guide|document|documentation|section|article|tutorial|chapter|topic|example|"
    "reference|manual|overview|how-to|quickstart|release|module|package",
    "de": "seite|anleitung|dokument|dokumentation|abschnitt|artikel|tutorial|kapitel|leitfaden",
    "es": "página|guía|documento|documentación|sección|artículo|tutorial|capítulo",
    "fr": "page|guide|document|documentation|section|article|tutoriel|chapitre",
    "it": "pagina|guida|documento|documentazione|sezione|articolo|tutorial|capitolo",
    "nl": "pagina|gids|document|documentatie|sectie|artikel|handleiding|hoofdstuk",
    "pt": "página|guia|documento|documentação|seção|secção|artigo|tutorial|capítulo",
}
_SELF = {
    "en": r"(?:in )?(?:this|the following) (?:[\w-]+ ){{0,2}}(?:{0})\b",
    "de": r"(?:in )?diese[rsmn]? (?:[\w-]+ ){{0,2}}(?:{0})\b",
    "es": r"(?:en )?est[ea] (?:{0})\b",
    "fr": r"(?:dans )?cet?te? (?:{0})\b",
    "it": r"(?:in )?quest[oa'] ?(?:{0})\b",
    "nl": r"(?:in )?(?:deze|dit) (?:{0})\b",
    "pt": r"(?:n?est[ea]|n?ess[ea]) (?:{0})\b",
}
_POINTERS = {
    "en": "see |see:|refer to |for more |for details|for further|for an example|read more|"
    "learn more|check out|the following|as follows|below|above|note that|make sure|click |if you ",
    "de": "siehe |weitere informationen|mehr dazu|im folgenden|wie folgt|beachte",
    "es": "véase|consulte |consulta |para más|más información|a continuación|tenga en cuenta",
    "fr": "voir |voyez |consultez |pour plus|pour en savoir plus|ci-dessous|notez que",
    "it": "vedi |vedere |consulta|per maggiori|per ulteriori|di seguito|nota che",
    "nl": "zie |raadpleeg|voor meer|meer informatie|hieronder|let op",
    "pt": "veja |consulte |para mais|para obter mais|mais informações|a seguir|observe que",
}
_DANGLING = {
    "en": "this|that|these|those|it|its|they|their|them|he|she|however|but|and|or|so|also|then|"
    "therefore|thus|hence|otherwise|instead|additionally|moreover|furthermore|as a result|"
    "for example|for instance|in addition|in this case|such|here|there|consequently|similarly|"
    "likewise|nevertheless|alternatively|finally|next|yet|both|another|again|still",
    "de": "dies|diese|dieser|dieses|es|sie|er|jedoch|aber|und|oder|auch|dann|daher|deshalb|somit|"
    "außerdem|zum beispiel|dazu|dabei|damit|dadurch|allerdings|stattdessen|sonst",
    "es": "esto|este|esta|estos|estas|ello|ellos|ellas|sin embargo|pero|y|o|también|entonces|"
    "por lo tanto|además|por ejemplo|así|en este caso",
    "fr": "ceci|cela|ce|cette|ces|il|elle|ils|elles|cependant|mais|et|ou|aussi|alors|donc|"
    "par exemple|de plus|ainsi|dans ce cas|toutefois",
    "it": "questo|questa|questi|queste|esso|essa|essi|esse|tuttavia|ma|e|o|anche|allora|quindi|"
    "inoltre|per esempio|ad esempio|così|in questo caso",
    "nl": "dit|dat|deze|die|het|zij|ze|hij|echter|maar|en|of|ook|dan|daarom|dus|bovendien|"
    "bijvoorbeeld|hierdoor|in dit geval",
    "pt": "isto|isso|este|esta|estes|estas|esse|essa|esses|essas|ele|ela|eles|elas|porém|mas|e|"
    "ou|também|então|portanto|além disso|por exemplo|assim|neste caso|no entanto",
}


@cache
def phrases(language: str) -> Phrases:
    """Return the phrase lists of a language code (`pt-BR` has those of `pt`)."""
    code = get_language(language).code
    if code not in _SELF:
        return Phrases()
    return Phrases(
        self_reference=re.compile(_SELF[code].format(_PAGES[code]), re.IGNORECASE),
        pointers=tuple(f" {pointer}" for pointer in _POINTERS[code].split("|")),
        dangling=re.compile(rf"(?:{_DANGLING[code]})\b", re.IGNORECASE),
    )
