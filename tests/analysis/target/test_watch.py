"""Which expressions are watched, what they say, and that watching changes nothing."""

import contextlib
import io
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.target.instrument import instrument, watched
from analysis.target.watch import Check, Role


def points_of(code):
    return watched(instrument(dedent(code))).points


def the_check(code):
    return next(point for point in points_of(code) if point.check is not None)


@pytest.mark.parametrize(
    ("code", "check", "negated", "operands"),
    [
        ("print(torch.allclose(a, b))", Check.CLOSE, False, ["a", "b"]),
        ("assert not torch.isnan(g).any()", Check.NAN, True, ["g"]),
        ("g.isnan().any().item()", Check.NAN, False, ["g"]),
        ("print((y != y).any())", Check.NAN, False, ["y"]),
        ("print(torch.isnan(y).sum() > 0)", Check.NAN, False, ["y"]),
        ("print(torch.isnan(y).sum().item() == 0)", Check.NAN, True, ["y"]),
        ("if tf.math.is_nan(y)[0]: pass", Check.NAN, False, ["y"]),
        ("assert bool((a == b).all())", Check.EQUAL, False, ["a", "b"]),
        ("print((a - b).abs().max().item())", Check.DIFFERENCE, False, ["a", "b"]),
        ("print(torch.max(torch.abs(a - b)))", Check.DIFFERENCE, False, ["a", "b"]),
        ("np.testing.assert_allclose(a, b, rtol=1e-3)", Check.CLOSE, False, ["a", "b"]),
    ],
)
def test_checks_are_seen_through_what_wraps_them(code, check, negated, operands):
    points = points_of(code)
    found = the_check(code)
    assert (found.check, found.negated) == (check, negated)
    assert [p.text for p in points if p.parent == found.number] == operands


@pytest.mark.parametrize("code", ["print(a.abs())", "x = a + b", "print('done')", "f(a)[0] = 1"])
def test_what_checks_nothing_is_no_check(code):
    assert all(point.check is None for point in points_of(code))


@pytest.mark.parametrize(
    "code",
    [
        "w = torch.where(x == 0.0, y, z)",
        "r = torch.where(~torch.isnan(y), y, 0.0)",
        "x = x.masked_fill(x != 1, 0.0)",
        "y = y[x == 0]",
        "y[torch.isnan(y)] = 0",
    ],
)
def test_what_selects_elements_tests_nothing(code):
    assert all(point.check is None for point in points_of(f"{code}\nprint(w)"))


@pytest.mark.parametrize(
    "call", ["check(a == b, 'sums differ')", "torch.all(a == b, 0)", "record(name, a == b)"]
)
def test_a_comparison_beside_a_message_is_a_test(call):
    assert the_check(call).check is Check.EQUAL


def test_modules_are_those_that_the_text_imports():
    code = "import numpy.testing as npt\nnpt.assert_array_equal(a, b)"
    found = the_check(code)
    assert [p.text for p in points_of(code) if p.parent == found.number] == ["a", "b"]


def test_an_assertion_states_each_of_its_conditions():
    asserted = [
        p.text for p in points_of("assert torch.equal(a, b) and y.isfinite().all()") if p.asserted
    ]
    assert asserted == ["torch.equal(a, b)", "y.isfinite().all()"]


def test_branches_say_what_an_outcome_means():
    (point,) = [
        p
        for p in points_of(
            "if torch.equal(a, b):\n    print('ok')\nelse:\n    raise ValueError('no')"
        )
        if p.role is Role.TESTED
    ]
    assert point.label == "ok"
    assert point.otherwise == "raise no"


def test_labels_are_the_text_in_front():
    shown = [p for p in points_of('print(f"eager {a} graph: {b}")') if p.role is Role.SHOWN]
    assert [(p.label, p.text) for p in shown] == [("eager", "a"), ("graph:", "b")]


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("logger.info('loss %s', x)", ["x"]),
        ("logging.error(x)", ["x"]),
        ("print(torch.log(x))", ["torch.log(x)"]),
        ("logits = f(x)\nlogits.log()", ["logits.log()"]),
        ("self.my_logger.info(x)", ["x"]),
        ("y = tf.math.log(x)\nprint(y)", ["y"]),
    ],
)
def test_logs_print_and_logarithms_do_not(code, shown):
    assert [p.text for p in points_of(code) if p.role is Role.SHOWN] == shown


def origin(code):
    return points_of(code)[-1].origin


def test_origins_follow_names():
    found = origin("import numpy as np\nx = np.ones(3)\ny = np.median(x)\nprint(y.item())")
    assert (found.call, found.library) == ("np.median", "numpy")
    assert found.calls >= {"np.ones", "np.median"}
    assert found.fixed


