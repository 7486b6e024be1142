"""LangGraph's store: does ours do what the library's own in-memory store does, and what only ours can do?"""

import asyncio
import itertools
import math
import multiprocessing
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchItem,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore
from typing_extensions import TypedDict

from stilltrue import Memory
from stilltrue.connect import attached
from stilltrue.connect.current import current_facts
from stilltrue.connect.langgraph_store import StilltrueStore
from stilltrue.errors import InvalidInputError
from stilltrue.testing import FrozenClock

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HOME = ("users", "mara")
OTHER = ("users", "zoe")


@pytest.fixture
def clock():
    return FrozenClock(NOW)


@pytest.fixture
def store(clock, embedder):
    with StilltrueStore.open(":memory:", clock=clock, embedder=embedder, pair_model="off") as opened:
        yield opened
        assert opened.space(("any",)).check_invariants() == []


def plain(result):
    """A result without what no two stores share: times, scores."""
    if isinstance(result, list):
        return [plain(item) for item in result]
    return (result.namespace, result.key, result.value) if hasattr(result, "key") else result


def in_any_order(result):
    return sorted(map(repr, plain(result)))


VALUES = {
    "plain": {"theme": "dark", "age": 3, "deep": {"a": {"b": [1, 2, {"c": None}]}}},
    "text": {"text": "Mara works at Initech.", "rank": 1},
    "number": {"rank": 2.5, "ok": True},
    "unicode": {"text": "Zoë mag Käse 🧀.", "ключ": "значение"},
    "empty": {},
    "blank": {"text": "  ", "rank": 10},
    "chapters": {"chapters": [{"text": "The sky is blue."}, {"text": "Grass is green."}], "rank": "7"},
}

CASES = {
    "an item that is not there": lambda s: s.get(HOME, "nothing"),
    "a namespace that is not there": lambda s: s.get(("no", "such"), "plain"),
    **{f"the value {key!r}": lambda s, key=key: s.get(HOME, key) for key in VALUES},
    "a later put replaces the whole value": lambda s: (s.put(HOME, "text", {"other": 1}), s.get(HOME, "text"))[1],
    "a deleted item is gone": lambda s: (s.delete(HOME, "text"), s.get(HOME, "text"))[1],
    "deleting twice is no error": lambda s: (s.delete(HOME, "text"), s.delete(HOME, "text"))[1],
    "deleting what never was is no error": lambda s: s.delete(("no", "such"), "x"),
    "putting None deletes": lambda s: (s.batch([PutOp(HOME, "text", None)]), s.get(HOME, "text"))[1],
    "a deleted item can be put again": lambda s: (
        s.delete(HOME, "text"),
        s.put(HOME, "text", {"text": "Mara works at Globex."}),
        s.get(HOME, "text"),
    )[2],
    "the same key in another namespace": lambda s: (s.put(OTHER, "plain", {"x": 1}), s.get(HOME, "plain"))[1],
    "a key that is no plain word": lambda s: (s.put(HOME, "a/b#c:%2F é", {"x": 1}), s.get(HOME, "a/b#c:%2F é"))[1],
    "a key that begins like another": lambda s: (s.put(HOME, "plain#2", {"x": 1}), s.get(HOME, "plain"))[1],
    "an item put without an index": lambda s: (
        s.put(HOME, "quiet", {"text": "Mara is 30."}, index=False),
        s.get(HOME, "quiet"),
    )[1],
    "an item put with paths": lambda s: (
        s.put(HOME, "p", VALUES["chapters"], index=["chapters[*].text", "missing", "chapters[-1].text"]),
        s.get(HOME, "p"),
    )[1],
    "an item put with fields in braces": lambda s: (
        s.put(HOME, "p", {"a": "It rains.", "b": {"c": "It snows."}}, index=["{a,b.c}"]),
        s.get(HOME, "p"),
    )[1],
    "reads of a batch see the store as it was": lambda s: s.batch(
        [PutOp(HOME, "plain", {"new": 1}), GetOp(HOME, "plain"), PutOp(HOME, "n", {"m": 1}), GetOp(HOME, "n")]
    ),
    "the last put of a key in a batch counts": lambda s: (
        s.batch([PutOp(HOME, "k", {"a": 1}), PutOp(HOME, "k", {"a": 2})]),
        s.get(HOME, "k"),
    )[1],
}

