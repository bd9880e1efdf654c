"""The rules of each language: stop words, stemming, elision, abbreviations.

Stemming is Snowball's: PyStemmer (C) where it is installed, else the same algorithms in Python,
about sixty times as slow. From Snowball 3.1 on the two agree, so a page has the same terms on every
machine. Most stop lists are Snowball's, extended by question words they lack; some languages have a
list of this project's own, the others have no stop words. `sentences` splits text into words.
"""

# ruff: noqa: SIM905 - a list of words reads best as a line of words

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import TypeVar

from msgspec import Struct

from mkdocs_recall.errors import nearest

_STEMMERS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque",
    "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "ne": "nepali", "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sr": "serbian", "st": "sesotho", "sv": "swedish",
    "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""The name of Snowball's algorithm for each language."""

_STOP_LISTS = frozenset(
    "ar cs da de el en es fi fr he hi hu id it nl no pl pt ro ru sv tr uk".split()
)

_UNSTEMMED = frozenset(
    "am be bg bn bs gu he hr is ja ka kk km kn ko lo lv mk ml mr my or pa sk sl te th uk vi "
    "zh".split()
)
"""Languages that are supported without a stemmer: terms are bigrams (ja, km, ko, lo, my, th, zh) or
whole folded words, and the rules for sentences fit them."""

_ALIASES = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "ji": "yi", "cmn": "zh", "yue": "zh"}
"""Other codes of the languages above."""

_KEEP_INITIAL = frozenset({"en"})
"""Porter 2 changes only the end of a word. Other stemmers remove prefixes or fold the first
letter."""
_IS = re.compile(r"(?:(?<=[a-z]{4}i)|(?<=[a-z]{3}y))s(?=(?:e[srd]?|ers?|ing|able|ely|ation\w*)$)")
_OU = re.compile(r"(?<=[a-z]{3})ou(?=r(?:s|ed|ing|al|able|ful)?$)")
"""British spellings, American with `z` or `o`: customise, behaviour. Words with one spelling, such
as promise, stay consistent in all forms."""
_ELIDING = frozenset("ca fr it".split())
"""Languages in which a shortened word is joined to the next: `l'option`, `dell'utente`."""

_TITLES = "Mr Mrs Ms Messrs Dr Prof St Mt Ft Gen Sen Rep Gov Capt Col Lt Sgt Rev Hon"
_COMMON_ABBREVIATIONS = "cf e.g i.e ibid vs viz resp approx incl excl fig figs eq eqs et seq"
_RULE = re.compile(r"^(\w+): ?(.*(?:\n  .*)*)", re.MULTILINE)
_LONGEST_CODE = 8
"""The most letters of a language's subtag, in BCP 47."""


@cache
def rules_of(code: str) -> Mapping[str, str]:
    """Return the words and phrases of a language from `rules`, by purpose.

    `abbreviations` do not end a sentence; they lack their last full stop and spaces (one in lower
    case also matches capitalised). `questions` are stop words, missing from Snowball's lists,
    because a guide that "explains how" does not answer every "how"; for a script that does not
    separate words, they are an expression. `irregular` are pairs: a word, and the word whose stem
    its forms get.
    """
    return dict(_RULE.findall(text_for(code, Path(__file__).parent / "rules")))


def text_for(code: str, folder: Path) -> str:
    """Return the text of a language's file in a folder; empty if it has none.

    A language may be any text, such as a path: a page states it.
    """
    if len(code) > _LONGEST_CODE or not code.isalpha():
        return ""
    file = folder / f"{code}.txt"
    return file.read_text("utf-8") if file.is_file() else ""


def shared_words(name: str) -> frozenset[str]:
    """Return some words of any language: those of this name in `rules/shared.txt`."""
    return frozenset(rules_of("shared")[name].split())


FINAL_ABBREVIATIONS = shared_words("final")
"""Abbreviations, of any language, that end a sentence when a capital follows."""

BEFORE_NUMBER = shared_words("numbered")
"""Abbreviations, of any language, after which a sentence goes on when a number follows."""
STEP_WORDS = shared_words("steps")
"""Words, of any language, that number the sentence they open: `Step 2. Restart.`"""

DOTTED_ORDINALS = frozenset("de da no fi et cs sk pl hu hr sl sr bs is lv lt tr lb".split())
"""Languages that write `3.` for "third"."""

