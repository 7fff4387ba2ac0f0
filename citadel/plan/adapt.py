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
from itertools import islice, product

from analysis.catalog.model import Api, ApiKind
from citadel.plan.casting import casted
from citadel.plan.dimensions import dimension_change
from citadel.plan.example import as_in_example
from citadel.plan.frameworks import as_tensorflow
from citadel.plan.identity import identity
from citadel.plan.invocation import Invocation
from citadel.plan.lexicon import Lexicon
from citadel.plan.mirrored import mirrored
from citadel.plan.model import Adaptation, Obstacle
from citadel.plan.neutral import beside_zeros
from citadel.plan.places import Places, as_operands, overloads, places, swapped, with_tensors
from citadel.plan.planner import Planner
from citadel.plan.ranks import other_ranks
from citadel.plan.reduction import reduced
from citadel.plan.rewording import in_other_modes, named, read_as, reworded, unsaid
from citadel.plan.samples import SampleBook, of_other_numbers
from citadel.plan.stacking import stacked
from citadel.plan.symbolic import within_layer
from citadel.plan.unpacking import unpacked
from citadel.plan.within import as_called

MAX_PLANS = 4
OTHER_MODES = 4
"""Further plans that differ from the best one in the modes that are filled, and in those set."""
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
                    (found if rule or not unlike else behind).append(
                        read_as(plan, read.values, target)
                    )
    if not (found or behind):
        return obstacle
    best_first = (sorted(some, key=lambda plan: -plan.plausibility) for some in (found, behind))
    ordered = _distinct([plan for some in best_first for plan in some])
    kept = ordered[:MAX_PLANS]
    if not any(plan.after for plan in kept):
        kept += [plan for plan in ordered[MAX_PLANS:] if plan.after][:1]
    kept += [plan for plan in reworded(kept[0], known) if plan not in kept][:OTHER_MODES]
    example = as_in_example(kept[0], source, target, known)
    kept += [] if example is None else [example]
    kept += unsaid(kept[0], source.values, target, known)
    kept += islice(in_other_modes(kept[0], target, known), OTHER_MODES)
    named_after = [*named(kept[0], source.api.name, target, known), *kept]
    exact = as_called(kept[0], source, target)
    if exact is not None:
        lossy = kept[0].filled or kept[0].drops
        named_after = [exact, *named_after] if lossy else [*named_after, exact]
    others = [
        *(stacked(plan, source, target) for plan in kept),
        *map(beside_zeros, kept),
        *(casted(plan, source, target, known) for plan in kept),
        mirrored(kept[0], source, target),
    ]
    named_after += [plan for plan in others if plan is not None]
    made = (reduced(plan, source, target) for plan in _distinct(named_after))
    return tuple(within_layer(plan, source.symbolic) for plan in made)


def _distinct(found: Sequence[Adaptation]) -> list[Adaptation]:
    """The plans without those that make the same call as one before."""
    unique: dict[object, Adaptation] = {}
    for plan in found:
        unique.setdefault((plan.receiver, plan.new, plan.call), plan)
    return list(unique.values())


def _readings(source: Invocation) -> tuple[Invocation, ...]:
    """What it is given as it is. Of a reflected operator its operands in their order come before;
    where it has tensors in lists only, those tensors themselves come behind."""
    operands = as_operands(source.values, source.api)
    if operands is not None:
        return replace(source, values=operands), source
    apart = unpacked(source.values) if source.main is None else ()
    return (source, replace(source, values=apart)) if apart else (source,)


def _orders(taken: Places, target: Api) -> tuple[Places, ...]:
    """As a reflected operator means its operands, then as they are written."""
    turned = swapped(taken, target)
    return (taken,) if turned is None else (turned, taken)
