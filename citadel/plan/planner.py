"""One overload of one sibling: which of the report's values each of its parameters is given.

In: the failing call, the places of the overload, a change of dimensions. Out: plans, or why there
are none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from analysis.catalog.model import Api, ApiKind
from analysis.rules import Registry, Rule
from analysis.values import Value
from citadel.plan.analogy import Analogy
from citadel.plan.assemble import Assembler
from citadel.plan.assign import DESTINATION, acts_as_tensor, assign, in_order, one_operation
from citadel.plan.collect import Collector
from citadel.plan.edits import changes, renames
from citadel.plan.fill import AXES, Filler, Like
from citadel.plan.frameworks import dtype_text
from citadel.plan.handing import Handing
from citadel.plan.invocation import Invocation
from citadel.plan.lexicon import Lexicon, in_a_row
from citadel.plan.lifting import Lift, lifted, shape_after
from citadel.plan.model import (
    DTYPE,
    Adaptation,
    Expression,
    Fill,
    Obstacle,
    Slot,
    SourceValue,
    Stage,
    Step,
    Take,
)
from citadel.plan.parts import part_of, put_together, taken_apart
from citadel.plan.places import Place, Places, is_receiver, must_be_given
from citadel.plan.precision import USUAL, in_precision
from citadel.plan.ranks import settled
from citadel.plan.receivers import as_receiver, on_a_copy
from citadel.plan.samples import richest
from citadel.plan.sizes import as_lists
from citadel.plan.state import MODE, flags, matched, own_name, owned
from citadel.plan.types import becomes_tensor, fits, takes_tensor
from citadel.plan.windows import window_left
from citadel.traced import leaf


@dataclass(slots=True)
class Planner:
    """One overload of one sibling under one change of dimensions."""

    source: Invocation
    target: Api
    places: Places
    lift: Lift
    samples: Sequence[dict[str, Value]]
    lexicon: Lexicon
    apart: Collection[tuple[str, str]] = ()
    edits: list[str] = field(default_factory=list)
    invented: list[str] = field(default_factory=list)
    state: dict[str, SourceValue] = field(default_factory=dict)
    """What the layer is to have for its own, by its names."""
    evaluates: bool = False
    """Whether it is not to be in the mode in which layers are made: the function is not."""
    weighed: SourceValue | None = None
    """The window that weights were made for: it is not lost."""

    def plans(self) -> Iterator[Adaptation | Obstacle]:
        """One plan, and another one where tensors can be filled in two ways."""
        values = self.source.values
        if self.target.kind is not ApiKind.MODULE:
            values += self.source.attributes
        parts = taken_apart(values, self.places.named, self.lexicon) or {}
        joined = put_together(values, self.places.named, self.samples, self.lexicon) or {}
        used = {item.key for made in joined.values() for item in made.items}
        used |= {value.key for value in parts.values()}
        whole = [value for value in values if value.key not in used]
        whole = as_lists(whole, [place.parameter for place in self.places.named]) or whole
        free = [n for n in range(len(self.places.named)) if n not in parts and n not in joined]
        same = leaf(self.source.api.name) == leaf(self.target.name)
        kin = one_operation(self.source.api, self.target)
        places = [self.places.named[n] for n in free]
        found = assign(whole, places, self.lexicon, namesakes=same, kin=kin, apart=self.apart)
        known = {value.key: value for value in values}
        chosen = {free[place]: known[value.key] for place, value in found.items()}
        if self.lift.ranks:
            names = {self.places.named[n].parameter.name: value for n, value in chosen.items()}
            outs = [v for v in values if v.name == DESTINATION and v.value.is_tensor]
            if (lift := settled(self.lift, names, outs)) is None:
                return
            self.lift = lift
        used |= {value.key for value in chosen.values()}
        rest = [one for one in self.source.values if one.key not in used]
        if not all(self.receivable(chosen, n) for n in range(len(self.places.named))):
            yield Obstacle.NOT_CALLABLE_LIKE_THE_SOURCE
            return
        handing = Handing(
            source=self.source,
            target=self.target,
            places=self.places,
            lift=self.lift,
            samples=self.samples,
            lexicon=self.lexicon,
        )
        made: dict[int, Expression] = {
            n: v.take(Step(name=part_of(self.places.named[n]))) for n, v in parts.items()
        }
        alone, joint = list(rest), list(rest)
        given = handing.given(chosen, alone) | made | joined
        together = handing.given(chosen, joint, together=True) | made | joined
        if len(joint) < len(alone):
            yield from self._ways(chosen, together, joint)
        self.state = self._own(alone)
        layer = self.target.kind is ApiKind.MODULE
        self.evaluates = layer and (_evaluates(self) or False)
        if self.state or self.evaluates:
            left = [one for one in alone if one not in self.state.values()]
            yield from self._ways(chosen, given, left)
            self.state, self.evaluates = {}, False
        yield from (plain := list(self._ways(chosen, given, alone)))
        lost = {edit for plan in plain if isinstance(plan, Adaptation) for edit in plan.edits}
        if late := None if lost else in_order(rest, self.places.named, chosen):
            left, both = [value for value in rest if value not in late.values()], chosen | late
            yield from self._ways(both, handing.given(both, left) | made | joined, left)
        if numbers := _mere_numbers(self, chosen):
            chosen = {n: value for n, value in chosen.items() if n not in numbers}
            given = {n: made for n, made in given.items() if n not in numbers}
            yield from self._ways(chosen, given, [*alone, *numbers.values()])
        unused = [value for value in rest if not lost or f"dropped {value.name}" in lost]
        further = _other_tensors(self, chosen, unused) if unused and not late else None
        for others in further or ():
            left = [one for one in (*rest, *chosen.values()) if one not in others.values()]
            yield from self._ways(others, handing.given(others, left) | made | joined, left)

    def likeness(self, value: SourceValue, number: int) -> float:
        """How alike the names of a value and of a parameter are."""
        return self.lexicon.likeness(value.name, self.places.named[number].parameter.name)

    def _own(self, rest: Sequence[SourceValue]) -> dict[str, SourceValue]:
        """The tensors that a layer can have for its own, where the report gives them to a
        function."""
        if self.target.kind is not ApiKind.MODULE or self.source.constructor is not None:
            return {}
        optional = {one.parameter.name for one in self.places.named if one.stage is Stage.NEW}
        found = matched(rest, owned(self.samples), optional, self.lexicon, self.lift) or {}
        mode = next((value for value in rest if value.name == MODE), None)
        if mode is not None and self.target.name.startswith("torch."):
            found[MODE] = mode
        return found

    def _ways(
        self,
        chosen: dict[int, SourceValue],
        given: dict[int, Expression],
        rest: list[SourceValue],
    ) -> Iterator[Adaptation | Obstacle]:
        """The plans that give the sibling the same of the source's values."""
        source, target = self.source, self.target
        collector = Collector(source=source, target=target, places=self.places, lift=self.lift)
        collected, dropped = collector.collect(rest, given)
        bare = not source.values and source.call.form == "class" and target.kind.is_class
        if not (given or bare) and all(slot.keyword for _, slot in collected):
            yield Obstacle.NOTHING_IN_COMMON
            return
        first = self._plan(chosen, given, collected, dropped, Like.SEEN)
        yield first
        if not isinstance(first, Adaptation):
            return
        for like in LIKES.each(self, first) if _makes_tensors(first) else ():
            yield self._plan(chosen, given, collected, dropped, like)
        values = (*self.source.values, *self.source.attributes)
        in_place = target.name.endswith("_")
        known = {value.key: value.value for value in values}
        if in_place and (copied := on_a_copy(first, known)) is not None:
            yield copied

    def _plan(
        self,
        chosen: dict[int, SourceValue],
        given: dict[int, Expression],
        collected: list[tuple[Stage, Slot]],
        dropped: list[SourceValue],
        like: Like,
    ) -> Adaptation | Obstacle:
        self.edits = list(self.lift.edits) if self.target.name != self.source.api.name else []
        self.invented, self.weighed = [], None
        filled = self._filled(chosen, given, like)
        if filled is None:
            return Obstacle.UNSOLVABLE_REQUIRED_ARGUMENT
        dropped = [value for value in dropped if value is not self.weighed]
        filled |= self._as_state(chosen, {*given, *filled})
        if self.state:
            dropped = [value for value in dropped if value.value.kind != "none"]
            self.edits.append(f"{', '.join(v.name for v in self.state.values())} as its own")
        spared = (_spared(self, filled, dropped) if filled and dropped else None) or {}
        for number in spared:
            name = self.places.named[number].parameter.name
            self.edits.remove(f"filled {name}")
            self.invented.remove(name)
        dropped = [value for value in dropped if value not in spared.values()]
        filled |= {n: v.take(*lifted(v, self.lift)) for n, v in spared.items()}
        named, free = in_precision(self.source, self.target, self.places)
        filled |= {n: made for n, made in named.items() if n not in given and n not in filled}
        collected = [*collected, *free]
        self.edits += [f"dropped {'part of ' * bool(v.inside)}{v.name}" for v in dropped]
        self.edits += renames(self.places.named, {**chosen, **spared})
        names = {value.key: value.name for value in self.source.values}
        self.edits += changes(self.places.named, given, self.target, names)
        assembler = Assembler(
            source=self.source,
            target=self.target,
            places=self.places,
            lift=self.lift,
            edits=self.edits,
            invented=self.invented,
            state=self._state(),
            unset=self._unset({**chosen, **spared}, dropped),
            astray=self._astray({**chosen, **spared}, dropped),
        )
        return assembler.assembled({**given, **filled}, collected, dropped)

    def _state(self) -> tuple[Slot, ...]:
        own = tuple(
            Slot(name=name, keyword=True, value=value.take(*lifted(value, self.lift)))
            for name, value in self.state.items()
        )
        if not self.evaluates:
            return own
        return (*own, Slot(name=MODE, keyword=True, value=Fill(text="False", implied=True)))

    def _as_state(self, chosen: dict[int, SourceValue], known: set[int]) -> dict[int, Expression]:
        """What the construction is told of the tensors that the layer is to have, though it need
        not be: their sizes, their dtype, and which of those that it could have there are none of.
        """
        if not self.state:
            return {}
        analogy = self._analogy(chosen, ())
        root = self.target.name.partition(".")[0]
        own = owned(self.samples).keys()
        lacking = own - self.state.keys() if _dtypes(self.state) else set()
        found: dict[int, Expression] = {}
        for number, place in enumerate(self.places.named):
            name = place.parameter.name
            if number in known or place.stage is not Stage.NEW:
                continue
            made = STATE.first(
                Own(name=name, state=self.state, lacking=lacking, size=analogy.number, root=root)
            )
            if made is not None:
                found[number] = Fill(text=made, implied=True)
        return found

    def _unset(
        self, chosen: Mapping[int, SourceValue], dropped: Sequence[SourceValue]
    ) -> tuple[str, ...]:
        """Flags that the report sets and the sibling has not got, or takes for something else."""
        elsewhere = [value for number, value in chosen.items() if not self.likeness(value, number)]
        return tuple(
            value.name
            for value in (*dropped, *elsewhere)
            if value.value.kind == "bool" and value.value.text == "True"
        )

    def _astray(
        self, chosen: Mapping[int, SourceValue], dropped: Sequence[SourceValue]
    ) -> tuple[str, ...]:
        """What the sibling is not given, or takes for what it is not: a `momentum` for its `mean`,
        a tensor."""
        misread = [
            value
            for number, value in chosen.items()
            if takes_tensor(self.places.named[number].parameter.type)
            and not acts_as_tensor(value)
            and not self.likeness(value, number)
        ]
        return tuple(value.key for value in (*dropped, *misread))

    def receivable(self, chosen: Mapping[int, SourceValue], number: int) -> bool:
        """Whether what a parameter gets can be a receiver, where it has to be one."""
        taken = number in chosen and is_receiver(self.places.named[number], self.target)
        return not taken or as_receiver(chosen[number], self.target.name) is not None

    def _filled(
        self, chosen: dict[int, SourceValue], given: dict[int, Expression], like: Like
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
            analogy=self._analogy(chosen, [place for _, place in missing], like),
            alike=like is not Like.AGAIN,
            window=window_left(self.source, {v.key for v in chosen.values()}, self.lexicon)
            if like is not Like.AGAIN
            else None,
        )
        found: dict[int, Expression] = {}
        for number, place in missing:
            made = filler.fill(place.parameter)
            if made is None:
                return None
            if self.state and isinstance(made, Fill) and filler.follows(place.parameter):
                made = replace(made, implied=True)
            found[number] = made
            if isinstance(made, Fill) and made.implied:
                continue
            if filler.window is not None and filler.weighs(place.parameter):
                self.weighed = filler.window.value
                self.edits.append(f"{place.parameter.name} as long as {self.weighed.name}")
                continue
            self.edits.append(f"filled {place.parameter.name}")
            if isinstance(made, Take):
                self.invented.append(place.parameter.name)
        return found

    def _analogy(
        self, chosen: dict[int, SourceValue], missing: Sequence[Place], like: Like = Like.SEEN
    ) -> Analogy:
        main = self.source.main
        at = next((n for n, value in chosen.items() if value is main), None)
        shape = None if main is None else main.value.shape
        return Analogy(
            samples=richest(self.samples, missing),
            sized=like is Like.SIZED,
            main=None if at is None else self.places.named[at].parameter.name,
            shape=None
            if main is None or shape is None
            else shape_after(shape, lifted(main, self.lift)),
            dtype=self.source.of_arrays if main is None else main.value.dtype,
            others={
                name: shape_after(shape, lifted(v, self.lift))
                for name, v in self._tensors(chosen).items()
                if v is not main and v.value.is_shaped and (shape := v.value.shape) is not None
            },
        )

    def _tensors(self, chosen: Mapping[int, SourceValue]) -> dict[str, SourceValue]:
        """What the sibling is given, by the names under which its valid calls have it."""
        found = {self.places.named[n].parameter.name: value for n, value in chosen.items()}
        # `Embedding(..., _weight=w)` has `w` for its own.
        own = {own_name(n): found[f"_{n}"] for n in owned(self.samples) if f"_{n}" in found}
        return {**found, **own, **{own_name(name): v for name, v in self.state.items()}}


