"""Who gets in, and what may they do? Sessions, headers, forms and roles, over a real socket."""

import re

import pytest
from fastapi.routing import APIRoute

from stilltrue.faces.page import acts, app, pages
from stilltrue.faces.page.paper import link, local
from stilltrue.faces.page.sessions import LASTS, MOST, Sessions
from tests.faces.page.conftest import NOW, field, sign_in

OPEN = {"/login", "/static/{name}"}
ROUTES = [route for router in (app.router, pages.router, acts.router) for route in router.routes]
GETS = sorted(route.path for route in ROUTES if "GET" in route.methods and route.path not in OPEN)
POSTS = sorted(route.path for route in ROUTES if "POST" in route.methods and route.path not in OPEN)
FORM = {"answer": "dismiss", "decision": "0" * 12}


def filled(path):
    return re.sub(r"\{\w+\}", "01941f29-7c00-7000-8000-000000000000", path)


def first(client, selector="keep"):
    """The first card of the inbox: its id, the word of the forms, the facts it is about."""
    html = client.get("/").text
    return re.search(r'id="c-([^"]+)"', html)[1], field(html, "forms"), re.findall(r'name="keep" value="([^"]+)"', html)


def texts(site):
    return {fact.text for card in site.memory.conflicts() for fact in card.facts}


def test_the_lists_of_routes_are_those_there_are():
    assert all(isinstance(route, APIRoute) for route in ROUTES)
    assert GETS == ["/", "/facts/{fact_id}", "/health", "/search", "/timeline"]
    assert POSTS == [
        "/conflicts/{conflict_id}",
        "/facts/{fact_id}/confirm",
        "/facts/{fact_id}/forget",
        "/logout",
        "/undo",
    ]


class TestHeaders:
    @pytest.fixture
    def site(self, standing):
        return standing

    @pytest.mark.parametrize("path", [*GETS, "/login", "/search?q=Noor", "/timeline?subject=noor", "/facts/none-such"])
    def test_F12_every_page_has_a_strict_policy_and_nothing_inline(self, site, client, path):
        answer = client.get(filled(path))
        policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
        assert policy.pop("default-src") == "'none'"
        assert set(policy.values()) <= {"'self'", "'none'"}
        assert (policy["base-uri"], policy["frame-ancestors"], policy["form-action"]) == ("'none'", "'none'", "'self'")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert answer.headers["cache-control"] == "no-store"
        assert not re.findall(r"<style|<script(?![^>]* src=)|\sstyle=|\son\w+=|javascript:", answer.text)

    def test_F12_own_files_are_served_by_name_only_and_change_address_with_content(self, site):
        with site.client(signed_in=False) as stranger:
            page = stranger.get("/login").text
            for address in re.findall(r'(?:src|href)="(/static/[^"]+)"', page):
                answer = stranger.get(address)
                assert answer.status_code == 200
                assert "immutable" in answer.headers["cache-control"]
            for name in ("app.py", "..%2fapp.py", "%2e%2e/app.py", "__init__.py", "page.css%00"):
                assert stranger.get(f"/static/{name}").status_code == 404


