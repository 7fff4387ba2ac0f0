"""A network that fails -> hits: causes, each once, voted on, explained or handed over.

Algorithm 2 names the causes with the quick backends. Only then are all asked who is right, a layer
alone is made small, and becomes a script of one backend, as in CRADLE and LEMON.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from harvest.sources.audee.amplifying import Prepared, alone, effect
from harvest.sources.audee.bench import Bench
from harvest.sources.audee.causes import (
    T1,
    Causes,
    Culprit,
    Effect,
    culprit,
    find_causes,
    localise,
    plainer,
)
from harvest.sources.audee.labels import of_labels
from harvest.sources.audee.not_a_number import explain
from harvest.sources.audee.oracles import failing
from harvest.sources.backends import Backends, Execution
from harvest.sources.given import Given
from harvest.sources.handover import Handed
from harvest.sources.judging import Judgement
from harvest.sources.known_limits import limit_of
from harvest.sources.layers import api
from harvest.sources.model import Hit, State
from harvest.sources.networks import Array, Network
from harvest.sources.settling import handed, settle
from harvest.sources.suspects import (
    Confirmed,
    Suspect,
    confirm,
    is_rounding,
    looked,
    suspected,
)

SECONDS = 6.0
"""What making a suspect smaller may take: Algorithm 2 has done most of it."""
ONLY_FOUND = "only inputs that the search found show it, and not every time"
ROUNDED = "inputs and weights that are moved by one rounding change the result as much"


class Reporter:
    """Keeps what was reported, so that each (layer, parameters) is reported once."""

    def __init__(self, bench: Bench, random: np.random.Generator) -> None:
        self._bench = bench
        self._random = random
        self._known: list[tuple[str, Suspect, Causes | None]] = []
        self._keys: set[str] = set()
        self._pairs: set[tuple[str, ...]] = set()
        self.causes: set[tuple[str, str]] = set()
        self.undecided: set[tuple[str, str]] = set()
        self.counts: Counter[str] = Counter()

    @property
    def state(self) -> dict[str, Any]:
        """What was reported, and the causes that were named, to be remembered."""
        names = ("_known", "_keys", "_pairs", "causes", "undecided")
        return {name: getattr(self, name) for name in names}

    def resume(self, state: State) -> None:
        """Take what an earlier search has reported for known."""
        for name, value in state.items():
            setattr(self, name, value)

    def hits(self, network: Network, prepared: Prepared, origin: str) -> Iterator[Hit]:
        """All that Algorithm 2 finds in a network that failed with these inputs and weights."""
        found: list[Hit] = []
        executions: Mapping[str, Execution] = {}
        stage, self._bench.stage = self._bench.stage, "localisation"

        def look(one: Network) -> Culprit | None:
            nonlocal executions
            arranged = prepared
            if one is not network:
                made = self._bench.prepare(one, 0)
                # What is mended may have weights of other shapes; others keep those that failed.
                weights = {
                    name: prepared.weights[name] if _of_one_shape(name, prepared, made) else new
                    for name, new in made.weights.items()
                }
                arranged = Prepared(inputs=prepared.inputs, weights=weights)
            executions = self._bench.run(one, arranged)
            if len(executions) < 2:
                return None
            told = failing(one, executions)
            fault = culprit(one, executions, told)
            if told and fault is None:
                self.counts["labels only"] += 1
                labels = of_labels(one, executions, origin)
                found.extend(hit for hit in labels if self._is_new(hit.key))
            if fault is not None:
                self.counts["by R" if fault.rate > T1 else "else"] += 1
            return fault

        def find(one: Network, fault: Culprit) -> Causes | None:
            causes, hit = self._found(one, prepared, executions, fault, origin)
            if hit is not None:
                found.append(hit)
            return causes

        localise(network, look, find)
        self._bench.stage = stage
        yield from found

    def _found(
        self,
        network: Network,
        prepared: Prepared,
        executions: Mapping[str, Execution],
        fault: Culprit,
        origin: str,
    ) -> tuple[Causes | None, Hit | None]:
        """The causes of a fault, None if there are none; the hit if it is new."""
        layer = network.find(fault.layer)
        states: dict[str, Array] = dict(prepared.inputs)
        states.update(next(iter(executions.values())).states)
        suspect = suspected(network, layer, {name: each.shape for name, each in states.items()})
        shown = _shown(fault, executions)
        known = self._known_as(shown, suspect)
        if known is not None:
            self.counts["seen before"] += 1
            return known[2], None  # what it hides can still be looked for
        given = alone(suspect, prepared, layer.name, [states[name] for name in layer.inputs])
        if not self._shows(suspect, fault):
            return None, self._only_given(suspect, fault, given, shown, origin)
        causes = find_causes(suspect, lambda one: effect(self._bench, one, fault, self._random))
        suspect = plainer(suspect, causes, lambda one: self._shows(one, fault))
        self._known.append((shown, suspect, causes))
        self.causes |= {(suspect.kind, name) for name in causes.mends}
        self.undecided |= {(suspect.kind, name) for name in causes.fails}
        return causes, self._hit(suspect, fault, causes, shown, origin, given)

    def _shows(self, suspect: Suspect, fault: Culprit) -> bool:
        told = effect(self._bench, suspect, fault, self._random, strict=True)
        return told is Effect.SHOWS

    def _only_given(
        self,
        suspect: Suspect,
        fault: Culprit,
        given: Prepared,
        shown: str,
        origin: str,
    ) -> Hit | None:
        """The hit of a layer that shows it with the inputs and weights it had; else it is none.

        Then it is rounding, which later layers make larger.
        """
        told = effect(self._bench, suspect, fault, self._random, strict=True, given=given)
        if told is not Effect.SHOWS:
            self.counts["not alone"] += 1
            return None
        self._known.append((shown, suspect, None))
        return self._hit(suspect, fault, Causes(kind=suspect.kind), shown, origin, given)

    def _hit(
        self,
        suspect: Suspect,
        fault: Culprit,
        causes: Causes,
        shown: str,
        origin: str,
        given: Prepared,
    ) -> Hit | None:
        backends, told = self._bench.backends, f"Found by: {origin}. {_named(causes)}"
        found = confirm(backends, suspect)
        if found is None and not fault.everywhere:
            found = looked(backends, suspect, given=_numbers(suspect, given))
        limit = "" if found is None else _explained(backends, found)
        settled = None if found is None or limit else settle(backends, found, SECONDS)
        one = settled.small if settled is not None else found
        odd = "+".join(one.judgement.vote.odd) if one is not None else ""
        blamed = one.suspect if settled is not None and one is not None else suspect
        pairs = {(shown, odd, causes.kind, name) for name in causes.mends}
        key = _key(blamed, shown, odd or "unknown")
        known = blamed.kind != suspect.kind and self._known_as(shown, blamed) is not None
        if known or (pairs and pairs <= self._pairs) or not self._is_new(key):
            self.counts["seen before"] += 1
            return None
        came = Handed(case=None, reason="" if limit else ONLY_FOUND)
        if fault.everywhere and found is None:
            nan = explain(backends, suspect, given, told)
            limit, came = nan.limit, Handed(case=nan.case, reason=nan.no_case)
        if settled is not None:
            limit, came = settled.limit, handed(backends, settled, told)
        if limit or came.case is not None:
            self._pairs |= pairs  # what no script shows may be shown by other values
        judged = one.judgement if one is not None else None
        return Hit(
            key=key,
            kind=judged.kind if judged is not None else fault.kind,
            subject=api(blamed.kind),
            title=_title(blamed, causes, judged),
            origin=origin,
            measures=(
                ("R", fault.rate),
                ("causes", float(len(causes.mends))),
                ("undecided parameters", float(len(causes.fails))),
                ("relative error alone", judged.error if judged is not None else 0.0),
            ),
            case=came.case,
            limit=limit,
            no_case=came.reason,
        )

    def _is_new(self, key: str) -> bool:
        new = key not in self._keys
        self._keys.add(key)
        return new

    def _known_as(self, shown: str, suspect: Suspect) -> tuple[str, Suspect, Causes | None] | None:
        """The reported one that has the same, in parameters that this one has as well."""
        for known in self._known:
            told, one, _ = known
            alike = all(suspect.config.get(name) == one.config[name] for name in one.unusual)
            if told == shown and one.kind == suspect.kind and alike:
                return known
        return None


def _numbers(suspect: Suspect, given: Prepared) -> Given:
    """What the layer had, as all backends are given it."""
    inputs = tuple(given.inputs[name] for name in suspect.network.inputs)
    return Given(inputs=inputs, weights=given.weights["layer"])


def _explained(backends: Backends, found: Confirmed) -> str:
    """The known limit, "" if there is none."""
    limit = limit_of(found.suspect.kind, dict(found.suspect.config), found.judgement)
    return limit or (ROUNDED if is_rounding(backends, found) else "")


def _of_one_shape(layer: str, one: Prepared, other: Prepared) -> bool:
    shapes = [[each.shape for each in ran.weights.get(layer, ())] for ran in (one, other)]
    return shapes[0] == shapes[1]


def _shown(fault: Culprit, executions: Mapping[str, Execution]) -> str:
    """What is seen, in a word: the oracle, and who failed how."""
    failed = sorted(
        f"{name} {one.failure.label}"
        for name, one in executions.items()
        if one.failure is not None and one.failure.layer == fault.layer
    )
    return " ".join((fault.kind, *failed))


def _key(suspect: Suspect, shown: str, odd: str) -> str:
    return ":".join(filter(None, (shown, suspect.kind, odd, suspect.setting)))


def _named(causes: Causes) -> str:
    """The pairs of Algorithm 2, in words."""
    if not causes.mends:
        return ""
    pairs = ", ".join(
        f"({causes.kind}, {name}; with {value!r} it is gone)"
        for name, value in causes.mends.items()
    )
    return f"Causes by Algorithm 2: {pairs}."


def _title(suspect: Suspect, causes: Causes, judged: Judgement | None = None) -> str:
    values = ", ".join(f"{name}={suspect.config[name]!r}" for name in suspect.unusual)
    parts = [f"({values})"] if values else []
    if judged is not None and judged.vote.odd:
        parts.append(judged.parted)
    told = " ".join(parts) or "with its usual parameters"
    return f"{told}, caused by {', '.join(causes.mends)}" if causes.mends else told
