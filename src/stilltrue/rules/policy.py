"""A judge says that two facts conflict: may the engine act on it, must it ask, or is it too weak to mention?

Pure guard rails between judgement and change: constraints, trust, thresholds, disagreement between authors. The
numbers come in as a `Policy`; which dates end where is `timelines`' business.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from stilltrue.model.conflict import ConflictKind
from stilltrue.model.fact import Kind, Modality
from stilltrue.model.slot import Cardinality
from stilltrue.model.verdict import EvidenceSource
from stilltrue.rules.attributes import attributes
from stilltrue.rules.lexicons import lexicon
from stilltrue.rules.measured import ASKS, RETIRES
from stilltrue.rules.pair import is_fallback
from stilltrue.rules.subjects import US, USER, introduces, speaker_name
from stilltrue.rules.text import content_stems, tokens
from stilltrue.rules.wording import wording

if TYPE_CHECKING:
    from stilltrue.model.fact import Statement
    from stilltrue.model.verdict import Judgement, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The numbers of `settings.Settings` that decisions need; probabilities 0..1."""

    supersession_enabled: bool = True
    supersession_min_confidence: float = 0.7
    contradiction_threshold: float = 0.72
    ask_threshold: float = 0.5
    reinforce_threshold: float = 0.85
    min_confidence: float = 0.3
    repeat_window: timedelta = timedelta(hours=24)
    max_retired_per_write: int = 5
    disagreement: timedelta = timedelta(days=7)
    shadow: bool = False


_MODELS = frozenset({EvidenceSource.PAIR_MODEL, EvidenceSource.LLM})


class Permission(StrEnum):
    """What may be done about a conflict."""

    APPLY = "apply"
    ASK = "ask"
    IGNORE = "ignore"


@dataclass(frozen=True, slots=True)
class Ruling:
    """The permission, the kind of question where one is asked, and the rule that said so, in words."""

    permission: Permission
    rule: str
    kind: ConflictKind = ConflictKind.CONTRADICTION


@dataclass(frozen=True, slots=True)
class Party:
    """One side of a pair as policy sees it."""

    statement: Statement
    trust: float


ALONE = 0.72
"""The least probability of a conflict that no rule sees and a person is asked about: below it the model alone asked two
needless questions more in the coding sessions."""
FAR = 0.985
"""The same for two attributes and no word in common ("My manager is Petra", "I moved to Antwerp"). Of 886 pairs of a
person's unrelated facts the model called 31 a conflict surely enough to act, and one of them with this much."""
NEWS = 0.9
"""The least confidence with which a change is asked about between two subjects ("Sprint length is two weeks", "Sprints
are three weeks long from now on"). At 0.85 one question more is opened in the coding sessions, a needless one; at 0.9
none is there, nor in 2,451 unrelated facts."""
_SPEAKER_WORDS = frozenset({"user", "i", "me", "my", "mine", "myself", "you", "your", "he", "she", "his", "her"})
UNCLAIMED = frozenset({Modality.PLAN, Modality.HYPOTHETICAL, Modality.QUESTION, Modality.HEARSAY})
"""Voices that claim no present state: nothing said in them retires anything (LABELS 5)."""


def rule_on(verdict: Verdict, earlier: Party, later: Party, policy: Policy) -> Ruling:  # noqa: PLR0911 - a ladder
    """Whether `later` may end `earlier`, which it conflicts with by `verdict`. Order is that of valid time.

    The order of the questions is the order of importance: what people laid down, whom they trust, how sure it is.
    """
    if verdict.conflict < policy.ask_threshold:
        return Ruling(Permission.IGNORE, "below ask_threshold")
    if later.statement.modality in UNCLAIMED:
        return Ruling(Permission.IGNORE, f"a {later.statement.modality} claims no present state")
    if earlier.statement.kind is Kind.CONSTRAINT:
        return Ruling(Permission.ASK, "constraints are never superseded automatically", ConflictKind.CONSTRAINT)
    if not _firm(verdict) and not _one_thing(verdict, earlier.statement, later.statement, policy):
        return _between_subjects(verdict, earlier.statement, later.statement)
    if model_alone(verdict) and (why := _let_be(verdict, earlier, later, policy)):
        return Ruling(Permission.IGNORE, why)
    if later.trust < earlier.trust:
        return Ruling(Permission.ASK, "its author is trusted less than the fact's author")
    if not policy.supersession_enabled:
        return Ruling(Permission.ASK, "supersession is switched off")
    if verdict.confidence < policy.supersession_min_confidence:
        return Ruling(Permission.ASK, "below supersession_min_confidence")
    if verdict.confidence < policy.contradiction_threshold:
        return Ruling(Permission.ASK, "below contradiction_threshold")
    if disagree(verdict, earlier.statement, later.statement, policy.disagreement):
        return Ruling(
            Permission.ASK, "two authors say different things and neither speaks of a change", ConflictKind.AMBIGUITY
        )
    return Ruling(Permission.APPLY, "sure enough to act on")


