"""Does every verb do over the wire what `Memory` does, in the words of `faces.wire`?

The client of these tests holds every answer against OpenAPI: its status, its media type, and its form key by key.
"""

import json
import re

import httpx2
import pytest

from stilltrue.faces import wire
from stilltrue.faces.http import answers

TEA, COFFEE = "Mara's favourite drink is tea.", "Mara's favourite drink is coffee."
SLOT = {"subject": "mara", "attribute": "residence"}


def lives(client, city, day, **words):
    return client.say(f"Mara lives in {city}.", **SLOT, value=city, said_at=day, **words)


@pytest.fixture
def moved(admin):
    return lives(admin, "Porto", "2024-01-10"), lives(admin, "Lisbon", "2024-05-02")


@pytest.fixture
def asked(admin):
    """An open conflict: two authors, one slot."""
    for author, value in (("ada", "Postgres"), ("ben", "MySQL")):
        admin.say(f"We use {value}.", author=author, said_at="2025-06-08", subject="we", attribute="db", value=value)
    (card,) = admin.ok("GET", "/v1/conflicts")["conflicts"]
    return card


def test_C1_remember_search_lookup_and_ask_speak_as_the_command_line_does(admin, moved, ok, place):
    found = admin.ok("POST", "/v1/search", {"query": "where does Mara live"})
    assert [fact["text"] for fact in found["results"]] == ["Mara lives in Lisbon."]
    assert found["results"][0]["id"] == moved[1]["fact_id"]
    assert moved[1]["action"] == "SUPERSEDE"
    assert moved[1]["targets"] == [moved[0]["fact_id"]]
    assert ok("search", "where does Mara live", "--json").json == found
    listed = admin.ok("GET", "/v1/lookup", subject="Mara", key="residence", include_superseded=True)
    told = ok("lookup", "Mara", "--key", "residence", "--include-superseded", "--json").json
    assert {**told, "next": None} == listed
    answer = admin.ok("POST", "/v1/ask", {"question": "Where does Mara live?"})
    assert answer["text"].startswith("Lisbon")
    assert ok("ask", "Where does Mara live?", "--json").json == answer
    checked = admin.ok("POST", "/v1/check", {"text": "Book a hotel in Porto, since Mara lives in Porto."})
    assert [one["citations"][0]["fact_id"] for one in checked["stale"]] == [moved[1]["fact_id"]]


def test_C7_C8_both_clocks_travel(admin, moved):
    for path, body in (("/v1/search", {"query": "where does Mara live"}),):
        then = admin.ok("POST", path, {**body, "as_of": "2024-02-01"})
        assert [fact["value"] for fact in then["results"]] == ["Porto"]
        assert admin.ok("POST", path, {**body, "known_at": "2020-01-01"})["results"] == []
    for path in ("/v1/lookup", "/v1/facts"):
        names = {"subject": "mara"} if path == "/v1/lookup" else {}
        assert [one["value"] for one in admin.ok("GET", path, **names, as_of="2024-02-01")["results"]] == ["Porto"]
        assert admin.ok("GET", path, **names, known_at="2020-01-01")["results"] == []
        assert len(admin.ok("GET", path, **names, include_superseded=True)["results"]) == 2


def test_E10_an_author_travels_and_a_cursor_belongs_to_their_list(admin, asked):
    reads = {
        "/v1/search": lambda **how: admin.ok("POST", "/v1/search", {"query": "which database do we use", **how}),
        "/v1/lookup": lambda **how: admin.ok("GET", "/v1/lookup", subject="we", **how),
        "/v1/facts": lambda **how: admin.ok("GET", "/v1/facts", **how),
    }
    for read in reads.values():
        assert sorted(fact["author"] for fact in read()["results"]) == ["ada", "ben"]
        assert [fact["author"] for fact in read(author="ben")["results"]] == ["ben"]
        assert read(author="zoe")["results"] == []
    answer = admin.ok("POST", "/v1/ask", {"question": "Which database do we use?", "author": "ada"})
    assert [one["text"] for one in answer["citations"]] == ["We use Postgres."]
    for number in range(3):
        admin.say(f"Printer {number} stands in room {number}.", author="ben")
        admin.say(f"Camera {number} hangs in hall {number}.", author="ada")
    first = admin.ok("GET", "/v1/facts", author="ben", limit=1)
    rest = admin.ok("GET", "/v1/facts", author="ben", limit=9, cursor=first["next"])
    assert [fact["author"] for fact in (*first["results"], *rest["results"])] == ["ben"] * 4
    assert rest["next"] is None
    for other in ({"author": "ada"}, {}):
        assert admin.get("/v1/facts", params={**other, "cursor": first["next"]}).status_code == 422


