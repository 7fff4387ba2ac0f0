"""Value oracles found in reports: each rule with a true bug that it finds and a false alarm."""

from dataclasses import replace

import pytest

from analysis.target.instrument import instrument, watched
from analysis.target.observation import Argument
from analysis.values import Value
from citadel.model import SymptomKind

from .holding import INF, NAN, first, holding, value


@pytest.mark.parametrize(("got", "holds"), [([2.0], True), ([3.0], False)])
def test_comments_beside_a_value(got, holds):
    found = holding("print(f(x))  # should be 3", ("f(x)", got))
    assert found == ((["f(x)"], "disagrees") if holds else None)


@pytest.mark.parametrize(("got", "holds"), [([2.0], True), ([3.0], False), ([4.0], True)])
def test_comments_that_call_a_value_wrong(got, holds):
    code = "print(f(x))  # tensor([2.]) WRONG!"
    text = "It gives 2, when the actual result should be 3."
    found = holding(code, ("f(x)", got), text=text)
    assert found == ((["f(x)"], "disagrees") if holds else None)


@pytest.mark.parametrize(
    ("code", "outcome", "holds"),
    [
        ("assert torch.isinf(y).all()", False, True),
        ("assert torch.isinf(y).all()", True, False),
        ("assert not torch.isnan(y).any()", False, True),
        ("print(torch.isnan(y).any())", True, True),
        ("print(torch.isnan(y).any())", False, False),
        ("if torch.equal(y, z): raise ValueError('same')", True, True),
        ("if torch.equal(y, z): raise ValueError('same')", False, False),
        ("print('ok' if torch.equal(y, z) else 'BUG')", False, True),
        ("print('BUG' if y.mean() > z else 'ok')", True, True),
        ("print('BUG' if y.mean() > z else 'ok')", False, False),
    ],
)
def test_the_text_around_a_check_says_which_outcome_is_bad(code, outcome, holds):
    points = watched(instrument(code)).points
    outer = next(point for point in points if point.check is not None)
    operands = [p.text for p in points if p.parent == outer.number]
    events = [(text, [1.0]) for text in operands]
    assert (holding(code, *events, (outer.text, outcome)) is not None) is holds


def test_what_another_fence_says_beside_an_equal_statement_is_not_said_here():
    other = "The other dtype:\n```python\nx = 2\nprint(f(x))  # 3.0  correct\n```\n"
    code = "x = 1\nprint(f(x))  # 2.0"
    assert holding(code, ("f(x)", [2.0]), text="It gives 2.\n" + other) is None
    own = "x = 1\nprint(f(x))  # 2.0\n# should be 3"
    assert holding(own, ("f(x)", [2.0])) == (["f(x)"], "disagrees")


@pytest.mark.parametrize(("thing", "holds"), [("half", False), ([1.0], True)])
def test_a_condition_that_chooses_what_to_run_is_no_check(thing, holds):
    code = "if x == y:\n    z = f(x)"
    looped = (
        "import itertools\nfor x, _ in itertools.product([half], y):\n    if x == y:\n        z = 1"
    )
    computed = "y = f(x)\nif y.dtype != int32:\n    print(y.dtype)"
    dtypes = [(name, Value(kind="dtype", text=name)) for name in ("y.dtype", "int32")]
    assert holding(computed, *dtypes, ("y.dtype != int32", True)) is not None
    kind = Value(kind="dtype", text=thing) if isinstance(thing, str) else thing
    found = holding(code, ("x", kind), ("y", kind), ("x == y", False))
    assert (found is not None) is holds
    found = holding(looped, ("x", kind), ("y", kind), ("x == y", False))
    assert (found is not None) is holds


def test_a_check_of_checks_is_the_outer_one():
    code = "assert bool(is_nan(a)[0]) == bool(is_nan(b)[0])"
    inner = [("bool(is_nan(a)[0])", True), ("a", [NAN]), ("bool(is_nan(b)[0])", True)]
    outer = ("bool(is_nan(a)[0]) == bool(is_nan(b)[0])", True)
    assert holding(code, *inner, outer) is None


CAUGHT = """
def check(a, b):
    try:
        torch.testing.assert_close(a, b)
    except AssertionError:
        print("mismatch")
"""
CALL = "torch.testing.assert_close(a, b)"


