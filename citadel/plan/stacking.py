"""Tensors as one, for what goes along an axis: `logaddexp(a, b)`, `logsumexp(stack([a, b]), 0)`.

In: a plan that drops all of the report's tensors but one, for a sibling that has an axis. Out: the
plan with the tensors stacked in the place of that one, and the new axis to go along.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analysis.catalog.model import Api, ApiKind
from citadel.plan.assign import DESTINATION
from citadel.plan.fill import AXES
from citadel.plan.invocation import Invocation
from citadel.plan.model import STACK, Adaptation, Fill, Gather, Slot, SourceValue, Take

NEW_AXIS = Fill(text="0")
_MOST = 3
"""Tensors that are stacked at most."""


def stacked(plan: Adaptation, source: Invocation, target: Api) -> Adaptation | None:
    """The plan with the report's tensors stacked; None where they have not one shape and dtype, or
    the sibling takes several of them, or has no axis."""
    tensors = [v for v in source.values if v.value.is_tensor and v.name != DESTINATION]
    axis = _axis(target)
    slot = _only(plan.call, tensors)
    if axis is None or slot is None or plan.reshapes or not _alike(tensors):
        return None
    whole = Gather(items=tuple(v.take() for v in tensors), made=STACK)
    call = [replace(one, value=whole) if one is slot else one for one in plan.call]
    own = next((one for one in call if one.name == axis), None)
    if own is None:
        call.append(Slot(name=axis, keyword=True, value=NEW_AXIS))
    elif isinstance(own.value, Fill):
        call = [replace(one, value=NEW_AXIS) if one is own else one for one in call]
    else:
        return None  # the report has an axis of its own
    told = {f"filled {axis}", *(f"dropped {v.name}" for v in tensors)}
    kept = [edit for edit in plan.edits if edit not in told]
    loses = any(edit.startswith("dropped ") for edit in kept)
    keys = {v.key for v in tensors}
    return replace(
        plan,
        call=tuple(call),
        edits=(*kept, f"{' and '.join(v.name for v in tensors)} stacked"),
        invented=tuple(name for name in plan.invented if name != axis),
        astray=tuple(key for key in plan.astray if key not in keys),
        loses=loses and plan.loses,
        scant=loses and plan.scant,
    )


def _axis(target: Api) -> str | None:
    """What the sibling calls the axis that it goes along, in one of its overloads."""
    if target.kind not in (ApiKind.FUNCTION, ApiKind.OP):
        return None
    names = (parameter.name for one in target.signatures for parameter in one.parameters)
    return next((name for name in names if name in AXES), None)


def _only(slots: Sequence[Slot], tensors: Sequence[SourceValue]) -> Slot | None:
    """The argument that is one of the tensors as it stands, if no other one is."""
    keys = {v.key for v in tensors}
    given = [one for one in slots if isinstance(one.value, Take) and one.value.key in keys]
    plain = [one for one in given if isinstance(one.value, Take) and not one.value.steps]
    return plain[0] if len(plain) == len(given) == 1 else None


def _alike(tensors: Sequence[SourceValue]) -> bool:
    kinds = {(v.value.shape, v.value.dtype, v.value.device) for v in tensors}
    known = all(v.value.shape is not None and not v.key.startswith("attr:") for v in tensors)
    known = known and all(v.value.layout in (None, "strided") for v in tensors)
    return 1 < len(tensors) <= _MOST and known and len(kinds) == 1
