"""Plan how the failing call is made with another API: `plans(invocation, api)`.

Each of the source's values is given to the parameter that suits it best, by name, type and
position; what the sibling requires and the source has not is filled; what it does not take goes to
what collects the rest (`*tensors`, `**kwargs`), or is dropped. Several plans per sibling come in
order of plausibility. Values that carry the bug may not fit any declared type (a list where a float
is wanted): a parameter of the same name takes them all the same if they did not fit the source's
own declaration either.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from analysis.catalog.model import Api, ApiKind
from analysis.values import Value
from citadel.plan.analogy import Analogy
from citadel.plan.assign import acts_as_tensor, assign
from citadel.plan.dimensions import Lift, dimension_change, lifted, shape_after
from citadel.plan.edits import changes, renames
from citadel.plan.ends import with_ends
from citadel.plan.fill import Filler
from citadel.plan.frameworks import as_tensorflow
from citadel.plan.identity import identity
from citadel.plan.invocation import Invocation
from citadel.plan.lexicon import Lexicon
from citadel.plan.model import (
    Adaptation,
    Expression,
    Fill,
    Form,
    Gather,
    Obstacle,
    Slot,
    SourceValue,
    Stage,
    Step,
    Take,
)
from citadel.plan.parts import part_of, taken_apart
from citadel.plan.places import (
    Place,
    Places,
    is_receiver,
    keyword_name,
    must_be_given,
    overloads,
    places,
)
from citadel.plan.receivers import as_receiver, on_a_copy
from citadel.plan.samples import SampleBook, richest
from citadel.plan.sizes import as_lists, one_by_one
from citadel.plan.types import TENSOR, TENSORS, accepted, becomes_tensor, fits, wraps

WRAP = Step(name="list")
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
    found: list[Adaptation] = []
    obstacle = Obstacle.NO_SIGNATURE
    for new, call in overloads(target, constructing=source.constructing):
        taken = places(new, call)
        for lift in (*dimension_change(source, target.name), *_leads(source, known)):
            for plan in _Planner(source, target, taken, lift, known, lexicon).plans():
                if isinstance(plan, Obstacle):
                    obstacle = plan
                else:
                    found.append(plan)
    if not found:
        return obstacle
    found.sort(key=lambda plan: -plan.plausibility)
    unique = {(plan.receiver, plan.new, plan.call): plan for plan in reversed(found)}
    return tuple(sorted(unique.values(), key=lambda plan: -plan.plausibility)[:MAX_PLANS])


def _leads(source: Invocation, known: Sequence[dict[str, Value]]) -> Iterator[Lift]:
    """Dimensions in front, where every valid call of the target has more than the source's."""
    main = source.main
    ranks = [next((v.rank for v in s.values() if v.is_tensor), None) for s in known]
    least = min((rank for rank in ranks if rank is not None), default=0)
    if main is not None and main.value.rank is not None and least > main.value.rank:
        yield Lift(lead=least - main.value.rank, main=main.key, guess=True)


