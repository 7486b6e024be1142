"""How is a question answered out of the facts that answer it, without a language model?

Answer: `compose`. It says what each slot holds (`rules.slot_answers`), or quotes the sentences that hold the answer,
and refuses in words where memory is silent. Each answer names the facts it rests on.

Left to others: what counts as an answer (`rules.grounds`), how dates and values are worded (`rules.telling`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from stilltrue.model.fact import Modality, Status
from stilltrue.rules.comparison import Comparison
from stilltrue.rules.inquiry import Form
from stilltrue.rules.questions import quoted
from stilltrue.rules.slot_answers import LISTED, MOST, MUTE, SILENT, Lens, Told, of_slot, quote, said, within
from stilltrue.rules.telling import ENDED, listed, voiced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stilltrue.model.expert import Exhibit
    from stilltrue.rules.grounds import Grounds
    from stilltrue.rules.inquiry import Inquiry


def compose(inquiry: Inquiry, grounds: Grounds, chains: Sequence[Sequence[Exhibit]], lens: Lens) -> Told:
    """The answer. `chains`: for each slot among the grounds, all it held in the order of valid time.

    Where only one author was asked, a refusal says so: memory may well hold an answer of somebody else's.
    """
    told = _told(inquiry, grounds, chains, lens)
    if not told.refused or lens.author is None:
        return told
    return replace(told, text=f"What “{quoted(lens.author)}” said does not tell{told.text.removeprefix(SILENT)}")


def _told(inquiry: Inquiry, grounds: Grounds, chains: Sequence[Sequence[Exhibit]], lens: Lens) -> Told:
    if not grounds.found:
        return _silent(inquiry, grounds)
    if not grounds.found[0].in_slot:
        return _in_sentences(inquiry, grounds, lens)
    told = [one for one in (of_slot(inquiry, held, lens) for held in chains[:MOST]) if one is not None]
    answered = [one for one in told if not one.refused]
    if not answered:
        return told[0] if told else Told(f"{SILENT}: what it holds is not of that time.", refused=True)
    return Told(" ".join(one.text for one in answered), tuple(dict.fromkeys(i for one in answered for i in one.cited)))


def _silent(inquiry: Inquiry, grounds: Grounds) -> Told:
    if grounds.missing:
        return said(f"{SILENT}: nothing in it speaks of {_words(grounds.missing)}", refused=True)
    if inquiry.somebody:
        return said(f"{SILENT}: whom “he” or “she” means is not told; ask by name", refused=True)
    if len(grounds.words) > 1:
        return said(f"{SILENT}: nothing in it tells this of {_words(grounds.words)} together", refused=True)
    return MUTE


def _words(words: Sequence[str]) -> str:
    return listed([f"“{quoted(word)}”" for word in words[:LISTED]])


def _in_sentences(inquiry: Inquiry, grounds: Grounds, lens: Lens) -> Told:
    """Sentences as they were said, those that hold first; a yes or a no before the first that says the same."""
    facts = [one.exhibit for one in grounds.found]
    if lens.then or lens.period is not None:
        facts = [one for one in facts if one.status == Status.ACTIVE or within(one, lens)]
    elif not inquiry.past and any(one.status == Status.ACTIVE for one in facts):
        facts = [one for one in facts if one.status not in ENDED]
    if not facts:
        return Told(f"{SILENT}: what it holds is not of that time.", refused=True)
    first = facts[0]
    whole = grounds.found[0].proposed is Comparison.SAME and first.statement.modality is not Modality.RULE
    verdict = ""
    if inquiry.form is Form.WHETHER and whole and not voiced(first) and first.status != Status.FUTURE:
        over = first.status in ENDED and not inquiry.past
        verdict = "No longer: " if over else "No: " if first.statement.negated else "Yes: "
    unique = list({one.statement.text: one for one in reversed(facts[:MOST])}.values())[::-1]
    return Told(verdict + " ".join(quote(one, lens) for one in unique), tuple(one.fact_id for one in unique))