class TestSessions:
    @pytest.fixture
    def site(self, standing):
        return standing

    @pytest.mark.parametrize("path", GETS)
    def test_F12_every_page_needs_a_session(self, site, path):
        with site.client(signed_in=False) as stranger:
            answer = stranger.get(filled(path))
            assert answer.status_code == 303
            assert answer.headers["location"].startswith("/login")
            assert "Frankfurt" not in answer.text

    @pytest.mark.parametrize("path", POSTS)
    def test_F12_every_act_needs_a_session(self, site, path):
        with site.client(signed_in=False) as stranger:
            answer = stranger.post(filled(path), data=FORM)
            assert (answer.status_code, answer.headers["location"]) == (303, "/login")
        assert len(site.memory.conflicts()) == 3

    @pytest.mark.parametrize("token", ["", "nonsense", "stilltrue_00000000_" + "A" * 43, "é" * 50])
    def test_F12_a_token_that_opens_nothing_is_told_so(self, site, token):
        with site.client(signed_in=False) as stranger:
            form = field(stranger.get("/login").text, "forms")
            answer = stranger.post("/login", data={"token": token, "forms": form})
            assert answer.status_code == 401
            assert "stilltrue_session" not in answer.headers.get("set-cookie", "")

    def test_F12_the_cookie_is_kept_from_scripts_and_other_sites(self, site):
        with site.client(signed_in=False) as client:
            cookies = sign_in(client, site.token).headers.get_list("set-cookie")
            (cookie,) = [one for one in cookies if one.startswith("stilltrue_session=")]
            assert {"httponly", "samesite=strict", "path=/"} <= {part.strip().lower() for part in cookie.split(";")}
            assert site.token not in "".join(cookies)

    def test_F12_with_https_the_cookie_is_secure_and_bound_to_the_host(self, site):
        with site.client(signed_in=False) as client:
            answer = client.get("/login")
            assert "secure" not in answer.headers["set-cookie"].lower()
        from types import SimpleNamespace

        from stilltrue.faces.page.visit import COOKIE, cookie_name

        secure = SimpleNamespace(url=SimpleNamespace(scheme="https"))
        assert cookie_name(secure, COOKIE) == "__Host-stilltrue_session"

    def test_F12_signing_out_ends_the_session_for_whoever_holds_the_cookie(self, site, client):
        held = dict(client.cookies)
        form = field(client.get("/").text, "forms")
        assert client.post("/logout", data={"forms": form}).status_code == 303
        with site.client(signed_in=False) as thief:
            thief.cookies.update(held)
            assert thief.get("/").status_code == 303

    def test_F12_a_session_ends_after_half_a_day_and_the_oldest_gives_way(self, site):
        clock = [NOW]
        sessions = Sessions(site.tokens, lambda: clock[0])
        old = sessions.begin(site.token)
        clock[0] = NOW + LASTS
        assert sessions.find(old) is None
        cookies = [sessions.begin(site.token) for _ in range(MOST + 1)]
        assert sessions.find(cookies[0]) is None
        assert sessions.find(cookies[1]) is not None

    def test_F12_htmx_is_led_to_the_way_in(self, site):
        with site.client(signed_in=False) as stranger:
            answer = stranger.get("/search", headers={"HX-Request": "true"})
            assert (answer.status_code, answer.headers["hx-redirect"]) == (204, "/login")

    @pytest.mark.parametrize(
        "elsewhere",
        [
            "//evil.example",
            "https://evil.example",
            "/\\evil.example",
            "javascript:alert(1)",
            "\t//evil.example",
            "/\n/x",
            "",
        ],
    )
    def test_F12_no_way_leads_elsewhere(self, site, elsewhere):
        assert local(elsewhere) == "/"
        with site.client(signed_in=False) as client:
            form = field(client.get("/login", params={"next": elsewhere}).text, "forms")
            answer = client.post("/login", data={"token": site.token, "forms": form, "next": elsewhere})
            assert answer.headers["location"] == "/"


class TestForms:
    @pytest.fixture
    def site(self, standing):
        return standing

    @pytest.mark.parametrize("path", POSTS)
    @pytest.mark.parametrize("forms", [None, "", "wrong", "é"])
    def test_F12_an_act_without_the_sessions_word_is_refused(self, site, client, path, forms):
        before = texts(site)
        card, _, _ = first(client)
        address = path.replace("{conflict_id}", card)
        data = {**FORM, **({} if forms is None else {"forms": forms})}
        answer = client.post(filled(address), data=data)
        assert answer.status_code == 403
        assert texts(site) == before
        assert client.get("/").status_code == 200

    def test_F12_the_word_of_another_session_is_refused(self, site, client):
        with site.client() as other:
            _, word, _ = first(other)
        card, _, _ = first(client)
        assert client.post(f"/conflicts/{card}", data={"answer": "dismiss", "forms": word}).status_code == 403
        assert len(site.memory.conflicts()) == 3

    def test_F12_the_form_at_the_door_is_bound_to_its_cookie(self, site):
        with site.client(signed_in=False) as victim, site.client(signed_in=False) as attacker:
            word = field(attacker.get("/login").text, "forms")
            victim.get("/login")
            assert victim.post("/login", data={"token": site.token, "forms": word}).status_code == 403
            assert victim.post("/login", data={"token": site.token}).status_code == 403

    def test_F12_a_foreign_page_cannot_send_forms(self, site, client):
        card, word, _ = first(client)
        data = {"answer": "dismiss", "forms": word}
        for origin in ("https://evil.example", "null"):
            assert client.post(f"/conflicts/{card}", data=data, headers={"Origin": origin}).status_code == 403
        assert len(site.memory.conflicts()) == 3