def test_a_check_that_raises_does_not_shift_the_others():
    agree = (("a", [1.0]), ("b", [1.0]), (CALL, None))
    differ = (("a", [1.0]), ("b", [2.0]))
    assert holding(CAUGHT, *agree, *agree) is None
    assert holding(CAUGHT, *differ, *agree) == (["a", "b"], "disagrees")
    assert holding(CAUGHT, *agree, *differ) == (["a", "b"], "disagrees")
    assert holding(CAUGHT, *agree, *differ, asserts=True) == (["a", "b"], "false")


@pytest.mark.parametrize(("reference", "holds"), [([2.5], True), ([2.0], False)])
def test_results_of_another_library_are_references(reference, holds):
    code = "import numpy as np\nprint(torch.median(x))\nprint(np.median(y))"
    found = holding(code, ("torch.median(x)", [2.0]), ("np.median(y)", reference))
    assert found == ((["torch.median(x)", "np.median(y)"], "disagrees") if holds else None)


def test_the_reference_of_a_value_is_the_one_that_is_most_like_it():
    code = "import numpy as np\nprint(torch.exp(a))\nprint(np.exp(a))\nprint(torch.exp(b))"
    events = [("torch.exp(a)", [2.0]), ("np.exp(a)", [3.0]), ("torch.exp(b)", [4.0])]
    assert holding(code, *events) == (["torch.exp(a)", "np.exp(a)"], "disagrees")


def test_the_outcome_of_a_check_has_no_reference():
    code = "import numpy as np\nprint(np.exp(y))\nprint(torch.equal(x, y))"
    events = [("np.exp(y)", [0.0]), ("x", [1.0]), ("y", [1.0]), ("torch.equal(x, y)", True)]
    assert holding(code, *events) is None


@pytest.mark.parametrize(("reference", "holds"), [([INF, NAN], False), ([1.0, 2.0], True)])
def test_what_is_not_finite_is_right_where_the_reference_is_so_too(reference, holds):
    code = "import numpy as np\nprint(torch.exp(x))\nprint(np.exp(x))"
    events = [("torch.exp(x)", [INF, NAN]), ("np.exp(x)", reference)]
    assert (holding(code, *events, title="torch.exp is inf or nan") is not None) is holds


def test_the_assertion_that_fails_is_the_oracle_whatever_is_tested_before():
    code = "m = torch.isnan(y)\nassert not torch.isnan(g).any()"
    events = [("y", [NAN]), ("torch.isnan(y)", [1.0]), ("g", [NAN])]
    events.append(("not torch.isnan(g).any()", False))
    assert holding(code, *events, asserts=True) == (["g"], "false")
    assert holding(code, *events[:2]) == (["y"], "false")


@pytest.mark.parametrize(
    ("got", "right", "kind"),
    [(INF, 6e307, "non_finite"), (INF, INF, None), (5e307, 6e307, "disagrees")],
)
def test_what_is_not_finite_where_its_reference_is_that_is_the_bug(got, right, kind):
    code = "actual = torch.i0(x)\nprint(actual)\nprint(expected)"
    found = holding(code, ("actual", [got]), ("expected", [right]), title="i0 overflows")
    spots = ["actual"] if kind == "non_finite" else ["actual", "expected"]
    assert found == (None if kind is None else (spots, kind))


@pytest.mark.parametrize("above", [False, True])
def test_each_of_two_equal_values_has_the_reference_below_it_or_above_it(above):
    pairs = [["c.exp()", "np.exp(a)"], ["d.exp()", "np.exp(b)"]]
    shown = [text for pair in pairs for text in (reversed(pair) if above else pair)]
    code = "import numpy as np\n" + "\n".join(f"print({text})" for text in shown)
    events = [(text, [INF]) for text in shown]
    assert holding(code, *events, title="exp differs from numpy", text="It gives inf.") is None


@pytest.mark.parametrize(("reference", "holds"), [(2.0, False), (3.0, True)])
def test_what_agrees_with_its_reference_is_no_coarser_form_of_another(reference, holds):
    code = """
        import numpy as np
        x = torch.half_one()
        print(torch.f(x))
        print(np.f(x.numpy()))
        x = torch.double_one()
        print(torch.f(x[:1]))
    """
    coarse, fine = value([2.0]), replace(value([4.0]), dtype="float64")
    events = (("torch.f(x)", coarse), ("np.f(x.numpy())", [reference]), ("torch.f(x[:1])", fine))
    assert (holding(code, *events, text="f is off") is not None) is holds


def test_arrays_of_literals_are_no_references():
    code = "import numpy as np\nprint(torch.median(x))\nprint(np.array([1.0]))"
    assert holding(code, ("torch.median(x)", [2.0]), ("np.array([1.0])", [1.0])) is None