SEARCHES = {
    "everything under a prefix": {"namespace_prefix": ("users",), "limit": 50},
    "everything in one namespace": {"namespace_prefix": HOME, "limit": 50},
    "everything there is": {"namespace_prefix": (), "limit": 50},
    "a prefix that is half a label": {"namespace_prefix": ("user",)},
    "a prefix that nothing has": {"namespace_prefix": ("no",)},
    "an equal field": {"namespace_prefix": HOME, "filter": {"rank": 1}},
    "two fields": {"namespace_prefix": HOME, "filter": {"theme": "dark", "age": 3}},
    "a nested field": {"namespace_prefix": HOME, "filter": {"deep": {"a": {"b": [1, 2, {"c": None}]}}}},
    "a nested part": {"namespace_prefix": HOME, "filter": {"deep": {"a": {"b": [1, 2, {}]}}}},
    "a field that is not there": {"namespace_prefix": HOME, "filter": {"nope": 1}},
    "a field that is None where it is not there": {"namespace_prefix": HOME, "filter": {"nope": None}, "limit": 50},
    "$eq": {"namespace_prefix": HOME, "filter": {"rank": {"$eq": 1}}},
    "$ne": {"namespace_prefix": HOME, "filter": {"rank": {"$ne": 1}}, "limit": 50},
    "$gt": {"namespace_prefix": ("numbers",), "filter": {"n": {"$gt": 3}}},
    "$gte and $lt": {"namespace_prefix": ("numbers",), "filter": {"n": {"$gte": 3, "$lt": "8"}}},
    "$lte": {"namespace_prefix": ("numbers",), "filter": {"n": {"$lte": 3}}},
    "no room": {"namespace_prefix": HOME, "limit": 0},
    "behind the end": {"namespace_prefix": HOME, "offset": 100},
}

LISTS = {
    "all": {},
    "a prefix": {"match_conditions": (MatchCondition("prefix", ("users",)),)},
    "a suffix": {"match_conditions": (MatchCondition("suffix", ("v1",)),)},
    "both": {"match_conditions": (MatchCondition("prefix", ("docs",)), MatchCondition("suffix", ("v1",)))},
    "a wildcard": {"match_conditions": (MatchCondition("prefix", ("docs", "*", "v1")),)},
    "a wildcard at the end": {"match_conditions": (MatchCondition("suffix", ("a", "*")),)},
    "longer than any": {"match_conditions": (MatchCondition("prefix", ("a", "b", "c", "d")),)},
    "a depth": {"max_depth": 1},
    "a depth and a page": {"max_depth": 2, "limit": 2, "offset": 1},
    "a page": {"limit": 2, "offset": 2},
}


@pytest.fixture
def both(store):
    """The library's store and ours, filled alike."""
    stores = (InMemoryStore(), store)
    for one in stores:
        for key, value in VALUES.items():
            one.put(HOME, key, value)
        for number in range(10):
            one.put(("numbers",), str(number), {"n": number})
        for namespace in itertools.product(("docs",), ("a", "b"), ("v1", "v2")):
            one.put(namespace, "page", {"title": "/".join(namespace)})
        one.put(("docs",), "root", {"title": "root"})
    return stores


@pytest.mark.parametrize("case", CASES)
def test_issue6_langgraph_it_reads_and_writes_as_the_librarys_own_store_does(both, case):
    theirs, ours = (plain(CASES[case](one)) for one in both)
    assert ours == theirs


@pytest.mark.parametrize("case", SEARCHES)
def test_issue6_langgraph_it_searches_as_the_librarys_own_store_does(both, case):
    theirs, ours = (in_any_order(one.batch([SearchOp(**SEARCHES[case])])[0]) for one in both)
    assert ours == theirs


@pytest.mark.parametrize("case", LISTS)
def test_issue6_langgraph_it_lists_namespaces_as_the_librarys_own_store_does(both, case):
    theirs, ours = (one.batch([ListNamespacesOp(**LISTS[case])])[0] for one in both)
    assert ours == theirs


