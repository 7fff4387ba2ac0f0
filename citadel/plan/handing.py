"""Give the source's values to the parameters of a sibling, converted to what those accept.

In: which value each parameter is to have. Out: the expressions that take it, with the steps that
change it (see `conversions`); a parameter that takes a list gets all values that belong there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from analysis.catalog.model import Api
from analysis.values import Value
from citadel.plan.assign import DESTINATION
from citadel.plan.conversions import Argument, Steps, converted, to_list
from citadel.plan.frameworks import as_tensorflow
from citadel.plan.invocation import Invocation
from citadel.plan.lexicon import Lexicon
from citadel.plan.lifting import Lift, lifted
from citadel.plan.model import Expression, Gather, SourceValue
from citadel.plan.places import Places
from citadel.plan.sizes import one_by_one
from citadel.plan.types import LISTS, accepted


@dataclass(frozen=True, slots=True, kw_only=True)
class Handing:
    """One overload of a sibling under one change of dimensions; `samples` are valid calls of it."""

    source: Invocation
    target: Api
    places: Places
    lift: Lift
    samples: Sequence[dict[str, Value]]
    lexicon: Lexicon
    _known: dict[tuple[int, str, frozenset[str]], Steps] = field(default_factory=dict)
    """Conversions by parameter, value and windows: most plans of an overload need the same ones."""

    def given(
        self, chosen: dict[int, SourceValue], rest: list[SourceValue], *, together: bool = False
    ) -> dict[int, Expression]:
        """The chosen values; a list takes all that the source's `*tensors` had, out of `rest`, or,
        `together`, all of its tensors."""
        found: dict[int, Expression] = {}
        windows = self._windows(chosen)
        for number, value in chosen.items():
            steps = self._converted(value, number, windows)
            taken = value.take(*steps)
            found[number] = taken
            declared = self.places.named[number].parameter.type
            whole = any(step.name in ("ends", "each") for step in steps)
            wrap = (
                None if whole or not accepted(declared) & LISTS else to_list(value.value, declared)
            )
            if wrap is None:
                continue
            others = [v for v in rest if self._goes_along(v, value, together=together)]
            rest[:] = [v for v in rest if v not in others]
            items = [value, *others]
            if together:
                order = [v.key for v in self.source.values]
                items.sort(key=lambda v: order.index(v.key) if v.key in order else -1)
            listed = (taken if v is value else v.take(*lifted(v, self.lift)) for v in items)
            alone = replace(taken, steps=(*taken.steps, wrap))
            parameter = self.places.named[number].parameter
            spread = one_by_one(self.target, parameter, self.places.sizes)
            found[number] = Gather(items=tuple(listed)) if others or spread else alone
        return found

    def _converted(self, value: SourceValue, number: int, windows: frozenset[str]) -> Steps:
        key = (number, value.key, windows)
        steps = self._known.get(key)
        if steps is None:
            place = self.places.named[number]
            name = place.parameter.name
            argument = Argument(
                value=value,
                place=place,
                source=self.source.api,
                target=self.target,
                lift=self.lift,
                lexicon=self.lexicon,
                samples=self.samples,
                valid=[sample[name] for sample in self.samples if name in sample],
                windows=windows,
            )
            steps = self._known[key] = converted(argument)
        return steps

    def _windows(self, chosen: dict[int, SourceValue]) -> frozenset[str]:
        """The parameters that are windows by their own names, or by those of what they are given:
        `window_shape`, which is given the `ksize`. They count for TensorFlow alone."""
        if not as_tensorflow(self.target.name):
            return frozenset()
        names = self.lexicon.windows
        given = (n for n, value in chosen.items() if value.name in names)
        return names | {self.places.named[n].parameter.name for n in given}

    def _goes_along(self, other: SourceValue, value: SourceValue, *, together: bool) -> bool:
        """Whether a value belongs in the list that begins with another one."""
        if other.value.kind != value.value.kind:
            return False
        joins = together and value.value.is_tensor and not other.key.startswith("attr:")
        return other.name == value.name or (joins and other.name != DESTINATION)
