"""Which small faults must the tests see? Twenty-five, each with the place it is put in and the tests named for it.

A fault is one edit of one file that leaves the program running: a sign turned, a line lost, a check that never says no.
`test_mutants` plants each alone in a copy of the package and runs only its tests, of which one has to fail.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """`old` stands once in the file (below src/stilltrue) and becomes `new`; `tests` are pytest's names."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]

    def __str__(self):
        return self.name


CONTRACT, ERASE = "tests/store/test_contract.py::", "tests/store/test_erase.py::"
TIME, GUARDS, SPACES = "tests/flow/test_time.py::", "tests/flow/test_guards.py::", "tests/flow/test_spaces.py::"
UNDO, CRASH = "tests/flow/test_undo.py::", "tests/flow/test_crash.py::"
PROVENANCE, WORKER = "tests/flow/test_provenance.py::", "tests/flow/test_worker.py::"

MUTANTS = (
    Mutant("an interval that holds at its end", "store/queries.py",
           "(b.valid_until IS NULL OR b.valid_until > :valid)", "(b.valid_until IS NULL OR b.valid_until >= :valid)",
           (f"{CONTRACT}test_every_reader_shares_one_meaning_of_current",)),
    Mutant("an index that holds at its end", "store/view.py",
           "mask &= self.valid_until > at", "mask &= self.valid_until >= at",
           (f"{CONTRACT}test_every_reader_shares_one_meaning_of_current",)),
    Mutant("a lost receipt", "write/apply.py",
           "    transaction.add_decision(decision)\n", "",
           (f"{PROVENANCE}test_F5_explain_tells_candidates_signals_rule_and_cost",)),
    Mutant("a lost row of history", "write/apply.py",
           "    for change in stamped:\n        transaction.add_history",
           "    for change in stamped[1:]:\n        transaction.add_history",
           (f"{UNDO}test_F4_undo_of_a_supersession_restores_both_sides",)),
    Mutant("one value of a set takes the place of another", "rules/typed.py",
           "    words, both = pair.new_wording, (pair", "    return None\n    words, both = pair.new_wording, (pair",
           ("tests/rules/test_pairs.py::test_conflict_or_not",)),
    Mutant("known_at without effect", "store/queries.py",
           "    if where.known_at is None:\n", "    if where.known_at is None or True:\n",
           (f"{TIME}test_C8_two_clocks", f"{CONTRACT}test_lookup_with_known_at_tells_what_was_believed_then")),
    Mutant("what never was true is served", "store/queries.py",
           "_SERVED: Final = \"b.retirement IS NOT 'corrected'\"", '_SERVED: Final = "1"',
           (f"{CONTRACT}test_every_reader_shares_one_meaning_of_current",)),
    Mutant("an undo that forgets a row", "write/undo.py",
           "for row in sorted(rows, key=_seq, reverse=True)]", "for row in sorted(rows, key=_seq, reverse=True)][:-1]",
           (f"{UNDO}test_F4_undo_of_a_supersession_restores_both_sides",)),
    Mutant("an undo without looking at what came later", "write/undo.py",
           "    later = _standing(_later(reader, space, rows, _marks(decisions)))\n", "    later = []\n",
           (f"{UNDO}test_F4_undoing_twice_or_what_changed_nothing_or_nobody_knows",
            f"{UNDO}test_F4_what_a_later_decision_rests_on_is_not_pulled_out_from_under_it")),
    Mutant("a slot read across spaces", "store/queries.py",
           'condition = "f.space_id = :space AND f.subject', 'condition = ":space = :space AND f.subject',
           (f"{SPACES}test_E10_the_same_slot_in_two_spaces_is_two_slots",
            f"{CONTRACT}test_another_spaces_ids_are_as_unknown_as_no_ids_at_all")),
    Mutant("a group open to strangers", "memory.py",
           "if members and self.member not in members:", "if members and self.member is not None is None:",
           (f"{SPACES}test_D9_strangers_cannot_even_open_a_group",)),
    Mutant("erased words left in the full-text index", "store/fts.py",
           "INSERT INTO facts_fts (facts_fts, rowid, text) VALUES ('delete', ?, ?)",
           "SELECT ?, ?",
           (f"{ERASE}test_an_erased_fact_leaves_no_byte",)),
    Mutant("an erased fact's vector left", "store/erase.py",
           'self._run("DELETE FROM vectors WHERE space_id = ? AND fact_id = ?", fact_id)', "pass",
           (f"{ERASE}test_an_erased_fact_leaves_no_byte", "tests/store/test_files.py::test_what_is_broken_is_found")),
    Mutant("erased words left in the log", "store/sqlite.py",
           "self._log_to_cut = self._log_to_cut or transaction.erased", "self._log_to_cut = False",
           (f"{ERASE}test_an_erased_fact_leaves_no_byte",)),
    Mutant("an idempotency key ignored", "write/remember.py",
           "if said.origin is not None else None", "if said.origin is None else None",
           (f"{CRASH}test_B13_a_repeated_origin_is_taken_once",)),
    Mutant("a lease that fences nothing off", "write/leasing.py",
           "if not transaction.held(space, job_id, owner()):", "if transaction.held(space, job_id, owner()) is None:",
           (f"{WORKER}test_B13_who_lost_the_job_while_away_writes_nothing_over_the_one_who_took_it",)),
    Mutant("a lease that keeps nobody away", "store/jobs.py",
           "AND kind = :kind AND {_FREE} AND", "AND kind = :kind AND ({_FREE} OR 1) AND",
           (f"{WORKER}test_B13_a_lease_keeps_others_away_until_it_ends_or_its_owner_is_gone",)),
    Mutant("a job that is not finished", "write/apply.py",
           "            transaction.finish_job(change_set.space_id, finishes)\n", "            pass\n",
           (f"{CRASH}test_B13_the_write_returns_before_any_judging_and_is_durable",)),
    Mutant("a belief overwritten though it changed meanwhile", "store/writer.py",
           "        if _says(held) != _says(before):", "        if held is None and before is not None:",
           (f"{CONTRACT}test_a_belief_that_changed_meanwhile_is_not_overwritten",)),
    Mutant("stamps that follow a clock set back", "store/writer.py",
           "self._now = max(to_micros(clock.now()), last_stamp + 1)", "self._now = to_micros(clock.now())",
           (f"{CONTRACT}test_stamps_only_grow_even_if_the_clock_goes_back",)),
    Mutant("a failed write that is committed", "store/sqlite.py",
           "        except BaseException:\n            self._writer.rollback()\n            raise\n",
           '        except BaseException:\n            self._writer.run("COMMIT")\n            raise\n',
           (f"{CONTRACT}test_nothing_is_kept_of_a_write_that_fails",)),
    Mutant("a commit that does not reach the disk", "store/connection.py",
           '"synchronous = FULL"', '"synchronous = OFF"',
           ("tests/faults/test_power.py::test_what_was_acknowledged_outlives_the_power",)),
    Mutant("a constraint retired by itself", "rules/policy.py",
           '    if earlier.statement.kind is Kind.CONSTRAINT:\n        return Ruling(Permission.ASK, "constraints',
           '    if earlier.statement.kind is None:\n        return Ruling(Permission.ASK, "constraints',
           (f"{GUARDS}test_E7_a_constraint_is_never_superseded_but_asked_about",)),
    Mutant("a cap on retirements that caps nothing", "write/plan.py",
           "len(retiring) > case.policy.max_retired_per_write", "len(retiring) > 9 + case.policy.max_retired_per_write",
           (f"{GUARDS}test_F7_six_at_once_open_a_surge_conflict_and_retire_none",)),
    Mutant("an agent that is its own witness", "write/standing.py",
           'independent=episode.role != "assistant"', "independent=True",
           (f"{PROVENANCE}test_D4_the_agent_retelling_its_own_memory_adds_nothing",)),
)  # fmt: skip

EVERYDAY = (
    "a failed write that is committed",
    "erased words left in the full-text index",
    "an idempotency key ignored",
)
"""What is planted with every run of all tests; the rest in the long run."""
