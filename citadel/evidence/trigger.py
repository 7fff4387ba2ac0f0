"""What brings a bug about: the facts about its call without which it goes well.

In: a verified case. Out: a `Trigger`. Each variation that alters an argument is made in a run of
its own; where none cures, all are made together and those that are not needed are taken back
(A. Zeller, R. Hildebrandt: Simplifying and Isolating Failure-Inducing Input, 2002).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from analysis.catalog.model import Api, Catalog
from analysis.target.session import Limits, Session
from analysis.values import Value
from citadel.evidence.reruns import (
    CALL,
    NEW,
    Against,
    Rerun,
    Reruns,
    StatusOracle,
    TimeOracle,
    ValuesOracle,
    is_key,
)
from citadel.evidence.variations import DEFAULT, Variation, in_framework
from citadel.experiment import Change, Cure, Trigger, Under
from citadel.model import STATUS_KINDS, SymptomKind
from citadel.oracle.backends import runner
from citadel.oracle.quantities import Topic
from citadel.oracle.value import told
from citadel.plan.invocation import Invocation
from citadel.traced import is_call_of
from citadel.verify.performance import Measured
from citadel.verify.verified import Verified
from harvest.report.text import shorten

MOST_RUNS = 40
MINIMISING = 16
"""Further runs in which changes that were made together are taken back."""
LAST = 1000
"""The last call at one place that is looked at, where none of them alone is to blame."""
SLOW, FEW = 2.0, 8
"""From so many seconds a run on there are only few."""
AGAIN, TIMES = 5.0, 4.0
"""Seconds that a run with changes may take, and times as long as the report's own run."""
TIMING = 10.0
"""Seconds more where a call is timed, on a busy machine."""


Altered = tuple[int, str, Value, Value]
"""The number of a variation, the key of an argument, and what it is before and then."""


@dataclass(frozen=True, slots=True)
class _Possible:
    """A variation that alters arguments of a call: their keys, each with what it is before and
    what it is then."""

    variation: Variation
    stage: str
    altered: Mapping[str, tuple[Value, Value]]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the arguments."""
        return tuple(self.altered)


def root_of(api: str) -> str:
    """The framework by whose functions an API's arguments are changed: `torch`, `tf` or `keras`."""
    return api.partition(".")[0]


def sites_of(use: Invocation, verified: Verified, catalog: Catalog) -> dict[str, frozenset[int]]:
    """Where the blamed calls of a case stand: of a value bug all that the oracle may compare."""
    call, built = use.call, use.constructor
    stage = NEW if use.constructing else CALL
    found = {stage: frozenset((call.site,))}
    if verified.shown:
        alike = (
            one
            for one in verified.observation.calls
            if one.form == call.form and is_call_of(one, verified.api, catalog)
        )
        found[stage] |= {one.site for one in alike}
    if built is not None and built is not call:
        found[NEW] = frozenset((built.site,))
    return found


def bounded(limits: Limits, verified: Verified) -> Limits:
    """The limits of a run with changes: what hangs is not waited for as long as the first time."""
    own = verified.observation.wall
    hangs = verified.case.symptom.kind is SymptomKind.HANGS
    wall = AGAIN if hangs else max(AGAIN, TIMES * own)
    wall += TIMING if verified.measured is not None else 0
    return replace(limits, wall=min(limits.wall, wall))


def reruns_of(
    verified: Verified, use: Invocation, session: Session, catalog: Catalog, limits: Limits
) -> Reruns | None:
    """The report's own case, to be run with changes; None where these tell nothing. Of a
    contradiction it is the refusal that is to be cured."""
    witness, wanted = verified.witness, verified.case.symptom
    if verified.contradiction is not None:
        wanted = verified.contradiction.refusal
    if verified.measured is not None and not times(verified.measured):
        return None
    sites, limits = sites_of(use, verified, catalog), bounded(limits, verified)
    if verified.measured is not None:
        slow = verified.measured.slowest
        return Reruns(
            code=verified.case.code,
            traced=verified.source.traced,
            session=session,
            limits=limits,
            sites={CALL: frozenset((slow.site,))},
            oracle=TimeOracle(),
            timed=slow.occurrence,
        )
    if witness is not None:
        oracle = ValuesOracle(oracle=witness.oracle, values=witness.values)
        told = wanted.kind is SymptomKind.ACCEPTS or not oracle.of_same_input
        if not told and (witness.random or any(witness.loose)):
            return None  # another value says nothing of what differs from run to run
        return Reruns(
            code=verified.case.code,
            traced=witness.watched.traced,
            session=runner(session, witness.oracle),
            limits=limits,
            sites=sites,
            oracle=oracle,
        )
    if wanted.kind not in STATUS_KINDS:
        return None
    late = verified.deferred or verified.late
    name = verified.api.name
    return Reruns(
        code=verified.case.code,
        traced=verified.source.traced,
        session=session,
        limits=limits,
        sites=sites,
        oracle=StatusOracle(wanted=wanted, apis=(name, name), late=late),
    )