def _makes_tensors(plan: Adaptation) -> bool:
    given = [plan.receiver, *(slot.value for slot in (*plan.new, *plan.call))]
    return any(isinstance(one, Fill) and one.tensor for one in given)


LIKES: Registry[[Planner, Adaptation], Like] = Registry("variant")
"""Other tensors to fill in, where the first plan makes some."""


@LIKES.rule("tensors-of-other-sizes")
def _sized(planner: Planner, _: Adaptation) -> Like | None:
    """All tensors that are filled in have sizes that follow from the report's tensors."""
    return None if planner.source.main is None else Like.SIZED


@LIKES.rule("report-tensor-again")
def _again(planner: Planner, _: Adaptation) -> Like | None:
    """The report's own tensor is filled in."""
    return None if planner.source.main is None else Like.AGAIN


def _in_evaluation(planner: Planner) -> bool | None:
    """A layer is not in training mode where the function does not train unless it is told to."""
    if planner.source.constructor is not None:
        return None
    if not planner.target.name.startswith("torch.") or MODE in planner.state:
        return None
    own = [p for one in planner.source.api.signatures for p in one.parameters if p.name == MODE]
    given = any(value.name == MODE for value in planner.source.values)
    return (bool(own) and not given and all(p.default == "False" for p in own)) or None