@pytest.mark.parametrize(
    ("loop", "calls"),
    [
        ("for a, b in zip(f(x), g(x)): print(a)", {"f"}),
        ("for n, (a, b) in enumerate(zip(f(x), g(x))): print(b)", {"g"}),
        (
            "for name, (a, b) in (('one', (f(x), g(x))), ('2', (f(x), h(x)))): print(b)",
            {"g", "h"},
        ),
        ("for a, b in g(x): print(a)", {"g"}),
        ("for a, *b in zip(f(x), g(x)): print(a)", {"zip", "f", "g"}),
        ("(a, b), c = (f(x), g(x)), h(x)\nprint(b)", {"g"}),
    ],
)
def test_what_a_loop_runs_over_is_followed_piece_by_piece(loop, calls):
    assert origin(loop).calls == calls


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("x = f(1)\ny = g(x)", ["g(x)"]),
        ("x = f(1)\ny = g(x)\nprint(x)", ["x"]),
        ("def h():\n    y = g()\nh.x = 3", []),
        ("for x in y:\n    z = g(x)", []),
    ],
)
def test_code_that_shows_nothing_shows_the_last_value_that_it_makes(code, shown):
    assert [p.text for p in points_of(code)] == shown


def test_names_of_arguments_and_attributes_are_not_followed():
    found = origin("import torch\nx = torch.tensor([1.0], dtype=torch.float64).real\nprint(x)")
    assert found.names == {"x"}
    assert found.fixed


@pytest.mark.parametrize(
    "code",
    [
        "x = torch.ones(2)\nx.pow_(3)\nprint(x)",
        "x = torch.ones(2, 2)\ntorch.mm(x, x, out=x)\nprint(x)",
        "x = torch.ones(2)\nx[0] = f()\nprint(x)",
        "x = torch.ones(2)\nx += 1\nprint(x)",
        "def f(x):\n    print(x)",
    ],
)
def test_what_changes_or_is_handed_in_is_not_fixed(code):
    assert not origin(code).fixed


AWKWARD = [
    "print(f'{1 + 1 = }')",
    "print([y := 5, y ** 2], y)",
    "print(*[1, 2], sep='-')",
    "print(sum(x for x in (1, 2)), any(x for x in ()))",
    "def g():\n    yield 1\n    assert (yield 2) is None\nprint(list(g()))",
    "print(('a' if len('x') == 1 else 'b') * 2)",
    "if (n := 3) > 2 and not n == 4: print(n)",
    "print('%s and %d%%' % ('x', 3), '{} {}'.format(1, 2))",
    "class A:\n    x = 1\n    print(x)\nA()\n1 + 1",
    "for i in range(3):\n    print(i, end=' ') if i % 2 == 0 else None",
    "import asyncio\nasync def h(): return 1\nasync def k(): print(await h())\nasyncio.run(k())",
    "print(1 < 2 < 3, not (1 == 2), -1, (lambda v: v)(3))",
    "assert 1 == 1, 'x'\nprint('é', b'\\xff', r'\\d')",
    "try:\n    assert [] == [1]\nexcept AssertionError as e:\n    print('caught', repr(e))",
]


def stdout_of(text, **names):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(text, "case.py", "exec"), {"__name__": "__main__", **names})
    return out.getvalue()


def assert_unchanged(code):
    text = watched(instrument(code)).text
    seen = stdout_of(text, __citadel_watch__=lambda point, value: value)
    assert seen == stdout_of(code)
    assert text.count("\n") == code.count("\n")


@pytest.mark.parametrize("code", AWKWARD)
def test_awkward_text_shows_the_same_when_watched(code):
    assert_unchanged(code)


NUMBERS = st.sampled_from(
    ["a", "b", "-1", "2.5", "0", "a * b", "abs(a - b)", "max(a, b)", "[a, b][0]"]
)
TESTS = st.builds(
    "{} {} {}".format, NUMBERS, st.sampled_from(["==", "!=", "<", ">=", "is not"]), NUMBERS
)
CONDITIONS = TESTS | st.builds("not ({})".format, TESTS) | st.builds("bool({}) and b".format, TESTS)
VALUES = NUMBERS | CONDITIONS | st.builds("'y' if {} else {}".format, CONDITIONS, NUMBERS)
LINES = st.one_of(
    st.builds("print({}, 'is', {})".format, VALUES, VALUES),
    st.builds('print(f"x: {{{}}} {{{}!r}}")'.format, NUMBERS, NUMBERS),
    st.builds("print('%s|%s' % ({}, {}))".format, NUMBERS, VALUES),
    st.builds("if {}: print('ok')".format, CONDITIONS),
    st.builds("a = {}".format, NUMBERS),
    VALUES,
)