def test_E10_a_blank_author_is_refused(admin):
    for bad in ("", "x" * 201):
        assert admin.get("/v1/facts", params={"author": bad}).status_code == 422
    for blank in ({"author": ""}, {"author": "  "}):
        assert admin.get("/v1/lookup", params={"subject": "we", **blank}).status_code == 422
        assert admin.post("/v1/search", json={"query": "database", **blank}).status_code == 422
        assert admin.post("/v1/ask", json={"question": "Which database?", **blank}).status_code == 422


def test_C9_supersedes_and_depends_on_travel(admin):
    old = admin.say("The gateway runs in Oslo.")["fact_id"]
    base = admin.say("Backups go to Bergen.")["fact_id"]
    new = admin.say("Traffic enters through the Nordic edge.", supersedes=[old[-8:]], depends_on=[base])
    assert new["targets"] == [old]
    kept = admin.ok("GET", f"/v1/facts/{new['fact_id']}")["fact"]
    assert kept["supersedes"] == [old]
    assert admin.ok("GET", f"/v1/facts/{old}")["fact"]["superseded_by"] == new["fact_id"]
    admin.ok("POST", f"/v1/facts/{base}/forget", {"reason": "over"})
    (card,) = admin.ok("GET", "/v1/rechecks")["rechecks"]
    assert (card["fact"]["id"], card["bases"][0]["id"]) == (new["fact_id"], base)
    admin.ok("POST", f"/v1/facts/{new['fact_id']}/confirm", {"reason": "still so"})
    assert admin.ok("GET", "/v1/rechecks")["rechecks"] == []


def test_D8_histories_and_explanations(admin, moved, place, ok):
    new = moved[1]
    history = admin.ok("GET", f"/v1/facts/{new['fact_id']}/history")
    assert [fact["value"] for fact in history["chain"]] == ["Porto", "Lisbon"]
    assert history == ok("history", new["fact_id"], "--json").json
    line = admin.ok("GET", "/v1/timeline", subject="mara", attribute="residence")
    assert [(one["fact"]["value"], one["word"]) for one in line["stretches"]] == [
        ("Porto", "superseded"),
        ("Lisbon", "current"),
    ]
    for name in (new["fact_id"], new["id"]):
        told = admin.ok("GET", f"/v1/explanations/{name}")
        assert told == wire.explanation(place.memory.explain(name))
        assert told["decisions"][-1]["considered"]


def test_B12_conflicts_are_listed_read_and_answered(admin, asked):
    assert admin.ok("GET", f"/v1/conflicts/{asked['id'][-8:]}")["conflict"]["question"] == asked["question"]
    stays = asked["facts"][0]["id"]
    (done,) = admin.ok("POST", f"/v1/conflicts/{asked['id']}/resolve", {"answer": "keep", "keep": stays})["decisions"]
    assert done["action"] == "RESOLVE"
    assert admin.ok("GET", "/v1/conflicts")["conflicts"] == []
    (card,) = admin.ok("GET", "/v1/conflicts", status="answered")["conflicts"]
    assert (card["answer"], card["kept"]) == ("keep", stays)
    again = admin.post(f"/v1/conflicts/{asked['id']}/resolve", json={"answer": "dismiss"})
    assert again.status_code == 409
    admin.ok("POST", "/v1/undo", {"id": done["id"]})
    assert len(admin.ok("GET", "/v1/conflicts")["conflicts"]) == 1


@pytest.mark.parametrize(
    "answer",
    [
        {"answer": "both", "keep": 0, "condition": "environment=staging"},
        {"answer": "never_true", "keep": 0},
        {"answer": "rewrite", "text": "We use SQLite."},
        {"answer": "dismiss", "reason": "nobody cares"},
    ],
    ids=lambda answer: answer["answer"],
)
def test_B12_every_answer_travels(admin, asked, answer):
    if "keep" in answer:
        answer = {**answer, "keep": asked["facts"][answer["keep"]]["id"]}
    admin.ok("POST", f"/v1/conflicts/{asked['id']}/resolve", answer)
    (card,) = admin.ok("GET", "/v1/conflicts", status="all")["conflicts"]
    assert card["answer"] == answer["answer"]


