"""From profiles to the sets that are compared."""

import pytest

from analysis.dynamic.context import contexts, roots
from analysis.dynamic.model import CallSets, Provider


def sets(**given):
    return CallSets(
        provider=Provider.OPINFO, **{kind: frozenset(names) for kind, names in given.items()}
    )


def test_forward_and_backward_count_and_construction_does_not():
    profile = sets(forward=["aten::relu"], backward=["ReluBackward0"], constructor=["aten::empty"])
    assert contexts("torch", {"torch.nn.ReLU": profile}) == {
        "torch.nn.ReLU": {"relu", "ReluBackward"}
    }


def test_frames_are_no_context_of_torch():
    profile = sets(forward=["aten::relu"], frames=["torch.nn.functional.relu"])
    assert contexts("torch", {"f": profile}) == {"f": {"relu"}}


def test_an_api_that_runs_nothing_has_no_context():
    silent = sets(constructor=["aten::empty"], frames=["tensorflow.f"])
    assert contexts("torch", {"f": silent}) == {}
    assert contexts("tensorflow", {"f": silent}) == {}


def test_telling_frames_are_context_of_tensorflow():
    own = {f"tf.f{n}": sets(forward=["Abs"], frames=["plumbing", f"own{n}"]) for n in range(10)}
    found = contexts("tensorflow", own)
    assert found["tf.f3"] == {"Abs", "own3"}


BODIES = {
    "aten::conv2d": (frozenset(("aten::convolution",)),),
    "aten::convolution": (frozenset(("aten::_convolution",)), frozenset(("aten::convolution",))),
}


@pytest.mark.parametrize(
    ("forward", "expected"),
    [
        (["aten::conv2d", "aten::convolution", "aten::_convolution"], {"aten::conv2d"}),
        (["aten::convolution", "aten::_convolution"], {"aten::convolution"}),
        (["aten::add", "aten::_convolution"], {"aten::add", "aten::_convolution"}),
        ([], set()),
    ],
)
def test_roots_are_what_no_other_operator_of_the_api_calls(forward, expected):
    assert roots({"f": sets(forward=forward)}, BODIES)["f"] == expected
