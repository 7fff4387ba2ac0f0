"""Value oracles found in reports: each rule with a true bug that it finds and a false alarm."""

import math
from textwrap import dedent

import pytest

from analysis.target.instrument import instrument, watched
from analysis.target.observation import Observation, Outcome, Raised, Seen
from analysis.values import Numbers, Value
from citadel.oracle.capture import capture
from citadel.oracle.value import shows, values_of
from harvest.report.model import Report
from harvest.report.understand import understand


def value(thing):
    if isinstance(thing, Value):
        return thing
    if isinstance(thing, list):
        bad = [n for n in thing if not math.isfinite(n)]
        held = Numbers(
            count=len(thing),
            nan=sum(map(math.isnan, bad)),
            inf=sum(n == math.inf for n in bad),
            low=0.0,
            high=0.0,
            few=tuple(thing),
        )
        return Value(kind="tensor", dtype="float32", shape=(len(thing),), numbers=held)
    return Value(kind="none" if thing is None else type(thing).__name__, text=repr(thing))


def holding(code, *events, title="wrong result", text="", stdout="", asserts=False):
    """The first oracle that holds: (why, kind); events are (text of a point, value), in order."""
    code = dedent(code).strip()
    points = watched(instrument(code)).points
    numbers = {point.text: point.number for point in reversed(points)}
    told, seen = {}, []
    for name, thing in events:
        occurrence = told[name] = told.get(name, 0) + 1
        seen.append(Seen(point=numbers[name], occurrence=occurrence, value=value(thing)))
    raised = Raised(types=("AssertionError",), message="") if asserts else None
    outcome = Outcome.EXCEPTION if asserts else Outcome.OK
    run = Observation(outcome=outcome, exception=raised, seen=tuple(seen), stdout=stdout)
    body = f"{text}\n\n```python\n{code}\n```\n"
    reading = understand(Report(source="r.md", title=title, body=body))
    for oracle in capture(points, run, reading):
        if shows(oracle, run, values_of(run)):
            return [points[spot.point].text for spot in oracle.spots], str(oracle.kind)
    return None


NAN, INF = math.nan, math.inf


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


@pytest.mark.parametrize(("got", "holds"), [(INF, True), (NAN, False)])
def test_nan_that_is_expected_is_no_bug(got, holds):
    found = holding("print(f(x))", ("f(x)", got), title="f returns inf rather than nan")
    assert (found is not None) is holds


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


@pytest.mark.parametrize(
    ("title", "check", "outcome", "holds"),
    [
        ("f gives the same for any seed", "print('same:', torch.equal(y, z))", True, True),
        (
            "f gives the same for any seed",
            "print('same:', torch.equal(y, z))",
            False,
            False,
        ),
        ("f generates a constant", "print('differ:', (y != z).any())", False, True),
        ("f generates a constant", "assert torch.equal(y, z)", False, True),
        ("f does not give the same numbers", "print(torch.equal(y, z))", True, False),
        ("f gives different results for the same seed", "print(torch.equal(y, z))", False, True),
    ],
)
def test_a_title_may_complain_that_values_are_alike(title, check, outcome, holds):
    points = watched(instrument(check)).points
    outer = next(point for point in points if point.check is not None)
    events = [(p.text, [1.0]) for p in points if p.parent == outer.number]
    asserts = "assert" in check
    found = holding(check, *events, (outer.text, outcome), title=title, asserts=asserts)
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


@pytest.mark.parametrize(("got", "holds"), [(NAN, True), (INF, False)])
def test_a_title_that_speaks_of_nan_alone_means_that(got, holds):
    text = "Mostly nan, while inf would be right."
    found = holding("print(f(x))", ("f(x)", [got]), title="f diverges on NaN values", text=text)
    assert found == ((["f(x)"], "non_finite") if holds else None)