def _numbers_left_out(
    planner: Planner, chosen: Mapping[int, SourceValue]
) -> dict[int, SourceValue] | None:
    """Numbers are left out that go by another name to what takes tensors alone, though they stand
    for one with the source, or to what requires a number, or an axis: it may want another one."""

    def mere(value: SourceValue, number: int) -> bool:
        parameter = planner.places.named[number].parameter
        wanted = becomes_tensor(value.value, parameter.type) and acts_as_tensor(value)
        number_or_axis = value.value.kind == "float" or parameter.name in AXES
        fits_by_chance = wanted or (parameter.required and number_or_axis)
        return fits_by_chance and not planner.likeness(value, number)

    return {n: value for n, value in chosen.items() if mere(value, n)} or None


def _with_other_tensor(
    planner: Planner, chosen: Mapping[int, SourceValue], rest: Sequence[SourceValue]
) -> list[dict[int, SourceValue]] | None:
    """Another of the source's tensors stands for the only one that is taken: `argmax` of either of
    `in_top_k(targets, predictions, k)`, not of `other` where `input` is one."""
    taken = [(n, value) for n, value in chosen.items() if acts_as_tensor(value)]
    if len(taken) != 1:
        return None
    number, first = taken[0]
    named = planner.likeness(first, number) > 0
    found: list[dict[int, SourceValue]] = []
    for value in rest:
        swapped = {**chosen, number: value}
        free = value.name != DESTINATION and (not named or in_a_row(first.name, value.name))
        if value.value.is_tensor and free and planner.receivable(swapped, number):
            found.append(swapped)
    return found or None


