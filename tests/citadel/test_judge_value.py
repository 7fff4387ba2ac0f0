"""Reports about values, verified and judged by real runs: bugs that survive, alarms that do not."""

from fractions import Fraction
from textwrap import dedent

import pytest

from analysis.target.session import Limits
from citadel.judge_value import judge_value
from citadel.model import BugKind, Channels, SymptomKind, VerdictKind
from citadel.plan.model import Adaptation, Form
from citadel.rewrite.rewriter import Rewritten
from citadel.verified import NotVerified, Verified
from citadel.verify import verify

pytestmark = [pytest.mark.torch, pytest.mark.slow]

OVERFLOW = """
    import torch
    v = torch.full((4,), 1e20)
    n = torch.linalg.norm(v)
    print("finite:", torch.isfinite(n).item())
"""
PRECISIONS = """
    import torch
    v = torch.full((4,), 1e20)
    short, long = torch.linalg.norm(v), torch.linalg.norm(v.double()).float()
    print(torch.equal(short, long))
"""
TIES = """
    import torch

    def leaves():
        x = torch.tensor([-2., -1., 0., 1., 2.], requires_grad=True)
        return x, torch.full((5,), -1.), torch.full((5,), 1.)

    x1, lo, hi = leaves()
    torch.clamp(x1, lo, hi).sum().backward()
    x2, lo, hi = leaves()
    torch.min(torch.max(x2, lo), hi).sum().backward()
    assert torch.equal(x1.grad, x2.grad)
"""
EMPTY = """
    import torch
    nothing = torch.empty(0, dtype=torch.int32)
    print("median:", torch.median(nothing).item())
"""
HILBERT = """
    import torch
    i = torch.arange(1., 11.)
    a = 1 / (i[:, None] + i - 1)
    one, other = torch.linalg.inv(a), torch.linalg.inv(a.T).T
    print(torch.allclose(one, other))
"""
EQUAL = """
    import torch
    x = torch.tensor([3, 1, 3, 2, 3])
    one, other = torch.argmax(x), 4 - torch.argmax(x.flip(0))
    print(torch.equal(one, other))
"""
NEAR, FAR = Channels(context=Fraction(9, 10), signature=0.9), Channels()
CONTEXT = Channels(context=Fraction(9, 10), signature=0.1)

UNCLAIMED = "nothing says that what it shows is wrong"


@pytest.fixture
def verified(bench, read):
    def check(title, code, text=""):
        found = verify(
            read(title, code, text=text),
            bench.replays[0],
            bench.index.catalog,
            bench.target.info,
            runs=2,
            limits=Limits(wall=20.0),
        )
        assert isinstance(found, Verified), found
        return found

    return check


@pytest.fixture
def judged(bench):
    def check(found, code, target, channels=NEAR, *, filled=False):
        api = bench.index.catalog.resolve(target)
        plan = Adaptation(
            target=target,
            form=Form.FUNCTION,
            receiver=None,
            new=(),
            call=(),
            edits=(),
            plausibility=1.0,
            invented=("min",) if filled else (),
        )
        return judge_value(
            Rewritten(code=dedent(code), edits=(), sites={n: n for n in range(40)}),
            plan,
            api,
            found.witness,
            channels,
            bench.replays[0],
            bench.index.catalog,
            runs=3,
            limits=Limits(wall=20.0),
        )

    return check


def test_a_check_of_the_reports_own_fails(verified):
    found = verified("linalg.norm overflows", OVERFLOW, "The result is inf.")
    assert found.case.api == "torch.linalg.norm"
    assert (found.case.kind, found.case.reproduces) == (BugKind.VALUE, True)
    assert found.case.symptom.kind is SymptomKind.FALSE
    assert found.witness.precise is True


