"""What did judging miss, and what could it tell now? All facts of a space are looked at once, in the order stored.

Answer: a sweep is a job with a cursor: it can be killed anywhere and goes on where it was. Each fact is decided on in
a transaction of its own, against the facts stored before it, so the work grows with the facts and live writers are not
kept waiting; what they change meanwhile is judged again. The cursor is noted after each page in which something was
open: what a killed sweep looks at twice, it does to no effect. All its decisions share one batch, which one `undo`
takes back. A second sweep finds nothing left to do. In shadow it writes proposals and nothing else.

Left to others: what is open about a fact (`write.second_look`), asking the local models (`upkeep.ahead`), asking an LLM
(jobs, for `upkeep.worker`), the plan of a sweep, which is a sweep over a copy (`Memory.sweep`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from stilltrue.errors import StateError, TakenOverError
from stilltrue.model.ids import BatchId, FactId
from stilltrue.model.job import Claim, Job
from stilltrue.upkeep.ahead import Ahead
from stilltrue.upkeep.detective import noticed
from stilltrue.write import ask_expert, remember
from stilltrue.write.apply import PROPOSAL
from stilltrue.write.leasing import at_work, gone, lease, still_held
from stilltrue.write.second_look import Terms, look_again, told_then

if TYPE_CHECKING:
    from collections.abc import Callable

    from stilltrue.engine import Engine
    from stilltrue.model.decision import Decision
    from stilltrue.model.ids import SpaceId
    from stilltrue.model.timeline import Instant
    from stilltrue.ports import Reader
    from stilltrue.settings import Settings

JOB_KIND: Final = "sweep"
SCHEDULE: Final = "sweep_when_due"
"""The kind of the job that begins a sweep, now and then."""
PAGE: Final = 1_000
SWITCHED_OFF: Final = timedelta(hours=1)


@dataclass(slots=True)
class SweepReport:
    """What a sweep did: facts looked at, pairs judged, what was decided or, in shadow, proposed."""

    batch_id: BatchId
    shadow: bool
    facts: int = 0
    pairs: int = 0
    decisions: list[Decision] = field(default_factory=list)

    @property
    def changing(self) -> list[Decision]:
        """The decisions that changed other facts, or asked something."""
        return [one for one in self.decisions if one.targets or one.conflict_id is not None]


def run(
    engine: Engine, space: SpaceId, progress: Callable[[int, int], object] | None = None, *, shadow: bool = False
) -> SweepReport:
    """Begin a sweep, or go on with the one that was cut short. Raises StateError where the setting forbids it."""
    if not engine.settings_of(space).supersession_sweep_enabled:
        message = f"sweeps are switched off in space {space!r}; set supersession_sweep_enabled to allow them"
        raise StateError(message)
    return go_on(engine, space, _begun(engine, space, shadow=shadow), progress)


def swept(
    engine: Engine,
    space: SpaceId,
    drain: Callable[[Engine, SpaceId], list[Decision]],
    progress: Callable[[int, int], object] | None = None,
    *,
    shadow: bool = False,
) -> SweepReport:
    """A sweep with what belongs before and after it: `drain` judges what writes left, and asks an LLM in batches.

    In shadow nothing is drained: that would do more than propose.
    """
    if shadow:
        return run(engine, space, progress, shadow=True)
    drain(engine, space)
    report = run(engine, space, progress)
    report.decisions += [one for one in drain(engine, space) if one.batch_id == report.batch_id]
    return report


def planned(
    engine: Engine,
    space: SpaceId,
    copied: Callable[[Engine, Path], Engine],
    progress: Callable[[int, int], object] | None = None,
) -> SweepReport:
    """What a sweep would do, without an LLM: a sweep over a copy of the store, which is thrown away."""
    with TemporaryDirectory(prefix="stilltrue-") as folder:
        copy = replace(copied(engine, Path(folder) / "plan.db"), expert=None)
        try:
            return run(copy, space, progress)
        finally:
            copy.store.close()


def _begun(engine: Engine, space: SpaceId, *, shadow: bool) -> Job:
    now = engine.clock.now()
    with engine.store.write(space) as transaction:
        dead = gone(transaction.leases(space))
        claim = Claim(kind=JOB_KIND, due_at=now, lease=lease(now), limit=PAGE, gone=dead, again=True, set_back=True)
        taken = {bool(job.payload["shadow"]): job for job in transaction.claim_jobs(space, claim)}
        for other in (job for kind, job in taken.items() if kind is not shadow):
            transaction.let_go(space, other.id)
        if shadow in taken:
            return taken[shadow]
        if any(bool(job.payload["shadow"]) is shadow for job in transaction.jobs_of_kind(space, JOB_KIND)):
            message = f"another worker is sweeping space {space!r}; let it finish"
            raise StateError(message)
        payload = {"batch": engine.new_id(now), "after": 0, "shadow": shadow}
        job = Job(id=engine.new_id(now), space_id=space, kind=JOB_KIND, payload=payload, due_at=now)
        transaction.add_job(job, lease(now))
    return job


def go_on(
    engine: Engine, space: SpaceId, job: Job, progress: Callable[[int, int], object] | None = None
) -> SweepReport:
    """Look at the facts from the job's cursor on, to the last; the job is done then."""
    settings = engine.settings_of(space)
    shadow = bool(job.payload["shadow"]) or settings.shadow_mode or settings.mutations_frozen
    report = SweepReport(BatchId(str(job.payload["batch"])), shadow)
    if not settings.supersession_sweep_enabled:
        with engine.store.write(space) as transaction:
            transaction.put_off(space, replace(job, due_at=engine.clock.now() + SWITCHED_OFF))
        return report
    with at_work(engine, space, job.id):
        _walk(engine, space, job, report, progress)
    with engine.store.write(space) as transaction:
        transaction.finish_job(space, job.id)
    return report


