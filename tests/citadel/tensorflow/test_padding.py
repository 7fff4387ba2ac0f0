"""One error of padding in three dimensions: pooling and convolutions have it alike."""

from dataclasses import replace

import pytest

from analysis.dynamic.model import CallValues, Provider, Sample
from analysis.target.session import Limits
from analysis.values import Value
from citadel.model import VerdictKind
from citadel.options import Options
from citadel.plan.samples import SampleBook
from citadel.triage import verify_on
from tests.citadel.tensorflow.test_precision import judged  # noqa: F401

pytestmark = [pytest.mark.tf, pytest.mark.slow]

# Kernels of the framework's own; those of oneDNN are right.
SHIFTED = """
    import os
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
    import numpy as np
    import tensorflow as tf

    x = np.arange(6, dtype="float32").reshape(1, 6, 1, 1, 1)
    expected = tf.nn.avg_pool3d(x, ksize=1, strides=3, padding="VALID").numpy()
    actual = tf.nn.avg_pool3d(x, ksize=1, strides=3, padding="SAME").numpy()
    np.testing.assert_allclose(actual, expected)
"""


TENSOR = Value(kind="tensor", shape=(2, 2, 2, 2, 2), dtype="float32")
ONES = Value(kind="list", items=(Value(kind="int", text="1"),) * 5)
VALID = {
    "tf.raw_ops.Conv3D": {"input": TENSOR, "filter": TENSOR, "strides": ONES},
    "tf.nn.convolution": {"input": TENSOR, "filters": TENSOR},
}
"""What an index knows of them; that of these tests has no valid calls."""


@pytest.fixture
def sampled(bench, monkeypatch):
    samples = {
        name: (Sample(provider=Provider.SYNTHESIS, call=CallValues(keywords=given)),)
        for name, given in VALID.items()
    }
    book = SampleBook(replace(bench.index, samples=samples))
    monkeypatch.setattr(bench, "samples", book)


@pytest.mark.usefixtures("sampled")
def test_convolutions_share_the_padding_of_pooling(bench, read, judged):  # noqa: F811
    reading = read("tf.nn.avg_pool3d starts elsewhere with padding SAME", SHIFTED, text="")
    found = verify_on(reading, bench, Options(runs=1, limits=Limits(wall=60.0)))
    assert (found.case.api, found.case.reproduces) == ("tf.nn.avg_pool3d", True)
    for name in ("tf.nn.max_pool3d", "tf.nn.conv3d", "tf.nn.convolution", "tf.raw_ops.Conv3D"):
        assert judged(found, name, None).kind is VerdictKind.BUG, name
    assert judged(found, "tf.nn.conv2d", None).kind is not VerdictKind.BUG
