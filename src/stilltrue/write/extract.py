"""Which statements does an episode make, and where exactly?

Sentences become candidates; greetings, questions and code do not. Pronouns are read as the subject named before them,
headings complete the lines below them, and a sentence that names several tools gives one candidate for each.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from stilltrue.errors import InvalidInputError
from stilltrue.model.candidate import Candidate
from stilltrue.model.episode import Span
from stilltrue.model.fact import Modality
from stilltrue.rules.modality import is_chatter
from stilltrue.rules.sentences import Sentence, split
from stilltrue.rules.slots import read_statement
from stilltrue.rules.tools import further_tools

if TYPE_CHECKING:
    from stilltrue.model.candidate import Given
    from stilltrue.model.episode import Episode
    from stilltrue.model.fact import Statement
    from stilltrue.settings import Settings

_VOICE_CONFIDENCE = {
    Modality.ASSERTION: 1.0,
    Modality.RULE: 1.0,
    Modality.PAST: 0.95,
    Modality.PLAN: 0.8,
    Modality.HYPOTHETICAL: 0.6,
    Modality.HEARSAY: 0.6,
    Modality.QUESTION: 0.0,
}
"""How sure it is that something was claimed, by its voice, as a share of `default_confidence`: hearsay and suppositions
are kept (they can be asked about) but stand above the default `min_confidence` of 0.3 by little."""
ASSISTANT_SHARE = 0.75  # an assistant also writes suggestions; what it says weighs less than what a person says
NO_SLOT_SHARE = 0.9  # a sentence that no slot was found for is a claim all the same, only a less certain reading
_RESOLVED = re.compile(
    r"^(?:(?:that|this|it)(?:'s| has| have)? (?:fixed|solved|resolved|did|worked|works|helped|sorted)(?: (?:it|the (?:issue|problem|trick)|that))*"
    r"|(?:issue|problem|bug)? ?(?:is )?(?:fixed|solved|resolved|sorted)(?: (?:now|it))?|(?:it |everything |all )?works?(?: (?:now|again|fine|perfectly))+"
    r"|no more [\w ]{3,40}(?:timeouts?|errors?|crash(?:es)?|failures?|issues?|problems?|leaks?)|no more (?:timeouts?|errors?|crashes|issues|problems)"
    r"|(?:that|this) (?:did it|was it)|confirmed fix(?:ed)?|(?:it's|all) (?:fixed|working|good) now)\b",
    re.IGNORECASE,
)
_PRONOUNS = frozenset({"it", "he", "she", "they", "this", "that"})
_NO_ANTECEDENT = frozenset({"user", "we", "i", ""})


def extract(episode: Episode, given: Given, settings: Settings) -> list[Candidate]:
    """The statements of an episode, in order. Raises InvalidInputError when there are more than the settings allow."""
    if given.whole or given.subject or given.attribute or given.value:
        return [_whole(episode, given, settings)]
    found: list[Candidate] = []
    previous: str | None = None
    for sentence in split(episode.text):
        resolves = _RESOLVED.match(sentence.text.replace("’", "'").strip()) is not None
        if not resolves and is_chatter(sentence.text):
            continue
        statements = _read(episode, sentence, given, settings, previous)
        found += [_candidate(s, sentence, episode, given, settings, resolves=resolves) for s in statements]
        if len(found) > settings.max_facts_per_episode:
            raise InvalidInputError(
                f"the text makes more than max_facts_per_episode={settings.max_facts_per_episode} statements; "
                "split it or raise the setting"
            )
        previous = _antecedent(statements, previous)
    return found


def _whole(episode: Episode, given: Given, settings: Settings) -> Candidate:
    text = episode.text
    start = len(text) - len(text.lstrip())
    end = max(start, len(text.rstrip()))
    sentence = Sentence(text[start:end], Span(start, end))
    statement = _statement(episode, sentence, given, settings)
    return _candidate(statement, sentence, episode, given, settings, resolves=False)


def _read(
    episode: Episode, sentence: Sentence, given: Given, settings: Settings, previous: str | None
) -> list[Statement]:
    """The statements of one sentence: none for a question, several where it names several tools."""
    statement = _statement(episode, sentence, given, settings)
    if statement.modality is Modality.QUESTION:
        return []
    if statement.slot.subject in _PRONOUNS and previous:
        statement = replace(statement, slot=replace(statement.slot, subject=previous))
    more = [
        replace(
            statement,
            slot=replace(
                statement.slot, attribute=tool.attribute, qualifiers=tool.qualifiers(statement.slot.qualifiers)
            ),
            value=tool.value,
            cardinality=tool.cardinality,
        )
        for tool in further_tools(sentence.text, statement)
    ]
    return [statement, *more]


def _statement(episode: Episode, sentence: Sentence, given: Given, settings: Settings) -> Statement:
    return read_statement(
        sentence.text,
        said_at=episode.said_at,
        speaker=episode.author if sentence.speaker in {None, "user"} else sentence.speaker,
        topic=episode.topic,
        role=sentence.speaker or episode.role,
        context=sentence.context,
        zone=settings.timezone,
        given=given,
        cardinalities=settings.cardinalities,
    )


def _candidate(
    statement: Statement, sentence: Sentence, episode: Episode, given: Given, settings: Settings, *, resolves: bool
) -> Candidate:
    role = sentence.speaker or episode.role
    confidence = settings.default_confidence * _VOICE_CONFIDENCE[statement.modality]
    if role == "assistant":
        confidence *= ASSISTANT_SHARE
    if statement.slot.attribute is None:
        confidence *= NO_SLOT_SHARE
    if given.confidence is not None:
        confidence = given.confidence
    return Candidate(statement, sentence.span, confidence, resolves_topic=resolves)


def _antecedent(statements: list[Statement], previous: str | None) -> str | None:
    """The last subject that a later "it" or "she" can mean."""
    for statement in reversed(statements):
        subject = statement.slot.subject
        if subject not in _NO_ANTECEDENT and subject not in _PRONOUNS:
            return subject
    return previous
