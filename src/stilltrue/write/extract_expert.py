"""Which statements does an LLM find in an episode, and what are they to the rules that judge them?

Answer: `read`. A claim becomes a candidate in the words of memory: its sentence is read by the same rules as any other,
so that "I", "my" and User are one subject and "lives in" is the residence; where they find no known slot, the claim's
own subject, attribute and value are taken. What a claim says that the episode does not is not believed: its place must
be in the text, and its wording gives way to the quote where it adds too much. What the caller gave wins over both.

Where the LLM gives nothing clean, the local reader (`write.extract`) reads, and the receipt says why. When it is asked,
and that the episode is durable before, is `write.remember`'s business; prompts and checks are the expert's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from stilltrue.model.candidate import Candidate, Given
from stilltrue.model.expert import Usage
from stilltrue.model.fact import Modality
from stilltrue.rules.attributes import attributes, noun_index
from stilltrue.rules.comparison import Comparison, compare
from stilltrue.rules.quantities import parse_value
from stilltrue.rules.sentences import split
from stilltrue.rules.slots import read_statement
from stilltrue.rules.subjects import US, USER, canonical, speaker_name
from stilltrue.rules.text import content_stems, normalise
from stilltrue.rules.zones import to_instant, zone_of
from stilltrue.write.extract import confidence, extract

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.engine import Engine
    from stilltrue.model.episode import Episode
    from stilltrue.model.expert import Claim
    from stilltrue.model.fact import Statement
    from stilltrue.model.timeline import Instant
    from stilltrue.rules.sentences import Sentence
    from stilltrue.settings import Settings

LLM: Final = "llm"
LOCAL: Final = "local"

_MOST_ADDED: Final = 0.5
"""Share of a claim's content words that may be missing from the episode: names put for pronouns, an attribute's noun.
With more, it is no wording of what was said, and the quote stands for it."""
_FIGURES: Final = re.compile(r"\d[\d.,:]*")
_PRONOUNS: Final = frozenset({"it", "he", "she", "they", "this", "that"})
_CLAIMING: Final = frozenset({Modality.ASSERTION, Modality.RULE})
_VOICED: Final = frozenset({Modality.PLAN, Modality.HYPOTHETICAL, Modality.HEARSAY, Modality.QUESTION})


@dataclass(frozen=True, slots=True)
class Found:
    """What was read in an episode; `by` names the reader, `reason` says why it is not the LLM."""

    candidates: tuple[Candidate, ...]
    by: str = LOCAL
    reason: str = ""
    usage: Usage = field(default_factory=Usage)


def wants_expert(engine: Engine, settings: Settings, given: Given) -> bool:
    """Whether an LLM is to read: one is configured, the setting says so, the caller did not say what the text is."""
    told = given.whole or given.subject or given.attribute or given.value
    return engine.expert is not None and settings.llm_extraction and not told


def read(engine: Engine, episode: Episode, given: Given, settings: Settings, *, asks: bool = True) -> Found:
    """The statements of an episode, by the LLM, else (or with `asks` False) by the local reader. Not to be called in a
    transaction.
    """
    if not asks:
        return _local(episode, given, settings, "no LLM was to be asked", Usage())
    if engine.expert is None:
        return _local(episode, given, settings, "no LLM is configured any more", Usage())
    told = engine.expert.extract(episode, settings.allowance())
    candidates = candidates_of(told.claims, episode, given, settings)
    if candidates:
        return Found(candidates, LLM, usage=told.usage)
    return _local(episode, given, settings, told.reason or "the LLM found no claim in it", told.usage)


def _local(episode: Episode, given: Given, settings: Settings, reason: str, usage: Usage) -> Found:
    return Found(tuple(extract(episode, given, settings)), LOCAL, reason, usage)


def candidates_of(claims: Sequence[Claim], episode: Episode, given: Given, settings: Settings) -> tuple[Candidate, ...]:
    """Claims as candidates in the order of the text; questions, places outside the text and repeats left out."""
    sentences = split(episode.text)
    found: list[Candidate] = []
    previous: str | None = None
    for claim in sorted(claims, key=lambda one: (one.span.start, one.span.end)):
        if not claim.span.of(episode.text).strip() or claim.span.end > len(episode.text):
            continue
        at = next((one for one in sentences if one.span.start <= claim.span.start < one.span.end), None)
        statement = _statement(claim, at, episode, given, settings, previous)
        if statement.modality is Modality.QUESTION:
            continue
        role = (at.speaker if at else None) or episode.role
        found.append(Candidate(statement, claim.span, confidence(statement, role, given, settings)))
        previous = statement.slot.subject if statement.slot.subject not in (USER, US) else previous
    unique = {(one.statement.text, one.statement.slot, one.span): one for one in found}
    return tuple(unique.values())[: settings.max_facts_per_episode]


def _statement(
    claim: Claim, at: Sentence | None, episode: Episode, given: Given, settings: Settings, previous: str | None
) -> Statement:
    """The claim as the rules read it; by the slot it names itself where they know none for its sentence."""
    speaker = at.speaker if at is not None and at.speaker not in {None, "user"} else episode.author
    text = worded(claim, episode)

    def told(more: Given) -> Statement:
        return read_statement(
            text,
            said_at=episode.said_at,
            speaker=speaker,
            topic=episode.topic,
            zone=settings.timezone,
            given=more,
            cardinalities=settings.cardinalities,
        )

    local = told(given)
    stated = claim.valid_from is not None or claim.valid_until is not None
    dated = _dated(claim, given, settings.timezone) if stated and not local.dated else given
    if _agree(local, claim):
        statement = told(dated)
    else:
        own = replace(dated, subject=_subject(claim, speaker, previous), attribute=_attribute(claim), value=claim.value)
        statement = replace(told(own), negated=claim.negated)
    if statement.slot.subject in _PRONOUNS and previous is not None:
        statement = replace(statement, slot=replace(statement.slot, subject=previous))
    return replace(statement, modality=_voice(claim.modality, local.modality))


def worded(claim: Claim, episode: Episode) -> str:
    """The claim's sentence, or its quote where the sentence says more than the episode does."""
    added = content_stems(claim.text)
    known = content_stems(f"{episode.text} {claim.subject} {claim.attribute} {episode.author or ''}")
    invented = set(_FIGURES.findall(claim.text)) - set(_FIGURES.findall(episode.text))
    if invented or len(added - known) > _MOST_ADDED * len(added):
        return claim.span.of(episode.text)
    return claim.text


