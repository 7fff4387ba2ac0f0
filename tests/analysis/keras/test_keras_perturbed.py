"""Calls of Keras that are made otherwise, on each of its backends."""

import pytest

from analysis.target.instrument import instrument, watched
from analysis.target.observation import Outcome


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "half"),
    [
        ("keras.layers.Add()([x, x])", [3.0, 1.0]),  # two tensors, and no array
        ("keras.ops.concatenate([x, x])", [1.5, 0.5, 1.5, 0.5]),
        ("keras.ops.sum([3.0, 1.0])", [2.0]),
        ("keras.ops.relu(x)", [1.5, 0.5]),
    ],
)
def test_lists_of_tensors_stay_lists_and_numbers_are_inputs(session, call, half):
    code = f"import keras\nx = keras.ops.array([3.0, 1.0])\nprint({call})"
    case = instrument(code)
    name = call.partition("(")[0]
    nodes = enumerate(case.nodes)
    sites = [n for n, node in nodes if name in case.module.code_for_node(node)]
    run = session.run(
        code,
        traced=watched(case).traced,
        entry="perturb:scaled",
        arguments={"sites": sites, "factor": 0.5},
    )
    assert run.outcome is Outcome.OK, run.exception or run.stderr
    found = run.seen[-1].value.numbers
    assert sorted(found.few) == pytest.approx(sorted(half))