@pytest.mark.parametrize(
    ("sibling", "kind"),
    [
        ("torch.norm", VerdictKind.BUG),
        ("torch.sum", VerdictKind.CLEAN),
        ("torch.logsumexp", VerdictKind.NOT_ADAPTED),  # wants a dim
    ],
)
def test_siblings_that_overflow_and_others(verified, judged, sibling, kind):
    found = verified("linalg.norm overflows", OVERFLOW, "The result is inf.")
    code = OVERFLOW.replace("torch.linalg.norm", sibling)
    assert judged(found, code, sibling).kind is kind


def test_what_a_sibling_should_come_to_is_its_own_and_not_the_sources(verified, judged):
    code = "import torch\nv = torch.full((4,), 1e20)\nprint(torch.linalg.norm(v))  # expected 2e20"
    found = verified("linalg.norm overflows to inf", code, "The result is inf.")
    assert found.case.symptom.expected == "2e20"
    seen = judged(found, code.replace("linalg.norm(", "std("), "torch.std").symptom
    assert seen is None or seen.expected != "2e20"
    seen = judged(found, code.replace("(v)", "(v + v)"), "torch.linalg.norm").symptom
    assert (seen.observed, seen.expected) == ("inf", "4e+20 (in double precision)")


@pytest.mark.parametrize(
    ("check", "claimed"),
    [
        ("print(f() == g())", False),
        ("print('equal', f() == g())", True),
        ("assert f() == g()", True),
        ("print(f() == g())  # should be True", True),
    ],
)
def test_a_check_of_which_nothing_says_that_it_should_hold_is_doubted(verified, check, claimed):
    code = (
        f"import torch\nf = lambda: torch.ones(3).sum()\ng = lambda: torch.ones(4).sum()\n{check}"
    )
    assert (verified("script", code).case.doubts == (UNCLAIMED,)) is not claimed


@pytest.mark.parametrize(
    ("sibling", "kind"),
    [
        ("torch.special.i1", VerdictKind.BUG),
        ("torch.exp", VerdictKind.EXPECTED),  # is as large as numbers get
        ("torch.acos", VerdictKind.NOT_ADAPTED),  # NaN: there is no such number
        ("torch.log", VerdictKind.CLEAN),
    ],
)
def test_a_result_that_is_infinite_long_before_it_is_too_large(verified, judged, sibling, kind):
    code = "import torch\nprint(torch.special.i0(torch.tensor([713.0]).double()))"
    found = verified("i0 overflows to inf", code, "The result is inf, it should be finite.")
    assert found.witness.demanded is False
    verdict = judged(found, code.replace("torch.special.i0", sibling), sibling)
    assert verdict.kind is kind


@pytest.mark.parametrize(
    ("channels", "kind"),
    [
        (NEAR, VerdictKind.BUG),
        (Channels(context=Fraction(9, 10)), VerdictKind.NOT_ADAPTED),  # all hand on NaN
        (FAR, VerdictKind.NOT_ADAPTED),
    ],
)
def test_a_nan_that_goes_in_is_the_bug_of_close_relations_only(verified, judged, channels, kind):
    code = "import torch\nprint(torch.log(torch.tensor([float('nan')])))"
    found = verified("torch.log is nan", code, "The result is nan.")
    assert found.witness.let_in
    assert judged(found, code.replace(".log", ".exp"), "torch.exp", channels).kind is kind


def test_a_gradient_that_is_nan_is_the_named_apis_and_of_its_close_relations(verified, judged):
    code = """
        import torch
        a = torch.tensor(100., requires_grad=True)
        b = torch.where(a <= 0, torch.exp(a), 1 + a)
        b.backward()
        print(a.grad)
    """
    found = verified("torch.where gives a nan gradient", code, "The gradient is nan.")
    assert (found.case.api, found.case.symptom.where) == ("torch.where", "a.grad")
    assert True not in found.witness.own
    op = code.replace("torch.where", "torch.ops.aten.where")
    assert judged(found, op, "torch.ops.aten.where", NEAR).kind is VerdictKind.BUG
    assert judged(found, op, "torch.ops.aten.where", FAR).kind is VerdictKind.NOT_ADAPTED


