"""What does a page show? The views, from a real memory and without a browser."""

from datetime import UTC, datetime

import pytest

from stilltrue.faces.page.views.cards import bundles, card, settles
from stilltrue.faces.page.views.facts import fact_page
from stilltrue.faces.page.views.found import found_page
from stilltrue.faces.page.views.slots import charts
from stilltrue.faces.page.views.words import NOBODY, PageLens, line
from stilltrue.model.ids import ConflictId
from stilltrue.read.provenance import closings, passages
from stilltrue.read.results import OpenConflict
from stilltrue.rules.settling import Weight
from stilltrue.testing import FrozenClock, memory
from tests.faces.page.conftest import NOW

LENS = PageLens()


@pytest.fixture(autouse=True)
def _sound(told):
    yield
    assert told.check_invariants() == []
    told.close()


def said(kept, *ids):
    return passages(kept.engine, kept.space, ids)


def card_of(kept, word):
    found = next(
        one for status in ("open", "answered") for one in kept.conflicts(status) if word in one.conflict.question
    )
    closed = closings(kept.engine, kept.space, [found.conflict])
    return card(found, said(kept, *(fact.id for fact in found.facts)), LENS, closed.get(found.conflict.id))


class TestCards:
    def test_B12_a_card_has_the_question_and_the_facts_under_letters_with_who_when_and_the_marked_quote(self, told):
        shown = card_of(told, "Frankfurt")
        assert shown.question.endswith("?")
        assert [(side.label, side.key, side.fact.who) for side in shown.sides] == [
            ("A", "a", "ines"),
            ("B", "b", "robin"),
        ]
        (quote,) = shown.sides[0].quotes
        assert [piece.text for piece in quote.near if piece.marked] == ["The search service runs in Frankfurt."]
        assert "".join(piece.text for piece in quote.whole).startswith("We moved things this week. ")
        assert (quote.who, quote.said.shown) == ("ines", "3 Oct 2024, 09:00")

    def test_B12_an_answered_card_tells_the_answer_and_what_takes_it_back(self, told):
        shown = card_of(told, "Frankfurt")
        told.resolve(shown.id, "keep", keep=shown.sides[1].fact.id, author="petra")
        answered = card_of(told, "Frankfurt")
        assert (answered.open, answered.answer, [side.kept for side in answered.sides]) == (
            False,
            "B kept",
            [False, True],
        )
        told.undo(answered.undo)
        assert card_of(told, "Frankfurt").open

    def test_B12_a_rewritten_answer_is_taken_back_with_its_text(self, told):
        shown = card_of(told, "Frankfurt")
        told.resolve(shown.id, "rewrite", text="The search service runs in Oslo.")
        answered = card_of(told, "Frankfurt")
        told.undo(answered.undo)
        assert card_of(told, "Frankfurt").open
        assert "Oslo" not in str([fact.text for fact in told.search("Where does the search service run?").results])

    def test_B12_what_closed_by_itself_offers_no_undo(self, told):
        one = told.conflicts()[0]
        assert card(one, {}, LENS).undo == ""

    def test_F11_questions_about_the_same_facts_stand_together_in_the_place_of_the_first(self, told):
        cards = told.conflicts()
        names = [one.conflict.id for one in cards]
        tied = [
            OpenConflict(conflict=cards[0].conflict, facts=cards[0].facts, together=(names[2],)),
            cards[1],
            OpenConflict(conflict=cards[2].conflict, facts=cards[2].facts, together=(names[0],)),
        ]
        shown = bundles(tied, {one.conflict.id: card(one, {}, LENS) for one in cards})
        assert [[one.id for one in bundle.cards] for bundle in shown] == [[names[0], names[2]], [names[1]]]

    def test_F11_what_hangs_on_a_page_that_is_not_shown_is_left_to_that_page(self, told):
        first = told.conflicts()[0]
        tied = OpenConflict(conflict=first.conflict, facts=first.facts, together=(ConflictId("elsewhere"),))
        assert [len(bundle.cards) for bundle in bundles([tied], {first.conflict.id: card(first, {}, LENS)})] == [1]

    def test_F11_the_weight_in_words(self):
        assert settles(Weight(facts=1)) == "settles 1 fact"
        assert settles(Weight(facts=2, dependents=2, open_pairs=1, questions=1, reads=1)) == (
            "settles 2 facts, 2 that rest on them, 1 undecided pair and 1 other question; read 1 time"
        )


