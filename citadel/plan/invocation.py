"""The failing call as a list of named values: what there is to carry over to a sibling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from analysis.catalog.model import Api, ApiKind, Parameter, Signature
from analysis.dynamic.model import CallValues, Sample
from analysis.target.observation import Argument, Call
from analysis.values import Value
from citadel.plan.frameworks import as_tensorflow
from citadel.plan.model import SourceValue
from citadel.plan.sizes import sizes
from citadel.plan.types import fits
from citadel.traced import LAYER_FORMS, OPERATOR_FORMS, constructor_of

_PLACEHOLDER = "backend.common.keras_tensor.KerasTensor"
"""The class of Keras 3's placeholders. Those of Keras 2 are taken by TensorFlow's functions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """The source API's failing use.

    `call` is the call that failed; `constructor` is where its layer was built (the two are the
    same call when the construction itself failed). `values` are all arguments, bound to names;
    what the layer has itself (`attr:*`) comes last and is carried over only where wanted. `within`
    holds what the APIs that ran within the call were given there, by parameter. `symbolic` are the
    keys of what stands for tensors, here or where the same text ran before. `several` layers, made
    at different places of the text, are called where it is: `for layer in (plain, grouped): ...`.
    """

    api: Api
    call: Call
    constructor: Call | None
    values: tuple[SourceValue, ...]
    attributes: tuple[SourceValue, ...] = ()
    within: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    symbolic: frozenset[str] = frozenset()
    several: bool = False

    @property
    def constructing(self) -> bool:
        """Whether the layer's construction is what failed."""
        return self.call.form == "class" and self.api.kind is ApiKind.MODULE

    @property
    def main(self) -> SourceValue | None:
        """The first tensor: what the call works on; an array, if it has none and takes arrays."""
        found = next((value for value in self.values if value.value.is_tensor), None)
        if found is not None or not as_tensorflow(self.api.name):
            return found
        return next((value for value in self.values if value.value.is_shaped), None)

    @property
    def of_arrays(self) -> str | None:
        """The dtype of the first array that the call is given, in a list or not."""
        waiting = [value.value for value in self.values]
        while waiting:
            one = waiting.pop(0)
            if one.kind == "array" and one.dtype is not None:
                return one.dtype
            waiting += one.items or ()
        return None

    def declares(self, name: str) -> bool:
        """Whether the API (a layer's constructor) has a parameter of this very name."""
        return any(name in signature.names() for signature in self.api.signatures)


def invocation(call: Call, api: Api, calls: Sequence[Call]) -> Invocation:
    """Bind the arguments of a traced call (and of its layer's construction) to parameter names."""
    if call.form in LAYER_FORMS:
        built = constructor_of(call, calls)
        values = () if built is None else _bound(built, api.signatures, "new")
        values += _bound(call, api.call_signatures, "arg")
        return Invocation(
            api=api,
            call=call,
            constructor=built,
            values=values,
            attributes=_attributes(call),
            symbolic=_symbolic(call, calls),
            several=_several(call, calls),
        )
    prefix = "new" if call.form == "class" and api.kind is ApiKind.MODULE else "arg"
    signatures = api.signatures
    return Invocation(
        api=api,
        call=call,
        constructor=call if prefix == "new" else None,
        values=_bound(call, signatures, prefix),
        symbolic=_symbolic(call, calls),
    )


def _several(call: Call, calls: Sequence[Call]) -> bool:
    """Whether layers that were made at different places are called at the place of a call."""
    here = {one.receiver.id for one in calls if one.site == call.site and one.receiver}
    made = {
        one.site for one in calls if one.form == "class" and one.result and one.result.id in here
    }
    return call.form == "module" and len(made) > 1


def _symbolic(call: Call, calls: Sequence[Call]) -> frozenset[str]:
    """What is a placeholder of Keras 3 in a call, or in another one at its place: a model is put
    together of them, and calls its layers on tensors later."""
    same = [one for one in calls if one.site == call.site and one.name == call.name]
    given = [(f"arg:{i}", arg) for one in (call, *same) for i, arg in enumerate(one.arguments)]
    given += [(f"kw:{name}", arg) for one in (call, *same) for name, arg in one.keywords]
    return frozenset(key for key, argument in given if _stands_for_tensors(argument.value))


def _stands_for_tensors(value: Value) -> bool:
    """Whether a value is a placeholder, or a list that has one."""
    if value.items is not None and not value.is_tensor:
        return any(map(_stands_for_tensors, value.items))
    return value.is_tensor and (value.text or "").endswith(_PLACEHOLDER)


def example_invocation(api: Api, sample: Sample) -> Invocation:
    """A call that is known to work, as if it had been traced: what planning asks is the same."""
    built = sample.constructor
    method = api.kind is ApiKind.METHOD
    form = "method" if method else "function" if built is None else "module"
    call = _example(api, sample.call, 2, form)
    if built is None:
        return invocation(call, api, ())
    return Invocation(
        api=api,
        call=call,
        constructor=_example(api, built, 1, "class"),
        values=_bound(_example(api, built, 1, "class"), api.signatures, "new")
        + _bound(call, api.call_signatures, "arg"),
    )


