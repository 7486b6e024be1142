"""Which current claims were overtaken by what was said around them, though nobody took them back?

Answer: `outdated`: a claim about one version of a thing beside the move to a later version ("Postgres 14 is our
database version", "The Postgres 17 migration is finished"), and a claim that rests on something beside word that it
is gone ("Deployments go through Jenkins", "The Jenkins server was decommissioned"). The latest word on the thing
counts: a move that was called off, or the old version told once more, leaves the claim alone.

Left to others: what becomes of such a claim, which a person is asked (`upkeep.detective`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from stilltrue.model.slot import Cardinality, ValueType
from stilltrue.rules.lexicons import all_words, lexicon
from stilltrue.rules.literals import VERSION_WORDS, products
from stilltrue.rules.subjects import US
from stilltrue.rules.text import content_stems, stem, tokens
from stilltrue.rules.units import read_unit
from stilltrue.rules.value_keys import name_key, spellings
from stilltrue.rules.wording import wording

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import timedelta

    from stilltrue.model.fact import Fact, Statement

_VERSIONED: Final = re.compile(
    r"(?P<name>[^\W\d_][\w+#.]{0,30})\s(?:version\s|v)?(?P<version>\d{1,4}(?:\.\d{1,4}){0,3})\b"
)
_MOST: Final = 16  # claims about one name that are compared with its latest news: one question settles them together


class Named(NamedTuple):
    """A thing named with a version: its canonical name and the version's parts."""

    name: str
    version: tuple[int, ...]


class News(NamedTuple):
    """A fact that tells of a move to a version, or that it was called off (`done` False)."""

    fact: Fact
    version: tuple[int, ...]
    done: bool


@cache
def _stems(table: str) -> frozenset[str]:
    return frozenset(stem(word) for word in lexicon("narrative")[table]["words"])


@cache
def _unversioned() -> frozenset[str]:
    return all_words("stopwords") | frozenset(lexicon("narrative")["unversioned"]["words"])


def versions(text: str) -> tuple[Named, ...]:
    """The things that a text names with a version.

    >>> versions("Postgres 14 is our database version")
    (Named(name='postgresql', version=(14,)),)
    >>> versions("All 5 nodes have 16 GB since May 12"), versions("Orion 2.3 is live")
    ((), (Named(name='orion', version=(2, 3)),))
    """
    found = []
    for match in _VERSIONED.finditer(text):
        name = match["name"]
        known = name.lower() in products()
        named = known or (name[0].isupper() and name.lower() not in _unversioned())
        if named and name.lower() not in VERSION_WORDS and read_unit(text, match.end()) is None:
            parts = tuple(int(part) for part in match["version"].split("."))
            found.append(Named(name_key(name), parts))
    return tuple(found)


def moves(statement: Statement) -> bool:
    """Whether it tells of a move: "the Postgres 17 migration is finished", not "Postgres 17 is out".

    >>> from datetime import UTC, datetime
    >>> from stilltrue.model.fact import Statement
    >>> from stilltrue.model.slot import Slot
    >>> def said(text): return Statement(text=text, slot=Slot("we", None), said_at=datetime(2025, 1, 1, tzinfo=UTC))
    >>> moves(said("The upgrade to Node 20 is complete")), moves(said("Node 20 is out"))
    (True, False)
    """
    return not _stems("moving").isdisjoint(content_stems(statement.text))


def words_to_find(statement: Statement) -> tuple[str, ...]:
    """Words by which facts that this one may overtake, or be overtaken by, are found: of products, and what is gone.

    >>> from datetime import UTC, datetime
    >>> from stilltrue.model.fact import Statement
    >>> from stilltrue.model.slot import Slot
    >>> at = datetime(2025, 1, 1, tzinfo=UTC)
    >>> words_to_find(Statement(text="The move to Postgres 17 is done", slot=Slot("we", None), said_at=at))
    ('postgres', 'postgresql', 'psql')
    """
    named = {item.name for item in versions(statement.text)}
    if statement.leaves or _tells_of_an_end(statement):
        named.update(gone(statement))
    return tuple(sorted({word for name in named for spelling in (name, *spellings(name)) for word in tokens(spelling)}))


def outdated(current: Sequence[Fact], session: timedelta) -> Iterable[tuple[Fact, Fact, str]]:
    """(claim, what overtook it, the rule in words) for each claim among `current` facts; linear in their number."""
    yield from _old_versions(current, session)
    yield from _gone_things(current, session)


# Versions


def _old_versions(current: Iterable[Fact], session: timedelta) -> Iterable[tuple[Fact, Fact, str]]:
    claims: dict[str, list[tuple[Fact, tuple[int, ...]]]] = defaultdict(list)
    news: dict[str, list[News]] = defaultdict(list)
    for fact in current:
        statement = fact.statement
        for name, version in versions(statement.text):
            if moves(statement):
                news[name].append(News(fact, version, done=not _called_off(statement)))
            elif statement.cardinality is not Cardinality.EVENT and not statement.negated:
                claims[name].append((fact, version))
    for name, told in claims.items():
        latest = sorted(news.get(name, ()), key=lambda item: item.fact.statement.said_at)[-_MOST:]
        last_said = {version: fact.standing.last_seen_at for fact, version in sorted(told, key=_seen)}
        for fact, version in sorted(told, key=_seen)[-_MOST:]:
            found = _overtaking(fact, version, latest, name, session)
            if found is not None and last_said[version] < found.fact.statement.said_at:
                yield fact, found.fact, f"it names a version of {name} that has been moved on from since"


