"""Plan how the failing call is made with another API: `plans(invocation, api)`.

Each of the source's values is given to the parameter that suits it best, by name, type and
position; what the sibling requires and the source has not is filled; what it does not take goes to
what collects the rest (`*tensors`, `**kwargs`), or is dropped. Several plans per sibling come in
order of plausibility. Values that carry the bug may not fit any declared type (a list where a float
is wanted): a parameter of the same name takes them all the same if they did not fit the source's
own declaration either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from analysis.catalog.model import Api, ApiKind
from citadel.plan.dimensions import dimension_change
from citadel.plan.frameworks import as_tensorflow
from citadel.plan.identity import identity
from citadel.plan.invocation import Invocation
from citadel.plan.lexicon import Lexicon
from citadel.plan.model import Adaptation, Obstacle
from citadel.plan.places import Places, as_operands, overloads, places, swapped, with_tensors
from citadel.plan.planner import Planner
from citadel.plan.ranks import other_ranks
from citadel.plan.rewording import read_as
from citadel.plan.samples import SampleBook, of_other_numbers
from citadel.plan.unpacking import unpacked
from citadel.plan.variants import BEHIND, CHANGED, IN_FRONT, Sibling, finished
from citadel.plan.within import as_called

MAX_PLANS = 4
PLAIN = Lexicon()


def plans(
    source: Invocation,
    target: Api,
    samples: SampleBook | None = None,
    lexicon: Lexicon = PLAIN,
) -> tuple[Adaptation, ...] | Obstacle:
    """Plans for one sibling, most plausible first, or why there are none.

    Fills are taken from `samples`, valid calls of the target, where it has some.
    """
    if target is source.api:
        return (identity(source),)
    if source.constructing and target.kind is not ApiKind.MODULE:
        return Obstacle.NOT_CALLABLE_LIKE_THE_SOURCE
    known = samples.of(target) if samples is not None else ()
    unlike = of_other_numbers(samples.of(source.api), known, lexicon) if samples is not None else ()
    found: list[Adaptation] = []
    behind: list[Adaptation] = []
    obstacle = Obstacle.NO_SIGNATURE
    signatures = overloads(target, constructing=source.constructing)
    for (new, call), read in product(signatures, _readings(source)):
        arrays = as_tensorflow(target.name)
        taken = with_tensors(places(new, call), known, of_arrays=arrays)
        lifts = (*dimension_change(read, target, known), *other_ranks(read, known))
        # Whole numbers may be what is wrong with a case: such plans come behind.
        rules = (unlike, ()) if unlike else ((),)
        for rule, order, lift in product(rules, _orders(taken, target), lifts):
            for plan in Planner(read, target, order, lift, known, lexicon, rule).plans():
                if isinstance(plan, Obstacle):
                    obstacle = plan
                else:
                    plan = read_as(plan, read.values, target) or plan  # noqa: PLW2901
                    (found if rule or not unlike else behind).append(plan)
    if not (found or behind):
        return obstacle
    best_first = (sorted(some, key=lambda plan: -plan.plausibility) for some in (found, behind))
    ordered = _distinct([plan for some in best_first for plan in some])
    kept = ordered[:MAX_PLANS]
    if not any(plan.after for plan in kept):
        kept += [plan for plan in ordered[MAX_PLANS:] if plan.after][:1]
    sibling = Sibling(source=source, target=target, samples=known)
    for more in BEHIND.each(kept, sibling):
        kept += more
    ordered = [*(plan for more in IN_FRONT.each(kept[0], sibling) for plan in more), *kept]
    exact = as_called(kept[0], source, target)
    if exact is not None:
        lossy = kept[0].filled or kept[0].drops
        ordered = [exact, *ordered] if lossy else [*ordered, exact]
    ordered += (plan for more in CHANGED.each(kept, sibling) for plan in more)
    return finished(_distinct(ordered), sibling)


def _distinct(found: Sequence[Adaptation]) -> list[Adaptation]:
    """The plans without those that make the same call as one before."""
    unique: dict[object, Adaptation] = {}
    for plan in found:
        unique.setdefault((plan.receiver, plan.new, plan.call), plan)
    return list(unique.values())


def _readings(source: Invocation) -> tuple[Invocation, ...]:
    """What it is given as it is. Of a reflected operator its operands in their order come before;
    where it has tensors in lists only, those tensors themselves come behind."""
    method = source.api.kind is ApiKind.METHOD
    operands = as_operands(source.values, source.api) if method else None
    if operands is not None:
        return replace(source, values=operands), source
    apart = unpacked(source.values) if source.main is None else None
    return (source, replace(source, values=apart)) if apart else (source,)


def _orders(taken: Places, target: Api) -> tuple[Places, ...]:
    """As a reflected operator means its operands, then as they are written."""
    turned = swapped(taken, target) if target.kind is ApiKind.METHOD else None
    return (taken,) if turned is None else (turned, taken)
