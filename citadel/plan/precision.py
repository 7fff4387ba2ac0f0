"""The precision that a layer of Keras computes in, where it stands for a function.

Layers cast what they are given to single precision unless they are told otherwise; functions
compute in that of their tensors. In: the failing call and one overload of a layer. Out: the dtype
that it is constructed with.
"""

from __future__ import annotations

from analysis.catalog.model import Api, ApiKind
from analysis.rules import Rule
from citadel.plan.frameworks import as_tensorflow, dtype_text
from citadel.plan.invocation import Invocation
from citadel.plan.model import DTYPE, Slot, Stage, Step, Take
from citadel.plan.places import Places

USUAL = "float32"
"""The dtype of a layer where nothing else is said."""


def in_precision(
    source: Invocation, target: Api, places: Places
) -> tuple[dict[int, Take], list[tuple[Stage, Slot]]]:
    """The dtype by the number of the parameter that takes it, or for the base class to take."""
    dtype = _precision(source, target) if target.kind is ApiKind.MODULE else None
    if dtype is None:
        return {}, []
    new = [(n, place) for n, place in enumerate(places.named) if place.stage is Stage.NEW]
    named = {n: dtype for n, place in new if place.parameter.name == DTYPE}
    if named or Stage.NEW not in places.keywords:
        return named, []
    return {}, [(Stage.NEW, Slot(name=DTYPE, keyword=True, value=dtype))]


def _of_the_tensor(source: Invocation, target: Api) -> Take | None:
    """A layer of Keras computes in the dtype of the report's tensor, which it would cast else."""
    main = source.main
    if (
        not as_tensorflow(target.name)
        or main is None
        or source.constructing
        or source.constructor is not None
    ):
        return None
    dtype = main.value.dtype or ""
    if "float" not in dtype or dtype == USUAL:
        return None
    text = dtype_text(target.name.partition(".")[0], dtype)
    return main.take(Step(name=DTYPE, text=text))


_precision = Rule("variant/dtype-of-layer", _of_the_tensor)
