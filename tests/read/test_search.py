"""Which facts answer a question: now, then, as believed then; and what stays out?"""

from datetime import timedelta

import pytest

from stilltrue.errors import InvalidInputError
from stilltrue.model.fact import Category, Modality, Retirement, Status
from stilltrue.model.ids import SpaceId
from stilltrue.read.search import LONGEST_QUERY, search
from tests.read.house import House, day


def texts(found):
    return [result.text for result in found.results]


@pytest.fixture
def moved(house):
    """Portland until March 2025, Seattle since; told when it happened."""
    house.clock.moment = day("2024-01-05")
    house.old = house.tell("User lives in Portland.", "2024-01-05", slot=("user", "residence"), value="Portland")
    house.clock.moment = day("2025-03-01")
    house.new = house.tell("User moved to Seattle.", "2025-03-01", slot=("user", "residence"), value="Seattle")
    house.retire(house.old, "2025-03-01", by=house.new)
    house.clock.moment = day("2025-06-10T12:00")
    return house


def ask(house, query, **options):
    return search(house.engine, house.space, query, **options)


# A7: relevance first, weighed by retention


def test_A7_of_two_equal_answers_the_fresher_comes_first(house):
    old = house.tell("The staging server is called Juno.", "2023-01-01")
    new = house.tell("The staging server is called Hera.", "2025-06-01")
    assert [result.id for result in ask(house, "What is the staging server called?").results] == [new, old]


def test_A7_core_facts_keep_their_floor(house):
    core = house.tell(
        "The staging server is called Juno.", "2022-01-01", standing={"category": Category.CORE, "importance": 0.5}
    )
    plain = house.tell("The staging server is called Hera.", "2022-01-02", standing={"importance": 0.5})
    assert [result.id for result in ask(house, "staging server").results] == [core, plain]


def test_A7_age_does_not_lift_an_irrelevant_fact_over_an_answer(house):
    answer = house.tell("User is allergic to peanuts.", "2015-01-01")
    house.tell("User buys groceries on Saturdays.", "2025-06-10")
    house.tell("User likes walking in the hills.", "2025-06-10")
    assert ask(house, "What is the user allergic to?").results[0].id == answer


def test_A7_in_the_past_age_counts_from_the_instant_asked(house):
    first = house.tell("The staging server is called Juno.", "2024-05-01")
    second = house.tell("The staging server is called Hera.", "2024-01-01", standing={"stability": 1.2})
    then = ask(house, "staging server", as_of=day("2024-05-02"))
    now = ask(house, "staging server", as_of=day("2026-05-02"))
    assert [result.id for result in then.results] == [first, second]
    assert then.results[0].score > now.results[0].score


# C7: default reads and as_of


def test_C7_default_reads_serve_what_is_current(moved):
    assert texts(ask(moved, "Where does the user live?")) == ["User moved to Seattle."]


def test_C7_as_of_serves_what_was_true_then(moved):
    found = ask(moved, "Where does the user live?", as_of=day("2024-06-01"))
    assert texts(found) == ["User lives in Portland."]
    assert found.results[0].status is Status.ACTIVE
    assert found.as_of == day("2024-06-01")
    assert not found.historical


def test_C7_valid_time_is_half_open(moved):
    change = day("2025-03-01")
    assert texts(ask(moved, "Where does the user live?", as_of=change)) == ["User moved to Seattle."]
    just_before = change - timedelta(microseconds=1)
    assert texts(ask(moved, "Where does the user live?", as_of=just_before)) == ["User lives in Portland."]


def test_C7_the_filter_stands_inside_the_index_and_not_after_the_best_few(house):
    """BAR 17: 150 newer facts about the same thing do not push the past out of its own ranking."""
    first = house.tell("The on-call engineer is Ada.", "2020-01-01", valid=("2020-01-01", "2020-02-01"))
    for number in range(150):
        house.tell(f"The on-call engineer is number {number}.", "2024-01-01")
    found = ask(house, "Who is the on-call engineer?", as_of=day("2020-01-15"), limit=3)
    assert [result.id for result in found.results] == [first]


def test_C7_a_fact_that_starts_later_is_not_served_yet(house):
    house.tell("User lives in Oslo.", "2025-01-01")
    house.tell("User lives in Berlin.", "2025-01-02", valid=("2026-03-01", None))
    assert texts(ask(house, "Where does the user live?")) == ["User lives in Oslo."]
    assert "User lives in Berlin." in texts(ask(house, "Where does the user live?", as_of=day("2026-04-01")))


