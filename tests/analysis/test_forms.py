"""The forms of one API."""

import pytest

from analysis.forms import forms

CLAMP = {
    "functions": "torch.clamp",
    "methods": "torch.Tensor.clamp",
    "in_place": "torch.Tensor.clamp_",
    "operators": "torch.ops.aten.clamp",
    "out": "torch.clamp",
}


@pytest.mark.slow
def test_what_one_operator_is_reached_as(index):
    found = forms(index)["torch.clamp"]
    assert {form: name in getattr(found, form) for form, name in CLAMP.items()} == dict.fromkeys(
        CLAMP, True
    )
    assert forms(index)["torch.Tensor.clamp_"] == found
    assert set(CLAMP.values()) <= set(found.names)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("layer", "function"),
    [
        ("torch.nn.Conv2d", "torch.nn.functional.conv2d"),
        ("torch.nn.MaxPool3d", "torch.nn.functional.max_pool3d"),
        ("torch.nn.Hardtanh", "torch.nn.functional.hardtanh"),
    ],
)
def test_layers_are_forms_of_what_they_call(index, layer, function):
    assert layer in forms(index)[function].modules


@pytest.mark.slow
def test_strangers_are_no_forms(index):
    found = forms(index)
    assert "torch.nn.Conv3d" not in found["torch.nn.Conv2d"].names
    assert "torch.nn.functional.conv_transpose2d" not in found["torch.nn.Conv2d"].names
