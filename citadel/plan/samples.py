"""Valid calls of each API, by parameter name: what fills are taken from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from analysis.catalog.model import Api, ApiKind, Signature
from analysis.dynamic.model import CallValues
from analysis.index import ApiIndex
from analysis.values import Value
from citadel.match.family import parse
from citadel.plan.lexicon import SAME_WORDS, Lexicon, same_name
from citadel.plan.places import Place
from citadel.plan.state import own_name

Bound = dict[str, Value]
_Operation = tuple[str, str, frozenset[str]]
FORMS = (ApiKind.FUNCTION, ApiKind.OP)
"""What is called alike: with all that it takes."""


_KINDS = (("int", ("int", "uint", "qint", "quint")), ("float", ("float", "bfloat", "complex")))


class SampleBook:
    """The index's samples, bound to parameter names when they are first asked for.

    What has none is told by those of another form of the same operation that has the same
    parameters: `tf.nn.conv3d` by `tf.raw_ops.Conv3D`.
    """

    def __init__(self, index: ApiIndex) -> None:
        self._index = index
        self._bound: dict[str, tuple[Bound, ...]] = {}

    def of(self, api: Api) -> tuple[Bound, ...]:
        """Parameter name -> value, one dictionary per sample; constructor and call of a layer
        together, and what the layer has of its own under names that no parameter bears (see
        `state`)."""
        known = self._bound.get(api.name)
        if known is None:
            known = self._own(api) or self._of_another_form(api)
            self._bound[api.name] = known
        return known

    def _own(self, api: Api) -> tuple[Bound, ...]:
        return tuple(
            {
                **_named(sample.constructor, api.signatures),
                **_named(
                    sample.call, api.call_signatures if sample.constructor else api.signatures
                ),
                **{own_name(name): value for name, value in sample.state.items()},
            }
            for sample in self._index.samples.get(api.name, ())
        )

    def _of_another_form(self, api: Api) -> tuple[Bound, ...]:
        if api.kind not in FORMS or not api.signatures:
            return ()
        names = api.signatures[0].names()
        for other in self._forms.get(_operation(api), ()):
            renamed = (_renamed(sample, names) for sample in self._own(other))
            found = tuple(sample for sample in renamed if sample is not None)
            if found:
                return found
        return ()

    @cached_property
    def _forms(self) -> Mapping[_Operation, Sequence[Api]]:
        """What has samples, by the operation."""
        found: dict[_Operation, list[Api]] = defaultdict(list)
        for api in self._index.catalog.apis.values():
            if api.kind in FORMS and self._index.samples.get(api.name):
                found[_operation(api)].append(api)
        return found


def _operation(api: Api) -> _Operation:
    name = parse(api.name, api.kind)
    return name.core, name.dimension, name.variants


def _renamed(sample: Bound, names: Sequence[str]) -> Bound | None:
    """A sample under the names of another form's parameters; None where that lacks one."""
    pairs = {
        name: value
        for given, value in sample.items()
        for name in [one for one in names if same_name(given, one)][:1]
    }
    return pairs if len(pairs) == len(sample) else None


def _named(call: CallValues | None, signatures: Sequence[Signature]) -> dict[str, Value]:
    if call is None:
        return {}
    names = signatures[0].names() if signatures else ()
    return {**dict(zip(names, call.arguments, strict=False)), **call.keywords}


def of_other_numbers(
    source: Sequence[Bound], target: Sequence[Bound], lexicon: Lexicon
) -> frozenset[tuple[str, str]]:
    """The pairs of parameters of which one is given whole numbers in valid calls, and the other
    fractions, and that are not called alike; none at all where no two of them have a word in
    common, as `input_sizes` has with `input`."""
    kinds, others = _numbers(source), _numbers(target)
    found = {
        (one, other): lexicon.likeness(one, other)
        for one, had in kinds.items()
        for other, has in others.items()
        if had and has and not had & has and lexicon.likeness(one, other) < SAME_WORDS
    }
    return frozenset(found) if any(found.values()) else frozenset()


def _numbers(samples: Sequence[Bound]) -> dict[str, set[str]]:
    """Per parameter which kinds of numbers it is given, where it is given nothing else."""
    found: dict[str, set[str]] = {}
    for name in {name for sample in samples for name in sample}:
        kinds = {_number(sample[name]) for sample in samples if name in sample}
        found[name] = set() if None in kinds else {kind for kind in kinds if kind}
    return found


def _number(value: Value) -> str | None:
    """Which numbers a tensor, a number or a list is of; None: of none, or of truth values."""
    if value.items is not None:
        kinds = {_number(item) for item in value.items}
        return kinds.pop() if len(kinds) == 1 else None
    told = value.dtype or value.kind
    return next((kind for kind, words in _KINDS if told.startswith(words)), None)


def richest(
    samples: Sequence[dict[str, Value]], missing: Sequence[Place]
) -> list[dict[str, Value]]:
    """The samples, first those that say most of what is missing: fills should fit each other."""
    names = {place.parameter.name for place in missing}
    return sorted(samples, key=lambda s: -sum(bool(s[n].literal()) for n in names & s.keys()))
