"""Operator names that are made comparable."""

import pytest

from analysis.dynamic.canonical import canonical_set, canonical_tensorflow, canonical_torch


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("aten::add_", "add"),
        ("aten::_convolution", "convolution"),
        ("aten::mkldnn_convolution", "convolution"),
        ("aten::slow_conv3d", "convNd"),
        ("aten::max_pool2d", "max_poolNd"),
        ("aten::native_layer_norm", "layer_norm"),
        ("MaxPool2DWithIndicesBackward0", "MaxPoolNdWithIndicesBackward"),
        ("AddBackward1", "AddBackward"),
        ("aten::log2", "log2"),
        ("aten::fft_fft2", "fft_fft2"),
        ("autograd::engine::evaluate_function: AddBackward0", ""),
        ("torch::autograd::AccumulateGrad", ""),
        ("__start_profile", ""),
    ],
)
def test_canonical_torch(given, expected):
    assert canonical_torch(given) == expected


def test_forms_of_one_operator_are_one_member_of_the_set():
    names = ["aten::conv1d", "aten::conv3d", "aten::_conv2d", "torch::autograd::GraphRoot"]
    assert canonical_set("torch", names) == {"convNd"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("Conv2D", "ConvNd"),
        ("Conv3DBackpropFilterV2", "ConvNdBackpropFilter"),
        ("GatherV2", "Gather"),
        ("ResourceGather", "Gather"),
        ("ResourceApplyAdam", "ApplyAdam"),
        ("_FusedConv2D", "ConvNd"),
        ("LeakyRelu", "LeakyRelu"),
        ("Relu6", "Relu6"),
        ("IV", "IV"),
    ],
)
def test_operation_types_of_tensorflow(given, expected):
    assert canonical_tensorflow(given) == expected