def _example(api: Api, values: CallValues, number: int, form: str) -> Call:
    arguments = tuple(Argument(value=value) for value in values.arguments)
    receiver = arguments[0] if form == "method" and arguments else None
    return Call(
        number=number,
        site=0,
        occurrence=1,
        depth=0,
        name=api.name,
        form=form,
        receiver=receiver,
        arguments=arguments if receiver is None else arguments[1:],
        keywords=tuple((name, Argument(value=value)) for name, value in values.keywords.items()),
    )


def _attributes(call: Call) -> tuple[SourceValue, ...]:
    """What the layer has (parameters, buffers, its mode), as the tracer described it."""
    if call.receiver is None or call.receiver.value.items is None:
        return ()
    pairs = zip(call.receiver.value.keys, call.receiver.value.items, strict=False)
    return tuple(
        SourceValue(
            key=f"attr:{name}",
            name=name,
            value=value,
            type="Tensor" if value.kind != "bool" else "bool",
        )
        for name, value in pairs
        if name.isidentifier()  # it becomes part of source text
    )


def _bound(call: Call, signatures: Sequence[Signature], prefix: str) -> tuple[SourceValue, ...]:
    positional: list[tuple[str, Argument]] = []
    if call.form in ("method", *OPERATOR_FORMS) and call.receiver is not None:
        positional.append(("recv", call.receiver))
    positional += [(f"{prefix}:{i}", value) for i, value in enumerate(call.arguments)]
    signature = best_signature(signatures, [a for _, a in positional], dict(call.keywords))
    parameters = _positional_parameters(signature, len(positional))
    bound = [
        SourceValue(
            key=key,
            name=parameter.name if parameter is not None else f"#{index}",
            value=argument.value,
            type=parameter.type if parameter is not None else None,
        )
        for index, ((key, argument), parameter) in enumerate(
            zip(positional, parameters, strict=True)
        )
    ]
    keyword_prefix = "newkw" if prefix == "new" else "kw"
    types = {} if signature is None else {p.name: p.type for p in signature.parameters}
    bound += [
        SourceValue(
            key=f"{keyword_prefix}:{name}",
            name=name,
            value=argument.value,
            type=types.get("self" if name == "input" and "input" not in types else name),
        )
        for name, argument in call.keywords
    ]
    if as_tensorflow(call.name):
        bound = [_converted(one) for one in bound]
    return tuple(bound)


def _converted(given: SourceValue) -> SourceValue:
    """What TensorFlow makes a tensor of: an array, or where nothing is declared, a list of arrays
    or of rows of numbers."""
    if given.value.kind == "array":
        return replace(given, value=_of_array(given.value))
    if given.type is None and _of_arrays(given.value):
        items = tuple(_of_array(item) for item in given.value.items or ())
        return replace(given, type="Tensor", value=replace(given.value, items=items))
    rows = given.type is None and _in_rows(given.value)
    return replace(given, type="Tensor") if rows else given


def _of_array(value: Value) -> Value:
    return replace(value, kind="tensor", layout="strided")


def _of_arrays(value: Value) -> bool:
    items = value.items if value.kind in ("list", "tuple") else None
    return bool(items) and all(item.kind == "array" for item in items or ())


def _in_rows(value: Value) -> bool:
    """Whether it is a list of lists of numbers: sizes and the like are in one list."""
    if value.kind not in ("list", "tuple") or not value.items:
        return False
    return all(
        _in_rows(item) or (item.kind in ("list", "tuple") and _of_numbers(item))
        for item in value.items
    )


def _of_numbers(value: Value) -> bool:
    return all(item.kind in ("int", "float", "complex", "bool") for item in value.items or ())


def _positional_parameters(signature: Signature | None, count: int) -> list[Parameter | None]:
    found: list[Parameter | None] = []
    if signature is not None:
        for parameter in signature.parameters:
            if parameter.variadic == "*":
                found += [parameter] * (count - len(found))
            elif not parameter.keyword_only and not parameter.variadic:
                found.append(parameter)
    one = None if signature is None else sizes(signature)
    more = [one] * (count - len(found)) if one is not None and one in found else []
    return (found + more + [None] * count)[:count]


def best_signature(
    signatures: Sequence[Signature], positional: Sequence[Argument], keywords: dict[str, Argument]
) -> Signature | None:
    """The overload that takes the given arguments best: fewest that do not fit."""

    def misfits(signature: Signature) -> tuple[int, int]:
        parameters = _positional_parameters(signature, len(positional))
        one = sizes(signature)
        wrong = sum(
            parameter is None
            or not (fits(value, parameter.type) or (parameter is one and value.kind == "int"))
            for value, parameter in zip((a.value for a in positional), parameters, strict=True)
        )
        names = set(signature.names())
        unknown = sum(
            name not in names and not (name == "input" and "self" in names) for name in keywords
        )
        given = {p.name for p in parameters if p is not None} | set(keywords)
        missing = sum(p.required and p.name not in given for p in signature.parameters)
        return (wrong + unknown * 2 + missing, len(signature.parameters))

    return min(signatures, key=misfits, default=None)
