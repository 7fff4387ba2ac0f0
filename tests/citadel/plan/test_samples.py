"""Valid calls of an API, or of another form of the same operation where it has none."""

from types import SimpleNamespace

import pytest

from analysis.catalog.model import ApiKind
from analysis.dynamic.model import CallValues, Provider, Sample
from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.lexicon import Lexicon
from citadel.plan.samples import SampleBook, of_other_numbers

STRIDES = Value(kind="list", items=(Value(kind="int", text="1"),) * 5)
TENSOR = Value(kind="tensor", shape=(2,) * 5, dtype="float32")
FUNCTION = "input, filters, strides, padding"


@pytest.fixture
def book(api):
    """A book of an operator's samples, and of functions that have none."""

    def made(*others, **keywords):
        operator = api("tf.raw_ops.Conv3D", "input, filter, strides, padding", kind=ApiKind.OP)
        call = CallValues(arguments=(TENSOR, TENSOR), keywords={"strides": STRIDES, **keywords})
        sample = Sample(provider=Provider.SYNTHESIS, call=call)
        apis = {one.name: one for one in (operator, *others)}
        catalog = SimpleNamespace(apis=apis)
        return SampleBook(SimpleNamespace(catalog=catalog, samples={operator.name: (sample,)}))

    return made


def test_another_form_tells_what_a_function_takes(api, book):
    function = api("tf.nn.conv3d", FUNCTION)
    (known,) = book(function).of(function)
    assert known == {"input": TENSOR, "filters": TENSOR, "strides": STRIDES}


@pytest.mark.parametrize(
    ("name", "signature", "kind"),
    [
        ("tf.nn.conv2d", FUNCTION, ApiKind.FUNCTION),  # other dimensions
        ("tf.nn.conv3d_transpose", FUNCTION, ApiKind.FUNCTION),
        ("tf.other.conv3d", "input, sizes", ApiKind.FUNCTION),  # other parameters
        ("tf.keras.layers.Conv3D", FUNCTION, ApiKind.MODULE),
    ],
)
def test_what_is_of_another_operation_tells_nothing(api, book, name, signature, kind):
    other = api(name, signature, kind=kind)
    assert book(other).of(other) == ()


SIZES = Value(kind="list", items=(Value(kind="int", text="3"),) * 5)
VECTOR = Value(kind="tensor", shape=(5,), dtype="int32")


def test_parameters_that_are_given_other_numbers_are_apart():
    source = [{"input_sizes": VECTOR, "gradient": TENSOR, "x": VECTOR}]
    target = [{"input": TENSOR, "output_shape": SIZES, "axis": Value(kind="str", text="'a'")}]
    # `x` and `input` are one by convention.
    pairs = {("input_sizes", "input"), ("gradient", "output_shape")}
    assert of_other_numbers(source, target, Lexicon()) == pairs
    # By names alone nobody would take these for each other.
    assert (
        of_other_numbers([{"sizes": VECTOR, "gradient": TENSOR}], target, Lexicon()) == frozenset()
    )
    both = [{"input_sizes": VECTOR}, {"input_sizes": TENSOR}]
    assert of_other_numbers(both, target, Lexicon()) == frozenset()
    assert of_other_numbers([], target, Lexicon()) == frozenset()


def test_what_is_apart_by_its_numbers_is_given_elsewhere_first(api, call):
    made = call("tf.backprop", {(1,)}, {(1, 3)})
    source = invocation(made, api("tf.backprop", "input_sizes: Tensor, gradient: Tensor"), ())

    class Book:
        def of(self, one):
            own = {"input_sizes": VECTOR, "gradient": TENSOR}
            return (own if one.name == "tf.backprop" else {"input": TENSOR, "shape": VECTOR},)

    first, *others = plans(source, api("tf.transposed", "input: Tensor, shape: Tensor"), Book())
    assert [slot.value.key for slot in first.call] == ["arg:1", "arg:0"]
    assert ["arg:0", "arg:1"] in [[slot.value.key for slot in one.call] for one in others]