@dataclass(slots=True)
class _Planner:
    """One overload of one sibling under one change of dimensions."""

    source: Invocation
    target: Api
    places: Places
    lift: Lift
    samples: Sequence[dict[str, Value]]
    lexicon: Lexicon
    edits: list[str] = field(default_factory=list)
    invented: list[str] = field(default_factory=list)

    def plans(self) -> Iterator[Adaptation | Obstacle]:
        """One plan, and another one where tensors can be filled in two ways."""
        values = self.source.values
        if self.target.kind is not ApiKind.MODULE:
            values += self.source.attributes
        parts = taken_apart(values, self.places.named, self.lexicon)
        whole = [value for value in values if value not in parts.values()]
        whole = as_lists(whole, [place.parameter for place in self.places.named])
        free = [n for n in range(len(self.places.named)) if n not in parts]
        found = assign(whole, [self.places.named[n] for n in free], self.lexicon)
        known = {value.key: value for value in values}
        chosen = {free[place]: known[value.key] for place, value in found.items()}
        rest = [v for v in self.source.values if v not in (*chosen.values(), *parts.values())]
        if not all(self._receivable(chosen, n) for n in range(len(self.places.named))):
            yield Obstacle.NOT_CALLABLE_LIKE_THE_SOURCE
            return
        given = self._given(chosen, rest) | {
            n: Take(key=v.key, steps=(Step(name=part_of(self.places.named[n])),))
            for n, v in parts.items()
        }
        collected, dropped = self._collected(rest, given)
        if not given and all(slot.keyword for _, slot in collected):
            yield Obstacle.NOTHING_IN_COMMON
            return
        first = self._plan(chosen, given, collected, dropped, alike=True)
        yield first
        if not isinstance(first, Adaptation):
            return
        if _makes_tensors(first):
            yield self._plan(chosen, given, collected, dropped, alike=False)
        copied = on_a_copy(first, {value.key: value.value for value in values})
        if copied is not None:
            yield copied

    def _plan(
        self,
        chosen: dict[int, SourceValue],
        given: dict[int, Expression],
        collected: list[tuple[Stage, Slot]],
        dropped: list[SourceValue],
        *,
        alike: bool,
    ) -> Adaptation | Obstacle:
        self.edits = list(self.lift.edits) if self.target.name != self.source.api.name else []
        self.invented = []
        filled = self._filled(chosen, given, alike=alike)
        if filled is None:
            return Obstacle.UNSOLVABLE_REQUIRED_ARGUMENT
        spared = self._spared(filled, dropped)
        dropped = [value for value in dropped if value not in spared.values()]
        filled |= {n: Take(key=v.key, steps=lifted(v, self.lift)) for n, v in spared.items()}
        self.edits += [f"dropped {value.name}" for value in dropped]
        self.edits += renames(self.places.named, {**chosen, **spared})
        self.edits += changes(self.places.named, given, self.target)
        return self._assembled({**given, **filled}, collected, dropped)

    def _given(
        self, chosen: dict[int, SourceValue], rest: list[SourceValue]
    ) -> dict[int, Expression]:
        """The chosen values; a list takes all that the source's `*tensors` had, out of `rest`."""
        found: dict[int, Expression] = {}
        for number, value in chosen.items():
            steps = lifted(value, self.lift) or self._spelled(value, number)
            steps += with_ends(value.value, steps, self._valid(number))
            steps += self._made_tensor(value, number)
            taken = Take(key=value.key, steps=(*steps, *self._received(value, number)))
            found[number] = taken
            ended = any(step.name == "ends" for step in steps)
            if ended or not wraps(value.value, self.places.named[number].parameter.type):
                continue
            kind = value.value.kind
            others = [v for v in rest if v.name == value.name and v.value.kind == kind]
            rest[:] = [v for v in rest if v not in others]
            more = (Take(key=v.key, steps=lifted(v, self.lift)) for v in others)
            alone = replace(taken, steps=(*taken.steps, WRAP))
            spread = self._one_by_one(self.places.named[number])
            found[number] = Gather(items=(taken, *more)) if others or spread else alone
        return found

    def _made_tensor(self, value: SourceValue, number: int) -> tuple[Step, ...]:
        """A number where only tensors are taken; TensorFlow makes tensors of numbers itself."""
        declared = self.places.named[number].parameter.type
        if as_tensorflow(self.target.name) or acts_as_tensor(value):
            return ()
        return (Step(name="tensor"),) if becomes_tensor(value.value, declared) else ()

    def _one_by_one(self, place: Place) -> bool:
        return one_by_one(self.target, place.parameter, self.places.sizes)

    def _receivable(self, chosen: Mapping[int, SourceValue], number: int) -> bool:
        if number not in chosen or not is_receiver(self.places.named[number], self.target):
            return True
        return as_receiver(chosen[number], self.target.name) is not None

    def _received(self, value: SourceValue, number: int) -> tuple[Step, ...]:
        receiver = is_receiver(self.places.named[number], self.target)
        return (as_receiver(value, self.target.name) or ()) if receiver else ()

    def _valid(self, number: int) -> list[Value]:
        """What valid calls of the sibling give to a parameter."""
        name = self.places.named[number].parameter.name
        return [sample[name] for sample in self.samples if name in sample]

    def _spelled(self, value: SourceValue, number: int) -> tuple[Step, ...]:
        """`"same"` is `"SAME"` where all valid calls of the sibling write a word in capitals."""
        word = (value.value.literal() or "")[1:-1] if value.value.kind == "str" else ""
        known = [one.literal() for one in self._valid(number) if one.kind == "str"]
        texts = [text[1:-1] for text in known if text]
        if self.target is self.source.api or not (word.isidentifier() and texts):
            return ()
        for change in (str.upper, str.lower):
            alike = all(text == change(text) and text.isidentifier() for text in texts)
            if alike and word != change(word):
                return (Step(name="say", text=repr(change(word))),)
        return ()

    def _filled(
        self, chosen: dict[int, SourceValue], given: dict[int, Expression], *, alike: bool
    ) -> dict[int, Expression] | None:
        """What the sibling requires beside what it is given; None where that is not known."""
        missing = [
            (number, place)
            for number, place in enumerate(self.places.named)
            if number not in given and must_be_given(place, self.target)
        ]
        if not missing:
            return {}
        filler = Filler(
            source=self.source,
            lift=self.lift,
            lexicon=self.lexicon,
            analogy=self._analogy(chosen, [place for _, place in missing]),
            alike=alike,
        )
        found: dict[int, Expression] = {}
        for number, place in missing:
            made = filler.fill(place.parameter)
            if made is None:
                return None
            found[number] = made
            self.edits.append(f"filled {place.parameter.name}")
            if isinstance(made, Take):
                self.invented.append(place.parameter.name)
        return found

    def _spared(
        self, filled: Mapping[int, Expression], dropped: Sequence[SourceValue]
    ) -> dict[int, SourceValue]:
        """Tensors that would be dropped, for what would get one a second time instead."""
        left = [value for value in dropped if value.value.is_tensor]
        found: dict[int, SourceValue] = {}
        for number, made in filled.items():
            parameter = self.places.named[number].parameter
            value = next((v for v in left if fits(v.value, parameter.type)), None)
            if not isinstance(made, Take) or value is None:
                continue
            found[number] = value
            left.remove(value)
            self.edits.remove(f"filled {parameter.name}")
            self.invented.remove(parameter.name)
        return found

    def _analogy(self, chosen: dict[int, SourceValue], missing: Sequence[Place]) -> Analogy:
        main = self.source.main
        at = next((n for n, value in chosen.items() if value is main), None)
        shape = None if main is None else main.value.shape
        return Analogy(
            samples=richest(self.samples, missing),
            main=None if at is None else self.places.named[at].parameter.name,
            shape=None
            if main is None or shape is None
            else shape_after(shape, lifted(main, self.lift)),
            dtype=None if main is None else main.value.dtype,
        )

    def _collected(
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
        if parameter is None:
            return None
        kinds = accepted(parameter.type)
        several = value.value.kind in ("list", "tuple")
        items = value.value.items or ()
        tensors = all(item.is_tensor for item in items) if several else value.value.is_tensor
        if not tensors or (several and not items) or not kinds & {TENSOR, TENSORS, "any"}:
            return None
        taken = Take(key=value.key, steps=() if several else lifted(value, self.lift))
        return Slot(name=parameter.name, keyword=False, value=taken, star=several)

    def _keyword(self, value: SourceValue, stage: Stage) -> Slot | None:
        if value.key == "kw:out" and (self.target.out or self.target is self.source.api):
            steps = lifted(value, self.lift)
            return Slot(name="out", keyword=True, value=Take(key=value.key, steps=steps))
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
        return Slot(name=name, keyword=True, value=Take(key=value.key))

    def _assembled(
        self,
        expressions: dict[int, Expression],
        collected: Sequence[tuple[Stage, Slot]],
        dropped: Sequence[SourceValue],
    ) -> Adaptation:
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
            gap[place.stage] = gap[place.stage] or named
            slots[place.stage].append(
                Slot(
                    name=keyword_name(parameter, self.target),
                    keyword=named,
                    value=expression,
                    star=not named and self._one_by_one(place) and isinstance(expression, Gather),
                )
            )
        for stage, slot in collected:
            at = len(slots[stage])
            if not slot.keyword:
                at = next((i for i, s in enumerate(slots[stage]) if s.keyword), at)
            slots[stage].insert(at, slot)
        return self._adaptation(receiver, slots, dropped)

    def _adaptation(
        self,
        receiver: Expression | None,
        slots: dict[Stage, list[Slot]],
        dropped: Sequence[SourceValue],
    ) -> Adaptation:
        lost = sum(0.3 if value.value.is_tensor else 0.12 for value in dropped)
        cost = lost + 0.15 * len(self.invented) + 0.05 * len(self.edits)
        cost += 0.1 * self.lift.guess + 0.05 * (self.lift.lead > 0)
        forms = {ApiKind.METHOD: Form.METHOD, ApiKind.MODULE: Form.MODULE}
        form = forms.get(self.target.kind, Form.FUNCTION)
        same = self.target.name == self.source.api.name
        return Adaptation(
            target=self.target.name,
            form=Form.CONSTRUCTOR if self.source.constructing else form,
            receiver=receiver,
            new=tuple(slots[Stage.NEW]),
            call=tuple(slots[Stage.CALL]),
            edits=(*([] if same else [f"renamed to {self.target.name}"]), *self.edits),
            plausibility=max(0.01, round(1.0 - cost, 3)),
            invented=tuple(self.invented),
            unset=tuple(
                v.name for v in dropped if v.value.kind == "bool" and v.value.text == "True"
            ),
        )


def _is_positional(expression: Expression) -> bool:
    """Whether the report's own call gives it by position, as the receiver, or as a parameter."""
    if isinstance(expression, Gather):
        return _is_positional(expression.items[0])
    return isinstance(expression, Take) and not expression.key.startswith(("kw:", "newkw:"))


def _makes_tensors(plan: Adaptation) -> bool:
    given = [plan.receiver, *(slot.value for slot in (*plan.new, *plan.call))]
    return any(isinstance(one, Fill) and one.tensor for one in given)