@pytest.mark.parametrize(("made", "holds"), [("f(x)", True), ("torch.tensor([1e400])", False)])
def test_inputs_are_no_results(made, holds):
    found = holding(f"y = {made}\nprint(y)", ("y", [INF]), title="f overflows to inf")
    assert (found is not None) is holds


@pytest.mark.parametrize("stepped", [True, False])
def test_what_a_step_has_made_of_weights_is_a_result(call, numbered, stepped):
    code = """
        w = tf.Variable([1.0, 2.0])
        opt.apply_gradients([(g, w)])
        print("weights", w.numpy())
    """
    given = Argument(value=Value(kind="list"), inner=(7, 1 if stepped else 8))
    calls = (
        call("tf.Variable", number=1, result=numbered(1)),
        call("tf.keras.optimizers.Adamax.apply_gradients", given, form="method", number=2),
    )
    found = holding(code, ("w.numpy()", [NAN, NAN]), title="Adamax makes weights NaN", calls=calls)
    assert found == ((["w.numpy()"], "non_finite") if stepped else None)


@pytest.mark.parametrize("clock", ["time.time()", "time.perf_counter()"])
def test_times_are_no_results(clock):
    code = f"""
        start = {clock}
        f(x)
        print("f", {clock} - start)
        start = {clock}
        np.f(x)
        took = {clock} - start
        print("numpy", took)
    """
    text = "f returns other times than numpy"
    assert holding(code, (f"{clock} - start", [2.0]), ("took", [1.0]), text=text) is None


@pytest.mark.parametrize(
    ("events", "spots"),
    [
        ((("y", [1.0]), ("layer", Value(kind="module", text="torch.nn.GroupNorm"))), ["y"]),
        ((("layer", Value(kind="module", text="torch.nn.GroupNorm")),), ["layer"]),
        ((("p[0]", [NAN]), ("layer", None)), ["p[0]"]),  # an input, but nothing else tells
        ((("layer", "text"),), None),
    ],
)
def test_what_should_be_refused_is_shown_by_a_result_or_else_by_what_was_made(events, spots):
    code = "p = [torch.ones(1)]\nlayer = f(n=-2)\ny = layer(x)\nprint(layer)\nprint(y)\nprint(p[0])"
    found = holding(code, *events, title="f accepts n=-2", text="It should raise a ValueError.")
    assert found == (None if spots is None else (spots, "accepts"))


def test_an_exception_that_the_code_shows_is_nothing_that_was_made():
    code = "try:\n    g(n=-2)\nexcept ValueError as e:\n    print(e)\nlayer = f(n=-2)\nprint(layer)"
    events = [(name, Value(kind="other", text="f.F")) for name in ("e", "layer")]
    found = holding(code, *events, title="f accepts n=-2", text="It should raise a ValueError.")
    assert found == (["layer"], "accepts")


def test_what_is_pasted_must_be_all_that_is_printed():
    code, text = "print(f(x))\nprint(g(x))", "I get\n```\n1.0\n2.0\n```\n"
    events = (("f(x)", 1.0), ("g(x)", 2.0))
    assert holding(code, *events, text=text, stdout="1.0\n2.0\n") is not None
    assert holding(code, *events, text=text, stdout="1.0\n3.0\n") is None
    assert holding(code, *events, text=text, stdout="1.0\n1.0\n") is None


def test_what_is_pasted_and_called_right_is_not_what_is_wrong():
    code = "print(f(x))\nprint(f(y))"
    text = "I expect [1.5, 4.5].\n```\n[1.5, 4.5]\n[1, 4]\n```\n"
    first = holding(code, ("f(x)", [1.5, 4.5]), text=text, stdout="[1.5, 4.5]\n")
    assert first is None


def test_what_another_library_gives_is_not_what_is_wrong():
    code = "import torch\nimport numpy as np\nprint(torch.f(x))\nprint(np.f(x))"
    code += "\n# torch gives 3.0, but numpy's output is 4.0"
    assert holding(code, ("torch.f(x)", 5.0), ("np.f(x)", 5.0)) is None


@pytest.mark.parametrize(
    ("check", "holds"), [("f(x) < g(x)", False), ("allclose(f(x), g(x))", True)]
)
def test_a_check_that_raises_and_is_caught(check, holds):
    code = f"""
        try:
            if {check}:
                print("wrong")
        except Exception:
            pass
    """
    code = code.replace('"wrong"', '"right"') if holds else code
    found = holding(code, ("f(x)", [1.0, 2.0]), ("g(x)", [1.0, 2.0, 3.0]))
    assert found == ((["f(x)", "g(x)"], "disagrees") if holds else None)


