"""Whether what is measured is compared with another computation, on runs made by hand."""

from types import SimpleNamespace

import pytest

from analysis.target.observation import Observation, Outcome
from citadel.oracle.measure import Form
from citadel.oracle.quantities import Topic
from citadel.verify.performance import Measured

X, Y = {(2, 3)}, {(5, 5)}


@pytest.mark.parametrize(
    ("calls", "beside"),
    [
        ((("f", X, 5), ("g", X, 5)), True),
        ((("f", X, 5), ("f", X, 5), ("abs", Y)), True),
        ((("g", X, 5), ("f", X, 5), ("g", X, 400), ("f", X, 400)), True),  # one ratio per size
        ((("f", X, 5), ("f", X, 400)), False),
        ((("f", X, 5), ("f", X, 400), ("g", X, 400)), False),
        ((("f", X, 5), ("f", X, 400), ("abs", Y)), False),
    ],
)
def test_a_time_beside_that_of_another_computation(call, beside, calls):
    made = tuple(
        call(f"torch.{name}", *given, number=n, site=1) for n, (name, *given) in enumerate(calls, 1)
    )
    oracle = SimpleNamespace(measure=SimpleNamespace(form=Form.RATIO), topic=Topic.TIME)
    own = next(one for one in made if one.name == "torch.f")
    seen = Observation(outcome=Outcome.OK, calls=made)
    measured = SimpleNamespace(oracle=oracle, observation=seen, call=own)
    assert Measured.referred.fget(measured) is beside


def test_what_is_called_elsewhere_with_the_same_is_not_what_it_is_measured_beside(call):
    sizes = ((X, 5), (X, 400))
    made = tuple(call("torch.f", *given, number=n, site=1) for n, given in enumerate(sizes, 1))
    made += tuple(call("torch.abs", *given, number=n, site=2) for n, given in enumerate(sizes, 3))
    oracle = SimpleNamespace(measure=SimpleNamespace(form=Form.RATIO), topic=Topic.TIME)
    seen = Observation(outcome=Outcome.OK, calls=made)
    measured = SimpleNamespace(oracle=oracle, observation=seen, call=made[0])
    assert not Measured.referred.fget(measured)


def test_at_two_places_it_is_measured_in_two_ways(call):
    made = tuple(call("torch.f", X, number=n, site=n) for n in (1, 2))
    oracle = SimpleNamespace(measure=SimpleNamespace(form=Form.RATIO), topic=Topic.TIME)
    seen = Observation(outcome=Outcome.OK, calls=made)
    measured = SimpleNamespace(oracle=oracle, observation=seen, call=made[0])
    assert not Measured.referred.fget(measured)
