"""Two executions that should agree: each rule with a true bug that it finds and a false alarm."""

import pytest

from .holding import INF, NAN, holding


def test_modes_share_what_they_are_made_of():
    code = "a = f(x)\nb = tf.function(f)(x)\nprint('eager', a)\nprint('xla', b)"
    assert holding(code, ("a", [1.0]), ("b", [2.0])) == (["a", "b"], "disagrees")
    code = "a = f(x)\nb = g(y)\nprint('eager', a)\nprint('xla', b)"
    assert holding(code, ("a", [1.0]), ("b", [2.0])) is None


@pytest.mark.parametrize(("title", "holds"), [("f is wrong", True), ("f and g differ", False)])
def test_what_is_said_to_differ_is_not_what_is_the_same(title, holds):
    code, text = "print(f(x))\nprint(g(x))", "I get\n```\n1.0\n1.0\n```\n"
    events = (("f(x)", 1.0), ("g(x)", 1.0))
    found = holding(code, *events, title=title, text=text, stdout="1.0\n1.0\n")
    assert (found is not None) is holds


@pytest.mark.parametrize(("library", "holds"), [("numpy.f", True), ("torch.g", False)])
def test_what_differs_from_a_library_that_the_code_has_not_got_may_be_the_same_twice(
    library, holds
):
    code, text = "print(f(x))\nprint(f(y))", "I get\n```\n1.0\n1.0\n```\n"
    seen, title = (("f(x)", 1.0), ("f(y)", 1.0)), f"torch.f is divergent from {library}"
    found = holding(code, *seen, title=title, text=text, stdout="1.0\n1.0\n")
    assert (found is not None) is holds
    code += "\nprint('right', np.f(x))"
    seen = (*seen, ("np.f(x)", 1.0))
    assert holding(code, *seen, title=title, text=text, stdout="1.0\n1.0\n1.0\n") is None


@pytest.mark.parametrize(
    ("title", "holds"),
    [
        ("torch.f is inconsistent", True),
        ("torch.f differs from scipy", False),
        ("torch.f: CPU and CUDA results differ", False),
        ("torch.f is slow", False),
    ],
)
def test_the_only_two_results_of_an_api_that_are_said_to_differ(title, holds):
    code = "import torch\nprint(torch.f(x, y))\nprint(torch.f(y, x))"
    seen = (("torch.f(x, y)", [1.0]), ("torch.f(y, x)", [2.0]))
    both = ["torch.f(x, y)", "torch.f(y, x)"]
    assert holding(code, *seen, title=title) == ((both, "disagrees") if holds else None)
    for call in ("torch.g(y, x)", "torch.f(x, z)", "torch.f(x, y, 1)", "torch.f(-x, y)"):
        other = code.replace("torch.f(y, x)", call)
        assert holding(other, seen[0], (call, [2.0]), title=title) is None
    more = (*seen, ("torch.f(z, x)", [3.0]))
    assert holding(f"{code}\nprint(torch.f(z, x))", *more, title=title) is None


@pytest.mark.parametrize(("other", "holds"), [([NAN], False), ([1.0], True)])
def test_nan_of_which_two_results_are_alike_is_not_what_differs(other, holds):
    code = "import torch\nprint(torch.f(x, y))\nprint(torch.f(y, x))"
    seen = (("torch.f(x, y)", [NAN]), ("torch.f(y, x)", other))
    found = holding(code, *seen, title="torch.f is inconsistent with NaN")
    assert found == ((["torch.f(x, y)"], "non_finite") if holds else None)


def test_what_differs_may_be_counted():
    code = "print(torch.ne(f(x), g(x)).sum())"
    seen = (("f(x)", [1.0]), ("g(x)", [2.0]), ("torch.ne(f(x), g(x)).sum()", 1))
    assert holding(code, *seen) == (["f(x)", "g(x)"], "false")
    seen = (("torch.ne(f(x), g(x))", [1.0]),)
    assert holding("print(torch.ne(f(x), g(x)))", *seen) is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("F.relu(x)", "torch.jit.script(F.relu)(x)", True),
        ("net(x)", "net.half()(x)", True),
        ("torch.compile(f)(x)", "torch.jit.script(f)(x)", True),
        ("torch.jit.script(f)(x)", "torch.jit.script(g)(x)", False),
        ("F.relu(x)", "F.relu6(x)", False),
        ("nn.ReLU()(x)", "nn.ReLU6()(x)", False),
    ],
)
def test_one_function_called_in_two_ways_is_no_other_function_of_its_module(one, other, same):
    found = holding(f"print({one})\nprint({other})", (one, [2.0]), (other, [3.0]))
    assert found == (([one, other], "disagrees") if same else None)