def test_what_goes_in_is_not_what_is_expected_of_the_results_beside_it():
    code = """
        x = torch.tensor([float("-inf"), 3.0])
        y = torch.nn.functional.silu(x)
        for a, b in zip(x.tolist(), y.tolist()):
            print(a, b)  # got nan, expected -0.0
    """
    events = (("a", -INF), ("b", NAN), ("a", 3.0), ("b", 2.9))
    assert holding(code, *events, title="silu(-inf) is nan") == (["b"], "non_finite")


@pytest.mark.parametrize(("last", "holds"), [([0.0], False), ([1.0], True)])
def test_each_turn_of_a_loop_has_its_own_reference(last, holds):
    code = """
        for n in range(2):
            got = torch.bitwise_left_shift(x, n)
            want = np.left_shift(x, n)
            print(n, got, want)
    """
    events = (("got", [1.0]), ("want", [1.0]), ("got", last), ("want", [0.0]))
    assert holding(code, *events) == ((["got", "want"], "disagrees") if holds else None)


@pytest.mark.parametrize(
    ("assertion", "holds"),
    [("not torch.isnan(g(y)).any()", True), ("torch.equal(y, z)", False)],
)
def test_an_assertion_that_some_value_has_no_nan_says_nothing_of_others(assertion, holds):
    code = f"print(f(x))\nassert {assertion}"
    events = (("f(x)", [NAN, 1.0]), (assertion, True))
    found = holding(code, *events, title="f is nan at 0")
    assert found == ((["f(x)"], "non_finite") if holds else None)


@pytest.mark.parametrize(
    ("quoted", "holds"),
    [
        ("leads to the output:\n\n`1.0`", True),
        ("it prints `1.0`", True),
        ("leads to the output:\n\n`2.0`", False),
        ("leads to the output:\n\n1.0", False),
        ("I set `thresholds` to `1.0`", False),
    ],
)
def test_the_one_number_that_is_shown_is_meant_where_the_text_quotes_it(quoted, holds):
    text = f"{quoted}\n\nThis should be 0.0."
    title = "Metrics of true positives are wrong for float labels"
    code = "m.update(x)\nprint(f(x))"
    events = (("m.update(x)", None), ("f(x)", 1.0))
    found = holding(code, *events, title=title, text=text, stdout="1.0\n")
    assert found == ((["f(x)"], "disagrees") if holds else None)


def test_a_number_that_a_loop_goes_through_is_no_result():
    code = "for n in (3, 5):\n    g = f(n)\n    print(n, g)"
    events = (("n", 3), ("g", 1.5), ("n", 5), ("g", 2.5))
    text = "It prints\n```\n3 1.5\n5 2.5\n```"
    found = holding(code, *events, text=text, stdout="3 1.5\n5 2.5\n")
    assert found == (["g"], "disagrees")


def test_that_something_overflows_says_when_a_result_is_nan():
    code, title = "y = f(x)\nprint(y)", "f is NaN where the real part overflows"
    assert holding(code, ("y", [1.0, NAN]), title=title) == (["y"], "non_finite")
    assert holding(code, ("y", [1.0, INF]), title=title) is None
    for title in ("f overflows", "f overflows instead of returning NaN"):
        assert holding(code, ("y", [1.0, INF]), title=title) == (["y"], "non_finite")


def test_a_check_that_passes_is_no_wrong_value_though_it_comes_out_as_pasted():
    code, text = "print(f(x) == g(x))", "f is wrong:\n```\nTrue\n```"
    seen = (("f(x)", 2.0), ("g(x)", 2.0), ("f(x) == g(x)", True))
    assert holding(code, *seen, title="f is wrong", text=text, stdout="True") is None


@pytest.mark.parametrize(
    ("gaps", "shown"),
    [
        ((4e-4, 531.0), 2),  # beside the bug, what is right is shown to be so
        ((531.0, 4e-4), 1),
        ((2.0, 5.0), 1),
        ((0.0, 5.0), 2),
        ((float("nan"), 4e-4), 1),
    ],
)
def test_of_differences_in_one_place_the_one_that_is_far_larger_counts(gaps, shown):
    code = """
        for layout in (1, 2):
            got, want = f(x, layout), g(x)
            print((got - want).abs().max())
    """
    events = [(text, [number]) for gap in gaps for text, number in (("got", gap), ("want", 0.0))]
    oracle = first(code, *events)[1]
    assert oracle.kind is SymptomKind.DISAGREES
    assert {spot.occurrence for spot in oracle.spots} == {shown}
