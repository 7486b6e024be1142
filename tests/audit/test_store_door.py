"""Does `stilltrue audit --store` tell what the doctor found, write the patch, and end with the right status?"""

import json

import pytest

from stilltrue.faces.cli import main

WRONG = [
    {"id": "a", "text": "Speaks Danish", "status": "superseded", "superseded_by": "b", "created_at": "2025-01-01"},
    {"id": "b", "text": "Speaks Finnish", "created_at": "2025-06-01"},
]


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(records, *words):
        content = records if isinstance(records, str) else "".join(json.dumps(one) + "\n" for one in records)
        (tmp_path / "export.jsonl").write_text(content)
        with pytest.raises(SystemExit) as left:
            main(["audit", *words])
        return left.value.code, *capsys.readouterr()

    return run


def test_F8_the_line_of_a_finding_and_the_patch(run, tmp_path):
    status, out, err = run(WRONG, "--store", "jsonl", "export.jsonl", "--patch", "patch.jsonl")
    first, second, last = out.splitlines()
    assert status == 1
    assert first.startswith("export.jsonl:1: error OVERLAP (")
    assert first.endswith('with export.jsonl:2: "Speaks Danish" / "Speaks Finnish"')
    assert second.strip().startswith("retired: retired (superseded) when “Speaks Finnish” came, but both can stand")
    assert last.startswith("1 finding (1 error); 2 statements in 1 file")
    assert err == "patch.jsonl: 1 operations to review; nothing else was written\n"
    assert [json.loads(line)["op"] for line in (tmp_path / "patch.jsonl").read_text().splitlines()] == ["restore"]


def test_F8_json_names_the_records_and_what_would_mend_them(run):
    status, out, _ = run(WRONG, "--store", "jsonl", "export.jsonl", "--json")
    told = json.loads(out)
    assert status == 1
    (one,) = told["findings"]
    assert (one["kind"], one["record"], one["other_record"]) == ("retired", "a", "b")
    assert [(op["op"], op["id"]) for op in told["operations"]] == [("restore", "a")]


def test_F8_sarif_knows_the_kinds_of_a_store(run):
    _, out, _ = run(WRONG, "--store", "jsonl", "export.jsonl", "--format", "sarif")
    (only,) = json.loads(out)["runs"]
    (one,) = only["results"]
    assert only["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == one["ruleId"] == "retired"


def test_F8_a_clean_export_ends_with_0_and_a_broken_one_with_2(run):
    assert run(WRONG[1:], "--store", "jsonl", "export.jsonl")[0] == 0
    status, out, _ = run('{"text": "Likes tea"}\n{"text"\n', "--store", "jsonl", "export.jsonl")
    assert status == 2
    assert "export.jsonl: not read: line 2: no valid JSON" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--store", "jsonl", "export.jsonl", "--fix"], "--fix cannot be had with --store"),
        (["--store", "jsonl"], "needs the file of an export"),
        (["--store", "jsonl", "none.jsonl"], "cannot read none.jsonl"),
        (["--store", "jsonl", "export.jsonl", "--min-confidence", "2"], "a number from 0 to 1"),
        (["--store", "zep", "export.jsonl"], "zep"),
        (["--patch", "patch.jsonl", "export.jsonl"], "--patch needs --store"),
    ],
)
def test_F8_what_cannot_be_had_is_said_in_one_line(run, words, message):
    status, out, err = run(WRONG, *words)
    assert (status, out) == (2, "")
    assert message in err