def test_a_fact_with_a_future_end_is_served_until_then(house):
    """BAR 3."""
    house.tell("User stays at the Ibis hotel.", "2025-06-01", valid=("2025-06-01", "2025-07-01"))
    assert texts(ask(house, "Where does the user stay?"))
    assert not texts(ask(house, "Where does the user stay?", as_of=day("2025-07-01")))


# C8: two clocks


def test_C8_known_at_serves_what_was_believed(moved):
    before = ask(moved, "Where does the user live?", known_at=day("2025-02-01"))
    assert texts(before) == ["User lives in Portland."]
    assert before.results[0].status is Status.ACTIVE
    assert before.results[0].superseded_by is None
    assert texts(ask(moved, "Where does the user live?", known_at=day("2023-01-01"))) == []


def test_C8_both_clocks_together(house):
    house.clock.moment = day("2025-01-10")
    wrong = house.tell("The database is Postgres.", "2025-01-10")
    house.clock.moment = day("2025-02-10")
    right = house.tell("The database was always MySQL.", "2025-02-10", valid=("2025-01-10", None))
    house.retire(wrong, "2025-02-10", Retirement.CORRECTED, by=right)
    house.clock.moment = day("2025-06-10")
    question = "Which database is it?"
    in_january, by_january = {"as_of": day("2025-01-20")}, {"known_at": day("2025-01-20")}
    assert [result.id for result in ask(house, question, **in_january).results] == [right]
    assert [result.id for result in ask(house, question, **in_january, **by_january).results] == [wrong]
    assert [result.id for result in ask(house, question, **by_january).results] == [wrong]


def test_C8_a_mention_recorded_later_is_not_cited_for_what_was_known_before(moved):
    early = ask(moved, "Where does the user live?", known_at=day("2025-02-01")).results[0]
    assert [source.quote for source in early.sources] == ["User lives in Portland."]


# D3, D6, D7, D8: the past on request


def test_D6_superseded_facts_come_with_their_dates_on_request(moved):
    found = ask(moved, "Where does the user live?", include_superseded=True)
    by_id = {result.id: result for result in found.results}
    old, new = by_id[moved.old], by_id[moved.new]
    assert (old.status, old.valid_from, old.valid_until) == (Status.SUPERSEDED, day("2024-01-05"), day("2025-03-01"))
    assert (old.superseded_by, new.supersedes) == (moved.new, (moved.old,))
    assert found.historical
    assert found.reason == "superseded facts were asked for"


@pytest.mark.parametrize("query", ["Where did the user used to live?", "Where did the user originally live?"])
def test_D7_a_question_about_the_past_switches_historical_mode_on_and_says_so(moved, query):
    found = ask(moved, query)
    assert found.historical
    assert "past" in found.reason
    assert moved.old in [result.id for result in found.results]


@pytest.mark.parametrize("query", ["Since I live here, where should I eat?", "Where does the user live?"])
def test_D7_a_lookalike_does_not(moved, query):
    found = ask(moved, query)
    assert not found.historical
    assert found.reason == ""
    assert moved.old not in [result.id for result in found.results]


def test_D7_a_past_period_in_the_question_is_answered_for_that_period(house):
    paris = house.tell("User lived in Paris.", "2025-02-01", valid=("2019-01-01", "2020-01-01"))
    rome = house.tell("User lives in Rome.", "2024-03-01")
    found = ask(house, "Where did the user live in 2019?")
    assert found.historical
    assert found.as_of == day("2020-01-01") - timedelta(microseconds=1)
    assert [result.id for result in found.results] == [paris, rome]
    assert [result.status for result in found.results] == [Status.ACTIVE, Status.FUTURE]


def test_D7_a_caller_who_names_the_time_is_taken_at_their_word(moved):
    found = ask(moved, "Where did the user originally live?", as_of=day("2025-06-01"))
    assert not found.historical
    assert texts(found) == ["User moved to Seattle."]


def test_D8_every_result_cites_the_exact_words(moved):
    for result in ask(moved, "Where does the user live?", include_superseded=True).results:
        for source in result.sources:
            with moved.store.read() as reader:
                episode = reader.episode(moved.space, source.episode)
            assert episode.text[source.start : source.end] == source.quote == result.text
        assert result.sources


# What never comes back


