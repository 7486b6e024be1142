"""Is what is asked twice done once? Does a list read page by page miss nothing, while others write?"""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from stilltrue.faces.http.cursors import Cursors
from stilltrue.faces.http.repeats import KEPT_SECONDS, Repeats
from tests.faces.http.conftest import opened

SAID = {"text": "Our rate limit is 600 requests per minute.", "author": "ines"}


def keyed(client, key, body=None, path="/v1/memories", **query):
    return client.post(path, json=SAID if body is None else body, headers={"Idempotency-Key": key}, params=query)


@pytest.mark.parametrize("wait", [True, False])
def test_C1_a_repeated_request_is_done_once_and_answered_the_same(admin, wait):
    first = keyed(admin, "a", {**SAID, "wait": wait})
    again = keyed(admin, "a", {**SAID, "wait": wait})
    assert first.status_code == again.status_code == (200 if wait else 202)
    assert first.json() == again.json()
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    admin.ok("POST", "/v1/drain")
    assert keyed(admin, "a", {**SAID, "wait": wait}).json() == first.json()
    assert admin.ok("GET", "/v1/stats")["counts"]["episodes"] == 1
    assert keyed(admin, "b", {**SAID, "wait": wait}).json() != first.json()


def test_C1_every_verb_that_decides_takes_a_key(admin):
    fact = keyed(admin, "1").json()["decisions"][0]["fact_id"]
    verbs = [(f"/v1/facts/{fact}/forget", {"reason": "x"})]
    for number, (path, body) in enumerate(verbs):
        done = keyed(admin, f"v{number}", body, path)
        assert done.status_code == 200
        assert keyed(admin, f"v{number}", body, path).json() == done.json()
        undo = {"id": done.json()["decisions"][0]["id"]}
        undone = keyed(admin, f"u{number}", undo, "/v1/undo")
        assert keyed(admin, f"u{number}", undo, "/v1/undo").json() == undone.json()
        assert admin.post("/v1/undo", json=undo).status_code == 409
    erased = keyed(admin, "e", {"id": fact}, "/v1/erase")
    assert keyed(admin, "e", {"id": fact}, "/v1/erase").json() == erased.json()


def test_C1_a_key_belongs_to_its_content_its_space_and_its_token(place, admin):
    first = keyed(admin, "a")
    for other in (
        keyed(admin, "a", {**SAID, "author": "ben"}),
        keyed(admin, "a", space="elsewhere"),
        keyed(admin, "a", {"reason": ""}, f"/v1/facts/{first.json()['decisions'][0]['fact_id']}/forget"),
    ):
        assert other.status_code == 422
        assert "another request" in other.json()["detail"]
    stranger = keyed(place.role("writer"), "a")
    assert "idempotency-replayed" not in stranger.headers
    for bad in ("", "x" * 201):
        assert keyed(admin, bad).status_code == 422


def test_C1_what_failed_may_be_tried_again_under_its_key(admin):
    wrong = {"text": "Backups go to Bergen.", "supersedes": ["ffffffff"]}
    assert [keyed(admin, "a", wrong).status_code for _ in range(2)] == [404, 404]
    assert keyed(admin, "a").status_code == 200


def test_C1_many_at_once_under_one_key_do_it_once(place):
    client = place.role("writer")
    start = threading.Barrier(8)

    def send(_):
        start.wait()
        return keyed(client, "same")

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(send, range(8)))
    assert {one.status_code for one in told} <= {200, 409}
    done = [one.json()["decisions"] for one in told if one.status_code == 200]
    assert done
    assert all(one == done[0] for one in done)
    assert keyed(client, "same").json()["decisions"] == done[0]
    assert client.ok("GET", "/v1/stats")["counts"]["episodes"] == 1


def test_D10_what_was_erased_is_gone_from_answers_to_repetitions_too(place, admin, tmp_path):
    made = keyed(admin, "a", {"text": "The code word is heron-7719."}).json()["decisions"][0]
    admin.ok("POST", "/v1/erase", {"id": made["fact_id"]})
    admin.ok("POST", "/v1/erase", {"id": made["episode_id"]})
    assert "heron" not in keyed(admin, "a", {"text": "The code word is heron-7719."}).text
    files = [path for path in tmp_path.iterdir() if ".access" in path.name]
    assert files
    assert not any(b"heron" in path.read_bytes() for path in files)