def test_a_gradient_of_a_result_that_is_infinite_itself_is_another_matter(verified, judged):
    code = """
        import torch
        a = torch.tensor(100., requires_grad=True)
        b = torch.where(a <= 0, torch.exp(a), 1 + a)
        b.backward()
        print(a.grad)
    """
    found = verified("torch.where gives a nan gradient", code, "The gradient is nan.")
    call = "torch.where(a <= 0, torch.exp(a), 1 + a)"
    other = code.replace(call, "torch.mul(torch.exp(a), (1 + a) / (1 + a))")
    told = judged(found, other, "torch.mul")
    assert told.kind is VerdictKind.NOT_ADAPTED
    assert told.reason in (
        "its own result is not finite, where the source's is",
        "infinite, where the report's gradient is NaN",
    )


LAW = """
    import torch
    x = torch.tensor([16., 0.], requires_grad=True)
    y, z = x / 2, x.sqrt()
    dy, dz = (torch.autograd.grad(one.sum(), x, retain_graph=True)[0] for one in (y, z))
    w = torch.where(x == 0, y, z)
    print(torch.equal(torch.where(x == 0, dy, dz), torch.autograd.grad(w.sum(), x)[0]))
"""


def test_a_law_of_the_source_is_none_of_other_functions(verified, judged):
    found = verified("torch.where hands on gradients of what is not selected", LAW, "Wrong.")
    assert (found.case.api, found.case.symptom.where) == (
        "torch.where",
        LAW.splitlines()[-1].strip()[len("print(") : -1],
    )
    op = LAW.replace("torch.where", "torch.ops.aten.where")
    assert judged(found, op, "torch.ops.aten.where").kind is VerdictKind.BUG
    for other in ("torch.minimum({})", "torch.mul({})"):
        name = other.partition("(")[0]
        code = LAW.replace("torch.where(x == 0, y, z)", other.format("y, z"))
        code = code.replace("torch.where(x == 0, dy, dz)", other.format("dy, dz"))
        assert judged(found, code, name, FAR).kind is VerdictKind.NOT_ADAPTED, name


@pytest.mark.parametrize(
    "check",
    [
        # Against a reference, for several inputs.
        "for v in (torch.full((4,), 1e20), torch.full((4,), 2e20)):\n"
        "    print(np.allclose(torch.linalg.norm(v).item(), np.linalg.norm(v.double().numpy())))\n",
        # Against itself in another precision, for several inputs, beside an unrelated call.
        "w = torch.linalg.norm(torch.ones(3))\n"
        "for v in (torch.full((4,), 1e20), torch.full((4,), 2e20)):\n"
        "    a, b = torch.linalg.norm(v), torch.linalg.norm(v.double())\n"
        "    print(torch.isclose(a.double(), b))\n",
        # One item of a batch, alone.
        "v = torch.stack([torch.full((4,), 1e20), torch.ones(4)])\n"
        "whole = torch.linalg.norm(v, dim=1)\n"
        "print(torch.isclose(whole[:1].double(), torch.linalg.norm(v[:1].double(), dim=1)))\n",
    ],
)
def test_what_is_compared_for_several_inputs_is_no_law(verified, judged, check):
    code = "import numpy as np\nimport torch\n" + check
    found = verified("torch.linalg.norm gives wrong results", code, "It should be close.")
    told = judged(found, code.replace("torch.linalg.norm", "torch.norm"), "torch.norm", CONTEXT)
    assert told.kind is VerdictKind.BUG, told.reason


def test_what_draws_random_numbers_disagrees_with_itself(verified, judged):
    code = PRECISIONS.replace("torch.full((4,), 1e20)", "torch.rand(4) * 1e20")
    found = verified("linalg.norm: float32 disagrees with float64", code)
    assert found.witness.random
    told = judged(found, code.replace("torch.linalg.norm", "torch.rand_like"), "torch.rand_like")
    assert told.kind is VerdictKind.NOT_ADAPTED
    assert judged(found, code.replace("torch.linalg", "torch"), "torch.norm").kind is (
        VerdictKind.BUG
    )


