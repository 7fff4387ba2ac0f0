"""Plan how the failing call is made with another API: `plans(invocation, api, samples)`.

Each of the source's values is given to the parameter that suits it best, by name, type and
position; what the sibling requires and the source has not is filled; what it does not take is
dropped. Several plans per sibling come in order of plausibility. Values that carry the bug may not
fit any declared type (a list where a float is wanted): a parameter of the same name takes them all
the same if they did not fit the source's own declaration either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analysis.catalog.model import Api, ApiKind, Parameter, Signature
from analysis.values import Value
from citadel.plan.dimensions import Lift, dimension_change, lifted
from citadel.plan.fill import fill
from citadel.plan.invocation import Invocation
from citadel.plan.model import (
    Adaptation,
    Expression,
    Form,
    Obstacle,
    Slot,
    SourceValue,
    Step,
    Take,
)
from citadel.plan.names import LIKE_NAME, SAME_NAME, name_likeness
from citadel.plan.samples import SampleBook
from citadel.plan.types import fits, takes_tensor, wraps

WRAP = Step(name="list")
MAX_PLANS = 3
MAX_OVERLOADS = 3
FACTORY = frozenset(("device", "dtype", "out", "layout", "pin_memory", "generator", "names"))
SAME_PLACE, NEXT_TENSOR = 2.0, 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A parameter of the target: which call it belongs to and where it stands there."""

    parameter: Parameter
    stage: str  # "new" or "call"
    index: int


def plans(
    source: Invocation, target: Api, samples: SampleBook | None = None
) -> tuple[Adaptation, ...] | Obstacle:
    """Plans for one sibling, most plausible first, or why there are none.

    Fills are taken from `samples`, valid calls of the target, where it has some.
    """
    if source.constructing != (target.kind is ApiKind.MODULE) and source.constructing:
        return Obstacle.NOT_CALLABLE_LIKE_THE_SOURCE
    found: list[Adaptation] = []
    obstacle = Obstacle.NO_SIGNATURE
    for new, call in _overloads(source, target):
        for lift in (*dimension_change(source, target.name), *_leads(source, target, samples)):
            plan = _plan(source, target, new, call, lift, samples)
            if isinstance(plan, Obstacle):
                obstacle = plan
            else:
                found.append(plan)
    if not found:
        return obstacle
    found.sort(key=lambda plan: -plan.plausibility)
    unique = {(plan.receiver, plan.new, plan.call): plan for plan in reversed(found)}
    return tuple(sorted(unique.values(), key=lambda plan: -plan.plausibility)[:MAX_PLANS])


def _leads(source: Invocation, target: Api, samples: SampleBook | None) -> Iterator[Lift]:
    """Dimensions in front, where every valid call of the target has more than the source's."""
    main = source.main
    known = samples.of(target) if samples is not None else ()
    ranks = [next((v.rank for v in s.values() if v.is_tensor), None) for s in known]
    least = min((rank for rank in ranks if rank is not None), default=0)
    if main is not None and main.value.rank is not None and least > main.value.rank:
        yield Lift(lead=least - main.value.rank, main=main.key, guess=True)


def richest(
    samples: Sequence[dict[str, Value]], missing: Sequence[_Place]
) -> list[dict[str, Value]]:
    """The samples, first those that say most of what is missing: fills should fit each other."""
    names = {place.parameter.name for place in missing}
    return sorted(samples, key=lambda s: -sum(bool(s[n].literal()) for n in names & s.keys()))


def _overloads(
    source: Invocation, target: Api
) -> Iterator[tuple[Signature | None, Signature | None]]:
    if target.kind is not ApiKind.MODULE:
        yield from ((None, signature) for signature in target.signatures[:MAX_OVERLOADS])
    elif source.constructing:
        yield from ((signature, None) for signature in target.signatures[:MAX_OVERLOADS])
    else:
        for new in target.signatures[:MAX_OVERLOADS]:
            for call in target.call_signatures[:1]:
                yield new, call