class Clock:
    def __init__(self):
        self.at = 1_000_000.0

    def __call__(self):
        return self.at


def test_C1_a_key_is_kept_for_a_day(place):
    clock, done = Clock(), itertools.count()
    repeats = Repeats(place.tokens.ledger, clock)

    def verb():
        next(done)
        return []

    for wait in (0, KEPT_SECONDS - 1, 2):
        clock.at += wait
        repeats.once(place.memory.in_space("default"), "t", "k", b"x", verb)
    assert next(done) == 2


def test_B13_a_server_that_died_in_between_leaves_a_key_that_can_be_asked_again(place):
    """Once its batch is in the memory the answer is made from it; where nothing was done, it is done now."""
    clock = Clock()
    dead, alive = (Repeats(place.tokens.ledger, clock) for _ in range(2))
    memory = place.memory.in_space("default")

    class Died(BaseException):
        """The server's end."""

    def dies(after):
        def verb():
            if after:
                memory.remember("Backups go to Bergen.", wait=False)
            raise Died

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(dead, "_done", lambda _token, _key, verb: verb())
            with pytest.raises(Died):
                dead.once(memory, "t", f"k{after}", b"x", verb)

    for after in (True, False):
        dies(after)
        with pytest.raises(Exception, match="under way"):
            alive.once(memory, "t", f"k{after}", b"x", list)
    clock.at += 61
    made, again = alive.once(memory, "t", "kTrue", b"x", lambda: pytest.fail("it was done already"))
    assert (again, [one.text for one in made]) == (True, ["Backups go to Bergen."])
    made, again = alive.once(memory, "t", "kFalse", b"x", lambda: memory.remember("Mail goes out at six."))
    assert (again, [one.text for one in made]) == (False, ["Mail goes out at six."])


def pages(client, path, name, between=lambda: None, **query):
    """All items of a list, page by page, with something happening between the pages."""
    cursor, held = {}, []
    for _ in range(200):
        answer = client.ok("GET", path, **query, **cursor)
        held.append(answer[name])
        if answer["next"] is None:
            return held
        cursor = {"cursor": answer["next"]}
        between()
    pytest.fail("the list has no end")


@pytest.fixture
def crowd(admin):
    """Eleven facts about one subject, and eleven conflicts."""
    for number in range(11):
        admin.say(f"Shelf {number} holds jars.", subject="shelf", attribute=f"row {number}", value="jars")
    for number in range(11):
        for author, value in (("ada", "red"), ("ben", "blue")):
            slot = {"subject": f"door {number}", "attribute": "colour", "value": value, "said_at": "2025-06-08"}
            admin.say(f"Door {number} is {value}.", author=author, **slot)


def test_C7_pages_hold_all_once_while_others_write(admin, crowd):
    numbers = itertools.count(100)

    def writes():
        number = next(numbers)
        admin.say(f"Shelf {number} holds nails.", subject="shelf", attribute=f"row {number}", value="nails")

    whole = [fact["id"] for fact in admin.ok("GET", "/v1/facts", limit=200)["results"]]
    read = pages(admin, "/v1/facts", "results", writes, limit=3)
    assert {len(one) for one in read[:-1]} == {3}
    ids = [fact["id"] for one in read for fact in one]
    assert ids[: len(whole)] == whole
    assert len(ids) == len(set(ids))
    whole = [fact["id"] for fact in admin.ok("GET", "/v1/lookup", subject="shelf")["results"]]
    read = pages(admin, "/v1/lookup", "results", writes, subject="shelf", limit=4)
    assert [fact["id"] for one in read for fact in one] == whole


