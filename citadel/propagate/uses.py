"""All uses of the API under suspicion that a case's oracle compares, rewritten together.

A report that calls the API twice and compares the results (eager and compiled, one element and two)
is rewritten in both places. Where one call fails, that call changes; what is given the same
elsewhere, and returns, changes with it if the sibling returns there, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from analysis.target.observation import Call
from analysis.values import Value
from citadel.model import SymptomKind
from citadel.plan.adapt import plans
from citadel.plan.invocation import Invocation, invocation
from citadel.plan.model import CAST, Adaptation, Fill, Obstacle, Take
from citadel.plan.receivers import on_a_copy
from citadel.rewrite.rewriter import Rewriter, Rewritten
from citadel.traced import resolve
from citadel.verify.verified import Verified
from citadel.workbench import Workbench


class Uses:
    """Writes plans down in the text of one case."""

    def __init__(self, verified: Verified, bench: Workbench) -> None:
        calls = verified.observation.calls
        self._verified = verified
        self.invocation = invocation(verified.call, verified.api, calls)
        self._rewriter = Rewriter(verified.source, self.invocation, bench.catalog.resolve)
        self._bench = bench
        self._others: list[tuple[Rewriter, Invocation]] = []
        witness = verified.witness
        # What nothing shows to depend on the API may be a reference: a dtype is the same whatever.
        self._references = witness is not None and witness.oracle.paired and not all(witness.own)
        self._references |= verified.measured is not None
        self._made_again = witness is not None and _made_again(verified)
        self._tells_alone = False
        self._returned: list[tuple[Rewriter, Invocation]] = []
        if not verified.shown:
            for call in returned_elsewhere(verified):
                other = invocation(call, verified.api, calls)
                self._returned.append((Rewriter(verified.source, other), other))
            return
        nodes = verified.source.nodes
        calls = tuple(call for call in calls if call.site < len(nodes))  # whatever a case forges
        handed = [nodes[call.site] for call in calls if call.form == "handed"]
        places = list(_places(calls))
        seen = {place for call, place in places if call is verified.call}
        for call, place in places:
            function = getattr(nodes[call.site], "func", None)
            if function in handed and call is not verified.call:
                continue  # `tf.function(tf.floor)(x)` changes where the function is handed over
            if place not in seen and resolve(call, bench.catalog) is verified.api:
                seen.add(place)
                if call.form != "class" or verified.call.form == "class":
                    other = invocation(call, verified.api, calls)
                    self._others.append((Rewriter(verified.source, other), other))
        self._tells_alone = _tells_alone(verified, [use.call for _, use in self._others])

    def ran(self, within: Mapping[str, Mapping[str, Value]]) -> None:
        """Take note of what ran within the failing call, and what it was given there.

        Sizes and axes are the same where another use is given tensors of other dtypes.
        """

        def alike(use: Invocation) -> bool:
            return _given(use, dtypes=False) == given

        given = _given(self.invocation, dtypes=False)
        self.invocation = replace(self.invocation, within=within)
        for places in (self._others, self._returned):
            places[:] = [
                (rewriter, replace(use, within=within) if alike(use) else use)
                for rewriter, use in places
            ]

    def write(self, plan: Adaptation) -> Iterator[Rewritten]:
        """The plan in text, in all places, if each of them can say it.

        Where one value tells by itself, also in the place of its call alone: what else is checked
        of the report's API need not be so of another.
        """
        others = self._elsewhere(plan)
        ways = iter(()) if others is None else self._written(plan, others)
        yield from islice(ways, 1)
        if self._tells_alone and others != []:
            yield from islice(self._written(plan, []), 1)
        yield from ways

    def _written(
        self, plan: Adaptation, others: Sequence[tuple[Rewriter, Adaptation]]
    ) -> Iterator[Rewritten]:
        # A reference is computed from what the call is given, by NumPy from the very same memory.
        apart = bool(others or self._others) or self._made_again
        apart |= self._references and not plan.effect
        main = _apart(plan, self.invocation) if apart else plan
        # A mirrored sibling should come to what the report compares with as it is.
        references = self._references and not plan.mirrored
        return self._rewriter.write(main, others, references=references)

    def _elsewhere(self, plan: Adaptation) -> list[tuple[Rewriter, Adaptation]] | None:
        """What the other places say for it; None where one cannot.

        A call whose result nothing uses, as one that warms up, stays where it cannot.
        """
        others: list[tuple[Rewriter, Adaptation]] = []
        for rewriter, use in self._others:
            found = self._plan(use, plan)
            if found is not None and plan.effect and not rewriter.standing:
                found = found.for_effect()
            if found is not None and not _loses_more(found, plan):
                others.append((rewriter, _apart(found, use)))
            elif not rewriter.discards:
                return None
        return others

    def in_front(self, plan: Adaptation) -> Rewritten | None:
        """The plan in front of the call that fails, which stays: another result need not do what
        the text does with the report's. Values, and what fails later, are told of results."""
        verified = self._verified
        told = verified.shown or verified.deferred or verified.measured is not None
        if told or verified.case.symptom.kind not in (SymptomKind.RAISES, SymptomKind.CRASHES):
            return None
        return self._rewriter.in_front(_apart(plan, self.invocation))

    def everywhere(self, plan: Adaptation) -> Rewritten | None:
        """The plan where a call fails, and where it is given the same and returns (see
        `returned_elsewhere`); None where there is no such place, or none can say it."""
        others = [
            (rewriter, _apart(found, use))
            for rewriter, use in self._returned
            if (found := self._plan(use, plan)) is not None
        ]
        return next(self._rewriter.write(plan, others), None) if others else None

    def _alike(self, use: Invocation) -> bool:
        """Whether another use gives the same arguments as the main one, be they of other types."""
        return [v.key for v in use.values] == [v.key for v in self.invocation.values]

    def _plan(self, use: Invocation, main: Adaptation) -> Adaptation | None:
        """The plan for another use that is most like the main one's."""
        api = self._bench.catalog.resolve(main.target)
        if api is None:
            return None
        made = plans(use, api, self._bench.samples, self._bench.lexicon)
        if isinstance(made, Obstacle):
            return main if self._alike(use) and main.plain else None
        made = tuple(plan.shaped(main) for plan in made)
        if all(step.name != CAST for step in main.after):
            made = tuple(plan.as_computed() for plan in made)
        made = tuple(plan for plan in made if plan.mirrored is main.mirrored)
        alike = [plan for plan in made if _added(plan) == _added(main)]
        if self._alike(use):
            own = _taken(main)
            alike = [one for one in alike if not _contradicts(_taken(one), own)]
            if not alike and main.plain:
                return main
        return max(
            alike,
            key=lambda plan: (
                plan.form is main.form,
                plan.edits == main.edits,
                len(set(plan.edits) & set(main.edits)),
            ),
            default=None,
        )


