"""Does a baseline know its findings again, and only those?"""

import json

import pytest

from stilltrue.audit.baseline import Baseline, Looked, fingerprints, read_baseline
from stilltrue.errors import InvalidInputError
from tests.audit.conftest import PORTS, TWICE
from tests.audit.hand import finding, side


def test_F8_a_fingerprint_survives_moved_lines_and_the_order_of_its_places():
    here, there = side("a.md", 3, "port 8080"), side("a.md", 9, "port 9090")
    moved = finding(side("a.md", 50, "port  9090"), side("a.md", 4, "port 8080"))
    assert fingerprints([finding(here, there)]) == fingerprints([moved])


@pytest.mark.parametrize("other", [side("b.md", 9, "port 9090"), side("a.md", 9, "port 9091")])
def test_F8_another_file_or_another_word_is_another_finding(other):
    here = side("a.md", 3, "port 8080")
    assert fingerprints([finding(here, other)]) != fingerprints([finding(here, side("a.md", 9, "port 9090"))])


def test_F8_a_third_copy_is_a_finding_of_its_own():
    pair = finding(side("a.md", 3, "x"), side("a.md", 9, "x"))
    third = finding(side("a.md", 3, "x"), side("a.md", 12, "x"))
    first, second = fingerprints([pair, third])
    assert first != second
    assert fingerprints([pair]) == [first]


def test_F8_known_findings_are_accepted_and_new_ones_are_not(project, audit):
    file = project / "CLAUDE.md"
    file.write_text(PORTS)
    wrote = audit("--write-baseline", "known.json")
    assert (wrote.status, wrote.err) == (0, "known.json knows 1 finding now\n")
    file.write_text("# Before\n\nSome words go first.\n\n" + PORTS)
    again = audit("--baseline", "known.json")
    assert again.status == 0
    assert "1 accepted by the baseline" in again.out
    file.write_text(PORTS + TWICE)
    new = audit("--baseline", "known.json")
    assert new.status == 1
    assert ["DUPLICATE" in line for line in new.findings] == [True]


def test_F8_what_no_longer_occurs_is_told_and_goes_with_the_next_writing(project, audit):
    file = project / "CLAUDE.md"
    file.write_text(PORTS)
    audit("--write-baseline", "known.json")
    file.write_text(PORTS.replace("9090", "8080"))
    ran = audit("--baseline", "known.json", "--json")
    assert [entry["other_text"] for entry in ran.json["gone"]] == ["The API listens on port 9090."]
    assert "no longer occurs" in audit("--baseline", "known.json").out
    audit("--write-baseline", "known.json")
    texts = [entry["other_text"] for entry in json.loads((project / "known.json").read_text())["findings"]]
    assert "The API listens on port 9090." not in texts


def test_F8_the_file_is_sorted_and_has_no_line_numbers_and_keeps_what_others_wrote(project, audit):
    (project / "b.md").write_text(PORTS)
    (project / "a.md").write_text(TWICE)
    audit("b.md", "a.md", "--write-baseline", "known.json")
    known = project / "known.json"
    document = json.loads(known.read_text())
    assert [entry["file"] for entry in document["findings"]] == ["a.md", "b.md"]
    assert not any("line" in key for entry in document["findings"] for key in entry)
    document["owner"] = "the platform team"
    document["findings"][1]["reason"] = "two gateways"
    known.write_text(json.dumps(document))
    audit("a.md", "b.md", "--write-baseline", "known.json")
    written = known.read_text()
    assert json.loads(written) == document
    audit("a.md", "--write-baseline", "known.json")
    assert known.read_text() == written, "what was not audited stays known"


def test_F8_a_folder_below_knows_the_same_findings(project, audit, git, monkeypatch):
    (project / "api").mkdir()
    (project / "api/CLAUDE.md").write_text(PORTS)
    audit("--write-baseline", "known.json")
    monkeypatch.chdir(project / "api")
    assert audit("--baseline", "../known.json").status == 0


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"version": 1}', '{"version": 1, "findings": [{"kind": "x"}]}', '{"version": 2, "findings": []}'],
)
def test_F8_what_is_no_baseline_is_an_error_with_a_remedy(tmp_path, text):
    file = tmp_path / "known.json"
    file.write_text(text)
    with pytest.raises(InvalidInputError, match=r"known\.json: this .*--write-baseline"):
        read_baseline(file)


def test_F8_an_empty_baseline_knows_nothing(tmp_path):
    assert Baseline().gone({"x"}, Looked(tmp_path, {"a.md"})) == []


def test_F8_an_audit_of_one_file_forgets_nothing_of_what_it_has_with_another(project, audit):
    (project / "a.md").write_text("The API listens on port 8080.\n")
    (project / "b.md").write_text("The API listens on port 9090.\n")
    audit("a.md", "b.md", "--write-baseline", "known.json")
    known = (project / "known.json").read_text()
    alone = audit("a.md", "--baseline", "known.json")
    assert (alone.status, "no longer occurs" in alone.out) == (0, False)
    assert audit("a.md", "--write-baseline", "known.json").err == "known.json knows 1 finding now\n"
    assert (project / "known.json").read_text() == known
    assert audit("a.md", "b.md", "--baseline", "known.json").status == 0
    (project / "b.md").unlink()
    assert "no longer occurs" in audit("a.md", "--baseline", "known.json").out
    assert audit("a.md", "--write-baseline", "known.json").err == "known.json knows 0 findings now\n"


def test_F8_what_the_repository_proves_wrong_is_forgotten_only_where_it_was_asked_again(project, audit):
    (project / "CLAUDE.md").write_text("The entry point is `src/main.ts`.\n")
    (project / "src").mkdir()
    (project / "src/index.ts").write_text("")
    assert audit("--repo", "--write-baseline", "known.json").err == "known.json knows 1 finding now\n"
    plain = audit("--baseline", "known.json")
    assert (plain.status, "no longer occurs" in plain.out) == (0, False)
    assert audit("--write-baseline", "known.json").err == "known.json knows 1 finding now\n"
    (project / "src/main.ts").write_text("")
    assert audit("--repo", "--write-baseline", "known.json").err == "known.json knows 0 findings now\n"


def test_F8_what_is_below_the_wanted_confidence_stays_known_while_it_occurs(project, audit):
    (project / "CLAUDE.md").write_text(PORTS)
    audit("--write-baseline", "known.json")
    assert audit("--min-confidence", "1", "--write-baseline", "known.json").err == "known.json knows 1 finding now\n"