def times(measured: Measured) -> bool:
    """Whether a case is about a call's time on a CPU."""
    oracle = measured.oracle
    return oracle.reproduces and oracle.topic is Topic.TIME and not (oracle.gpu or oracle.wall)


def find_trigger(
    again: Reruns, use: Invocation, api: Api, wall: float, *, curable: bool = True
) -> Trigger:
    """The cures of a call: single changes, else a smallest set of them; preserving ones first.

    `wall`: the seconds that one run takes. What is not `curable`, as it shows no failure, has but
    what could be changed of it.
    """
    variations = in_framework(root_of(api.name), timed=again.timed is not None)
    possible = list(_possible(again, use, variations))
    if not curable:
        # In a graph nobody knows the numbers, and so not whether the change alters any.
        known = (one for one in _all_changes(use, possible) if not _unknown(one.before))
        return Trigger(changes=tuple(known))
    most = FEW if wall > SLOW else MOST_RUNS
    cures: list[Cure] = []
    idle: list[_Possible] = []
    for one in possible:
        if len(again.runs) >= most:
            break
        found = _single(again, use, one, root_of(api.name), most)
        if (
            found is None and not again.oracle.of_values
        ):  # a check of values may need what was given
            idle.append(one)
        cures += found or ()
    changes = _all_changes(use, (one for one in possible if one not in idle))
    if again.oracle.of_same_input:
        cures += _by_relation(again, use, possible, cures, most)
        possible = [one for one in possible if one.variation.preserves]
    if not cures and len(possible) > 1:
        cures = _together(again, use, possible, root_of(api.name), most + MINIMISING)
    preserving = {one.name for one in variations if one.preserves}
    cures.sort(key=lambda cure: cure.changes[0].variation not in preserving)
    return Trigger(cures=tuple(cures), changes=tuple(changes), tried=len(again.runs))


def _all_changes(use: Invocation, possible: Iterable[_Possible]) -> Iterator[Change]:
    """Every change that could be made."""
    return (change for one in possible for change in _changed(use, one, one.keys))


def _unknown(value: Value | None) -> bool:
    """Whether it is a tensor whose numbers nobody knows."""
    return value is not None and value.is_shaped and value.numbers is None


def _possible(
    again: Reruns, use: Invocation, variations: Sequence[Variation]
) -> Iterator[_Possible]:
    """What can be changed at all: found out in one run for each place of the calls."""
    for stage, sites in again.sites.items():
        found: dict[int, dict[str, tuple[Value, Value]]] = {}
        for site in sorted(sites):
            for number, key, *values in _altered(again, use, site, variations):
                if 0 <= number < len(variations) and not _needed(use, variations[number], key):
                    altered = found.setdefault(number, {})
                    # Of several calls at this place, the one that is told is the most unusual one.
                    if key not in altered or _extreme(altered[key][0]) < _extreme(values[0]):
                        altered[key] = (values[0], values[1])
        for number, altered in sorted(found.items()):
            yield _Possible(variations[number], stage, altered)


def _extreme(value: Value) -> float:
    """The size of the largest number of a value, infinite for NaN; -1 where nobody knows."""
    part = _part(value)
    numbers = part.numbers
    if numbers is None:
        return -1.0
    ends = [abs(end) for end in (numbers.low, numbers.high) if end is not None]
    return max(ends, default=0.0) if numbers.finite else math.inf


def _needed(use: Invocation, variation: Variation, key: str) -> bool:
    """Whether an argument that is to be left out has to be given."""
    name = key.partition(":")[2]
    signatures = use.api.signatures
    parameters = (p for one in signatures for p in one.parameters if p.name == name)
    return variation.name == DEFAULT and any(one.required for one in parameters)


def _altered(
    again: Reruns, use: Invocation, site: int, variations: Sequence[Variation]
) -> Iterator[Altered]:
    """What each variation alters of the call at one place."""
    blamed = next(
        (one.occurrence for one in (use.call, use.constructor) if one and one.site == site), 1
    )
    seen = again.session.run(
        again.code,
        traced=again.traced,
        limits=again.limits,
        entry="vary:altering",
        arguments={
            "site": site,
            # Of a failure, that call is not made once more.
            "last": LAST if again.oracle.of_values else blamed,
            "ways": [one.ways_in(root_of(use.api.name)) for one in variations],
        },
    )
    return _alterations(sorted(seen.extra, key=lambda one: one.get("nth") != blamed))


def _alterations(events: Iterable[dict[str, object]]) -> Iterator[Altered]:
    """What events tell of alterations; a case may forge such."""
    for event in events:
        changes = event.get("changes") if event.get("e") == "alters" else None
        for one in changes if isinstance(changes, list) else ():
            if isinstance(one, list) and len(one) == 4:
                number, key, before, after = one
                if type(number) is int and is_key(key):
                    yield number, key, Value.from_json(before), Value.from_json(after)


