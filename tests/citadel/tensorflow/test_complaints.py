"""Exceptions that may be about what a sibling was given beyond the report's call."""

import pytest

from analysis.target.instrument import instrument
from analysis.target.session import Limits
from citadel.judge.complaints import of_one_argument
from citadel.judge.gradients import Failed
from citadel.plan.invocation import invocation
from citadel.plan.model import Adaptation, Form, Slot

from .conftest import verified

pytestmark = [pytest.mark.tf, pytest.mark.slow]

METRIC = """
import numpy as np
import tensorflow as tf

overlap = tf.keras.metrics.MeanIoU(num_classes=2, sparse_y_pred=False, axis=1)
overlap.update_state(np.array([[0, 1, 1]]), np.array([[[0.9, 0.2, 0.4], [0.1, 0.8, 0.6]]]))
print(overlap.result())
"""
REFUSAL = "InvalidArgumentError: Invalid reduction dimension (1 for input with 1 dimension(s)"


def test_an_argument_of_the_report_is_meant_where_nothing_fails_without_it(bench, read):
    """`IoU` also has to be told of which classes; the complaint is about the axis."""
    found = verified(bench, read("MeanIoU with axis=1 dies in result()", METRIC, text=REFUSAL))
    if not found.case.reproduces:
        pytest.skip("Keras 2 sums over all of it")
    taken = invocation(found.call, found.api, found.observation.calls).values
    catalog, limits = bench.index.catalog, Limits(wall=60.0)

    def shared(sibling, code):
        api = catalog.resolve(sibling)
        plan = Adaptation(
            target=api.name,
            form=Form.FUNCTION,
            receiver=None,
            new=(),
            call=tuple(Slot(name=v.name, value=v.take(), keyword=True) for v in taken),
            edits=("filled target_class_ids",),
            plausibility=1.0,
        )
        session, traced = bench.replays[0], instrument(code).traced
        failed = Failed(code, traced, session.run(code, traced=traced, limits=limits), api)
        return of_one_argument(failed, plan, found, session, catalog, limits)

    others = METRIC.replace("MeanIoU(", "IoU(target_class_ids=[0, 1], ")
    assert shared("tf.keras.metrics.IoU", others) == "axis"
    # What fails without it, too, may fail for anything.
    anyway = others.replace("axis=1", "axis=-1").replace(
        "print(", "print(tf.reduce_sum([1], axis=1), "
    )
    assert shared("tf.keras.metrics.IoU", anyway) is None
