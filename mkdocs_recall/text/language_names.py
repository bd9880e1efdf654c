"""The codes of languages, and the names by which authors call them instead.

What is known of a language's words is for `language`.
"""

# ruff: noqa: SIM905 - a list of words reads best as a line of words

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Final

_NAMES: Final = {
    "am": "amharic አማርኛ amh",
    "ar": "arabic العربية ara",
    "be": "belarusian беларуская bel",
    "bg": "bulgarian български bul",
    "bn": "bengali bangla বাংলা ben",
    "bs": "bosnian bosanski bos",
    "ca": "catalan català cat",
    "cs": "czech čeština česky cze ces cz",
    "da": "danish dansk dan dk",
    "de": "german deutsch ger deu",
    "el": "greek ελληνικά gre ell gr",
    "en": "english eng",
    "eo": "esperanto epo",
    "es": "spanish español castellano spa",
    "et": "estonian eesti est",
    "eu": "basque euskara baq eus",
    "fa": "persian farsi فارسی per fas",
    "fi": "finnish suomi fin",
    "fr": "french français fre fra",
    "ga": "irish gaeilge gle",
    "gu": "gujarati ગુજરાતી guj",
    "he": "hebrew עברית heb",
    "hi": "hindi हिन्दी hin",
    "hr": "croatian hrvatski hrv",
    "hu": "hungarian magyar hun",
    "hy": "armenian հայերեն arm hye",
    "id": "indonesian bahasa ind",
    "is": "icelandic íslenska ice isl",
    "it": "italian italiano ita",
    "ja": "japanese 日本語 jpn jp",
    "ka": "georgian ქართული geo kat",
    "kk": "kazakh қазақ kaz",
    "km": "khmer ខ្មែរ khm",
    "kn": "kannada ಕನ್ನಡ kan",
    "ko": "korean 한국어 kor",
    "lo": "lao ລາວ",
    "lt": "lithuanian lietuvių lit",
    "lv": "latvian latviešu lav",
    "mk": "macedonian македонски mac mkd",
    "ml": "malayalam മലയാളം mal",
    "mr": "marathi मराठी mar",
    "my": "burmese မြန်မာ bur mya",
    "ne": "nepali नेपाली nep",
    "nl": "dutch nederlands dut nld",
    "no": "norwegian norsk bokmål nynorsk nor",
    "or": "odia oriya ଓଡ଼ିଆ ori",
    "pa": "punjabi ਪੰਜਾਬੀ pan",
    "pl": "polish polski pol",
    "pt": "portuguese português brazilian por",
    "ro": "romanian română rum ron",
    "ru": "russian русский rus",
    "sk": "slovak slovenčina slo slk",
    "sl": "slovenian slovene slovenščina slv",
    "sr": "serbian српски srpski srp",
    "st": "sesotho sot",
    "sv": "swedish svenska swe",
    "ta": "tamil தமிழ் tam",
    "te": "telugu తెలుగు tel",
    "th": "thai ไทย tha",
    "tr": "turkish türkçe tur",
    "uk": "ukrainian українська ukr ua",
    "vi": "vietnamese việt vie vn",
    "yi": "yiddish ייִדיש yid",
    "zh": "chinese mandarin 中文 汉语 漢語 chi zho cn",
}
"""By code: the name in English, in the language itself, the codes of ISO 639-2, and the code of a
country that is taken for that of its language; the last two only where they are no code here."""
_CODES: Final = frozenset(
    "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy "
    "da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu "
    "hy hz ia id ie ig ii ik in io is it iu iw ja ji jv ka kg ki kj kk kl km kn ko kr ks ku kv kw "
    "ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mo mr ms mt my na nb nd ne ng nl nn no nr nv "
    "ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr "
    "ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo "
    "za zh zu".split()
)
"""ISO 639-1, with the codes it has replaced."""
_CODE: Final = re.compile(r"[a-z]{2,3}(?:[-_][a-z0-9]{1,8})*", re.IGNORECASE)
"""A language, then script, region and variant: BCP 47, and `pt_BR` as in locales."""
_ISO_639_2: Final = re.compile("[a-z]{3}")
_BY_NAME: Final = {
    name: code for code, names in _NAMES.items() for name in names.split() if name not in _CODES
}
_LONGEST: Final = 40
"""Characters of a name."""


def is_language_code(text: str) -> bool:
    """Tell whether a text is the code of a language, known to this package or not.

    Of three letters, only those are none that ISO 639-1 has a code of two for: nobody means `deu`
    to be compared word by word.
    """
    primary = re.split("[-_]", text.lower(), maxsplit=1)[0]
    if _CODE.fullmatch(text) is None or primary in _BY_NAME:
        return False
    return primary in _CODES or _ISO_639_2.fullmatch(primary) is not None


def nearest_language_code(text: str) -> str:
    """Return the code of the language that a text names, or nearly names; or nothing."""
    for name in re.split(r"[\s_-]+", text.strip().lower()[:_LONGEST]):  # `swiss german`
        if similar := get_close_matches(name, _BY_NAME, n=1, cutoff=0.8):
            return _BY_NAME[similar[0]]
    return ""