def may_replace(earlier: Party, later: Party, author: str | None, *, vouched: bool | None) -> bool:
    """Whether a caller who names `earlier` as replaced has it so (C9); a constraint does not give way to all (E7).

    `author` says `later`; None is the memory's owner. `vouched`: a door that knows the caller tells whether it may
    settle questions; then only that counts, since author and trust are there what the caller says of itself.
    """
    if earlier.statement.kind is not Kind.CONSTRAINT:
        return True
    if vouched is not None:
        return vouched
    return author is None or author == earlier.statement.author or later.trust >= earlier.trust


def breaks(judgement: Judgement, earlier: Statement, later: Statement) -> bool:
    """Whether `later` does what a constraint forbids: who does it is no matter to "never store card numbers".

    The words alone speak of two subjects then, so that a model hears no conflict; the rules' word is enough to ask.
    """
    forbids = earlier.kind is Kind.CONSTRAINT and earlier.modality is Modality.RULE and earlier.negated
    if not forbids or later.negated or later.modality is not Modality.ASSERTION or not _same_deed(earlier, later):
        return False
    told = [entry for entry in judgement.evidence if entry.relation is not None and entry.relation.is_conflict]
    return any(entry.source not in _MODELS and entry.weight >= ASKS for entry in told)


def _let_be(verdict: Verdict, earlier: Party, later: Party, policy: Policy) -> str:
    """Why nothing is done about a conflict that only a model sees; empty where it counts."""
    if verdict.conflict < ALONE or _far_fetched(verdict, earlier, later, policy):
        return "only the model sees a conflict, and not surely enough to ask"
    if verdict.confidence < policy.contradiction_threshold and _say_one(earlier, later):
        return "both give the slot the same value: there is nothing to ask"
    if not _by_llm(verdict) and _side_by_side(earlier.statement, later.statement):
        return "only the model sees a conflict, and the two stand side by side"
    return ""


def _far_fetched(verdict: Verdict, earlier: Party, later: Party, policy: Policy) -> bool:
    """The model alone sees a conflict between two attributes: on no common word, or not surely and nobody speaks of a
    change. In 1,500 unrelated facts all 55 questions of that last kind were needless ("born in 1996", "birthday is in
    June").
    """
    old, new = earlier.statement, later.statement
    if _by_llm(verdict):
        return False
    if old.slot.attribute != new.slot.attribute and not _share_a_word(old, new):
        return verdict.conflict < FAR
    if verdict.confidence >= policy.contradiction_threshold:
        return False
    apart = old.slot.attribute != new.slot.attribute or old.slot.qualifiers != new.slot.qualifiers
    return apart and not (wording(new.text).announces or new.leaves)


def _say_one(earlier: Party, later: Party) -> bool:
    """Whether both say the same value of the same slot ("I'm moving to Porto in August", "I moved to Porto")."""
    old, new = earlier.statement, later.statement
    values = old.value is not None and new.value is not None and old.value.key == new.value.key
    return values and old.slot == new.slot and not old.negated and not new.negated


def _side_by_side(earlier: Statement, later: Statement) -> bool:
    """Two attributes that stand beside each other: "works at Google", "got promoted to staff engineer"."""
    both = {earlier.slot.attribute, later.slot.attribute}
    return len(both) > 1 and any(both <= set(entry["attributes"]) for entry in lexicon("facets").values())


def _share_a_word(old: Statement, new: Statement) -> bool:
    """Whether both speak of something beside their subject."""
    return bool((content_stems(old.text) & content_stems(new.text)) - content_stems(old.slot.subject))


def _same_deed(earlier: Statement, later: Statement) -> bool:
    """The same predicate of the same thing, whoever the subject is."""
    values = earlier.value is not None and later.value is not None and earlier.value.key == later.value.key
    return values and earlier.slot.attribute is not None and earlier.slot.attribute == later.slot.attribute


