"""Tensors of real numbers, quantised for what takes no others."""

from __future__ import annotations

from collections.abc import Sequence

from analysis.values import Value
from citadel.plan.model import Step

QUANTIZE = "quantize"
_LAYOUT = "quantized"


def quantised(value: Value, valid: Sequence[Value]) -> tuple[Step, ...]:
    """The step that quantises a dense tensor of real numbers as `valid` ones of a parameter are.

    Nothing, where one of those is of another kind, or there is none.
    """
    tensors = [one for one in valid if one.is_tensor]
    real = value.is_tensor and value.layout == "strided" and "float" in (value.dtype or "")
    if not (real and tensors and all(one.layout == _LAYOUT for one in tensors)):
        return ()
    return (Step(name=QUANTIZE, text=tensors[0].dtype or "quint8"),)