def test_D10_forget_undo_and_erase(admin):
    fact = admin.say(TEA)["fact_id"]
    (gone,) = admin.ok("POST", f"/v1/facts/{fact}/forget", {"reason": "a mix-up", "never_true": True})["decisions"]
    assert admin.ok("POST", "/v1/search", {"query": "favourite drink"})["results"] == []
    admin.ok("POST", "/v1/undo", {"id": gone["id"]})
    assert len(admin.ok("POST", "/v1/search", {"query": "favourite drink"})["results"]) == 1
    admin.ok("POST", "/v1/erase", {"id": fact, "reason": "asked for"})
    told = "".join(admin.get(path).text for path in ("/v1/facts", f"/v1/facts/{fact}/history", "/v1/stats"))
    assert "drink" not in told


def test_B13_without_waiting_the_ids_come_at_once_and_the_rest_after(admin, moved):
    answer = admin.post("/v1/memories", json={"text": "Mara moved to Faro.", **SLOT, "value": "Faro", "wait": False})
    assert answer.status_code == 202
    (decision,) = answer.json()["decisions"]
    assert admin.ok("GET", f"/v1/facts/{decision['fact_id']}")["fact"]["value"] == "Faro"
    assert admin.ok("GET", "/v1/estimate")["estimate"]["unjudged"] == 1
    drained = admin.ok("POST", "/v1/drain")["decisions"]
    assert moved[1]["fact_id"] in {target for one in drained for target in one["targets"]}
    assert [one["value"] for one in admin.ok("GET", "/v1/lookup", subject="mara")["results"]] == ["Faro"]


def test_C1_a_chat_travels(admin):
    chat = [{"role": "user", "content": TEA}, {"role": "assistant", "content": "Noted."}]
    made = admin.ok("POST", "/v1/memories", {"messages": chat, "author": "mara", "origin": "chat-1"})["decisions"]
    assert any(one["text"] == TEA for one in made)
    assert admin.ok("POST", "/v1/memories", {"messages": chat, "author": "mara", "origin": "chat-1"}) == {
        "decisions": []
    }


def test_E3_E9_sweeps_and_proposals(admin, moved):
    assert admin.ok("POST", "/v1/sweep", {"plan": True})["plan"] is True
    assert admin.ok("POST", "/v1/sweep", {})["decisions"] == []
    assert admin.post("/v1/sweep", json={"plan": True, "shadow": True}).status_code == 422
    assert admin.ok("PATCH", "/v1/settings", {"settings": {"shadow_mode": True}})["settings"]["shadow_mode"]["value"]
    lives(admin, "Faro", "2025-01-01")
    rows = admin.ok("GET", "/v1/proposals")["proposals"]
    assert {row["kind"] for row in rows} == {"supersession_proposal"}
    graded = admin.ok("POST", f"/v1/proposals/{rows[0]['decision_id']}/grade", {"right": True})
    assert (graded["right"], graded["wrong"]) == (1, 0)
    applied = admin.ok("POST", "/v1/proposals/apply", {"proposals": [rows[0]["decision_id"]]})
    assert (len(applied["decisions"]), applied["refused"]) == (1, [])
    assert [one["value"] for one in admin.ok("GET", "/v1/lookup", subject="mara")["results"]] == ["Faro"]


def test_B10_A8_detect_story_and_maintenance(admin, moved):
    lives(admin, "Porto", "2024-09-01")
    lives(admin, "Lisbon", "2024-12-01")
    planned = admin.ok("POST", "/v1/detect", {"plan": True})
    assert planned["opened"] == []
    admin.ok("POST", "/v1/detect", {})
    assert "llm" in admin.ok("POST", "/v1/story", {})["story"]["failure"]
    assert admin.ok("POST", "/v1/maintain", {"plan": True})["planned"] is True
    assert admin.ok("POST", "/v1/maintain", {})["looked"] > 0


