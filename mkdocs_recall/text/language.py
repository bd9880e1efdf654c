"""What is particular to a language: stop words, stemmer, abbreviations, the words it elides.

Stemmers are Snowball's: in C where PyStemmer is installed, else the same algorithms in Python, some
sixty times as slow. From Snowball 3.1 on the two agree, so that a page has the same terms on every
machine. Stop lists are Snowball's own, with the words that ask a question where it keeps them;
some languages have a list of our own, the others have no stop words. Splitting text into words is
for `terms`.
"""

# ruff: noqa: SIM905 - a list of words reads best as a line of words

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module, resources
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_STEMMERS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque",
    "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "ne": "nepali", "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sr": "serbian", "st": "sesotho", "sv": "swedish",
    "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""Snowball's algorithm for a language."""

_STOP_LISTS = frozenset(
    "ar cs da de el en es fi fr he hi hu id it nl no pl pt ro ru sv tr uk".split()
)

_ASKING = {
    "da": "hvem hvilken hvilket hvilke hvordan hvorfor hvornår kan",
    "de": "wann warum wer wem wen wessen weshalb wieso wieviel wieviele wofür womit woran wozu",
    "es": "cuál cuáles cuándo cuánta cuántas cuánto cuántos cómo dónde puede quién quiénes",
    "fi": "kuinka milloin miten voi",
    "fr": "combien comment où peut pourquoi quand quoi",
    "hu": "hol hova honnan melyik mennyi mennyire meddig",
    "it": "cosa può quando",
    "nl": "hoeveel waar waarom wanneer welk welke",
    "pt": "é onde pode porque quanta quantas quanto quantos",
    "ru": "почему сколько это",
}
"""What asks or links in a question and is missing in Snowball's lists. A guide that "explains how"
is no answer to every "how"."""

_UNSTEMMED = frozenset(
    "am be bg bn bs gu he hr is ja ka kk km kn ko lo lv mk ml mr my or pa sk sl te th uk vi "
    "zh".split()
)
"""Languages that are served without a stemmer: by bigrams (ja, km, ko, lo, my, th, zh), else by
whole folded words; the rules for sentences fit them."""

_SAME = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "ji": "yi", "cmn": "zh", "yue": "zh"}
"""Other codes for languages above."""

_KEEP_INITIAL = frozenset({"en"})
"""Porter 2 changes only the end of a word. Others take prefixes off, or fold the first letter."""
_ELIDING = frozenset("ca fr it".split())
"""Languages in which a word cut short leans on the next: `l'option`, `dell'utente`."""