@pytest.mark.parametrize(
    ("title", "text", "found"),
    [
        ("f turns inf into NaN", "Expected: finite numbers, or an error.", "non_finite"),
        ("f turns inf into NaN", "It should raise an error.", "accepts"),
        ("f accepts inf", "Expected: finite numbers, or an error.", "accepts"),
    ],
)
def test_where_an_error_is_one_of_two_ways_out_nan_is_what_a_title_says(title, text, found):
    code = "x = g(float('inf'))\ny = f(x)  # contains nan\nprint(y)"
    assert holding(code, ("y", [math.nan, 0.0]), title=title, text=text) == (["y"], found)


def test_the_assertion_that_fails_is_the_oracle_whatever_is_tested_before():
    code = "m = torch.isnan(y)\nassert not torch.isnan(g).any()"
    events = [("y", [NAN]), ("torch.isnan(y)", [1.0]), ("g", [NAN])]
    events.append(("not torch.isnan(g).any()", False))
    assert holding(code, *events, asserts=True) == (["g"], "false")
    assert holding(code, *events[:2]) == (["y"], "false")


def test_arrays_of_literals_are_no_references():
    code = "import numpy as np\nprint(torch.median(x))\nprint(np.array([1.0]))"
    assert holding(code, ("torch.median(x)", [2.0]), ("np.array([1.0])", [1.0])) is None


@pytest.mark.parametrize(("made", "holds"), [("f(x)", True), ("torch.tensor([1e400])", False)])
def test_inputs_are_no_results(made, holds):
    found = holding(f"y = {made}\nprint(y)", ("y", [INF]), title="f overflows to inf")
    assert (found is not None) is holds


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


def test_modes_share_what_they_are_made_of():
    code = "a = f(x)\nb = tf.function(f)(x)\nprint('eager', a)\nprint('xla', b)"
    assert holding(code, ("a", [1.0]), ("b", [2.0])) == (["a", "b"], "disagrees")
    code = "a = f(x)\nb = g(y)\nprint('eager', a)\nprint('xla', b)"
    assert holding(code, ("a", [1.0]), ("b", [2.0])) is None


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


@pytest.mark.parametrize(
    ("title", "text", "code", "is_one"),
    [
        ("f gives NaN", "", "print(f(x))", True),
        ("A case of f", "We have a NaN there.", "print(f(x))", True),
        ("A case of f", "There is no NaN.", "print(f(x))", False),
        ("f gives NaN", "", "print(f(float('nan')))", False),
        ("f swallows NaN", "", "print(f(x))", False),
        ("f is wrong", "", "print(f(x))", False),
        ("f returns 2 instead of inf", "", "print(f(x))", False),
        ("torch.f gives NaN", "", "import torch\nprint(torch.f(x))", True),
        ("torch.f gives NaN", "", "import torch\nprint(torch.g(x))", False),
        ("f gives NaN gradients", "", "print(f(x))", False),
        ("f gives NaN gradients", "", "print(x.grad)", True),
        ("f overflows", "", "print(f(x))", False),
    ],
)
@pytest.mark.parametrize("whole", [False, True])
def test_what_is_finite_by_now_tells_though_it_does_not_hold(title, text, code, is_one, whole):
    points = watched(instrument(code)).points
    shown, is_one = value(2 if whole else [2.0]), is_one and not whole  # no whole number is NaN
    run = Observation(outcome=Outcome.OK, seen=(Seen(point=0, occurrence=1, value=shown),))
    body = f"{text}\n\n```python\n{code}\n```\n"
    found = capture(points, run, understand(Report(source="r.md", title=title, body=body)))
    kinds = [str(one.kind) for one in found if not shows(one, run, values_of(run))]
    assert ("non_finite" in kinds) is is_one


