"""One rewritten case of a value bug and what its runs tell; `value_replay` makes verdicts of it.

In: the rewritten text with its watched expressions, the witness of the report's own case. Out:
facts: whether its values are the source's, whether double precision makes the same of both, whose
calls they come of, whether more than these are given.
"""

from __future__ import annotations

import cmath
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property

import libcst.matchers as m

from analysis.catalog.model import Api, Catalog
from analysis.target.instrument import Watched, instrument
from analysis.target.observation import Call, Observation
from analysis.target.session import Limits, Session
from analysis.values import Value
from citadel.judge.coincidences import FAR_APART, gap, plain
from citadel.judge.gradients import cut
from citadel.judge.inconsistent import refused_in_part, same_words
from citadel.model import Symptom, SymptomKind
from citadel.oracle.backends import runner
from citadel.oracle.hints import is_form
from citadel.oracle.numbers import finite, largest
from citadel.oracle.value import has_nan_at, shows, symptom, unlike, values_of
from citadel.plan.model import Adaptation, Take
from citadel.rewrite.rewriter import Rewritten
from citadel.traced import is_call_of, leaf
from citadel.verify.guards import Doubled, Rerun, Told, beside, doubled, told, widened
from citadel.verify.identify import GRADIENTS
from citadel.verify.infinities import let_in, spreads, tends_to
from citadel.verify.witness import Witness

_FLOAT = re.compile(r"b?float(\d+)")