def _run(again: Reruns, root: str, made: Sequence[tuple[_Possible, Sequence[str]]]) -> Rerun:
    return again.under(root, _changes(made))


def _changes(
    made: Sequence[tuple[_Possible, Sequence[str]]],
) -> list[tuple[str, str, Variation]]:
    return [(one.stage, key, one.variation) for one, keys in made for key in keys]


def _single(
    again: Reruns, use: Invocation, one: _Possible, root: str, most: int
) -> list[Cure] | None:
    """The cures by one variation: of one argument each, if that does, else of all that it alters;
    None where the bug shows all the same, which so does not need what is changed.

    What changes several arguments may break one of them: an index is to be whole.
    """
    whole = _run(again, root, [(one, one.keys)])
    if whole.outcome is Under.SHOWN:
        return None
    if whole.outcome is not Under.CURED and len(one.keys) < 2:
        return []
    alone: list[Cure] = []
    for key in one.keys if len(one.keys) > 1 else ():
        if len(again.runs) >= most:
            break
        single = _run(again, root, [(one, [key])])
        if single.outcome is Under.CURED:
            alone.append(_cure(use, [(one, [key])], single))
    if alone or whole.outcome is not Under.CURED:
        return alone
    return [_cure(use, [(one, one.keys)], whole)]


def _by_relation(
    again: Reruns, use: Invocation, possible: Sequence[_Possible], cures: Sequence[Cure], most: int
) -> Iterator[Cure]:
    """Changes of the input after which the call agrees with itself under a cure that keeps the
    right result: with that as its reference, a case needs no check of the report's own."""
    root = root_of(use.api.name)
    kept = [one for one in possible if one.variation.preserves]
    names = {change.variation for cure in cures for change in cure.changes}
    reference = next((one for one in kept if one.variation.name in names), None)
    if reference is None or not isinstance(again.oracle, ValuesOracle):
        return
    for one in possible:
        if one.variation.preserves or len(again.runs) + 1 >= most:
            continue
        right = again.values(root, _changes([(one, one.keys), (reference, reference.keys)]))
        if right is None:
            continue
        against = replace(again, oracle=Against(oracle=again.oracle, reference=right))
        found = _run(against, root, [(one, one.keys)])
        if found.outcome is Under.CURED:
            yield _cure(use, [(one, one.keys)], found)


def _together(
    again: Reruns, use: Invocation, possible: Sequence[_Possible], root: str, most: int
) -> list[Cure]:
    """The cure by several changes at once, of which none can be spared; none where there are too
    many to tell."""
    kept = [(one, (key,)) for one in possible for key in one.keys if not one.variation.apart]
    cured = _run(again, root, kept)
    if cured.outcome is not Under.CURED:
        return []
    for one in list(kept):
        if len(again.runs) >= most:
            return []
        fewer = [other for other in kept if other is not one]
        found = _run(again, root, fewer)
        if found.outcome is Under.CURED:
            kept, cured = fewer, found
    return [_cure(use, kept, cured)]


def _cure(use: Invocation, made: Sequence[tuple[_Possible, Sequence[str]]], found: Rerun) -> Cure:
    changes = [change for one, keys in made for change in _changed(use, one, keys)]
    return Cure(changes=tuple(changes), job=found.job, gain=found.gain, made=found.made)


def _changed(use: Invocation, one: _Possible, keys: Iterable[str]) -> Iterator[Change]:
    """A variation of each of some arguments."""
    names = {value.key: value.name for value in (*use.values, *use.attributes)}
    for key in keys:
        own = plan_key(one.stage, key)
        before, after = one.altered[key]
        name = names.get(own, key.partition(":")[2])
        yield Change(
            variation=one.variation.name,
            key=own,
            fact=f"`{name}` {_fact(one.variation, before)}",
            cured=_filled(one.variation.cured, after),
            name=name,
            before=_part(before),
            after=_part(after),
        )


def plan_key(stage: str, key: str) -> str:
    """How a plan calls an argument of the report's (`citadel.plan.model`).

    >>> plan_key("new", "arg:0"), plan_key("new", "kw:bias"), plan_key("call", "arg:0")
    ('new:0', 'newkw:bias', 'arg:0')
    """
    if stage != NEW:
        return key
    return key.replace("arg:", "new:").replace("kw:", "newkw:")


def _fact(variation: Variation, value: Value) -> str:
    """What a variation takes away, of this value."""
    return _filled(variation.fact if _part(value).is_shaped else variation.of_plain, value)


def _filled(text: str, value: Value) -> str:
    """A text with what it names of a value."""
    known = _part(value)
    short = shorten(told(known), 40)
    return text.format(
        dtype=known.dtype or short,
        layout=known.layout or "",
        device=known.device or short,
        shape=short if known.shape is None else shorten(str(list(known.shape)), 40),
        value=short,
    )


def _part(value: Value) -> Value:
    """The value, or the first tensor in a list."""
    return next((one for one in value.items or () if one.is_shaped), value)