def _agree(local: Statement, claim: Claim) -> bool:
    """Whether the rules found a known slot whose value is the claim's: then theirs is the one that memory knows."""
    if local.slot.attribute not in attributes() or local.negated != claim.negated:
        return False
    if claim.value is None or local.value is None:
        return claim.value is None and local.value is None
    if content_stems(local.value.text) & content_stems(claim.value):
        return True
    return compare(local.value, parse_value(claim.value)) in (Comparison.SAME, Comparison.COMPATIBLE)


def _subject(claim: Claim, speaker: str | None, previous: str | None) -> str:
    """The one name of the claim's subject; what is a project's is said by anyone of its people."""
    named = canonical(claim.subject, speaker) or speaker_name(speaker)
    if named == USER:
        named = speaker_name(speaker)
    if named in _PRONOUNS and previous is not None:
        named = previous
    entry = attributes().get(_attribute(claim))
    return US if entry is not None and entry.owner == "project" and named in (USER, speaker_name(speaker)) else named


def _attribute(claim: Claim) -> str:
    """The attribute by the name that extraction gives it."""
    written = normalise(claim.attribute)
    return noun_index().get(tuple(written.replace("_", " ").split()), written)


def _voice(claimed: Modality, local: Modality) -> Modality:
    """The more careful of two readings: what the rules hear as a plan or hearsay is not made a fact by an LLM."""
    return local if claimed in _CLAIMING and local in _VOICED else claimed


def _dated(claim: Claim, given: Given, zone: str) -> Given:
    """The claim's days, on the calendar of `zone`, under those that the caller gave."""
    return replace(
        given,
        valid_from=given.valid_from or _local_day(claim.valid_from, zone),
        valid_until=given.valid_until or _local_day(claim.valid_until, zone),
    )


def _local_day(moment: Instant | None, zone: str) -> Instant | None:
    """A bare day (midnight UTC) begins at midnight where the asker is; a moment stays."""
    if moment is None or (moment.hour, moment.minute, moment.second, moment.microsecond) != (0, 0, 0, 0):
        return moment
    return to_instant(moment.replace(tzinfo=None), zone_of(zone))