def appoint(engine: Engine, space: SpaceId) -> None:
    """See to it that a sweep is to come where the settings want one now and then. Raises StoreError."""
    hours = engine.settings_of(space).sweep_hours
    if not hours:
        return
    with engine.store.read() as reader:
        if reader.jobs_of_kind(space, SCHEDULE):
            return
    job = Job(id=SCHEDULE, space_id=space, kind=SCHEDULE, payload={}, due_at=_next(engine, space, hours))
    with engine.store.write(space) as transaction:
        transaction.wake_job(job)


def begin_when_due(engine: Engine, job: Job) -> None:
    """Leave a sweep as a job, unless one waits or the settings forbid it, and the next appointment. Raises StoreError.

    Done twice, or by two workers, it begins one sweep: the second finds that it waits.
    """
    space, now = job.space_id, engine.clock.now()
    settings = engine.settings_of(space)
    payload = {"batch": engine.new_id(now), "after": 0, "shadow": False}
    with engine.store.write(space) as transaction:
        still_held(transaction, space, job.id)
        transaction.finish_job(space, job.id)
        if not settings.sweep_hours:
            return
        following = _next(engine, space, settings.sweep_hours)
        transaction.add_job(replace(job, due_at=following, attempts=0, failure="", failed=False))
        if settings.supersession_sweep_enabled and not transaction.jobs_of_kind(space, JOB_KIND):
            transaction.add_job(Job(id=engine.new_id(now), space_id=space, kind=JOB_KIND, payload=payload, due_at=now))


def _next(engine: Engine, space: SpaceId, hours: float) -> Instant:
    """In `hours`, and up to half as long again, by the space's name: many spaces do not all begin at once."""
    share = int.from_bytes(blake2b(space.encode(), digest_size=2).digest()) / 0xFFFF
    return engine.clock.now() + timedelta(hours=hours * (1 + share / 2))


