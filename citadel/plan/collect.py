"""What of the source's values goes to what collects the rest: `*tensors`, `**kwargs`, `out=`."""

from __future__ import annotations

import keyword
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analysis.catalog.model import Api
from citadel.plan.assign import DESTINATION
from citadel.plan.invocation import Invocation
from citadel.plan.lifting import Lift, lifted
from citadel.plan.model import Expression, Slot, SourceValue, Stage
from citadel.plan.places import Places, keyword_name, must_be_given
from citadel.plan.types import TENSOR, TENSORS, accepted


@dataclass(frozen=True, slots=True, kw_only=True)
class Collector:
    """What is left of the source's values, for one overload of a sibling."""

    source: Invocation
    target: Api
    places: Places
    lift: Lift

    def collect(
        self, rest: Sequence[SourceValue], given: Mapping[int, Expression]
    ) -> tuple[list[tuple[Stage, Slot]], list[SourceValue]]:
        """What `*tensors` and `**kwargs` take of the values that are left, and what is dropped."""
        found: list[tuple[Stage, Slot]] = []
        dropped: list[SourceValue] = []
        # A positional argument reaches `*tensors` only past all parameters in front of it.
        short = {
            place.stage
            for number, place in enumerate(self.places.named)
            if number not in given and not place.parameter.keyword_only
            if not must_be_given(place, self.target)
        }
        for value in rest:
            stage = Stage.NEW if value.key.startswith("new") else Stage.CALL
            slot = None if stage in short else self._star(value, stage)
            slot = slot or self._keyword(value, stage)
            if slot is None:
                dropped.append(value)
            else:
                found.append((stage, slot))
        return found, dropped

    def _star(self, value: SourceValue, stage: Stage) -> Slot | None:
        parameter = self.places.positional.get(stage)
        if parameter is None or value.name == DESTINATION:
            return None
        kinds = accepted(parameter.type)
        several = value.value.kind in ("list", "tuple")
        items = value.value.items or ()
        tensors = all(item.is_tensor for item in items) if several else value.value.is_tensor
        if not tensors or (several and not items) or not kinds & {TENSOR, TENSORS, "any"}:
            return None
        taken = value.take(*(() if several else lifted(value, self.lift)))
        return Slot(name=parameter.name, keyword=False, value=taken, star=several)

    def _keyword(self, value: SourceValue, stage: Stage) -> Slot | None:
        if value.key == f"kw:{DESTINATION}" and (self.target.out or self.target is self.source.api):
            return Slot(name=DESTINATION, keyword=True, value=value.take(*lifted(value, self.lift)))
        if stage not in self.places.keywords or not value.key.startswith(("kw:", "newkw:")):
            return None
        name = value.key.partition(":")[2]
        if not name.isidentifier() or keyword.iskeyword(name):
            return None
        own = [place.parameter for place in self.places.named if place.stage is stage]
        if any(name in (one.name, keyword_name(one, self.target)) for one in own):
            return None
        if stage is Stage.NEW and own and self.source.declares(name):
            return None  # what a constructor does not name is for its base class
        return Slot(name=name, keyword=True, value=value.take())
