"""Samples hold the elements of small tensors: a fill is a valid value, not only a valid shape."""

import json

import pytest

from analysis.target.observation import Outcome
from analysis.values import Value

TORCH = """
import torch
values = [torch.tensor([[1, 2]]), torch.tensor(0.5), [torch.tensor([True])], torch.zeros(17),
          torch.tensor(float("nan")), torch.eye(2).to_sparse(), torch.ones(2, device="meta"),
          torch.ones(2, requires_grad=True), torch.tensor(1j)]
"""
TENSORFLOW = """
import tensorflow as tf
values = [tf.constant([[1, 2]]), tf.constant(0.5), [tf.constant([True])], tf.zeros(17),
          tf.constant(float("nan")), tf.sparse.eye(2), tf.constant("text"), tf.Variable([1., 1.]),
          tf.constant(1j)]
"""


@pytest.fixture
def described(request):
    """The values of a text, described by the real framework in its sandbox."""

    def look(fixture, text):
        code = text + (
            "import json\nfrom described import describe_call\n"
            "for value in values:\n"
            "    print(json.dumps(describe_call(((value,), {}, None))['a'][0]))\n"
        )
        with request.getfixturevalue(fixture).session() as session:
            seen = session.run(code)
        assert seen.outcome is Outcome.OK, seen.stderr
        return [Value.from_json(json.loads(line)) for line in seen.stdout.splitlines()]

    return look


def content(value):
    return value.content if value.items is None else [content(item) for item in value.items]


@pytest.mark.torch
def test_small_tensors_of_torch(described):
    found = described("torch_target", TORCH)
    assert [content(value) for value in found] == [
        "[[1, 2]]", "0.5", ["[True]"], None, None, None, None, "[1.0, 1.0]", None,
    ]  # fmt: skip


@pytest.mark.tf
def test_small_tensors_of_tensorflow(described):
    found = described("tf_target", TENSORFLOW)
    assert [content(value) for value in found] == [
        "[[1, 2]]", "0.5", ["[True]"], None, None, None, None, "[1.0, 1.0]", None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "data", ["__import__('os')", {"a": 1}, [[1], ["x"]], None, float("inf"), [None]]
)
def test_what_is_no_number_is_no_content(data):
    record = {"k": "tensor", "shape": [1], "dtype": "float32", "data": data}
    assert Value.from_json(record).content is None


def test_content_survives_the_cache():
    record = {"k": "tensor", "shape": [2], "dtype": "float32", "data": [1.0, -2.5]}
    assert Value.from_json(Value.from_json(record).to_json()) == Value.from_json(record)