class TestRoles:
    def test_F12_a_revoked_token_is_out_with_the_next_request(self, site, client):
        assert client.get("/").status_code == 200
        (token,) = site.tokens.listed()
        site.tokens.revoke(token.id)
        assert client.get("/").status_code == 303

    def test_F12_a_reader_sees_no_buttons_and_may_not_act(self, site):
        token = site.tokens.issue("lea", "reader", spaces=None)
        with site.client(token) as reader:
            html = reader.get("/").text
            assert "Keep A" not in html
            assert "Frankfurt" in html
            card, word = re.search(r'id="c-([^"]+)"', html)[1], field(html, "forms")
            answer = reader.post(f"/conflicts/{card}", data={"answer": "dismiss", "forms": word})
            assert answer.status_code == 403
        assert len(site.memory.conflicts()) == 3

    def test_D9_a_token_of_another_space_sees_and_changes_nothing_here(self, site, client):
        token = site.tokens.issue("lea", "reviewer", spaces=["hers"])
        card, _, facts = first(client)
        with site.client(token) as stranger:
            html = stranger.get("/").text
            assert "Nothing to settle" in html
            word = field(html, "forms")
            for space in ("hers", "default"):
                refused = 404 if space == "hers" else 403
                assert stranger.get(link(space, f"/facts/{facts[0]}")).status_code == refused
                shown = stranger.get(link(space, "/search", q="Where does the search service run?"))
                assert "Frankfurt" not in shown.text
                stranger.post(link(space, f"/conflicts/{card}"), data={"answer": "dismiss", "forms": word})
        assert len(site.memory.conflicts()) == 3

    def test_D9_a_groups_space_is_open_to_its_members_only(self, site):
        group = site.memory.in_space("team")
        group.set_members(["ada"])
        ada = site.memory.in_space("team", "ada")
        ada.remember("The team meets on Mondays.")
        members = {
            "ada": site.tokens.issue("ada", "reader", spaces=["team"], member="ada"),
            "bob": site.tokens.issue("bob", "reader", spaces=["team"], member="bob"),
        }
        with site.client(members["ada"]) as inside, site.client(members["bob"]) as outside:
            assert "Mondays" in inside.get("/search", params={"q": "When does the team meet?"}).text
            answer = outside.get("/search", params={"q": "When does the team meet?"})
            assert (answer.status_code, "Mondays" in answer.text) == (403, False)


