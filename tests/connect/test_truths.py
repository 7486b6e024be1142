"""Are files of truth tests read as written, refused where they cannot be, and answered with what is served and why?"""

import hashlib

import pytest

from stilltrue.connect.replay import StoryClock
from stilltrue.connect.truth_run import Models, run_file
from stilltrue.connect.truths import SUFFIXES, is_truths, read_truths
from stilltrue.errors import AccessError, InvalidInputError, StateError, StoreError
from stilltrue.memory import Memory
from stilltrue.testing import plugin
from tests.flow.teller import day

HOME = """\
remember:
  - {at: 2025-01-10, say: Mara lives in Lisbon., author: mara, topic: home}
  - {at: 2025-03-02, say: Mara moved to Porto., author: mara, topic: home}
  - {at: 2025-03-03, say: The rate limit is 500 requests per minute., author: ann}
  - {at: 2025-03-04, say: The rate limit is 800 requests per minute., author: ben}
checks:
"""
WHERE = 'query: "Where does Mara live?"'
SLOT = "slot: {subject: mara, attribute: residence}"
HOLDS = [
    f"{WHERE}, must_be_current: Porto, must_not_serve: Lisbon",
    f"{WHERE}, as_of: 2025-02-01, must_be_current: Lisbon, must_not_serve: Porto",
    f"{SLOT}, must_be_current: porto, must_not_serve: [lisbon, Oslo]",
    f"{SLOT}, as_of: 2025-01-31, must_be_current: [Lisbon]",
    "slot: {subject: mara}, must_be_current: Porto",
    'must_ask: ["500", "800"]',
    "must_ask: 500, conflict_kind: ambiguity",
    'must_ask: 500, query: "What is the rate limit?"',
]
FAILS = [
    (f"{WHERE}, must_be_current: Lisbon", '"Lisbon" is missing', '"Mara lives in Lisbon." is superseded'),
    (f"{WHERE}, must_not_serve: Porto", '"Porto" is served', "SUPERSEDE when it was said"),
    (
        f"{WHERE}, as_of: 2025-02-01, must_be_current: Porto",
        'asked:    "Where does Mara live?" as of 2025-02-01',
        "Porto",
    ),
    (f"{SLOT}, must_be_current: Oslo", "slot mara / residence", 'nothing that was remembered says "Oslo"'),
    (f"{SLOT}, as_of: 2024-01-01, must_be_current: Lisbon", "served:   nothing", "since 2025-03-02"),
    ("must_ask: Porto", "no open conflict involves 'Porto'", '"Mara moved to Porto." is active since 2025-03-02'),
    ("must_ask: 500, conflict_kind: surge", 'an open surge question about "500"', "500 requests"),
    (f"{WHERE}, must_ask: 500", 'expected: an open question about "500"', "500 requests"),
    (f"must_ask: 500, {SLOT}", "asked:    slot mara / residence", "500 requests"),
]
CHECK = "checks:\n  - {query: Where, must_be_current: Porto}\n"
BAD = [
    ("remember: [", 1, "this is no YAML"),
    ("checks:\n  - {query: Where?, must_be_current: a}", 2, "put a text with signs such as ? : # into quotes"),
    ("remember:\n  - say: a\n checks: b\n", 3, "this is no YAML"),
    ("a: \x01", 1, "this is no YAML"),
    ("", 1, "a mapping is expected here, with store"),
    ("- a", 1, "a mapping is expected here"),
    (CHECK, 1, "say which 'store' is tested, or what to 'remember'"),
    (HOME[:-8], 1, "'checks' is to be a list"),
    (HOME + "  []\n", 6, "'checks' is to be a list with something in it"),
    (f"store: m.db\nstore: n.db\n{CHECK}", 2, "'store' is given twice"),
    (f"store: [m.db]\n{CHECK}", 1, "'store' is to be a text"),
    (f"store: m.db\nchekcs: 1\n{CHECK}", 2, "there is no 'chekcs' here; it is one of store, space"),
    (f"store: m.db\nnow: soon\n{CHECK}", 2, "'now' is no time"),
    (f"store: m.db\nsettings: {{llm: openai}}\n{CHECK}", 2, "a truth test asks no LLM"),
    (f"store: m.db\nsettings:\n  ask_threshold: 3\n{CHECK}", 3, "outside 0"),
    (f"store: m.db\nsettings:\n  thresold: 3\n{CHECK}", 3, "there is no setting 'thresold'"),
    (f"store: m.db\nsettings: all\n{CHECK}", 2, "'settings' is to be a mapping"),
    (f"remember:\n  - say: a\n{CHECK}", 2, "event 1: 'at' is no time"),
    (f"remember:\n  - {{say: a, at: 2025-01-01, importance: 3}}\n{CHECK}", 2, "event 1: 'importance' should be"),
    (f"remember:\n  - {{say: a, at: 2025-01-01, when: x}}\n{CHECK}", 2, "there is no 'when' here"),
    (f"store: m.db\nspace: &a x\nmember: !!python/name:os.system x\n{CHECK}", 3, "the tag"),
    (f"remember: &all\n  - {{say: a, at: 2025-01-01}}\nsettings: *all\n{CHECK}", 3, "an alias repeats"),
    ("? [a]\n: b\n", 1, "a key is to be a word"),
]
BAD_CHECKS = [
    (WHERE, "says what it demands: must_be_current"),
    ("must_be_current: Porto", "says what is asked: 'query', or 'slot'"),
    (f"{WHERE}, {SLOT}, must_be_current: Porto", "not by both"),
    ("slot: {attribute: residence}, must_be_current: Porto", "a slot has a 'subject'"),
    ("slot: mara, must_be_current: Porto", "a mapping is expected here, with subject, attribute"),
    (f"{WHERE}, must_be_current: []", "'must_be_current' is to be a text"),
    (f"{WHERE}, must_be_current: ~", "'must_be_current' is to be a text"),
    (f"{WHERE}, as_of: someday, must_be_current: Porto", "'someday' is no date or time"),
    ("must_ask: a, must_be_current: b", "'must_be_current' and 'must_ask' are two checks"),
    ("must_ask: a, as_of: 2025-01-01", "'as_of' and 'must_ask' are two checks"),
    (f"{WHERE}, must_be_current: a, conflict_kind: surge", "'conflict_kind' says more about 'must_ask'"),
    (f"{WHERE}, must_be_currrent: Porto", "there is no 'must_be_currrent' here"),
]