@pytest.mark.parametrize(
    "call",
    [
        "torch.exp(torch.tensor([713.0]).double())",
        "torch.cumprod(torch.full((10_000,), 1.01).double().repeat(10), 0)[-1]",  # steep
        "torch.exp2(torch.tensor([200.0], dtype=torch.bfloat16))",  # few digits
    ],
)
def test_a_report_of_an_infinity_that_is_too_large_is_doubted(verified, call):
    code = f"import torch\nprint({call})"
    name = call.partition("(")[0]
    found = verified(f"{name} overflows to inf", code, "The result is inf.")
    assert found.witness.demanded is True
    assert "becomes infinite where it is as large as its dtype allows" in found.case.doubts


@pytest.mark.parametrize("shown", ["print(actual)\nprint(expected)", "print(actual, expected)"])
def test_a_value_is_compared_with_what_is_called_expected(verified, judged, shown):
    code = f"""
import torch
x = torch.tensor([-9.0, -12.0], dtype=torch.float64)
actual = torch.special.ndtr(x)
expected = torch.tensor([1.1285884059538406e-19, 1.776482112077679e-33], dtype=torch.float64)
{shown}
"""
    found = verified("ndtr loses small values", code)
    assert found.case.reproduces  # 0 is no more 1e-19 than 1 is 2
    assert found.case.symptom.where == "actual"
    op = "torch.ops.aten.special_ndtr"
    assert judged(found, code.replace("torch.special.ndtr", op), op).kind is VerdictKind.BUG
    right = code.replace("torch.special.ndtr(x)", "torch.special.log_ndtr(x).exp()")
    name = "torch.special.log_ndtr"
    assert judged(found, right, name).kind is VerdictKind.CLEAN


def test_truth_is_not_expected_of_a_number(verified):
    code = """
        import torch
        x = torch.arange(6.).reshape(2, 3)
        one = torch.cumsum(x, dim=0)
        print("first", one[0, 0], "equal:", torch.equal(one, x), "expected True")
    """
    symptom = verified("cumsum is wrong", code).case.symptom
    assert symptom.where == "torch.equal(one, x)"


def test_what_only_double_precision_has_room_for_is_expected(verified, judged):
    found = verified("linalg.norm overflows", OVERFLOW, "The result is inf.")
    code = OVERFLOW.replace("torch.linalg.norm", "torch.prod")
    assert judged(found, code, "torch.prod").kind is VerdictKind.EXPECTED


def test_an_infinity_that_mathematics_demands_is_expected(verified, judged):
    found = verified("linalg.norm overflows", OVERFLOW, "The result is inf.")
    code = OVERFLOW.replace("torch.linalg.norm(v)", "torch.exp(v)")
    code = code.replace("torch.isfinite(n).item()", "torch.isfinite(n).all().item()")
    assert judged(found, code, "torch.exp").kind is VerdictKind.EXPECTED


@pytest.mark.parametrize(
    ("sibling", "kind"),
    [
        ("torch.norm", VerdictKind.BUG),
        ("torch.sum", VerdictKind.CLEAN),
        ("torch.rand_like", VerdictKind.NOT_ADAPTED),  # differs from itself
    ],
)
def test_an_api_against_itself(verified, judged, sibling, kind):
    found = verified("linalg.norm: float32 disagrees with float64", PRECISIONS)
    assert found.case.reproduces
    assert found.witness.own == (True, True)
    code = PRECISIONS.replace("torch.linalg.norm", sibling)
    assert judged(found, code, sibling).kind is kind


def test_an_api_against_a_reference(verified, judged):
    found = verified("clamp and min/max disagree about gradients", TIES)
    assert found.case.api == "torch.clamp"
    assert found.witness.own == (True, False)
    same = judged(found, TIES.replace("torch.clamp", "torch.clip"), "torch.clip")
    assert same.kind is VerdictKind.BUG
    code = TIES.replace("torch.clamp(x1, lo, hi)", "torch.addcmul(x1, lo, hi)")
    other = judged(found, code, "torch.addcmul")
    assert other.kind is VerdictKind.NOT_ADAPTED
    assert "something else" in other.reason


