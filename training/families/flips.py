# ruff: noqa: E501 -- a table is read best with one row a line
"""Which statements have an opposite, and which values lie inside others?

Switches ("enabled" / "disabled"), attitudes ("likes" / "dislikes"), permissions, and a table of general and particular.
"""

from __future__ import annotations

import random
from typing import Final

from training.families.anchor import Anchor
from training.families.candidates import Draft
from training.families.grammar import bend
from training.families.subjects import Subject, again, draw, other
from training.families.words import POOLS

FEATURES: Final[dict[str, str]] = {
    "enabled/disabled on/off active/inactive": "dark mode; two-factor login; autosave; verbose logging; the response cache; guest checkout; telemetry; the nightly backup; email alerting; rate limiting; push messaging; debug mode; the spam filter; auto-scaling; compression; single sign-on; location sharing; the VPN; read confirmation; retry on failure; the new parser; hot reload",
    "allowed/forbidden permitted/prohibited": "smoking on the balcony; remote work; eating at desks; force-pushing; committing to main; photography; keeping pets; overtime; anonymous posting; bulk import; deploying on Fridays; subletting; guest access; parking in the yard",
    "required/optional mandatory/voluntary": "the code review; a signed commit; the safety training; the second approval; the phone number; a tie; the middle name; the deposit; the health check; the changelog entry; registration; a helmet; the weekly report; a licence header",
    "public/private visible/hidden open/closed locked/unlocked": "the wiki; the repository; the calendar; the roadmap; the photo album; the mailing list; the back gate; the salary table; the project board; the feedback form; the archive; the garden; the comment section; the test bucket",
    "supported/unsupported included/excluded available/unavailable": "Windows 10; breakfast; the ARM build; delivery; IPv6; offline mode; travel insurance; the Spanish version; wheelchair access; CSV export; live chat; the student discount; bulk upload; same-day shipping",
    "free/paid": "the newsletter; the museum visit; parking; the webinar; the sample pack; the toilet; the audio guide; the shuttle bus; the printing; the cloakroom",
    "encrypted/unencrypted": "the backup disk; the shared folder; the log stream; the export file; the chat history; the USB stick; the guest database; the mail archive",
    "stable/unstable": "the beta API; the v2 endpoint; the sync protocol; the nightly build; the new driver; the plugin interface",
}
ATTITUDES: Final = "like/dislike; love/hate; enjoy/dread; support/oppose; be fond of/be sick of; be in favour of/be against; be happy with/be unhappy with; approve of/disapprove of; be interested in/be bored by; adore/detest; look forward to/dread"
LIKED: Final = "{hobby}; open offices; early meetings; pair programming; spicy food; long flights; code reviews; horror films; DevOps; crowded beaches; public speaking; cold weather; opera; working from home; stand-up meetings; camping; night shifts; small talk; group projects; city life; {genre}; the new schedule; the redesign; winter sports; early mornings; big parties"
PARTICULARS: Final = (
    "be employed at {x}|a bank>Nordea>Rabobank>a hospital; a car maker>Volvo>Tata Motors>a theatre; a university>TU Delft>McGill>a supermarket; a newspaper>Le Monde>The Hindu>a law firm; an airline>Finnair>Kenya Airways>a bakery",
    "live in {x}|Norway>Bergen>Trondheim>Portugal; Japan>Osaka>Nagoya>Canada; Kenya>Mombasa>Kisumu>Italy; Poland>Gdansk>Lodz>Peru; Brazil>Recife>Manaus>Spain; Germany>Leipzig>Bremen>Ireland",
    "drive {x}|an electric car>a Polestar 2>a Nissan Leaf>a diesel car; a German car>a Golf>a BMW i3>a Japanese car; a hatchback>a Fiat 500>a Clio>a van",
    "have {x} as the only pet|a dog>a beagle>a whippet>a cat; a cat>a Siamese cat>a Persian cat>a rabbit; a bird>a parrot>a canary>a hamster",
    "be studying {x} as the major|a science>physics>chemistry>law; an engineering subject>civil engineering>chemical engineering>history; a language>Finnish>Korean>biology",
    "be training for {x}|a race>a marathon>a triathlon>a chess tournament; a martial arts exam>a black belt exam>a judo exam>a concert",
    "be staying at {x} this week|a hotel>Hotel Astoria>the Grand Plaza>a campsite; a friend's place>Tariq's flat>Ingrid's cabin>a hostel",
    "be reading {x} at the moment|a Russian novel>Anna Karenina>The Idiot>a cookbook; a detective story>The Hound of the Baskervilles>The Moonstone>a physics textbook",
)

PLACES: Final = (
    "in staging",
    "for guests",
    "on the test server",
    "at the Lisbon site",
    "on mobile",
    "for new members",
    "in the EU",
    "at weekends",
    "in building B",
    "for interns",
)


def _is(rng: random.Random, thing: str, state: str, *, no: bool = False, adverb: str = "") -> str:
    return f"{thing} {bend(rng, f'be {state}', '3', no=no, adverb=adverb)}"