def checks(*listed):
    return HOME + "".join(f"  - {{{check}}}\n" for check in listed)


@pytest.fixture
def write(tmp_path):
    def write(text, name="home.truth.yaml"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture(scope="session")
def models(embedder):
    return Models(embedder=embedder)


def test_F5_every_kind_of_check_that_holds(write, models):
    (story,) = run_file(write(checks(*HOLDS)), models).stories
    assert [str(failure) for failure in story.failures] == []
    assert (story.passed, story.total, story.id) == (len(HOLDS), len(HOLDS), "home.truth.yaml")


def test_F5_a_check_that_fails_tells_what_is_served_and_why(write, models):
    report = run_file(write(checks(*(check for check, *_ in FAILS))), models)
    (story,) = report.stories
    assert (story.passed, story.total, report.exit_status) == (0, len(FAILS), 1)
    for number, (failure, (check, *parts)) in enumerate(zip(story.failures, FAILS, strict=True)):
        assert failure.wrong.startswith(f"home.truth.yaml:{HOME.count(chr(10)) + 1 + number}: "), check
        for part in (*parts, "  asked:    ", "  expected: ", "  because:  "):
            assert part in failure.wrong, (check, failure.wrong)


def test_F5_the_reason_names_the_judgement(write, models):
    (failure,) = run_file(write(checks(f"{WHERE}, must_be_current: Lisbon")), models).stories[0].failures
    last = failure.wrong.splitlines()[-1]
    assert 'SUPERSEDE when "Mara moved to Porto." was said; retired: UPDATE by' in last


def test_F7_what_a_stranger_said_cannot_steer_the_terminal(write, models):
    text = 'remember:\n  - {at: 2025-01-01, say: "Mara lives in \\e[31mOslo\\u202e."}\nchecks:\n'
    (failure,) = run_file(write(text + f"  - {{{WHERE}, must_not_serve: Oslo}}\n"), models).stories[0].failures
    assert "\\x1b[31mOslo\\u202e" in failure.wrong
    assert all(one.isprintable() or one == "\n" for one in failure.wrong)


@pytest.mark.parametrize(("text", "line", "message"), BAD)
def test_a_malformed_file_is_one_error_with_its_line(write, text, line, message):
    with pytest.raises(InvalidInputError) as refused:
        read_truths(write(text))
    assert str(refused.value).startswith(f"home.truth.yaml:{line}: ")
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("check", "message"), BAD_CHECKS)
def test_a_check_that_demands_nothing_clear_is_refused_with_its_line(write, check, message):
    with pytest.raises(InvalidInputError) as refused:
        read_truths(write(checks(HOLDS[0], check)))
    assert str(refused.value).startswith(f"home.truth.yaml:{HOME.count(chr(10)) + 2}: ")
    assert message in str(refused.value)