@pytest.mark.parametrize(
    ("sibling", "channels", "kind"),
    [
        ("torch.nanmedian", NEAR, VerdictKind.BUG),
        ("torch.nanmedian", FAR, VerdictKind.NOT_ADAPTED),
        ("torch.max", NEAR, VerdictKind.REFUSED),
        ("torch.sum", NEAR, VerdictKind.NOT_ADAPTED),
    ],
)
def test_what_should_be_refused(verified, judged, sibling, channels, kind):
    found = verified("median of an empty tensor silently returns INT_MIN", EMPTY)
    assert found.case.symptom.kind is SymptomKind.ACCEPTS
    assert found.case.kind is BugKind.VALUE
    code = EMPTY.replace("torch.median", sibling)
    assert judged(found, code, sibling, channels).kind is kind


def test_ill_conditioned_inputs_are_told(verified):
    found = verified("linalg.inv disagrees with itself for the transpose", HILBERT)
    assert found.case.reproduces
    assert found.witness.ill_conditioned
    assert "the last digit of the inputs matters as much" in found.case.doubts


def test_an_ill_conditioned_sibling_is_expected(verified, judged):
    source = HILBERT.replace("linalg.inv", "round").replace("(a.T)", "(a.T + 0.6)")
    found = verified("round disagrees with itself for the transpose", source)
    assert found.case.reproduces
    assert not found.witness.ill_conditioned
    sibling = judged(found, HILBERT.replace("(a.T)", "(a.T + 0.)"), "torch.linalg.inv")
    assert sibling.kind is VerdictKind.EXPECTED
    assert "ill-conditioned" in sibling.reason


def test_bugs_at_special_inputs_are_not_ill_conditioned(verified, judged):
    """Gradients at a tie jump when the inputs move by a digit; then the two sides agree."""
    found = verified("clamp and min/max disagree about gradients", TIES)
    assert found.witness.doubts == ()
    same = judged(found, TIES.replace("torch.clamp", "torch.clip"), "torch.clip")
    assert same.kind is VerdictKind.BUG
    assert "not ill-conditioned" in same.guards
    assert same.confidence > 0.6


def test_indices_of_equal_elements_are_told_and_found_nowhere_else(verified, judged):
    found = verified("argmax disagrees with itself for the flipped tensor", EQUAL)
    assert found.case.reproduces
    assert found.witness.of_ties
    sibling = judged(found, EQUAL.replace("argmax", "argmin"), "torch.argmin")
    assert sibling.kind is VerdictKind.CLEAN  # one element is the smallest
    ties = EQUAL.replace("argmax", "argmin").replace("[3, 1, 3, 2, 3]", "[1, 3, 1, 2, 1]")
    assert judged(found, ties, "torch.argmin").kind is VerdictKind.EXPECTED


def test_wrong_indices_are_a_bug(verified, judged):
    code = EQUAL.replace("[3, 1, 3, 2, 3]", "[3., 1., 5., 2., 4.]").replace("4 - ", "3 - ")
    found = verified("argmax disagrees with itself for the flipped tensor", code)
    assert found.case.reproduces
    assert not found.witness.of_ties
    sibling = judged(found, code.replace("argmax", "argmin"), "torch.argmin")
    assert sibling.kind is VerdictKind.BUG


