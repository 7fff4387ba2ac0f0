"""Bugs that only the numbers of a network show: confirmed, made small, handed over with them."""

import os
import subprocess

import numpy as np
import pytest

from harvest.sources.backends import Execution, Failure
from harvest.sources.blaming import ALONE, TRIES, Blame, Ran
from harvest.sources.given import Given
from harvest.sources.handover import GIVEN, TOO_MANY, hand_over
from harvest.sources.judging import judge
from harvest.sources.known_limits import OVERFLOW
from harvest.sources.networks import Layer, Network, make_inputs, make_weights
from harvest.sources.suspects import Suspect, confirm
from harvest.sources.writing import array_text
from tests.harvest.sources import planted
from tests.harvest.sources.conftest import KERAS

THIRDS = np.array([[1, -20], [3, 4]], "float32") / 3
GIVEN_NUMBERS = Given(inputs=(THIRDS, np.array([[7], [8]])), weights=(np.float32([[1 / 3]]),))


def arrays(given):
    return [one.tolist() for one in (*given.inputs, *given.weights)]


def test_one_instance_and_fewer_elements():
    assert arrays(GIVEN_NUMBERS.instance(1).cut([(1, 1), (1, 1)]))[:2] == [[[1.0]], [[8]]]
    assert GIVEN_NUMBERS.count == 7


def test_digits_are_those_of_each_number_and_indices_stay():
    numbers, indices, weights = arrays(GIVEN_NUMBERS.rounded(2))
    assert numbers == np.float32([[0.33, -6.7], [1, 1.3]]).tolist()
    assert (indices, weights) == ([[7], [8]], np.float32([[0.33]]).tolist())


def test_magnitudes_above_one_are_scaled_down_together():
    numbers, _, weights = GIVEN_NUMBERS.scaled()._all
    assert numbers[0].tolist() == pytest.approx([0.05, -1])
    assert weights[0, 0] == pytest.approx(0.05)
    beyond = Given(inputs=(np.float32([1e6, -2e6, np.inf]), np.array([7])), weights=()).scaled()
    assert arrays(beyond) == [[0.5, -1, 1], [7]]
    small = Given(inputs=(np.float32([0.5]),), weights=())
    assert arrays(small.scaled()) == [[0.5]]


def test_a_rounding_is_the_least_that_changes():
    moved = GIVEN_NUMBERS.moved().inputs[0]
    assert (moved != THIRDS).all()
    np.testing.assert_allclose(moved, THIRDS, rtol=2e-7)


def test_numbers_are_written_so_that_they_are_the_same_again():
    numbers = np.random.default_rng(0).standard_normal(50).astype("float32") * 10.0 ** np.arange(
        -25, 25
    ).astype("float32")
    again = eval(array_text(numbers), {"np": np})
    assert again.dtype == numbers.dtype
    assert again.tolist() == numbers.tolist()


class Pretending:
    """Backends of which one is told what it makes of the others' result."""

    names = quick = ("tensorflow", "jax", "torch")

    def __init__(self, wrong, right=np.abs):
        self.wrong, self.right = wrong, right

    def describe(self, network, inputs):
        return {layer.name: [] for layer in network.layers}

    def run(self, network, weights, inputs, *, only=None):
        (given,) = inputs.values()
        done = {}
        for name in only or self.names:
            made = self.right(given)
            made = self.wrong(given, made) if name == "torch" else made
            states = {layer.name: made for layer in network.layers}
            done[name] = Execution(backend=name, states=states)
        return done

    def script(self, code, only=None):
        return dict.fromkeys(only or self.names)


def blamed(backends, numbers, *, blame=None, weights=None):
    network = Network(
        name="n",
        inputs={"in": numbers.shape},
        layers=(Layer(name="l", kind="Flatten", inputs=("in",)),),
    )
    ran = Ran(
        network=network,
        inputs={"in": numbers},
        weights={"l": ()} if weights is None else weights,
        executions=backends.run(network, {}, {"in": numbers}),
    )
    (judged,) = judge(network, ran.executions)
    return (blame or Blame(backends)).hit(ran, judged, origin="by hand", measures={})


def test_what_is_not_confirmed_does_not_hide_what_is():
    wrong = Pretending(lambda given, made: made * np.where(np.abs(given) > 8, 2, 1))
    blame = Blame(wrong)
    numbers = np.full((2, 3), 9, "float32")
    unknown = {"blame": blame, "weights": {}}  # so that it cannot be confirmed
    assert blamed(wrong, numbers, **unknown).key == "unconfirmed:inconsistency:Flatten:torch"
    assert blamed(wrong, numbers, **unknown) is None
    assert blamed(wrong, numbers, blame=blame).key == "inconsistency:Flatten:torch"
    assert blamed(wrong, numbers, blame=blame) is None
    again = {"blame": Blame(wrong), "weights": {}}
    told = [blamed(wrong, numbers, **again) for _ in range(TRIES)]
    assert [one is not None for one in told] == [True, False, False]
    assert blamed(wrong, numbers, blame=again["blame"]) is None  # often enough


