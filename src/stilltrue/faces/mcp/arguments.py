"""What may an agent say to a tool? One model a tool: names, types, and for each what it means to a language model.

An unknown name is refused rather than passed over, since a misspelt `supersedes` would otherwise silently not replace.
What the values mean is for `Memory` to check; here is only their form. What an agent may not decide about its own words
(how much they weigh, whether they bind like a rule) is not offered.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema, model_validator
from pydantic.json_schema import SkipJsonSchema

from stilltrue.model.conflict import Answer, ConflictStatus
from stilltrue.read.search import MOST_RESULTS

ALL: Final = "all"
_ID: Final = "the whole id, or at least 6 characters of its start or end"
_WHEN: Final = "a date (2025-03-01), an ISO date and time, or words such as yesterday"


def _listed(given: Any) -> Any:  # noqa: ANN401 - what a caller sent
    """Language models often send one word where a list of words is asked for; it means the same."""
    return [given] if isinstance(given, str) else given


def _enum(words: list[str], default: str | None = None) -> dict[str, Any]:
    return {"type": "string", "enum": words} | ({} if default is None else {"default": default})


MaybeText = str | SkipJsonSchema[None]
Ids = Annotated[list[str], BeforeValidator(_listed)]
MemoryId = Annotated[str, Field(description=f"Id of a remembered fact: {_ID}.")]
AsOf = Annotated[
    MaybeText,
    Field(description=f"What was true then, instead of now: {_WHEN}; a bare date means the end of that day."),
]
KnownAt = Annotated[
    MaybeText,
    Field(
        description=f"What this memory believed then, right or wrong: {_WHEN}. Use it to find what was learned since."
    ),
]
Superseded = Annotated[bool, Field(description="Also facts that are no longer, or not yet, so, with their dates.")]
Author = Annotated[
    MaybeText, Field(description="Who said it, e.g. the user's name; “I” and “my” in the text are taken for them.")
]
SaidBy = Annotated[
    MaybeText,
    Field(description="Only facts that they said: the name as results tell it, e.g. an agent's. Else of all."),
]
SaidAt = Annotated[MaybeText, Field(description=f"When it was said, if not now: {_WHEN}.")]
ValidFrom = Annotated[MaybeText, Field(description=f"Since when it is so, if the text does not say it: {_WHEN}.")]
ValidUntil = Annotated[MaybeText, Field(description=f"From when on it is so no longer, if that is known: {_WHEN}.")]
Reason = Annotated[str, Field(description="Why, in a few words; kept in the history.")]
Topic = Annotated[MaybeText, Field(description="The area it belongs to, e.g. a project's name.")]
Wait = Annotated[
    bool,
    Field(
        description="True: answer when it has been judged against what is known. False: answer as soon as it is "
        "durable (a few milliseconds); it is judged in the background."
    ),
]


class Arguments(BaseModel):
    """The form of all of them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: Any) -> Any:  # noqa: ANN401 - what a caller sent
        """Language models often send null for what they do not want to say; it means the default."""
        if not isinstance(given, dict):
            return given
        fields = cls.model_fields
        return {
            name: value
            for name, value in given.items()
            if value is not None or name not in fields or fields[name].is_required()
        }


class AddMemory(Arguments):
    text: Annotated[
        str,
        Field(
            description="What to remember, as one or more plain statements that can be understood alone: name who and "
            "what, keep dates, units and conditions. Example: “Mara's rate limit is 600 requests per minute since May.”"
        ),
    ]
    author: Author = None
    topic: Topic = None
    said_at: SaidAt = None
    valid_from: ValidFrom = None
    valid_until: ValidUntil = None
    supersedes: Annotated[
        Ids, Field(description=f"Ids of facts that this replaces, where you know it for sure: {_ID}.")
    ] = []
    depends_on: Annotated[
        Ids, Field(description=f"Ids of facts it rests on; should they fall, it is marked for a second look: {_ID}.")
    ] = []
    wait: Wait = True


class SearchMemories(Arguments):
    query: Annotated[str, Field(description="What you want to know, as a question or a few words.")]
    limit: Annotated[
        int | SkipJsonSchema[None], Field(description="How many facts at most.", ge=1, le=MOST_RESULTS)
    ] = None
    as_of: AsOf = None
    known_at: KnownAt = None
    include_superseded: Superseded = False
    author: SaidBy = None