@pytest.mark.parametrize("data", [b"\xff\xfea\x00", b"a\x00b", b"store: Z\xfcrich"])
def test_a_file_that_is_no_text_is_refused(write, data):
    with pytest.raises(InvalidInputError, match=r"UTF-16|binary|no valid UTF-8"):
        read_truths(write(data))


def test_deep_nesting_is_refused(write):
    with pytest.raises(InvalidInputError, match="nested too deeply"):
        read_truths(write("[" * 5_000))


def test_F5_a_store_is_copied_and_left_to_the_last_byte(write, models, tmp_path, embedder):
    path = tmp_path / "memory.db"
    with Memory.open(path, space="crew", clock=StoryClock(day("2025-01-10")), embedder=embedder) as memory:
        memory.remember("Mara lives in Lisbon.")
        memory.set_members(["ines"])
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    head = "store: memory.db\nspace: crew\nmember: ines\n"
    asked = "checks:\n  - {query: where Mara lives, must_be_current: %s}\n"
    assert run_file(write(head + "now: 2025-02-01\n" + asked % "Lisbon"), models).exit_status == 0
    told = "remember:\n  - {at: 2025-03-02, say: Mara moved to Porto.}\n"
    assert run_file(write(head + told + asked % "Porto"), models).exit_status == 0
    assert run_file(write(head + told + asked % "Lisbon"), models).exit_status == 1
    with pytest.raises(AccessError, match="'nobody' is not in it"):
        run_file(write(head.replace("member: ines\n", "") + asked % "Lisbon"), models)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    with Memory.open(path, space="crew", member="ines", embedder=embedder) as memory:
        assert memory.stats().counts["facts"] == 1
        assert memory.check_invariants() == []


def test_F5_settings_are_tried(write, models):
    text = checks(f"{WHERE}, must_not_serve: Lisbon")
    assert run_file(write(text), models).exit_status == 0
    off = "settings: {supersession_enabled: no, pair_model: 'off', author_trust: {mara: 0.9}}\n"
    assert run_file(write(off + text), models).exit_status == 1


def test_what_cannot_be_opened_or_remembered_is_said(write, models, tmp_path):
    with pytest.raises(StoreError, match=r"home\.truth\.yaml: there is no store at .*nowhere\.db"):
        run_file(write(f"store: nowhere.db\n{CHECK}"), models)
    assert [file.name for file in tmp_path.iterdir()] == ["home.truth.yaml"]
    with pytest.raises(StateError, match=r"home\.truth\.yaml: event 1 was not remembered: .*kind"):
        run_file(write(f"remember:\n  - {{at: 2025-01-01, say: a cat, kind: odd}}\n{CHECK}"), models)


def test_names_are_known_alike_to_reader_and_plugin():
    assert plugin.SUFFIXES == SUFFIXES
    assert is_truths("a.truth.yml")
    assert not is_truths("truth.yaml")