def test_what_is_as_large_as_the_change_by_one_rounding_is_no_bug_of_the_layer():
    chaotic = Pretending(lambda given, made: made + 0.3, lambda given: np.sin(given * 1e9))
    numbers = np.full((2, 3), 9e4, "float32")
    confirmed = Given(inputs=(numbers,), weights=())
    suspect = Suspect(kind="Flatten", config={}, shapes=(numbers.shape,))
    assert confirm(chaotic, suspect, given=confirmed) is None
    steady = Pretending(lambda given, made: made + 0.3 * (given > 1e4))
    assert confirm(steady, suspect, given=confirmed) is None  # 0.3 of 90,000 is rounding
    steady = Pretending(lambda given, made: made * np.where(given > 1e4, 2, 1))
    assert confirm(steady, suspect, given=confirmed) is not None


def test_a_backend_that_is_too_slow_has_no_say():
    class Slow(Pretending):
        def run(self, network, weights, inputs, *, only=None):
            done = super().run(network, weights, inputs, only=only)
            late = Failure(layer="layer", died="timeout")
            if "tensorflow" in done:
                done["tensorflow"] = Execution(backend="tensorflow", states={}, failure=late)
            return done

    wrong = Slow(lambda given, made: made * np.where(given > 1e4, 2, 1))
    numbers = np.full((2, 3), 9e4, "float32")
    suspect = Suspect(kind="Flatten", config={}, shapes=(numbers.shape,))
    found = confirm(wrong, suspect, given=Given(inputs=(numbers,), weights=()))
    assert found is not None
    assert not found.judgement.vote.odd


def test_nan_of_large_numbers_only_is_an_overflow():
    over = Pretending(lambda given, made: np.where(given > 1e20, np.nan, made))
    assert blamed(over, np.full((2, 3), 1e30, "float32")).limit == OVERFLOW
    fives = Pretending(lambda given, made: np.where(given > given.mean(), np.nan, made))
    odd = np.float32([[9, 1, 1], [1, 1, 1]]) * np.float32(1e30)
    assert blamed(fives, odd).limit == ""


def test_what_cannot_be_written_down_says_so():
    wrong = Pretending(lambda given, made: made * np.where(np.abs(given) > 8, 2, 1))
    hit = blamed(wrong, np.full((1, GIVEN + 1, 1), 9, "float32"))
    assert hit.no_case != ALONE
    few = Pretending(lambda given, made: made * (1 + (given.size > GIVEN and given.max() > 8)))
    assert blamed(few, np.full((1, GIVEN + 1, 1), 9, "float32")).no_case == TOO_MANY


def activated(kind, **config):
    """A dense layer whose results are large, and one that gives them to the bug, or has it."""
    dense = Layer(name="d", kind="Dense", config={"units": 6, **config}, inputs=("in",))
    layers = [dense]
    if kind != "Dense":
        layers.append(Layer(name="a", kind=kind, config={"activation": "softplus"}, inputs=("d",)))
    return Network(name="large", inputs={"in": (4, 5)}, layers=tuple(layers))


@pytest.mark.keras
@pytest.mark.slow
@pytest.mark.parametrize(
    "network",
    [
        pytest.param(activated("Dense", activation="softplus"), id="weights"),
        pytest.param(activated("Activation"), id="state"),
    ],
)
def test_a_bug_of_real_weights_or_states_is_handed_over_with_them(planted_backends, network):
    inputs = make_inputs(network, 0)
    weights = make_weights(planted_backends.describe(network, inputs), 0)
    weights = {name: tuple(12 * one for one in own) for name, own in weights.items()}
    executions = planted_backends.run(network, weights, inputs)
    ran = Ran(network=network, inputs=inputs, weights=weights, executions=executions)
    (judged,) = judge(network, executions)
    hit = Blame(planted_backends).hit(ran, judged, origin="by hand", measures={})
    assert hit.case is not None, hit.no_case
    assert "# The documented formula" in hit.case.code
    assert "rng" not in hit.case.code  # these very numbers
    told = planted_backends.script(hit.case.code)
    assert told["tensorflow"].label == "AssertionError"
    assert (told["jax"], told["torch"]) == (None, None)
    variables = {**os.environ, "KERAS_BACKEND": "tensorflow"}
    for patch, status in ((planted.SATURATES, 1), ("", 0)):
        fresh = subprocess.run([KERAS, "-c", patch + hit.case.code], env=variables, timeout=120)
        assert fresh.returncode == status


@pytest.mark.keras
@pytest.mark.slow
def test_what_no_formula_says_is_compared_with_the_majority(planted_backends):
    """A product of a kernel, where nothing but the numbers themselves is at hand."""
    given = Given(inputs=(np.float32([[5, 5, 5]]),), weights=(np.full((3, 2), 2, "float32"),))
    config = {"units": 2, "use_bias": False, "activation": "softplus"}
    dense = Suspect(kind="Dense", config=config, shapes=((1, 3),))
    handed = hand_over(planted_backends, confirm(planted_backends, dense, given=given), "measured")
    assert "# What jax and torch come to." in handed.case.code
    assert "keras.layers.Dense(units=2" in handed.case.code
