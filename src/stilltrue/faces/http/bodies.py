"""What may a request say? The edges of the door: what is not named here, or is too long, does not come in.

What words mean (dates, ids, answers) is checked by the verbs themselves, which say it best.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_validator

from stilltrue.model.conflict import Answer
from stilltrue.model.fact import Category, Kind
from stilltrue.model.slot import Cardinality

Name = Annotated[str, Field(min_length=1, max_length=200)]
Words = Annotated[str, Field(min_length=1, max_length=2_000)]
Id = Annotated[str, Field(min_length=1, max_length=64, description="The whole id, or its first or last 6 characters.")]
Time = Annotated[
    str,
    Field(min_length=1, max_length=64, description="ISO date or date and time, epoch seconds, or a word: yesterday."),
]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Why = Annotated[str, Field(max_length=2_000, description="Why; kept in the history.")]
FACT = "0198fe12-3f4c-7c21-9d0e-5a1b5f0c21ab"


class Body(BaseModel):
    """What a request says, and nothing else."""

    model_config = ConfigDict(extra="forbid")


def _example(**words: JsonValue) -> ConfigDict:
    return ConfigDict(extra="forbid", json_schema_extra={"example": words})


class Message(Body):
    role: Name
    content: Annotated[str, Field(max_length=500_000)]


class Remember(Body):
    model_config = _example(text="Our rate limit is 600 requests per minute.", author="ines", topic="api")

    text: Annotated[str, Field(max_length=500_000, description="What was said; or give messages.")] | None = None
    messages: Annotated[list[Message], Field(min_length=1, max_length=1_000)] | None = None
    author: Name | None = Field(None, description="Who said it; the first person is taken for them.")
    topic: Name | None = None
    said_at: Time | None = Field(None, description="When it was said; else now.")
    role: Name | None = None
    origin: Name | None = Field(None, description="A name of this text's own, which makes repeating it harmless.")
    subject: Words | None = None
    attribute: Words | None = None
    value: Words | None = None
    qualifiers: dict[Name, Name] | None = Field(None, max_length=20)
    cardinality: Cardinality | None = None
    valid_from: Time | None = None
    valid_until: Time | None = None
    kind: Kind | None = None
    category: Category | None = None
    importance: Share | None = None
    confidence: Share | None = None
    trust: Share | None = None
    supersedes: list[Id] = Field(
        [], max_length=100, description="Facts that it replaces; a constraint only for a reviewer."
    )
    depends_on: list[Id] = Field([], max_length=100, description="Facts that it rests on.")
    wait: bool = Field(default=True, description="false: answer (202) as soon as it is durable; judge it later.")


class Search(Body):
    model_config = _example(query="what is our rate limit", as_of="2026-01-31", limit=5)

    query: Annotated[str, Field(max_length=4_000)]
    limit: Annotated[int, Field(ge=1, le=100)] | None = None
    as_of: Time | None = Field(None, description="What was true then.")
    known_at: Time | None = Field(None, description="What this memory believed then, right or wrong.")
    include_superseded: bool = False
    author: Name | None = Field(None, description="Only facts that they said.")


class Ask(Body):
    model_config = _example(question="What is our rate limit?")

    question: Annotated[str, Field(max_length=4_000)]
    as_of: Time | None = None
    known_at: Time | None = None
    author: Name | None = Field(None, description="Only from facts that they said.")


class Check(Body):
    model_config = _example(text="How do I change the Jenkins job that deploys to staging?")

    text: Annotated[str, Field(max_length=20_000)]


class Resolve(Body):
    model_config = _example(answer="keep", keep=FACT, reason="asked the team")

    answer: Answer
    keep: Id | None = Field(
        None, description="keep: the fact that stays. never_true: the one that never was. both: which condition names."
    )
    text: Annotated[str, Field(max_length=500_000)] | None = Field(None, description="rewrite: what is so instead.")
    condition: Words | None = Field(None, description="both: what tells them apart, NAME=VALUE.")
    reason: Why = ""
    author: Name | None = None


class Forget(Body):
    model_config = _example(reason="a mix-up", never_true=True)

    reason: Why = ""
    never_true: bool = Field(default=False, description="It never was so: the past does not serve it either.")


class Confirm(Body):
    model_config = _example(reason="looked it up")

    reason: Why = ""
    author: Name | None = None


class Erase(Body):
    model_config = _example(id=FACT, reason="asked for by mara")

    id: Id = Field(description="Of a fact, or of an episode.")
    reason: Why = ""


class Undo(Body):
    model_config = _example(id=FACT)

    id: Id = Field(description="Of a decision, or of a batch.")


class Sweep(Body):
    plan: bool = Field(default=False, description="Only tell what would change.")
    shadow: bool = Field(default=False, description="Only write proposals.")


class Plan(Body):
    plan: bool = Field(default=False, description="Only tell; nothing is written.")


class Story(Body):
    whole: bool = Field(default=True, description="false: only what forgetting leaves of it.")
    seed: Annotated[str, Field(max_length=200)] = Field("", description="Which are left of it, if not all.")


class Apply(Body):
    proposals: list[Id] = Field([], max_length=1_000, description="None: all that nobody graded wrong.")


class Grade(Body):
    right: bool


class Knobs(Body):
    model_config = _example(settings={"contradiction_threshold": 0.8})

    settings: Annotated[dict[Name, Any], Field(min_length=1, max_length=100)] = Field(
        description="For this space; null takes its own value away again."
    )

    @field_validator("settings")
    @classmethod
    def _sendable(cls, given: dict[str, Any]) -> dict[str, Any]:
        """No half characters and no numbers that JSON has not: what is set is shown again."""
        json.dumps(given, ensure_ascii=False, allow_nan=False).encode()
        return given


class Members(Body):
    model_config = _example(members=["mara", "ines"])

    members: list[Name] = Field(max_length=1_000, description="None: the space is private again.")