@pytest.mark.parametrize(
    ("title", "text", "holds"),
    [
        ("f differs when traced", "```\ntensor([inf, 2.])\n```", False),
        ("f differs when traced", "One of them is inf.", True),
        ("f is wrong", "```\ntensor([inf, 2.])\n```", True),
    ],
)
def test_of_results_that_differ_only_words_tell_of_infinities(title, text, holds):
    found = holding("print(f(x))", ("f(x)", [INF, 2.0]), title=title, text=text)
    assert found == ((["f(x)"], "non_finite") if holds else None)


@pytest.mark.parametrize(
    ("made", "shown", "holds"),
    [
        ("torch.jit.trace(f, x)", "g(x)", True),
        ("torch.compile(f)", "g(x)", True),
        ("torch.compile(f)", "g(y)", False),  # of something else
        ("torch.compile(h)", "g(x)", False),
        ("torch.vmap(f)", "g(x)", False),
        ("torch.trace(f)", "g(x)", False),  # the sum of a diagonal
        ("tf.function(f)", "g(x)", True),
        ("tf.function(jit_compile=True)(f)", "g(x)", True),
        ("m.compile(f)", "g(x)", False),
    ],
)
def test_a_function_and_what_is_made_of_it_agree(made, shown, holds):
    code = f"g = {made}\nprint(f(x))\nprint({shown})"
    events = [("f(x)", [1.0, 2.0]), (shown, [1.0, 3.0])]
    assert holding(code, *events) == ((["f(x)", shown], "disagrees") if holds else None)


@pytest.mark.parametrize(
    ("title", "one", "other", "holds"),
    [
        ("f gives another result with out=", "torch.f(x, 3)", "torch.f(x, 3, out=y)", True),
        ("f_ and f disagree", "torch.f(x, 3)", "x.f_(3)", True),
        ("f in-place is wrong", "x.f(3)", "x.f_(3)", True),
        ("f in-place is wrong", "x.f(2)", "x.f_(3)", False),
        ("f in-place is wrong", "x.f_(3)", "x.f(3)", False),  # given what the first has made
        ("self_ is ignored by f", "x.f(3)", "x.f_(3)", False),
        ("f in-place is wrong", "x.f(3)", "x.g_(3)", False),
        ("f in-place is wrong", "x.f_(3)", "torch.f_(x, 3)", False),  # both write
        ("f is wrong", "torch.f(x, 3)", "torch.f(x, 3, out=y)", False),
    ],
)
def test_what_a_call_writes_to_makes_no_difference(title, one, other, holds):
    code, events = f"import torch\nprint({one})\nprint({other})", ((one, [1.0]), (other, [2.0]))
    assert holding(code, *events, title=title) == (([one, other], "disagrees") if holds else None)


def test_turns_of_a_loop_are_given_other_things():
    code = (
        "@torch.compile\ndef g(z):\n    return torch.f(z)\n"
        "for s in (1.0, 2.0):\n    x = a * s\n    print(torch.f(x))\n    print(g(x))"
    )
    events = [("torch.f(x)", [1.0]), ("g(x)", [1.0]), ("torch.f(x)", [2.0]), ("g(x)", [2.0])]
    assert holding(code, *events) is None


@pytest.mark.parametrize("between", ["x = x + 1", "x.add_(2)", "x += 1"])
def test_what_is_changed_between_two_calls_is_another_thing(between):
    made = "@torch.compile\ndef g(z):\n    return torch.f(z)"
    code = f"{made}\nprint(torch.f(x))\n{between}\nprint(g(x))"
    assert holding(f"x = a\n{code}", ("torch.f(x)", [1.0]), ("g(x)", [2.0])) is None


def test_functional_and_module_are_modes():
    code = "a = F.f(x)\nb = nn.F()(x)\nprint('functional', a)\nprint('module', b)"
    assert holding(code, ("a", [1.0]), ("b", [2.0])) == (["a", "b"], "disagrees")


@pytest.mark.parametrize(
    ("made", "body", "holds"),
    [
        ("@tf.function(jit_compile=True)", "g(z, k=3)", True),
        ("@tf.function(jit_compile=True)", "g(z, k=2)", False),
        ("@torch.compile", "g(z, k=3)", True),
        ("@torch.vmap", "g(z, k=3)", False),
        ("", "g(z, k=3)", False),
    ],
)
def test_a_call_and_a_compiled_function_that_makes_it_agree(made, body, holds):
    code = (
        f"{made}\ndef f(z):\n    return {body}\nv, _ = g(x, k=3)\nprint(v.numpy())\nprint(f(x)[0])"
    )
    events = [("v.numpy()", [1.0, 2.0]), ("f(x)[0]", [1.0, 3.0])]
    assert holding(code, *events) == ((["v.numpy()", "f(x)[0]"], "disagrees") if holds else None)