@pytest.mark.parametrize(
    ("sibling", "channels", "kind"),
    [
        ("torch.median", Channels(family="max"), VerdictKind.BUG),
        ("torch.median", NEAR, VerdictKind.NOT_ADAPTED),  # need not be refused, too
        ("torch.min", Channels(family="max"), VerdictKind.REFUSED),
    ],
)
def test_what_is_refused_by_now_may_be_accepted_by_a_sibling(
    verified, judged, sibling, channels, kind
):
    code = EMPTY.replace("torch.median", "torch.max")
    found = verified("max of an empty tensor silently returns INT_MIN", code, "It should raise.")
    assert (found.case.api, found.case.reproduces) == ("torch.max", False)
    assert found.case.symptom.kind is SymptomKind.ACCEPTS
    assert found.tells
    verdict = judged(found, EMPTY.replace("torch.median", sibling), sibling, channels)
    assert verdict.kind is kind
    assert verdict.confidence < 0.6


@pytest.mark.parametrize(
    ("channels", "kind"),
    [(FAR, VerdictKind.NOT_ADAPTED), (Channels(called=True), VerdictKind.BUG)],
)
def test_a_wrong_number_is_the_callees_own(verified, judged, channels, kind):
    text = "It prints -2147483648, I expect 0."
    found = verified("median of an empty tensor is wrong", EMPTY, text)
    assert found.case.symptom.kind is SymptomKind.DISAGREES
    code = EMPTY.replace("torch.median", "torch.nanmedian")
    assert judged(found, code, "torch.nanmedian", channels).kind is kind


@pytest.mark.parametrize(
    ("call", "sibling", "kind"),
    [
        ("torch.nn.functional.avg_pool2d(x, (1, 2))", None, VerdictKind.BUG),
        ("torch.amin(x)", "torch.amin", VerdictKind.NOT_ADAPTED),
    ],
)
def test_a_number_that_double_precision_does_not_change_is_a_coincidence(
    verified, judged, call, sibling, kind
):
    code = """
        import torch
        x = torch.tensor([[[1, 2]]])
        print(torch.nn.functional.avg_pool1d(x, 2).item())
    """
    text = "It prints 1, I expect 1.5."
    found = verified("avg_pool1d truncates", code, text)
    assert found.case.symptom.kind is SymptomKind.DISAGREES
    assert found.witness.wider
    other = code.replace("torch.nn.functional.avg_pool1d(x, 2)", call)
    assert judged(found, other, sibling or "torch.nn.functional.avg_pool2d").kind is kind


@pytest.mark.parametrize(
    ("filled", "kind"), [(False, VerdictKind.BUG), (True, VerdictKind.NOT_ADAPTED)]
)
def test_an_equal_result_with_something_filled_in_may_be_a_coincidence(
    verified, judged, filled, kind
):
    code = """
        import torch
        print(torch.sort(torch.tensor([3., 1., 2.]), stable=True).values)
    """
    text = "It prints `[1, 2, 3]`, I expect `[3, 2, 1]`."
    found = verified("sort gives the wrong order", code, text)
    assert found.case.symptom.kind is SymptomKind.DISAGREES
    other = code.replace("torch.sort(torch.tensor([3., 1., 2.]), stable=True).values", "{}")
    other = other.format("torch.clamp(torch.tensor([1., 2., 3.]), 1)")
    assert judged(found, other, "torch.clamp", FAR, filled=filled).kind is kind


@pytest.mark.parametrize("check", ["assert y.item() == 2e20", "print(torch.isclose(y, r).item())"])
@pytest.mark.parametrize(
    ("sibling", "channels", "kind"),
    [
        ("torch.sum", NEAR, VerdictKind.NOT_ADAPTED),  # 4e20: something else
        ("torch.norm", NEAR, VerdictKind.BUG),
        ("torch.norm", FAR, VerdictKind.NOT_ADAPTED),
    ],
)
def test_what_is_equal_to_a_literal_is_no_law_of_other_functions(
    verified, judged, check, sibling, channels, kind
):
    code = f"""
        import torch
        v, r = torch.full((4,), 1e20), torch.tensor(2e20)
        y = torch.linalg.vector_norm(v)
        {check}
    """
    found = verified("torch.linalg.vector_norm is wrong", code)
    assert found.case.reproduces
    assert found.case.symptom.kind is SymptomKind.FALSE
    other = code.replace("torch.linalg.vector_norm", sibling)
    assert judged(found, other, sibling, channels).kind is kind


