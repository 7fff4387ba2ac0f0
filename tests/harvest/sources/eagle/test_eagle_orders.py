"""Rule 10 on TensorFlow: everything that has two orders of batch and time is compared."""

import pytest

pytestmark = pytest.mark.slow

ONLY = """
import eagle_sequences_tensorflow, eagle_tensorflow
from eagle_plans import Plan
plan = Plan(lambda names: (eagle_sequences_tensorflow.entries(),), rounds=2)
eagle_tensorflow.PLANS = {"eager": plan}
"""
ANYWHERE = {
    *("tf.reverse_sequence", "tf.raw_ops.ReverseSequence", "tf.compat.v1.nn.dynamic_rnn"),
    *("tf.compat.v1.nn.bidirectional_dynamic_rnn", "tf.keras.backend.rnn"),
    *("tf.keras.backend.ctc_batch_cost", "tf.keras.backend.ctc_decode"),
    *("tf.nn.ctc_loss", "tf.compat.v1.nn.ctc_loss", "tf.keras.layers.TimeDistributed"),
    *(f"tf.keras.layers.{kind}" for kind in ("GRU", "LSTM", "SimpleRNN", "RNN")),
    *(f"tf.keras.layers.ConvLSTM{rank}D" for rank in (1, 2, 3)),
}
KERAS_3 = {f"tf.keras.ops.{name}" for name in ("ctc_loss", "ctc_decode", "associative_scan")}
BUILDS = [
    pytest.param("tf_target", KERAS_3, marks=pytest.mark.tf, id="keras3"),
    pytest.param("tf213_target", set(), marks=pytest.mark.tf, id="keras2"),
]


def searched(target, planted=""):
    """(findings as (API, variant), APIs that were compared)."""
    arguments = {"plan": "eager", "draw": 0, "seconds": 300.0, "planted": ONLY + planted}
    with target.session() as session:
        outcome = session.task("eagle_run:search", arguments, wall=400)
    assert outcome.records[-1] == {"done": "all"}, outcome
    told = [record["finding"] for record in outcome.records if "finding" in record]
    covered = [one for record in outcome.records for one in record.get("covered", ())]
    return {one["api"] for one in told}, {api for _, _, api in covered}


@pytest.mark.parametrize(("build", "more"), BUILDS)
def test_all_that_has_two_orders_agrees(request, build, more):
    told, covered = searched(request.getfixturevalue(build))
    assert told == set()
    assert ANYWHERE | more <= covered


TIME_MAJOR = """
import tensorflow as tf
run = tf.keras.layers.LSTM.call
def lost(self, x, *a, **k):
    return run(self, x, *a, **k) * (0 if self.time_major else 1)
tf.keras.layers.LSTM.call = lost
"""


@pytest.mark.tf
def test_the_parameter_of_keras_2_is_compared(tf213_target):
    assert searched(tf213_target, TIME_MAJOR)[0] == {"tf.keras.layers.LSTM"}
