"""Does a request without the right token, role or space get nothing, and learn nothing?"""

import httpx2
import pytest

from tests.faces.http.calls import CALLS
from tests.faces.http.conftest import ROLES, opened, text_of

NO_ID = "0198fe12-3f4c-7c21-9d0e-5a1b5f0c21ab"
CANARY = "heron-canary-7719"


@pytest.fixture(scope="module")
def place(tmp_path_factory, embedder):
    with opened(tmp_path_factory.mktemp("door") / "memory.db", embedder) as held:
        yield held


def test_D9_the_list_of_calls_names_every_operation(place):
    described = {(method, path) for method, path, _ in place.promised.operations()} - {("GET", "/healthz")}
    assert {(call.method, call.template) for call in CALLS} == described


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call.method} {call.path}")
def test_D9_nobody_comes_in_without_a_good_token(place, call):
    good = place.token("admin")
    revoked = place.token("admin")
    place.tokens.revoke(revoked.split("_")[1])
    wrong = ["", "Bearer", "Bearer x", f"Bearer {revoked}", f"Bearer {good[:-1]}", f"Bearer {good} x"]
    wrong += [f"Basic {good}", good, f"Token {good}", f"Bearer {good},Bearer {good}", "Bearer \xff\xfe"]
    for shown in wrong:
        client = place.client()
        client.headers = httpx2.Headers([(b"authorization", shown.encode("latin-1"))])
        answer = call.sent(client, "default", NO_ID)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, 'Bearer realm="stilltrue"'), shown
    answer = call.sent(place.client(cookies={"session": good}), "default", NO_ID)
    assert answer.status_code == 401
    client = place.client()
    assert client.request(call.method, call.path, params={"token": good, "access_token": good}).status_code == 401


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call.method} {call.path}")
def test_D9_every_verb_asks_for_its_role(place, call):
    for role in ROLES:
        answer = call.sent(place.role(role), "default", NO_ID)
        allowed = ROLES.index(role) >= ROLES.index(call.role)
        assert (answer.status_code != 403) == allowed, (role, answer.text)
        assert answer.status_code < 500


def test_D9_a_space_that_is_not_the_tokens_sounds_the_same_whether_it_exists(place):
    place.role("writer").say("Something is here.", space="there")
    stranger = place.role("admin", ["mine"])
    for call in CALLS:
        if call.path in {"/v1/spaces", "/v1/whoami", "/metrics", "/v1/check-store"}:
            continue
        told = [call.sent(stranger, space, NO_ID) for space in ("there", "nowhere")]
        assert [one.status_code for one in told] == [403, 403]
        assert len({one.json()["detail"] for one in told}) == 1


class Spaces:
    """Two spaces of one server. The second holds canaries of every kind: facts, conflicts, proposals, a recheck."""

    def __init__(self, place, number):
        self.ours, self.theirs = f"ours-{number}", f"theirs-{number}"
        self.owner = place.role("admin", [self.theirs])
        self.stranger = place.role("admin", [self.ours])
        self.ids = self._fill()
        self.stranger.say("The lighthouse is white.", space=self.ours)

    def say(self, text, **words):
        return self.owner.say(text, space=self.theirs, **words)

    def _fill(self):
        slot = {"subject": "canary", "attribute": "perch"}
        base = self.say(f"The base is {CANARY}.", author=CANARY, topic=CANARY)
        rests = self.say(f"On it rests {CANARY}.", depends_on=[base["fact_id"]])
        old = self.say(f"The canary sits on {CANARY} north.", value="north", said_at="2025-01-01", **slot)
        new = self.say(f"The canary sits on {CANARY} south.", value="south", said_at="2025-02-01", **slot)
        words = {"subject": "canary", "attribute": "cage", "said_at": "2025-03-01"}
        self.say(f"The cage is {CANARY} iron.", value="iron", author="ada", **words)
        self.say(f"The cage is {CANARY} brass.", value="brass", author="ben", **words)
        self.owner.ok("POST", f"/v1/facts/{base['fact_id']}/forget", {"reason": CANARY}, space=self.theirs)
        (card,) = self.owner.ok("GET", "/v1/conflicts", space=self.theirs)["conflicts"]
        self.owner.ok("PATCH", "/v1/settings", {"settings": {"shadow_mode": True}}, space=self.theirs)
        self.say(f"The canary sits on {CANARY} west.", value="west", said_at="2025-04-01", **slot)
        row = self.owner.ok("GET", "/v1/proposals", space=self.theirs)["proposals"][0]
        return (
            old["fact_id"],
            new["fact_id"][-8:],
            rests["fact_id"],
            base["fact_id"][:18],
            new["episode_id"],
            new["id"],
            old["id"],
            new["batch_id"],
            card["id"],
            row["decision_id"],
        )

    def state(self):
        paths = ("/v1/facts", "/v1/conflicts", "/v1/proposals", "/v1/rechecks", "/v1/stats", "/v1/settings")
        query = {"include_superseded": "true", "status": "all", "limit": 200, "space": self.theirs}
        told = [self.owner.ok("GET", path, **query) for path in paths]
        return [*told, *(self.owner.ok("GET", f"/v1/explanations/{one}", space=self.theirs) for one in self.ids[:2])]