def test_D9_D11_settings_members_and_spaces(place, admin):
    assert admin.ok("GET", "/v1/settings")["settings"]["contradiction_threshold"]["value"] == 0.72
    admin.ok("PATCH", "/v1/settings", {"settings": {"contradiction_threshold": 0.9}}, space="mine")
    assert admin.ok("GET", "/v1/settings", space="mine")["settings"]["contradiction_threshold"]["value"] == 0.9
    assert admin.ok("GET", "/v1/settings")["settings"]["contradiction_threshold"]["value"] == 0.72
    assert admin.ok("GET", "/v1/members")["members"] == []
    admin.ok("PUT", "/v1/members", {"members": ["mara", "ines"]}, space="crew/eu")
    mara, ben = (place.role("writer", ["crew/eu"], member=name) for name in ("mara", "ben"))
    mara.say("The crew meets on Mondays.", space="crew/eu")
    assert mara.ok("GET", "/v1/members", space="crew/eu") == {"space": "crew/eu", "members": ["mara", "ines"]}
    assert ben.get("/v1/facts", params={"space": "crew/eu"}).status_code == 403
    assert admin.get("/v1/facts", params={"space": "crew/eu"}).status_code == 403
    assert mara.ok("GET", "/v1/spaces") == {"spaces": ["crew/eu"], "next": None}
    assert ben.ok("GET", "/v1/spaces") == {"spaces": [], "next": None}
    assert admin.ok("GET", "/v1/spaces")["spaces"] == ["mine"]
    assert mara.ok("GET", "/v1/whoami") == {
        "name": "test",
        "role": "writer",
        "spaces": ["crew/eu"],
        "member": "mara",
    }


def test_A6_stats_health_metrics_and_the_check_of_the_store(place, admin, asked):
    assert admin.ok("GET", "/v1/stats")["counts"]["current"] == 2
    assert admin.ok("POST", "/v1/check-store") == {"sound": True, "findings": []}
    assert place.role("admin", ["default"]).post("/v1/check-store").status_code == 403
    assert place.client().ok("GET", "/healthz") == {"status": "ok"}
    text = place.role("reader").get("/metrics").text
    lines = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert float(lines["stilltrue_conflicts_open"]) == 1
    assert float(lines["stilltrue_facts_current"]) == 2
    assert float(lines["stilltrue_pairs_judged_total"]) >= 1
    assert float(lines["stilltrue_llm_calls_total"]) == 0
    assert sum(float(one) for name, one in lines.items() if name.startswith("stilltrue_decisions_total")) >= 2
    assert float(lines['stilltrue_http_requests_total{method="POST",status="200"}']) >= 3
    nobody = place.role("reader", ["elsewhere"]).get("/metrics").text
    assert "stilltrue_facts_current 0.0" in nobody
    assert "Postgres" not in text


def test_C1_every_operation_is_described_once_with_its_errors_and_its_key(place):
    names = [told["operationId"] for _, _, told in place.promised.operations()]
    assert len(set(names)) == len(names) >= 34
    for method, path, told in place.promised.operations():
        assert told["description"]
        if path == "/healthz":
            assert "security" not in told
            continue
        assert told["security"] == [{"token": []}], (method, path)
        assert {"401", "403", "404", "409", "413", "421", "422", "503"} <= set(told["responses"])
    assert place.promised.spec["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


def reached(spec, sides):
    """The names of all forms that these parts of the operations lead to."""
    parts = [
        told[side] for methods in spec["paths"].values() for told in methods.values() for side in sides & set(told)
    ]
    names, held = set(), json.dumps(parts)
    while more := set(re.findall(r"#/components/schemas/(\w+)", held)) - names:
        names |= more
        held = json.dumps([spec["components"]["schemas"][name] for name in more])
    return names


def test_C1_every_form_in_the_description_has_one_name_and_a_use(place):
    spec = place.role("reader").get("/openapi.json").json()
    asked, told = reached(spec, {"parameters", "requestBody"}), reached(spec, {"responses"})
    assert asked & told == set(), "one of them would have taken the other's place"
    assert asked | told == set(spec["components"]["schemas"])
    assert set(answers.SCHEMAS) == told - {"Problem"}


@pytest.mark.parametrize("spoil", [{"extra": 1}, {"historical": None}, {"reason": 3}, {"results": [{}]}])
def test_C1_the_client_of_these_tests_finds_what_was_not_promised(place, spoil):
    answer = place.role("reader").post("/v1/search", json={"query": "x"})
    spoilt = httpx2.Response(200, json={**answer.json(), **spoil})
    with pytest.raises(AssertionError):
        place.promised.check("POST", "/v1/search", spoilt)
