"""What is recorded of the values that a case shows, on real frameworks."""

from textwrap import dedent

import pytest

from analysis.target.instrument import instrument, watched
from analysis.target.observation import Outcome
from citadel.oracle.numbers import same

TORCH = [
    ("torch.tensor([1.0, float('nan'), -float('inf')])", (3, 1, 0, 1)),
    ("torch.tensor([complex(0, float('nan')), complex(float('inf'), 0)])", (2, 1, 1, 0)),
    ("torch.ones(3, dtype=torch.bfloat16)", (3, 0, 0, 0)),
    ("torch.tensor([True, False])", (2, 0, 0, 0)),
    ("torch.eye(2).to_sparse()", (4, 0, 0, 0)),
    ("torch.empty(0, 5)", (0, 0, 0, 0)),
    ("torch.zeros(2000, 2000).fill_diagonal_(float('nan'))", (4_000_000, 2000, 0, 0)),
]
TENSORFLOW = [
    ("tf.constant([1.0, float('nan'), -float('inf')])", (3, 1, 0, 1)),
    ("tf.ones(3, tf.bfloat16)", (3, 0, 0, 0)),
    ("tf.constant([2**64 - 1], tf.uint64)", (1, 0, 0, 0)),
    ("tf.sparse.SparseTensor([[0, 1]], [float('nan')], [2, 2])", (4, 1, 0, 0)),
    ("tf.sparse.SparseTensor([[0, 5]], [float('nan')], [2, 2])", (3, 1, 0, 0)),  # no such place
]


def seen(session, code):
    code = dedent(code)
    run = session.run(code, traced=watched(instrument(code)).text)
    assert run.outcome is Outcome.OK
    return [one.value for one in run.seen]


def assert_counts(session, framework, text, counts):
    (value,) = seen(session, f"import {framework}\nprint({text})")
    numbers = value.numbers
    assert (numbers.count, numbers.nan, numbers.inf, numbers.ninf) == counts


@pytest.mark.torch
@pytest.mark.parametrize(("text", "counts"), TORCH)
def test_pytorch(bubblewrap_session, text, counts):
    assert_counts(bubblewrap_session, "torch", text, counts)


@pytest.mark.tf
@pytest.mark.slow
def test_tensorflow(tf_target):
    with tf_target.session() as session:
        for text, counts in TENSORFLOW:
            assert_counts(session, "tensorflow as tf", text, counts)


@pytest.mark.torch
@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("x", "x.t()", False),
        ("x", "x.flip(0)", False),
        ("x", "x * (1 + 3e-7)", True),
        ("x", "torch.add(x, 5e-6 * torch.randn(300, 300).sign())", True),
        ("x.bfloat16()", "x.t().bfloat16()", False),
        ("x.bfloat16()", "(x * 1.004).bfloat16()", True),
        ("torch.complex(x, x.t())", "torch.complex(x, -x.t())", False),
        ("torch.complex(x, x.t())", "torch.complex(x, x.t()) * (1 + 3e-7)", True),
    ],
)
def test_large_tensors_are_compared_by_more_than_what_they_hold(
    bubblewrap_session, one, other, agree
):
    code = f"import torch\nx = torch.randn(300, 300)\nprint({one})\nprint({other})\n"
    assert same(*seen(bubblewrap_session, code)) is agree


@pytest.mark.torch
def test_extended_precision(bubblewrap_session):
    code = """
        import numpy as np, torch
        print(np.array([1, 2], np.longdouble))
        print(np.array([1, 2j], np.clongdouble))
    """
    real, pairs = seen(bubblewrap_session, code)
    assert real.numbers.few == (1, 2)
    assert pairs.numbers.few == (1, 2j)


@pytest.mark.torch
def test_statistics_and_digests(bubblewrap_session):
    one, other, zeros = seen(
        bubblewrap_session,
        """
        import torch
        x = torch.arange(3_000_000, dtype=torch.float32)
        print(x)
        print(x.flip(0).flip(0))
        print(torch.tensor([0.0, -0.0, float("nan"), -float("nan")]))
        """,
    )
    assert (one.numbers.low, one.numbers.high) == (0.0, 2_999_999.0)
    assert one.numbers.mean == pytest.approx(1_499_999.5)
    assert one.numbers.few is None
    assert one.numbers.digest == other.numbers.digest
    assert len(zeros.numbers.few) == 4


@pytest.mark.torch
def test_hostile_values_do_not_disturb_the_case(bubblewrap_session):
    values = seen(
        bubblewrap_session,
        """
        import torch

        class Liar:
            dtype = "float32"

            @property
            def shape(self):
                raise RuntimeError("no")

            def __array__(self, *args, **kwargs):
                raise SystemError("no")

        class Sub(torch.Tensor):
            def detach(self):
                raise ValueError("no")

        print(Liar() is not None, Sub([1.0]).sum() is not None)
        print(Liar())
        print(torch.sparse_coo_tensor(torch.zeros(3, 1).long(), [1.0], (100_000, 100_000, 100_000)))
        """,
    )
    assert values[-1].numbers is None
