"""The same plan with tensors in dtypes that the sibling takes: indices where there were weights.

In: a plan, and valid calls of the sibling. Out: a plan whose tensors are cast to the kind of
numbers that valid calls have there (whole ones, real ones, complex ones, truth values), as wide as
they are if there are such, and to the dtype of the first of them where valid calls have one dtype
for both. It is for siblings that refuse the tensors as they are. Where real numbers become complex
ones, the result is real again: the report's code goes on with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from analysis.catalog.model import Api
from analysis.values import Value
from citadel.plan.assign import DESTINATION
from citadel.plan.frameworks import as_tensorflow
from citadel.plan.invocation import Invocation
from citadel.plan.model import CAST, CAST_BACK, DTYPE, Adaptation, Slot, Step, Take
from citadel.plan.quantised import QUANTIZE
from citadel.plan.types import listed_dtypes, takes_tensor

_KINDS = ("complex", "float", "int", "bool")
_NUMBERS = {"int": "int32", "float": "float32"}
"""The dtype that TensorFlow makes of a list of numbers."""
_NO_CAST_BEHIND = frozenset(
    (
        *(DTYPE, QUANTIZE, "tensor", "say", "shape", "indices"),
        *("first", "item", "list", "each", "spread", "outputs"),
    )
)
"""Steps behind which a value is no longer the report's tensor, or has a dtype of its own."""
_COARSE = frozenset(("float16", "half", "bfloat16"))
_COST = 0.1


def casted(
    plan: Adaptation, source: Invocation, target: Api, samples: Sequence[Mapping[str, Value]]
) -> Adaptation | None:
    """The plan with casts; None where none are needed, no valid call tells, or the sibling is to
    change the report's tensor in place."""
    if plan.target.endswith("_") and not plan.target.endswith("__"):
        return None
    cast = _Cast(plan=plan, source=source, target=target, samples=samples)
    if not cast.dtypes:
        return None
    names = {key: cast.names[key] for key in cast.dtypes}
    edits = [f"{names[key]} cast to {dtype}" for key, dtype in cast.dtypes.items()]
    back = cast.back
    edits += [f"{CAST_BACK}{back}"] if back else []
    return replace(
        plan,
        receiver=cast.applied(plan.receiver) if isinstance(plan.receiver, Take) else plan.receiver,
        new=cast.slots(plan.new),
        call=cast.slots(plan.call),
        after=(*plan.after, *((Step(name=CAST, text=back),) if back else ())),
        edits=(*plan.edits, *edits),
        plausibility=max(0.01, round(plan.plausibility - _COST * len(names), 3)),
        astray=(*plan.astray, *names),
        cast=True,
    )


