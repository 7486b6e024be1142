"""In which language is a statement written?

Answer: ``language`` counts function words of eleven languages, and letters that only one of them uses. English wins a
tie, because names bring foreign letters and words into English sentences. A statement that no list knows is English
when its letters are Latin ones, else *other*. It is made for tables of figures, where a few wrong ones do not
matter, not for deciding anything.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

ENGLISH: Final = "en"
OTHER: Final = "other"

_WORDS: Final = {
    "en": (
        "the a an of to and is are was were be been has have had it its he she they we i you his her their our my "
        "your in on at for with by from that this not no never but or as than who what which does did do will "
        "would can about user user's isn't doesn't don't i'm it's now still all only any there s t"
    ),
    "de": (
        "der das und ist nicht ich ein eine einen einem einer wir mit auf seit kein keine zu im am dem den des "
        "von vom für bei sich wird hat habe haben sind wurde noch auch mehr jetzt immer nur nie er sie es mein "
        "meine unser nach aus nutzer nutzerin wohnt trinkt als oder aber doch"
    ),
    "fr": (
        "le la les des est je nous une dans sur avec du pas ne et il elle au aux pour par qui que son sa ses mon "
        "ma mes plus depuis toujours jamais c'est j'ai n'est l'utilisateur l'utilisatrice chez sont été ai habite "
        "maintenant de un en à vit"
    ),
    "es": (
        "el la los las es una un en con por para y no del al que se su mi mis está son ya desde más nunca siempre "
        "usuario usuaria vive ahora como pero lo le de ha he tiene"
    ),
    "it": (
        "il lo la gli le è che non di una un nel nella del della dei al alla con per sono ho ha mi si su più da "
        "dal sempre mai ora utente l'utente vive abita anche suo sua mio mia e ogni"
    ),
    "pt": (
        "o os um uma é não em no na nos nas do da dos das com para por que se seu sua meu minha já desde mais "
        "nunca sempre usuário usuária agora mora ela ele de e foi tem ao às"
    ),
    "nl": (
        "het een niet ik met geen sinds zijn haar voor naar wij we en maar ook nog meer altijd nooit nu de "
        "gebruiker woont heeft mijn ons bij uit op om te dat die wordt"
    ),
    "pl": (
        "nie jest się na już w z do mam od po ma że co jak tylko nigdy zawsze teraz użytkownik użytkowniczka "
        "mieszka przez przy jej jego dla o i ze u są był była"
    ),
    "sv": (
        "är inte jag och det på ett har en som av för till med den de från om sig var han hon vi min mitt sin nu "
        "alltid aldrig längre användaren användarens att kör bor i dricker gillar ogillar hatar hans hennes"
    ),
    "tr": (
        "ve bir değil artık için çok bu da de ile daha her ben benim kullanıcı ama yok var gibi sadece hiç şimdi "
        "o olarak kadar oturuyor yaşıyor kullanıcının değildi"
    ),
    "cs": (
        "je se na v už není jsem že do od s k z pro ale jen nikdy vždy teď uživatel uživatelka bydlí má po a i o "
        "jeho její ve byl byla"
    ),
}
_LETTERS: Final = {
    "de": "ß", "es": "ñ¿¡", "pt": "ãõ", "pl": "łżźśćńęą", "sv": "å", "tr": "ğış", "cs": "řěů", "fr": "œ",
}  # fmt: skip
_WEAK_WORDS: Final = (
    "per da mi si pro k v z s w u o a e i y po am hat mit mon son vit sur nas al met del de la en hans des "
    "les du es te dat don ale ma co au on sa bo ben un va me te pour se os ses min har sin lo"
)
_WEAK: Final = frozenset(_WEAK_WORDS.split())
"""Words that English sentences hold too, as names, abbreviations or units: two of them weigh as much as one other."""
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_LATIN: Final = re.compile(r"[a-zà-ɏ]", re.IGNORECASE)


@cache
def _lists() -> dict[str, frozenset[str]]:
    return {name: frozenset(words.split()) for name, words in _WORDS.items()}


LANGUAGES: Final = (*_WORDS, OTHER)
"""Every answer there is, English first."""


def language(text: str) -> str:
    """The language of a statement as a two-letter code, or ``other``.

    >>> language("Der Nutzer trinkt keinen Kaffee mehr."), language("Sofía lives in Gdańsk now.")
    ('de', 'en')
    """
    low = text.replace("İ", "i").lower()
    letters = [sign for sign in low if sign.isalpha()]
    if letters and 2 * sum(bool(_LATIN.match(sign)) for sign in letters) < len(letters):
        return OTHER
    words = _WORD.findall(low.replace("’", "'"))
    scores = {
        name: sum(_weight(word, name) for word in set(words) if word in known) for name, known in _lists().items()
    }
    if scores[ENGLISH] == 0:
        for name, own in _LETTERS.items():
            scores[name] += any(sign in own for sign in low)
    best = max(scores, key=lambda name: (scores[name], name == ENGLISH))
    return best if scores[best] >= 1 else ENGLISH


def _weight(word: str, name: str) -> float:
    return 0.5 if word in _WEAK and name != ENGLISH else 1.0


def of_pair(old: str, new: str) -> str:
    """The language of a pair: that of the existing statement, unless only the new one is not English."""
    first = language(old)
    return first if first != ENGLISH else language(new)