@pytest.mark.parametrize(
    ("imports", "made", "holds"),
    [
        ("from torch.jit import trace", "trace(f, x)", True),
        ("from torch import trace", "trace(f)", False),
        ("import torch.jit as j", "j.script(f)", True),
        ("import torch.jit", "torch.jit.freeze(f)", True),
        ("import tensorflow", "tensorflow.function(f)", True),
        ("import tensorflow.compat.v1 as tf", "tf.function(f)", True),
        ("from tensorflow import function as graph", "graph(f)", True),
        ("import jit", "jit.trace(f, x)", False),
    ],
)
def test_the_imports_of_the_text_tell_what_makes_a_function(imports, made, holds):
    code = f"{imports}\ng = {made}\nprint(f(x))\nprint(g(x))"
    events = [("f(x)", [1.0, 2.0]), ("g(x)", [1.0, 3.0])]
    assert holding(code, *events) == ((["f(x)", "g(x)"], "disagrees") if holds else None)


@pytest.mark.parametrize(
    ("other", "call", "holds"),
    [
        ("x.contiguous()", "torch.f(y, w)", True),
        ("x.clone().contiguous()", "torch.f(y, w)", True),
        ("x.to(memory_format=torch.channels_last)", "torch.f(y, w)", True),
        ("np.asfortranarray(x)", "torch.f(y, w)", True),
        ("x.t()", "torch.f(y, w)", False),
        ("x.to(torch.half)", "torch.f(y, w)", False),
        ("x.clone()", "torch.f(y, v)", False),
        ("x.clone()", "torch.g(y, w)", False),
        ("x.clone()\ny.add_(1)", "torch.f(y, w)", False),
        ("x.clone()\ny[0] = 1", "torch.f(y, w)", False),
        ("x.clone()\nx.add_(1)", "torch.f(y, w)", False),
        ("x.contiguous()\nx[0] = 1", "torch.f(y, w)", False),
    ],
)
def test_one_function_of_the_same_numbers_in_two_layouts(other, call, holds):
    code = f"""
import numpy as np
import torch
y = {other}
print(torch.f(x, w))
print({call})
"""
    seen = (("torch.f(x, w)", [1.0]), (call, [2.0]))
    found = holding(code, *seen, title="torch.f is wrong for non-contiguous tensors")
    assert found == ((["torch.f(x, w)", call], "disagrees") if holds else None)
    assert holding(code, *seen, title="torch.f is wrong after training") is None


@pytest.mark.parametrize(
    ("other", "holds"),
    [
        ("tf.RaggedTensor.from_tensor(y)", True),
        ("tf.sparse.from_dense(y)", True),
        ("tf.convert_to_tensor(y)", True),
        ("tf.RaggedTensor.from_tensor(y, padding=0)", False),
        ("tf.RaggedTensor.from_row_splits(y, splits)", False),
    ],
)
def test_ragged_and_sparse_tensors_are_layouts_of_tensorflow(other, holds):
    code = f"""
import tensorflow as tf
r = {other}
a = tf.equal(3, y)
b = tf.equal(3, r)
print(a)
print(b)
"""
    title = "tf.equal is inconsistent between dense and RaggedTensor inputs"
    found = holding(code, ("a", [True]), ("b", [False]), title=title)
    assert found == ((["a", "b"], "disagrees") if holds else None)


def test_methods_of_the_same_numbers_in_two_layouts():
    code = "print(x.sum(0))\nprint(x.contiguous().sum(0))"
    seen = (("x.sum(0)", [1.0]), ("x.contiguous().sum(0)", [2.0]))
    both = (["x.sum(0)", "x.contiguous().sum(0)"], "disagrees")
    assert holding(code, *seen, title="sum is wrong for transposed tensors") == both
    seen = (("x.stride()", (1, 3)), ("x.contiguous().stride()", (2, 1)))
    code = code.replace("sum(0)", "stride()")
    assert holding(code, *seen, title="stride is wrong for transposed tensors") is None


@pytest.mark.parametrize(
    ("lines", "holds"),
    [
        ("y = x.clone()\ny.f_()\nprint(y)\nprint(torch.f(x))", True),
        ("print(torch.f(x))\ny = x.clone()\ny.f_()\nprint(y)", True),
        ("y = x\ny.f_()\nprint(y)\nprint(torch.f(x))", False),  # given what the first has made
        ("y = x.clone()\ny.add_(1)\ny.f_()\nprint(y)\nprint(torch.f(x))", False),
        ("y = x.clone()\nx.add_(1)\ny.f_()\nprint(y)\nprint(torch.f(x))", False),
        ("y = x.clone()\nfor _ in r:\n    y.f_()\nprint(y)\nprint(torch.f(x))", False),
    ],
)
def test_what_a_line_of_its_own_does_in_place_is_done_to_a_copy(lines, holds):
    shown = [line[6:-1] for line in lines.split("\n") if line.startswith("print")]
    events = [(one, [float(number)]) for number, one in enumerate(shown)]
    found = holding(f"import torch\n{lines}", *events, title="f in-place is wrong")
    assert found == ((shown, "disagrees") if holds else None)
