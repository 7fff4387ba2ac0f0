"""Puts what each parameter is given together to a plan: the order of arguments, names, the cost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analysis.catalog.model import Api, ApiKind
from citadel.plan.invocation import Invocation
from citadel.plan.lifting import Lift
from citadel.plan.model import (
    DTYPE,
    Adaptation,
    Expression,
    Fill,
    Form,
    Gather,
    Slot,
    SourceValue,
    Stage,
    Take,
)
from citadel.plan.places import Place, Places, is_receiver, keyword_name
from citadel.plan.sizes import one_by_one
from citadel.plan.types import INT, accepted


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembler:
    """One overload of a sibling; `edits` are told, `invented` are parameters that were made up,
    `unset` flags that it has not got, `state` is what a layer is to have for its own."""

    source: Invocation
    target: Api
    places: Places
    lift: Lift
    edits: Sequence[str]
    invented: Sequence[str]
    state: tuple[Slot, ...]
    unset: Sequence[str]
    astray: Sequence[str]

    def assembled(
        self,
        expressions: dict[int, Expression],
        collected: Sequence[tuple[Stage, Slot]],
        dropped: Sequence[SourceValue],
    ) -> Adaptation:
        """The plan: `expressions` by the numbers of their parameters, `collected` slots behind."""
        receiver: Expression | None = None
        slots: dict[Stage, list[Slot]] = {Stage.NEW: [], Stage.CALL: []}
        gap = {Stage.NEW: False, Stage.CALL: False}
        starred = {stage for stage, slot in collected if not slot.keyword}
        for number, place in enumerate(self.places.named):
            expression, parameter = expressions.get(number), place.parameter
            if expression is None:
                gap[place.stage] = gap[place.stage] or not parameter.keyword_only
                continue
            if is_receiver(place, self.target):
                receiver = expression
                continue
            plain = parameter.required or _is_positional(expression) or place.stage in starred
            named = parameter.keyword_only or gap[place.stage] or not plain
            # What `*tensors` are to follow cannot be named.
            named = named or (place.stage not in starred and self._taken_for_a_flag(place))
            gap[place.stage] = gap[place.stage] or named
            spread = one_by_one(self.target, parameter, self.places.sizes)
            slots[place.stage].append(
                Slot(
                    name=keyword_name(parameter, self.target),
                    keyword=named,
                    value=expression,
                    star=not named and spread and isinstance(expression, Gather),
                )
            )
        for stage, slot in collected:
            at = len(slots[stage])
            if not slot.keyword:
                at = next((i for i, s in enumerate(slots[stage]) if s.keyword), at)
            slots[stage].insert(at, slot)
        freely = [slot.value for _, slot in collected if slot.keyword and slot.name != "out"]
        keys = {one.key for one in freely if isinstance(one, Take)}
        anyhow = [value for value in self.source.values if value.key in keys]
        return self._adaptation(receiver, slots, dropped, anyhow)

    def _taken_for_a_flag(self, place: Place) -> bool:
        """Whether an operator would take a number there for the flag of another overload.

        `torch.ops.aten.std(x, 0)` is `std(x, unbiased=False)`.
        """
        if self.target.kind is not ApiKind.OP or INT not in accepted(place.parameter.type):
            return False
        signatures = [signature.parameters for signature in self.target.signatures]
        there = [found[place.index] for found in signatures if len(found) > place.index]
        return any(one.type == "bool" and not one.keyword_only for one in there)

    def _renamed(self, slots: Iterable[Slot]) -> tuple[tuple[str, str], ...]:
        names = {value.key: value.name for value in self.source.values}
        takes = [(s.value, s.name) for s in slots if isinstance(s.value, Take)]
        pairs = [
            (names.get(take.key), name)
            for take, name in takes
            if DTYPE not in (step.name for step in take.steps)
        ]
        return tuple(
            (name, other)
            for name, other in pairs
            if name is not None and name != other and len(name) > 1 and name.isidentifier()
        )

    def _adaptation(
        self,
        receiver: Expression | None,
        slots: dict[Stage, list[Slot]],
        dropped: Sequence[SourceValue],
        anyhow: Sequence[SourceValue],
    ) -> Adaptation:
        """`anyhow` is what goes to `**kwargs`: whatever takes all names may know none of them."""
        lost = sum(0.3 if value.value.is_tensor else 0.12 for value in dropped)
        lost += sum(0.2 if value.value.is_tensor else 0.08 for value in anyhow)
        cost = lost + 0.15 * len(self.invented) + 0.05 * len(self.edits)
        cost += 0.01 * sum(map(_is_implied, (*slots[Stage.NEW], *slots[Stage.CALL])))
        cost += 0.1 * self.lift.guess + 0.05 * bool(self.lift.lead) + 0.07 * bool(self.lift.own)
        cost += 0.01 * self.lift.repeat + 0.02 * self.lift.unit
        forms = {ApiKind.METHOD: Form.METHOD, ApiKind.MODULE: Form.MODULE}
        form = forms.get(self.target.kind, Form.FUNCTION)
        same = self.target.name == self.source.api.name
        tensors = [value for value in self.source.values if value.value.is_tensor]
        telling = [value for value in self.source.values if value.value.kind not in _MODES]
        lost_of_it = sum(value in dropped for value in telling)
        return Adaptation(
            target=self.target.name,
            form=Form.CONSTRUCTOR if self.source.constructing else form,
            receiver=receiver,
            new=tuple(slots[Stage.NEW]),
            call=tuple(slots[Stage.CALL]),
            edits=(*([] if same else [f"renamed to {self.target.name}"]), *self.edits),
            plausibility=max(0.01, round(1.0 - cost, 3)),
            invented=tuple(self.invented),
            renamed=self._renamed((*slots[Stage.NEW], *slots[Stage.CALL])),
            after=() if same else self.lift.result,
            idle=bool(tensors) and all(value in dropped for value in tensors),
            loses=any(v.value.kind not in _MODES for v in dropped),
            state=self.state,
            scant=2 * lost_of_it > len(telling),
            unset=tuple(self.unset),
            astray=tuple(self.astray),
        )


_MODES = frozenset(("bool", "str", "none", "dtype", "device", "layout", "memory_format"))
"""Kinds of values that say how something is computed, not of what."""


def _is_implied(slot: Slot) -> bool:
    """Whether an argument only says what goes without saying: overloads without it come first."""
    return isinstance(slot.value, Fill) and slot.value.implied


def _is_positional(expression: Expression) -> bool:
    """Whether the report's own call gives it by position, as the receiver, or as a parameter."""
    if isinstance(expression, Gather):
        return _is_positional(expression.items[0])
    return isinstance(expression, Take) and not expression.key.startswith(("kw:", "newkw:"))
