"""A program written for Mem0's calls, with stilltrue behind them: only the import is another.

Run it with `python examples/mem0_style.py`.
"""

from stilltrue.connect.mem0_facade import Mem0Memory


def main() -> None:
    """Add, search, and look at what became of a memory."""
    with Mem0Memory.open(":memory:") as memory:
        memory.add("I live in Porto. I like green tea.", user_id="mara", metadata={"from": "form"})
        (moved,) = memory.add("I moved to Lisbon.", user_id="mara")["results"]
        print(moved["event"], "-", moved.get("previous_memory"), "->", moved["memory"])
        for found in memory.search("Where do I live?", user_id="mara")["results"][:1]:
            print("found:", found["memory"])
        for row in memory.history(moved["id"]):
            print(row["event"], row["new_memory"])
        print("another user:", memory.search("Where do I live?", user_id="zoe"))


if __name__ == "__main__":
    main()