def test_D9_no_verb_brings_out_or_touches_another_spaces_memory(place):
    """Every verb × ten ids of theirs, in our space with our token, and in their space with our token."""
    spaces = Spaces(place, 1)
    before, asked = spaces.state(), 0
    assert CANARY in str(before)
    for call in CALLS:
        for identifier in spaces.ids if call.takes_id else spaces.ids[:1]:
            for space in (spaces.ours, spaces.theirs):
                answer = call.sent(spaces.stranger, space, identifier)
                asked += 1
                assert CANARY not in text_of(answer), (call, space)
                assert "theirs-1" not in text_of(answer), (call, space)
                if call.takes_id:
                    assert answer.status_code in ({403} if space == spaces.theirs else {404, 422}), (call, answer.text)
    assert asked == 2 * sum(10 if call.takes_id else 1 for call in CALLS) >= 300
    assert spaces.state() == before


def test_D9_an_id_of_another_space_sounds_like_one_that_never_was(place):
    spaces = Spaces(place, 2)
    for call in CALLS:
        if not call.takes_id:
            continue
        for theirs in spaces.ids:
            never = theirs[:-6] + "000000" if len(theirs) > 8 else "00000000"
            one, other = (call.sent(spaces.stranger, spaces.ours, name) for name in (theirs, never))
            assert one.status_code == other.status_code == 404, (call, one.text)
            assert one.json()["detail"].replace(theirs, "") == other.json()["detail"].replace(never, "")


def test_D9_a_groups_memory_is_its_members(place):
    owner = place.role("admin", ["crew"], member="mara")
    owner.ok("PUT", "/v1/members", {"members": ["mara"]}, space="crew")
    owner.say(f"The crew knows {CANARY}.", space="crew")
    for outsider in (place.role("admin"), place.role("admin", ["crew"], member="ben"), place.role("admin", ["crew"])):
        for call in CALLS:
            if call.path == "/v1/check-store":
                continue
            answer = call.sent(outsider, "crew", NO_ID)
            assert CANARY not in text_of(answer)
            assert answer.status_code == (200 if call.path in {"/v1/spaces", "/v1/whoami", "/metrics"} else 403)
    assert owner.ok("GET", "/v1/members", space="crew")["members"] == ["mara"]


def test_D9_a_revoked_token_is_out_with_the_next_request(place):
    token = place.token("reader")
    client = place.client(token)
    assert client.get("/v1/facts").status_code == 200
    place.tokens.revoke(token.split("_")[1])
    assert client.get("/v1/facts").status_code == 401


def test_D9_a_pages_session_opens_no_address_of_the_api(tmp_path, embedder):
    """A cookie travels by itself, so a foreign page could make a browser send it; a header it cannot add."""
    with opened(tmp_path / "memory.db", embedder) as place:
        known = place.tokens.caller(place.token("admin"))
        place.app.state.door.sessions.append(lambda request: known if "session" in request.cookies else None)
        client = place.client(cookies={"session": "good"})
        assert client.get("/metrics").status_code == 200
        assert place.client().get("/metrics").status_code == 401
        for call in CALLS:
            if call.path != "/metrics":
                assert call.sent(client, "default", NO_ID).status_code == 401, call