@pytest.mark.parametrize("case", CASES)
def test_issue6_langgraph_the_asynchronous_verbs_do_the_same(both, case):
    class Awaited:
        """The verbs of a store's asynchronous side, to be called like the others."""

        def __init__(self, one):
            self.one = one

        def __getattr__(self, verb):
            return lambda *given, **named: asyncio.run(getattr(self.one, f"a{verb}")(*given, **named))

    theirs, ours = (plain(CASES[case](Awaited(one))) for one in both)
    assert ours == theirs


@pytest.mark.parametrize("query", [None, "Where does Mara work?"])
def test_issue6_langgraph_pages_of_a_search_hold_every_item_once(both, query):
    for one in both:
        pages = [one.search(("users",), query=query, limit=3, offset=start) for start in range(0, 12, 3)]
        assert [len(page) for page in pages] == [3, 3, 1, 0]
        assert len({(item.namespace, item.key) for page in pages for item in page}) == 7


@pytest.mark.parametrize(
    ("verb", "given"),
    [
        ("put", [(), "k", {}]),
        ("put", [("langgraph",), "k", {}]),
        ("put", [("a.b",), "k", {}]),
        ("put", [("a", ""), "k", {}]),
        ("batch", [[GetOp(("a.b",), "k")]]),
        ("batch", [[SearchOp(("",))]]),
    ],
)
def test_issue6_langgraph_a_namespace_that_the_library_refuses_is_refused(store, verb, given):
    with pytest.raises(InvalidNamespaceError):
        getattr(store, verb)(*given)
    assert store.list_namespaces() == []


def test_issue6_langgraph_times_are_kept_over_changes(store, clock):
    store.put(HOME, "k", {"text": "Mara lives in Porto."})
    clock.advance(3600)
    store.put(HOME, "k", {"text": "Mara lives in Porto.", "seen": 2})
    item = store.get(HOME, "k")
    assert item.created_at.tzinfo is not None
    assert timedelta(minutes=59) < item.updated_at - item.created_at < timedelta(minutes=61)
    assert item.dict().keys() == InMemoryItem().dict().keys()
    found = store.search(HOME)[0]
    assert isinstance(found, SearchItem)
    assert found.created_at == item.created_at
    store.delete(HOME, "k")
    store.put(HOME, "k", {"text": "Mara lives in Porto."})
    assert store.get(HOME, "k").created_at > item.updated_at


def InMemoryItem():
    kept = InMemoryStore()
    kept.put(("a",), "k", {})
    return kept.get(("a",), "k")


def test_issue6_langgraph_what_answers_a_question_comes_first_with_a_score(store):
    store.put(HOME, "theme", {"theme": "dark"})
    store.put(HOME, "tea", {"text": "I drink green tea every morning."})
    store.put(HOME, "job", {"text": "Mara works at Initech as a welder."})
    found = store.search(("users",), query="Where does Mara work?", limit=10)
    assert found[0].key == "job"
    assert 0 < found[0].score <= 1
    assert {item.key for item in found} == {"theme", "tea", "job"}
    assert next(item for item in found if item.key == "theme").score is None
    assert [item.key for item in store.search(HOME, query="Where does Mara work?", filter={"theme": "dark"})] == [
        "theme"
    ]


def test_issue6_langgraph_an_item_that_another_contradicts_is_not_found_any_more(store, clock):
    store.put(HOME, "a", {"text": "Mara lives in Porto.", "by": "form"})
    clock.advance(40 * 86400)
    store.put(HOME, "b", {"text": "Mara moved to Lisbon.", "by": "chat"})
    for query in (None, "Where does Mara live?", "Where did Mara live before?"):
        assert [item.key for item in store.search(HOME, query=query)] == ["b"]
    assert (store.get(HOME, "a").status, store.get(HOME, "b").status) == ("over", "current")
    assert store.get(HOME, "a").value == {"text": "Mara lives in Porto.", "by": "form"}
    explained = store.space(HOME).explain(store.get(HOME, "a").facts[0])
    assert explained.fact.superseded_by == store.get(HOME, "b").facts[0]
    clock.advance(40 * 86400)
    store.put(HOME, "a", {"text": "Mara moved back to Porto.", "by": "form"})
    assert [item.key for item in store.search(HOME)] == ["a"]