def test_nan_is_another_symptom_than_a_number_that_fails_a_check(verified, judged):
    code = """
        import torch
        d = torch.distributions.HalfNormal(torch.tensor(1.0), validate_args=False)
        c = d.cdf(torch.tensor(-1.0))
        assert c >= 0
    """
    found = verified("HalfNormal.cdf is negative", code)
    assert found.case.api == "torch.distributions.HalfNormal"
    for name, kind in (("HalfCauchy", VerdictKind.BUG), ("Chi2", VerdictKind.NOT_ADAPTED)):
        sibling = f"torch.distributions.{name}"
        told = judged(found, code.replace("torch.distributions.HalfNormal", sibling), sibling)
        assert told.kind is kind, name


@pytest.mark.parametrize(
    ("filled", "channels", "kind"),
    [
        (True, CONTEXT, VerdictKind.NOT_ADAPTED),  # mathematics may demand NaN of the exponent
        (True, NEAR, VerdictKind.BUG),
        (False, CONTEXT, VerdictKind.BUG),
    ],
)
def test_nan_of_what_was_filled_in_is_the_bug_of_close_relations_only(
    verified, judged, filled, channels, kind
):
    code = """
        import torch
        import torch.nn.functional as F
        x = -torch.arange(1., 6.).reshape(1, 1, 5)
        print(F.lp_pool1d(x, 3, 2))
    """
    found = verified("lp_pool1d returns NaN for negative input", code)
    other = code.replace("F.lp_pool1d(x, 3, 2)", "x.pow(0.5)")
    assert judged(found, other, "torch.Tensor.pow", channels, filled=filled).kind is kind


def test_a_large_wrong_result_is_no_coincidence(verified, judged):
    code = """
        import torch
        import torch.nn.functional as F
        x = (torch.arange(192.).reshape(1, 3, 8, 8) * 37 % 256).to(torch.uint8)
        a = F.interpolate(x, size=(5, 5), mode="bicubic")
        b = torch.full((1, 3, 5, 5), 7, dtype=torch.uint8)
        print(torch.equal(a, b))
    """
    found = verified("F.interpolate: bicubic of uint8 is wrong", code)
    other = code.replace("F.interpolate", "F.upsample")
    assert judged(found, other, "torch.nn.functional.upsample", FAR).kind is VerdictKind.BUG


def test_a_check_that_fails_for_the_dtype_or_for_nan_alone_is_no_finding(verified, judged):
    code = """
        import torch
        v = torch.full((4,), 1e20)
        torch.testing.assert_close(torch.linalg.norm(v), torch.linalg.norm(v.double()).float())
    """
    found = verified("linalg.norm: float32 disagrees with float64", code)
    assert found.case.symptom.kind is SymptomKind.FALSE
    for sibling in ("torch.Tensor.double", "torch.all"):
        other = code.replace("torch.linalg.norm", sibling)
        told = judged(found, other, sibling)
        assert told.kind is VerdictKind.NOT_ADAPTED, sibling
        assert "for another reason" in told.reason


@pytest.mark.parametrize("line", ["y = {}", "{}", "print({})"])
def test_what_is_accepted_need_not_be_shown(verified, judged, line):
    made = "torch.full((2,), -1, dtype=torch.uint8)"
    code = f"import torch\n{line.format(made)}\n"
    found = verified("full accepts -1 for uint8", code, "It should raise an error.")
    assert (found.case.api, found.case.symptom.kind) == ("torch.full", SymptomKind.ACCEPTS)
    other = code.replace("torch.full(", "torch.ops.aten.full(")
    assert judged(found, other, "torch.ops.aten.full").kind is VerdictKind.BUG


