"""How is a sentence made ready for reading? Markup, asides, dates and restrictions are set apart from the claim."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stilltrue.rules.dates import DateMention, find_dates
from stilltrue.rules.departures import strip_old
from stilltrue.rules.reading import Claim, key_of, numbers_in
from stilltrue.rules.scopes import Scope, find_scopes
from stilltrue.rules.verbs import lemma_of
from stilltrue.rules.words import Word, plain, word_set, words

if TYPE_CHECKING:
    from stilltrue.model.slot import Value
    from stilltrue.model.timeline import Instant

_OPENERS = re.compile(
    r"^\s*(?:(?:yes|yeah|yep|no|ok|okay|oh|well|so|also|and|but|actually|fyi|btw|by the way|note(?: that)?|nb|ps|"
    r"update|reminder|"
    r"remember(?: that)?|correction|sorry|quick note|just so you know|for the record|in fact|to be clear|additionally|"
    r"furthermore|moreover|besides|important|decision|decided|todo|tip|anyway|good|great|perfect|confirmed|got it|"
    r"noted|hey|hi|"
    r"edit|heads up|one more thing|(?:from now|from here|from today) on|going forward|as of (?:now|today)|"
    r"starting today|nowadays|these days|turns out(?: that)?|i (?:think|believe|guess|mean|decided|see)(?: that)?|"
    r"we(?:'ve| have)? decided (?:that|to)|"
    r"it turns out(?: that)?|the fact is(?: that)?|please note(?: that)?|keep in mind(?: that)?)(?:\s*[,:—–-]+\s*|"
    r"\s+(?=that\b|i\b|we\b|the\b|my\b|our\b|user\b)))+",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r"^\s*(?:(?:sorry|oops|wait|no|hm+|ah|oh|my bad|scratch that)[\s,:;.!—-]*){0,3}"
    r"(?:(?:that|this|it) was (?:a |an |my )?(?:typo|mistake|error|slip|wrong|misunderstanding)|i (?:misspoke|"
    r"mistyped|was wrong|made a (?:mistake|typo)|(?:got|had|wrote|put) (?:that|this|it) wrong|"
    r"mixed (?:that|it|them) up)|(?:a )?(?:typo|mistake|error|slip)(?: (?:in|on|of|from) (?:my|the|that)(?: \w+){1,2})?"
    r"|(?:a )?(?:small |quick )?correction(?: to (?:my|the) \w+)?|scratch that|my (?:mistake|bad|"
    r"error))\s*[:;,.!—-]+\s+(?=\S)",
    re.IGNORECASE,
)
"""What announces a correction is no part of what is claimed …"""
_CORRECTED = re.compile(
    r"(?:(?<!\s)\s++)?(?<![,;.—–-])[,;.—–-]++\s*+"
    r"(?:(?:that|this|it) was (?:just )?(?:a |an |my )?(?:typo|mistake|error|slip|wrong|"
    r"misunderstanding|mix-up)|i (?:misspoke|mistyped|was wrong|made a mistake)|my (?:mistake|bad|error))\s*[.!]*\s*$",
    re.IGNORECASE,
)
"""… nor what follows it to say that it is one ("I was never vegan, that was a mistake")."""
_FROM_NOW_ON = re.compile(r"\b(?:from (?:now|here|today) on|going forward)\b(?=[\s.!]{0,3}$)", re.IGNORECASE)
_INTENT = re.compile(
    r"(?:(?:\b(?:am|is|are|was|were|been|have|has|had|would)\b|'m|'re|'s|'d|'ve)\s+){0,6}(?:\b(?:just|really|also|still|now|currently|"
    r"seriously|actually|even)\s+){0,6}\b(?:(?:plan(?:s|ning|ned)?|hop(?:e|es|ing)|intend(?:s|ing)?|aim(?:s|ing)?|expect(?:s|ing)?|"
    r"wish(?:es)?|like|love|prefer|looking|ready|keen|eager|tempted|determined|"
    r"decided?|agreed?|opted|chosen?|chose)\s+to|(?:planning|plan|plans|keen)\s+on|"
    r"(?:thinking|dreaming|dream|dreams|thought|talking)\s+(?:of|about)|considering|contemplating)\s+(?=(?P<verb>[a-z]+)\b)"
)
"""The words of an intent or a decision: whose voice it is, `rules.modality` says; the claim is what is intended."""
_COMMIT = re.compile(r"^\s*(?:feat|fix|chore|docs|refactor|perf|test|build|ci)(?:\([\w/.-]{1,40}\))?!?:\s+")
_ASIDE = re.compile(r"\([^()]{0,200}\)")
_SAID_OF = frozenset({"weekday", "time_of_day"})
"""Restrictions that can be the value that changes ("moved the deploy from Monday to Friday")."""
_NEGATION_EXCEPTIONS = re.compile(
    r"\bnot (?:only|just|to mention|until|bad|far|long ago)\b|\bno (?:problem|doubt|matter|later|earlier|more than|"
    r"less than|wonder|big deal)\b",
    re.IGNORECASE,
)
_NO_LONGER = re.compile(
    r"\b(?:no longer|not (?:any ?more)|stopp?(?:ed|s)?(?: (?=\w+ing))|quit (?=\w+ing)|g[ai]ve up (?=\w+ing))",
    re.IGNORECASE,
)
_NOUN_NO = re.compile(
    r"\b(?:has|have|had|is|are|there's|'s|with|got|takes?|uses?|eats?|drinks?|needs?|allows?|accepts?|"
    r"want)\s+(?:got\s+)?no\s+(?!longer)\w",
    re.IGNORECASE,
)
_NO_MORE = re.compile(r"^\s*no more\b(?! than\b)", re.IGNORECASE)
"""As in "No more deploys on Fridays": an end, in the slot of what is ended."""
_NOBODY = re.compile(r"^\s*(?:nobody|no one|none of|neither|no\s+\w+\s+(?:is|are|may|can|has|have))\b", re.IGNORECASE)
_VERB_WITHOUT = re.compile(r"\b\w+(?:\s+\w+)?\s+without\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A claim ready for reading, with what was set apart."""

    claim: Claim
    dates: tuple[DateMention, ...]
    scopes: tuple[Scope, ...]
    leaves: tuple[str, ...]


