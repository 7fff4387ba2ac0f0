"""Attempts that run graph functions: a forked process must have threads for them."""

from dataclasses import replace

import pytest

from analysis.target.session import Limits
from citadel.model import SymptomKind
from citadel.plan.model import Adaptation, Form, Slot, Step, Take
from citadel.propagate.probe import ProbeOutcome, probe
from citadel.propagate.uses import Uses

from .conftest import verified

pytestmark = [pytest.mark.tf, pytest.mark.slow]

CASE = """
    import sys, time, types
    import tensorflow as tf

    traced = tf.function(lambda x: tf.linalg.trace(x))
    inputs = tf.zeros([3, 3])
    traced(inputs)
    seen = tf.Variable(inputs)
    sys.modules["own"] = types.SimpleNamespace(
        traced=traced,
        traces=lambda x: tf.function(lambda y: y + seen)(x),
        maps=lambda x: tf.map_fn(tf.square, x),
        loads=lambda x: list(tf.data.Dataset.from_tensor_slices(x).map(tf.square)),
        fails=lambda x: tf.function(lambda y: tf.linalg.inv(y))(x),
        waits=lambda x: time.sleep(60),
    )
    tf.linalg.inv(inputs)
"""
LOG = "InvalidArgumentError: Input is not invertible."


def calling(name):
    slots = (Slot(name="a", keyword=False, value=Take(key="arg:0")),)
    return Adaptation(
        target=name,
        form=Form.FUNCTION,
        receiver=None,
        new=(),
        call=slots,
        edits=(),
        plausibility=0.5,
    )


def test_functions_run_in_a_forked_process(bench, read):
    found = verified(bench, read("inv fails", CASE, text=LOG))
    fine = ["tf.exp", "own.traced", "own.traces", "own.maps", "own.loads"]
    attempts = {}
    probe(
        found,
        [calling(name) for name in [*fine, "own.fails", "own.waits"]],
        bench.probes[0],
        seconds=60.0,
        limits=Limits(wall=60.0),
        on_attempt=lambda attempt: attempts.__setitem__(attempt.plan.target, attempt),
    )
    assert [attempts[name].outcome for name in fine] == [ProbeOutcome.CLEAN] * 5
    assert attempts["own.fails"].outcome is ProbeOutcome.HIT
    assert attempts["own.waits"].symptom.kind is SymptomKind.HANGS


def test_a_cast_is_the_same_on_live_values_and_in_the_text(bench, read):
    found = verified(bench, read("inv fails", CASE, text=LOG))
    (taken,) = calling("tf.bitwise.invert").call
    cast = replace(taken.value, steps=(Step(name="cast", text="int32"),))
    tried = [calling("tf.bitwise.invert")]
    tried.append(replace(tried[0], call=(replace(taken, name="x", value=cast),)))
    outcomes = []
    probe(
        found,
        tried,
        bench.probes[0],
        seconds=60.0,
        limits=Limits(wall=60.0),
        on_attempt=lambda attempt: outcomes.append(attempt.outcome),
    )
    assert outcomes == [ProbeOutcome.OTHER, ProbeOutcome.CLEAN]
    written = next(Uses(found, bench).write(tried[1]))
    assert "tf.bitwise.invert(tf.cast(inputs, tf.int32))" in written.code
