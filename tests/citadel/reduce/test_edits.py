from __future__ import annotations

import libcst as cst
import pytest

from citadel.reduce.edits import KINDS, Edit, Script


def results(code):
    return results_of(cst.parse_module(code))


def results_of(module, leaf="f"):
    made = [edit.applied(module) for kind in Script(module, leaf).edits() for edit in kind]
    return [one.code for one in made if one is not None]


@pytest.mark.parametrize(
    ("code", "simpler"),
    [
        ("a = 1\nprint(a)\nf(a)\nprint(2)\n", "a = 1\nf(a)\n"),  # all that is printed at once
        ("a = 1\nb = 2\nf(a)\n", "a = 1\nf(a)\n"),
        ("with g():\n    f(3)\n", "f(3)\n"),
        ("for i in (1, 2):\n    f(3)\n", "f(3)\n"),
        ("try:\n    f(3)\nexcept E:\n    raise\n", "f(3)\n"),
        ("f(a, b, c=d)\n", "f(a, b)\n"),
        ("g([a, b])\n", "g([a])\n"),
        ("x = a.view(2)\n", "x = a\n"),
        ("for i in a:\n    print(i)\nf(a)\n", "for i in a:\n    pass\nf(a)\n"),
        ("x = (a + b) * c\n", "x = (a + b)\n"),
        ("x = g(64)\n", "x = g(1)\n"),
        ("x = g(2.5)\n", "x = g(1.0)\n"),
        ("(y := g(3))\n", "y = g(3)\n"),
        ("n = f(x)\nresult = n\n", "result = f(x)\nresult = result\n"),
    ],
)
def test_what_could_be_simpler(code, simpler):
    assert simpler in results(code)


@pytest.mark.parametrize("infinity", ['float("inf")', "math.inf", "torch.inf", "inf"])
def test_an_infinity_keeps_its_sign(infinity):
    found = results(f"x = torch.tensor([-{infinity}, -2.0])\nf(x)\n")
    assert f"x = torch.tensor([-{infinity}])\nf(x)\n" in found
    assert not any(f"[{infinity}" in one or f"tensor({infinity}" in one for one in found)


def test_the_calls_of_the_api_stay_alike():
    code = "one = f(x.double(), 3, k=4)\nother = f(x, 3, k=4)\n"
    found = results(code)
    assert "one = f(x.double(), 3)\nother = f(x, 3)\n" in found
    assert not any("f(x.double(), 3)\nother = f(x, 3, k=4)" in one for one in found)
    assert not any("f(x.double(), 1" in one or "k=1" in one for one in found)  # may not be valid


@pytest.mark.parametrize(
    "check",
    [
        "assert isfinite(f(3.5), 4)",
        "torch.testing.assert_close(f(3.5), y, rtol=0.5)",
        "raise ValueError(f(3.5))",
    ],
)
def test_a_check_stays_as_it_is_or_goes(check):
    found = results(f"y = 2\n{check}\n")
    assert found
    assert all(check in one or "f(" not in one for one in found)


def test_an_edit_is_made_in_a_control_too():
    case, control = "# one\na = g(9)\nf(a)\n", "\n\na = g(9)  # two\nf(a.double())\n"
    trees = [cst.parse_module(one) for one in (case, control)]
    (edit,) = (
        edit
        for kind in Script(trees[0], "f").edits()
        for edit in kind
        if isinstance(edit.made, cst.Integer) and edit.made.value == "1"
    )
    assert edit.applied(trees[1]).code == control.replace("9", "1")


def test_an_edit_without_its_place_is_none():
    module = cst.parse_module("a = g(9)\n")
    assert Edit(((0, 0, 5, 5),), None, "").applied(module) is None
    assert Edit(((0,),), None, "another text").applied(module) is None


def test_a_block_may_be_empty():
    module = cst.parse_module("for i in a:\n    print(i)\nf(a)\n")
    emptied = next(Script(module, "f").edits()[0]).applied(module)
    assert emptied.code == "for i in a:\n    pass\nf(a)\n"
    assert "f(a)\n" in results_of(emptied)


@pytest.mark.parametrize(
    "code", ["for i in 1,:\n    f(i)\n", "x = 1, 2\nf(x)\n", "f(*a, **b)\n", "f()\n"]
)
def test_what_would_be_no_python_is_not_made(code):
    for one in results(code):
        compile(one, "case", "exec")


def test_all_kinds_are_counted():
    assert len(Script(cst.parse_module("f()\n"), "f").edits()) == KINDS


UNLIKE = [
    "y = f(a, [b, 1], dim=2)\nif y:\n    print(y)\n",
    "y = f(a.b.c(1), m.n, k.l.o(m=-3.5))\nfor y in (1, 2):\n    z = [y for y in y]\n",
    "with a as b:\n    y = f(g(a) if a else a[b], lambda: a)\n(z := f(*y))\n",
]


@pytest.mark.parametrize("other", UNLIKE)
@pytest.mark.parametrize("code", UNLIKE)
def test_an_edit_of_one_script_is_none_or_python_in_another(code, other):
    module = cst.parse_module(other)
    tried = [
        edit.applied(module)
        for kind in Script(cst.parse_module(code), "f").edits()
        for edit in kind
    ]
    assert None in tried or code == other
    for made in filter(None, tried):
        cst.parse_module(made.code)