def claim_of(text: str, said_at: Instant, zone: str, speaker: str | None) -> Prepared:
    """The claim in a sentence."""
    flat = _blank(_COMMIT, _blank(_OPENERS, _blank(_CORRECTION, plain(text))))
    flat = _FROM_NOW_ON.sub(lambda hit: " " * len(hit.group()), flat)
    flat = _CORRECTED.sub(lambda hit: " " * len(hit.group()), flat)
    flat = _without_intent(_NO_MORE.sub(lambda hit: f"No{' ' * (len(hit.group()) - 2)}", flat, count=1))
    dates = tuple(find_dates(flat, said_at, zone))
    scopes = tuple(find_scopes(flat))
    stripped, left = strip_old(flat)
    stripped = _ASIDE.sub(lambda hit: " " * len(hit.group()), stripped)
    numbers = numbers_in(stripped)
    spans = [d.span for d in dates] + [s.span for s in scopes]
    whole = words(stripped)
    apart = [span for span in spans if not _holds_number(span.start, span.end, numbers)]
    core = [word for word in whole if not any(span.start <= word.start < span.end for span in apart)]
    while core and core[0].low in {",", ";", ":", "-"}:
        core = core[1:]
    unscoped = stripped
    for scope in scopes:
        if scope.name not in _SAID_OF:
            unscoped = (
                unscoped[: scope.span.start] + " " * (scope.span.end - scope.span.start) + unscoped[scope.span.end :]
            )
    claim = Claim(stripped, core, whole, numbers, speaker, unscoped=unscoped)
    claim.negated = is_negated(core, stripped) != bool(_NO_MORE.match(plain(text)))
    claim.functional = bool(left) or any(word.low in word_set("verbs", "exclusive") for word in core)
    return Prepared(claim, dates, scopes, tuple(key_of(old) for old in left))


def _blank(pattern: re.Pattern[str], text: str) -> str:
    hit = pattern.match(text)
    return " " * hit.end() + text[hit.end() :] if hit else text


def _without_intent(text: str) -> str:
    """The text with the words of an intent blanked out where a verb that is intended follows.

    >>> _without_intent("I'm planning to move"), _without_intent("We plan on Fridays")
    ('I               move', 'We plan on Fridays')
    """
    hit = next((hit for hit in _INTENT.finditer(text) if lemma_of(hit["verb"]) not in {None, "be", "have"}), None)
    if hit is None or _LIKES.fullmatch(hit.group().strip()):
        return text
    return text[: hit.start()] + " " * (hit.end() - hit.start()) + text[hit.end() :]


_LIKES = re.compile(r"(?:like|love|prefer)s? to")  # "likes to cook" is a liking, "would like to" a wish


def _holds_number(start: int, end: int, numbers: list[tuple[int, int, Value]]) -> bool:
    """A restriction such as "per IP" stays apart; a span that holds the figure itself is the value."""
    return any(start <= first and last <= end for first, last, *_ in numbers) and end - start < 1


def is_negated(core: list[Word], text: str) -> bool:
    """The polarity of the main predicate.

    >>> from stilltrue.rules.words import words
    >>> texts = ("It isn't fast", "Not only fast", "I no longer smoke", "has no dog", "He can't not go")
    >>> [is_negated(words(text), text) for text in texts]
    [True, False, True, True, False]
    """
    negations = word_set("verbs", "negations")
    low = text.lower()  # no letter of "no" or "out" has a second form, so that this is as good as the patterns' search
    if "no" in low and _NEGATION_EXCEPTIONS.search(text):
        core = list(words(_NEGATION_EXCEPTIONS.sub(" ", text)))
    main: list[Word] = []
    for word in core:
        if main and word.low in {"because", "although", "so", "but", "which", "who", "since", ";", "unless"}:
            break
        main.append(word)
    count = sum(1 for word in main if word.low in negations)
    shown = " ".join(word.text for word in main)
    count += bool(_NO_LONGER.search(shown) and "not any" not in shown.lower()) + bool(_NOUN_NO.search(shown))
    count += bool(_NOBODY.match(shown)) + bool("out" in low and _VERB_WITHOUT.search(shown))
    return count % 2 == 1