def switch(rng: random.Random, *, test: bool) -> Anchor:
    """E: dark mode is enabled (for a subject)."""
    group = rng.choice(list(FEATURES))
    yes, no = rng.sample(rng.choice(group.split(" ")).split("/"), 2)
    thing, second = rng.sample(FEATURES[group].split("; ")[int(test) :: 2], 2)
    place, elsewhere = rng.sample(PLACES, 2)
    where = f" {place}" if rng.random() < 0.4 else ""
    later = rng.choice(("from next week on", "from next month on", "as of the 1st of next month"))
    drafts = [
        Draft("flip", "CONTRADICTION", _is(rng, thing, no) + where, "negation_flip"),
        Draft("flip", "CONTRADICTION", _is(rng, thing, yes, no=True) + where, "negation_flip"),
        Draft("flip_never", "CONTRADICTION", f"{thing} has never been {yes}{where}", "correction"),
        Draft("flip_now", "UPDATE", _is(rng, thing, no, adverb="now") + where),
        Draft("flip_now", "UPDATE", f"{later}, {thing} will be {no}{where}", "future_dated"),
        Draft("flip_end", "RETRACTION", _is(rng, thing, yes, adverb="no longer") + where),
        Draft("flip_same", "DUPLICATE", _is(rng, thing, no, no=True) + where, "double_negation"),
        Draft("flip_same", "DUPLICATE", _is(rng, thing, yes, adverb="still") + where),
        Draft("flip_other", "NONE", _is(rng, second, no) + where, "high_overlap_different"),
        Draft("flip_other", "NONE", _is(rng, second, no, adverb="now") + where, "cue_word"),
        Draft("flip_other", "NONE", _is(rng, second, yes, adverb="no longer") + where, "cue_word"),
        Draft("flip_unreal", "OVERLAP", f"should {thing} be {no}{where}?", "question", clause=False),
        Draft("flip_past", "OVERLAP", f"until {rng.randrange(2012, 2020)}, {thing} was {no}{where}", "temporal_past"),
    ]
    if where:
        drafts.append(Draft("flip_condition", "OVERLAP", f"{_is(rng, thing, no)} {elsewhere}", "condition"))
    existing = f"{thing}{where}: {yes}" if rng.random() < 0.2 else _is(rng, thing, yes) + where
    return Anchor("switch", existing, drafts)


def attitude(rng: random.Random, *, test: bool) -> Anchor:
    """E: User likes camping."""
    likes, hates = rng.choice(ATTITUDES.split("; ")).split("/")
    if rng.random() < 0.4:
        likes, hates = hates, likes
    things = LIKED.format(hobby=rng.choice(_half("hobby", test=test)), genre=rng.choice(_half("genre", test=test)))
    thing, second = rng.sample(things.split("; ")[int(test) :: 2], 2)
    who = draw(rng, "person", test=test)
    stranger = other(rng, who, test=test)

    def says(subject: Subject, verb: str, what: str, adverb: str = "", *, no: bool = False) -> str:
        return f"{subject.text} {bend(rng, f'{verb} {what}', subject.person, no=no, adverb=adverb)}"

    same = again(rng, who)
    drafts = [
        Draft("attitude_flip", "CONTRADICTION", says(same, hates, thing), "negation_flip"),
        Draft("attitude_not", "CONTRADICTION", says(same, likes, thing, no=True), "negation_flip"),
        Draft("attitude_change", "UPDATE", says(same, hates, thing, "now")),
        Draft("attitude_change", "UPDATE", f"these days {says(same, hates, thing)}, unlike before"),
        Draft("attitude_end", "RETRACTION", says(same, likes, thing, "no longer")),
        Draft("attitude_same", "DUPLICATE", says(same, likes, thing, "still")),
        Draft("attitude_same", "DUPLICATE", says(same, likes, thing, "really")),
        Draft("attitude_both", "OVERLAP", says(same, likes, second, "also"), "set_valued"),
        Draft("attitude_past", "OVERLAP", f"as a child, {same.text} used to {hates} {thing}", "temporal_past"),
        Draft("attitude_other", "NONE", says(stranger, hates, thing), "other_subject"),
        Draft("attitude_other", "NONE", says(stranger, likes, thing, "no longer"), "cue_word"),
        Draft("attitude_other", "NONE", says(stranger, likes, thing), "other_subject"),
    ]
    return Anchor("attitude", says(who, likes, thing), drafts)


def _half(pool: str, *, test: bool) -> list[str]:
    return POOLS[pool].split(", ")[int(test) :: 2]


def particular(rng: random.Random, *, test: bool) -> Anchor:
    """E: User works at a bank; or the particular bank first."""
    phrase, _, groups = rng.choice(PARTICULARS).partition("|")
    wide, one, two, apart = rng.choice(groups.split("; ")[int(test) :: 2]).split(">")
    who = draw(rng, "person", test=test)
    same, stranger = again(rng, who), other(rng, who, test=test)

    def says(subject: Subject, value: str, adverb: str = "", *, no: bool = False) -> str:
        return f"{subject.text} {bend(rng, phrase.format(x=value), subject.person, no=no, adverb=adverb)}"

    first, detail = rng.choice(((wide, one), (wide, two), (one, wide), (two, wide)))
    swap = apart if first == wide else two if first == one else one
    drafts = [
        Draft("refinement", "OVERLAP" if first == wide else "DUPLICATE", says(same, detail), "refinement"),
        Draft("refinement_swap", "UPDATE", says(same, swap)),
        Draft("refinement_swap", "UPDATE", says(same, apart)),
        Draft("refinement_swap", "UPDATE", says(same, swap, "now")),
        Draft("refinement_denied", "CONTRADICTION", says(same, first, no=True), "negation_flip"),
        Draft("refinement_ended", "RETRACTION", says(same, first, "no longer")),
        Draft("refinement_other", "NONE", says(stranger, swap), "other_subject"),
        Draft("refinement_other", "NONE", says(stranger, detail), "other_subject"),
        Draft("refinement_other", "NONE", says(stranger, first, "no longer"), "cue_word"),
        Draft("refinement_not_other", "OVERLAP", says(same, apart, no=True), "negation_flip"),
        Draft("refinement_same", "DUPLICATE", says(same, first, "still")),
    ]
    return Anchor("particular", says(who, first), drafts)