DOTTED_DATES = frozenset({"hu", "ko"})
"""Languages that write a date as `2024. 6. 5.`"""

BEFORE_ORDINAL = shared_words("before_ordinal")

AFTER_ORDINAL = shared_words("after_ordinal")
"""Words next to ordinals if nouns are capitalised: `die 3. Version`, `1. Mai`, `3. Bölüm`."""

_ISO_639_1 = shared_words("codes")
"""ISO 639-1, with the codes it has replaced."""
_CODE = r"(?i)[a-z]{2,3}(?:[-_][a-z0-9]{1,8})*"
"""A language, then script, region and variant: BCP 47, and `pt_BR` as in locales."""
_ISO_639_2 = re.compile("[a-z]{3}")
_LONGER_CODES = shared_words("long_codes")
"""Codes of three letters for languages with a stemmer, which their codes of two letters select."""


def is_language_code(text: str) -> bool:
    """Tell whether a text is the code of a language, known to this package or not."""
    primary = re.split("[-_]", text.lower(), maxsplit=1)[0]
    if re.fullmatch(_CODE, text) is None or primary in _LONGER_CODES:
        return False
    return primary in _ISO_639_1 or _ISO_639_2.fullmatch(primary) is not None


def nearest_language_code(name: str) -> str:
    """Return the code of a stemmed language by its English name; "" for others."""
    codes = {name: code for code, name in _STEMMERS.items()}
    return codes.get(nearest(name.lower(), codes, 0.8), "")


def fold(text: str) -> str:
    """Return `text` folded for comparison: NFKC and case-folded."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold().replace("i̇", "i")
    return unicodedata.normalize("NFKC", folded)


_SIGNS = frozenset(r"-.$@#%&!*~\:+=<>?|^_")


def is_name(word: str) -> bool:
    """Tell whether a folded word is a name with signs, like `c++`."""
    return not _SIGNS.isdisjoint(word)


_K = TypeVar("_K")
_V = TypeVar("_V")


class Memo(dict[_K, _V]):
    """A mapping that computes each value once, then without Python."""

    __slots__ = ("_compute", "_lock")

    def __init__(self, compute: Callable[[_K], _V]) -> None:
        """Take the function that computes a value; one thread calls it at a time."""
        self._compute = compute
        self._lock = Lock()

    def __missing__(self, key: _K) -> _V:
        with self._lock:  # a Snowball stemmer holds the word it works on as its state
            value = self[key] = self._compute(key)
        return value


_LETTERS = "[a-z\u00c0-\u1fff]{2,}"
"""A word of a language with a stop list, including vowel signs. A single letter is a stop word of
some languages, and the `v` of a version in any."""
_SCRIPTS = {
    "ja": r"[\u3040-\u30ff]",
    "ko": r"[\uac00-\ud7a3]",
    "th": r"[\u0e00-\u0e7f]",
    "zh": r"[\u4e00-\u9fff]",
}
"""The letters that identify a language without a stop list; Japanese has Chinese ones, too."""
_SHARE_OF_LETTERS = 0.1
"""The least share of such letters. Commands and names fill much of a page."""
_SHARE_OF_STOP_WORDS = 0.08
"""The least share of stop words; real pages have 0.1 to 0.5."""
_FEWEST_STOP_WORDS = 8
"""How many different stop words suffice; fewer do if the text has hardly any English one."""


def likely_language(text: str) -> str:
    """Return the code of a text's language; English if unclear."""
    if not text.isascii():
        for code, letter in _SCRIPTS.items():
            if len(re.findall(letter, text)) > _SHARE_OF_LETTERS * len(text):
                return code
    counts = Counter(re.findall(_LETTERS, fold(text)))
    codes = _codes_by_stop_word()
    number = dict.fromkeys(sorted(_STOP_LISTS), 0)
    different = number.copy()
    for word in counts.keys() & codes.keys():
        for code in codes[word]:
            number[code] += counts[word]
            different[code] += 1
    best = max(number, key=lambda code: (number[code], code == "en"))
    fewest = _SHARE_OF_STOP_WORDS * sum(counts.values())
    if not different["en"] and re.search("[\u0370-\u06ff\u0900-\u097f]{4}", text):
        return best
    is_clear = different[best] >= min(_FEWEST_STOP_WORDS, 3 + 2 * different["en"])
    return best if is_clear and number[best] >= fewest else "en"


