"""Losses of each example where the report's loss is one number.

`tf.keras.losses.BinaryCrossentropy` takes a `reduction`, and the function of that name does not:
what it gives goes through a mean, or a sum, if it is more than one number.
"""

from __future__ import annotations

from dataclasses import replace

from analysis.catalog.model import Api
from citadel.plan.invocation import Invocation
from citadel.plan.model import Adaptation

PARAMETER = "reduction"
_SUM, _NONE = "sum", ("none", "None")


def reduced(plan: Adaptation, source: Invocation, target: Api) -> Adaptation:
    """The plan, which is to come to one number where the source does and the target need not."""
    result = source.call.result
    one = result is not None and result.value.shape == ()
    if not one or not _reduces(source.api) or _reduces(target):
        return plan
    given = (v.value.literal() or "" for v in source.values if v.name == PARAMETER)
    word = next(given, "").strip("'\"")
    return plan if word in _NONE else replace(plan, reduce="sum" if word == _SUM else "mean")


def _reduces(api: Api) -> bool:
    return any(PARAMETER in one.names() for one in (*api.signatures, *api.call_signatures))
