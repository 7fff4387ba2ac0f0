"""Which APIs are forms of one operation."""

import pytest

from citadel.family.operations import Operations


@pytest.mark.slow
@pytest.mark.parametrize(
    "forms",
    [
        ("torch.clamp", "torch.Tensor.clamp", "torch.Tensor.clamp_", "torch.ops.aten.clamp"),
        ("torch.nn.MaxPool3d", "torch.nn.functional.max_pool3d"),
        ("torch.linalg.norm", "torch.ops.aten.linalg_norm"),
    ],
)
def test_forms_share_their_operation(torch_target, index_of, forms):
    of = Operations(index_of(torch_target)).of
    assert len({of(form) for form in forms}) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "strangers",
    [
        ("torch.optim.SGD", "torch.optim.lr_scheduler.StepLR", "torch.optim.lr_scheduler.LinearLR"),
        ("torch.normal", "torch.nn.init.xavier_normal_", "torch.nn.init.kaiming_normal_"),
        ("torch.nn.functional.pad", "torch.nn.ConstantPad1d", "torch.nn.ReflectionPad2d"),
        ("torch.nn.Dropout1d", "torch.nn.Dropout2d"),
        ("torch.ops.aten.add", "torch.ops.quantized.add"),
    ],
)
def test_who_runs_the_same_operator_is_no_form_of_it(torch_target, index_of, strangers):
    of = Operations(index_of(torch_target)).of
    assert len({of(name) for name in strangers}) == len(strangers)


@pytest.mark.slow
def test_strangers_do_not(torch_target, index_of):
    of = Operations(index_of(torch_target)).of
    names = ("torch.clamp", "torch.nn.Conv2d", "torch.nn.Conv3d", "torch.nn.LSTM", "no.such.name")
    assert len({of(name) for name in names}) == len(names)


@pytest.mark.slow
@pytest.mark.tf
@pytest.mark.parametrize(
    "forms",
    [
        ("tf.nn.max_pool3d", "tf.raw_ops.MaxPool3D", "tf.keras.layers.MaxPooling3D"),
        ("tf.math.sin", "tf.raw_ops.Sin"),
    ],
)
def test_forms_of_tensorflow(tf_target, index_of, forms):
    of = Operations(index_of(tf_target)).of
    assert len({of(form) for form in forms}) == 1