class Replayed:
    """One rewritten case and its runs; `guards` are what has spoken for a bug so far."""

    def __init__(
        self,
        written: Rewritten,
        case: Watched,
        target: Api,
        source: Witness,
        session: Session,
        catalog: Catalog,
        limits: Limits,
    ) -> None:
        self.written, self.case, self.target, self.source = written, case, target, source
        self.catalog = catalog
        self.beside = session.beside
        runs = runner(session, source.oracle)
        self.rerun = Rerun(code=written.code, watched=case, session=runs, limits=limits)
        self.first = self._run(case.traced, 0)
        if source.untraced:
            self.first = replace(self._run(case.text, 1), calls=self.first.calls)
        self.values = values_of(self.first)
        self.calls = [call for call in self.first.calls if is_call_of(call, target, catalog)]
        own = [c for c in source.observation.calls if is_call_of(c, source.api, catalog)]
        whole = source.untraced
        parts = refused_in_part(own, all_of_it=whole)
        refused = {(written.sites.get(site), kind) for site, kind in parts}
        here = refused & refused_in_part(self.calls, all_of_it=whole)
        self.inconsistent = {kind for _, kind in here}
        """How both refuse in one place what they accept in another, given the same there."""
        names = (source.api.name, target.name)
        self.refused_alike = same_words(own, self.calls, written.sites, names) and self._as_often()
        """Whether both refuse it for one reason, and let the sibling through as often."""
        alike = refused_in_part(own, all_of_it=whole, sized=True)
        places = {self.written.sites.get(site) for site, _ in alike}
        at_them = [call for call in self.calls if call.site in places]
        self.consistent = bool(at_them) and all(call.raised is None for call in at_them)
        """Whether it accepts even where the report's own call is refused, given the same."""
        self.guards = ["the sibling is called"]
        self.moved = False
        self.right: str | None = None
        """What double precision says the value should be."""

    def _as_often(self) -> bool:
        """Whether the sibling comes to a result in as many places as the source."""
        points = {spot.point for spot in self.source.oracle.spots}
        had, has = (
            sum(spot.point in points for spot in values)
            for values in (self.source.values, self.values)
        )
        return has >= had

    def _run(self, text: str, seed: int) -> Observation:
        again = self.rerun
        return again.session.run(again.code, traced=text, limits=again.limits, seed=seed)

    @property
    def silent(self) -> tuple[str, ...]:
        """The guards that had nothing to say, for their runs ended before."""
        short = self.rerun.cut_short(self.first)
        return tuple(f"no guard: {how} with {guard}" for guard, how in short.items())

    @property
    def gives_nothing(self) -> bool:
        """Whether the sibling, which returns, gives no value where the source gives a tensor."""
        made = [call.result.value for call in self.calls if call.result is not None]
        own = self.source.call.result
        wanted = own is not None and own.value.is_tensor
        return wanted and bool(made) and all(map(_is_nothing, made))

    def symptom(self) -> Symptom:
        """What the sibling shows. Its right result need not be the one expected of the source."""
        seen = symptom(self.source.oracle, self.case.points, self.values)
        if self.source.oracle.kind is SymptomKind.NON_FINITE:
            return replace(seen, expected="a finite value")
        return seen

    def again(self, runs: int) -> int:
        """In how many runs, the first included, the bug shows; notes whether its values move."""
        hits, oracle = 1, self.source.oracle
        for seed in range(1, runs):
            seen = self._run(self.case.text, seed)
            found = values_of(seen)
            hits += shows(oracle, seen, found) is True
            self.moved = self.moved or True in unlike(oracle, self.values, found)
        return hits

    def alone(self) -> bool:
        """Whether both values that are compared are the sibling's, and none is the source's."""
        source = self.source
        if not source.oracle.paired or not all(source.own):
            return False
        own = [one for one in source.observation.calls if self._of_source(one)]
        left = [one for one in self.first.calls if self._of_source(one)]
        return not left and len(self.calls) >= len(own)

    def cuts_gradients(self, plan: Adaptation) -> bool:
        """Whether gradients, which the case takes, do not reach what the sibling is given because
        it makes arrays of tensors, or because a new variable or parameter is made of them."""
        if not any(leaf(call.name) in GRADIENTS for call in self.first.calls):
            return False
        made_by = [one for one in self.source.observation.calls if self._of_source(one)]
        arrays = self._makes(self.calls, "array") and self._makes(made_by, "tensor")
        made = plan.receiver.steps if isinstance(plan.receiver, Take) else ()
        if cut(plan, self.source.call, self.first.calls):
            return True
        return arrays or any(step.name == "variable" for step in made)

    @staticmethod
    def _makes(calls: Sequence[Call], kind: str) -> bool:
        made = [call.result.value.kind for call in calls if call.result is not None]
        return bool(made) and all(one == kind for one in made)

    def _of_source(self, call: Call) -> bool:
        return is_call_of(call, self.source.api, self.catalog)

    @cached_property
    def limited(self) -> bool:
        """Whether, as the source does, it is NaN at infinity though it tends to something there, or
        where nothing depends on what is not finite."""
        oracle = self.source.oracle
        if self.source.spreads:
            found = spreads(self.rerun, oracle, self.calls, self.values)
            if found:
                self.guards.append("not finite where nothing depends on what its inputs let in")
            return found
        if self.source.limits is None or not has_nan_at(oracle, self.values):
            return False
        ends = tends_to(self.rerun, oracle, self.calls)
        # A gradient that is NaN beside what grows beyond all numbers is another matter.
        slopes = bool(self.source.gave_numbers)
        bounded = slopes and all(map(cmath.isfinite, self.source.limits))
        if ends is None or (bounded and not all(map(cmath.isfinite, ends))):
            return False
        self.guards.append("NaN at infinity, where it tends to something")
        return True

    def agrees_elsewhere(self) -> bool:
        """Whether it agrees with its own reference where both are given other numbers: finite ones
        for NaN and infinities, or half of each.

        Then the two are one function, and the report's numbers are what parts them.
        """
        oracle, own = self.source.oracle, {call.site for call in self.calls}
        called = m.Call(func=m.Attribute(attr=m.Name(leaf(self.target.name))))
        nodes = instrument(self.written.code).nodes
        sites = {site for site, node in enumerate(nodes) if m.matches(node, called)}
        if not sites - own:
            return False
        for entry, given in (
            ("perturb:cleaned", {"number": 1.0}),
            ("perturb:scaled", {"factor": 0.5}),
        ):
            seen = self.rerun.run(entry, self.calls, also=sites, **given)
            found = values_of(seen)
            told = not all(plain(found, spot) for spot in oracle.spots)
            if told and shows(oracle, seen, found) is False:
                return True
        return False

    def of_form(self) -> bool:
        """Whether shapes or the like are compared, and both are the source's: no other numbers
        would tell more."""
        points = self.source.watched.points
        shown = (points[spot.point] for spot in self.source.oracle.spots)
        return self.equal and all(is_form(point, alone=True) for point in shown)

    def of_others(self) -> bool:
        """Whether the sibling is called several times, each time with other numbers.

        `f(x)` should be what `f` gives for a copy of `x`, whatever function it is; that `f(x + y)`
        is `f(x) + f(y)` is a law of some.
        """
        source = self.source
        if not source.oracle.paired or source.referred or len(self.calls) < 2:
            return False
        alike = [one.like(other) for one, other in beside(self.told)]
        return bool(alike) and all(found is False for found in alike)

    def left_alone(self) -> bool:
        """Whether a value that the source's call makes, or writes to, has nothing of the sibling's:
        it stays what it is where the sibling's results are others, and where its calls are left
        out, which says more of shapes."""
        source = self.source
        if not source.oracle.paired or True not in source.own:
            return False
        left = [own is True for own in source.own]
        for entry in ("perturb:run", "perturb:omitted"):
            found = values_of(self.rerun.run(entry, self.calls))
            changes = unlike(source.oracle, self.values, found)
            left = [was and change is False for was, change in zip(left, changes, strict=True)]
            if not any(left):
                return False
        return True

    def gave(self, places: Collection[tuple[int, int]]) -> list[Told]:
        """The sibling's calls in the place of some of the source's."""
        sites = {(self.written.sites.get(site), n) for site, n in places}
        return [one for one in self.told if (one.site, one.occurrence) in sites] if sites else []

    def coarser(self) -> bool:
        """Whether it gives numbers of a coarser dtype than the source does, and the two that are
        compared differ by little, where the source's are far apart: finite differences may."""
        oracle, source = self.source.oracle, self.source
        own = [call for call in source.observation.calls if self._of_source(call)]
        had, has = _bits(own), _bits(self.calls)
        if not oracle.paired or had is None or has is None or has >= had:
            return False
        before, now = gap(oracle, source.values), gap(oracle, self.values)
        return before is not None and now is not None and now < FAR_APART <= before

    def comes_to_the_same(self) -> bool:
        """Whether it shows the source's own one number, to which many functions come."""
        oracle = self.source.oracle
        if oracle.kind is SymptomKind.ACCEPTS or oracle.of_finiteness or oracle.paired:
            return False
        return self.equal and all(plain(self.values, spot) for spot in oracle.spots)

    @property
    def equal(self) -> bool:
        """Whether it shows the source's own values."""
        changes = unlike(self.source.oracle, self.source.values, self.values)
        return all(change is False for change in changes)

    @cached_property
    def same_function(self) -> bool | None:
        """Whether an equal value, wrong by number, becomes what the source's does in double
        precision; None where that of the source does not change, one of the two is not known, or
        many functions come to it.

        Rounded, `5 / 3` may be what `5 // 3` wrongly is. Where both come to what they are compared
        with then, that is what both compute.
        """
        source = self.source
        if source.referred and source.precise and self.equal:
            return True if self.double is not None and self.double.cures else None
        if not source.wider or source.widened is None or not self.equal:
            return None
        found = widened(self.rerun, source.oracle, self.calls)
        changes = () if found is None else unlike(source.oracle, source.widened, found)
        if found is None or not changes or None in changes:
            return None
        if True in changes:
            return False
        sizes = [largest(found[s]) if finite(found[s]) else None for s in source.oracle.spots]
        return True if all(size not in (None, 0.0, 1.0) for size in sizes) else None

    @cached_property
    def same_when_finite(self) -> bool:
        """Whether it comes to what the source does, and few functions do, once both are given
        finite numbers for those that are let in."""
        source = self.source
        found = let_in(self.rerun, source.oracle, self.calls) if source.cleaned else {}
        if not found or any(unlike(source.oracle, source.cleaned, found)):
            return False
        sizes = [largest(found[spot]) for spot in source.oracle.spots if spot in found]
        return bool(sizes) and all(size not in (None, 0.0, 1.0) for size in sizes)

    @cached_property
    def double(self) -> Doubled | None:
        """What the case comes to where the sibling is given double precision."""
        return doubled(self.rerun, self.source.oracle, self.calls)

    @cached_property
    def told(self) -> tuple[Told, ...]:
        """What the sibling's calls are given and give: one run tells both guards."""
        return told(self.rerun, self.calls)


def _bits(calls: Sequence[Call]) -> int | None:
    """The width of the coarsest floating dtype that calls give, if it is known of all."""
    made = [call.result.value for call in calls if call.result is not None]
    found = [_FLOAT.fullmatch(value.dtype or "") for value in made if value.is_tensor]
    widths = [int(one[1]) for one in found if one is not None]
    return min(widths) if widths and len(widths) == len(found) else None


def _is_nothing(result: Value) -> bool:
    """Whether it is None, or what a graph of TensorFlow has in its place."""
    return result.kind == "none" or (result.text or "").rpartition(".")[2] == "Operation"
