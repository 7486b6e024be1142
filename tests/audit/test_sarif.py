"""Is what code hosts are given SARIF 2.1.0, and does it say what was found?"""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator

from stilltrue.audit.findings import Edit, Kind, Severity
from stilltrue.audit.sarif import FINGERPRINT, RULES, as_sarif
from tests.audit.conftest import TWICE
from tests.audit.hand import answer, finding, repeat, side

SCHEMA = Path(__file__).parent / "schema" / "sarif-schema-2.1.0.json"
VALIDATOR = Draft7Validator(json.loads(SCHEMA.read_text("utf-8")))


def faults(log):
    return [error.message for error in VALIDATOR.iter_errors(log)]


def one_of_each():
    edit = Edit("CLAUDE.md", 5, 6, "- new\n", "say it once", safe=False)
    kinds = [
        finding(side("CLAUDE.md", 5, "old", 6), side("docs/a b.md", 9, "new"), kind=kind, severity=severity)
        for kind in Kind
        for severity in Severity
    ]
    edited = finding(side("CLAUDE.md", 5, "old", 6), side("docs/a b.md", 9, "new"), edit=edit)
    whole = finding(side("CLAUDE.md", 1), side("package-lock.json", 0, "is there"), kind=Kind.MISMATCH)
    outside = finding(side("/elsewhere/CLAUDE.md", 1), side("CLAUDE.md", 1))
    return answer(*kinds, edited, whole, outside, repeat("CLAUDE.md", 8, 3), skipped=[("x.md", "not UTF-8")])


def test_F8_sarif_is_valid():
    assert faults(as_sarif(one_of_each())) == []
    assert faults(as_sarif(answer())) == []


def test_F8_the_schema_itself_refuses_what_is_wrong():
    log = as_sarif(one_of_each())
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    assert faults(log)
    assert faults({"version": "2.1.0"})


@given(st.text(max_size=40), st.text(min_size=1, max_size=20).filter(lambda name: "\0" not in name))
def test_F8_sarif_is_valid_whatever_the_files_say(text, name):
    log = as_sarif(answer(finding(side(name.lstrip("/") or "f", 3, text), side("b.md", 4, text))))
    assert faults(log) == []


def test_F8_a_result_has_both_places_its_fingerprint_and_its_fix():
    twice = repeat("docs/CLAUDE.md", 8, 3, "Use [pnpm](1) {always}.")
    told = answer(twice)
    (result,) = as_sarif(told)["runs"][0]["results"]
    assert result["ruleId"] == "duplicate"
    assert result["level"] == "warning"
    place = result["locations"][0]["physicalLocation"]
    assert place == {
        "artifactLocation": {"uri": "docs/CLAUDE.md", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 8, "endLine": 8},
    }
    (related,) = result["relatedLocations"]
    assert related["physicalLocation"]["region"]["startLine"] == 3
    assert result["partialFingerprints"] == {FINGERPRINT: told.fingerprints[id(twice)]}
    (change,) = result["fixes"][0]["artifactChanges"]
    gone = {"startLine": 8, "startColumn": 1, "endLine": 9, "endColumn": 1}
    assert change["replacements"] == [{"deletedRegion": gone}]
    assert "“Use \\[pnpm\\](1) {{always}}.”" in result["message"]["text"]


def test_F8_paths_are_relative_uris_and_a_whole_file_has_no_region():
    spaced = finding(side("docs/a b.md", 1), side("package-lock.json", 0))
    outside = finding(side("/elsewhere/CLAUDE.md", 1), side("CLAUDE.md", 1))
    first, second = as_sarif(answer(spaced, outside))["runs"][0]["results"]
    assert first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "docs/a%20b.md"
    assert "region" not in first["relatedLocations"][0]["physicalLocation"]
    assert second["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "file:///elsewhere/CLAUDE.md"}


@pytest.mark.parametrize("kind", list(Kind))
def test_F8_each_kind_is_a_rule_that_helps(kind):
    rules = as_sarif(answer())["runs"][0]["tool"]["driver"]["rules"]
    (rule,) = [one for one in rules if one["id"] == kind.value]
    assert rule["shortDescription"]["text"].endswith(".")
    assert rule["help"]["text"] == RULES[kind][2]
    assert rule["defaultConfiguration"]["level"] in {"error", "warning", "note"}


def test_F8_the_door_prints_sarif_with_names_from_the_root_of_the_repository(project, audit, git, monkeypatch):
    inner = project / "api"
    inner.mkdir()
    (inner / "CLAUDE.md").write_text(TWICE)
    monkeypatch.chdir(inner)
    ran = audit("--format", "sarif")
    assert ran.status == 1
    assert faults(ran.json) == []
    (result,) = ran.json["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "api/CLAUDE.md"
