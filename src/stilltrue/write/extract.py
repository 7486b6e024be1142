"""Which statements does an episode make, and where exactly?

Sentences become candidates; greetings, questions and code do not, but the commands and settings of a code block do.
Pronouns are read as the subject named before them, headings complete the lines below them (and tell how far the work
is that they list), and a sentence that names several tools gives one candidate for each.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from stilltrue.errors import InvalidInputError
from stilltrue.model.candidate import Candidate
from stilltrue.model.episode import Span
from stilltrue.model.fact import Modality
from stilltrue.model.slot import Cardinality
from stilltrue.model.timeline import Interval
from stilltrue.rules.attributes import attributes
from stilltrue.rules.boards import STATUS, begun, board, item
from stilltrue.rules.commands import assignment, defined, labelled, task
from stilltrue.rules.deeds import two_deeds, two_occasions
from stilltrue.rules.modality import is_chatter
from stilltrue.rules.sentences import Sentence, split
from stilltrue.rules.slots import read_statement
from stilltrue.rules.subjects import US
from stilltrue.rules.text import content_words
from stilltrue.rules.tools import further_tools
from stilltrue.rules.troubles import is_resolution
from stilltrue.write.carry_out import is_end

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
REMARK = 4  # content words of an assistant's remark at most; what is longer may say something
_CONCRETE = re.compile(r"[A-Z0-9`\"/_]")
_CONDITION = re.compile(r"(?:so |and |but |then )*(?:if|in case|unless|suppose|supposing|assuming)\b", re.IGNORECASE)
_GOES_ON = re.compile(r"(?:then |and |so )*(?:the|it|they|this|that|no|nothing|otherwise)\b", re.IGNORECASE)
_PRONOUNS = frozenset({"it", "he", "she", "they", "this", "that"})
_NO_ANTECEDENT = frozenset({"user", "we", "i", ""})


def extract(episode: Episode, given: Given, settings: Settings) -> list[Candidate]:
    """The statements of an episode, in order. Raises InvalidInputError when there are more than the settings allow."""
    if given.whole or given.subject or given.attribute or given.value:
        return [_whole(episode, given, settings)]
    found: list[Candidate] = []
    previous: str | None = None
    before: Sentence | None = None
    sentences = split(episode.text)
    shared = Counter(sentence.context for sentence in sentences if sentence.code)
    for sentence in sentences:
        resolves = not sentence.code and is_resolution(sentence.text)
        statements = _of_form(episode, sentence, given, settings, alone=shared[sentence.context] == 1)
        formal = bool(statements)
        if not formal and (resolves or not is_chatter(sentence.text)):
            statements = _read(episode, sentence, given, settings, previous)
        if before is not None and _hangs_on(sentence, before, episode):
            statements = [replace(one, modality=Modality.HYPOTHETICAL) for one in statements]
        else:
            before = sentence if _CONDITION.match(sentence.text) else None
        read = [_candidate(s, sentence, episode, given, settings) for s in statements]
        found += [replace(one, resolves_topic=resolves, formal=formal) for one in read]
        if len(found) > settings.max_facts_per_episode:
            raise InvalidInputError(
                f"the text makes more than max_facts_per_episode={settings.max_facts_per_episode} statements; "
                "split it or raise the setting"
            )
        previous = _antecedent(statements, previous)
    return found


def _hangs_on(sentence: Sentence, condition: Sentence, episode: Episode) -> bool:
    """Whether an explanation goes on under the condition that a sentence before it in the paragraph has set."""
    between = episode.text[condition.span.end : sentence.span.start]
    explains = (sentence.speaker or episode.role) == "assistant"
    return explains and "\n" not in between and _GOES_ON.match(sentence.text) is not None


def _of_form(episode: Episode, sentence: Sentence, given: Given, settings: Settings, *, alone: bool) -> list[Statement]:
    """What a sentence says by its form rather than by its grammar: a command, a setting, a state of work."""
    if sentence.code:
        return [_command(episode, sentence, given, settings, alone=alone)]
    told = labelled(sentence.text)
    if told is not None and task(told[0]) is not None:
        slot = replace(given, subject=US, attribute=task(told[0]), value=told[1], cardinality=Cardinality.ONE)
        return [_statement(episode, sentence, slot, settings)]
    explained = defined(sentence.text)
    if explained is not None:
        slot = replace(given, subject=US, attribute=explained[0], value=explained[1], cardinality=Cardinality.MANY)
        read = _statement(episode, sentence, slot, settings)
        return [replace(read, modality=Modality.ASSERTION, negated=False, leaves=())]
    return _work(episode, sentence, given, settings)


def _command(episode: Episode, sentence: Sentence, given: Given, settings: Settings, *, alone: bool) -> Statement:
    """A line of a code block: a setting's slot is its name, a command's is the task that its label names."""
    label = sentence.context or ""
    setting = assignment(sentence.text)
    name, value = setting or (task(label) if alone else None, sentence.text)
    one = Cardinality.ONE if name is not None else Cardinality.MANY
    slot = replace(given, subject=US, attribute=name or label.lower(), value=value, cardinality=one)
    said = replace(sentence, text=f"{label}: `{sentence.text}`")
    return replace(_statement(episode, said, slot, settings), modality=Modality.ASSERTION, negated=False, leaves=())


def _work(episode: Episode, sentence: Sentence, given: Given, settings: Settings) -> list[Statement]:
    """How far a piece of work is: by the heading above, by the heading itself, or because it is begun."""
    over = board(sentence.context) if sentence.context else None
    named = item(sentence.text) if over is not None else None
    if over is not None and named is not None:
        state = named.state or over.state
        shown = over.state.text.lower() if over.state is not None else ""
        said = sentence if named.state is not None else replace(sentence, text=f"{sentence.text}: {shown}")
        project = over.name.lower()
    else:
        named = begun(sentence.text) or (board(sentence.text) if sentence.text.count(" ") else None)
        if named is None or not named.name:
            return []
        state, said, project = named.state, sentence, ""
    if state is None:
        return []
    qualifiers = dict(given.qualifiers)
    if project:
        qualifiers.setdefault("project", project)
    slot = replace(given, subject=named.name, attribute=STATUS, cardinality=Cardinality.ONE,
                   qualifiers=tuple(sorted(qualifiers.items())))  # fmt: skip
    read = _statement(episode, said, slot, settings)
    return [replace(read, value=state, modality=Modality.ASSERTION, negated=False, leaves=())]


def _whole(episode: Episode, given: Given, settings: Settings) -> Candidate:
    text = episode.text
    start = len(text) - len(text.lstrip())
    end = max(start, len(text.rstrip()))
    sentence = Sentence(text[start:end], Span(start, end))
    statement = _statement(episode, sentence, given, settings)
    return _candidate(statement, sentence, episode, given, settings)


def _read(
    episode: Episode, sentence: Sentence, given: Given, settings: Settings, previous: str | None
) -> list[Statement]:
    """The statements of one sentence: none for a question, several where it names several tools or deeds."""
    if told := _in_one_breath(episode, sentence, given, settings):
        return [each for one in told for each in (one, *_further(one.text, one))]
    statement = _statement(episode, sentence, given, settings)
    if (
        statement.modality is Modality.QUESTION
        or _only_leads(sentence, statement)
        or _only_comments(sentence, episode, statement)
    ):
        return []
    if statement.slot.subject in _PRONOUNS and previous:
        statement = replace(statement, slot=replace(statement.slot, subject=previous))
    return [statement, *_further(sentence.text, statement)]


def _further(text: str, statement: Statement) -> list[Statement]:
    """The same of each further tool that a text names."""
    slot = statement.slot
    return [
        replace(
            statement,
            slot=replace(slot, attribute=tool.attribute, qualifiers=tool.qualifiers(slot.qualifiers)),
            value=tool.value,
            cardinality=tool.cardinality,
        )
        for tool in further_tools(text, statement)
    ]


def _in_one_breath(episode: Episode, sentence: Sentence, given: Given, settings: Settings) -> list[Statement]:
    """Two claims of one subject. An end and what came next are a change where they are of one slot; other parts are
    taken apart only where both say something that is known to be said.
    """

    def read(*parts: str) -> list[Statement]:
        return [_statement(episode, replace(sentence, text=part), given, settings) for part in parts]

    for first, rest in two_deeds(sentence.text):
        end, deed = read(first, rest)
        if _says(deed) and is_end(end) and deed.slot.attribute is not None:
            return _ended(end, deed, sentence)
        if all(_says(one) and _is_known(one) for one in (end, deed)) and end.slot != deed.slot:
            return [end, deed]
    occasions = two_occasions(sentence.text)
    apart = read(*occasions) if occasions is not None else []
    return apart if apart and all(map(_says, apart)) and apart[0].slot != apart[1].slot else []


def _says(statement: Statement) -> bool:
    return statement.value is not None and statement.modality is Modality.ASSERTION and not statement.negated


def _is_known(statement: Statement) -> bool:
    attribute = statement.slot.attribute or ""
    return attribute in attributes() or attribute.startswith("preference:")


def _ended(end: Statement, deed: Statement, sentence: Sentence) -> list[Statement]:
    if not end.dated:
        end = replace(end, valid=deed.valid, dated=deed.dated)
    elif not deed.dated:
        deed = replace(deed, valid=Interval(end.valid.start, deed.valid.end), dated=True)
    if (deed.slot.subject, deed.slot.attribute) == (end.slot.subject, end.slot.attribute):
        return [replace(deed, text=sentence.text, leaves=end.leaves)]
    return [end, deed]


def _only_leads(sentence: Sentence, statement: Statement) -> bool:
    """A sentence that ends in a colon and says nothing of a slot only leads to what stands below it."""
    attribute = statement.slot.attribute
    return sentence.text.endswith(":") and (
        attribute is None or attribute == "is" or attribute.startswith("verb:") or statement.value is None
    )


def _only_comments(sentence: Sentence, episode: Episode, statement: Statement) -> bool:
    """An assistant's short remark without a slot, a name or a figure ("Good stack for a dashboard.")."""
    if (sentence.speaker or episode.role) != "assistant" or statement.slot.attribute is not None:
        return False
    plain = not _CONCRETE.search(sentence.text[1:])
    return plain and len(content_words(sentence.text)) <= REMARK


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
    statement: Statement, sentence: Sentence, episode: Episode, given: Given, settings: Settings
) -> Candidate:
    role = sentence.speaker or episode.role
    return Candidate(statement, sentence.span, confidence(statement, role, given, settings))


def confidence(statement: Statement, role: str | None, given: Given, settings: Settings) -> float:
    """How sure it is that this was claimed, 0..1; what the caller gave wins."""
    if given.confidence is not None:
        return given.confidence
    share = _VOICE_CONFIDENCE[statement.modality]
    if role == "assistant":
        share *= ASSISTANT_SHARE
    if statement.slot.attribute is None:
        share *= NO_SLOT_SHARE
    return settings.default_confidence * share


def _antecedent(statements: list[Statement], previous: str | None) -> str | None:
    """The last subject that a later "it" or "she" can mean."""
    for statement in reversed(statements):
        subject = statement.slot.subject
        if subject not in _NO_ANTECEDENT and subject not in _PRONOUNS:
            return subject
    return previous