def _plan(
    source: Invocation,
    target: Api,
    new: Signature | None,
    call: Signature | None,
    lift: Lift,
    samples: SampleBook | None,
) -> Adaptation | Obstacle:
    places = _places(new, "new") + _places(call, "call")
    values = source.values
    if target.kind is not ApiKind.MODULE:
        values += source.attributes
    chosen = _assign(values, places)
    if not chosen:
        return Obstacle.NOTHING_IN_COMMON
    edits = list(lift.edits) if target.name != source.api.name else []
    expressions: dict[int, Expression] = {}
    for number, value in chosen.items():
        wrap = (WRAP,) if wraps(value.value, places[number].parameter.type) else ()
        expressions[number] = Take(key=value.key, steps=(*lifted(value, lift), *wrap))
    invented: list[str] = []
    missing = [
        (number, place)
        for number, place in enumerate(places)
        if number not in expressions and _must_be_given(place, target)
    ]
    known = richest(samples.of(target) if samples is not None else (), [p for _, p in missing])
    for number, place in missing:
        filled = fill(place.parameter, source, known, lift)
        if filled is None:
            return Obstacle.UNSOLVABLE_REQUIRED_ARGUMENT
        expressions[number] = filled
        edits.append(f"filled {place.parameter.name}")
        if isinstance(filled, Take):
            invented.append(place.parameter.name)
    dropped = [v for v in source.values if v not in chosen.values()]
    edits += [f"dropped {value.name}" for value in dropped]
    edits += _renames(places, chosen)
    return _assemble(source, target, places, expressions).with_(edits, invented, dropped, lift)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    source: Invocation
    target: Api
    receiver: Expression | None
    new: tuple[Slot, ...]
    call: tuple[Slot, ...]
    form: Form

    def with_(
        self,
        edits: list[str],
        invented: list[str],
        dropped: list[SourceValue],
        lift: Lift,
    ) -> Adaptation:
        lost = sum(0.3 if value.value.is_tensor else 0.12 for value in dropped)
        cost = lost + 0.15 * len(invented) + 0.05 * len(edits) + (0.1 if lift.guess else 0)
        head = (
            [] if self.target.name == self.source.api.name else [f"renamed to {self.target.name}"]
        )
        return Adaptation(
            target=self.target.name,
            form=self.form,
            receiver=self.receiver,
            new=self.new,
            call=self.call,
            edits=tuple(head + edits),
            plausibility=max(0.01, round(1.0 - cost, 3)),
            invented=tuple(invented),
        )


def _assemble(
    source: Invocation, target: Api, places: list[_Place], expressions: dict[int, Expression]
) -> _Draft:
    forms = {ApiKind.METHOD: Form.METHOD, ApiKind.MODULE: Form.MODULE}
    form = forms.get(target.kind, Form.FUNCTION)
    if source.constructing:
        form = Form.CONSTRUCTOR
    receiver = None
    slots: dict[str, list[Slot]] = {"new": [], "call": []}
    gap = {"new": False, "call": False}
    for number, place in enumerate(places):
        expression = expressions.get(number)
        if expression is None:
            gap[place.stage] = gap[place.stage] or not place.parameter.keyword_only
            continue
        if form is Form.METHOD and place.index == 0 and place.stage == "call":
            receiver = expression
            continue
        positional_source = isinstance(expression, Take) and ":" in expression.key
        positional_source = positional_source and not expression.key.startswith(("kw", "newkw"))  # type: ignore[union-attr]
        plain = positional_source or place.parameter.required or expression_is_receiver(expression)
        keyword = place.parameter.keyword_only or gap[place.stage] or not plain
        gap[place.stage] = gap[place.stage] or keyword
        slots[place.stage].append(
            Slot(name=_keyword_name(place, target), keyword=keyword, value=expression)
        )
    return _Draft(
        source=source,
        target=target,
        receiver=receiver,
        new=tuple(slots["new"]),
        call=tuple(slots["call"]),
        form=form,
    )


