"""The decision rules of planning, rewriting and names: documented, tested, and dispensable."""

import importlib
import pkgutil

import pytest

import citadel.family
import citadel.match
import citadel.plan
import citadel.rewrite
from analysis import rules
from analysis.catalog.model import ApiKind
from analysis.rules import Phrase, Rule
from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from tests.citadel.conftest import make_value
from tests.citadel.plan.conftest import Book

for _package in (citadel.plan, citadel.rewrite, citadel.match, citadel.family):
    for _module in pkgutil.iter_modules(_package.__path__, f"{_package.__name__}."):
        importlib.import_module(_module.name)
importlib.import_module("citadel.selection")

PLANNING = ("convert", "variant", "fill")
ROOMS = (*PLANNING, "plan", "type", "name", "backend", "rewrite")
OURS = {name: one for name, one in rules.known().items() if name.partition("/")[0] in ROOMS}
RULES = sorted(name for name, one in OURS.items() if isinstance(one, Rule))
PHRASES = sorted(name for name, one in OURS.items() if isinstance(one, Phrase))
SWITCHED = [name for name in RULES if name.partition("/")[0] in PLANNING]


def test_each_room_has_rules():
    assert {name.partition("/")[0] for name in (*RULES, *PHRASES)} == set(ROOMS)


@pytest.mark.parametrize("name", RULES)
def test_rule_says_what_it_does(name):
    assert OURS[name].meaning or OURS[name].examples


@pytest.mark.parametrize("name", PHRASES)
def test_phrase_finds_its_examples_and_spares_the_others(name):
    phrase = OURS[name]
    assert phrase.finds
    assert [text for text in phrase.finds if not phrase.search(text)] == []
    assert [text for text in phrase.spares if phrase.search(text)] == []


@pytest.fixture
def siblings(api):
    """APIs in other dimensions, layers, methods, and what has parameters of its own to fill."""
    weights = "input: Tensor, weight: Tensor, bias: Tensor? = None, stride: int[1] = 1"
    return (
        api("torch.conv1d", weights),
        api("torch.conv3d", weights.replace("int[1]", "int[3]")),
        api("torch.cat", "tensors: Tensor[], dim: int"),
        api("torch.index_select", "input: Tensor, dim: int, index: Tensor"),
        api("torch.Tensor.clamp_", "self: Tensor, min: Scalar?", kind=ApiKind.METHOD),
        api(
            "torch.nn.Conv2d",
            "in_channels: int, out_channels: int, kernel_size: int[2], groups: int = 1",
            kind=ApiKind.MODULE,
            call="input: Tensor",
        ),
        api("torch.mystery", "size: int[], mode: str, flag: bool, dtype: ScalarType"),
    )


@pytest.fixture
def valid():
    """A valid call, by the names of many parameters."""
    return Book(
        {
            "input": make_value({(2, 6, 9)}),
            "index": Value(kind="tensor", shape=(2,), dtype="int64", content="[0, 1]"),
            "mode": make_value("mean"),
            "in_channels": make_value(6),
        }
    )


@pytest.mark.parametrize("name", SWITCHED)
def test_planning_goes_on_without_a_rule(name, conv, clamp, siblings, valid):
    with rules.switched_off(name):
        for source in (conv, clamp):
            for target in siblings:
                for book in (None, valid):
                    assert plans(source, target, book)  # plans, or an obstacle


def test_conversions_are_counted(conv, siblings):
    before = rules.counts()
    plans(conv, siblings[1])
    assert "convert/spatial-dimensions" in rules.deciding(before)
    with rules.switched_off("convert/spatial-dimensions"):
        before = rules.counts()
        plans(conv, siblings[1])
    assert "convert/spatial-dimensions" not in rules.deciding(before)


def test_call_of_tensorflow_is_planned_without_any_conversion(api, call):
    signature = "input: Tensor, ksize: ints, strides: ints, data_format: str = 'NHWC'"
    made = call("tf.nn.max_pool2d", {(1, 8, 8, 3)}, [2, 2], [1, 1])
    source = invocation(made, api("tf.nn.max_pool2d", signature.replace(": ints", "")), ())
    target = api("tf.nn.max_pool3d", signature.replace(": ints", ""))
    for name in SWITCHED:
        with rules.switched_off(name):
            assert plans(source, target)
