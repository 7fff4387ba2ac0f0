"""What words make of values: each rule with a true bug that it finds and a false alarm."""

import pytest

from analysis.target.instrument import instrument, watched
from analysis.target.observation import Observation, Outcome, Seen
from analysis.values import Value
from citadel.oracle.capture import capture
from citadel.oracle.hints import lost_numbers
from citadel.oracle.value import shows, values_of
from harvest.report.model import Report
from harvest.report.understand import understand

from .holding import INF, NAN, holding, value


@pytest.mark.parametrize(("got", "holds"), [(INF, True), (NAN, False)])
def test_nan_that_is_expected_is_no_bug(got, holds):
    found = holding("print(f(x))", ("f(x)", got), title="f returns inf rather than nan")
    assert (found is not None) is holds


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
    assert holding(code, ("y", [NAN, 0.0]), title=title, text=text) == (["y"], found)


@pytest.mark.parametrize(
    ("title", "text", "code", "is_one"),
    [
        ("f gives NaN", "", "print(f(x))", True),
        ("A case of f", "We have a NaN there.", "print(f(x))", True),
        ("A case of f", "There is no NaN.", "print(f(x))", False),
        ("f gives NaN", "", "print(f(float('nan')))", False),
        ("f swallows NaN", "", "print(f(x))", False),
        ("f turns -inf into the lowest number", "", "print(f(x))", False),
        ("f turns inf into NaN", "", "print(f(x))", True),
        ("f is wrong", "", "print(f(x))", False),
        ("f is wrong", "It returns nan.", "print(f(x))", True),
        ("f returns 2 instead of inf", "", "print(f(x))", False),
        ("torch.f gives NaN", "", "import torch\nprint(torch.f(x))", True),
        ("torch.f gives NaN", "", "import torch\nprint(torch.g(x))", False),
        ("The f distribution ends in NaN", "", "print(d.g(x))", True),
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


def test_what_the_title_calls_wrong_is_it_rather_than_what_is_said_in_passing():
    code, title = "print(f(x))\nprint(g(x))", "f gives 7 instead of NaN"
    seen = (("f(x)", [0.0, 0.0]), ("g(x)", [7.0, 7.0]))
    found = holding(code, *seen, title=title, text="Here the norm is 0.")
    assert found == (["g(x)"], "disagrees")


@pytest.mark.parametrize(
    "title",
    [
        "layer_norm ignores eps and gives inf",
        "CrossEntropyLoss with ignore_index returns inf",
        "GRU hidden state becomes inf in float16",
        "conv2d on large feature maps returns inf",
        "gelu returns inf when x becomes large",
        "mean turns inf for large float16 inputs",
        "cdist(x, y, p=inf) is replaced by p=2",
        "f should never return inf",
        "f turns inf into NaN",
        "f loses nothing and gives NaN",
    ],
)
def test_who_gives_what_is_not_finite_does_not_miss_it(title):
    assert lost_numbers(title) == set()


@pytest.mark.parametrize(
    ("title", "kinds"),
    [
        ("f turns inf into 0 and swallows NaN", {"nan", "inf"}),
        ("f drops infinities", {"inf"}),
        ("-inf becomes -3.4e38", {"inf"}),
        ("f should return inf", {"inf"}),
        ("f never returns an inf", {"inf"}),
        ("f does not propagate NaN", {"nan"}),
    ],
)
def test_which_numbers_a_title_misses(title, kinds):
    assert lost_numbers(title) == kinds


@pytest.mark.parametrize(
    ("title", "wrong", "right"),
    [
        ("f turns -inf into the lowest float", -3.4e38, -INF),
        ("f drops infinities", 0.0, INF),
        ("f never returns inf", 7.0, INF),
        ("f turns NaN into 0", 0.0, NAN),
    ],
)
def test_what_a_title_misses_is_what_is_right(title, wrong, right):
    code = "print('one', f(x))\nprint('two', g(x))"
    seen = (("f(x)", [wrong, 3.0]), ("g(x)", [right, 3.0]))
    assert holding(code, *seen, title=title, text="It is different.") != (["g(x)"], "non_finite")


def test_what_should_be_is_said_of_a_result_rather_than_of_what_a_loop_goes_through():
    code = """
        import math, torch
        for mantissa, exponent in [(2.0, 3)]:
            want = math.ldexp(mantissa, exponent)
            got = torch.ldexp(mantissa, exponent)
            print(f"ldexp({mantissa:g}) = {got:g}, should be {want:g}")
    """
    seen = (("mantissa", 2.0), ("got", 0.0), ("want", 16.0))
    assert holding(code, *seen) == (["got", "want"], "disagrees")
    right = (("mantissa", 2.0), ("got", 16.0), ("want", 16.0))
    assert holding(code, *right) is None


def test_what_the_api_of_the_title_gives_is_accepted_rather_than_what_it_is_given():
    code = "import torch\nx = torch.rand(2)\nprint(x)\ny = torch.take(x, i)\nprint(y)"
    wish = "`torch.take` should raise an exception."
    found = holding(code, ("x", [1.0, 2.0]), ("y", [2.0]), title="Checks of torch.take", text=wish)
    assert found == (["y"], "accepts")


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
    ("title", "holds"),
    [
        ("f depends on tensor length", True),
        ("f is length-dependent", True),
        ("f gives a wrong value", False),
    ],
)
def test_where_a_title_says_so_a_part_gives_what_all_gives(title, holds):
    code = "import torch\nprint(torch.exp(x)[0])\nprint(torch.exp(x[:1])[0])"
    seen = (("torch.exp(x)[0]", 2.0), ("torch.exp(x[:1])[0]", 3.0))
    found = holding(code, *seen, title=title)
    assert (found is not None) is holds
    for one, other in (("mean(x)", "mean(x[:1])"), ("exp(x[1:])[0]", "exp(x[:1])[0]")):
        code = f"import torch\nprint(torch.{one})\nprint(torch.{other})"
        seen = ((f"torch.{one}", 2.0), (f"torch.{other}", 3.0))
        assert holding(code, *seen, title=title) is None


def test_a_title_may_name_the_form_in_place_of_what_is_called():
    code = "import torch\nprint(x[:1])\nprint(x.sin())"
    pasted = "wrong:\n```\n[2.0]\n[3.0]\n```\n"
    seen = (("x[:1]", [2.0]), ("x.sin()", [3.0]))
    title = "Bug in Tensor.sin_"
    found = holding(code, *seen, title=title, text=pasted, stdout="[2.0]\n[3.0]")
    assert found == (["x.sin()"], "disagrees")


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


def test_what_an_operator_computes_is_a_result():
    code = "import torch\nx = torch.tensor([2.])\nprint(repr(x * x))"
    found = holding(code, ("x * x", [INF]), title="x * x gives inf")
    assert found == (["x * x"], "non_finite")
    for made in ("x", "x / 0", "-1 * x"):
        other = code.replace("x * x", made)
        assert holding(other, (made, [INF]), title="x gives inf") is None


@pytest.mark.parametrize(("asserted", "holds"), [("len(x)", True), ("torch.sum(y)", False)])
def test_what_is_right_of_the_input_does_not_make_the_result_right(asserted, holds):
    code = f"import torch\nassert {asserted} == 2\nprint(torch.sum(x))"
    seen = ((asserted, 2), (f"{asserted} == 2", True), ("torch.sum(x)", 3))
    found = holding(code, *seen, title="torch.sum is wrong", text="I get 3 instead of 2.")
    assert (found is not None) is holds


@pytest.mark.parametrize(
    ("right", "first", "second"),
    [
        ("expected `2e20` and `0.5` in every entry", ["2e20"], ["0.5"]),
        ("expected `2e20`", ["2e20"], ["2e20"]),
    ],
)
def test_of_two_values_each_has_its_own_that_is_right(right, first, second):
    points = watched(instrument("print(f(x), g(x))")).points
    numbers = {point.text: point.number for point in points}
    seen = tuple(
        Seen(point=numbers[text], occurrence=1, value=value(number))
        for text, number in (("f(x)", INF), ("g(x)", [0.0, 0.0]))
    )
    run = Observation(outcome=Outcome.OK, seen=seen)
    shown = "Result: `tensor(inf)` `tensor([0., 0.])`"
    body = f"{shown}; {right}.\n\n```python\nprint(f(x), g(x))\n```"
    reading = understand(Report(source="r.md", title="f overflows", body=body))
    found = capture(points, run, reading)[:2]
    assert [list(oracle.expected.numbers) for oracle in found] == [first, second]


def test_what_is_accepted_may_come_to_a_list_of_texts():
    texts = Value(kind="list", items=(Value(kind="str", text="'a'"), Value(kind="str", text="'b'")))
    wish = "I'd expect a `ValueError`."
    found = holding("print([e for e in f(x)])", ("[e for e in f(x)]", texts), text=wish)
    assert found == (["[e for e in f(x)]"], "accepts")
    assert holding("print(f(x))", ("f(x)", texts.items[0]), text=wish) is None


def test_what_is_said_of_something_else_that_is_wrong_is_not_what_is_expected_here():
    told = "f(x) is inf, though 2e20 fits. The slope is 0, where 0.5 is expected."
    points = watched(instrument("print(f(x))")).points
    seen = (Seen(point=points[0].number, occurrence=1, value=value(INF)),)
    run = Observation(outcome=Outcome.OK, seen=seen)
    body = f"{told}\n\n```python\nprint(f(x))\n```\n\nExpected: 2e20 and [0.5, 0.5]."
    reading = understand(Report(source="r.md", title="f overflows", body=body))
    assert capture(points, run, reading)[0].expected.numbers == ("2e20",)


FOLDED = """
    print("graph:", torch.isnan(f(x)))
    print("eager:", torch.isnan(g(x)))
"""
ALL, NONE = [1.0, 1.0], [0.0, 0.0]


@pytest.mark.parametrize(
    ("title", "graph", "found"),
    [
        ("f never is NaN in graphs", NONE, "disagrees"),
        ("f never is NaN in graphs", ALL, None),  # here it is
        ("f swallows NaN", ALL, None),
        ("f gives NaN", NONE, "false"),
        ("f should never return NaN", NONE, "false"),
    ],
)
def test_where_nan_is_missed_its_presence_is_nothing_wrong(title, graph, found):
    nodes = [("torch.isnan(f(x))", graph), ("torch.isnan(g(x))", ALL)]
    inner = [("f(x)", [NAN, NAN] if graph is ALL else [1.0, 1.0]), ("g(x)", [NAN, NAN])]
    events = [inner[0], nodes[0], inner[1], nodes[1]]
    told = holding(FOLDED, *events, title=title)
    assert (told and told[1]) == found


@pytest.mark.parametrize(
    ("ours", "theirs", "outcomes", "found"),
    [
        ("bool(tnp.allclose(a, b))", "np.allclose(a, b)", (False, True), True),
        ("tnp.isclose(a, b).numpy()", "np.isclose(a, b)", ([1.0, 0.0], [1.0, 1.0]), True),
        ("bool(tnp.allclose(a, b))", "np.allclose(a, b)", (False, False), False),  # they agree
    ],
)
def test_a_check_is_compared_with_that_of_another_library(ours, theirs, outcomes, found):
    code = f"import numpy as np\nprint({theirs})\nprint({ours})"
    events = [(theirs, outcomes[1]), (ours, outcomes[0])]
    expected = ([ours, theirs], "disagrees") if found else None
    assert holding(code, *events, title="a is not close to b") == expected


def test_a_check_of_something_else_of_another_library_is_one_of_its_own():
    code = "import numpy as np\nprint(np.allclose(c, d))\nprint(bool(tnp.allclose(a, b)))"
    events = [("np.allclose(c, d)", True), ("bool(tnp.allclose(a, b))", False)]
    found = holding(code, *events, title="a is not close to b")
    assert found is None or found[1] == "false"
