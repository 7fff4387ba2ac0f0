"""A finding becomes a script with both executions, which says what it is about."""

import ast
from types import SimpleNamespace

import pytest

from analysis.target.observation import Outcome
from harvest.sources.eagle.confirm import NOT_SHOWN, SLOW, STARVED, confirmed
from harvest.sources.eagle.rules import RULES, Category
from harvest.sources.eagle.scripts import case, script, title
from harvest.sources.model import HitKind


def test_both_executions_and_a_comparison(finding):
    text = script(finding(), "torch")
    assert text == (
        "# F(cast(I, X)) = F(cast(I, Y))\n"
        "import torch\n"
        "\n"
        "x = torch.tensor([1.0, 2.0])\n"
        "\n"
        "reference = torch.exp(x)\n"
        "result = torch.exp(x.to(torch.float16))\n"
        "torch.testing.assert_close(\n"
        "    result, reference, rtol=0.002, atol=0.002, equal_nan=True, check_dtype=False\n"
        ")\n"
    )


def test_a_comparison_asks_for_no_more_than_the_rule(finding):
    text = script(finding(rule="7"), "torch")
    line = "torch.testing.assert_close(result, reference, rtol=0.002, atol=0.002, equal_nan=True)"
    assert text.splitlines()[-1] == line


def test_layouts_are_not_compared_where_they_are_what_differs(finding):
    assert "check_layout=False" in script(finding(rule="8", variant="sparse_coo"), "torch")


def test_shapes_are_compared_as_such_where_numpy_would_broadcast(finding):
    text = script(finding(reference="tf.exp(x)", result="tf.exp(x)", kind="shape"), "tensorflow")
    assert text.endswith("    assert np.shape(one) == np.shape(other)\n")
    ast.parse(text)


def test_tensorflow_compares_with_numpy(finding):
    text = script(finding(reference="tf.exp(x)", result="tf.exp(x)"), "tensorflow")
    assert "import numpy as np\nimport tensorflow as tf\n" in text
    assert "np.testing.assert_allclose(one, other, rtol=0.002, atol=0.002, equal_nan=True)" in text


def test_only_what_is_used_is_imported(finding):
    setup = "file = io.BytesIO()\ntorch.save(x, file)\n"
    text = script(finding(setup=setup, reference="x * math.pi"), "torch")
    assert text.splitlines()[1:4] == ["import io", "import math", "import torch"]
    assert "import io" not in script(finding(reference="x.ratio.foo"), "torch")


def test_long_inputs_are_broken_into_lines(finding):
    numbers = ", ".join(f"{number}.25" for number in range(60))
    text = script(finding(inputs=[["x", f"torch.tensor([{numbers}])"]]), "torch")
    assert max(map(len, text.splitlines())) <= 100
    ast.parse(text)


def test_a_status_is_compared_without_a_tolerance_of_its_own(finding):
    found = finding(state="status", types=["RuntimeError"], message="no", rtol=0.0, atol=0.0)
    assert "rtol" not in script(found, "torch")
    assert found.oracle is HitKind.CRASH
    assert found.measures == ()
    body = case(found, "torch", "2.0", "Traceback ...\nRuntimeError: no").body
    assert "```\nTraceback ...\nRuntimeError: no\n```" in body


def test_the_body_says_that_it_is_wrong_and_by_how_much(finding):
    body = case(finding(), "torch", "2.0", "").body
    assert "`result` is wrong" in body
    assert "`result` is `[1. 2.]`" in body
    assert "0.5 absolute, 0.25 relative" in body
    body = case(finding(kind="shape", absolute=0.0, relative=0.0), "torch", "2.0", "").body
    assert "Largest difference" not in body


def test_both_tolerances_are_measures(finding):
    measures = dict(finding(paper=False).measures)
    assert measures["beyond the paper's tolerance"] == 0.0
    assert measures["beyond the dtype's tolerance"] == 1.0


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "torch.exp gives other values: for float16 and a wider dtype"),
        ({"kind": "finite"}, "torch.exp gives NaN or infinity: for float16 and a wider dtype"),
        (
            {"state": "status", "types": ["TypeError"]},
            "torch.exp raises TypeError in one of two cases: for float16 and a wider dtype",
        ),
    ],
)
def test_titles(finding, changes, text):
    assert title(finding(**changes)) == text


def test_a_crash_has_its_signal_in_the_title(finding):
    found = finding("crash SIGSEGV", state="crash")
    assert title(found).startswith("torch.exp crashes with SIGSEGV")
    assert title(finding("hang", state="crash")).startswith("torch.exp hangs: ")


@pytest.mark.parametrize(
    ("how", "outcome", "reason"),
    [
        ("hang", Outcome.OK, SLOW),
        ("hang", Outcome.EXCEPTION, SLOW),
        ("hang", Outcome.MEMORY, NOT_SHOWN),
        ("crash SIGSEGV", Outcome.OK, NOT_SHOWN),
    ],
)
def test_what_ends_after_all_is_told_as_slow(finding, how, outcome, reason):
    found = finding(how, state="crash")
    seen = SimpleNamespace(outcome=outcome, exception=None, cpu=0.0)
    session = SimpleNamespace(run=lambda text, limits: seen)
    assert confirmed(found, SimpleNamespace(framework="torch"), session) == (None, reason)


@pytest.mark.parametrize(("cpu", "reason"), [(0.2, ""), (7.0, STARVED), (100.0, "")])
def test_what_hardly_had_the_processor_need_not_hang(finding, cpu, reason):
    found = finding("hang", state="crash")
    seen = SimpleNamespace(outcome=Outcome.TIMEOUT, exception=None, cpu=cpu, stderr="")
    session = SimpleNamespace(run=lambda text, limits: seen)
    info = SimpleNamespace(framework="torch", version="2.13.0")
    case, told = confirmed(found, info, session)
    assert (case is None, told) == (bool(reason), reason)


def test_the_rules_are_those_of_the_paper():
    assert [rule for rule in RULES if rule != "8s"] == [str(number) for number in range(1, 17)]
    assert {rule.category for rule in RULES.values()} == set(Category)
