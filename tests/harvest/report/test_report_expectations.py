"""What sentences, comments and printed words call right and wrong."""

import pytest

from harvest.report.accepted import TITLES
from harvest.report.expectations import find_expectations
from harvest.report.markdown import read_markdown
from harvest.report.model import Report
from harvest.report.refusals import wants_refusal
from harvest.report.understand import understand


def said(text="", title="t"):
    found = understand(Report(source="r.md", title=title, body=text)).expectations
    return [(e.right, e.numbers) for e in found]


RIGHT, WRONG = True, False


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It returns inf instead of 2e20.", [(WRONG, ("inf",)), (RIGHT, ("2e20",))]),
        ("I expect `[1, 2]`. I receive `[1, 1]`.", [(RIGHT, ("1", "2")), (WRONG, ("1", "1"))]),
        ("Expected the first one to be `[3.7, 2]` too.", [(RIGHT, ("3.7", "2"))]),
        ("The mean is reported as 1. NumPy gives 1.5.", [(WRONG, ("1.",)), (RIGHT, ("1.5",))]),
        ("scipy.special.j0(np.inf) returns 0.0", [(RIGHT, ("0.0",))]),
        ("silu(-inf) -> nan but the limit is 0", [(WRONG, ("nan",)), (RIGHT, ("0",))]),
        ("unlike numpy we get 3", [(WRONG, ("3",))]),
        ("expected [[[0.5], [4.7]]]", [(RIGHT, ("0.5", "4.7"))]),
        (
            "Expected tensor([[1., 2.], [3., 4.]]), got tensor([[1., 2.],\n        [3., 5.]])",
            [(RIGHT, ("1.", "2.", "3.", "4.")), (WRONG, ("1.", "2.", "3.", "5."))],
        ),
        ("It should be [1, 2] or [3, 4].", [(RIGHT, ("1", "2")), (RIGHT, ("3", "4"))]),
        (
            "It prints `[1. 4.]`, expected [0. nan 3.]",
            [(WRONG, ("1.", "4.")), (RIGHT, ("0.", "nan", "3."))],
        ),
        ("It should be 2. It returns 3.", [(RIGHT, ("2.",)), (WRONG, ("3.",))]),
        ("1.5 is expected", [(RIGHT, ("1.5",))]),
        ("I get inf, expected 1000.5", [(WRONG, ("inf",)), (RIGHT, ("1000.5",))]),
        ("the result should not be 3", [(WRONG, ("3",))]),
        ("There should be no infinity left", []),
        ("scipy returns nan for 2.", [(RIGHT, ("nan",))]),
        ("JAX gives nan as well", []),
        ("it should be positive for x <= -3", []),
        ("the second derivative is -pi**2/3", []),
        ("It should give 3 instead of 4", [(RIGHT, ("3",)), (WRONG, ("4",))]),
        ("We want a refusal if the size is zero rather than nan", [(RIGHT, ("nan",))]),
        ("Expect a refusal if the size is zero rather than nan", [(WRONG, ("nan",))]),
        ("NumPy yields 2, and not 5", [(RIGHT, ("2",)), (WRONG, ("5",))]),
        ("It should throw IndexError on inf", []),
        ("2.5  \u2190 correct (as a loop)", [(RIGHT, ("2.5",))]),
        ("7e9 <- wrong!", [(WRONG, ("7e9",))]),
        ("norm overflows to inf for representable results", [(WRONG, ("inf",))]),
        ("the sum evaluates to 4, expected 5", [(WRONG, ("4",)), (RIGHT, ("5",))]),
        ("It should evaluate to 3", [(RIGHT, ("3",))]),
        ("The result should overflow to inf", [(RIGHT, ("inf",))]),
        ("NumPy correctly evaluates to 2", [(RIGHT, ("2",))]),
        ("we evaluate to 2 decimal places", []),
    ],
)
def test_sentences(text, expected):
    assert said(text) == expected


def test_what_stands_under_expected_behavior_is_right():
    text = "### Actual\nI get nan\n\n### Expected behavior\ntensor(0.)\n\n### Versions\n3.8"
    assert said(text) == [(WRONG, ("nan",)), (RIGHT, ("0.",))]


def test_what_something_is_wished_of_is_not_what_is_wished():
    assert said("## Expected behavior\nThe slope at 0 should always be the same.") == []


def test_what_is_wanted_instead_of_something_is_not_that_under_any_heading():
    text = "**Describe the expected behavior**\nAn exception if `x` is odd instead of nan here"
    assert said(text) == [(WRONG, ("nan",))]