def _not_dropped(
    planner: Planner, filled: Mapping[int, Expression], dropped: Sequence[SourceValue]
) -> dict[int, SourceValue] | None:
    """A tensor that would be dropped is given where another one would be given a second time."""
    left = [v for v in dropped if v.value.is_tensor and v.name != DESTINATION]
    found: dict[int, SourceValue] = {}
    for number, made in filled.items():
        parameter = planner.places.named[number].parameter
        value = next((v for v in left if fits(v.value, parameter.type)), None)
        if isinstance(made, Take) and value is not None:
            found[number] = value
            left.remove(value)
    return found or None


_evaluates = Rule("variant/evaluation-mode-of-layer", _in_evaluation)
_mere_numbers = Rule("variant/numbers-left-out", _numbers_left_out)
_other_tensors = Rule("variant/other-tensor", _with_other_tensor)
_spared = Rule("fill/dropped-tensor", _not_dropped)


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """A parameter of a layer's construction, and the tensors that the layer is to have.

    `lacking` are those that it could have and has not got; `size` says which size of a tensor a
    parameter of this name is.
    """

    name: str
    state: Mapping[str, SourceValue]
    lacking: Collection[str]
    size: Callable[[str], int | None]
    root: str


STATE: Registry[[Own], str] = Registry("fill")
"""Arguments of a construction that follow from the tensors that the layer is to have."""


@STATE.rule("flag-of-missing-tensor")
def _flag(own: Own) -> str | None:
    """`bias=False` says that there is no such tensor."""
    return "False" if any(own.name in flags(one) for one in own.lacking) else None


@STATE.rule("size-of-own-tensor")
def _size(own: Own) -> str | None:
    """`in_features` is a size of the weight."""
    size = own.size(own.name)
    return None if size is None else str(size)


@STATE.rule("dtype-of-own-tensors")
def _dtype(own: Own) -> str | None:
    """A layer is made in the dtype of the tensors, if that is not the usual one."""
    dtypes = _dtypes(own.state)
    given = own.name == DTYPE and len(dtypes) == 1 and dtypes != {USUAL}
    return dtype_text(own.root, str(*dtypes)) if given else None


def _dtypes(state: Mapping[str, SourceValue]) -> set[str]:
    return {one.value.dtype for one in state.values() if one.value.dtype is not None}