def _tells_alone(verified: Verified, others: Sequence[Call]) -> bool:
    """Whether one value tells by itself that is made by the blamed call and by none of the others:
    what those give may be what is wrong with `f(x) + f(y)`."""
    witness, nodes = verified.witness, verified.source.nodes
    if witness is None or len(witness.oracle.spots) != 1 or verified.call.site >= len(nodes):
        return False
    (spot,) = witness.oracle.spots
    made_by = witness.watched.points[spot.point].origin.made_by
    apart = all(id(nodes[call.site]) not in made_by for call in others)
    return apart and id(nodes[verified.call.site]) in made_by


def _places(calls: Sequence[Call]) -> Iterator[tuple[Call, tuple[int, int | None]]]:
    """Calls, and where each stands in the text; of a layer, one of several that are called there,
    also where it is constructed: `for layer in (plain, grouped): seconds(layer)`."""
    built = {c.result.id: c.site for c in reversed(calls) if c.form == "class" and c.result}
    for call in calls:
        layer = call.receiver if call.form == "module" else None
        yield call, (call.site, None if layer is None else built.get(layer.id))


def returned_elsewhere(verified: Verified) -> list[Call]:
    """The first calls of the blamed API, at each other place of the text, that return before it
    raises although they are given the same, but for the values, devices and layouts of tensors."""
    if verified.case.symptom.kind is not SymptomKind.RAISES:
        return []
    calls, failed = verified.observation.calls, verified.call
    given = _given(invocation(failed, verified.api, calls))
    found: dict[int, Call] = {}
    for call in calls:
        alike = (call.name, call.form) == (failed.name, failed.form) and call.result is not None
        if not alike or call.number >= failed.number or call.site in {failed.site, *found}:
            continue
        if _given(invocation(call, verified.api, calls)) == given:
            found[call.site] = call
    return list(found.values())


def _given(use: Invocation, *, dtypes: bool = True) -> list[tuple[str, Value]]:
    return [(value.key, _outline(value.value, dtypes=dtypes)) for value in use.values]


def _outline(value: Value, *, dtypes: bool) -> Value:
    """What a value is but for what a tensor holds and where; without `dtypes`, of whatever kind."""
    if value.items is not None:
        return replace(value, items=tuple(_outline(one, dtypes=dtypes) for one in value.items))
    if not value.is_tensor:
        return value
    bare = replace(
        value, text=None, device=None, layout=None, content=None, numbers=None, requires_grad=False
    )
    return bare if dtypes else replace(bare, dtype=None)


def _made_again(verified: Verified) -> bool:
    """Whether the same place of the text calls the API several times, with what stays as it is."""
    at = [call for call in verified.observation.calls if call.site == verified.call.site]
    return len(at) > 1 and not verified.api.name.endswith("_")


def _apart(plan: Adaptation, use: Invocation) -> Adaptation:
    """The plan of an in-place API, which must not change what the next use is given."""
    values = {value.key: value.value for value in use.values}
    return on_a_copy(plan, values, always=True) or plan


def _loses_more(one: Adaptation, main: Adaptation) -> bool:
    """Whether one use loses numbers or tensors that the main one keeps, or has not got: with
    `index_add(x, 0, i, y, alpha=a)` beside `index_add(x, 0, i, a * y)`, `scatter_add` would be
    compared with that of other inputs."""
    return one.loses and not _dropped(one) <= _dropped(main)


def _dropped(plan: Adaptation) -> set[str]:
    return {edit for edit in plan.edits if edit.startswith("dropped ")}


def _taken(plan: Adaptation) -> dict[str, str]:
    """Which of the source's values each parameter gets."""
    slots = (*plan.new, *plan.call)
    return {slot.name: slot.value.key for slot in slots if isinstance(slot.value, Take)}


def _contradicts(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether a parameter gets this value in one place and that one in another."""
    return any(one[name] != other[name] for name in one.keys() & other.keys())


def _added(plan: Adaptation) -> dict[str, str]:
    """What the plan gives to parameters of which the report's call says nothing.

    Two uses that are compared must be given the same there, or it is that which differs.
    """
    own = {} if plan.receiver is None else {"": plan.receiver}
    own |= {slot.name: slot.value for slot in (*plan.new, *plan.call)}
    elsewhere = dict.fromkeys(set(plan.invented) - own.keys(), "a receiver")
    return elsewhere | {
        name: repr(value)
        for name, value in own.items()
        if isinstance(value, Fill) or name in plan.invented
    }
