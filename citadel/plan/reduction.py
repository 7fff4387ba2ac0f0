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
_STEPS = {"": "mean", "mean": "mean", "sum_over_batch_size": "mean", "sum": "sum"}
"""Words for it -> steps; others, such as `batchmean`, are left alone."""


def reduced(plan: Adaptation, source: Invocation, target: Api) -> Adaptation:
    """The plan, which is to come to one number where the source does and the target need not."""
    result = source.call.result
    one = result is not None and result.value.shape == ()
    if not one or not _reduces(source.api) or _reduces(target):
        return plan
    given = (v.value.literal() or "" for v in source.values if v.name == PARAMETER)
    word = next(given, "").strip("'\"")
    return replace(plan, reduce=_STEPS.get(word, ""))


def _reduces(api: Api) -> bool:
    return any(PARAMETER in one.names() for one in (*api.signatures, *api.call_signatures))
