"""What does an LLM's vote change in an audit? Asked by the real command, over a real socket, of a scripted server."""

import json
from dataclasses import replace

import pytest

from stilltrue.audit import comparing, voting
from stilltrue.audit.scoring import beside_each_other
from tests.llm.server import Fault, ScriptedServer

SURE = "# Run\n\n- The billing API listens on port 8080.\n\n## Help\n\n- The billing API listens on port 9090.\n"
OPEN = (
    "# Stack\n\n- Node version: 20.11\n\n## CI\n\nThe pipeline runs lint first.\n\n"
    "- Use Node 22.4 with the lockfile cache, Node version as in the file.\n"
)


def saying(relation):
    def answer(asked):
        told = json.loads(asked.user.partition("<data>")[2].partition("</data>")[0])
        named = asked.schema["properties"]["verdicts"]["items"]["properties"]["pair"]["enum"]
        assert told
        return {"verdicts": [{"pair": one, "reason": "read twice", "relation": relation} for one in named]}

    return answer


@pytest.fixture
def server(monkeypatch):
    with ScriptedServer() as running:
        monkeypatch.setenv("STILLTRUE_LLM", running.url)
        monkeypatch.setenv("STILLTRUE_LLM_MODEL", "scripted")
        monkeypatch.setenv("STILLTRUE_LLM_RETRIES", "0")
        yield running


@pytest.fixture
def lines(project, audit, monkeypatch):
    """The findings on a text, as (line, other line, relation), where a pair counts as doubtful at this sureness."""

    def told(text, *words, sure):
        def as_sure(observed):
            return [replace(one, sure=sure) for one in beside_each_other(observed)]

        monkeypatch.setattr(comparing, "beside_each_other", as_sure)
        (project / "CLAUDE.md").write_text(text, encoding="utf-8")
        found = audit("CLAUDE.md", "--json", *words).json["findings"]
        return [(one["line"], one["other_line"], one["relation"]) for one in found if one["kind"] != "exception"], found

    return told


def test_F8_a_vote_makes_a_finding_of_a_doubtful_pair(server, lines):
    server.play(saying("UPDATE"))
    assert lines(OPEN, sure=0.3)[0] == []
    assert server.completions == []
    told, found = lines(OPEN, "--llm", sure=0.3)
    assert (3, 9, "UPDATE") in told
    assert any("scripted" in words and "read twice" in words for words in found[0]["evidence"])
    assert all(one["confidence"] == pytest.approx(voting.pooled(0.3, 0.9), abs=1e-3) for one in found)


def test_F8_a_vote_unmakes_a_doubtful_finding(server, lines):
    server.play(saying("OVERLAP"))
    assert lines(SURE, sure=0.8)[0]
    assert lines(SURE, "--llm", sure=0.8)[0] == []


@pytest.mark.parametrize("sure", [0.01, 0.99])
def test_F8_nobody_is_asked_where_no_vote_could_matter(server, lines, sure):
    before = lines(SURE, sure=sure)[0]
    assert lines(SURE, "--llm", sure=sure)[0] == before
    assert server.completions == []


@pytest.mark.parametrize("fault", [Fault.FAILING, Fault.GARBAGE, Fault.OTHER_SCHEMA, Fault.WRONG_IDS])
def test_F8_a_server_that_fails_leaves_the_local_findings(server, lines, fault):
    server.play(fault)
    before = lines(SURE, sure=0.8)[0]
    assert before
    assert lines(SURE, "--llm", sure=0.8)[0] == before
    assert server.completions


def test_F8_without_an_LLM_set_up_asking_for_one_is_refused_in_one_line(project, audit, monkeypatch):
    monkeypatch.delenv("STILLTRUE_LLM", raising=False)
    (project / "CLAUDE.md").write_text(SURE, encoding="utf-8")
    ran = audit("CLAUDE.md", "--llm")
    assert ran.status == 2
    assert "STILLTRUE_LLM" in ran.err
    assert ran.err.count("\n") == 1