class AskMemory(Arguments):
    question: Annotated[str, Field(description="One question about what is remembered, in plain words.")]
    as_of: AsOf = None
    known_at: KnownAt = None
    author: SaidBy = None


class CheckText(Arguments):
    text: Annotated[str, Field(description="The question, plan or draft, as you would say or send it.")]


class GetMemory(Arguments):
    memory_id: MemoryId


class GetMemories(Arguments):
    subject: Annotated[str, Field(description="Who or what the facts are about, e.g. “Mara” or “staging database”.")]
    attribute: Annotated[
        MaybeText, Field(description="Only this side of the subject, e.g. “residence”, as results name it.")
    ] = None
    as_of: AsOf = None
    known_at: KnownAt = None
    include_superseded: Superseded = False
    author: SaidBy = None


class UpdateMemory(Arguments):
    memory_id: MemoryId
    text: Annotated[str, Field(description="What is so now, as one plain statement that can be understood alone.")]
    author: Author = None
    topic: Topic = None
    said_at: SaidAt = None
    valid_from: ValidFrom = None
    valid_until: ValidUntil = None
    wait: Wait = True


class DeleteMemory(Arguments):
    memory_id: MemoryId
    never_true: Annotated[
        bool,
        Field(
            description="True: it never was so (a mistake), and the past does not serve it either. "
            "False: it is so no longer."
        ),
    ] = False
    reason: Reason = ""


class MemoryHistory(Arguments):
    memory_id: Annotated[MaybeText, Field(description=f"Id of one fact: {_ID}. Give this or a subject.")] = None
    subject: Annotated[MaybeText, Field(description="Whose timeline, e.g. “Mara”. Give this or a memory_id.")] = None
    attribute: Annotated[MaybeText, Field(description="With a subject: only this side of it, e.g. “residence”.")] = None


class ExplainMemory(Arguments):
    memory_id: Annotated[str, Field(description=f"Id of a fact, or of a decision that a tool has told: {_ID}.")]


class ListConflicts(Arguments):
    status: Annotated[
        str,
        WithJsonSchema(_enum([*ConflictStatus, ALL], ConflictStatus.OPEN.value)),
        Field(description="Which: open (to be settled), answered, dismissed, or all."),
    ] = ConflictStatus.OPEN.value


class ResolveConflict(Arguments):
    conflict_id: Annotated[str, Field(description=f"Id of the conflict, as list_conflicts tells it: {_ID}.")]
    answer: Annotated[
        str,
        WithJsonSchema(_enum(list(Answer))),
        Field(
            description="keep: one fact stays (name it in keep). both: both are so, told apart by a condition. "
            "never_true: the fact named in keep never was so. rewrite: none is right; text says what is. "
            "dismiss: there is no conflict; nothing changes."
        ),
    ]
    keep: Annotated[
        MaybeText,
        Field(
            description="Id of the fact that stays (keep), never was (never_true), or holds under the condition (both)."
        ),
    ] = None
    text: Annotated[MaybeText, Field(description="With rewrite, and only then: what is so instead.")] = None
    condition: Annotated[
        MaybeText, Field(description="With both: what tells them apart, as NAME=VALUE, e.g. environment=staging.")
    ] = None
    reason: Reason = ""
    author: Annotated[MaybeText, Field(description="Who has settled it: the person you asked.")] = None


class UndoDecision(Arguments):
    decision_id: Annotated[str, Field(description=f"Id of a decision or of a batch, as a tool has told it: {_ID}.")]


def schema_of(arguments: type[Arguments]) -> dict[str, Any]:
    """The JSON Schema of what a tool takes, without what only Python programmers read."""
    schema = arguments.model_json_schema()
    for part in (schema, *schema["properties"].values()):
        part.pop("title", None)
        if part.get("default", ...) is None:
            del part["default"]
    schema.pop("description", None)
    return schema


def sentence_of(error: ValidationError, arguments: type[Arguments]) -> str:
    """What is wrong with the arguments, in one line that names them and what is taken instead."""
    faults = [f"{'.'.join(map(str, fault['loc'])) or 'arguments'}: {_fault(fault)}" for fault in error.errors()]
    return f"{'; '.join(faults)}; it takes {', '.join(arguments.model_fields)}"


def _fault(fault: Any) -> str:  # noqa: ANN401 - pydantic's own record of an error
    if fault["type"] == "extra_forbidden":
        return "there is no such argument"
    return "is missing" if fault["type"] == "missing" else str(fault["msg"])
