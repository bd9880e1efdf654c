"""What speaks against an answer, in the language of the author who reads it in a preview.

Results, logs and JSON have these texts in English, and the cache stores them so.
"""

from __future__ import annotations

import re
from typing import Final

from mkdocs_recall.text.language import get_language

_TEXTS: Final = {
    "en": """\
the quote answers with a probability of {} only; next comes '{}' with {}
'{}', which the query names, is not in the quote
'{}', the rarest word of the query, is not in the quote
the query names '{}', and what is beside it is quoted
no sentence answers the query
no sentence answers the query, which holds only stop words
no sentence answers the query: {} is nowhere in the source
no sentence answers the query well enough (the best scores {}, 'min_score' is {})""",
    "de": """\
das Zitat antwortet nur mit einer Wahrscheinlichkeit von {}; als Nächstes kommt „{}“ mit {}
„{}“, das die Frage nennt, steht nicht im Zitat
„{}“, das seltenste Wort der Frage, steht nicht im Zitat
die Frage nennt „{}“, zitiert wird aber, was daneben steht
kein Satz beantwortet die Frage
kein Satz beantwortet die Frage, die nur aus Stoppwörtern besteht
kein Satz beantwortet die Frage: {} kommt in der Quelle nicht vor
kein Satz beantwortet die Frage gut genug (der beste erreicht {}, „min_score“ ist {})""",
    "es": """\
la cita responde con una probabilidad de solo {}; le sigue «{}» con {}
«{}», que la consulta nombra, no está en la cita
«{}», la palabra más rara de la consulta, no está en la cita
la consulta nombra «{}», pero se cita lo que está al lado
ninguna frase responde a la consulta
ninguna frase responde a la consulta, que solo contiene palabras vacías
ninguna frase responde a la consulta: {} no aparece en la fuente
ninguna frase responde lo bastante bien a la consulta (la mejor obtiene {}, «min_score» es {})""",
    "fr": """\
la citation ne répond qu’avec une probabilité de {} ; vient ensuite « {} » avec {}
« {} », que la question nomme, n’est pas dans la citation
« {} », le mot le plus rare de la question, n’est pas dans la citation
la question nomme « {} », mais c’est un élément voisin qui est cité
aucune phrase ne répond à la question
aucune phrase ne répond à la question, qui ne contient que des mots vides
aucune phrase ne répond à la question : {} ne figure pas dans la source
aucune phrase ne répond assez bien à la question (la meilleure obtient {}, « min_score » est {})""",
    "it": """\
la citazione risponde con una probabilità di solo {}; segue «{}» con {}
«{}», che la domanda nomina, non è nella citazione
«{}», la parola più rara della domanda, non è nella citazione
la domanda nomina «{}», ma è citato ciò che gli sta accanto
nessuna frase risponde alla domanda
nessuna frase risponde alla domanda, che contiene solo parole vuote
nessuna frase risponde alla domanda: {} non compare nella fonte
nessuna frase risponde abbastanza bene alla domanda (la migliore ottiene {}, «min_score» è {})""",
    "ja": """\
引用が答えである確率は{}にとどまり、次点は「{}」の{}です
質問にある名前「{}」が引用にありません
質問で最もまれな語「{}」が引用にありません
質問は「{}」を挙げていますが、その隣の項目が引用されています
質問に答える文がありません
質問に答える文がありません。質問にはストップワードしかありません
質問に答える文がありません。{}は引用元のどこにもありません
質問に十分に答える文がありません。最良のスコアは{}、「min_score」は{}です""",
    "nl": """\
het citaat antwoordt met een kans van maar {}; daarna komt “{}” met {}
“{}”, dat de vraag noemt, staat niet in het citaat
“{}”, het zeldzaamste woord van de vraag, staat niet in het citaat
de vraag noemt “{}”, maar geciteerd is wat ernaast staat
geen zin beantwoordt de vraag
geen zin beantwoordt de vraag, die alleen stopwoorden bevat
geen zin beantwoordt de vraag: {} komt niet voor in de bron
geen zin beantwoordt de vraag goed genoeg (de beste scoort {}, “min_score” is {})""",
    "pt": """\
a citação responde com uma probabilidade de apenas {}; a seguir vem “{}” com {}
“{}”, que a consulta nomeia, não está na citação
“{}”, a palavra mais rara da consulta, não está na citação
a consulta nomeia “{}”, mas é citado o que está ao lado
nenhuma frase responde à consulta
nenhuma frase responde à consulta, que só contém palavras vazias
nenhuma frase responde à consulta: {} não aparece na fonte
nenhuma frase responde bem o suficiente à consulta (a melhor obtém {}, “min_score” é {})""",
    "ru": """\
цитата отвечает с вероятностью всего {}; следующее место — «{}» с {}
«{}», названного в запросе, нет в цитате
«{}», самого редкого слова запроса, нет в цитате
в запросе назван пункт «{}», а процитирован соседний
ни одно предложение не отвечает на запрос
ни одно предложение не отвечает на запрос: в нём только стоп-слова
ни одно предложение не отвечает на запрос: {} нет в источнике
ни одно предложение не отвечает достаточно хорошо (лучшее набирает {}, «min_score» — {})""",
    "zh": """\
引文作答的概率仅为 {}，其次是“{}”，概率为 {}
引文中没有问题提到的“{}”
引文中没有问题里最少见的词“{}”
问题提到的是“{}”，引用的却是它旁边的内容
没有句子能回答该问题
没有句子能回答该问题，其中只有停用词
没有句子能回答该问题：来源中没有 {}
没有句子能充分回答该问题：最高得分为 {}，而“min_score”为 {}""",
}


def translated(doubt: str, language: str) -> str:
    """Return a doubt, or the reason for no answer, in a language; empty without a translation."""
    texts = _TEXTS.get(get_language(language).code, "").splitlines()
    for english, text in zip(_TEXTS["en"].splitlines(), texts, strict=False):
        pattern = "(.+)".join(map(re.escape, english.split("{}")))
        if found := re.fullmatch(pattern, doubt, re.DOTALL):
            return text.format(*found.groups())
    return ""