class TestSlots:
    def residence(self, told):
        return next(one for one in charts(told.history(subject="noor"), LENS) if one.attribute == "residence")

    def test_F12_each_value_has_a_row_and_one_that_came_back_has_two_bars_tied(self, told):
        rows = {row.label: row for row in self.residence(told).rows}
        assert list(rows) == ["Paris", "Ghent", "Antwerp", "Lisbon", "Berlin"]
        assert [bar.again for bar in rows["Lisbon"].bars] == [False, True]
        assert len(rows["Lisbon"].ties) == 1
        assert "↩" in rows["Lisbon"].words
        assert rows["Ghent"].ties == ()

    def test_F12_states_are_told_apart_by_words_and_every_bar_lies_on_the_axis(self, told):
        chart = self.residence(told)
        assert {bar.word for bar in chart.bars} == {"expired", "superseded", "current", "future"}
        assert all(bar.x >= 0 and bar.x + bar.width <= 100.01 and bar.width > 0 for bar in chart.bars)
        assert [bar.number for bar in chart.bars] == [1, 2, 3, 4, 5, 6, 7]
        past, future = chart.bars[1], chart.bars[-1]
        assert past.x < chart.today < future.x
        assert future.open
        assert not past.open

    def test_F12_what_was_corrected_never_held_and_is_drawn_so(self, told):
        fact = told.search("What is our rate limit?", limit=1).results[0]
        (limit,) = charts(told.history(subject=fact.subject, attribute=fact.attribute), LENS)
        wrong = next(bar for bar in limit.bars if bar.word == "corrected")
        assert not wrong.open
        assert "never true" in wrong.told

    @pytest.mark.parametrize(
        ("start", "end"), [("0001-01-02", "9999-12-30"), ("2024-01-01", "2024-01-02"), ("1999-12-31", "2000-02-01")]
    )
    def test_F12_any_stretch_of_time_gets_an_axis_with_dates_and_no_crowd(self, start, end):
        with memory(FrozenClock(NOW)) as kept:
            kept.remember(
                "The lease runs.", subject="lease", attribute="state", value="on", valid_from=start, valid_until=end
            )
            (chart,) = charts(kept.history(subject="lease"), LENS)
        assert 1 <= len(chart.ticks) <= 7
        assert all(0 <= tick.x <= 100 for tick in chart.ticks)


class TestSearch:
    def test_C8_the_slider_spans_the_dates_found_and_holds_the_day_asked_for(self, told):
        found = told.search("Where does Noor live?", as_of="2024-05-01")
        ever = told.search("Where does Noor live?", include_superseded=True)
        page = found_page("q", found, ever.results, NOW, LENS)
        day = (datetime(2024, 5, 1, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)).days
        assert page.valid.held == day
        assert page.valid.first < min(page.valid.marks) <= max(page.valid.marks) < page.valid.last
        assert page.known.last == (NOW - datetime(1970, 1, 1, tzinfo=UTC)).days
        assert page.then == ("true on 1 May 2024, 23:59",)
        assert page.lines[0].shown_word == "true then"

    def test_D7_historical_mode_says_why(self, told):
        found = told.search("Where did Noor use to live?")
        page = found_page("q", found, found.results, NOW, LENS)
        assert page.historical
        assert page.mode == found.reason != ""

    def test_F9_a_fact_that_needs_a_look_is_flagged(self, told):
        fact = told.search("Where does Noor live?").results[0]
        assert line(fact, LENS, rechecks=[fact.id]).recheck
        assert not line(fact, LENS, rechecks=["another"]).recheck


class TestFacts:
    def page(self, kept, fact_id):
        history = kept.history(fact_id)
        return fact_page(history, kept.explain(history.fact.id), said(kept, history.fact.id)[history.fact.id], LENS)

    def test_D8_the_chain_runs_both_ways_and_the_span_is_exact(self, told):
        fact = told.search("Where does Noor live?", as_of="2024-05-01", limit=1).results[0]
        page = self.page(told, fact.id)
        assert [one.text for one in page.before] == ["I live in Ghent."]
        assert page.after[0].text == "I moved to Lisbon."
        assert [piece.text for piece in page.quotes[0].whole if piece.marked] == [fact.sources[0].quote]

    def test_F5_the_waterfall_lists_candidates_signals_and_weights(self, told):
        fact = told.search("Where does Noor live?", limit=1).results[0]
        step = next(step for step in self.page(told, fact.id).steps if step.candidates)
        changed = next(one for one in step.candidates if one.changed)
        assert any(not reason.silent and 0 < reason.bar <= 100 for reason in changed.reasons)
        assert all(reason.silent == (reason.weight == "") for reason in changed.reasons)
        assert "settled by" in changed.verdict

    def test_F4_the_last_decision_can_be_taken_back_and_then_the_undo_can(self, told):
        fact = told.search("Where does Noor live?", limit=1).results[0]
        page = self.page(told, fact.id)
        assert page.undo.id == page.steps[0].id
        told.undo(page.undo.id)
        assert self.page(told, fact.id).undo.action == "UNDO"

    def test_an_author_that_is_not_named_is_the_user(self):
        with memory(FrozenClock(NOW)) as kept:
            (made,) = kept.remember("I live in Ghent.")
            assert self.page(kept, made.fact_id).fact.who == NOBODY
