"""Which value goes to which parameter: the assignment with the highest score.

Names decide, then types and positions. Scores are squared before they are summed, so that one equal
name outweighs two similar ones.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from analysis.catalog.model import Api, Parameter
from analysis.rules import Rule
from citadel.match.family import parse
from citadel.plan.analogy import is_whole
from citadel.plan.lexicon import LIKE_NAME, SAME_NAME, Lexicon
from citadel.plan.model import SourceValue, Stage
from citadel.plan.places import Place
from citadel.plan.types import (
    ANY,
    BOOL,
    accepted,
    becomes_number,
    becomes_tensor,
    fits,
    takes_tensor,
    wraps,
)

FACTORY = frozenset(("device", "dtype", "out", "layout", "pin_memory", "generator", "names"))
"""Parameters that a value is given to by name only."""
DESTINATION = "out"
"""A parameter whose tensor is written to: it says nothing of what another is to work on."""
SAME_PLACE, NEXT_TENSOR = 2.0, 3.0
_POINT = re.compile(r"-?\d*\.\d*(?:e[+-]?\d+)?|-?\d+e[+-]?\d+")


def assign(
    values: Sequence[SourceValue],
    places: Sequence[Place],
    lexicon: Lexicon,
    *,
    namesakes: bool = False,
    kin: bool = False,
    apart: Collection[tuple[str, str]] = (),
) -> dict[int, SourceValue]:
    """Number of a place -> the value that it gets; each value is used once.

    `namesakes`: the two APIs have one name, as `tf.transpose(x, perm)` and NumPy's
    `transpose(x, axes)` have. Then a list means the same at one position, whatever it is called.
    `apart`: names of parameters, the source's and the sibling's, that are given other kinds of
    numbers (see `samples.of_other_numbers`): what is not called alike does not go there. `kin`: the
    two are forms of one operation, whose one number with a point is what the other's is.
    """
    if not values or not places:
        return {}
    tensors = _tensors_in_order(values, places)
    takers = _ranks([takes_tensor(place.parameter.type) for place in places])
    scores = np.zeros((len(values), len(places)))
    for v, value in enumerate(values):
        for p, place in enumerate(places):
            nth = tensors[v] is not None and tensors[v] == takers[p]
            scores[v, p] = _score(value, place, lexicon, nth_tensor=nth, same_index=v == p)
            if (value.name, place.parameter.name) in apart:
                scores[v, p] = 0.0
            if namesakes and v == p and not scores[v, p] and _listed(value, place.parameter):
                scores[v, p] = 1.0
    # Of equal scores earlier values and places win, and both keep their order.
    v_at, p_at = np.arange(len(values))[:, None], np.arange(len(places))[None, :]
    order = 1e-6 * v_at * p_at - 1e-4 * (v_at + p_at)
    rows, columns = linear_sum_assignment(scores**2 + order, maximize=True)
    pairs = zip(rows.tolist(), columns.tolist(), strict=True)
    found = {p: v for v, p in pairs if scores[v, p] > 0}
    if kin:
        found |= _only_number(values, places, found) or {}
    return {p: values[v] for p, v in found.items()}


def one_operation(one: Api, other: Api) -> bool:
    """Whether two APIs are forms of one operation, by their names (`leaky_relu`, `LeakyReLU`)."""
    return parse(one.name, one.kind).core == parse(other.name, other.kind).core


def _the_only_number(
    values: Sequence[SourceValue], places: Sequence[Place], found: Mapping[int, int]
) -> dict[int, int] | None:
    """The one number with a point that goes nowhere, and the one parameter left that has such a
    number as its default: the `alpha` of `leaky_relu` is the `negative_slope` of others."""
    numbers = [
        v
        for v, value in enumerate(values)
        if v not in found.values() and value.value.kind == "float"
    ]
    wanted = [
        p
        for p, place in enumerate(places)
        if p not in found and _POINT.fullmatch(place.parameter.default or "")
    ]
    return {wanted[0]: numbers[0]} if len(numbers) == len(wanted) == 1 else None


_only_number = Rule("variant/only-number-with-a-point", _the_only_number)


def _in_order(
    values: Sequence[SourceValue], places: Sequence[Place], found: Mapping[int, SourceValue]
) -> dict[int, SourceValue] | None:
    """As many tensors as there are required parameters without a type that nothing has been found
    for, in their order: `in_top_k(targets, predictions, k)` is `top_k_accuracy(y_true, y_pred, k)`.

    Only where another value goes by one name with both.
    """
    if not any(value.name == places[p].parameter.name for p, value in found.items()):
        return None
    wanted = [
        p
        for p, place in enumerate(places)
        if p not in found
        and place.stage is Stage.CALL
        and place.parameter.required
        and place.parameter.name not in FACTORY
        and ANY in accepted(place.parameter.type)
    ]
    left = [v for v in values if v.value.is_tensor and v.name != DESTINATION]
    left = [value for value in left if value not in found.values()]
    return dict(zip(wanted, left, strict=True)) if len(wanted) == len(left) > 0 else None


in_order = Rule("variant/tensors-in-order", _in_order)


def _listed(value: SourceValue, parameter: Parameter) -> bool:
    """Whether it is a list of numbers that goes where nothing else is known to be taken."""
    listed = value.value.kind in ("list", "tuple") and not acts_as_tensor(value)
    return listed and parameter.name not in FACTORY and fits(value.value, parameter.type)


def acts_as_tensor(value: SourceValue) -> bool:
    """Whether it is a tensor, or a number or list that stands where the source takes a tensor."""
    given = value.value.kind != "none" and takes_tensor(value.type)
    return value.value.is_tensor or given


def _tensors_in_order(values: Sequence[SourceValue], places: Sequence[Place]) -> list[int | None]:
    """How early each value that acts as a tensor is to go to a parameter; None for all others.

    Where fewer may be required than there are, indices, labels, conditions and numbers come behind
    tensors that are computed with.
    """
    ranks = _ranks([acts_as_tensor(value) for value in values])
    tensors = [v for v, rank in enumerate(ranks) if rank is not None]
    names = {value.name for value in values} & {place.parameter.name for place in places}
    required = (p.parameter for p in places if p.parameter.required)
    may_take = [p for p in required if takes_tensor(p.type) or ANY in accepted(p.type)]
    takers = [p for p in may_take if p.name not in names]
    if len(takers) < sum(values[v].name not in names for v in tensors):
        dtypes = [value.value.dtype for value in values]
        tensors.sort(key=lambda v: (dtype := dtypes[v]) is None or is_whole(dtype))
        for rank, v in enumerate(tensors):
            ranks[v] = rank
    return ranks


def _ranks(flags: Sequence[bool]) -> list[int | None]:
    count = 0
    ranks: list[int | None] = []
    for flag in flags:
        ranks.append(count if flag else None)
        count += flag
    return ranks


def _score(
    value: SourceValue, place: Place, lexicon: Lexicon, *, nth_tensor: bool, same_index: bool
) -> float:
    parameter = place.parameter
    likeness = lexicon.likeness(value.name, parameter.name)
    if (value.name == DESTINATION) != (parameter.name == DESTINATION):
        return 0.0
    if wraps(value.value, parameter.type):
        return max(likeness, NEXT_TENSOR if value.value.is_tensor else 0.0)
    if value.name in lexicon.windows and _no_window(value, parameter) and likeness < SAME_NAME:
        return 0.0
    stands_in = acts_as_tensor(value) and takes_tensor(parameter.type)
    if not stands_in and not fits(value.value, parameter.type):
        return _misfit(value, parameter, likeness)
    if value.key.startswith("attr:") and likeness < SAME_NAME:
        return 0.0
    if acts_as_tensor(value):
        if not takes_tensor(parameter.type) and likeness == 0:
            return 0.0
        return likeness + (NEXT_TENSOR if nth_tensor else 0.5)
    if parameter.name in FACTORY and likeness < SAME_NAME:
        return 0.0
    if likeness == LIKE_NAME / 2 and not parameter.required:
        return SAME_PLACE - 0.5  # a word in common is less than what is required at one position
    if likeness:
        return likeness + (0.5 if same_index else 0.0)
    # A flag says nothing of a number or a tensor.
    idle = value.value.kind == "none" or _stray_flag(value, parameter)
    if idle or not parameter.required:
        return 0.0
    return SAME_PLACE if same_index else 1.0


def _no_window(value: SourceValue, parameter: Parameter) -> bool:
    """Whether lengths of spatial dimensions would stand for a tensor, as the weights are."""
    return takes_tensor(parameter.type) and not acts_as_tensor(value)


def _stray_flag(value: SourceValue, parameter: Parameter) -> bool:
    """Whether a flag would go where none is known to be taken."""
    return value.value.kind == "bool" and BOOL not in accepted(parameter.type)


def _misfit(value: SourceValue, parameter: Parameter, likeness: float) -> float:
    """The score of a value that the parameter is not declared to take."""
    if likeness == SAME_NAME and (value.type is None or not fits(value.value, value.type)):
        return SAME_NAME  # the source takes it, too, whatever is declared
    if _same_declaration(value, parameter, likeness):
        return SAME_NAME
    if parameter.required and not fits(value.value, value.type):
        return likeness
    if becomes_tensor(value.value, parameter.type):
        return likeness
    number = takes_tensor(value.type) and becomes_number(value.value, parameter.type)
    if likeness == SAME_NAME and number:
        return likeness
    # What is required under the same name is worth trying before something is filled in.
    wanted = likeness == SAME_NAME and parameter.required and not value.value.is_tensor
    return LIKE_NAME if wanted else 0.0


def _same_declaration(value: SourceValue, parameter: Parameter, likeness: float) -> bool:
    """The misfit lies in the value, not in the pair: both sides declare the same."""
    return likeness >= LIKE_NAME and value.type is not None and value.type == parameter.type