def _between_subjects(verdict: Verdict, earlier: Statement, later: Statement) -> Ruling:
    """What is done about a conflict between two subjects that no rule is sure of."""
    if _is_news_of(verdict, earlier, later):
        return Ruling(Permission.ASK, "a judge is sure of a change, of what the two name differently")
    if _by_llm(verdict):
        return Ruling(Permission.ASK, "no rule is sure of a conflict, only an LLM, and it is between two subjects")
    return Ruling(Permission.IGNORE, "no rule is sure of a conflict, and it would be between two subjects")


def _one_thing(verdict: Verdict, earlier: Statement, later: Statement, policy: Policy) -> bool:
    """Whether both are about one subject, or about one attribute of ours and the judges are sure enough to act."""
    sure = verdict.confidence >= max(policy.contradiction_threshold, policy.supersession_min_confidence)
    return _of_one(earlier, later) or (sure and _ours(earlier, later))


def _is_news_of(verdict: Verdict, earlier: Statement, later: Statement) -> bool:
    """Whether a judge is sure of a change that the words announce too, of something both speak of."""
    words = wording(later.text)
    told = words.announces or bool(words.weak_change) or bool(later.leaves)
    return verdict.confidence >= NEWS and told and _share_a_word(earlier, later)


def _of_one(earlier: Statement, later: Statement) -> bool:
    """One subject. "Ours" is everybody's, and where nobody is named it is taken to be the speaker: that is one subject
    only with one attribute.
    """
    old, new = earlier.slot, later.slot
    if old.subject != new.subject:
        return introduces(earlier, later)
    if old.subject == US:
        return old.attribute == new.attribute and not is_fallback(new.attribute)
    return old.attribute == new.attribute or all(map(_names_subject, (earlier, later)))


def _ours(earlier: Statement, later: Statement) -> bool:
    """One attribute of a thing ("the API rate limit is 100") and of us, with word of a change ("we raised it to 500").

    Who speaks for the team names the thing or leaves it out; what people are and have is nobody's but their own.
    """
    old, new = earlier.slot, later.slot
    entry = attributes().get(new.attribute or "")
    if old.attribute != new.attribute or old.qualifiers != new.qualifiers or entry is None or entry.owner == "person":
        return False
    one = Cardinality.ONE is earlier.cardinality is later.cardinality
    told = wording(later.text).announces or bool(later.leaves)
    return US in (old.subject, new.subject) and one and told and earlier.value is not None and later.value is not None


def _names_subject(statement: Statement) -> bool:
    """Whether the words name whom they are about, or somebody gave it; else it is the speaker for want of another."""
    words = set(tokens(statement.text))
    speaking = statement.slot.subject in {USER, speaker_name(statement.author)}
    return not speaking or bool(words & _SPEAKER_WORDS) or statement.slot.subject in words


def _firm(verdict: Verdict) -> bool:
    """Whether a rule is sure enough of a conflict to act upon it on its own word.

    Where none was, and the subjects were not one, rules and a sure model retired two true facts of the coding sessions
    and none rightly.
    """
    told = [entry for entry in verdict.evidence if entry.relation is not None and entry.relation.is_conflict]
    return any(entry.source not in _MODELS and entry.weight >= RETIRES for entry in told)


def model_alone(verdict: Verdict) -> bool:
    """Whether no rule saw a conflict, and a model did: the trained one, or an LLM.

    On sentences of its own kind it is right (0.97 from the apply point on); in the coding sessions, where each sentence
    is about another thing, all eight facts that it would have retired across subjects were true.
    """
    told = [entry for entry in verdict.evidence if entry.relation is not None and entry.relation.is_conflict]
    return bool(told) and all(entry.source in _MODELS or entry.weight < ASKS for entry in told)


def _by_llm(verdict: Verdict) -> bool:
    """Whether an LLM's vote settled it: it knows more names of one thing than the trained model, so it may ask."""
    return any(entry.source is EvidenceSource.LLM and entry.signal == verdict.settled_by for entry in verdict.evidence)


def disagree(verdict: Verdict, earlier: Statement, later: Statement, window: timedelta) -> bool:
    """Two named authors' differing flat statements within `window`: neither is news of the other (B14).

    Word of a change, a correction or an end, or a date of its own, makes the later one news.
    """
    if earlier.author is None or later.author is None or earlier.author == later.author:
        return False
    announced = verdict.corrects or bool(later.leaves) or later.dated or wording(later.text).announces
    return not announced and abs(later.said_at - earlier.said_at) <= window
