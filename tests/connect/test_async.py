"""The asynchronous face: has it every verb of Memory, and does it keep what was begun?"""

import asyncio
import inspect
import subprocess
import sys
import threading
from datetime import UTC, datetime

import pytest

from stilltrue import AsyncMemory, Memory
from stilltrue.errors import InvalidInputError, StateError
from stilltrue.testing import FrozenClock

NOW = datetime(2026, 1, 1, tzinfo=UTC)
OWN_RETURN = {"open", "start_worker", "in_space", "batch", "close"}


@pytest.fixture
def opening(embedder):
    """Opens what the test's event loop then uses."""

    def opening(path=":memory:", **options):
        return AsyncMemory.open(path, clock=FrozenClock(NOW), embedder=embedder, pair_model="off", **options)

    return opening


def verbs_of(kind):
    return {name: getattr(kind, name) for name in dir(kind) if not name.startswith("_")}


def parameters_of(verb):
    return [(one.name, one.kind, one.default) for one in inspect.signature(verb).parameters.values()]


def test_issue6_async_every_verb_of_memory_is_there_with_the_same_parameters():
    ours, theirs = verbs_of(AsyncMemory), verbs_of(Memory)
    assert theirs.keys() <= ours.keys()
    assert ours.keys() - theirs.keys() == {"engine", "space", "member"}  # which a Memory gets when it is made
    for name, verb in theirs.items():
        if isinstance(verb, property):
            assert isinstance(ours[name], property)
            continue
        assert parameters_of(ours[name]) == parameters_of(verb), name
        if name not in OWN_RETURN:
            assert inspect.iscoroutinefunction(ours[name]), name
            assert ours[name].__doc__ == verb.__doc__


def test_issue6_async_it_remembers_and_answers(opening):
    async def story():
        async with opening() as memory:
            await memory.remember("Mara lives in Porto.", said_at="2024-01-05")
            await memory.remember("Mara moved to Lisbon.", said_at="2025-05-04")
            answered = await memory.ask("Where does Mara live?")
            found = await memory.search("Where does Mara live?")
            assert (await memory.settings).search_limit > 0
            assert await memory.check_invariants() == []
            return answered.text, [result.text for result in found.results]

    text, found = asyncio.run(story())
    assert text.startswith("Lisbon")
    assert found == ["Mara moved to Lisbon."]


def test_issue6_async_the_loop_goes_on_while_a_verb_works(opening, monkeypatch):
    begun, may_end = threading.Event(), threading.Event()

    def slow(self, *_, **__):
        begun.set()
        assert may_end.wait(10)
        return threading.current_thread().name

    monkeypatch.setattr(Memory, "stats", slow)
    monkeypatch.setattr(AsyncMemory, "stats", _rewrapped("stats"))

    async def story():
        async with opening() as memory:
            task = asyncio.create_task(memory.stats())
            await asyncio.to_thread(begun.wait, 10)
            await memory.remember("It rains.")
            assert not task.done()
            may_end.set()
            return await task

    assert asyncio.run(story()).startswith("stilltrue")


def _rewrapped(name):
    from stilltrue.connect.async_memory import _awaited

    return _awaited(getattr(Memory, name))


def test_issue6_async_many_writers_lose_nothing(opening):
    async def story():
        async with opening() as memory:
            await asyncio.gather(
                *(memory.remember(f"Server s{n} runs Debian {n}.", subject=f"s{n}") for n in range(25))
            )
            counts = (await memory.stats()).counts
            assert await memory.check_invariants() == []
            return counts["facts"]

    assert asyncio.run(story()) == 25


def test_issue6_async_a_cancelled_write_is_there_whole_or_not_at_all(opening, tmp_path):
    async def story():
        async with opening(tmp_path / "a.db") as memory:
            for number in range(30):
                task = asyncio.create_task(memory.remember(f"Box b{number} holds {number} pens.", subject=f"b{number}"))
                await asyncio.sleep(0.001 * (number % 7))
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            await memory.remember("The last one was not cancelled.")

        async with opening(tmp_path / "a.db") as memory:
            counts = (await memory.stats()).counts
            assert await memory.check_invariants() == []
            return counts, await memory.drain()

    counts, left = asyncio.run(story())
    assert left == []
    assert counts["facts"] == counts["episodes"]
    assert counts["facts"] >= 1


def test_issue6_async_closing_waits_for_what_has_begun(opening, tmp_path):
    async def story():
        memory = await opening(tmp_path / "a.db")
        writes = [asyncio.create_task(memory.remember(f"Lamp l{n} is lit.", subject=f"l{n}")) for n in range(6)]
        await asyncio.sleep(0)
        await memory.close()
        await memory.close()
        await asyncio.gather(*writes)
        with pytest.raises(StateError, match="closed"):
            await memory.search("lamp")
        async with opening(tmp_path / "a.db") as again:
            return (await again.stats()).counts["facts"]

    assert asyncio.run(story()) == 6


def test_issue6_async_a_batch_is_the_tasks_own(opening):
    async def story():
        async with opening() as memory:
            inside, outside = asyncio.Event(), asyncio.Event()

            async def batched():
                async with memory.batch() as batch_id:
                    first = await memory.remember("Mara likes tea.")
                    async with memory.batch() as inner:
                        assert inner == batch_id
                    inside.set()
                    await outside.wait()
                    second = await asyncio.create_task(memory.remember("Zoe likes rum."))
                return batch_id, {one.batch_id for one in (*first, *second)}

            async def other():
                await inside.wait()
                made = await memory.remember("Ann likes ale.")
                outside.set()
                return {one.batch_id for one in made}

            (batch_id, own), theirs = await asyncio.gather(batched(), other())
            assert own == {batch_id}
            assert batch_id not in theirs
            await memory.undo(batch_id)
            assert await memory.check_invariants() == []
            return [result.text for result in (await memory.search("Who likes what?")).results]

    assert asyncio.run(story()) == ["Ann likes ale."]


def test_issue6_async_spaces_share_threads_and_nothing_else(opening):
    async def story():
        async with opening() as memory:
            other = await memory.in_space("other")
            await other.remember("Mara likes tea.")
            assert (await memory.search("tea")).results == ()
            await other.close()
            assert other.space == "other"
            await memory.start_worker()
            return await memory.spaces()

    assert "other" in asyncio.run(story())


def test_issue6_async_errors_arrive_as_they_are(opening):
    async def story():
        async with opening() as memory:
            with pytest.raises(InvalidInputError):
                await memory.remember("")
        with pytest.raises(InvalidInputError):
            await opening("mysql://nowhere")

    asyncio.run(story())


def test_issue6_async_importing_the_package_loads_none_of_it():
    code = (
        "import sys, stilltrue\n"
        "assert 'AsyncMemory' in stilltrue.__all__\n"
        "print([name for name in ('asyncio', 'stilltrue.memory', 'numpy', 'langgraph') if name in sys.modules])\n"
        "import stilltrue.memory\n"
        "print([name for name in ('asyncio', 'langgraph', 'onnxruntime') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "[]"]
