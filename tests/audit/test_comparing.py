"""Which lines of a memory file clash, and which only look as if they did? With the shipped judge and embedder."""

import json
from pathlib import Path

import pytest

from stilltrue.audit.comparing import compare_claims
from stilltrue.audit.findings import Kind, Severity
from stilltrue.audit.pairing import MOST_ALIKE, MOST_IN_SLOT, MOST_SHARING, candidate_pairs, may_meet, words_of
from stilltrue.audit.reading import read_claims
from stilltrue.audit.run import audit_files
from stilltrue.inference.embed import MiniLMEmbedder
from stilltrue.inference.pair_model import bundled_for_lines
from stilltrue.model.verdict import Relation
from stilltrue.settings import Settings

CASES = json.loads((Path(__file__).parent / "cases" / "comparing.json").read_text(encoding="utf-8"))
SETTINGS = Settings()
EMBEDDER = MiniLMEmbedder()
DATED = (
    "# Log\n\n- 2025-01-27: The billing API listens on port 8080.\n\n"
    "# New\n\n- 2025-04-06: The billing API listens on port 9090.\n"
)


def audit(text, *, name="CLAUDE.md", progress=None):
    claims = read_claims(name, text, saved_at=None, settings=SETTINGS)
    judge = bundled_for_lines()
    return compare_claims(claims, settings=SETTINGS, pair_model=judge, embedder=EMBEDDER, progress=progress)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_F8_clashes_are_found_and_look_alikes_left_alone(case, request):
    if case.get("known"):
        request.applymarker(pytest.mark.xfail(reason=case["known"], strict=True, raises=AssertionError))
    found, _ = audit(case["text"])
    lines = [(one.here.line, one.there.line) for one in found]
    assert sorted(lines) == sorted(tuple(expected[:2]) for expected in case["found"])
    for one, expected in zip(found, case["found"], strict=True):
        assert (one.kind is Kind.DUPLICATE) == (expected[2:] == ["duplicate"])
        assert one.evidence
        assert all(words.endswith(".") for words in one.evidence)


def test_F8_a_later_dated_line_makes_the_older_one_left_over_and_its_removal_safe():
    text = DATED
    [one] = audit(text)[0]
    assert (one.kind, one.here.line, one.there.line) == (Kind.LEFTOVER, 3, 7)
    assert one.edit is not None
    assert (one.edit.line, one.edit.text) == (3, None)


def test_F8_a_line_that_holds_more_than_was_superseded_is_never_taken_out_unasked():
    text = (
        "# Log\n\n- 2025-01-27: Reminders go out by text message, e-mail and WhatsApp.\n\n"
        "# New\n\n- 2025-04-06: WhatsApp is discontinued.\n"
    )
    [one] = audit(text)[0]
    assert one.here.line == 3
    assert one.edit is None or not one.edit.safe


def test_F8_what_is_long_past_is_stale():
    text = DATED.replace("2025-01", "2023-01")
    [one] = audit(text)[0]
    assert one.kind is Kind.STALE


def test_F8_files_that_load_together_are_compared_and_say_who_outranks_whom(tmp_path):
    (tmp_path / "api").mkdir()
    (tmp_path / "web").mkdir()
    (tmp_path / "CLAUDE.md").write_text("# Rules\n\nThe billing API listens on port 8080.\n")
    (tmp_path / "api" / "CLAUDE.md").write_text("# Rules\n\nThe billing API listens on port 9090.\n")
    (tmp_path / "web" / "CLAUDE.md").write_text("# Rules\n\nThe billing API listens on port 7070.\n")
    paths = [tmp_path / "CLAUDE.md", tmp_path / "api" / "CLAUDE.md", tmp_path / "web" / "CLAUDE.md"]
    report = audit_files(paths, settings=SETTINGS, pair_model=bundled_for_lines(), embedder=EMBEDDER, root=tmp_path)
    pairs = {frozenset({one.here.file, one.there.file}) for one in report.findings}
    assert pairs == {frozenset({"CLAUDE.md", "api/CLAUDE.md"}), frozenset({"CLAUDE.md", "web/CLAUDE.md"})}
    assert any("outranks" in words for one in report.findings for words in one.evidence)
    assert report.fails


