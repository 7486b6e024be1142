"""Does the oldest server, and do tables cut by hash of the space, keep the contract? The parts of it that could differ:
those that lean on SQL, on references, locks and the wall. The whole contract runs on the newest server."""

import inspect

import pytest

from tests.store import test_contract as contract
from tests.store.making import Clock, open_postgres
from tests.store.postgres import servers

VARIANTS = {"oldest": {"version": servers.OLDEST}, "partitioned": {"partitions": 4}}
PARTS = (
    contract.test_a_fact_comes_back_equal,
    contract.test_nothing_is_kept_of_a_write_that_fails,
    contract.test_the_same_id_twice_is_refused_and_the_first_stays,
    contract.test_a_reference_to_nothing_is_refused_at_the_end_of_the_write,
    contract.test_search_follows_every_write,
    contract.test_words_are_stemmed_folded_ranked_and_never_syntax,
    contract.test_sources_links_standing_and_supersedes,
    contract.test_decisions_and_history_come_back_in_order,
    contract.test_conflicts_are_one_per_set_of_facts,
    contract.test_another_spaces_ids_are_as_unknown_as_no_ids_at_all,
    contract.test_a_statement_is_kept_word_for_word,
    contract.test_E12_a_space_leaves_as_records_and_comes_to_lie_elsewhere_as_it_was,
)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__.removeprefix("test_"))
@pytest.mark.parametrize("variant", VARIANTS)
def test_E9_the_contract_holds(variant, part):
    clock = Clock()
    store = open_postgres(clock, **VARIANTS[variant])
    given = {"store": store, "clock": clock}
    part(**{name: given[name] for name in inspect.signature(part).parameters})
    assert store.check_invariants() == []
    store.close()


def test_E9_partitions_are_what_they_say():
    store = open_postgres(Clock(), partitions=4)
    with store._begun("BEGIN") as session:
        parts = session.number(
            "SELECT count(*) FROM pg_class WHERE relispartition AND relname LIKE 'facts\\_%' AND relkind = 'r'"
        )
    assert parts == 4
    store.close()
