"""Which knobs are there, what does each trade, and where does its default come from?

`Settings` is a frozen value: defaults here, overrides from the caller, from STILLTRUE_* variables, from a space's own
row (`Settings.replace`). Rules never read it whole: they are passed the numbers they need.
"""

from __future__ import annotations

import dataclasses
import difflib
import typing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from stilltrue.errors import InvalidInputError
from stilltrue.model.expert import Allowance
from stilltrue.model.slot import Cardinality
from stilltrue.rules.zones import zone_of

if TYPE_CHECKING:
    import types
    from collections.abc import Mapping

ENVIRONMENT_PREFIX = "STILLTRUE_"


def knob(
    default: Any,  # noqa: ANN401 - one helper for knobs of every type
    meaning: str,
    *,
    trade: str = "",
    source: str = "",
    low: float | None = None,
    high: float | None = None,
) -> Any:  # noqa: ANN401
    """A documented field: what it means, what more or less of it costs, where the default comes from, its range."""
    metadata = {"meaning": meaning, "trade": trade, "source": source, "low": low, "high": high}
    if isinstance(default, dict):
        return field(default_factory=lambda: dict(default), metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every knob. Probabilities and cosines are 0..1 unless said otherwise; times carry their unit in the name."""

    # Who is judged against whom
    min_importance: float = knob(
        0.5,
        "similar facts at or below this importance are not judged, unless core or in the same slot",
        trade="lower judges more pairs",
        source="SPEC A1",
        low=0,
        high=1,
    )
    similarity_gate: float = knob(
        0.6,
        "cosine from which a fact of another slot is nominated for judging",
        trade="lower finds more conflicts worded differently and costs more pairs; it never decides",
        source="SPEC A2",
        low=-1,
        high=1,
    )
    subject_gate: float = knob(
        0.3,
        "cosine from which a fact of the same subject is nominated too, where a pair model judges",
        trade="as similarity_gate",
        source="BAR.md: 0.6 loses 29 to 60% of true conflicts before judging, 0.3 loses 3 to 11%",
        low=-1,
        high=1,
    )
    max_candidates: int = knob(
        5,
        "how many facts outside the slot are judged per new fact",
        trade="more costs time",
        source="SPEC C2",
        low=0,
        high=100,
    )
    # When a verdict is acted upon
    supersession_enabled: bool = knob(
        default=True, meaning="off: conflicts open questions, nothing retires", source="SPEC E13"
    )
    supersession_min_confidence: float = knob(
        0.7,
        "least confidence of a verdict that retires a fact; the higher of this and contradiction_threshold counts",
        trade="as contradiction_threshold",
        source="SPEC E13, on the scale of contradiction_threshold",
        low=0,
        high=1,
    )
    contradiction_threshold: float = knob(
        0.72,
        "least confidence of a conflict that retires a fact; calibrated: 0.72 is where the judge was measured to be "
        "right often enough to act alone",
        trade="higher: fewer supersessions, more active rows and questions",
        source="SPEC D11; measured in docs/how-often-is-it-right.md",
        low=0,
        high=1,
    )
    ask_threshold: float = knob(
        0.5,
        "least calibrated probability of conflict that opens a question when it is too weak to retire",
        trade="lower asks people more often",
        source="a coin's chance; measured in docs/how-often-is-it-right.md",
        low=0,
        high=1,
    )
    reinforce_threshold: float = knob(
        0.85,
        "least calibrated confidence of a DUPLICATE verdict that reinforces instead of adding a row",
        trade="higher: fewer restatements merged, more rows that say the same",
        source="SPEC D11; measured in docs/how-often-is-it-right.md",
        low=0,
        high=1,
    )
    near_identical: float = knob(
        0.985,
        "cosine from which two wordings with the same slot, value and polarity count as one text",
        trade="lower merges more rows",
        source="SPEC C10; int8 vectors agree with float32 to 0.994 (BAR.md)",
        low=0,
        high=1,
    )
    fuzzy_dedupe: bool = knob(default=True, meaning="compare a hash of the normalised text", source="SPEC C10")
    min_confidence: float = knob(0.3, "a new fact less certain than this is rejected", source="SPEC D5", low=0, high=1)
    repeat_window_hours: float = knob(
        24.0,
        "an exact repeat by the same author within this time is rejected, later it reinforces",
        source="SPEC D5",
        low=0,
    )
    max_retired_per_write: int = knob(
        5, "facts one write may retire; more opens a surge conflict instead", source="SPEC F7", low=0, high=1000
    )
    disagreement_days: float = knob(
        7.0,
        "two authors' differing flat statements within this time are a question, not a supersession",
        trade="longer asks more",
        source="SPEC B14: disagreement and news are told apart by time and wording",
        low=0,
    )
    supersession_sweep_enabled: bool = knob(default=True, meaning="the periodic sweep may run", source="SPEC E13")
    sweep_hours: float = knob(
        168.0,
        "pause between two sweeps that a worker begins by itself; 0: none",
        trade="shorter sees sooner what a newer judge could tell; a sweep with nothing to do takes ms a fact",
        source="SPEC E3: history from before the inline pass is rare, so a week",
        low=0,
    )
    maintenance_hours: float = knob(
        24.0,
        "pause between two passes of maintenance, which archive what has faded",
        trade="shorter archives earlier: a fact goes after seven passes at its floor",
        source="SPEC A8: a pass a day",
        low=0,
    )
    # Roll-out
    shadow_mode: bool = knob(
        default=False, meaning="retirements are only proposed; history shows what would be", source="SPEC E9"
    )
    mutations_frozen: bool = knob(default=False, meaning="as shadow_mode, set by an operator", source="SPEC E9")
    # The optional LLM
    llm: str = knob(
        "off",
        "where a language model is asked: off, openai, or the base URL of a server that speaks its protocol",
        trade="on: the pairs that local judges leave are settled; their texts leave this machine where the server does",
        source="SPEC C3; off by default: memory is sent nowhere unless somebody says so",
    )
    llm_model: str = knob("gpt-4o-mini", "model asked, where a server is configured", source="SPEC B7")
    classify_before_write: bool = knob(
        default=False,
        meaning="ask the LLM inside each write; off: local judges decide it, what they leave is asked later in batches",
        trade="on: each uncertain write waits for the server and costs a call of its own",
        source="SPEC C1; bench/results/llm_cost.md counts both",
    )
    semantic_contradiction_enabled: bool = knob(default=True, meaning="first flag of the fallback", source="SPEC E6")
    supersession_semantic_fallback: bool = knob(default=True, meaning="second flag of the fallback", source="SPEC E6")
    llm_extraction: bool = knob(
        default=False,
        meaning="have the LLM read each text for facts; where it fails the local reader does",
        trade="on: a call for every text",
        source="SPEC D1",
    )
    llm_certainty: float = knob(
        0.9,
        "how sure one vote of the LLM is taken to be; it is weighed with the local judges' probability",
        trade="higher: the LLM overrules them more often",
        source="a vote, never the verdict: SPEC A3, C3",
        low=0.5,
        high=0.99,
    )
    llm_low: float = knob(
        0.1,
        "least probability of a conflict, by the local judges, from which the LLM is asked",
        trade="lower asks more",
        source="docs/how-often-is-it-right.md: below it fewer than one pair in a hundred is a conflict",
        low=0,
        high=1,
    )
    llm_timeout_seconds: float = knob(30.0, "how long one request may take", source="a slow local server", low=0.01)
    llm_retries: int = knob(
        2, "how often a failed request is sent again, with jitter", source="SPEC B7", low=0, high=10
    )
    llm_concurrency: int = knob(4, "requests under way at once", source="rate limits of hosted servers", low=1, high=64)
    llm_pairs_per_request: int = knob(20, "pairs in one request", source="SPEC C11", low=1, high=200)
    llm_calls_per_day: int = knob(500, "calls a space may make in a day (UTC)", source="bounds the bill", low=0)
    llm_tokens_per_day: int = knob(1_000_000, "tokens a space may use in a day (UTC)", source="bounds the bill", low=0)
    # The detective that reads a space as one story
    story_enabled: bool = knob(
        default=True,
        meaning="have the LLM, where one is configured, read the story after writes and ask about confusions in it",
        trade="on: some calls after each burst of writes",
        source="SPEC B8",
    )
    story_characters: int = knob(
        24_000,
        "longest part of a story in one request; a longer story is cut into several",
        trade="longer: fewer requests, and a model that reads less closely",
        source="SPEC B5",
        low=4_000,
        high=1_000_000,
    )
    story_overlap: int = knob(
        4_800,
        "characters that two neighbouring parts share, at most half a part",
        trade="more: confusions across a border are found more often, and more is read twice",
        source="SPEC B5; a fifth of story_characters",
        low=0,
    )
    story_debounce_seconds: float = knob(
        60.0, "how long a write waits for others before the story is read", source="one reading a burst", low=0
    )
    forgetting_day: float = knob(
        0.30, "share of facts said in the last day that a reading after a write tells", source="SPEC B4", low=0, high=1
    )
    forgetting_week: float = knob(0.15, "the same for facts said in the last week", source="SPEC B4", low=0, high=1)
    forgetting_older: float = knob(0.07, "the same for older facts", source="SPEC B4", low=0, high=1)
    # Standing of new facts
    default_importance: float = knob(
        0.6,
        "importance of a fact nobody rated; above min_importance so that it is judged",
        source="SPEC A1",
        low=0,
        high=1,
    )
    default_confidence: float = knob(
        0.8,
        "confidence of a fact that came from extraction with a slot",
        source="seed 003: reinforce raises it",
        low=0,
        high=1,
    )
    default_trust: float = knob(0.5, "trust in an author nobody rated", source="SPEC A4", low=0, high=1)
    author_trust: dict[str, float] = knob({}, "trust by author name", source="SPEC A4")
    # Reading
    search_limit: int = knob(10, "results of a search", source="FORMATS.md", low=1, high=1000)
    timezone: str = knob("UTC", "the asker's zone: an as_of date means the end of that day there", source="BAR.md 17")
    # Input and engine
    max_episode_characters: int = knob(
        200_000,
        "longest text remembered at once",
        trade="longer blocks a write longer",
        source="a long chat export",
        low=1,
    )
    max_facts_per_episode: int = knob(2_000, "most facts taken from one text", source="guards a write", low=1)
    embedder_threads: int = knob(
        1, "threads of the embedder", source="BAR.md: 1 is faster under contention", low=1, high=64
    )
    pair_model: str = knob(
        "bundled",
        "the local judge of pairs: bundled (off where none ships), off, or a folder; read when a memory is opened",
        trade="off: what rules cannot tell stays undecided",
        source="SPEC F1; a model of your own: docs/how-to/judge-with-your-own-model.md",
    )
    pair_model_threads: int = knob(
        1, "threads of the pair model", source="as embedder_threads: 1 is faster under contention", low=1, high=64
    )
    lock_timeout_seconds: float = knob(
        30.0, "how long a writer waits for the space's lock", source="BAR.md writers", low=0
    )
    cardinalities: dict[str, str] = knob(
        {}, "cardinality by attribute (one, many, event), over the lexicon", source="SPEC F2"
    )

    def __post_init__(self) -> None:
        """Every value must have its type and lie in its range. Raises InvalidInputError naming the knob."""
        for item in dataclasses.fields(self):
            _check(item, getattr(self, item.name))
        zone_of(self.timezone)
        told: Mapping[str, object] = self.author_trust  # read from outside: its types are yet to be checked
        for author, trust in told.items():
            if isinstance(trust, bool) or not isinstance(trust, (int, float)) or not 0 <= trust <= 1:
                message = f"setting author_trust[{author!r}]={trust!r} is not a number from 0 to 1"
                raise InvalidInputError(message)
        for attribute, word in self.cardinalities.items():
            if word not in tuple(Cardinality):
                message = f"setting cardinalities[{attribute!r}]={word!r} is not one of {', '.join(Cardinality)}"
                raise InvalidInputError(message)

    def replace(self, overrides: Mapping[str, object]) -> Settings:
        """These settings with some changed. Raises InvalidInputError for an unknown name or a bad value."""
        known = {item.name for item in dataclasses.fields(self)}
        for name in overrides:
            if name not in known:
                near = difflib.get_close_matches(name, known, 1)
                meant = f"did you mean {near[0]!r}? " if near else ""
                message = f"there is no setting {name!r}; {meant}`stilltrue settings` lists them"
                raise InvalidInputError(message)
        return dataclasses.replace(self, **typing.cast("dict[str, Any]", overrides))

    def allowance(self) -> Allowance:
        """What a space may ask of a language model in a day."""
        return Allowance(
            calls_per_day=self.llm_calls_per_day,
            tokens_per_day=self.llm_tokens_per_day,
            pairs_per_request=self.llm_pairs_per_request,
        )

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> Settings:
        """Defaults, overridden by STILLTRUE_<NAME> variables. Raises InvalidInputError for a value it cannot read."""
        kinds = typing.get_type_hints(cls)
        found: dict[str, object] = {}
        for name, kind in kinds.items():
            text = environ.get(ENVIRONMENT_PREFIX + name.upper())
            if text is not None and kind in _READERS:
                found[name] = _read(name, kind, text)
        return cls().replace(found)


def _flag(text: str) -> bool:
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    return words[text.strip().lower()]


_LARGEST = 2**53  # beyond it floats skip whole numbers, and databases refuse some; what is no number is beyond too

_READERS: dict[object, Any] = {float: float, int: int, str: str, bool: _flag}


def _read(name: str, kind: object, text: str) -> object:
    try:
        return _READERS[kind](text)
    except (ValueError, KeyError):
        variable, expected = ENVIRONMENT_PREFIX + name.upper(), getattr(kind, "__name__", kind)
        message = f"{variable}={text!r} is not a {expected}; correct or unset it"
        raise InvalidInputError(message) from None


def _check(item: dataclasses.Field[Any], value: object) -> None:
    expected: Any = {"float": (int, float), "int": int, "str": str, "bool": bool}.get(str(item.type), dict)
    flag_for_number = isinstance(value, bool) and item.type != "bool"
    if flag_for_number or not isinstance(value, expected):
        message = f"setting {item.name}={value!r} should be a {item.type}"
        raise InvalidInputError(message)
    metadata: types.MappingProxyType[Any, Any] = item.metadata
    low, high = metadata["low"], metadata["high"]
    if isinstance(value, (int, float)) and not abs(value) <= _LARGEST:
        message = f"setting {item.name}={value!r:.40} is too large to count with"
        raise InvalidInputError(message)
    if isinstance(value, (int, float)) and ((low is not None and value < low) or (high is not None and value > high)):
        message = f"setting {item.name}={value!r} is outside {low} .. {high if high is not None else 'any'}"
        raise InvalidInputError(message)