class TestActs:
    """Every answer of B12 as a plain form, the way it works without any script."""

    @pytest.mark.parametrize(
        ("answer", "more"),
        [
            ("keep", {"keep": 0}),
            ("keep", {"keep": 1}),
            ("both", {"keep": 1, "condition": ""}),
            ("both", {"keep": 1, "condition": "in the summer"}),
            ("never_true", {"keep": 0}),
            ("rewrite", {"text": "We deploy on any day but Friday."}),
            ("dismiss", {}),
        ],
    )
    def test_B12_each_answer_closes_the_question_and_is_taken_back_exactly(self, site, client, answer, more):
        card, word, facts = first(client)
        before = [(one.conflict, one.facts) for one in site.memory.conflicts()]
        chosen = dict(more, keep=facts[more["keep"]]) if "keep" in more else more
        client.post(f"/conflicts/{card}", data={"answer": answer, "forms": word, **chosen})
        html = client.get("/").text
        assert f'id="c-{card}"' not in html
        undo = re.search(r'name="decision" value="([^"]+)"', html)[1]
        assert f'id="c-{card}"' in client.get("/?tab=answered").text
        client.post("/undo", data={"decision": undo, "forms": word})
        assert "Taken back." in client.get("/").text
        after = [(one.conflict, one.facts) for one in site.memory.conflicts()]
        assert [one for one, _ in after] == [one for one, _ in before]
        kept = [{(fact.id, fact.status, fact.valid_until) for fact in found} for _, found in after]
        assert kept == [{(fact.id, fact.status, fact.valid_until) for fact in found} for _, found in before]

    def test_B12_an_answer_names_who_gave_it(self, site, client):
        card, word, facts = first(client)
        client.post(f"/conflicts/{card}", data={"answer": "keep", "keep": facts[0], "forms": word})
        made = [one.author for one in site.memory.explain(facts[1]).decisions]
        assert made[-1] == "petra"

    def test_B12_what_memory_refuses_is_told_and_nothing_changes(self, site, client):
        card, word, _ = first(client)
        for wrong in (
            {"answer": "keep"},
            {"answer": "rewrite", "text": " "},
            {"answer": "burn"},
            {"answer": "keep", "keep": "x"},
        ):
            assert client.post(f"/conflicts/{card}", data={"forms": word, **wrong}).status_code == 303
            assert 'class="notice failed"' in client.get("/").text
        assert len(site.memory.conflicts()) == 3
        assert client.post(f"/conflicts/{card}", data={"forms": word}).status_code == 422

    def test_D10_forgetting_and_taking_it_back(self, site, client):
        fact = site.memory.search("What is Noor allergic to?", limit=1).results[0]
        word = field(client.get("/").text, "forms")
        client.post(f"/facts/{fact.id}/forget", data={"forms": word, "reason": "asked to", "back": f"/facts/{fact.id}"})
        html = client.get(f"/facts/{fact.id}").text
        assert "Forgotten." in html
        undo = re.search(r'name="decision" value="([^"]+)"', html)[1]
        client.post("/undo", data={"decision": undo, "forms": word})
        assert site.memory.history(fact.id).fact.status == fact.status

    def test_F9_a_fact_that_needs_a_look_is_flagged_everywhere_and_can_be_confirmed(self, site, client):
        (base,) = site.memory.remember("The office is in Ghent.", subject="office", attribute="city", value="Ghent")
        (rests,) = site.memory.remember("Lunch is at the Korenmarkt.", depends_on=base.fact_id)
        site.memory.forget(base.fact_id)
        html = client.get(f"/facts/{rests.fact_id}").text
        assert "needs a look" in html
        assert "needs a look" in client.get("/search", params={"q": "Where is lunch?"}).text
        client.post(f"/facts/{rests.fact_id}/confirm", data={"forms": field(html, "forms")})
        assert "needs a look" not in client.get(f"/facts/{rests.fact_id}").text


def test_C8_search_answers_on_both_clocks(site, client):
    def words(**asked):
        html = client.get("/search", params={"q": "What is our rate limit?", **asked}).text
        return html.split('class="words">')[1].split("<")[0]

    assert "800" in words()
    assert "600" in words(as_of="2024-05-01")
    assert "900" in words(as_of="2024-05-06", known_at="2024-05-06")
    assert "no date or time" in client.get("/search", params={"q": "x", "as_of": "whenever"}).text


def test_F12_a_long_inbox_is_cut_into_pages(site, client, monkeypatch):
    monkeypatch.setattr(pages, "SHOWN_AT_ONCE", 2)
    shown = [re.findall(r'id="c-([^"]+)"', client.get("/", params={"page": page}).text) for page in (1, 2, 9)]
    assert [len(cards) for cards in shown] == [2, 1, 1]
    assert len({*shown[0], *shown[1]}) == 3


def test_B8_the_health_page_tells_counts_judges_and_what_is_off(client):
    html = client.get("/health").text
    assert "minilm-pairs" in html
    assert "no LLM is configured" in html
    assert re.search(r"<dt>open</dt><dd>3</dd>", html)
