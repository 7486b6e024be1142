"""Do the verbs of ``python -m training`` find their modules, and does the data come out as files?"""

from __future__ import annotations

import json
import sys

import pytest

from training import __main__ as command
from training import pairs


def lines(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_data_writes_the_parts(tmp_path, capsys):
    command.main(["data", "--out", str(tmp_path)])
    told = json.loads((tmp_path / "parts.json").read_text(encoding="utf-8"))
    assert told["parts"] == pairs.parts()
    for name in ("train", "dev", "test"):
        rows = lines(tmp_path / f"{name}.jsonl")
        assert {told["parts"][row["anchor"]] for row in rows} == {name}
        assert told["counts"][name]["pairs"] == len(rows) == sum(told["counts"][name]["labels"].values())
        assert set(rows[0]) == {"anchor", "old", "new", "label", "trap"}
    assert len(lines(tmp_path / "families.jsonl")) == 12_000 == sum(told["counts"]["families"].values())
    assert capsys.readouterr().out.startswith("train ")


def test_without_torch_the_remedy_is_named(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("training.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(SystemExit, match=r"train needs (torch|onnx): pip install"):
        command.main(["train", "--out", "nowhere"])


@pytest.mark.parametrize("given", [[], ["fly"]])
def test_a_verb_that_is_none_is_refused(given, capsys):
    with pytest.raises(SystemExit):
        command.main(given)
    assert "VERB" in capsys.readouterr().err


def test_help_lists_every_verb(capsys):
    with pytest.raises(SystemExit) as left:
        command.main(["--help"])
    told = capsys.readouterr().out
    assert left.value.code == 0
    assert all(f"  {verb} " in told for verb in command.VERBS)