@pytest.mark.parametrize(
    ("call", "reads"), [("torch.nn.init.ones_(w)", False), ("torch.clamp_min(w, -9.0)", True)]
)
def test_memory_that_is_written_to_before_it_is_read_is_no_doubt(verified, call, reads):
    code = f"""
        import torch
        w = torch.empty(3)
        print({call})
    """
    found = verified("an API accepts what it should refuse", code, "It should raise an error.")
    assert any("uninitialised" in doubt for doubt in found.case.doubts) is reads


def test_a_missing_error_alone_is_a_status_bug(verified):
    code = "import torch\nprint(torch.diag(torch.ones(3)))"
    found = verified("diag accepts a vector", code, "It should raise a ValueError.")
    assert found.case.kind is BugKind.STATUS


def test_a_check_that_passes_here_is_fixed(verified):
    code = "import torch\nx = torch.ones(3)\nprint(torch.allclose(torch.exp(x), 2.7182818 * x))"
    found = verified("exp gives wrong results", code)
    assert not found.case.reproduces
    assert found.case.api == "torch.exp"


@pytest.mark.parametrize(("call", "fixed"), [("x + 3", True), ("x + 4", False)])
def test_the_only_value_that_is_shown_may_be_right_by_now(bench, read, call, fixed):
    code = f"import torch\nx = torch.ones(1)\nprint(torch.exp({call}).log().round())"
    reading = read("torch.exp is wrong", code, text="Returns 3, expected 4.")
    found = verify(
        reading, bench.replays[0], bench.index.catalog, bench.target.info, runs=2, limits=Limits()
    )
    assert isinstance(found, Verified) == fixed  # a third value proves nothing
    assert not fixed or not found.case.reproduces


def test_values_that_are_right_verify_nothing(bench, read):
    found = verify(
        read("exp gives wrong results", "import torch\nprint(torch.exp(torch.zeros(3)))"),
        bench.replays[0],
        bench.index.catalog,
        bench.target.info,
    )
    assert isinstance(found, NotVerified)
    assert "nothing tells which" in found.reason


def test_the_blame_does_not_fall_on_what_makes_the_inputs(verified):
    found = verified("Wrong result for large values", OVERFLOW, "The result is inf.")
    assert found.case.api == "torch.linalg.norm"


def test_the_blame_does_not_fall_on_what_makes_the_reference(verified):
    code = """
        import torch
        loss = torch.nn.SoftMarginLoss()
        x, y = torch.tensor([200.0]), torch.tensor([-1.0])
        print("margin:", loss(x, y).item())
        print("reference:", torch.nn.functional.softplus(-y * x).mean().item())
    """
    found = verified("it overflows to inf", code, "The results should be equal.")
    assert found.case.api == "torch.nn.SoftMarginLoss"
    code = """
        import torch
        x = torch.full((1000,), 4096.0)
        n = torch.cumsum(x.half(), 0)[-1]
        ref = x.double().sum()
        err = abs(ref.item() - n.item())
        assert err < 1.0
    """
    found = verified("the error is too large", code)
    assert found.case.api == "torch.cumsum"
    assert found.case.symptom.observed == "inf"


def test_a_number_that_something_filled_in_comes_to_is_a_coincidence(verified, judged):
    code = """
        import torch
        print(torch.linalg.cond(torch.zeros(2, 2)))
    """
    found = verified("linalg.cond returns NaN", code, "It gives nan, expected inf.")
    other = code.replace("torch.linalg.cond(", "torch.cholesky_solve(torch.zeros(2, 2), ")
    for filled, kind in ((True, VerdictKind.NOT_ADAPTED), (False, VerdictKind.BUG)):
        told = judged(found, other, "torch.cholesky_solve", CONTEXT, filled=filled)
        assert told.kind is kind


def test_a_rewritten_text_that_shows_something_else_is_not_judged(verified, judged):
    found = verified("linalg.norm overflows", OVERFLOW, "The result is inf.")
    code = OVERFLOW.replace("print", "pass # print")
    verdict = judged(found, code, "torch.norm")
    assert verdict.kind is VerdictKind.NOT_ADAPTED
    assert "shows other values" in verdict.reason
    assert verdict.confidence == 0.0