@given(st.lists(LINES, min_size=1, max_size=6))
def test_printing_programs_print_the_same_when_watched(lines):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # `2.5 is not 0`
        assert_unchanged("\n".join(["a, b = 3, 0.5", *lines, ""]))


@pytest.mark.parametrize("name", ["assert_all_finite", "check_numerics"])
def test_what_is_asserted_to_be_finite_is_checked(name):
    code = f"import tensorflow as tf\ntf.debugging.{name}(g, 'not finite')"
    found = the_check(code)
    assert found.check is Check.FINITE
    assert [p.text for p in points_of(code) if p.parent == found.number] == ["g"]


def test_entries_of_a_dictionary_that_is_printed_are_shown():
    code = """
        found = {}
        kept = {}
        try:
            found["y"] = f(x)
            kept["z"] = g(x)
        except Exception as problem:
            found["why"] = "failed: " + str(problem)
        print(found)
    """
    shown = [point.text for point in points_of(code) if point.role is Role.SHOWN]
    assert shown == ["f(x)", "found"]


@pytest.mark.parametrize("value", ["f(x)", "f(x)[0]", "x @ y", "-x", "x.mT", "x"])
def test_an_entry_is_shown_however_its_value_is_written(value):
    assert shown_of(value) == [value, "found"]


@pytest.mark.parametrize("value", ["1", "[0.5, -1.0]", "'slow'", "'at %s' % x", "'a' + b + 'c'"])
def test_literals_and_messages_in_entries_are_not_shown(value):
    assert shown_of(value) == ["found"]


def shown_of(value):
    code = f"found = {{}}\nfound['y'] = {value}\nprint(found)"
    return [point.text for point in points_of(code) if point.role is Role.SHOWN]


@pytest.mark.parametrize(
    ("code", "calls", "call"),
    [
        ("y = f(x)\nprint(y)\ny = g(x)\nprint(y)", [{"f"}, {"g"}], ["f", "g"]),
        ("y = f(x)\ny = g(y)\nprint(y)", [{"f", "g"}], ["g"]),
        ("y = f(x)\nif a:\n    y = g(x)\nprint(y)", [{"f", "g"}], [""]),
        ("y = f(x)\nfor i in a:\n    print(y)\n    y = g(y)", [{"f", "g"}], [""]),
        ("y = f(x)\nwith a:\n    print(y)\ny = g(x)", [{"f"}], ["f"]),
        ("y = f(x)\ndef h():\n    print(y)\ny = g(x)\na = h()", [{"f", "g"}], [""]),
        ("y = f(x); print(y); y = g(x)", [{"f"}], ["f"]),
    ],
)
def test_a_name_stands_for_what_was_last_assigned_above(code, calls, call):
    shown = [point.origin for point in points_of(code) if point.role is Role.SHOWN]
    assert [one.calls for one in shown] == calls
    assert [one.call for one in shown] == call


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("with self.assertRaises(ValueError):\n    f(-1)", "f(-1)"),
        ("with pytest.raises(ValueError) as e:\n    y = f(-1)\n    g(y)", "g(y)"),
        ("with tf.device('cpu'):\n    f(-1)", None),
        ("try:\n    f(-1)\nexcept E:\n    pass\nelse:\n    raise AssertionError()", "f(-1)"),
        ("try:\n    y = f(-1)\n    self.fail('no error')\nexcept E:\n    pass", "f(-1)"),
        ("try:\n    f(-1); assert False, 'no error'\nexcept E:\n    pass", "f(-1)"),
        ("try:\n    f(-1)\nexcept E:\n    pass\nelse:\n    print('fine')", None),
        ("try:\n    y = f(-1)\nexcept E:\n    pass\nelse:\n    assert y < 3", None),
        ("try:\n    f(-1)\n    raise E\nfinally:\n    g()", None),
        ("try:\n    for x in a:\n        f(x)\n    raise E\nexcept E:\n    pass", None),
    ],
)
def test_a_line_that_the_code_wants_to_raise_is_unwanted(code, line):
    unwanted = [point.text for point in points_of(code) if point.unwanted]
    assert unwanted == ([] if line is None else [line])


@pytest.mark.parametrize(
    "imported",
    ["import numpy.testing as npt", "try: import numpy.testing as npt\nexcept ImportError: raise"],
)
def test_modules_are_known_wherever_they_are_imported(imported):
    points = points_of(f"{imported}\nnpt.assert_allclose(a, b)\n")
    assert [p.text for p in points if p.role is Role.OPERAND] == ["a", "b"]
