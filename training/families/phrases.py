# ruff: noqa: E501 -- a table is read best with one row a line
"""Which words say that something changed, ended, was wrong, is only planned, holds elsewhere or held once?

Templates over facts: ``a`` is what E says, ``b`` the same attribute with another value.
"""

from __future__ import annotations

from typing import Final

Templates = tuple[str, ...]

NOW: Final[Templates] = (
    "{b.now}",
    "{b.pres} now",
    "{b.pres} now, not {a.v}",
    "{b.pres} these days",
    "since {when} {b.pres}",
    "as of {when}, {b.pres}",
    "news: {b.now}",
    "{b.pres} instead of {a.v} now",
    "update: {b.pres}",
)
CHANGED_NOUN: Final[Templates] = (
    "{b.np} changed from {a.v} to {b.v}",
    "{b.np} has changed to {b.v}",
    "{b.np} went from {a.v} to {b.v}",
    "{b.np} was changed to {b.v} {when2}",
    "{b.np} has been updated: {a.v} -> {b.v}",
    "changed {b.np} from {a.v} to {b.v}",
    "{b.np} is {b.v} as of {when}",
    "{b.np} used to be {a.v}, now it is {b.v}",
    "we changed {b.np} to {b.v} {when2}",
    "please note the new {b.noun} of {b.subject.after}: {b.v}",
)
CHANGED_OWN: Final[Templates] = ("{b.changed}", "{b.changed_then} {when2}", "{b.changed} and is happy with it")
FUTURE: Final[Templates] = (
    "from {later} on, {b.will}",
    "starting {later}, {b.will}",
    "{b.will} from {later} on",
    "as of {later} {b.will}",
)
ENDED: Final[Templates] = (
    "{a.over}",
    "{a.over}",
    "it is not true any more that {a.pres}",
    "it is no longer the case that {a.pres}",
)
ENDED_NOUN: Final[Templates] = (
    "{a.used}",
    "forget what I said about {a.np}",
    "{a.np} of {a.v} has been withdrawn",
    "disregard the note that {a.pres}; it no longer holds",
)
ENDED_OWN: Final[Templates] = ("{a.ended}", "{a.ended_then} {when2}", "{a.ended} for good")
CORRECTED: Final[Templates] = (
    "{a.never}",
    "actually, {a.never}",
    "I was wrong earlier: {b.pres}",
    "that was a typo; {b.pres}",
    "correction: {b.pres}, not {a.v}",
    "{b.always}",
    "{b.pres} and always has been; {a.v} was a mistake",
    "it was never {a.v}; {b.pres}",
    "sorry, I mixed that up: {b.pres}",
    "the note saying {a.v} was wrong, {b.pres}",
)
CORRECTED_FIXED: Final[Templates] = (
    "actually, {b.pres}",
    "I was wrong earlier: {b.pres}",
    "that was a typo; {b.pres}",
    "correction: {b.pres}, not {a.v}",
    "records show that {b.pres}",
    "contrary to what I said, {b.pres}",
)
DENIED: Final[Templates] = (
    "{a.neg}",
    "{a.neg}",
    "{a.neg}",
    "it is not true that {a.pres}",
    "it's not the case that {a.pres}",
    "that {a.pres} is false",
)
AGAIN: Final[Templates] = (
    "{a.still}",
    "as mentioned, {a.pres}",
    "just to confirm, {a.pres}",
    "yes, {a.pres}",
    "it is true that {a.pres}",
    "reminder: {a.pres}",
)
NOT_OTHER: Final[Templates] = ("{b.neg}", "{b.neg}", "it is not true that {b.pres}")
PAST: Final[Templates] = (
    "in {year}, {b.was}",
    "back in {year} {b.was}",
    "until {year}, {b.was}",
    "{b.was} until {year}",
    "before that, {b.was}",
    "{b.used}",
    "years ago {b.was}",
    "{b.was} from {year} to {year2}",
    "in {year}, {a.was}",
)
UNREAL: Final[Templates] = (
    "{b.may} one day",
    "rumour has it that {b.may} soon",
    "there is talk that {b.may} next year",
    "{person} wonders whether {b.may} at some point",
    "if everything goes to plan, {b.may} some day",
    "{b.asked}?",
    "{a.asked}?",
    "{person} asked whether {a.pres}",
    "suppose {b.was}, what would we do?",
    "what if {b.was}?",
    "{person} thinks that perhaps {b.may} in a few years",
    "nothing is decided, but {b.may} later on",
)
UNREAL_FIXED: Final[Templates] = (
    "{b.asked}?",
    "{a.asked}?",
    "{person} asked whether {b.pres}",
    "{person} was not sure whether {b.pres}",
    "{person} wonders if {a.pres}",
)
INTENT: Final[Templates] = (
    "{s} would love to {b.plan}",
    "{s} {be} thinking about whether to {b.plan}",
    "{s} {be} tempted to {b.plan} but {have} not decided",
    "{s} dreamt about the day to {b.plan}",
)
SCOPED: Final[Templates] = ("{cond}, {b.pres}", "{b.pres} {cond}", "{cond} {b.pres}", "{b.pres}, but just {cond}")
ONLY: Final[Templates] = ("{b.only}", "{b.only}, nothing else", "{b.only} and no other")
ALSO: Final[Templates] = (
    "{b.also}",
    "{b.pres} too",
    "{b.pres} as well",
    "besides {a.v}, {b.pres}",
    "in addition, {b.pres}",
    "{b.now} as well",
    "apart from {a.v}, {b.pres}",
)
BACK: Final[Templates] = (
    "{a.pres} again",
    "{a.now} again",
    "back to the old state: {a.pres}",
    "the change was undone, {a.pres} again",
)
WHEN: Final = (
    "Monday, last week, yesterday, this month, today, the start of May, last Friday, this spring, the 3rd, this sprint"
)
WHEN2: Final = (
    "yesterday, last week, on Monday, this morning, two days ago, last month, on the 12th, earlier today, recently"
)
LATER: Final = (
    "next month, next Monday, next week, tomorrow, next quarter, the beginning of next year, the 1st of next month"
)
CONDITIONS: Final[dict[str, str]] = {
    "person": "on weekends; when travelling; during the holidays; in winter; while visiting family; on business trips; during exams; in the summer months; when on call; on bank holidays",
    "service": "in staging; for free accounts; for guests; in the sandbox; during the nightly batch; in local development; on the canary; for internal callers; in load tests; for legacy clients",
    "project": "on the experimental branch; in the sandbox; for contractors; in the demo environment; for hotfixes; in the legacy module; on forks; in the prototype",
    "team": "during school holidays; in December; for interns; in release weeks; when half the people travel; during audits; in summer",
    "company": "for contractors; in its Asian branch; during the summer; for seasonal work; in the pilot programme; for trainees",
    "product": "for students; during the spring sale; in the refurbished version; for club members; in the travel edition; for bulk orders",
    "event": "for volunteers; for students; for the online part; for early birds; in case of rain",
    "place": "on public holidays; in winter; for children; during renovation; on Christmas Eve; for school groups; in August",
    "device": "in rescue mode; during demos; on loan; in the lab setup; for guests; in test mode",
    "work": "in the school edition; in the festival cut; in translation; in the stage version",
    "town": "on market days; for residents; in the old quarter; in the tourist season; at night; for visitors",
}
LIGHT: Final[Templates] = (
    "by the way, {x}",
    "just so you know, {x}",
    "FYI: {x}",
    "for the record, {x}",
    "note that {x}",
    "quick note: {x}",
    "remember that {x}",
    "I think you should know that {x}",
    "{x}, by the way",
    "{x}, as far as I know",
    "ok so {x}",
    "hey, {x}",
)
LONG: Final[Templates] = (
    "{x}, and {y}",
    "{y}, and {x}",
    "{x}; also, {y}",
    "{y}. Anyway, {x}",
    "while we were chatting about how {y}, it came up that {x}",
    "{y}, but what matters here is that {x}",
    "minutes of the call: {y}; {x}",
)
FAVOURITES: Final = (
    ("foods liked", "favourite food"),
    ("drinks liked", "favourite drink"),
    ("bands", "favourite band"),
    ("books read", "favourite book"),
)
"""Of attributes with several values, the one that names the best."""
