"""Failing calls made by hand, to be planned for siblings."""

import pytest

from analysis.catalog.model import ApiKind
from citadel.plan.invocation import invocation
from citadel.plan.model import Fill, Obstacle

CONV2D = "input: Tensor, weight: Tensor, bias: Tensor? = None, stride: int[2] = 1, groups: int = 1"


class Book:
    """Samples by parameter name, as `SampleBook` gives them."""

    def __init__(self, *samples):
        self.samples = samples

    def of(self, _api):
        return self.samples


@pytest.fixture
def conv(api, call):
    """`conv2d(x, w, groups=0)`."""
    made = call("torch.conv2d", {(1, 4, 8, 8)}, {(4, 4, 3, 3)}, groups=0)
    return invocation(made, api("torch.conv2d", CONV2D), ())


@pytest.fixture
def clamp(api, call):
    """`x.clamp(1, 0)`."""
    source = api(
        "torch.Tensor.clamp", "self: Tensor, min: Scalar?, max: Scalar?", kind=ApiKind.METHOD
    )
    made = call("torch.Tensor.clamp", 1, 0, form="method", receiver={(2, 3)})
    return invocation(made, source, ())


def written(slots):
    return [
        (f"{slot.name}=" if slot.keyword else "")
        + (slot.value.text if isinstance(slot.value, Fill) else slot.value.key)
        for slot in slots
    ]


def first(found):
    assert not isinstance(found, Obstacle), found
    return found[0]
