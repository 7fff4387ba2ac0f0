"""The call of a sibling that ran within the failing call, made as that call made it.

In: a plan, and what the sibling was given there (`citadel.propagate.callees`). Out: the plan with
these plain values: `tf.signal.rfft(x, n)` hands the operator `fft_length=[n]`, which nothing else
tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from analysis.catalog.model import Api, Parameter
from analysis.rules import Rule
from analysis.values import Value
from citadel.plan.frameworks import tensor_text
from citadel.plan.invocation import Invocation
from citadel.plan.model import Adaptation, Expression, Fill, Form, Slot, Take

MOST_TEXT = 200
"""Characters of a value that are still worth writing down."""
_NOT_SET = frozenset(("none", "dtype", "function", "class"))
"""Kinds of values that say nothing, or follow from the tensors."""


def _as_called(plan: Adaptation, source: Invocation, target: Api) -> Adaptation | None:
    """The plan with what the sibling was given within the source's call; None where that is not
    known, or where the plan says it all."""
    given = source.within.get(target.name)
    if not given or plan.form is not Form.FUNCTION or not target.signatures:
        return None
    declared = {p.name: p for p in target.signatures[0].parameters if not p.variadic}
    own = {value.key: value.value for value in source.values}
    found = {
        name: fill
        for name, value in given.items()
        if name in declared and name != "name" and (fill := _fill(value, source)) is not None
    }
    call: list[Slot] = []
    changed: list[str] = []
    for slot in plan.call:
        fill = found.pop(slot.name, None)
        again = slot.name in plan.invented  # the report's own tensor, for lack of anything else
        if fill is not None and (again or _differs(slot.value, fill, given[slot.name], own)):
            call.append(replace(slot, value=fill))
            changed.append(slot.name)
        else:
            call.append(slot)
    more = [name for name, fill in found.items() if _sets(declared[name], given[name], fill)]
    changed += more
    if not changed:
        return None
    filled = {f"filled {name}" for name in changed}
    edits = [edit for edit in plan.edits if edit not in filled]
    return replace(
        plan,
        call=(*call, *(Slot(name=name, keyword=True, value=found[name]) for name in more)),
        edits=(*edits, f"{', '.join(changed)} as the report's API hands it on"),
        invented=tuple(name for name in plan.invented if name not in changed),
    )


as_called = Rule("variant/observed-arguments", _as_called)


def _fill(value: Value, source: Invocation) -> Fill | None:
    """A value in text, of a tensor its elements; None where it is none that can be written."""
    if value.kind in _NOT_SET:
        return None
    if value.is_shaped:
        root = source.api.name.partition(".")[0]
        # Numbers with a point are what the call has computed: they are wrong if it is.
        if value.content is None or value.dtype is None or "int" not in value.dtype:
            return None
        if value.dtype == "int32":  # what a list of numbers becomes
            return Fill(text=value.content, implied=True)
        made = tensor_text(root, None, value.content, value.dtype)
        return Fill(text=made, tensor=True, implied=True)
    text = value.literal()
    if text is None or len(text) > MOST_TEXT:
        return None
    return Fill(text=text, implied=True)


def _differs(was: Expression, fill: Fill, value: Value, own: Mapping[str, Value]) -> bool:
    """Whether an argument is another one than what was given within; tensors of the report's stay
    what they are."""
    if isinstance(was, Fill):
        return was.text != fill.text
    if not isinstance(was, Take):
        return False
    taken = own.get(was.key)
    if taken is None or taken.is_tensor:
        return False
    return bool(was.steps) or taken.literal() != (value.literal() or fill.text)


def _sets(parameter: Parameter, value: Value, fill: Fill) -> bool:
    """Whether a mode that has a default was given as something else."""
    plain = value.kind not in ("tensor", "array")
    return plain and parameter.default is not None and parameter.default != fill.text