def test_C7_a_fact_that_ends_between_pages_hides_no_other(admin, crowd):
    facts = [fact["id"] for fact in admin.ok("GET", "/v1/facts", limit=200)["results"]]
    ending = iter(facts[:3])

    def ends():
        if (one := next(ending, None)) is not None:
            admin.ok("POST", f"/v1/facts/{one}/forget", {})

    read = [fact["id"] for one in pages(admin, "/v1/facts", "results", ends, limit=2) for fact in one]
    assert set(facts[4:]) <= set(read)
    assert len(read) == len(set(read))
    whole = [fact["id"] for fact in admin.ok("GET", "/v1/lookup", subject="shelf")["results"]]
    ending = iter(whole)
    read = [fact["id"] for one in pages(admin, "/v1/lookup", "results", ends, subject="shelf", limit=2) for fact in one]
    assert read == whole


def test_F11_conflicts_come_by_weight_or_page_by_page(admin, crowd):
    cards = admin.ok("GET", "/v1/conflicts", limit=200)["conflicts"]
    assert len(cards) == 11
    assert [card["settles"]["score"] for card in cards] == sorted(
        (card["settles"]["score"] for card in cards), reverse=True
    )
    assert admin.ok("GET", "/v1/conflicts", limit=4)["conflicts"] == cards[:4]
    left = iter(card["id"] for card in sorted(cards, key=lambda card: card["id"]))

    def answers():
        admin.ok("POST", f"/v1/conflicts/{next(left)}/resolve", {"answer": "dismiss"})

    read = pages(admin, "/v1/conflicts", "conflicts", answers, order="opened", limit=3)
    assert sorted(card["id"] for one in read for card in one) == sorted(card["id"] for card in cards)


def test_C7_spaces_and_proposals_have_pages(place, admin):
    names = [f"space {number}" for number in range(5)]
    for name in names:
        admin.say("Something is here.", space=name)
    assert [name for one in pages(admin, "/v1/spaces", "spaces", limit=2) for name in one] == names
    admin.ok("PATCH", "/v1/settings", {"settings": {"shadow_mode": True}})
    for number in range(4):
        slot = {"subject": "it", "attribute": "count", "value": str(number)}
        admin.say(f"It is {number}.", said_at=f"2025-01-0{number + 1}", **slot)
    rows = admin.ok("GET", "/v1/proposals")["proposals"]
    assert len(rows) > 2
    read = pages(admin, "/v1/proposals", "proposals", limit=1)
    assert [row["seq"] for one in read for row in one] == [row["seq"] for row in rows]


def test_D9_a_cursor_opens_only_the_list_it_was_made_for(place, admin, crowd):
    cursor = admin.ok("GET", "/v1/facts", limit=2)["next"]
    wrong = [cursor[:-1], cursor[:-2] + "AA", "x", "é", "A" * 100, "====", cursor + "=="]
    for one in wrong:
        if one != cursor + "==":
            assert admin.get("/v1/facts", params={"cursor": one}).status_code == 422, one
    for path, query in (
        ("/v1/facts", {"space": "elsewhere"}),
        ("/v1/facts", {"include_superseded": True}),
        ("/v1/lookup", {"subject": "shelf"}),
        ("/v1/spaces", {}),
        ("/v1/proposals", {}),
        ("/v1/rechecks", {}),
        ("/v1/conflicts", {"order": "opened"}),
    ):
        assert admin.get(path, params={**query, "cursor": cursor}).status_code == 422, path


def test_D9_a_cursor_cannot_be_made_without_the_key():
    ours, theirs = Cursors(b"a" * 32), Cursors(b"b" * 32)
    assert ours.read(("x", 1), ours.made(("x", 1), [1, "é"])) == [1, "é"]
    with pytest.raises(Exception, match="start again"):
        ours.read(("x", 1), theirs.made(("x", 1), [1]))


def test_C7_cursors_and_keys_outlive_the_server(tmp_path, embedder):
    with opened(tmp_path / "memory.db", embedder) as place:
        token = place.token()
        client = place.client(token)
        for number in range(3):
            client.say(f"Shelf {number} holds jars.")
        made = keyed(client, "a").json()
        cursor = client.ok("GET", "/v1/facts", limit=1)["next"]
    with opened(tmp_path / "memory.db", embedder) as place:
        client = place.client(token)
        assert keyed(client, "a").json() == made
        assert len(client.ok("GET", "/v1/facts", cursor=cursor)["results"]) == 3
