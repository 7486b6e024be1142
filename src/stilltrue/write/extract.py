"""Which statements does an episode make, and where exactly?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.errors import InvalidInputError
from stilltrue.model.candidate import Candidate, Given
from stilltrue.model.episode import Episode, Span
from stilltrue.model.fact import Modality
from stilltrue.rules.modality import is_chatter
from stilltrue.rules.sentences import split
from stilltrue.rules.slots import read_statement

if TYPE_CHECKING:
    from stilltrue.settings import Settings


def extract(episode: Episode, given: Given, settings: Settings) -> list[Candidate]:
    """The statements of an episode, in order. Raises InvalidInputError when there are more than the settings allow."""
    found: list[Candidate] = []
    for sentence in split(episode.text):
        if is_chatter(sentence.text):
            continue
        statement = read_statement(
            sentence.text,
            said_at=episode.said_at,
            speaker=episode.author,
            topic=episode.topic,
            role=episode.role,
            context=sentence.context,
            zone=settings.timezone,
            given=given,
            cardinalities=settings.cardinalities,
        )
        if statement.modality is not Modality.QUESTION:
            found.append(
                Candidate(statement, Span(sentence.span.start, sentence.span.end), settings.default_confidence)
            )
    if len(found) > settings.max_facts_per_episode:
        message = (
            f"the text makes {len(found)} statements, more than max_facts_per_episode={settings.max_facts_per_episode}"
        )
        raise InvalidInputError(message)
    return found
