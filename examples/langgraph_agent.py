"""An agent graph with a long-term memory that stays true. No language model: the nodes are scripted.

Run it with `python examples/langgraph_agent.py`; it needs `pip install 'stilltrue[langgraph]'`.
"""

from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore

from stilltrue.connect.langgraph_store import StilltrueStore

MARA = ("users", "mara")


class State(TypedDict):
    """What one turn of the conversation carries."""

    said: str
    answer: str


def listen(state: State, *, store: BaseStore) -> dict[str, str]:
    """Keep what was said."""
    store.put(MARA, f"note {len(store.search(MARA, limit=1000))}", {"text": state["said"], "from": "chat"})
    return {}


def recall(state: State, *, store: BaseStore) -> dict[str, str]:  # noqa: ARG001 - LangGraph gives every node the state
    """Answer from memory."""
    found = store.search(MARA, query="Where does Mara work?", limit=1)
    return {"answer": found[0].value["text"] if found else "I do not know."}


def main() -> None:
    """Two turns: what the second says takes the place of what the first said."""
    with StilltrueStore.open(":memory:") as store:
        graph = StateGraph(State)
        graph.add_node("listen", listen)
        graph.add_node("recall", recall)
        graph.add_edge(START, "listen")
        graph.add_edge("listen", "recall")
        graph.add_edge("recall", END)
        agent = graph.compile(store=store)
        for said in ("Mara works at Initech.", "Mara has left Initech and works at Globex now."):
            print(f"> {said}\n  {agent.invoke({'said': said})['answer']}")
        first = store.get(MARA, "note 0")
        print(f"{first.value['text']} ({first.status})")


if __name__ == "__main__":
    main()