_TITLES = "Mr Mrs Ms Messrs Dr Prof St Mt Gen Sen Rep Gov Capt Col Lt Sgt Rev Hon"
_EVERYWHERE = "cf e.g i.e ibid vs viz resp approx incl excl fig figs eq eqs et seq"
_ABBREVIATIONS = {
    "en": "eg ie pron esp aka w.r.t",
    "de": "z.b bzw d.h u.a o.g s.o s.u vgl ca evtl ggf inkl exkl einschl ausschl sog mind max min "
    "abb kap abs nr i.d.r i.a z.t u.u m.e v.a bspw allg entspr insb gem lt zzgl n.chr v.chr z.zt "
    "Fr Hr Frl Dipl Ing Hrsg tel bzgl i.s.d s v mio mrd tsd",
    "fr": "c.-à-d p.ex p av ap env chap éd réf art cad MM Mme Mlle Mgr Me n.b",
    "es": "p.ej ej pág págs núm cap art aprox Sr Sra Srta Dra D.ª Ud Uds EE p.e vol ed",
    "pt": "p.ex ex pág págs núm cap art aprox Sr Sra Srta Dra Exmo Exa Av vol ed",
    "it": "p.es es pag pagg cap art ca sig Sig sigg sig.ra dott Dott ing avv prof cfr ecc.es vol "
    "nn c.d ad.es",
    "nl": "bijv bv d.w.z o.a m.b.t i.p.v i.v.m t.o.v t/m evt ca nl m.n dhr mevr zgn incl a.u.b "
    "m.u.v t.b.v",
    "sv": "t.ex bl.a d.v.s dvs s.k ev inkl exkl jfr ca kap resp fr.o.m t.o.m p.g.a f.d m.a.o",
    "da": "f.eks bl.a dvs d.v.s ca evt inkl ekskl jf pga p.g.a ifm kap nr mht vedr",
    "no": "f.eks bl.a dvs d.v.s ca evt inkl ekskl jf pga p.g.a ifm kap nr mht vedr",
    "fi": "esim ks vrt n mm ts eli ym.s mukl lyh huom sis",
    "pl": "np tj tzn tzw m.in in godz por zob str rozdz ok ul im dr hab prof mgr inż św al rys wg "
    "pt ww",
    "cs": "např tj tzn tzv resp popř příp viz srov kap obr č str cca max min mj dr prof ing",
    "sk": "napr tj tzn tzv resp popr príp porov kap obr č str cca max min",
    "ru": "т.е т.к т.н т.о напр см ср стр рис гл табл ул им англ рус лат г-н г р д гос проф акад "
    "п пп",
    "uk": "г р д т.зв т.б т.ч напр див пор стор рис гл табл вул ім англ укр лат проф акад тобто",
    "bg": "г р д т.е т.нар напр вж срв стр фиг гл табл ул англ проф",
    "be": "г г.зн напр гл стар мал табл",
    "tr": "örn bkz vb.ör yak sn dr prof doç yrd bk krş ör çev haz Av Uzm Öğr Gör",
    "el": "π.χ δηλ βλ πρβλ σελ κεφ λ.χ κ κα αρ εικ περ",
    "hu": "pl ún kb ill vö ld old ábra dr prof max min",
    "ro": "ex de.ex pag cap fig nr dl dna aprox cca art alin",
    "hi": "डॉ श्री प्रो",
    "ca": "p.ex pàg cap núm aprox Sr Sra",
    "id": "mis misal hlm a.n d.a u.p s.d tgl jl Bpk Drs Yth",
    "th": "ดร ศ รศ ผศ พ.ศ ค.ศ",
    "vi": "tr TS ThS GS PGS TP v.d vd",
}
"""Abbreviations after which a sentence goes on, without their last full stop and their blanks.
Written here as they stand inside a sentence: lower case also stands for a capitalised one."""

MAY_END = frozenset(
    "etc al inc ltd co corp llc plc jr sr bros a.m p.m usw usf u.ä o.ä u.dgl uvm enz e.d itd itp "
    "т.д т.п др пр atd apod m.m osv m.fl mfl o.l o.s.v s.a vb κ.λπ κλπ κ.ά κ.τ.λ κτλ jne yms ym "
    "stb dll dsb dst v.v dept ave blvd univ".split()
)
"""Abbreviations, of any language, that end a sentence when a capital follows."""

NUMBERED = frozenset(
    "no nos nr nro num núm n.º nº n° n p pp pg pag pág págs s str стр st vol ch chap cap kap art "
    "art sec sect § fig figs tab eq ver v rev ed app approx ca c circa max min ab abs abb bild рис "
    "табл гл с п ст रु kl blz № пункт par para ss sv sk bd ext tel jan feb mar apr jun jul aug sep "
    "sept oct nov dec".split()
)
"""Abbreviations, of any language, after which a sentence goes on when a number follows."""
STEPS = frozenset("step schritt étape paso passo stap шаг крок krok steg trin vaihe adım".split())
"""Words, of any language, that number the sentence they open: `Step 2. Restart.`"""

ORDINAL = frozenset("de da no fi et cs sk pl hu hr sl sr bs is lv lt tr lb".split())
"""Languages that write `3.` for "third"."""

DATED = frozenset({"hu", "ko"})
"""Languages that write a date as `2024. 6. 5.`"""

BEFORE_ORDINAL = frozenset(
    "der die das den dem des am im vom zum zur beim ein eine einen einem einer eines jede jeder "
    "jedes jeden jedem diese dieser dieses diesen diesem ab bis seit unser unsere".split()
)

AFTER_ORDINAL = frozenset(
    "januar jänner februar märz april mai juni juli august september oktober november dezember "
    "jahrhundert quartal auflage ausgabe ocak şubat mart nisan mayıs haziran temmuz ağustos eylül "
    "ekim kasım aralık bölüm madde yüzyıl".split()
)
"""What surrounds ordinals where nouns have capitals: `die 3. Version`, `1. Mai`, `3. Bölüm`."""