def test_what_an_operator_computes_is_a_result():
    code = "import torch\nx = torch.tensor([2.])\nprint(repr(x * x))"
    found = holding(code, ("x * x", [INF]), title="x * x gives inf")
    assert found == (["x * x"], "non_finite")
    for made in ("x", "x / 0", "-1 * x"):
        other = code.replace("x * x", made)
        assert holding(other, (made, [INF]), title="x gives inf") is None


def test_what_differs_may_be_counted():
    code = "print(torch.ne(f(x), g(x)).sum())"
    seen = (("f(x)", [1.0]), ("g(x)", [2.0]), ("torch.ne(f(x), g(x)).sum()", 1))
    assert holding(code, *seen) == (["f(x)", "g(x)"], "false")
    seen = (("torch.ne(f(x), g(x))", [1.0]),)
    assert holding("print(torch.ne(f(x), g(x)))", *seen) is None


def test_what_the_title_calls_wrong_is_it_rather_than_what_is_said_in_passing():
    code, title = "print(f(x))\nprint(g(x))", "f gives 7 instead of NaN"
    seen = (("f(x)", [0.0, 0.0]), ("g(x)", [7.0, 7.0]))
    found = holding(code, *seen, title=title, text="Here the norm is 0.")
    assert found == (["g(x)"], "disagrees")


def test_what_another_library_gives_is_not_what_is_wrong():
    code = "import torch\nimport numpy as np\nprint(torch.f(x))\nprint(np.f(x))"
    code += "\n# torch gives 3.0, but numpy's output is 4.0"
    assert holding(code, ("torch.f(x)", 5.0), ("np.f(x)", 5.0)) is None


def test_what_the_api_of_the_title_gives_is_accepted_rather_than_what_it_is_given():
    code = "import torch\nx = torch.rand(2)\nprint(x)\ny = torch.take(x, i)\nprint(y)"
    wish = "`torch.take` should raise an exception."
    found = holding(code, ("x", [1.0, 2.0]), ("y", [2.0]), title="Checks of torch.take", text=wish)
    assert found == (["y"], "accepts")


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
    ("title", "holds"),
    [
        ("f replaces NaN by 0", False),
        ("NaN becomes zero in f", False),
        ("f turns NaN inputs into 0", False),
        ("0 becomes NaN in f", True),
        ("f turns zeros into NaN", True),
        ("f masks wrongly, NaN is returned", True),
    ],
)
def test_where_nan_should_stay_nan_is_no_bug(title, holds):
    found = holding("print(g(x))", ("g(x)", [NAN]), title=title)
    assert found == ((["g(x)"], "non_finite") if holds else None)


def test_of_what_is_pasted_as_it_comes_out_it_is_the_value_of_the_api_in_the_title():
    code = "import torch\nprint(torch.exp(x))\nprint(torch.sin(x))"
    pasted = "wrong:\n```\n[2.0]\n[3.0]\n```\n"
    seen = (("torch.exp(x)", [2.0]), ("torch.sin(x)", [3.0]))
    title = "`torch.sin` gives wrong values"
    found = holding(code, *seen, title=title, text=pasted, stdout="[2.0]\n[3.0]")
    assert found == (["torch.sin(x)"], "disagrees")


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


@pytest.mark.parametrize("results", [(2.0, 3.0), (NAN, NAN)])
def test_of_a_name_that_is_used_again_the_result_of_the_titled_call_is_meant(results):
    code = "import torch\nout = torch.mean(x)\nprint(out)\nout = torch.var(x)\nprint(out)"
    points = watched(instrument(code)).points
    seen = tuple(
        Seen(point=point.number, occurrence=1, value=value([one]))
        for point, one in zip(points, results, strict=True)
    )
    run = Observation(outcome=Outcome.OK, seen=seen)
    body = f"```python\n{code}\n```\n"
    reading = understand(Report(source="r.md", title="torch.var gives NaN", body=body))
    first = next(one for one in capture(points, run, reading) if one.of_finiteness)
    assert [points[spot.point].origin.call for spot in first.spots] == ["torch.var"]