def test_D9_a_namespace_never_sees_or_changes_another(store):
    near = [HOME, OTHER, ("users",), ("users", "mara", "work"), ("users/mara",), ("Users", "mara"), ("users%2Fmara",)]
    for number, namespace in enumerate(near):
        store.put(namespace, "city", {"text": f"Mara lives in {'ABCDEFG'[number]}ville."})
    for number, namespace in enumerate(near):
        item = store.get(namespace, "city")
        assert item.value["text"] == f"Mara lives in {'ABCDEFG'[number]}ville."
        assert item.status == "current"
        found = store.space(namespace).search("Where does Mara live?").results
        assert [result.text for result in found] == [item.value["text"]]
    assert store.list_namespaces() == sorted(near)
    store.delete(HOME, "city")
    assert [store.get(namespace, "city") is None for namespace in near] == [namespace == HOME for namespace in near]


def test_C9_another_value_under_a_key_supersedes_and_keeps_the_history(store, clock):
    store.put(HOME, "mood", {"text": "The dog is called Rex."})
    clock.advance(86400)
    store.put(HOME, "mood", {"text": "The printer is on the second floor.", "n": 2})
    clock.advance(86400)
    store.put(HOME, "mood", {"n": 3})
    versions = store.versions(HOME, "mood")
    assert [version.value.get("n") for version in versions] == [None, 2, 3]
    assert [version.status for version in versions] == ["over", "over", "current"]
    first = store.space(HOME).explain(versions[0].facts[0]).fact
    assert (first.status, first.superseded_by) == ("superseded", versions[1].facts[0])
    assert store.space(HOME).search("What is the dog called?").results == ()


def test_C9_a_statement_that_partly_repeats_what_it_replaces_never_supersedes_itself(store):
    store.put(HOME, "k", {"text": "Mara moved to Berlin. Mara likes dogs."})
    store.put(HOME, "k", {"text": "Mara moved to Berlin. Mara likes cats."})
    texts = {result.text for result in store.space(HOME).lookup("mara")}
    assert texts == {"Mara moved to Berlin.", "Mara likes cats."}


def test_issue6_langgraph_another_field_beside_the_same_statement_judges_nothing_anew(store):
    store.put(HOME, "k", {"text": "Mara likes dogs.", "n": 1})
    store.put(HOME, "k", {"text": "Mara likes dogs.", "n": 2})
    assert store.get(HOME, "k").value["n"] == 2
    assert store.space(HOME).stats().actions == {"accept": 1}


def _alone(store, key):
    """The item, after a look that it is the only thing that its namespace holds to be true."""
    item = store.get(HOME, key)
    assert item.status == "current"
    assert [one.value for one in store.search(HOME)] == [item.value]
    space = store.space(HOME)
    assert {fact.id for fact in current_facts(space, 100)} == set(item.facts)
    assert space.check_invariants() == []
    return item


@pytest.mark.parametrize("last", ["The printer is on the second floor.", "The door code is 7000.", None])
def test_C9_a_put_that_another_process_got_in_between_replaces_what_that_one_said(
    tmp_path, embedder, monkeypatch, last
):
    file, new_tag = tmp_path / "store.db", attached.new_tag
    with (
        StilltrueStore.open(file, embedder=embedder, pair_model="off") as ours,
        StilltrueStore.open(file, embedder=embedder, pair_model="off") as theirs,
    ):
        ours.put(HOME, "k", {"text": "The door code is 1000."})

        def meanwhile(space):
            monkeypatch.setattr(attached, "new_tag", new_tag)
            theirs.put(HOME, "k", {"text": "The door code is 2000."})
            return new_tag(space)

        monkeypatch.setattr(attached, "new_tag", meanwhile)
        ours.put(HOME, "k", None if last is None else {"text": last})
        assert any("2000" in version.value.get("text", "") for version in ours.versions(HOME, "k"))
        if last is None:
            assert ours.get(HOME, "k") is None
            assert ours.space(HOME).search("What is the door code?").results == ()
            assert ours.space(HOME).check_invariants() == []
        else:
            assert _alone(ours, "k").value == {"text": last}


