"""Words of the report's that a sibling has not got, axes that its valid calls have, and what goes
astray on the way."""

from dataclasses import replace

import pytest

from analysis.catalog.model import ApiKind
from analysis.values import Value
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.lexicon import learnt

from .conftest import Book, first, written

NORM = "x: Tensor, ord: Any = None, axis: int? = None"


@pytest.fixture
def norm(api, call):
    """`tf.norm(x, ord="euclidean", axis=1)`."""
    made = call("tf.norm", {(4, 1)}, ord="euclidean", axis=1)
    return invocation(made, api("tf.norm", NORM), ())


@pytest.mark.parametrize(
    ("known", "signature", "dropped"),
    [
        ((), NORM, True),
        (("fro",), NORM, True),
        (("fro", "euclidean"), NORM, False),
        ((), NORM.replace(" = None, axis", ", axis"), False),  # it needs one
    ],
)
def test_a_word_that_no_valid_call_has_may_be_left_out(api, norm, known, signature, dropped):
    book = Book(*({"ord": Value(kind="str", text=repr(word))} for word in known))
    found = plans(norm, api("tf.keras.ops.norm", signature), book)
    assert "kw:ord" in str(written(found[0].call))
    assert any("dropped ord" in plan.edits for plan in found) is dropped


def axes(*numbers):
    return Value(kind="list", items=tuple(Value(kind="int", text=str(n)) for n in numbers))


@pytest.mark.parametrize(
    ("dtype", "shape", "known", "expected"),
    [
        ("float16", (4, 8), (1,), "[1]"),
        ("float16", (8,), (1,), "[0]"),
        ("float16", (8,), (-1,), "[-1]"),
        ("int32", (8,), (0,), "arg:0"),
    ],
)
def test_axes_are_no_tensor_of_real_numbers(api, call, dtype, shape, known, expected):
    made = call("tf.reduce_mean", {shape})
    (given,) = made.arguments
    given = replace(given, value=replace(given.value, dtype=dtype))
    source = invocation(
        replace(made, arguments=(given,)), api("tf.reduce_mean", "input: Tensor"), ()
    )
    target = api("tf.nn.moments", "x: Tensor, axes: Tensor")
    plan = first(plans(source, target, Book({"axes": axes(*known)})))
    assert written(plan.call)[1] == expected


@pytest.mark.parametrize(
    ("signature", "astray"),
    [
        ("x: Tensor, mean: Tensor", ("kw:momentum",)),
        ("x: Tensor", ("kw:momentum",)),
        ("x: Tensor, rate: float", ()),
        ("x: Tensor, momentum: Tensor", ()),
    ],
)
def test_a_number_that_becomes_a_tensor_of_another_name_goes_astray(api, call, signature, astray):
    made = call("tf.norm", {(2, 3)}, momentum=5.0)
    source = invocation(made, api("tf.norm", "x: Tensor, momentum: float"), ())
    assert first(plans(source, api("tf.other", signature))).astray == astray


@pytest.mark.parametrize(
    ("signature", "scant"),
    [
        ("params: Tensor, ids: int, max_norm: float", False),
        ("params: Tensor, max_norm: float", False),
        ("params: Tensor", True),
    ],
)
def test_less_of_a_call_than_is_left_out_is_scant(api, call, signature, scant):
    made = call("tf.lookup", {(2, 3)}, ids=1, max_norm=10.0, how="a")
    values = "params: Tensor, ids: int, max_norm: float, how: str"
    source = invocation(made, api("tf.lookup", values), ())
    assert first(plans(source, api("tf.other", signature))).scant is scant


def word(text):
    return Value(kind="str", text=text)


@pytest.mark.parametrize(
    ("words", "declared", "tried"),
    [
        (["'floor'", "'trunc'"], "str? = None", ["'floor'", "'trunc'"]),
        (["'down'"], "str = 'up'", ["'down'"]),
        (["'up'"], "str = 'up'", []),  # as it is anyway
        (["'here'"], "str? = None", []),  # it may be any name
        (["__import__('os').system('id')", "exit()"], "str? = None", []),  # no words at all
        (["'a b'", "'c/d'"], "str? = None", []),
    ],
)
def test_optional_modes_are_tried_where_valid_calls_choose_between_words(
    api, call, words, declared, tried
):
    made = call("torch.f", {(2,)})
    source = invocation(made, api("torch.f", "input: Tensor"), ())
    target = api("torch.g", f"input: Tensor, how: {declared}")
    found = plans(source, target, Book(*({"how": word(text)} for text in words)))
    assert [written(plan.call)[1:] for plan in found] == [[], *([f"how={one}"] for one in tried)]


def test_devices_and_dtypes_are_no_modes(api, call):
    source = invocation(call("torch.f", {(2,)}), api("torch.f", "input: Tensor"), ())
    target = api("torch.g", "input: Tensor, *, device: str? = None")
    found = plans(source, target, Book({"device": word("'cpu'")}, {"device": word("'meta'")}))
    assert len(found) == 1


def test_a_word_that_a_layers_call_needs_is_kept(api, call):
    """Its construction could do without one of the same name."""
    made = call("torch.f", {(2,)}, how="fast")
    source = invocation(made, api("torch.f", "input: Tensor, how: str"), ())
    layer = api(
        "torch.nn.F", "how: int = 1", kind=ApiKind.MODULE, call="input: Tensor, *, how: str"
    )
    found = plans(source, layer, Book({"how": word("'slow'")}))
    assert all("how" in {slot.name for slot in (*plan.new, *plan.call)} for plan in found)


@pytest.mark.parametrize(
    ("signature", "given"),
    [
        ("labels: Tensor, pred: Tensor, from_logits: bool = False", "True"),
        ("labels: Tensor, pred: Tensor, from_logits: bool = True", None),
        ("labels: Tensor, logits: Tensor, from_logits: bool = False", None),
        ("labels: Tensor, pred: Tensor, from_ratios: bool = False", None),
    ],
)
def test_a_flag_says_that_an_argument_is_what_the_source_calls_it(api, call, signature, given):
    made = call("tf.entropy", labels={(4,)}, logits={(4,)})
    source = invocation(made, api("tf.entropy", "labels: Tensor, logits: Tensor"), ())
    plan = first(plans(source, api("tf.keras.losses.entropy", signature)))
    flags = [slot.value.text for slot in plan.call if slot.name == "from_logits"]
    assert flags == ([] if given is None else [given])
    assert ("set from_logits" in plan.edits) is (given is not None)


@pytest.mark.parametrize(
    ("word", "written"), [("same", "'SAME'"), ("SAME", None), ("off", "'OFF'")]
)
def test_a_word_is_spelt_as_beside_the_sibling_where_that_says_nothing(api, call, word, written):
    apis = [api("tf.nn.max_pool1d", "input: Tensor, padding: string")]
    apis += [api("tf.nn.conv", "input: Tensor, padding: string = 'VALID'")]
    source = invocation(
        call("tf.keras.pool", {(2, 3)}, padding=word),
        api("tf.keras.pool", "input: Tensor, padding: string = 'valid'"),
        (),
    )
    plan = plans(source, apis[0], lexicon=learnt(apis))[0]
    steps = plan.call[1].value.steps
    assert [step.text for step in steps] == ([] if written is None else [written])
