"""Does the demo show all that it is there to show?"""

import pytest

from stilltrue.faces.demo import STORY, tell


@pytest.fixture(scope="module")
def told():
    return list(tell(":memory:"))


@pytest.fixture
def part(told):
    """The lines under one of the demo's headings."""

    def part(heading):
        start = next(number for number, line in enumerate(told) if line.strip().startswith(heading))
        rest = told[start + 1 :]
        end = next((number for number, line in enumerate(rest) if not line), len(rest))
        return rest[:end]

    return part


@pytest.fixture
def decided(part):
    """The decision on the sentence that contains some words."""
    return lambda words: next(line for line in part("A story") if f"{words}" in line.partition("takes the place")[0])


@pytest.fixture
def answer(part):
    def answer(heading, question):
        lines = part(heading)
        start = next(number for number, line in enumerate(lines) if line.strip().startswith(question))
        return " ".join(line for line in lines[start + 1 : start + 3] if line.startswith("      "))

    return answer


def test_every_sentence_of_the_story_gets_its_line(part):
    assert 14 <= len(STORY) <= 18
    days = [line.split()[0] for line in part("A story") if not line.strip().startswith("question")]
    assert days == [said.day for said in STORY]


@pytest.mark.parametrize(
    ("words", "action"),
    [
        ("I moved to Antwerp.", "SUPERSEDE"),
        ("I moved to Lisbon.", "SUPERSEDE"),
        ("now uses PostgreSQL 16.", "SUPERSEDE"),
        ("is now 900 requests", "SUPERSEDE"),
        ("Correction:", "SUPERSEDE"),
        ("allergic to shellfish", "ACCEPT"),
        ("no longer play the cello", "RETRACT"),
        ("In 2019 I lived in Paris.", "ACCEPT"),
        ("from January 2025", "SUPERSEDE"),
        ("We deploy to production on Fridays.", "ASK"),
        ("service uses PostgreSQL 16.", "REINFORCE"),
    ],
)
def test_each_kind_of_decision_is_shown(decided, words, action):
    assert f" {action} " in f"{decided(words)} "


@pytest.mark.parametrize(
    ("question", "there", "gone"),
    [
        ("Where does Noor live?", ["Lisbon"], ["Ghent", "Antwerp", "Paris"]),
        ("What is our rate limit", ["800"], ["600"]),
        ("Which database", ["PostgreSQL 16"], ["PostgreSQL 14"]),
        ("What is Noor allergic to?", ["hazelnuts", "shellfish"], []),
        ("When does the daily standup", ["09:30"], ["10:00"]),
    ],
)
def test_what_is_true_now(answer, question, there, gone):
    said = answer("What is true on", question)
    assert all(word in said for word in there)
    assert not any(word in said for word in gone)


@pytest.mark.parametrize(
    ("question", "there"),
    [
        ("Where does Noor live? As of 2024-04-30", "Antwerp"),
        ("Where does Noor live? As of 2019-06-30", "Paris"),
        ("What is our rate limit? As of 2024-05-06", "800"),
        ("When does the daily standup start? As of 2025-02-03", "10:00"),
        ("What is our rate limit? As it was believed", "900"),
    ],
)
def test_what_was_true_and_what_was_believed(answer, question, there):
    assert there in answer("What was true", question)


def test_the_one_open_question_is_about_the_rule(part):
    question, kind, *facts = part("What only a person")
    assert question.endswith("?")
    assert "constraint" in kind
    assert len(facts) == 2


def test_one_answer_is_explained_to_the_end(part):
    said = "\n".join(part("Why #"))
    for word in ("SUPERSEDE: heard “I moved to Lisbon.”", "rule", "considered", "Antwerp", "settled by", "cost"):
        assert word in said


def test_the_demo_can_be_kept_and_asked(ok, run, tmp_path):
    kept = tmp_path / "story.db"
    ok("demo", "--keep", kept)
    assert "Lisbon" in ok("search", "where does Noor live", before=["--db", str(kept)]).out
    assert run("demo", "--keep", kept).status == 2


def test_the_demo_speaks_json(ok):
    assert len(ok("demo", "--json").json["lines"]) > 30