@dataclass(frozen=True)
class _Cast:
    """`dtypes`: what each of the report's tensors is cast to, by its key."""

    plan: Adaptation
    source: Invocation
    target: Api
    samples: Sequence[Mapping[str, Value]]

    @cached_property
    def names(self) -> dict[str, str]:
        """The sibling's parameter that takes a tensor of the report's as it is, by its key."""
        slots = [(slot.name, slot.value) for slot in (*self.plan.new, *self.plan.call)]
        taken = [("self", self.plan.receiver), *slots]
        return {
            one.key: name
            for name, one in taken
            if isinstance(one, Take) and not {step.name for step in one.steps} & _NO_CAST_BEHIND
            if name not in self.plan.invented and name != DESTINATION
        }

    @cached_property
    def dtypes(self) -> dict[str, str]:
        own = self._own
        wanted = {key: _suited(dtype, self._valid(key)) for key, dtype in own.items()}
        first = next(iter(wanted), None)
        for key in own:
            if first is not None and key != first and self._alike(first, key):
                taken = self._declared(key)
                wanted[key] = wanted[first] if wanted[first] in taken or not taken else wanted[key]
        return {key: dtype for key, dtype in wanted.items() if dtype != own[key]}

    @cached_property
    def back(self) -> str:
        """The dtype of the report's own result, if it is that of the first tensor, and complex
        numbers are computed with instead; what whole numbers would hold of others is nothing."""
        result = self.source.call.result
        first = next(iter(self._own), "")
        known = result.value.dtype if result is not None and result.value.is_tensor else None
        real = known is not None and _kind(known) == "float" and known == self._own.get(first)
        back = real and _kind(self.dtypes.get(first, "")) == "complex"
        return known or "" if back else ""

    @cached_property
    def _own(self) -> dict[str, str]:
        """The dtypes of the report's tensors, first the one that the call works on."""
        arrays = as_tensorflow(self.plan.target)
        known = {value.key: value for value in self.source.values if value.key in self.names}
        found = {}
        for key, one in known.items():
            tensor = one.value.is_tensor or (arrays and one.value.is_shaped)
            dtype = one.value.dtype if tensor else None
            numbers = arrays and takes_tensor(one.type) and one.value.kind in ("list", "tuple")
            if numbers and one.value.nesting is not None:
                dtype = _NUMBERS["float" if one.value.has_fractions else "int"]
            if dtype is not None and _kind(dtype) is not None:
                found[key] = dtype
        return found

    def _valid(self, key: str) -> list[str]:
        """The dtypes that valid calls of the sibling have there, or that it is declared to take."""
        values = [self._at(sample, key) for sample in self.samples]
        known = [v.dtype for v in values if v is not None and v.is_tensor and v.dtype is not None]
        return known or self._declared(key)

    def _declared(self, key: str) -> list[str]:
        """The dtypes in the declared type of the parameter; none where it lists none."""
        signatures = (*self.target.signatures[:1], *self.target.call_signatures[:1])
        parameters = (one for signature in signatures for one in signature.parameters)
        types = (one.type or "" for one in parameters if one.name == self.names[key])
        return [dtype for text in types for dtype in listed_dtypes(text)]

    def _at(self, sample: Mapping[str, Value], key: str) -> Value | None:
        name = self.names[key]
        return sample.get(name) or sample.get({"input": "self", "self": "input"}.get(name, name))

    def _alike(self, key: str, other: str) -> bool:
        """Whether valid calls have tensors of one dtype for both."""
        pairs = [(self._at(sample, key), self._at(sample, other)) for sample in self.samples]
        both = [(a, b) for a, b in pairs if a is not None and b is not None]
        tensors = [a.dtype == b.dtype for a, b in both if a.is_tensor and b.is_tensor]
        return bool(tensors) and all(tensors)

    def slots(self, slots: Sequence[Slot]) -> tuple[Slot, ...]:
        return tuple(
            replace(slot, value=self.applied(slot.value))
            if isinstance(slot.value, Take) and slot.name not in self.plan.invented
            else slot
            for slot in slots
        )

    def applied(self, taken: Take) -> Take:
        dtype = self.dtypes.get(taken.key)
        if dtype is None or {step.name for step in taken.steps} & _NO_CAST_BEHIND:
            return taken
        return replace(taken, steps=(*taken.steps, Step(name=CAST, text=dtype)))


def _suited(dtype: str, valid: Sequence[str]) -> str:
    """The dtype itself, or the first of the valid ones, of its width if there is such a one, where
    none is of its kind. What holds few digits is taken where there is nothing else."""
    kinds = [_kind(one) for one in valid]
    if not kinds or None in kinds or _kind(dtype) in kinds:
        return dtype
    exact = [one for one in valid if one not in _COARSE] or list(valid)
    return next((one for one in exact if _bits(one) == _bits(dtype)), exact[0])


def _bits(dtype: str) -> int | None:
    """Bits of one real number."""
    digits = dtype.lstrip("abcdefghijklmnopqrstuvwxyz")
    return int(digits) // (2 if dtype.startswith("complex") else 1) if digits.isdigit() else None


def _kind(dtype: str) -> str | None:
    """What sort of numbers a dtype has; None for strings, handles and quantised ones."""
    plain = dtype.removeprefix("b").removeprefix("u") if dtype != "bool" else dtype
    return next((kind for kind in _KINDS if plain.startswith(kind)), None)