# Of unlike things, so that no judge but the key says that one takes the other's place.
SAID = (
    ("The printer is on the second floor.", "Mara likes dogs.", "The backup runs at night.", "Oslo is cold."),
    ("The cat is called Miso.", "Zoe works at Initech.", "The bakery opens at six.", "Our logo is green."),
)


def _puts(file, embedder, texts, together):
    with StilltrueStore.open(file, embedder=embedder, pair_model="off") as store:
        together.wait(60)
        for text in texts:
            store.put(HOME, "k", {"text": text})


def test_C9_two_processes_that_put_one_key_at_once_leave_one_value(tmp_path, embedder):
    file, context = tmp_path / "store.db", multiprocessing.get_context("fork")
    StilltrueStore.open(file, embedder=embedder, pair_model="off").close()
    together = context.Barrier(2)
    both = [context.Process(target=_puts, args=(file, embedder, texts, together)) for texts in SAID]
    for process in both:
        process.start()
    for process in both:
        process.join(100)
    assert [process.exitcode for process in both] == [0, 0]
    with StilltrueStore.open(file, embedder=embedder, pair_model="off") as store:
        assert _alone(store, "k").value["text"] in {texts[-1] for texts in SAID}
        said = {version.value["text"] for version in store.versions(HOME, "k")}
        assert said == {text for texts in SAID for text in texts}


def test_D10_deleting_forgets_what_nothing_else_says(store, clock):
    store.put(HOME, "a", {"text": "I prefer tea over coffee."})
    store.put(HOME, "b", {"text": "I prefer tea over coffee."})
    assert store.get(HOME, "a").facts == store.get(HOME, "b").facts
    store.delete(HOME, "a")
    assert [item.key for item in store.search(HOME)] == ["b"]
    store.delete(HOME, "b")
    assert store.space(HOME).search("tea or coffee?").results == ()
    assert store.space(HOME).stats().counts["facts"] == 1
    clock.advance(1)
    store.put(HOME, "c", {"text": "I prefer tea over coffee."})
    assert [item.key for item in store.search(HOME, query="tea or coffee?")] == ["c"]


def test_D10_erasing_leaves_no_copy_of_a_value(tmp_path, embedder):
    file = tmp_path / "store.db"
    with StilltrueStore.open(file, embedder=embedder, pair_model="off") as store:
        store.put(HOME, "k", {"text": "Mara's locker code is quicksilver.", "note": "seldomheard"})
        store.put(HOME, "k", {"text": "Mara's locker code is hummingbird.", "note": "seldomheard"})
        store.put(HOME, "other", {"text": "It rains."})
        store.erase(HOME, "k")
        assert store.get(HOME, "k") is None
        assert store.versions(HOME, "k") == []
        assert [item.key for item in store.search(HOME)] == ["other"]
        assert store.space(HOME).check_invariants() == []
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert [word for word in (b"quicksilver", b"hummingbird", b"seldomheard") if word in left] == []


def test_D10_erasing_a_fact_takes_its_item_along(store):
    store.put(HOME, "k", {"text": "Mara's locker code is quicksilver.", "n": 1})
    store.space(HOME).erase(store.get(HOME, "k").facts[0])
    assert store.get(HOME, "k") is None
    assert store.list_namespaces() == []


def test_D10_what_was_marked_as_never_true_does_not_come_back_through_another_item(store, clock):
    store.put(HOME, "k", {"text": "Mara's database is Postgres."})
    store.space(HOME).forget(store.get(HOME, "k").facts[0], never_true=True)
    assert store.search(HOME) == []
    store.put(HOME, "again", {"text": "Mara's database is Postgres."})
    assert [item.key for item in store.search(HOME)] in ([], ["again"])
    assert store.get(HOME, "k").status == "over"


