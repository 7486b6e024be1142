"""Which instant is asked about, on which clock? Rows C7, C8, C12, C13, D6, D7, F3: default reads, as_of and known_at
alone and together, late and future statements, the five words of retirement on both clocks, and the past told apart."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.flow.teller import day


def moves(story):
    """Lyon from January, Oslo from March, Rome from June 2025; asked in August."""
    ids = [
        story.home(city, when, f"User moved to {city}.").fact_id
        for city, when in (("Lyon", "2025-01-10"), ("Oslo", "2025-03-10"), ("Rome", "2025-06-10"))
    ]
    story.on("2025-08-01")
    return ids


def test_C7_default_reads_return_only_what_is_current(story):
    moves(story)
    assert story.values() == ["Rome"]
    assert story.served("Where does the user live?") == ["User moved to Rome."]
    assert story.values(include_superseded=True) == ["Lyon", "Oslo", "Rome"]
    assert set(story.served("Where does the user live?", include_superseded=True)) == {
        "User moved to Lyon.", "User moved to Oslo.", "User moved to Rome.",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("when", "city"),
    [
        ("2025-01-09", []),
        ("2025-01-10", ["Lyon"]),  # a bare date is the end of that day
        ("2025-03-10T00:00:00+00:00", ["Oslo"]),  # the new one begins where the old one ends
        ("2025-03-09T23:59:59.999999+00:00", ["Lyon"]),
        ("2025-06-09", ["Oslo"]),
        (str(int(day("2025-04-01").timestamp())), ["Oslo"]),  # epoch seconds
        (day("2025-07-01"), ["Rome"]),
    ],
)
def test_C7_as_of_takes_dates_times_and_epoch_seconds(story, when, city):
    moves(story)
    assert story.values(as_of=when) == city
    assert story.served("Where does the user live?", as_of=when) == [f"User moved to {name}." for name in city]


def test_C7_as_of_is_applied_inside_the_search_not_after_the_top_k(story):
    old = story.home("Portland", "2024-01-01", "User lives in Portland, the city of roses.")
    story.home("Seattle", "2024-06-01", "User moved to Seattle.")
    for number in range(80):
        story.say(f"Portland city guide, part {number}: where does one live in Portland?", subject=f"guide {number}",
                  attribute="line", value=str(number))  # fmt: skip
    (found,) = story.memory.search("Where does the user live? Portland city", as_of="2024-03-01", limit=1).results
    assert found.id == old.fact_id
    assert (found.status, found.retirement) == ("active", "superseded")


def test_C8_two_clocks(story):
    portland = story.home("Portland", "2025-01-01")
    seattle = story.home("Seattle", "2025-06-01", "User moved to Seattle.", valid_from="2025-03-01")
    story.on("2025-08-01")
    assert story.values(as_of="2025-04-01") == ["Seattle"]  # what was true in April, by what is known now
    assert story.values(as_of="2025-04-01", known_at="2025-05-01") == ["Portland"]  # … by what was known in May
    assert story.values(known_at="2025-05-01") == ["Portland"]  # what was believed in May about today
    assert story.values(as_of="2025-02-01", known_at="2025-07-01") == ["Portland"]
    assert story.values(known_at="2024-12-31") == []
    (then,) = story.memory.lookup("user", "residence", known_at="2025-05-01")
    assert (then.id, then.valid_until, then.superseded_by) == (portland.fact_id, None, None)
    assert story.served("Where does the user live?", known_at="2025-05-01") == ["User lives in Portland."]
    assert story.fact(seattle.fact_id).recorded_at >= day("2025-06-01")


def test_C8_what_was_decided_from_a_day_on(story):
    first = story.home("Lyon", "2025-01-10")
    later = story.home("Oslo", "2025-05-10", "User moved to Oslo.")
    assert [made.id for made in story.memory.changes("2025-01-10")] == [first.id, later.id]
    assert [made.id for made in story.memory.changes(day("2025-01-11"))] == [later.id]
    assert story.memory.changes("2025-05-11") == []


def test_C8_pins_stay_the_same_after_later_writes(story):
    story.home("Lyon", "2025-01-10")
    story.home("Oslo", "2025-03-10", "User moved to Oslo.")
    pins = [{"as_of": a, "known_at": k} for a in ("2025-01-20", "2025-03-20") for k in ("2025-02-01", "2025-03-31")]
    before = [story.values(**pin) for pin in pins]
    story.home("Rome", "2025-06-10", "User moved to Rome.", valid_from="2025-01-15")
    story.home("Bonn", "2025-07-10", "Actually, the user never lived in Lyon; it was Bonn.")
    assert [story.values(**pin) for pin in pins] == before


def test_C12_lookup_by_subject_and_key(story):
    moves(story)
    story.say("User speaks French.", subject="user", attribute="languages", value="French")
    story.say("Ada lives in Bonn.", subject="ada", attribute="residence", value="Bonn")
    assert {result.value for result in story.memory.lookup("user")} == {"Rome", "French"}
    assert story.values("User", "Residence") == ["Rome"]
    assert story.values("user", "residence", as_of="2025-02-01") == ["Lyon"]
    newest_first = [result.value for result in story.memory.lookup("user", "residence", include_superseded=True)]
    assert newest_first == ["Rome", "Oslo", "Lyon"]


def test_C13_a_late_fact_takes_its_place_in_the_past_and_retires_nothing(story):
    rome = story.home("Rome", "2025-01-01")
    late = story.home("Paris", "2025-06-01", "In 2019 the user lived in Paris.", valid_from="2019-01-01",
                      valid_until="2020-01-01")  # fmt: skip
    assert late.action == "ACCEPT"
    assert story.fact(rome.fact_id).superseded_by is None
    assert story.values() == ["Rome"]
    assert story.values(as_of="2019-07-01") == ["Paris"]
    assert story.values(as_of="2021-07-01") == []
    assert story.served("Where does the user live?") == ["User lives in Rome."]
    assert story.values(as_of="2019-07-01", known_at="2025-03-01") == []


def test_C13_a_late_fact_in_plain_words(story):
    story.say("User lives in Rome.", "2025-01-01")
    story.say("In 2019 I lived in Paris.", "2025-06-01")
    assert story.values() == ["Rome"]
    assert story.values(as_of="2019-07-01") == ["Paris"]


def test_C13_a_late_fact_without_an_end_ends_where_the_next_begins(story):
    rome = story.home("Rome", "2025-03-01")
    paris = story.home("Paris", "2025-06-01", valid_from="2024-01-01")
    was = story.fact(paris.fact_id)
    assert (was.valid_from, was.valid_until, was.superseded_by) == (day("2024-01-01"), day("2025-03-01"), rome.fact_id)
    assert was.status == "superseded"
    assert story.values() == ["Rome"]


def test_C13_a_late_fact_between_two_runs_splits_nothing_and_fits_in(story):
    lyon = story.home("Lyon", "2025-01-01")
    rome = story.home("Rome", "2025-06-01", "User moved to Rome.")
    oslo = story.home("Oslo", "2025-08-01", "User moved to Oslo.", valid_from="2025-03-01")
    assert story.fact(lyon.fact_id).valid_until == day("2025-03-01")
    assert story.fact(lyon.fact_id).superseded_by == oslo.fact_id
    assert (story.fact(oslo.fact_id).valid_until, story.fact(oslo.fact_id).superseded_by) == (
        day("2025-06-01"), rome.fact_id,
    )  # fmt: skip
    assert [story.values(as_of=when) for when in ("2025-02-01", "2025-04-01", "2025-07-01")] == [
        ["Lyon"], ["Oslo"], ["Rome"],
    ]  # fmt: skip


def test_C13_a_future_fact_leaves_today_alone_until_its_day(story):
    oslo = story.home("Oslo", "2025-01-01")
    berlin = story.home("Berlin", "2025-01-10", "From March the user lives in Berlin.", valid_from="2025-03-01")
    assert story.values() == ["Oslo"]
    assert story.served("Where does the user live?") == ["User lives in Oslo."]
    assert (story.fact(berlin.fact_id).status, story.fact(oslo.fact_id).status) == ("future", "active")
    assert story.values(as_of="2025-04-01") == ["Berlin"]
    story.on("2025-03-01")
    assert story.values() == ["Berlin"]
    assert (story.fact(berlin.fact_id).status, story.fact(oslo.fact_id).status) == ("active", "superseded")
    assert story.fact(oslo.fact_id).valid_until == day("2025-03-01")


def test_C13_a_future_fact_in_plain_words(story):
    story.say("User lives in Oslo.", "2025-01-01")
    story.say("From March I live in Berlin.", "2025-01-10")
    assert story.values() == ["Oslo"]
    assert story.values(as_of="2025-04-01") == ["Berlin"]


def test_D6_include_superseded_returns_the_chain_with_dates(story):
    slot = {"subject": "user", "attribute": "coffee"}
    story.say("User prefers dark roast.", "2025-01-05", value="dark roast", **slot)
    story.say("User switched to decaf.", "2025-03-05", value="decaf", **slot)
    assert story.served("Which coffee does the user drink?") == ["User switched to decaf."]
    found = story.memory.search("Which coffee does the user drink?", include_superseded=True)
    assert found.historical
    dates = {result.text: (result.valid_from, result.valid_until, result.status) for result in found.results}
    assert dates == {
        "User prefers dark roast.": (day("2025-01-05"), day("2025-03-05"), "superseded"),
        "User switched to decaf.": (day("2025-03-05"), None, "active"),
    }


@pytest.mark.parametrize(
    "query",
    [
        "Where did the user use to live?",
        "Where did the user live originally?",
        "Where did the user live previously?",
        "Back when we first talked, where did the user live?",
        "Since when does the user live in Rome?",
    ],
)
def test_D7_questions_about_the_past_switch_historical_mode_on(story, query):
    moves(story)
    found = story.memory.search(query)
    assert found.historical
    assert found.reason
    assert "User moved to Lyon." in [result.text for result in found.results]


@pytest.mark.parametrize(
    "query", ["Since I like the sea, where should the user live?", "Where does the user live?", "Is Rome home?"]
)
def test_D7_look_alikes_do_not(story, query):
    moves(story)
    found = story.memory.search(query)
    assert (found.historical, found.reason) == (False, "")
    assert {result.text for result in found.results} <= {"User moved to Rome."}


def test_F3_superseded_closes_valid_time(story):
    moves(story)
    old = story.memory.lookup("user", "residence", as_of="2025-02-01")[0]
    assert (old.retirement, old.valid_until) == ("superseded", day("2025-03-10"))
    assert story.values(as_of="2025-02-01", known_at="2025-02-01") == ["Lyon"]
    assert story.values(known_at="2025-02-01") == ["Lyon"]


def test_F3_corrected_closes_recorded_time_and_leaves_nothing_true_in_the_past(story):
    wrong = story.home("Lyon", "2025-01-10")
    right = story.home("Nice", "2025-05-10", "Actually, the user never lived in Lyon; it was always Nice.")
    story.on("2025-08-01")
    was = story.fact(wrong.fact_id)
    assert (was.status, was.retirement, was.superseded_by) == ("corrected", "corrected", right.fact_id)
    assert story.values() == ["Nice"]
    assert story.values(as_of="2025-02-01") == ["Nice"]
    assert story.values(as_of="2025-02-01", known_at="2025-02-01") == ["Lyon"]
    assert story.values(as_of="2025-02-01", include_superseded=True) == ["Nice"]
    assert not any("User lives in Lyon." in text for text in story.served("Lyon", include_superseded=True))


def test_F3_expired_when_its_stated_end_has_passed(story):
    pass_ = story.say("User has a gym pass until the end of March.", "2025-01-10", valid_until="2025-04-01",
                      subject="user", attribute="membership", value="gym pass")  # fmt: skip
    assert story.values("user", "membership") == ["gym pass"]
    story.on("2025-04-01")
    assert story.values("user", "membership") == []
    assert (story.fact(pass_.fact_id).status, story.fact(pass_.fact_id).retirement) == ("expired", None)
    assert story.values("user", "membership", as_of="2025-03-31") == ["gym pass"]
    assert len(story.life(pass_.fact_id).beliefs) == 1  # nothing new was learnt when it ran out


def test_F3_retracted_ends_now_and_stays_true_before(story):
    home = story.home("Lyon", "2025-01-10")
    gone = story.on("2025-05-10").memory.forget(home.fact_id, reason="asked")
    story.on("2025-08-01")
    was = story.fact(home.fact_id)
    assert (was.retirement, was.valid_until) == ("retracted", day("2025-05-10"))
    assert story.values() == []
    assert story.values(as_of="2025-05-09") == ["Lyon"]
    assert story.values(known_at=gone.decided_at - timedelta(seconds=1)) == ["Lyon"]


def test_F3_what_was_over_already_is_not_made_longer_by_ending_it(story):
    slot = {"subject": "user", "attribute": "membership", "value": "gym pass"}
    ways = (
        story.say("From January 2025 until March 2025 I lived in Rome.", "2025-06-01"),
        story.say("User has a gym pass.", "2025-06-01", valid_from="2025-01-01", valid_until="2025-03-01", **slot),
    )
    for said in ways:
        was = story.fact(said.fact_id)
        story.on("2026-01-01").memory.forget(said.fact_id)
        gone = story.fact(said.fact_id)
        assert (gone.retirement, gone.valid_from, gone.valid_until) == ("retracted", was.valid_from, was.valid_until)
        assert story.memory.lookup("user", as_of="2025-11-01") == ()
        story.on("2025-06-01")


def test_F3_narrowed_gives_way_to_the_same_under_a_condition(story):
    story.memory.configure(supersession_enabled=False)
    slot = {"subject": "we", "attribute": "deploy window"}
    old = story.say("We deploy weekly.", "2025-01-10", value="weekly", **slot)
    new = story.say("We deploy daily.", "2025-02-10", value="daily", **slot)
    (asked,) = story.conflicts()
    story.on("2025-03-01").memory.resolve(asked.conflict.id, "both", keep=old.fact_id, condition="in production")
    was = story.fact(old.fact_id)
    assert (was.status, was.retirement) == ("narrowed", "narrowed")
    heir = story.fact(was.superseded_by)
    assert heir.qualifiers == (("condition", "in production"),)
    assert heir.valid_from == day("2025-01-10")
    assert story.values("we", "deploy window") == ["daily", "weekly"]
    assert {r.id for r in story.memory.lookup("we", "deploy window")} == {heir.id, new.fact_id}


PARIS = ("I live in Paris.", "2025-06-10")
"""Undated: it is only known to be true because it was told then."""


def tell_back(story, news, *, late, said="2025-06-20"):
    """The news after what it outdoes, or before it: `late` says that the older statement arrives last."""
    told = [PARIS, (news, said)]
    decisions = [story.says(text, "2025-07-01", said_at=day(when))[0] for text, when in (told[::-1] if late else told)]
    return decisions[::-1] if late else decisions


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize(
    ("news", "since"),
    [
        ("I moved to Berlin in January.", "2025-01-01"),
        ("I moved to Berlin last spring.", "2025-03-01"),
        ("I moved to Berlin two weeks ago.", "2025-06-06"),
        ("I've lived in Berlin since May.", "2025-05-01"),
    ],
)
def test_C13_news_ends_what_was_out_of_date_when_it_was_told(story, news, since, late):
    paris, berlin = tell_back(story, news, late=late)
    was = story.fact(paris.fact_id)
    assert (was.status, was.valid_until, was.superseded_by) == ("superseded", day(since), berlin.fact_id)
    assert story.fact(berlin.fact_id).valid_from == day(since)
    assert story.values() == story.values(as_of="2025-06-15") == ["Berlin"]
    assert story.conflicts() == ()


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize(
    "news",
    ["I moved to Berlin in 2019.", "I moved to Berlin in January 2024.", "I moved to Berlin on 2025-01-03.",
     "I lived in Berlin in January."],
)  # fmt: skip
def test_C13_what_names_its_year_or_is_over_reaches_over_nothing(story, news, late):
    paris, _ = tell_back(story, news, late=late)
    assert story.fact(paris.fact_id).status == "active"
    assert "Paris" in story.values()


def test_C13_a_change_told_as_of_now_is_not_out_of_date(story):
    story.says("I moved to Paris.", "2025-06-10")
    story.says("I moved to Berlin in January.", "2025-06-20")
    assert story.values() == ["Paris"]
    assert story.values(as_of="2025-04-01") == ["Berlin"]


def test_C13_what_is_said_after_the_news_is_news(story):
    for text, when in (
        PARIS,
        ("I moved to Berlin in January.", "2025-06-20"),
        ("I moved back to Paris.", "2025-07-01"),
    ):
        story.says(text, when)
    assert story.values() == ["Paris"]
    assert story.values(as_of="2025-06-25") == ["Berlin"]


def test_C8_what_was_believed_before_the_news_stays_to_be_asked(story):
    story.says(*PARIS)
    news = story.says("I moved to Berlin in January.", "2025-06-20")[0]
    story.on("2025-07-01")
    assert story.values(known_at="2025-06-15") == story.values(as_of="2025-06-12", known_at="2025-06-15") == ["Paris"]
    assert story.values(as_of="2025-02-01", known_at="2025-06-15") == []
    assert story.values(as_of="2025-06-12") == ["Berlin"]
    story.memory.undo(news.id)
    assert story.values() == ["Paris"]
    assert story.values(as_of="2025-05-01") == []  # it holds from when it was told, as before


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (2, 0, 1)])
def test_C13_what_held_before_the_news_is_not_pushed_aside_by_what_was_out_of_date(story, order):
    told = [("I live in Lyon.", "2024-02-10"), PARIS, ("I moved to Berlin in January.", "2025-06-20")]
    for place in order:
        story.says(told[place][0], "2025-07-01", said_at=day(told[place][1]))
    assert story.values() == ["Berlin"]
    assert story.values(as_of="2024-12-01") == ["Lyon"]
    assert story.values(as_of="2025-06-15") == ["Berlin"]


def test_C13_an_end_that_lies_before_it_was_denied(story):
    job = story.says("I work at Siemens.", "2025-06-10")[0]
    end = story.says("I quit my job at Siemens last week.", "2025-06-11")[0]
    assert end.action == "RETRACT"
    was = story.fact(job.fact_id)
    assert (was.status, was.valid_until) == ("retracted", day("2025-06-02"))
