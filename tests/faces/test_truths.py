"""Does `replay` run a file of truth tests as well, for who has no pytest?"""

TRUTHS = """\
remember:
  - {at: 2025-01-10, say: Mara lives in Lisbon.}
  - {at: 2025-03-02, say: Mara moved to Porto.}
checks:
  - {query: "Where does Mara live?", must_be_current: Porto}
"""


def test_F5_replay_runs_truth_tests(run, tmp_path):
    file = tmp_path / "home.truth.yaml"
    file.write_text(TRUTHS, "utf-8")
    ran = run("replay", file, before=())
    assert (ran.status, ran.lines, ran.err) == (0, ["1/1 checks"], "")
    file.write_text(TRUTHS + TRUTHS.splitlines()[-1].replace("Porto", "Lisbon") + "\n", "utf-8")
    ran = run("replay", file, before=())
    assert (ran.status, ran.lines[0], ran.lines[-1]) == (
        1,
        "home.truth.yaml:6: must_be_current Lisbon",
        "1/2 checks",
    )
    told = run("replay", file, "--json", before=()).json
    assert (told["passed"], told["total"], told["stories"][0]["id"]) == (1, 2, "home.truth.yaml")
    (failure,) = told["stories"][0]["failures"]
    assert failure["check"]["must_include"] == ["Lisbon"]


def test_F5_a_malformed_file_is_one_line(run, tmp_path):
    file = tmp_path / "home.truth.yaml"
    file.write_text("remember: [", "utf-8")
    ran = run("replay", file, before=())
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("error: home.truth.yaml:1: this is no YAML")
    assert ran.err.count("\n") == 1
