"""Synonyms come from the catalog's own forms of one operation."""

import pytest

from analysis.catalog.model import ApiKind
from citadel.plan.lexicon import LIKE_NAME, SAME_WORDS, Lexicon, learnt


def test_names_in_the_same_place_of_several_operations_are_synonyms(api):
    lexicon = learnt(
        [
            api("tf.nn.conv1d", "input: T, filters: T, stride: int"),
            api("tf.nn.pool", "input: T, filters: T, stride: int"),
            api("tf.raw_ops.Conv1D", "input: T, kernel: T, stride: int"),
            api("tf.raw_ops.Pool", "input: T, kernel: T, stride: int"),
        ]
    )
    assert lexicon.likeness("filters", "kernel") == SAME_WORDS
    assert lexicon.likeness("kernel", "filters") == SAME_WORDS
    assert lexicon.likeness("kernel", "stride") == 0.0


@pytest.mark.parametrize(
    "others",
    [
        # one operation is no evidence
        [("tf.raw_ops.Conv", "input: T, kernel: T, stride: int")],
        # types that do not agree
        [("tf.raw_ops.Conv", "input: T, kernel: int, stride: int"),
         ("tf.raw_ops.Pool", "input: T, kernel: int, stride: int")],
        # names that stand beside each other
        [("tf.raw_ops.Conv", "input: T, kernel: T, stride: int"),
         ("tf.raw_ops.Pool", "input: T, kernel: T, stride: int"),
         ("tf.both", "filters: T, kernel: T"), ("tf.again", "kernel: T, filters: T")],
        # gradients are other operations
        [("tf.raw_ops.ConvGrad", "input: T, kernel: T, stride: int"),
         ("tf.raw_ops.PoolGrad", "input: T, kernel: T, stride: int")],
    ],
    ids=["once", "types", "beside", "gradients"],
)  # fmt: skip
def test_what_is_no_evidence(api, others):
    forms = [
        ("tf.nn.conv", "input: Tensor, filters: Tensor, stride: int"),
        ("tf.nn.pool", "input: Tensor, filters: Tensor, stride: int"),
        *((name, signature.replace(": T", ": Tensor")) for name, signature in others),
    ]
    assert not learnt(api(name, text) for name, text in forms).synonyms


def test_constructors_are_compared_among_themselves(api):
    layer = {"kind": ApiKind.MODULE, "call": "input: Tensor"}
    forms = [
        api("torch.nn.One", "p: float", **layer),
        api("torch.nn.Two", "p: float", **layer),
        api("torch.one", "rate: float"),
        api("torch.two", "rate: float"),
    ]
    assert not learnt(forms).synonyms


@pytest.mark.parametrize(
    ("one", "other"), [("keep_dims", "keepdims"), ("filter", "filters"), ("num_axis", "axis_num")]
)
def test_spellings(one, other):
    assert Lexicon().likeness(one, other) == SAME_WORDS


def test_windows_are_lists_in_apis_of_some_dimensions(api):
    apis = [
        api("torch.pool2d", "input: Tensor, kernel_size: int[2], ceil_mode: bool, groups: int"),
        api("torch.nn.functional.lp2d", "input: Tensor, norm: int, stride: None"),
        api("torch.sum", "input: Tensor, dim: int[]"),
    ]
    assert learnt(apis).windows == {"kernel_size", "stride"}


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("value", "fill_value", True),
        ("values", "constant_value", True),
        ("min_val", "max_val", False),
        ("value", "dim", False),
        ("fill_value", "pad_value", False),
    ],
)
def test_a_value_is_more_like_a_value_of_something_than_like_anything_else(one, other, alike):
    found = Lexicon().likeness(one, other)
    assert (found > 0) is alike
    assert found < SAME_WORDS


@pytest.mark.parametrize(
    ("one", "other"), [("axis", "reduction_axes"), ("axes", "axis"), ("basis", "basis_sets")]
)
def test_words_are_the_same_in_the_plural(one, other):
    assert Lexicon().likeness(one, other) >= LIKE_NAME


def test_words_are_spelt_as_the_defaults_beside_them(api):
    forms = {"tf.nn.f": "x, padding = 'SAME'", "tf.nn.g": "x, padding = 'VALID'"}
    others = {"tf.nn.h": "x, padding, n = 2", "tf.keras.h": "x, padding = 'same'"}
    lexicon = learnt(api(name, text) for name, text in {**forms, **others}.items())
    assert lexicon.words("tf.nn.h", "padding") == {"'SAME'", "'VALID'"}
    assert lexicon.words("tf.keras.other", "padding") == {"'same'"}
    assert not lexicon.words("tf.nn.h", "n")
