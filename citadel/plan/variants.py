"""Other plans for a sibling, made of those that its parameters give.

In: the plans of a sibling, the best one first, and valid calls of it. Out: plans in other modes, in
other dtypes, with other tensors. Each rule of a registry is asked, in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from analysis.catalog.model import Api
from analysis.rules import Registry, Rule
from analysis.values import Value
from citadel.plan.casting import casted
from citadel.plan.example import as_in_example
from citadel.plan.invocation import Invocation
from citadel.plan.mirrored import mirrored
from citadel.plan.model import Adaptation
from citadel.plan.neutral import beside_zeros
from citadel.plan.reduction import reduced
from citadel.plan.rewording import in_other_modes, named, reworded, unsaid
from citadel.plan.stacking import stacked
from citadel.plan.symbolic import within_layer

OTHER_MODES = 4
"""Further plans that differ from the best one in the modes that are filled, and in those set."""
Plans = Sequence[Adaptation]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sibling:
    """The failing call, an API that it is planned for, and valid calls of that."""

    source: Invocation
    target: Api
    samples: Sequence[dict[str, Value]]


IN_FRONT: Registry[[Adaptation, Sibling], Plans] = Registry("variant")
"""Plans that come before the best one."""
BEHIND: Registry[[Plans, Sibling], Plans] = Registry("variant")
"""Plans that come behind the others, and that `CHANGED` is made of as well."""
CHANGED: Registry[[Plans, Sibling], Plans] = Registry("variant")
"""Plans with other tensors, for siblings that refuse the report's or make nothing of them."""


@BEHIND.rule("modes-of-valid-calls")
def _reworded(plans: Plans, sibling: Sibling) -> Plans | None:
    """The modes that are filled are those of other valid calls: `reduce="sum"`."""
    found = [plan for plan in reworded(plans[0], sibling.samples) if plan not in plans]
    return found[:OTHER_MODES] or None


@BEHIND.rule("object-of-valid-call")
def _example(plans: Plans, sibling: Sibling) -> Plans | None:
    """An object is made as a valid call makes it, with none of the report's values."""
    made = as_in_example(plans[0], sibling.source, sibling.target, sibling.samples)
    return None if made is None else (made,)


@BEHIND.rule("without-unknown-words")
def _unsaid(plans: Plans, sibling: Sibling) -> Plans | None:
    """Optional words that no valid call has are dropped: `ord="euclidean"`."""
    values = sibling.source.values
    return tuple(unsaid(plans[0], values, sibling.target, sibling.samples)) or None


@BEHIND.rule("optional-modes")
def _other_modes(plans: Plans, sibling: Sibling) -> Plans | None:
    """An optional mode is set as a valid call sets it: `rounding_mode="trunc"`."""
    found = in_other_modes(plans[0], sibling.target, sibling.samples)
    return tuple(islice(found, OTHER_MODES)) or None


@IN_FRONT.rule("mode-of-report-name")
def _named(plan: Adaptation, sibling: Sibling) -> Plans | None:
    """An optional mode is set to a word of the report's API: `floor` for `floor_divide`."""
    name = sibling.source.api.name
    return tuple(named(plan, name, sibling.target, sibling.samples)) or None


@CHANGED.rule("stacked-tensors")
def _stacked(plans: Plans, sibling: Sibling) -> Plans | None:
    """Tensors that would be dropped are stacked: `logsumexp(stack([a, b]), 0)`."""
    return _known(stacked(plan, sibling.source, sibling.target) for plan in plans)


@CHANGED.rule("zeros-beside-tensor")
def _zeros(plans: Plans, _: Sibling) -> Plans | None:
    """Zeros stand where the report's tensor would be given a second time."""
    return _known(map(beside_zeros, plans))


@CHANGED.rule("other-dtypes")
def _casted(plans: Plans, sibling: Sibling) -> Plans | None:
    """Tensors are cast to the kind of numbers that valid calls have."""
    source, target = sibling.source, sibling.target
    return _known(casted(plan, source, target, sibling.samples) for plan in plans)


@CHANGED.rule("dual-operation")
def _mirrored(plans: Plans, sibling: Sibling) -> Plans | None:
    """max(x) is computed as -min(-x)."""
    return _known((mirrored(plans[0], sibling.source, sibling.target),))


def _reduced(plan: Adaptation, sibling: Sibling) -> Adaptation | None:
    """The result is reduced to one number where the report's API has a `reduction`."""
    made = reduced(plan, sibling.source, sibling.target)
    return None if made is plan else made


def _within_layer(plan: Adaptation, sibling: Sibling) -> Adaptation | None:
    """A function on placeholders of Keras is called within a `Lambda` layer."""
    made = within_layer(plan, sibling.source.symbolic)
    return None if made is plan else made


_to_one_number = Rule("variant/one-number-of-result", _reduced)
_in_lambda_layer = Rule("variant/lambda-layer", _within_layer)


def finished(plans: Iterable[Adaptation], sibling: Sibling) -> tuple[Adaptation, ...]:
    """The plans with all changes that they need."""
    made = [_to_one_number(plan, sibling) or plan for plan in plans]
    if sibling.source.symbolic:
        made = [_in_lambda_layer(plan, sibling) or plan for plan in made]
    return tuple(made)


def _known(found: Iterable[Adaptation | None]) -> Plans | None:
    return tuple(plan for plan in found if plan is not None) or None
