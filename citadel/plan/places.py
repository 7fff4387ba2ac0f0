"""The parameters of a sibling that a call can fill: of its constructor ("new") and of its call."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from analysis.catalog.model import Api, ApiKind, Parameter, Signature
from analysis.rules import Rule
from analysis.values import Value
from citadel.plan.model import SourceValue, Stage
from citadel.plan.sizes import sizes
from citadel.plan.types import ANY, ANY_OR_TENSOR, accepted

MAX_OVERLOADS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A parameter, which call it belongs to and where it stands there."""

    parameter: Parameter
    stage: Stage
    index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The named parameters of one overload; per stage, those that collect the rest."""

    named: tuple[Place, ...]
    positional: dict[Stage, Parameter]
    keywords: dict[Stage, Parameter]
    sizes: Parameter | None = None
    """A list of sizes that may also be given as one argument each."""


def places(new: Signature | None, call: Signature | None) -> Places:
    """The places of an overload, the constructor's first."""
    named: list[Place] = []
    collecting: dict[str, dict[Stage, Parameter]] = {"*": {}, "**": {}}
    for stage, signature in ((Stage.NEW, new), (Stage.CALL, call)):
        for index, parameter in enumerate(signature.parameters if signature is not None else ()):
            if parameter.variadic:
                collecting[parameter.variadic][stage] = parameter
            else:
                named.append(Place(parameter=parameter, stage=stage, index=index))
    return Places(
        named=tuple(named),
        positional=collecting["*"],
        keywords=collecting["**"],
        sizes=None if call is None else sizes(call),
    )


def with_tensors(
    found: Places, samples: Sequence[dict[str, Value]], *, of_arrays: bool = False
) -> Places:
    """Where nothing is declared, valid calls tell which parameters take tensors.

    `of_arrays`: what takes an array takes a tensor, and so does what takes the numbers of one.
    """
    given = {
        name
        for one in samples
        for name, value in one.items()
        if value.is_tensor or (of_arrays and (value.is_shaped or _of_numbers(value)))
    }
    named = tuple(
        replace(place, parameter=replace(place.parameter, type=ANY_OR_TENSOR))
        if place.parameter.name in given and ANY in accepted(place.parameter.type)
        else place
        for place in found.named
    )
    return replace(found, named=named)


def _of_numbers(value: Value) -> bool:
    """Whether lists hold the numbers of a tensor; whole ones in one list may be sizes or axes."""
    nesting = value.nesting
    return nesting is not None and (nesting > 1 or value.has_fractions)


def _swapped(found: Places, target: Api) -> Places | None:
    """The operands of a reflected operator as what they are: the receiver is the second one.

    None where the target is no such operator. `y.__rsub__(x)` is `x - y`.
    """
    if not reflects(target) or len(found.named) < 2:
        return None
    second, first, *rest = found.named
    return replace(
        found,
        named=(
            replace(first, parameter=replace(first.parameter, name=second.parameter.name)),
            replace(second, parameter=replace(second.parameter, name=first.parameter.name)),
            *rest,
        ),
    )


def _as_operands(values: Sequence[SourceValue], source: Api) -> tuple[SourceValue, ...] | None:
    """What a reflected operator is given, in the order of its operands; None where it is none."""
    if not reflects(source) or len(values) < 2:
        return None
    second, first, *rest = values
    return replace(first, name=second.name), replace(second, name=first.name), *rest


swapped = Rule("variant/operands-of-reflected-sibling", _swapped)
as_operands = Rule("variant/operands-of-reflected-operator", _as_operands)


def reflects(api: Api) -> bool:
    """Whether it is a reflected operator: `__rsub__`, and not `__rshift__`."""
    leaf = api.name.rpartition(".")[2]
    plain = f"__{leaf.removeprefix('__r')}"
    known = leaf.startswith("__r") and (hasattr(operator, plain) or plain == "__div__")
    return api.kind is ApiKind.METHOD and known


def overloads(
    target: Api, *, constructing: bool
) -> Iterator[tuple[Signature | None, Signature | None]]:
    """The first signatures of a constructor and of a call, as far as the sibling has them."""
    if target.kind is not ApiKind.MODULE:
        yield from ((None, signature) for signature in target.signatures[:MAX_OVERLOADS])
    elif constructing:
        yield from ((signature, None) for signature in target.signatures[:MAX_OVERLOADS])
    else:
        for new in target.signatures[:MAX_OVERLOADS]:
            for call in target.call_signatures[:1]:
                yield new, call


def must_be_given(place: Place, target: Api) -> bool:
    """Whether a call of the target must supply it."""
    return is_receiver(place, target) or place.parameter.required


def is_receiver(place: Place, target: Api) -> bool:
    """Whether it is the tensor that a method is called on."""
    return target.kind is ApiKind.METHOD and place.stage is Stage.CALL and place.index == 0


def keyword_name(parameter: Parameter, target: Api) -> str:
    """Operator schemas call the first tensor `self`; callers of Python functions write `input`."""
    python = target.kind not in (ApiKind.METHOD, ApiKind.OP)
    return "input" if parameter.name == "self" and python else parameter.name
