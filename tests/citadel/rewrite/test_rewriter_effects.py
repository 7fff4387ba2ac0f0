"""Before and after, where the sibling gives nothing: its call stands in front of what it checks."""

from textwrap import dedent

import libcst as cst
import pytest

from analysis.catalog.model import ApiKind
from analysis.target.instrument import instrument

CHECK = "tensor: Tensor, message: str"


@pytest.fixture
def written(case, api, call):
    """The text of the plan for `tf.debugging.assert_positive`, called for its effect."""

    def find(code):
        made = call("tf.debugging.check_numerics", {(3,)}, "m")
        source = case(code, api("tf.debugging.check_numerics", CHECK), "tf.debugging.check", made)
        target = api("tf.debugging.assert_positive", "x: Tensor, message: str")
        return source, list(source.written(source.plan(target).for_effect()))

    return find


def text(code):
    return dedent(code).lstrip("\n")


def test_what_is_checked_gets_a_name(written):
    source, (way,) = written(
        text("""
        import tensorflow as tf

        def guarded(x):
            # no NaN here
            return tf.debugging.check_numerics(tf.math.log(x), "of what?")

        print(guarded(tf.ones(3)))
        """)
    )
    assert way.code == text("""
        import tensorflow as tf

        def guarded(x):
            # no NaN here
            checked = tf.math.log(x)
            tf.debugging.assert_positive(checked, "of what?")
            return checked

        print(guarded(tf.ones(3)))
        """)
    assert way.edits[-1] == "called for its effect alone"
    before, after = source.source.nodes, instrument(way.code).nodes
    names = cst.Module(body=()).code_for_node
    found = {names(before[old]): names(after[new]) for old, new in way.sites.items()}
    check = 'tf.debugging.check_numerics(tf.math.log(x), "of what?")'
    assert found[check] == 'tf.debugging.assert_positive(checked, "of what?")'
    assert found["print(guarded(tf.ones(3)))"] == "print(guarded(tf.ones(3)))"


def test_a_variable_stands_for_itself(written):
    _, (way,) = written(
        'import tensorflow as tf\ny = tf.debugging.check_numerics(x, "of what?") + 1\n'
    )
    assert way.code.splitlines()[1:] == [
        'tf.debugging.assert_positive(x, "of what?")',
        "y = x + 1",
    ]


@pytest.mark.parametrize(
    "line",
    [
        'f = lambda x: tf.debugging.check_numerics(x, "m")',
        'y = x if x is None else tf.debugging.check_numerics(x, "m")',
    ],
)
def test_what_is_not_evaluated_in_its_place_is_left_alone(written, line):
    assert written(f"import tensorflow as tf\n{line}\n")[1] == []


@pytest.mark.parametrize(
    ("sibling", "line"),
    [
        ("torch.Tensor.fill_", "table.fill_(7.0)"),
        ("torch.Tensor.__setitem__", "table.__setitem__(row, 7.0)"),
        ("torch.Tensor.fill", "table = table.fill(7.0)"),
    ],
)
def test_what_changes_its_tensor_is_assigned_to_nothing(case, api, call, sibling, line):
    code = "import torch\ntable.index_fill_(0, row, 7.0)\nprint(table)\n"
    index_fill = api(
        "torch.Tensor.index_fill_",
        "self: Tensor, dim: int, index: Tensor, value: Scalar",
        kind=ApiKind.METHOD,
    )
    made = call("torch.Tensor.index_fill_", 0, {(1,)}, 7.0, form="method", receiver={(4, 3)})
    source = case(code, index_fill, "table.index_fill_(", made)
    takes = "indices: Tensor, value: Scalar" if "item" in sibling else "value: Scalar"
    target = api(sibling, f"self: Tensor, {takes}", kind=ApiKind.METHOD)
    assert source.ways(target)[-1] == code.replace("table.index_fill_(0, row, 7.0)", line)