def fold(text: str) -> str:
    """Return `text` as terms are compared: compatibility-normalised (NFKC), without case."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold().replace("i̇", "i")
    return unicodedata.normalize("NFKC", folded)


class _Memo(dict[str, str]):
    """A mapping that computes what it is asked for once; reading what is known costs no call."""

    __slots__ = ("_compute", "_lock")

    def __init__(self, compute: Callable[[str], str]) -> None:
        self._compute = compute
        self._lock = Lock()

    def __missing__(self, word: str) -> str:
        with self._lock:  # a Snowball stemmer keeps the word it works on in itself
            value = self[word] = self._compute(word)
        return value


@dataclass(frozen=True, slots=True)
class Language:
    """A language as text is read in it. Its mappings may be read by several threads."""

    code: str
    """The primary subtag in lower case (`pt` for `pt-BR`), `no` for all of Norwegian."""
    stop_words: frozenset[str]
    """Folded; empty where there is no list."""
    abbreviations: frozenset[str]
    """What never ends a sentence, beyond what sentencex knows: `e.g`, `Mr`, `z.b`."""
    elides: bool
    """Whether words lose their last letter before others: French `l'option`."""
    keeps_initial: bool
    """Whether a stem has the first letter of its word, always."""
    known: bool
    """Whether this language has rules of its own; else words are whole and none is left out."""
    bare: Mapping[str, str] = field(compare=False, repr=False)
    """A folded word to itself without an elided one before it; to "" if it is a stop word."""
    stems: Mapping[str, str] = field(compare=False, repr=False)
    """A folded word to the term that stands for it: its stem; to "" if it is a stop word."""


def get_language(code: str) -> Language:
    """Return the language for `code`: `en`, `EN`, `pt-BR`, `pt_BR`, `zh-Hans`, `nb`.

    A language that is not known has no stop words and no stems, and is no error.
    """
    primary = code.strip().lower().replace("_", "-").partition("-")[0]
    return _language(_SAME.get(primary, primary))


@cache
def _language(code: str) -> Language:
    stop_words = _stop_words(code)
    stem = _stemmer(code)
    eliding = code in _ELIDING

    def bare(word: str) -> str:
        if eliding and word not in stop_words:
            word = word.rpartition("'")[2]
        return "" if word in stop_words else word

    def term(word: str) -> str:
        kept = bare(word)
        return stem(kept) if kept else ""

    listed = f"{_TITLES} {_EVERYWHERE} {_ABBREVIATIONS.get(code, '')}"
    return Language(
        code=code,
        stop_words=stop_words,
        abbreviations=frozenset(listed.split()),
        elides=eliding,
        keeps_initial=code in _KEEP_INITIAL,
        known=code in _STEMMERS or code in _UNSTEMMED,
        bare=_Memo(bare),
        stems=_Memo(term),
    )


def _stop_words(code: str) -> frozenset[str]:
    if code not in _STOP_LISTS:
        return frozenset()
    file = resources.files(__package__) / "stopwords" / f"{code}.txt"
    lines = file.read_text(encoding="utf-8").splitlines()
    listed = [line for line in lines if line and not line.startswith("#")]
    return frozenset(map(fold, (*listed, *_ASKING.get(code, "").split())))


def _stemmer(code: str) -> Callable[[str], str]:
    """Return Snowball's stemmer, or the identity where Snowball has none."""
    name = _STEMMERS.get(code)
    if name is None:
        return str
    stem = _algorithm(name)
    if code != "tr":
        return stem
    # Case-folding knows nothing of Turkish: `Işık` has become `işık`. Let both be one term.
    return lambda word: stem(word).replace("ı", "i")


def _algorithm(name: str) -> Callable[[str], str]:
    """Return one of Snowball's algorithms, in C or in Python."""
    try:
        module = import_module("Stemmer")
    except ImportError:
        stemmer = import_module("snowballstemmer").stemmer(name)
    else:
        stemmer = module.Stemmer(name, 0)  # without its own cache: `_Memo` is one
    stem: Callable[[str], str] = stemmer.stemWord
    return stem
