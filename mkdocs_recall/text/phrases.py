"""Cue phrases by language: a sentence about its page, a pointer elsewhere, a dangling opening.

Matching ignores case. Pointers match at the start of a word, the others at the start of a sentence.
Japanese and Chinese do not separate words, and Korean attaches particles to them: in these, letters
may follow a phrase directly and, in the first two, precede a pointer. A language without lists has
no cue phrases. The lists are ours; the idea of cue phrases is Edmundson's (1969).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from mkdocs_recall.text.language import get_language


class Phrases(NamedTuple):
    """The cue phrases of one language; nothing matches where there are none."""

    self_reference: re.Pattern[str] | None = None
    pointers: tuple[str, ...] = ()
    dangling: re.Pattern[str] | None = None
    function_words: frozenset[str] = frozenset()

    def speaks_of_page(self, sentence: str) -> bool:
        """Tell whether a sentence is about its page: "This guide shows …"."""
        return self.self_reference is not None and self.self_reference.match(sentence) is not None

    def points_elsewhere(self, sentence: str) -> bool:
        """Tell whether a sentence sends the reader elsewhere: "For more information, see …"."""
        folded = f" {sentence.lower()}"
        return any(map(folded.__contains__, self.pointers))

    def leans(self, sentence: str) -> bool:
        """Tell whether a sentence is unclear without the one before it: "It …", "However, …".

        So is a fragment that opens with a function word in lower case: "for building …". "It is
        possible to …", "There are three ways …" and "This guide …" are clear.
        """
        if sentence[:1].islower() and sentence.split(maxsplit=1)[0] in self.function_words:
            return True
        return (
            self.dangling is not None
            and not sentence[1:2].isupper()  # "IT departments"
            and self.dangling.match(sentence.lower()) is not None
            and not self.speaks_of_page(sentence)
        )


class _PhraseLists(NamedTuple):
    """The phrases of a language: regular expressions, except for the pointers."""

    this: str
    """The words before the name where a page refers to itself, with the space between."""
    pages: str
    """The names by which a page refers to itself; endings may follow."""
    pointers: str
    """The phrases that send the reader elsewhere."""
    dangling: str
    """The openings that make a sentence unclear without the one before; see `end`."""
    standalone: str = ""
    """The openings that only look dangling."""
    end: str = r"(?=[\s,;:'’،—–(]|$)"
    """The text after a dangling phrase; no hyphen and no stop: "So-called", "Next.js"."""
    before: str = " "
    """The text before a pointer."""


_LISTS: Final = {
    "en": _PhraseLists(
        this="(?:(?:in|on|with|for|to follow|throughout|after|by the end of|"
        r"at the end of) )?(?:this|the following) (?:[\w-]+ ){0,3}",
        pages="page|guide|document|section|article|tutorial|chapter|topic|reference|manual|"
        "overview|how-to|quickstart|release|module|package|post|blog|walkthrough|introduction|"
        "lesson|course|recipe|cookbook|glossary|faq|checklist|video",
        pointers="see |see:|refer to |for more |for details|for further|for an example|"
        "read more|learn more|check out|the following|as follows|below|above|note that|"
        "make sure|click |if you |notice that|keep in mind|here is |here are |here's |here’s |"
        "please |the previous |let's |let’s ",
        dangling="this|that|these|those|it|its|they|their|theirs|them|he|she|his|her|however|"
        "but|and|or|so|also|then|therefore|thus|hence|otherwise|instead|additionally|moreover|"
        "furthermore|besides|as a result|as such|for example|for instance|in addition(?! to)|"
        "such|here|there|consequently|accordingly|similarly|likewise|nevertheless|nonetheless|"
        "alternatively|finally|lastly|afterwards?|meanwhile|conversely|by contrast|in contrast|"
        "on the other hand|in other words|in turn|rather|next|yet|both|another|again|still|"
        r"either way|if so|if not|to \w+ (?:this|these|so|it|them)|to (?:do|achieve) that|"
        "doing so|for (?:this|that) reason|the (?:former|latter|same)|which means|(?:all|each|"
        "some|most|many|any|none|one|both|either|neither) of (?:these|those|them|this)|(?:if|"
        "when|once|while|although|though|since|because|after|before|unless|until|with|without|"
        "for|from|in|by|on|to|of|as|at|like|during|despite|due to|because of|instead of|"
        "in addition to) (?:this|that|these|those|it|they|them|their|its|such|doing so)",
        standalone="it(?:['’]s| is| was| can be| may be| might be|"
        r" could be)(?: [\w-]+)? (?:recommended|possible|impossible|important|necessary|"
        "essential|crucial|critical|vital|best|better|good|common|useful|helpful|worth|"
        "advisable|advised|easy|hard|difficult|required|assumed|expected|safe|reasonable|fine|"
        "customary|desirable|convenient|time|no secret|good idea|good practice|"
        r"best practice) (?:to|that|if|when|whether|for \S+ to)\b|there(?:['’](?:s|re)| is| are|"
        " was| were| may| might| can| could| will| has| have| exists?)(?! (?:also|another|"
        r"other)\b)\b|here(?:['’](?:s|re)| is| are)\b|both \S+(?: \S+){0,3} (?:and|or) |"
        r"those (?:who|of (?:you|us)|with|wishing|looking|new|interested|familiar)\b|"
        r"when it comes\b|(?:this|these) (?:year|month|week|quarter|summer|spring|autumn|fall|"
        r"winter|morning|past|last|days|site|website|project|repository|repo|book)\b|next to\b|"
        r"for this (?:year|month|week|project|site|repository)\b",
    ),
    "de": _PhraseLists(
        this=r"(?:(?:in|auf|mit) )?diese[rsmn]? (?:[\w-]+ ){0,2}",
        pages="seite|anleitung|dokument|abschnitt|artikel|tutorial|kapitel|leitfaden|handbuch|"
        "beitrag",
        pointers="siehe |weitere informationen|mehr dazu|im folgenden|wie folgt|beachte",
        dangling="dies|diese|dieser|dieses|diesem|diesen|es|er|jedoch|aber|und|oder|auch|dann|"
        "daher|deshalb|deswegen|somit|folglich|außerdem|zudem|ferner|zum beispiel|"
        "beispielsweise|dazu|dabei|damit|dadurch|dafür|dagegen|danach|davon|dort|allerdings|"
        "stattdessen|ansonsten|sonst|andernfalls|trotzdem|dennoch|in diesem fall|"
        "in diesen fällen|ebenso|schließlich|solche|beide|letztere|(?:nach|mit|bei|in|aus|von|"
        "für|durch|ohne) diese[rsmn]?",
        standalone="es (?:gibt|existier|empfiehlt sich|lohnt sich)|es (?:ist|wird|wäre|"
        r"kann)(?: \w+)? (?:möglich|wichtig|empfohlen|ratsam|notwendig|nötig|erforderlich|"
        r"sinnvoll|üblich|nützlich)|auch wenn\b|damit (?:sie|du|man|wir|ein|der|die|das)\b|"
        "diese[ns]? (?:woche|monat|jahr)",
    ),
    "es": _PhraseLists(
        this="(?:en )?est[ea] ",
        pages="página|guía|documento|documentación|sección|artículo|tutorial|capítulo|manual",
        pointers="véase|consulte |consulta |para más|más información|a continuación|"
        "tenga en cuenta",
        dangling="esto|este|esta|estos|estas|eso|ese|esa|esos|esas|ello|ellos|ellas|sin embargo|"
        "pero|y|o|también|entonces|por lo tanto|por tanto|por eso|además|por ejemplo|así|"
        "en este caso|en ese caso|de lo contrario|en su lugar|luego|después|finalmente|asimismo|"
        "no obstante|de esta forma|de esta manera",
        standalone="esta (?:vez|semana)|este (?:año|mes)|así como",
    ),
    "fr": _PhraseLists(
        this="(?:dans )?ce(?:t|tte)? ",
        pages="page|guide|document|section|article|tutoriel|chapitre|manuel",
        pointers="voir |voyez |consultez |pour plus|pour en savoir plus|ci-dessous|notez que",
        dangling="ceci|cela|ça|ce|c|cet|cette|ces|celui-ci|celle-ci|ceux-ci|celles-ci|il|elle|"
        "ils|elles|cependant|mais|et|ou|aussi|alors|donc|par exemple|de plus|en outre|ainsi|"
        "dans ce cas|toutefois|par conséquent|sinon|ensuite|enfin|puis|néanmoins|de même|"
        "pour cela|à la place",
        standalone="il (?:existe|y a|faut|suffit|convient)|il (?:est|sera|peut être|"
        r"s['’]agit)(?: \w+)? (?:possible|recommandé|important|nécessaire|conseillé|préférable|"
        "essentiel|utile|facile)|c['’]est-à|cette (?:année|semaine)|ainsi que",
    ),
    "it": _PhraseLists(
        this="(?:in )?quest(?:[oa] |['’] ?)",
        pages="pagina|guida|documento|documentazione|sezione|articolo|tutorial|capitolo|manuale",
        pointers="vedi |vedere |consulta|per maggiori|per ulteriori|di seguito|nota che",
        dangling="questo|questa|questi|queste|quest|quello|quella|ciò|esso|essa|essi|esse|"
        "tuttavia|ma|e|o|anche|allora|quindi|inoltre|per esempio|ad esempio|così|in questo caso|"
        "in tal caso|pertanto|perciò|altrimenti|invece|poi|infine|in questo modo",
        standalone="quest['’]anno|questa (?:settimana|volta)|anche se",
    ),
    "nl": _PhraseLists(
        this="(?:in |op )?(?:deze|dit) ",
        pages="pagina|gids|document|sectie|artikel|handleiding|hoofdstuk|tutorial",
        pointers="zie |raadpleeg|voor meer|meer informatie|hieronder|let op",
        dangling="dit|dat|deze|die|zij|ze|hij|het (?:is|kan|wordt|zal|heeft|moet|biedt|bevat|"
        "maakt)|echter|maar|en|of|ook|dan|daarom|daarna|daarnaast|dus|bovendien|bijvoorbeeld|"
        "hierdoor|hiermee|daardoor|in dit geval|in dat geval|anders|vervolgens|toch|ten slotte|"
        "zo",
        standalone=r"het is(?: \w+)? (?:mogelijk|belangrijk|aan te raden|aanbevolen|nodig|handig|"
        "raadzaam|verstandig)|(?:dit|deze) (?:jaar|week|maand)",
    ),
    "pt": _PhraseLists(
        this="(?:n?est[ea]|n?ess[ea]) ",
        pages="página|guia|documento|documentação|seção|secção|artigo|tutorial|capítulo|manual",
        pointers="veja |consulte |para mais|para obter mais|mais informações|a seguir|observe que",
        dangling="isto|isso|este|esta|estes|estas|esse|essa|esses|essas|neste|nesta|nesse|nessa|"
        "ele|ela|eles|elas|porém|mas|e|ou|também|então|portanto|além disso|por exemplo|assim|"
        "neste caso|nesse caso|no entanto|contudo|caso contrário|em vez disso|depois|por isso|"
        "dessa forma|desta forma",
        standalone="esta semana|este (?:ano|mês)|assim como",
    ),
    "sv": _PhraseLists(
        this="(?:i |på )?(?:denna|detta|den här|det här) ",
        pages="sid|guid|dokument|avsnitt|artik|handledning|kapit|manual",
        pointers="se |läs mer|för mer|mer information|nedan|observera|klicka ",
        dangling="detta|denna|dessa|den här|det här|de här|(?:det|den|de) (?:är|kan|har|ska|"
        "skall|används|innehåller|gör|fungerar|måste|blir|visar|ger|låter|stöder)|dock|men|och|"
        "eller|också|även|sedan|därefter|därför|alltså|dessutom|till exempel|därmed|annars|"
        "istället|i stället|i så fall|i detta fall|på så sätt|slutligen|således|trots detta",
        standalone=r"det (?:är|kan vara)(?: \w+)? (?:möjligt|viktigt|bra|nödvändigt|bäst|lätt|"
        "enkelt)|även om",
    ),
    "da": _PhraseLists(
        this="(?:i |på )?(?:denne|dette|den her|det her) ",
        pages="side|guide|vejledning|dokument|afsnit|artik|kapit|manual",
        pointers="se |læs mere|for mere|flere oplysninger|nedenfor|bemærk|klik ",
        dangling="dette|denne|disse|(?:det|den|de) (?:er|kan|har|skal|bruges|indeholder|gør|"
        "virker|må|bliver|viser|giver|lader|understøtter)|dog|men|og|eller|også|derefter|derfor|"
        "altså|desuden|for eksempel|dermed|ellers|i stedet|i så fald|i dette tilfælde|således|"
        "endelig",
        standalone=r"det (?:er|kan være)(?: \w+)? (?:muligt|vigtigt|godt|nødvendigt|bedst|let)|"
        "også selv om",
    ),
    "no": _PhraseLists(
        this="(?:i |på )?(?:denne|dette|den her|det her) ",
        pages="side|guide|veiledning|dokument|avsnitt|artik|kapit|håndbok",
        pointers="se |les mer|for mer|mer informasjon|nedenfor|merk at|klikk ",
        dangling="dette|denne|disse|(?:det|den|de) (?:er|kan|har|skal|brukes|inneholder|gjør|"
        "virker|må|blir|viser|gir|lar|støtter)|imidlertid|men|og|eller|også|deretter|derfor|"
        "altså|dessuten|for eksempel|dermed|ellers|i stedet|i så fall|i dette tilfellet|således|"
        "likevel|til slutt",
        standalone=r"det (?:er|kan være)(?: \w+)? (?:mulig|viktig|lurt|nødvendig|best|lett|enkelt)",
    ),
    "fi": _PhraseLists(
        this="(?:tämä|tässä|tällä) ",
        pages="siv|opa|opp|asiakirj|osio|artikkeli|luku|luvu|ohje|dokument",
        pointers="katso |lue lisää|lisätietoja|alla |huomaa",
        dangling="se|ne|sen|niiden|sitä|niitä|tämä|nämä|tuo|nuo|tämän|näiden|tällöin|silloin|"
        "siksi|kuitenkin|mutta|ja|tai|myös|sitten|lisäksi|esimerkiksi|muuten|muutoin|näin|siten|"
        "toisaalta|tässä tapauksessa|lopuksi|tällä tavalla",
    ),
    "ru": _PhraseLists(
        this="(?:в |на )?(?:эт(?:а|от|о|ом|ой)|данн(?:ая|ый|ом|ой)) ",
        pages="страниц|руководств|документ|раздел|стать|глав|учебник|пособи",
        pointers="см. |смотрите|подробнее|дополнительные сведения|дополнительную информацию|"
        "ниже|обратите внимание|нажмите",
        dangling="это|этот|эта|эти|этого|этой|этих|то|тот|та|те|он|она|оно|они|его|её|ее|их|"
        "однако|но|а|и|или|также|тогда|затем|потом|поэтому|таким образом|кроме того|например|"
        "иначе|вместо этого|в этом случае|в таком случае|в противном случае|при этом|для этого|"
        "после этого|тем не менее|следовательно|такой|такая|такие|такое|здесь|наконец|аналогично",
    ),
    "pl": _PhraseLists(
        this="(?:na |w )?(?:ta|ten|to|tej|tym|niniejsz[aye]|niniejszym) ",
        pages="stron|przewodnik|dokument|sekcj|artyku|rozdzia|samoucz|poradnik|podręcznik",
        pointers="zobacz|patrz |więcej informacji|aby dowiedzieć się|poniżej|należy pamiętać|"
        "zwróć uwagę|kliknij",
        dangling="to|ten|ta|te|ci|on|ona|ono|oni|jego|jej|ich|jest to|są to|jednak|jednakże|ale|"
        "lecz|i|oraz|lub|albo|także|również|wtedy|następnie|potem|dlatego|zatem|więc|ponadto|"
        "poza tym|na przykład|w przeciwnym razie|zamiast tego|w tym przypadku|w takim przypadku|"
        "dzięki temu|w ten sposób|taki|taka|takie|wreszcie|podobnie",
    ),
    "cs": _PhraseLists(
        this="(?:na |v )?(?:tato|tento|toto|této|tomto) ",
        pages="strán|průvodc|příruč|dokument|část|sekc|článe|článk|kapitol|návod|výukov",
        pointers="viz |podívejte|další informace|více informací|níže|všimněte|klikněte",
        dangling="to|ten|ta|tento|tato|toto|tyto|tito|ti|on|ona|ono|oni|jeho|její|jejich|"
        "jedná se|však|ale|a|nebo|také|pak|potom|poté|proto|tedy|tudíž|navíc|kromě toho|"
        "například|jinak|v opačném případě|místo toho|v tomto případě|v takovém případě|"
        "díky tomu|tímto způsobem|takový|taková|takové|nakonec|podobně",
    ),
    "tr": _PhraseLists(
        this="bu ",
        pages="sayfa|kılavuz|belge|bölüm|makale|öğretici|rehber|doküman",
        pointers="bkz|bakın|daha fazla bilgi|aşağıda|unutmayın|tıklayın",
        dangling="bu|şu|o|bunlar|şunlar|onlar|bunun|onun|bunu|onu|buna|ona|bununla|ancak|fakat|"
        "ama|ve|veya|ya da|ayrıca|sonra|daha sonra|ardından|bu nedenle|bu yüzden|böylece|"
        "dolayısıyla|örneğin|aksi takdirde|aksi halde|benzer şekilde|son olarak",
        standalone="bu (?:yıl|ay|hafta)",
    ),
    "ro": _PhraseLists(
        this="(?:în )?(?:această|acest) ",
        pages="pagin|ghid|document|secțiun|articol|tutorial|capitol|manual",
        pointers="vezi |vedeți |consultați|pentru mai multe|mai multe informații|mai jos|"
        "rețineți|faceți clic",
        dangling="acest|această|acesta|aceasta|acești|aceste|acestea|aceștia|el|ea|ei|ele|însă|"
        "dar|și|sau|de asemenea|atunci|apoi|prin urmare|astfel|în plus|de exemplu|altfel|"
        "în schimb|în acest caz|totuși|deci|în caz contrar|în cele din urmă|după aceea",
        standalone="acest an|această săptămână",
    ),
    "hu": _PhraseLists(
        this="(?:ez|ebben) az? ",
        pages="oldal|útmutató|dokumentum|dokumentáció|szakasz|cikk|fejezet|leírás|kézikönyv",
        pointers="lásd|további információ|bővebben|az alábbi|vegye figyelembe|kattints",
        dangling="ez|ezek|ezt|ezzel|ezért|ennek|erre|ehhez|ebben|ekkor|azonban|viszont|de|és|"
        "vagy|továbbá|emellett|ezenkívül|például|ezután|majd|így|ellenkező esetben|ehelyett|"
        "tehát|ilyenkor|hasonlóan|végül",
    ),
    "ar": _PhraseLists(
        this="(?:(?:في|يشرح|تشرح|يوضح|توضح|يصف|تصف|يقدم|تقدم) )?(?:هذا|هذه) ",
        pages="الصفحة|الدليل|المستند|الوثيقة|القسم|المقال|الفصل|الدرس",
        pointers="انظر|راجع|لمزيد من|للمزيد|فيما يلي|أدناه|لاحظ|انقر",
        dangling="هذا|هذه|ذلك|تلك|هؤلاء|هو|هي|هم|وهذا|وهذه|وهو|وهي|لكن|ولكن|لذلك|ولذلك|لذا|"
        "وبالتالي|ثم|أيضا|أيضًا|مثلا|مثلًا|على سبيل المثال|ومع ذلك|في هذه الحالة|"
        "بالإضافة إلى ذلك|وإلا|بدلا من ذلك|بدلاً من ذلك|إنه|إنها|أو",
    ),
    "hi": _PhraseLists(
        this="(?:यह|इस) ",
        pages="पृष्ठ|पेज|गाइड|मार्गदर्शिका|दस्तावेज|अनुभाग|लेख|ट्यूटोरियल|अध्याय|खंड",
        pointers="देखें|अधिक जानकारी|नीचे|ध्यान दें|क्लिक",
        dangling="यह|ये|वह|वे|इस|इसका|इसकी|इसके|इसे|इसमें|इससे|उस|उसका|उसकी|उसके|उसे|इन|इनमें|"
        "उन|लेकिन|परंतु|किंतु|और|या|फिर|तब|तो|इसलिए|अतः|उदाहरण के लिए|अन्यथा|हालाँकि|हालांकि|"
        "साथ ही",
    ),
    "ja": _PhraseLists(
        this="(?:この|本|当)",
        pages="ページ|ガイド|ドキュメント|文書|セクション|記事|チュートリアル|章|マニュアル|"
        "資料|リファレンス|書では",
        pointers="参照|詳しくは|詳細は|詳細について|以下|下記|上記|注意して|ご覧|クリック",
        dangling="これ|それ|この|その(?!他)|あの|こちら|しかし|ただし|また(?!た)|そして|さらに|"
        "したがって|従って|たとえば|例えば|次に|なお|一方|つまり|すると|そこ|このよう|だから|"
        "ですが|なので|もしくは|あるいは|同様に|最後に",
        end="",
        before="",
    ),
    "zh": _PhraseLists(
        this="(?:在)?(?:本|这个?|这篇|此|该|這個?|這篇|該)",
        pages="页|指南|文档|章|节|文(?!件)|教程|手册|頁|文檔|節|教學|手冊",
        pointers="参见|参阅|请参|更多信息|详情|如下|以下|下面|上述|请注意|点击|單擊|參見|參閱|"
        "請參|更多資訊|詳情|請注意|點擊",
        dangling="这|那(?!些年)|该|其(?!他|它|余|實|实)|它|他|她|此|但|然而|不过|而|并且|或者|"
        "也(?!许|門|门)|因此|所以|另外|例如|比如|否则|然后|接着|接下来|同样|于是|同时|換句話說|"
        "换句话说|這|該|不過|而且|並且|否則|然後|接著|同樣|於是|同時|最后|最後",
        end="",
        before="",
    ),
    "ko": _PhraseLists(
        this="(?:이|본) ?",
        pages="페이지|가이드|문서|섹션|글|튜토리얼|장에|장은|설명서|매뉴얼|안내서|절에|절은",
        pointers="참조|참고|자세한|아래|유의|클릭",
        dangling="이 |이는 |이것|이를 |이로 |이러한 |이런 |이와 |이렇게 |이때|이후|그 |그것|"
        "그러나|그러므로|그리고|그래서|그런|그러면|하지만|또한|또는|따라서|예를 들|즉|반면|대신|"
        "게다가|마찬가지로|마지막으로",
        end="",
    ),
}


@cache
def phrases(language: str) -> Phrases:
    """Return the phrase lists of a language code (`pt-BR` has those of `pt`)."""
    resolved = get_language(language)
    lists = _LISTS.get(resolved.code)
    if lists is None:
        return Phrases(function_words=resolved.stop_words)
    not_standalone = f"(?!{lists.standalone})" if lists.standalone else ""
    return Phrases(
        self_reference=re.compile(rf"(?:{lists.this})(?:{lists.pages})", re.IGNORECASE),
        pointers=tuple(f"{lists.before}{pointer}" for pointer in lists.pointers.split("|")),
        dangling=re.compile(rf"{not_standalone}(?:{lists.dangling}){lists.end}"),
        function_words=resolved.stop_words,
    )
