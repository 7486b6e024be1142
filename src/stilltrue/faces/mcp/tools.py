"""What can an agent do with a memory? One `Tool` for each verb: how a language model is told of it, what it takes and
answers, and the one call of `Memory` behind it.

Answers are `faces.wire`'s JSON, and beside it lines for people and for models that read only text: every fact with its
dates. No tool edits a text (a change is a new fact that supersedes), and none erases: that is for people.

Annotations tell the truth as the protocol means it: a tool is destructive if it may take something out of what is
served without putting something said in its place, idempotent if saying it twice does no more than saying it once.
Reading is read-only though it is counted for retention, since no answer changes by it. The world of a memory is closed,
also where a language model helps to judge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from stilltrue.faces import shapes
from stilltrue.faces.http.access import Role
from stilltrue.faces.mcp import arguments as given
from stilltrue.faces.mcp import calls
from stilltrue.faces.text import Lens
from stilltrue.read.checked import Checked
from stilltrue.read.results import Answered, Explanation, FactHistory, Found, Result, Timeline

if TYPE_CHECKING:
    from stilltrue.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool. `needs`: the role a caller must have where there are callers with tokens."""

    name: str
    title: str
    description: str
    takes: type[given.Arguments]
    answers: shapes.Answer
    run: Callable[[Memory, Any, Lens], calls.Answer]
    needs: Role = Role.READER
    destructive: bool = False
    idempotent: bool = True

    @property
    def reads_only(self) -> bool:
        return self.needs is Role.READER


ADD_MEMORY: Final = Tool(
    name="add_memory",
    title="Remember",
    description=(
        "Remember something lasting: a fact, preference, decision, plan or rule about the user, their people, project "
        "or systems, when it is told or when it changes. Every statement is judged against what is known: what it "
        "makes outdated is superseded, not deleted; what it repeats is strengthened; where it is unclear, a question "
        "is opened. Answers with one decision per statement (ACCEPT, SUPERSEDE, REINFORCE, RETRACT, REJECT, ASK), the "
        "new fact's id and why. Do not add secrets, guesses, small talk, or text that memory itself told you. If you "
        "know which fact changes, use update_memory or give supersedes."
    ),
    takes=given.AddMemory,
    answers=shapes.decisions,
    run=calls.add,
    needs=Role.WRITER,
    idempotent=False,
)

SEARCH_MEMORIES: Final = Tool(
    name="search_memories",
    title="Search memory",
    description=(
        "Find what is remembered about something, best first, before you answer or act on what the user or project "
        "may have told earlier. By default only what is true now; each fact comes with its id, its dates (valid_from, "
        "valid_until), who said it, and its status. Give as_of for the past, known_at for what was believed then. "
        "Nothing found means that memory does not know: do not guess."
    ),
    takes=given.SearchMemories,
    answers=shapes.noun(Found),
    run=calls.search,
)

ASK_MEMORY: Final = Tool(
    name="ask_memory",
    title="Ask memory a question",
    description=(
        "Get one answer in words to one question about what is remembered, with the facts it rests on and their exact "
        "quotes. Where memory holds no answer it says so (refused: true) instead of guessing. Use search_memories "
        "when you want all facts on a subject."
    ),
    takes=given.AskMemory,
    answers=shapes.noun(Answered),
    run=calls.ask,
)

CHECK_TEXT: Final = Tool(
    name="check_text",
    title="Check a text against memory",
    description=(
        "Find what a question, a plan or a draft takes for granted that memory says is no longer so, before you act on "
        "it or send it: an old owner, version, tool, place or decision. Each stale stretch comes with its place in the "
        "text, what memory says instead, since when, and the facts and quotes it rests on. What memory does not know "
        "is not flagged, so an empty answer is no proof that all is right."
    ),
    takes=given.CheckText,
    answers=shapes.noun(Checked),
    run=calls.check,
)

GET_MEMORY: Final = Tool(
    name="get_memory",
    title="One fact",
    description=(
        "Read one fact by its id, current or not: its words, dates, status, sources, what it replaced and what "
        "replaced it. Use it when you hold an id from another answer."
    ),
    takes=given.GetMemory,
    answers=shapes.single("fact", Result),
    run=calls.get,
)

