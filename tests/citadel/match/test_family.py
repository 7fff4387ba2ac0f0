"""Relations of names."""

import pytest

from analysis.catalog.model import Api, ApiKind
from citadel.match.family import relation, subwords

KINDS = {
    "torch.Tensor.": ApiKind.METHOD,
    "tf.Tensor.": ApiKind.METHOD,
    "torch.nn.functional.": ApiKind.FUNCTION,
    "torch.nn.": ApiKind.MODULE,
    "torch.ops.": ApiKind.OP,
    "tf.raw_ops.": ApiKind.OP,
    "tf.keras.layers.": ApiKind.MODULE,
}


def api(name):
    kind = next((k for prefix, k in KINDS.items() if name.startswith(prefix)), ApiKind.FUNCTION)
    return Api(name=name, kind=kind)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("torch.nn.Conv2d", "torch.nn.Conv3d", "dimension"),
        ("torch.nn.Conv2d", "torch.nn.functional.conv2d", "functional"),
        ("torch.nn.functional.conv1d", "torch.nn.LazyConv3d", "dimension, module, Lazy"),
        ("torch.clamp", "torch.Tensor.clamp", "method"),
        ("torch.clamp", "torch.Tensor.clamp_", "method, in-place"),
        ("torch.Tensor.clamp_", "torch.Tensor.clamp", "in-place"),
        ("torch.erf", "torch.special.erf", "same name"),
        ("tf.nn.avg_pool", "tf.keras.layers.AveragePooling3D", "dimension, module"),
        ("tf.keras.layers.MaxPooling1D", "tf.nn.max_pool1d", "function"),
        ("tf.nn.convolution", "tf.nn.conv3d", "dimension"),
        ("torch.linalg.eig", "torch.ops.aten.linalg_eig", "op"),
        ("torch.fft.rfft2", "torch.fft.rfftn", "dimension"),
        ("torch.fft.fft", "torch.ops.aten.fft_fft2", "dimension, op"),
        ("torch.pow", "torch.Tensor.__rpow__", "method, operator, reflected"),
        ("torch.div", "torch.Tensor.__itruediv__", "method, in-place, operator"),
        ("torch.nn.LSTMCell", "torch.lstm_cell", "function"),
        (
            "torch.nn.functional.max_pool2d",
            "torch.quantized_max_pool1d",
            "dimension, function, quantized",
        ),
        (
            "torch.nn.functional.max_pool1d",
            "torch.nn.functional.max_pool1d_with_indices",
            "with_indices",
        ),
        ("torch.median", "torch.nanmedian", "nan"),
        ("tf.nn.conv2d", "tf.raw_ops.Conv2D", "op"),
        ("tf.nn.conv2d", "tf.keras.layers.Conv3D", "dimension, module"),
        ("tf.nn.conv2d", "tf.compat.v1.nn.conv2d", "compat.v1 function"),
        ("tf.gather", "tf.raw_ops.GatherV2", "op, version"),
        ("tf.gather", "tf.raw_ops.ResourceGather", "op, resource"),
        ("tf.raw_ops.MaxPool3D", "tf.raw_ops.MaxPool3DGrad", "gradient"),
        ("tf.nn.depthwise_conv2d", "tf.raw_ops.DepthwiseConv2dNative", "op, native"),
        ("tf.math.add", "tf.Tensor.__add__", "method, operator"),
        ("torch.as_strided", "torch.as_strided_copy", "copy"),
    ],
)
def test_relatives(source, target, expected):
    assert relation(api(source), api(target)) == expected


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("torch.nn.Conv2d", "torch.nn.ConvTranspose2d"),
        ("torch.log", "torch.log2"),
        ("torch.exp", "torch.expm1"),
        ("torch.ones", "torch.nonzero"),
        ("torch.add", "torch.Tensor.__radd2__"),
        ("torch.nan_to_num", "torch.to_num"),
        ("torch.nn.functional.prelu", "torch.nn.functional.relu"),
        ("tf.nn.conv2d", "tf.nn.conv2d_transpose"),
        ("tf.raw_ops.Relu", "tf.raw_ops.Elu"),
    ],
)
def test_strangers(source, target):
    assert relation(api(source), api(target)) is None


def test_an_api_is_no_relative_of_itself():
    assert relation(api("torch.add"), api("torch.add")) is None


def test_words_of_both_styles():
    assert subwords("AdaptiveAvgPool2d") == ("adaptive", "avg", "pool", "2", "d")
    assert subwords("adaptive_avg_pool2d") == ("adaptive", "avg", "pool", "2", "d")
