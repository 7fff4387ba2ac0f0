"""An object of a class, made as a valid call of that class makes it.

Where a report is about what objects cannot do, whatever they are made of, what it gives to its own
class may be nothing for another one: `StudentT(df=3.0)` has the same method missing as
`Bernoulli(0.3)`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from analysis.catalog.model import Api, ApiKind, Parameter
from analysis.values import Value
from citadel.plan.frameworks import tensor_text
from citadel.plan.invocation import Invocation
from citadel.plan.model import Adaptation, Fill, Slot

MOST_TEXT = 80
"""Characters of a value that are still worth writing down."""
PLAUSIBILITY = 0.1
EDIT = "made of what its own examples have"


def as_in_example(
    plan: Adaptation, source: Invocation, target: Api, samples: Sequence[Mapping[str, Value]]
) -> Adaptation | None:
    """The plan of a class with the values of a valid call in place of the report's.

    None where the source is no class, or no valid call can be written down.
    """
    if target.kind is not ApiKind.CLASS or source.call.form != "class" or not target.signatures:
        return None
    root = target.name.partition(".")[0]
    parameters = [p for p in target.signatures[0].parameters if not p.variadic]
    found = (_slots(parameters, sample, root) for sample in samples)
    call = next((slots for slots in found if slots), None)
    if call is None:
        return None
    return replace(
        plan,
        call=call,
        edits=(*plan.edits[:1], EDIT, *(f"dropped {value.name}" for value in source.values)),
        plausibility=PLAUSIBILITY,
        renamed=(),
        invented=(),
        unset=(),
        astray=tuple(value.key for value in source.values),
        idle=True,
        loses=True,
        scant=True,
    )


def _slots(
    parameters: Sequence[Parameter], sample: Mapping[str, Value], root: str
) -> tuple[Slot, ...]:
    """The arguments of a call like the sample's; none where one of them cannot be written."""
    slots: list[Slot] = []
    gap = False
    for parameter in parameters:
        value = sample.get(parameter.name)
        fill = None if value is None or value.kind == "none" else _fill(value, root)
        if fill is None:
            if parameter.required or (value is not None and value.kind != "none"):
                return ()
            gap = True
            continue
        gap = gap or parameter.keyword_only
        slots.append(Slot(name=parameter.name, keyword=gap, value=fill))
    return tuple(slots)


def _fill(value: Value, root: str) -> Fill | None:
    if not value.is_tensor:
        text = value.literal()
        return None if text is None or len(text) > MOST_TEXT else Fill(text=text)
    known = value.content is not None and value.dtype is not None
    if not known or value.layout not in (None, "strided"):
        return None
    text = tensor_text(root, None, value.content or "", value.dtype or "")
    return Fill(text=text, tensor=True) if len(text) <= MOST_TEXT else None