def test_F8_without_a_pair_model_only_repeats_are_found():
    text = f"{DATED}\n# Again\n\n- 2025-04-06: The billing API listens on port 9090.\n"
    claims = read_claims("CLAUDE.md", text, saved_at=None, settings=SETTINGS)
    found, _ = compare_claims(claims, settings=SETTINGS, pair_model=None, embedder=EMBEDDER)
    assert [(one.kind, one.here.line, one.there.line) for one in found] == [(Kind.DUPLICATE, 11, 7)]


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("- Ask Dana for all the keys", "- Ask Dana for all the keys", True),
        ("- 2025-01-05: Ask Dana for all the keys", "- 2025-03-01: Ask Dana for all the keys", False),
        ("- 2025-01-05: Ask Dana for all the keys", "- Ask Dana for all the keys", True),
        ("- Ask [Dana](dana.md) for all the keys", "- Ask [Dana](rome.md) for all the keys", False),
        ("- Ask [Dana](dana.md) for all the keys", "- Ask [Dana](dana.md) for all the keys", True),
        ("1. Ask Dana for all the keys", "2. Ask Dana for all the keys", False),
        ("- Ask Dana for all the keys", "1. Ask Dana for all the keys", True),
        ("- ![the front door of the shop](a.png)", "- ![the front door of the shop](b.png)", False),
        ("- Done", "- Done", False),
    ],
)
def test_F8_the_same_words_of_two_days_with_two_links_or_as_two_steps_are_no_repeat(one, other, found):
    findings, _ = audit(f"# Notes\n\n## This\n\n{one}\n\n## That\n\n{other}\n")
    assert [finding.kind for finding in findings] == [Kind.DUPLICATE] * found


def made(lines):
    names = ("billing", "search", "export", "import", "mail", "upload", "report", "session", "cache", "queue")
    return "# Made\n\n" + "\n".join(
        f"- The {names[n % 10]} worker number {n} keeps {n + 3} rows of table t{n // 10}." for n in range(lines)
    )


@pytest.mark.parametrize("lines", [100, 200, 400])
def test_F8_nominated_pairs_grow_with_the_claims_and_not_with_their_square(lines):
    claims = read_claims("CLAUDE.md", made(lines), saved_at=None, settings=SETTINGS)
    assert len(claims) == lines
    pairs = candidate_pairs(claims, words_of(claims), EMBEDDER)
    assert len(pairs) <= (MOST_ALIKE + MOST_IN_SLOT + MOST_SHARING) * lines


def test_F8_progress_is_told_up_to_the_last_pair():
    told = []
    _, judged = audit(made(60), progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (judged, judged)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


RULE = "# Rules\n\nNever deploy to production on Fridays.\n\n## Billing\n\nThe queue holds a day of invoices.\n\n"


@pytest.mark.parametrize(
    ("line", "noted"),
    [
        ("Security fixes may be deployed to production on Fridays, unless the release manager is away.", True),
        ("Invoices are deployed nowhere.", False),
        ("Never deploy to production on Friday evenings, except for security fixes.", False),
    ],
)
def test_F8_a_rule_and_its_exception_are_a_note_and_no_conflict(line, noted):
    found, _ = audit(f"{RULE}## Security\n\n{line}\n")
    assert all(one.severity is Severity.NOTE for one in found)
    assert [(one.kind, one.here.line, one.there.line) for one in found] == [(Kind.EXCEPTION, 3, 11)] * noted
    assert all(one.relation is Relation.OVERLAP and one.edit is None for one in found)


@pytest.mark.parametrize(("globs", "meet"), [("web/**", False), ("api/v2/**", True)])
def test_F8_rules_for_two_kinds_of_files_never_meet(globs, meet):
    text = "---\nglobs: {}\n---\n\nThe billing API listens on port {}.\n"
    claims = [
        *read_claims(".cursor/rules/a.mdc", text.format("api/**", 8080), saved_at=None, settings=SETTINGS),
        *read_claims(".cursor/rules/b.mdc", text.format(globs, 9090), saved_at=None, settings=SETTINGS),
    ]
    assert [may_meet(*claims)] == [meet]
    found, _ = compare_claims(claims, settings=SETTINGS, pair_model=bundled_for_lines(), embedder=EMBEDDER)
    assert bool(found) == meet