def beside(code):
    found = understand(
        Report(source="r.md", title="t", body=f"```python\n{code}\n```")
    ).expectations
    return [(e.right, e.numbers, e.beside) for e in found]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("print(f(x))  # True, should be False", [(True, ("false",), "print(f(x))")]),
        ("print(f(x))\n# expected: [1, 2]", [(True, ("1", "2"), "print(f(x))")]),
        ("print(\n  f(x),\n)  # expected 3", [(True, ("3",), "print(\n  f(x),\n)")]),
        ("print(f(x), 'but should be', 4)", [(True, ("4",), "print(f(x), 'but should be', 4)")]),
        ("print(a, b[0], f(a, b), 'expected True')", [(True, ("true",), "f(a, b)")]),
        (
            "print(f'got {f(a)}, expected {3}')",
            [(True, ("3",), "print(f'got {f(a)}, expected {3}')")],
        ),
        ("print(f'{a=} expected {3}, {b}')", [(True, ("3",), "a")]),
        ("print('a', a, 'expected 3, b', b)", [(True, ("3",), "a")]),
        ("print('expected 3, got', a, 'of', b)", [(True, ("3",), "a")]),
        (
            "f(a)  # expected 139.5, got inf",
            [(True, ("139.5",), "f(a)"), (False, ("inf",), "f(a)")],
        ),
        ("f(a)  # expected: gives 3", [(False, ("3",), "f(a)"), (True, ("3",), "f(a)")]),
        ("print(f'{a} {b}', 'should be', 3)", [(True, ("3",), "b")]),
        ("print('got', y)\nprint('expected', [0])", [(True, ("0",), "print('got', y)")]),
        (">>> f(x)  # expected 3", [(True, ("3",), "f(x)")]),
        ("s = 'a # should be 3'", []),
        ("x = 3  # three of them", []),
    ],
)
def test_beside_code(code, expected):
    assert beside(code) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Should raise as well.",
        "ValueError expected.",
        "runs without an error",
        "A ValueError in the constructor, or 0, either is better than NaN.",
    ],
)
def test_errors_may_be_wanted(text):
    assert wants_refusal("t", read_markdown(text)) == text


def test_an_error_need_not_be_wanted():
    assert wants_refusal("wrong mean", read_markdown("The mean should be 3.")) is None
    said = "A ValueError comes up. That is no better than before."
    assert wants_refusal("wrong mean", read_markdown(said)) is None


@pytest.mark.parametrize(
    "text",
    [
        "`f` and `g` do not check the type of an argument.",
        "Lack of type check in `f`",
        "when the types differ `f` doesnt throw an exception",
        "`f` doesn\u2019t raise for a negative size",
        "missing validation of the sizes",
        "It should check the dimension.",
        "g accepts strings",
        "`f` takes a wrong dim without warning",
        "Wrong shapes pass through silently without a warning",
        "`f` silently gives garbage instead of an error",
        "It returns 0 for a negative size rather than raising a ValueError",
        "It should hand the nan on (as `g(x).h` does) or raise;",
    ],
)
def test_wishes_for_a_check(text):
    assert wants_refusal("t", read_markdown(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "`f` does not accept strings.",
        "A RuntimeError when accepting strings.",
        "The width may be given a negative number to count from the end, as documented.",
        "The library `h` allows negative widths.",
        "I get a ValueError: negative dimensions are not allowed",
        "By contrast, `g` can compute it without any error.",
        "It crashes without an error message.",
        "Handle infinity without error",
        "The results will be wrong (without a warning).",
        "It gives wrong results without a warning.",
        "It raises a TypeError instead of a ValueError.",
        "It crashes instead of raising an error.",
        "The width can be set to a larger number.",
        "`f` does not allow negative widths.",
        "It says that one is trying to create a tensor with negative dimension -1.",
        "The mean should be 3. I raise it by one.",
        "It prints `got float64 expected float32` and then an AssertionError.",
    ],
)
def test_no_error_may_be_what_is_wanted(text):
    assert wants_refusal("t", read_markdown(text)) is None


@pytest.mark.parametrize(("title", "told"), TITLES)
def test_a_title_may_say_that_something_is_taken_that_there_cannot_be(title, told):
    document = read_markdown("It is odd.")
    assert wants_refusal(title, document) == (title if told else None)
    assert wants_refusal("t", read_markdown(title)) is None


def test_the_argument_of_a_wished_error_is_no_result():
    wish = "### Expected\nBoth should raise an error for `alpha=0`."
    assert find_expectations("t", read_markdown(wish)) == ()


