"""The valid calls that a trigger is brought into: those that the index has seen to work.

In: an index, and the order of its APIs. Out: per API what `analysis/inside/spread.py` reads. One
form of each operation comes before the second form of any.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from analysis import parsing
from analysis.catalog.model import Api, ApiKind, Parameter, Signature
from analysis.dynamic.model import CallValues, Provider, Sample
from analysis.index import ApiIndex
from analysis.target.observation import Argument, Call
from analysis.values import Value
from citadel.experiment import Cure
from citadel.plan.invocation import Invocation
from harvest.sources.eagle.records import Record, call_record

FLOAT, WHOLE = "float32", "int32"
EXACT = 2**53
"""Up to here each whole number is a number in double precision."""
OF_LISTS = ("tensorflow",)
"""Frameworks that take a list of numbers for a tensor."""


def described(index: ApiIndex, api: Api, reported: Sample | None = None) -> Record | None:
    """An API with its calls, the `reported` one first; None where none of these can be made
    again."""
    calls: list[Record] = []
    for sample in (*filter(None, [reported]), *index.samples.get(api.name, ())):
        for one in (_plain(sample, api), sample):
            made = None if one is None else _call(one)
            if made is not None and made not in calls:
                calls.append(made)
    if not calls:
        return None
    if index.framework in OF_LISTS:
        calls += [one for one in map(_with_tensors, calls) if one is not None]
    if not any(map(_has_floats, calls)):
        calls[:0] = [one for one in map(_floating, calls) if one is not None]
    method = api.kind is ApiKind.METHOD
    count = max(len(one["call"][0]) for one in calls)
    built = max((len(one["new"][0]) for one in calls if one["new"]), default=None)
    of_call = api.signatures if built is None else api.call_signatures
    of_layer = None if built is None else _parameters(api.signatures, built)
    return {**_parameters(of_call, count), "new": of_layer, "method": method, "calls": calls}


def reported(use: Invocation, cures: Sequence[Cure]) -> Sample | None:
    """The report's call under the first of its cures: a call of its API that is known to work. None
    without a cure, or where nobody knows what a cure makes of an argument."""
    after = next((_after(one) for one in cures), None)
    if not after or use.constructing:
        return None

    def cured(call: Call, prefix: str, receiver: Sequence[Argument] = ()) -> CallValues:
        given = [("recv", one) for one in receiver]
        given += [(f"{prefix}:{number}", one) for number, one in enumerate(call.arguments)]
        named = {
            name: (f"{prefix.replace('arg', '')}kw:{name}", one) for name, one in call.keywords
        }
        values = [_written(_instead(one.value, after.get(key))) for key, one in given]
        keywords = {
            name: _written(_instead(one.value, after.get(key)))
            for name, (key, one) in named.items()
        }
        return CallValues(arguments=tuple(values), keywords=keywords)

    receiver = [use.call.receiver] if use.call.receiver and use.api.kind is ApiKind.METHOD else []
    return Sample(
        provider=Provider.EXAMPLE,
        call=cured(use.call, "arg", receiver),
        constructor=None if use.constructor is None else cured(use.constructor, "new"),
    )


def _after(cure: Cure) -> dict[str, Value]:
    """What a cure makes of arguments, by their keys; nothing where that is not known of all."""
    found = {one.key: one.after for one in cure.changes if one.after is not None}
    return found if len(found) == len({one.key for one in cure.changes}) else {}


def _instead(value: Value, after: Value | None) -> Value:
    """What becomes of an argument; of a list of tensors a cure tells what becomes of the first."""
    if after is None or value.items is None or after.items is not None:
        return after or value
    return replace(value, items=(after, *value.items[1:]))


def _written(value: Value) -> Value:
    """A value with the elements of a small tensor as they were seen."""
    found = elements(value)
    finite = found is not None and np.isfinite(found).all()
    return replace(value, content=repr(found)) if finite else value


def elements(value: Value) -> Any:
    """The elements of a small dense tensor as nested lists; None of all else."""
    few = value.numbers.few if value.numbers is not None else None
    if few is None or not value.is_tensor or value.shape is None or value.dtype is None:
        return None
    if value.layout not in (None, "strided") or math.prod(value.shape) != len(few):
        return None
    whole = "int" in value.dtype
    if whole and any(abs(one) > EXACT for one in few):
        return None  # what was recorded is rounded
    array = np.array(few).reshape(value.shape)
    kind = "bool" if value.dtype == "bool" else "int" if whole else None
    return (array if kind is None else array.real.astype(kind)).tolist()


def unsigned(described: Record) -> Record:
    """An API with its calls, and these with the size of each number in its place: what is asserted
    of results is often that they are not negative."""
    calls = described["calls"]
    further = [{**one, "call": _sizes(one["call"])} for one in calls]
    return {**described, "calls": [*calls, *(one for one in further if one not in calls)]}


def _sizes(value: Any) -> Any:
    """A record, or what holds any, with the size of each number that it has."""
    if isinstance(value, list):
        return [_sizes(one) for one in value]
    if not isinstance(value, dict):
        return abs(value) if type(value) in (int, float) else value
    if "e" in value:
        number = _numbers(value)
        return value if number is None else {"e": repr(abs(number))}
    return {name: _sizes(one) for name, one in value.items()}


def by_operation(apis: Iterable[Api], operation: Callable[[str], str]) -> list[Api]:
    """The APIs in their order, with the first form of each operation in front."""
    first: list[Api] = []
    further: list[Api] = []
    seen: set[str] = set()
    for api in apis:
        one = operation(api.name)
        (further if one in seen else first).append(api)
        seen.add(one)
    return first + further


def _plain(sample: Sample, api: Api) -> Sample | None:
    """The call with what is required alone; None of a layer, or where nobody knows."""
    call = sample.call
    names = [one.name for one in _fitting(api.signatures, len(call.arguments))]
    if sample.constructor is not None or not names:
        return None
    required = {one.name for sign in api.signatures for one in sign.parameters if one.required}
    given = list(zip(names, call.arguments, strict=False))
    kept = max((place + 1 for place, (name, _) in enumerate(given) if name in required), default=0)
    keywords = {name: value for name, value in call.keywords.items() if name in required}
    return replace(sample, call=CallValues(arguments=call.arguments[:kept], keywords=keywords))


def _call(sample: Sample) -> Record | None:
    """One call; None where one of its values cannot be made again."""
    call, built = call_record(sample.call), None
    if sample.constructor is not None:
        built = call_record(sample.constructor)
    if call is None or (sample.constructor is not None and built is None):
        return None
    return {"call": call, "new": built}


def _has_floats(call: Record) -> bool:
    arguments, keywords = call["call"]
    return any(_is(one, "float", "bfloat") for one in (*arguments, *keywords.values()))


def _is(value: Record, *kinds: str) -> bool:
    """Whether a value is a tensor of such a dtype; some tensors have none."""
    return "t" in value and str(value["t"][0]).startswith(kinds)


def _floating(call: Record) -> Record | None:
    """A call with a tensor of real numbers in the place of whole ones, or of a list of numbers, as
    its first argument: whole numbers cannot hold what most triggers are about."""
    arguments, keywords = call["call"]
    made = [_as_floats(one) for one in (arguments or [*keywords.values()])[:1]]
    if not made or made[0] is None:
        return None
    if arguments:
        return {**call, "call": [[*made, *arguments[1:]], keywords]}
    name = next(iter(keywords))
    return {**call, "call": [[], {**keywords, name: made[0]}]}


def _with_tensors(call: Record) -> Record | None:
    """A call with tensors in the place of lists of whole numbers; None where it has none."""
    arguments, keywords = call["call"]
    made = [_as_wholes(one) for one in arguments]
    named = {name: _as_wholes(one) for name, one in keywords.items()}
    if made == arguments and named == keywords:
        return None
    return {**call, "call": [made, named]}


def _as_wholes(value: Record) -> Record:
    content = np.array(_numbers(value) if "l" in value else None)
    if content.dtype.kind != "i":
        return value
    return {"t": [WHOLE, list(content.shape), content.tolist()]}


def _as_floats(value: Record) -> Record | None:
    if _is(value, "int", "uint"):
        return {"t": [FLOAT, *value["t"][1:]]}
    content = _numbers(value) if "l" in value else None
    return None if content is None else {"t": [FLOAT, list(np.shape(content)), content]}


def _numbers(value: Record) -> Any:
    """Nested lists of numbers, of which all on one level are equally long; else None."""
    if "l" in value:
        items = [_numbers(one) for one in value["l"]]
        alike = len({np.shape(one) for one in items}) == 1
        return items if alike and None not in items else None
    try:
        found = parsing.literal(value["e"]) if "e" in value else None
    except ValueError:
        return None
    return found if type(found) in (int, float) else None


def _parameters(signatures: Sequence[Signature], count: int) -> Record:
    """What the parameters are called that so many arguments are given to, and the defaults."""
    found = _fitting(signatures, count)
    defaults = {one.name: one.default for one in found if one.default is not None}
    return {"names": [one.name for one in found], "defaults": defaults}


def _fitting(signatures: Sequence[Signature], count: int) -> Sequence[Parameter]:
    """The parameters of the first signature that takes so many arguments."""
    return next((one.parameters for one in signatures if len(one.parameters) >= count), ())