def test_corrected_and_withdrawn_facts_come_back_through_no_search(moved):
    """BAR 13, 20."""
    never = moved.tell("User lives in Madrid.", "2025-06-02")
    gone = moved.tell("User lives in Lisbon.", "2025-06-02")
    moved.retire(never, "2025-06-03", Retirement.CORRECTED)
    moved.withdraw(gone)
    for options in ({}, {"include_superseded": True}, {"as_of": day("2025-06-02T12:00")}):
        served = {result.id for result in ask(moved, "Where does the user live?", **options).results}
        assert not served & {never, gone}


def test_nothing_is_seen_of_another_space(moved):
    moved.tell("User lives in Turku.", "2025-06-01", space=SpaceId("other"))
    assert "User lives in Turku." not in texts(ask(moved, "Turku", include_superseded=True))


# Voice, cut, limits


def test_plans_and_hearsay_are_marked_and_come_after_what_is_asserted(house):
    plan = house.tell("User moves to the Harbour flat.", "2025-06-01", modality=Modality.PLAN)
    hearsay = house.tell("User moves to the Harbour flat.", "2025-06-01", modality=Modality.HEARSAY)
    said = house.tell("User moves to the Harbour flat.", "2025-06-01")
    found = ask(house, "Harbour flat").results
    assert found[0].id == said
    assert {result.id: result.modality for result in found[1:]} == {plan: Modality.PLAN, hearsay: Modality.HEARSAY}


def test_nonsense_does_not_return_the_whole_memory(house):
    for text in ("User lives in Oslo.", "The cache TTL is 60 seconds.", "User likes dark roast.", "CI runs on GitHub."):
        house.tell(text)
    assert len(ask(house, "quantum chromodynamics lattice gauge").results) == 0


def test_an_answer_in_other_words_is_found_in_a_small_memory(house):
    house.tell("I moved to Milan.", "2025-06-01")
    house.tell("Lunch is at noon.", "2025-06-01")
    assert texts(ask(house, "Where do I live?"))[0] == "I moved to Milan."


def test_limit_is_kept_and_defaults_to_the_setting(house):
    for number in range(30):
        house.tell(f"Server {number} runs Debian.")
    assert len(ask(house, "Which server runs Debian?").results) == house.engine.settings.search_limit
    assert len(ask(house, "Which server runs Debian?", limit=3).results) == 3
    assert len(ask(house, "Which server runs Debian?", limit=1000).results) == 30


def test_scores_fall_and_lie_between_nought_and_one(house):
    for number in range(12):
        house.tell(f"Server {number} runs Debian.")
    house.tell("Lunch is at noon.")
    scores = [result.score for result in ask(house, "Which server runs Debian?").results]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= points <= 1 for points in scores)


def test_an_empty_memory_answers_with_nothing(house):
    assert ask(house, "anything at all?").results == ()


@pytest.mark.parametrize(
    ("query", "limit"),
    [("", None), (" \n\t", None), ("x" * (LONGEST_QUERY + 1), None), ("where?", 0), ("where?", 1001)],
)
def test_what_cannot_be_answered_is_refused_with_a_remedy(house, query, limit):
    with pytest.raises(InvalidInputError, match=r"ask|give"):
        ask(house, query, limit=limit)


@pytest.mark.parametrize("query", ["!!!???", "\u0000", '"quoted OR', "a* NEAR(b)", "🙂", "Wo wohne ich?", "who is it"])
def test_odd_queries_are_answered(moved, query):
    ask(moved, query)


def test_the_space_may_set_its_own_limit(house):
    for number in range(5):
        house.tell(f"Server {number} runs Debian.")
    with house.store.write(house.space) as transaction:
        transaction.put_space_settings(house.space, {"search_limit": 2})
    assert len(ask(house, "Debian").results) == 2


def test_both_houses_stand_alone():
    one, other = House(), House()
    one.tell("User lives in Oslo.")
    assert not ask(other, "Where does the user live?").results


def test_an_answer_in_other_words_is_found_among_many_facts_by_its_slot(house):
    """A hundred statements lie nearer to the question than its answer, and share a word with it."""
    answer = house.tell("I moved to Milan.", "2025-06-01", slot=("ben", "residence"), value="Milan")
    for number in range(120):
        house.tell(f"Person {number} lives in house {number}.", "2025-06-02", slot=(f"person {number}", "residence"))
    assert answer in [result.id for result in ask(house, "Where does Ben live?").results]