@pytest.mark.parametrize(
    "value",
    [
        {"t": (1, 2)},
        {"when": NOW},
        {"n": math.nan},
        {1: "x"},
        {"s": {1, 2}},
        {"text": "half \ud83e"},
        {"text": "x" * 300_000},
    ],
)
def test_issue6_langgraph_a_value_that_would_not_come_back_is_refused_whole(store, value):
    with pytest.raises(InvalidInputError):
        store.put(HOME, "k", value)
    assert store.get(HOME, "k") is None
    assert store.space(HOME).stats().counts["facts"] == 0


def test_issue6_langgraph_a_value_is_no_window_into_the_store(store):
    value = {"text": "Mara likes dogs.", "list": [1]}
    store.put(HOME, "k", value)
    value["list"].append(2)
    store.get(HOME, "k").value["list"].append(3)
    assert store.get(HOME, "k").value == {"text": "Mara likes dogs.", "list": [1]}


def test_issue6_langgraph_time_to_live_is_refused_and_not_forgotten(store):
    assert not store.supports_ttl
    with pytest.raises(NotImplementedError):
        store.put(HOME, "k", {"a": 1}, ttl=5)
    with pytest.raises(InvalidInputError, match="ttl"):
        store.batch([PutOp(HOME, "k", {"a": 1}, ttl=5)])
    assert store.get(HOME, "k") is None


def test_issue6_langgraph_which_field_is_the_statement_is_the_callers_choice(clock, embedder):
    with Memory.open(":memory:", clock=clock, embedder=embedder, pair_model="off") as memory:
        store = StilltrueStore(memory, fields=["fact.words"])
        store.put(HOME, "k", {"text": "Not this.", "fact": {"words": "Mara lives in Porto."}})
        assert [result.text for result in store.space(HOME).lookup("mara")] == ["Mara lives in Porto."]
        assert store.get(HOME, "k").value == {"text": "Not this.", "fact": {"words": "Mara lives in Porto."}}
        with pytest.raises(InvalidInputError, match="list of paths"):
            StilltrueStore(memory, fields="text")
        assert memory.check_invariants() == []


def test_D9_a_group_namespace_is_closed_to_strangers(clock, embedder):
    with Memory.open(":memory:", clock=clock, embedder=embedder, pair_model="off", member="ann") as memory:
        store = StilltrueStore(memory)
        store.put(("team",), "k", {"text": "The launch is on Monday."})
        store.space(("team",)).set_members(["ann"])
        stranger = StilltrueStore(Memory(memory.engine, "default", "bob"))
        assert stranger.search(()) == []
        assert stranger.list_namespaces() == []
        assert [item.key for item in store.search(())] == ["k"]


class State(TypedDict):
    said: str
    answer: str


def listen(state: State, *, store: BaseStore) -> dict:
    store.put(HOME, str(len(store.search(HOME, limit=100))), {"text": state["said"]})
    return {}


async def recall(state: State, *, store: BaseStore) -> dict:
    found = await store.asearch(HOME, query="Where does Mara work?", limit=1)
    return {"answer": found[0].value["text"] if found else "I do not know."}


def test_issue6_langgraph_an_agents_graph_remembers_through_the_store(store, clock):
    graph = StateGraph(State)
    graph.add_node("listen", listen)
    graph.add_node("recall", recall)
    graph.add_edge(START, "listen")
    graph.add_edge("listen", "recall")
    graph.add_edge("recall", END)
    agent = graph.compile(store=store)
    assert asyncio.run(agent.ainvoke({"said": "Mara works at Initech."}))["answer"] == "Mara works at Initech."
    clock.advance(2592000)
    asyncio.run(agent.ainvoke({"said": "It rains a lot here."}))
    clock.advance(2592000)
    assert asyncio.run(agent.ainvoke({"said": "Mara now works at Globex."}))["answer"] == "Mara now works at Globex."
    assert [item.value["text"] for item in store.search(HOME)] == ["It rains a lot here.", "Mara now works at Globex."]


def test_issue6_langgraph_without_the_library_one_line_says_what_to_install():
    code = (
        "import sys; sys.modules['langgraph'] = None; sys.modules['langgraph.store.base'] = None\n"
        "from stilltrue.errors import StilltrueError\n"
        "try:\n    import stilltrue.connect.langgraph_store\n"
        "except StilltrueError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("pip install 'stilltrue[langgraph]'")
    assert done.stdout.count("\n") == 1