GET_MEMORIES: Final = Tool(
    name="get_memories",
    title="All facts about a subject",
    description=(
        "List every fact about one subject (and one side of it), newest first, without any ranking or likeness: use it "
        "when you need completeness rather than relevance. By default only what is true now, each with its dates."
    ),
    takes=given.GetMemories,
    answers=shapes.lookup,
    run=calls.lookup,
)

UPDATE_MEMORY: Final = Tool(
    name="update_memory",
    title="Replace a fact",
    description=(
        "Say what is so now in place of a fact whose id you know. The old fact is kept unchanged in the history and "
        "marked as superseded; the new one is a fact of its own. If the old one never was true, use delete_memory "
        "with never_true instead. Answers with the decision, the new fact's id and how both stand now."
    ),
    takes=given.UpdateMemory,
    answers=shapes.decisions,
    run=calls.update,
    needs=Role.WRITER,
    idempotent=False,
)

DELETE_MEMORY: Final = Tool(
    name="delete_memory",
    title="Stop serving a fact",
    description=(
        "Stop serving a fact, when the user says that it is so no longer and nothing takes its place, or that it never "
        "was so (never_true). Its words stay in the history and undo_decision brings it back; removing words for good "
        "is left to people. If something else is so instead, use update_memory."
    ),
    takes=given.DeleteMemory,
    answers=shapes.decisions,
    run=calls.forget,
    needs=Role.REVIEWER,
    destructive=True,
)

MEMORY_HISTORY: Final = Tool(
    name="memory_history",
    title="How it came to be so",
    description=(
        "Read the whole life of one fact (memory_id), or the timeline of a subject, such as every place somebody has "
        "lived, with the dates from when to when each was so. Use it for “since when”, “what was it before” and “how "
        "often has this changed”."
    ),
    takes=given.MemoryHistory,
    answers=shapes.either(FactHistory, Timeline),
    run=calls.history,
)

EXPLAIN_MEMORY: Final = Tool(
    name="explain_memory",
    title="Why memory decided so",
    description=(
        "Read why a fact is what it is: every decision that made or changed it, which facts were considered, what each "
        "judge said with its weight, and which rule settled it. Use it when the user doubts a memory."
    ),
    takes=given.ExplainMemory,
    answers=shapes.noun(Explanation),
    run=calls.explain,
)

LIST_CONFLICTS: Final = Tool(
    name="list_conflicts",
    title="Questions to settle",
    description=(
        "List facts that cannot both be so and that nobody has settled yet, each with one question to ask, the facts "
        "with their dates, and what an answer would settle; the most useful first. Use it when answers look "
        "contradictory, or when the user has a minute to clear things up."
    ),
    takes=given.ListConflicts,
    answers=shapes.conflicts,
    run=calls.conflicts,
)

RESOLVE_CONFLICT: Final = Tool(
    name="resolve_conflict",
    title="Settle a conflict",
    description=(
        "Settle a conflict with the user's answer to its question: keep, both, never_true, rewrite or dismiss. Ask the "
        "user first unless they have just told you the answer; do not decide by yourself. Answers with the decision; "
        "undo_decision takes it back."
    ),
    takes=given.ResolveConflict,
    answers=shapes.decisions,
    run=calls.resolve,
    needs=Role.REVIEWER,
    destructive=True,
)

UNDO_DECISION: Final = Tool(
    name="undo_decision",
    title="Take a decision back",
    description=(
        "Take back a decision exactly, by the id that add_memory, update_memory, delete_memory, resolve_conflict or "
        "explain_memory told: what it added is withdrawn and what it ended is so again. Use it when something was "
        "remembered or removed by mistake."
    ),
    takes=given.UndoDecision,
    answers=shapes.decisions,
    run=calls.undo,
    needs=Role.REVIEWER,
    destructive=True,
)

TOOLS: Final = {
    tool.name: tool
    for tool in (
        ADD_MEMORY,
        SEARCH_MEMORIES,
        ASK_MEMORY,
        CHECK_TEXT,
        GET_MEMORY,
        GET_MEMORIES,
        UPDATE_MEMORY,
        DELETE_MEMORY,
        MEMORY_HISTORY,
        EXPLAIN_MEMORY,
        LIST_CONFLICTS,
        RESOLVE_CONFLICT,
        UNDO_DECISION,
    )
}