@pytest.mark.parametrize(
    ("comment", "asks"),
    [
        ("should be an error", True),
        ("tensor(2), this should raise a ValueError", True),
        ("no error is raised", True),
        ("raises RuntimeError as it should", False),
        ("no error as expected", False),
        ("should not raise an error", False),
        ("RuntimeError: expected scalar type Float", False),
        ("the error should be 0.1 at most", False),
        ("Should raise ValueError", True),
        ("No error raised", True),
        ("should be close to 0 (error < 1e-3)", False),
        ("should work without error", False),
        ("should give 3 but raises RuntimeError", False),
        ("no error", False),  # of one line among several, which differ
    ],
)
def test_a_comment_may_ask_for_an_error(comment, asks):
    code = f"print(f(x))  # {comment}"
    document = read_markdown(f"f is odd.\n\n```python\n{code}\n```\n")
    assert wants_refusal("t", document) == (comment if asks else None)
    assert wants_refusal("t", read_markdown("f is odd."), code=code) == (comment if asks else None)


@pytest.mark.parametrize(
    ("line", "asks"),
    [
        ("jit: [0. nan] - no error raised", True),
        ("no ValueError was thrown", True),
        ("ok, no error raised as expected", False),
        ("no error", False),
        ("ValueError raised", False),
    ],
)
def test_a_run_may_say_that_an_error_is_missing(line, asks):
    document = read_markdown(f"f is ignored.\n\n```shell\ny = [0. nan]\n{line}\n```\n")
    assert wants_refusal("t", document) == (line if asks else None)


@pytest.mark.parametrize(
    ("lead", "right"),
    [
        ("## Expected behavior\n![a picture](https://a/b.png)", True),
        ("The result is", False),
        ("Outputs are now:", False),
        ("The result is used by", None),
    ],
)
def test_what_stands_above_the_only_value_of_a_block_calls_it(lead, right):
    document = read_markdown(f"{lead}\n```\ntensor([0, -1], dtype=torch.int32)\n```\n")
    found = [(one.right, one.numbers) for one in find_expectations("t", document)]
    assert found == ([] if right is None else [(right, ("0", "-1"))])


ROWS = "tensor([[1., 2.],\n        [3., {}]])"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            f"**Expected**\n\n```\n{ROWS.format('4.')}\n```\n\n"
            f"**Actual**\n\n```\n{ROWS.format('5.')}\n```\n",
            [(RIGHT, ("1.", "2.", "3.", "4.")), (WRONG, ("1.", "2.", "3.", "5."))],
        ),
        ("Actual output:\n\n```\n[1, 2]\n```\n", [(WRONG, ("1", "2"))]),
        # Which of two is which of those that the code prints is not known.
        ("Expected output:\n\n```\n[1, 2]\n[3, 4]\n```\n", []),
        ("Output:\n\n```\n[1, 2]\n```\n", []),
        ("Expected gradient:\n\n```\n0.5\n```\n", [(RIGHT, ("0.5",))]),
        ("Current behavior (2.1):\n\n```\n0.5\n```\n", [(WRONG, ("0.5",))]),
        # What is no result is neither right nor wrong.
        ("Expected output shape:\n\n```\n(2, 3)\n```\n", []),
        ("Expected output (shape):\n\n```\n(2, 3)\n```\n", []),
        ("Current learning rate:\n\n```\n0.001\n```\n", []),
        ("Actual tolerance:\n\n```\n0.001\n```\n", []),
        ("Expected version:\n\n```\n2.1\n```\n", []),
        # What is told below the wish is no wish.
        ("### Expected behavior\n`2.5`\n\nI get:\n`3.5`", [(RIGHT, ("2.5",))]),
        # A half-open interval does not take in the heading behind it.
        (
            "Drawn from [0, 1)\n### Expected behavior\n2.5]\n",
            [(RIGHT, ("2.5",))],
        ),
        ("Expected:\n\n```python\ny = f([1, 2])\n```\n", []),
        (
            "```python\nf(x)\n# expected: tensor([[1., 2.],\n#                   [3., 4.]])\n```",
            [(RIGHT, ("1.", "2.", "3.", "4."))],
        ),
        (f"It should be {ROWS.format('4.')}.", [(RIGHT, ("1.", "2.", "3.", "4."))]),
    ],
)
def test_values_of_several_lines(body, expected):
    found = find_expectations("t", read_markdown(body))
    assert [(one.right, one.numbers) for one in found] == expected