def _walk(
    engine: Engine,
    space: SpaceId,
    job: Job,
    report: SweepReport,
    progress: Callable[[int, int], object] | None,
) -> None:
    settings = engine.settings_of(space)
    places = _places(engine, space, 0)
    terms = _terms(engine, job, report, places)
    after = int(str(job.payload["after"]))
    with Ahead(engine, space) as ahead:
        while facts := [fact_id for fact_id, place in places.items() if place > after]:
            noted = 0
            for page in ahead.pages(facts, terms):
                looked = False
                for fact_id in page:
                    looked = _look(ahead, space, settings, fact_id, terms, report) or looked
                    if progress is not None:
                        progress(report.facts, len(places))
                after = places[page[-1]]
                if looked or report.facts - noted >= PAGE or fact_id == facts[-1]:
                    _note(engine, space, job, after)
                    noted = report.facts
            places.update(_places(engine, space, after))
            terms = _terms(engine, job, report, places)


def _look(ahead: Ahead, space: SpaceId, settings: Settings, fact_id: FactId, terms: Terms, report: SweepReport) -> bool:
    """Whether it was looked at: where nothing is open, all is as it was."""
    report.facts += 1
    if ahead.nothing_open(fact_id):
        return False
    engine = ahead.engine
    look = look_again(engine, space, settings, fact_id, terms)
    report.pairs += look.pairs
    if look.decision is not None:
        then = told_then(engine, space, fact_id, terms) if look.first else engine
        report.decisions += noticed(then, space, [look.decision])
    return True


def _places(engine: Engine, space: SpaceId, after: int) -> dict[FactId, int]:
    """Facts in the order in which they were stored."""
    places: dict[FactId, int] = {}
    while True:
        with engine.store.read() as reader:
            page = reader.stored_order(space, after, PAGE)
        if not page:
            return places
        places.update((fact_id, place) for place, fact_id in page)
        after = page[-1][0]


def _terms(engine: Engine, job: Job, report: SweepReport, places: dict[FactId, int]) -> Terms:
    space = job.space_id
    with engine.store.read() as reader:
        return Terms(
            batch_id=report.batch_id,
            job_id=job.id,
            shadow=report.shadow,
            places=places,
            waiting=_waiting(reader, space),
            asked=_asked(reader, space),
            proposed=_proposed(reader, space) if report.shadow else set(),
        )


def _waiting(reader: Reader, space: SpaceId) -> frozenset[FactId]:
    """Facts kept early whose own job is yet to judge them."""
    jobs = reader.jobs_of_kind(space, remember.JOB_KIND)
    return frozenset(FactId(str(one)) for job in jobs for one in _list(job.payload.get("early")))


def _asked(reader: Reader, space: SpaceId) -> frozenset[frozenset[FactId]]:
    """Pairs that an LLM is to be asked about already."""
    jobs = reader.jobs_of_kind(space, ask_expert.JOB_KIND)
    return frozenset(
        frozenset({FactId(str(job.payload["fact"])), FactId(str(_list(one)[0]))})
        for job in jobs
        for one in _list(job.payload.get("near"))
    )


def _proposed(reader: Reader, space: SpaceId) -> set[tuple[FactId | None, frozenset[FactId]]]:
    made = dict.fromkeys(row.decision_id for row in reader.history(space, kind=PROPOSAL))
    decisions = [reader.decision(space, decision_id) for decision_id in made]
    return {(one.fact_id, frozenset(one.targets)) for one in decisions}


def _note(engine: Engine, space: SpaceId, job: Job, after: int) -> None:
    """Write the cursor down. Raises TakenOverError where somebody else has taken the sweep over."""
    noted = replace(job, payload={**job.payload, "after": after})
    with engine.store.write(space) as transaction:
        held = transaction.keep_on(space, noted, lease(engine.clock.now()))
    if not held:
        message = f"another worker has taken over the sweep of space {space!r}; let it finish"
        raise TakenOverError(message)


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, (list, tuple)) else []