def _seen(told: tuple[Fact, tuple[int, ...]]) -> tuple[object, str]:
    return told[0].standing.last_seen_at, told[0].id


def _called_off(statement: Statement) -> bool:
    said = wording(statement.text)
    undone = not _stems("undone").isdisjoint({stem(word) for word in tokens(statement.text)})
    return undone or statement.negated or "rolled back" in said.end or bool(said.returning)


def _overtaking(
    claim: Fact, version: tuple[int, ...], news: Sequence[News], name: str, session: timedelta
) -> News | None:
    """The latest news of a later version; None where that was called off, or is about something else."""
    later = [item for item in news if item.version[: len(version)] > version and item.fact.id != claim.id]
    if not later or not later[-1].done:
        return None
    found = later[-1]
    told, old = found.fact.statement, claim.statement
    if told.said_at - claim.standing.last_seen_at <= session:
        return None
    return found if _of_one_place(old, told) and _concerns(old, told, name) else None


def _of_one_place(claim: Statement, news: Statement) -> bool:
    """A trial in staging overtakes nothing elsewhere, and no environment speaks for another."""
    there, here = claim.slot.qualifier("environment"), news.slot.qualifier("environment")
    tried = not _stems("trials").isdisjoint({stem(word) for word in tokens(news.text)}) and there is None
    return (there is None or here is None or there == here) and not (tried and here != "production")


def _concerns(claim: Statement, news: Statement, name: str) -> bool:
    """Whether the news is about all of us, the thing itself, or the claim's own subject; not about another's part."""
    if news.slot.subject in (US, claim.slot.subject):
        return True
    own = {stem(word) for word in tokens(f"{name} {claim.slot.subject} {claim.text}")}
    words = {stem(word) for word in tokens(news.slot.subject) if word[0].isalpha()}
    return words <= own | _stems("moving") | _stems("parts") | _aliases(name, news)


def _aliases(name: str, news: Statement) -> set[str]:
    """How the news itself writes the name."""
    written = (match["name"] for match in _VERSIONED.finditer(news.text))
    return {stem(word.lower()) for word in written if name_key(word) == name}


# Things that are gone


def _gone_things(current: Iterable[Fact], session: timedelta) -> Iterable[tuple[Fact, Fact, str]]:
    ends: dict[str, Fact] = {}
    facts = sorted(current, key=lambda fact: (fact.statement.said_at, fact.id))
    for fact in facts:
        if fact.statement.leaves or _tells_of_an_end(fact.statement):
            ends.update(dict.fromkeys(gone(fact.statement), fact))
    if not ends:
        return
    for fact in facts:
        if fact.statement.cardinality is Cardinality.EVENT or _tells_of_an_end(fact.statement):
            continue
        found = _ended(fact, ends, session)
        if found is not None:
            name, news = found
            yield fact, news, f"it rests on {name}, which is gone since"


def gone(statement: Statement) -> frozenset[str]:
    """What the statement says is gone or was left: its subject by its bare name, and what it names as left.

    >>> from datetime import UTC, datetime
    >>> from stilltrue.model.fact import Statement
    >>> from stilltrue.model.slot import Slot
    >>> at = datetime(2025, 1, 1, tzinfo=UTC)
    >>> def told(text, subject): return Statement(text=text, slot=Slot(subject, "status"), said_at=at)
    >>> gone(told("The Splunk contract was cancelled", "splunk contract"))
    frozenset({'splunk'})
    >>> gone(told("The Jenkins upgrade was cancelled", "jenkins upgrade"))
    frozenset()
    """
    names = {name_key(name) for name in statement.leaves} if statement.slot.subject == US else set()
    if _tells_of_an_end(statement) and not statement.leaves and not _called_back(statement):
        words = [word for word in tokens(statement.slot.subject) if stem(word) not in _stems("holders")]
        if len(words) == 1 and _is_name(words[0], statement.text):
            names.add(name_key(words[0]))
    return frozenset(name for name in names if name)


def _tells_of_an_end(statement: Statement) -> bool:
    """Also of an agreement: "the Mailgun account was closed" ends it, while a door that was closed opens again."""
    if wording(statement.text).end:
        return True
    held = not _stems("agreements").isdisjoint({stem(word) for word in tokens(statement.slot.subject)})
    return held and not _stems("over").isdisjoint({stem(word) for word in tokens(statement.text)})


def _called_back(statement: Statement) -> bool:
    return bool(wording(statement.text).returning) or statement.negated


def _is_name(word: str, text: str) -> bool:
    """A proper name: written with a capital where it stands, and no everyday word."""
    if word in all_words("stopwords"):
        return False
    found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE)
    return found is not None and any(letter.isupper() for letter in found.group())


def _ended(claim: Fact, ends: Mapping[str, Fact], session: timedelta) -> tuple[str, Fact] | None:
    value = claim.statement.value
    if value is None or value.type not in (ValueType.NAME, ValueType.TEXT) or claim.statement.negated:
        return None
    for word in tokens(value.text):
        news = ends.get(name_key(word))
        if news is None or news.id == claim.id or claim.statement.leaves:
            continue
        apart = news.statement.said_at - claim.standing.last_seen_at > session
        if apart and claim.statement.slot != news.statement.slot and _of_one_place(claim.statement, news.statement):
            return name_key(word), news
    return None