def expression_is_receiver(expression: Expression) -> bool:
    """Whether the expression is the receiver of the source's method call."""
    return isinstance(expression, Take) and expression.key == "recv"


def _keyword_name(place: _Place, target: Api) -> str:
    """Operator schemas call the first tensor `self`; callers of Python functions write `input`."""
    name = place.parameter.name
    python = target.kind not in (ApiKind.METHOD, ApiKind.OP)
    return "input" if name == "self" and python else name


def _must_be_given(place: _Place, target: Api) -> bool:
    receiver = target.kind is ApiKind.METHOD and place.stage == "call" and place.index == 0
    return receiver or place.parameter.required


def _places(signature: Signature | None, stage: str) -> list[_Place]:
    if signature is None:
        return []
    return [
        _Place(parameter=parameter, stage=stage, index=index)
        for index, parameter in enumerate(signature.parameters)
        if not parameter.variadic
    ]


def _assign(values: Sequence[SourceValue], places: list[_Place]) -> dict[int, SourceValue]:
    """Pairs of parameter and value, greedily by score; each is used once."""
    scored: list[tuple[float, int, int]] = []
    tensor_rank = _ranks([value.value.is_tensor for value in values])
    place_rank = _ranks([takes_tensor(place.parameter.type) for place in places])
    for v, value in enumerate(values):
        for p, place in enumerate(places):
            near = tensor_rank[v] == place_rank[p] and tensor_rank[v] is not None
            score = _score(value, place, nth_tensor=near, same_index=v == p)
            if score > 0:
                scored.append((score, v, p))
    chosen: dict[int, SourceValue] = {}
    used: set[int] = set()
    for _, v, p in sorted(scored, key=lambda entry: (-entry[0], entry[1], entry[2])):
        if v not in used and p not in chosen:
            chosen[p] = values[v]
            used.add(v)
    return chosen


def _ranks(flags: Sequence[bool]) -> list[int | None]:
    count = 0
    ranks: list[int | None] = []
    for flag in flags:
        ranks.append(count if flag else None)
        count += flag
    return ranks


def _score(value: SourceValue, place: _Place, *, nth_tensor: bool, same_index: bool) -> float:
    parameter = place.parameter
    likeness = name_likeness(value.name, parameter.name)
    if wraps(value.value, parameter.type):
        return max(likeness, NEXT_TENSOR if value.value.is_tensor else 0.0)
    if not fits(value.value, parameter.type):
        stubborn = likeness == SAME_NAME and not fits(value.value, value.type)
        if stubborn or _same_declaration(value, parameter, likeness):
            return SAME_NAME
        # What is required under the same name is worth trying before something is filled in.
        wanted = likeness == SAME_NAME and parameter.required and not value.value.is_tensor
        return LIKE_NAME if wanted else 0.0
    if value.key.startswith("attr:") and likeness < SAME_NAME:
        return 0.0
    if value.value.is_tensor:
        if not takes_tensor(parameter.type) and likeness == 0:
            return 0.0
        return likeness + (NEXT_TENSOR if nth_tensor else 0.5)
    if parameter.name in FACTORY and likeness < SAME_NAME:
        return 0.0
    if likeness:
        return likeness + (0.5 if same_index else 0.0)
    if value.value.kind == "none" or not parameter.required:
        return 0.0
    return SAME_PLACE if same_index else 1.0


def _same_declaration(value: SourceValue, parameter: Parameter, likeness: float) -> bool:
    """The misfit lies in the value, not in the pair: both sides declare the same."""
    return likeness >= LIKE_NAME and value.type is not None and value.type == parameter.type


def _renames(places: list[_Place], chosen: dict[int, SourceValue]) -> list[str]:
    renamed = []
    for number, value in chosen.items():
        name = places[number].parameter.name
        keyword = value.key.startswith(("kw:", "newkw:"))
        if keyword and name != value.name:
            renamed.append(f"{value.name} -> {name}")
    return renamed