@cache
def _codes_by_stop_word() -> Mapping[str, Sequence[str]]:
    codes: dict[str, list[str]] = {}
    for code in _STOP_LISTS:
        for word in _stop_words(code, ""):
            codes.setdefault(word, []).append(code)
    return codes


_RIGHT_TO_LEFT = frozenset("ar arc ckb dv fa he ks ps sd ug ur yi".split())


def is_right_to_left(code: str) -> bool:
    """Tell whether a language is written from right to left."""
    return re.split("[-_]", code.lower(), maxsplit=1)[0] in _RIGHT_TO_LEFT


class Language(Struct, frozen=True, eq=False):
    """The rules by which text in one language is analysed. Threads may share its mappings."""

    code: str
    """The primary subtag in lower case (`pt` for `pt-BR`), `no` for all of Norwegian."""
    stop_words: frozenset[str]
    """Folded words; empty for a language without a stop list."""
    abbreviations: frozenset[str]
    """Abbreviations that never end a sentence, besides sentencex's own: `e.g`, `Mr`, `z.b`."""
    elides: bool
    """Whether words lose their last letter before a vowel: French `l'option`."""
    keeps_initial: bool
    """Whether a stem always has the first letter of its word."""
    is_supported: bool
    """Whether this language has rules; else there are no stems and stop words."""
    content_words: Mapping[str, str]
    """Maps a folded word to itself without an elided word before it, and a stop word to ""."""
    stems: Mapping[str, str]
    """Maps a folded word to its term, which is its stem, and a stop word to ""."""


@lru_cache(maxsize=256)
def get_language(code: str) -> Language:
    """Return the language for `code`: `en`, `EN`, `pt-BR`, `pt_BR`, `zh-Hans`, `nb`."""
    primary = code.strip().lower().replace("_", "-").partition("-")[0]
    return _language(_ALIASES.get(primary, primary))


@cache
def _language(code: str) -> Language:
    rules = rules_of(code)
    stop_words = _stop_words(code, rules.get("questions", ""))
    stem = _stemmer(code)
    stems = map(stem, rules.get("irregular", "").split())
    regular = dict(zip(stems, stems, strict=True))
    eliding = code in _ELIDING

    def content_word(word: str) -> str:
        if eliding and word not in stop_words:
            word = word.rpartition("'")[2]
        return "" if word in stop_words else word

    def term(word: str) -> str:
        content = content_word(word)
        sign = "--no-" if content.startswith("--no-") else ""  # `--no-caching` has a stem
        if is_name(content) and not sign:
            return content
        stemmed = stem(content.removeprefix(sign))
        return sign + regular.get(stemmed, stemmed)

    abbreviations = f"{_TITLES} {_COMMON_ABBREVIATIONS} {rules.get('abbreviations', '')}"
    return Language(
        code=code,
        stop_words=stop_words,
        abbreviations=frozenset(abbreviations.split()),
        elides=eliding,
        keeps_initial=code in _KEEP_INITIAL,
        is_supported=code in _STEMMERS or code in _UNSTEMMED,
        content_words=Memo(content_word),
        stems=Memo(term),
    )


def _stop_words(code: str, questions: str) -> frozenset[str]:
    if code not in _STOP_LISTS:
        return frozenset()
    file = Path(__file__).parent / "stopwords" / f"{code}.txt"
    lines = file.read_text(encoding="utf-8").splitlines()
    words = [line for line in lines if line and not line.startswith("#")]
    return frozenset(map(fold, (*words, *questions.split())))


def _stemmer(code: str) -> Callable[[str], str]:
    name = _STEMMERS.get(code)
    if name is None:
        return str
    try:  # in C where PyStemmer is installed
        module = import_module("Stemmer")
    except ImportError:
        stemmer = import_module("snowballstemmer").stemmer(name)
    else:
        stemmer = module.Stemmer(name, 0)  # no cache of its own: `Memo` is one
    stem: Callable[[str], str] = stemmer.stemWord
    if code == "en":
        return lambda word: stem(_OU.sub("o", _IS.sub("z", word)))
    if code != "tr":
        return stem
    # Case-folding ignores Turkish rules and turns `Işık` into `işık`: both become one term here.
    return lambda word: stem(word).replace("ı", "i")
