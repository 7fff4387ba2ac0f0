"""Functions of `keras.ops` in the table: what follows from a signature, and what runs."""

import numpy as np
import pytest

from harvest.sources.backends import Failure
from harvest.sources.formulas import of_numpy
from harvest.sources.handover import hand_over
from harvest.sources.judging import Judgement
from harvest.sources.known_limits import limit_of
from harvest.sources.layers import SHAPES, api, draw, specs
from harvest.sources.model import HitKind
from harvest.sources.networks import make_inputs
from harvest.sources.operations import entry, operations, parameter
from harvest.sources.suspects import Confirmed, Suspect, confirm
from harvest.sources.voting import Vote
from harvest.sources.writing import seeded_script


@pytest.mark.parametrize(
    ("name", "default", "legal"),
    [
        ("keepdims", False, (False, True)),
        ("axis", None, (None, -1, 1, 0)),
        ("axis", 0, (0, -1, 1)),
        ("k", 2, (2, 3)),
        ("negative_slope", 0.2, (0.2, 0.1)),
    ],
)
def test_values_follow_from_the_default(name, default, legal):
    found = parameter(name, default)
    assert found.legal == legal
    # Whether a fraction is wrong for a whole number nothing tells: it may be what is filled in.
    assert bool(found.invalid) is (name != "k")


@pytest.mark.parametrize("default", [None, "fro"])
def test_nothing_follows_from_no_value_and_from_a_word(default):
    assert parameter("dtype", default) is None


def test_an_entry_is_drawn_from_as_a_layer_is():
    spec = entry({"operation": "sum", "tensors": 1, "optional": {"axis": None, "dtype": None}})
    assert (spec.kind, spec.arity) == ("ops.sum", 1)
    assert api(spec.kind) == "keras.ops.sum"
    assert draw(spec, np.random.default_rng(0), invalid=1.0)["axis"] in (9, -0.5)


def test_a_script_calls_the_function_itself():
    one = Suspect(kind="ops.sum", config={"axis": -1}, shapes=((2, 3),))
    two = Suspect(kind="ops.add", config={}, shapes=((2, 3), (2, 3)))
    line = "actual = layer(x)"
    assert "actual = keras.ops.sum(x, axis=-1)" in seeded_script("jax", one, {}, (line,))
    long = Suspect(kind="ops.sum", config={"axis": None, "keepdims": True}, shapes=((2, 3),))
    assert "actual = keras.ops.sum(x, axis=None, " in seeded_script("jax", long, {}, (line,))
    assert "actual = keras.ops.add(x0, x1)" in seeded_script("jax", two, {}, (line,))
    assert "x = [x0, x1]" not in seeded_script("jax", two, {}, (line,))
    lines = (*of_numpy(two).lines, line)
    assert "x = [x0, x1]" in seeded_script("jax", two, {}, lines).splitlines()
    assert of_numpy(one).lines[0] == "expected = np.sum(x, axis=-1)"
    assert "assert actual.shape == np.shape(expected)" in of_numpy(one).lines
    assert of_numpy(two).lines[0] == "expected = np.add(*x)"
    assert of_numpy(Suspect(kind="ops.swish", config={}, shapes=((2, 3),))) is None


def test_what_needs_no_order_has_a_known_limit():
    parted = Judgement(
        layer="layer",
        kind=HitKind.INCONSISTENCY,
        vote=Vote(odd=("jax",), majority=("torch", "tensorflow")),
        error=1.0,
        failures={},
    )
    assert "order" in limit_of("ops.unique", {"sorted": False}, parted)
    assert limit_of("ops.unique", {"sorted": True}, parted) == ""


@pytest.mark.keras
@pytest.mark.slow
def test_functions_are_found_by_their_signatures_and_run_on_every_backend(backends):
    found = {spec.kind: spec for spec in operations(backends)}
    assert len(found) > 80
    assert {"ops.softmax", "ops.sum", "ops.add"} <= set(found)
    assert not {"ops.shape", "ops.isnan", "ops.empty_like", "ops.zeros_like"} & set(found)
    assert specs("ops.sum") == (found["ops.sum"],)
    for kind in ("ops.softmax", "ops.sum", "ops.add", "ops.cumsum"):
        shapes = (SHAPES[found[kind].rank],) * found[kind].arity
        suspect = Suspect(
            kind=kind, config=draw(found[kind], np.random.default_rng(0)), shapes=shapes
        )
        assert confirm(backends, suspect) is None
        form = of_numpy(suspect)
        if form is not None:
            lines = (*form.lines, "assert np.allclose(actual, expected, rtol=1e-4, atol=1e-4)")
            told = backends.script(seeded_script("jax", suspect, {}, lines))
            assert set(told.values()) == {None}


@pytest.mark.keras
@pytest.mark.slow
def test_a_function_that_is_wrong_on_one_backend_is_handed_over(planted_backends):
    suspect = Suspect(kind="ops.elu", config={"alpha": 1.0}, shapes=((2, 3, 4),))
    confirmed = confirm(planted_backends, suspect)
    assert confirmed.judgement.vote.odd == ("tensorflow",)
    case = hand_over(planted_backends, confirmed, "").case
    assert "keras.ops.elu(x, alpha=1.0)" in case.code
    told = planted_backends.script(case.code)
    assert told["tensorflow"].label == "AssertionError"
    assert told["jax"] is told["torch"] is None


class Accepting:
    """Backends of which only torch accepts what it is given."""

    def script(self, code, only=()):
        return {
            name: None if name == "torch" else REFUSED for name in ("torch", "tensorflow", "jax")
        }


REFUSED = Failure(layer="layer", types=("ValueError",))


def test_inputs_that_should_be_refused_are_named():
    vote = Vote(majority=("tensorflow", "jax"), odd=("torch",))
    failures = dict.fromkeys(vote.majority, REFUSED)
    judgement = Judgement(
        layer="layer", kind=HitKind.CRASH, vote=vote, error=0.0, failures=failures
    )
    suspect = Suspect(kind="ops.correlate", config={}, shapes=((1, 2), (2, 1)))
    confirmed = Confirmed(suspect=suspect, judgement=judgement, weights={})
    case = hand_over(Accepting(), confirmed, "measured").case
    assert case.title == (
        "keras.ops.correlate of inputs of shape (1, 2) and (2, 1) is accepted silently"
        " on the torch backend"
    )


@pytest.mark.keras
@pytest.mark.slow
def test_a_function_that_was_run_before_runs_again(backends):
    operations(backends)
    network = Suspect(kind="ops.sum", config={"axis": -1}, shapes=((2, 3),)).network
    for weights in ({"layer": ()}, {}):
        done = backends.run(network, weights, make_inputs(network, 0))
        assert {name: one.failure for name, one in done.items()} == dict.fromkeys(backends.names)
