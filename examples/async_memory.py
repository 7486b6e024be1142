"""Several conversations at once on one event loop, each with a space of its own.

Run it with `python examples/async_memory.py`.
"""

import asyncio

from stilltrue import AsyncMemory

SAID = {
    "mara": ["I live in Porto.", "I moved to Lisbon."],
    "zoe": ["I live in Oslo."],
}


async def converse(memory: AsyncMemory, name: str) -> str:
    """One conversation, told sentence by sentence."""
    space = await memory.in_space(name)
    async with space.batch():
        for sentence in SAID[name]:
            await space.remember(sentence)
    return (await space.ask("Where do I live?")).text


async def main() -> None:
    """All conversations together."""
    async with AsyncMemory.open(":memory:") as memory:
        answers = await asyncio.gather(*(converse(memory, name) for name in SAID))
    for name, answer in zip(SAID, answers, strict=True):
        print(f"{name}: {answer}")


if __name__ == "__main__":
    asyncio.run(main())
