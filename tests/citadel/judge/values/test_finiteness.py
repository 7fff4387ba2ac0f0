"""Results that are infinite or no numbers: whose bug they are, and where they are expected."""

from fractions import Fraction

import pytest

from citadel.model import BugKind, Channels, SymptomKind, VerdictKind

from .conftest import CONTEXT, FAR, NEAR, OVERFLOW

pytestmark = [pytest.mark.torch, pytest.mark.slow]


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


def test_what_only_double_precision_has_room_for_is_expected(verified, judged):
    found = verified("linalg.norm overflows", OVERFLOW, "The result is inf.")
    code = OVERFLOW.replace("torch.linalg.norm", "torch.prod")
    assert judged(found, code, "torch.prod").kind is VerdictKind.EXPECTED


def test_an_infinity_that_mathematics_demands_is_expected(verified, judged):
    found = verified("linalg.norm overflows", OVERFLOW, "The result is inf.")
    code = OVERFLOW.replace("torch.linalg.norm(v)", "torch.exp(v)")
    code = code.replace("torch.isfinite(n).item()", "torch.isfinite(n).all().item()")
    assert judged(found, code, "torch.exp").kind is VerdictKind.EXPECTED


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


NOT_IN_BOUNDS = """
    import torch
    v = torch.tensor([0.5, float("nan"), 2.0])
    bins = torch.bucketize(v, torch.arange(3.0))
    {}assert ((bins >= 0) & (bins < 3)).tolist() == [True, True, True]
"""


@pytest.mark.parametrize("shown", ["print(bins)\n    ", ""])
def test_nan_that_is_handed_on_fails_a_check_of_bounds_by_itself(verified, judged, shown):
    code = NOT_IN_BOUNDS.format(shown)
    found = verified("bucketize gives a bin for NaN that does not exist", code)
    assert found.case.symptom.kind is SymptomKind.FALSE
    other = code.replace("torch.bucketize(v, torch.arange(3.0))", "torch.floor(v)")
    assert judged(found, other, "torch.floor", FAR).kind is VerdictKind.NOT_ADAPTED
    same = code.replace("torch.bucketize(v, ", "torch.searchsorted(").replace("3.0))", "3.0), v)")
    assert judged(found, same, "torch.searchsorted").kind is VerdictKind.BUG


PRECISIONS = """
    import torch
    x = torch.tensor([1e20, 2e20, 4e20])
    print(repr(torch.nn.functional.normalize(x, dim=0)))
    print(repr(torch.nn.functional.normalize(x.double(), dim=0)))
"""


@pytest.mark.parametrize(
    ("sibling", "kind"),
    [
        ("torch.linalg.norm", VerdictKind.BUG),  # 4.6e20
        ("torch.cumprod", VerdictKind.EXPECTED),  # 1e20, 2e40, 8e60
        ("torch.var", VerdictKind.EXPECTED),  # 2.3e40
        ("torch.sum", VerdictKind.CLEAN),
    ],
)
def test_what_a_dtype_has_no_room_for_is_no_disagreement(verified, judged, sibling, kind):
    title = "normalize of large float32 is zeros, float64 is right"
    found = verified(title, PRECISIONS, "Both should be the same.")
    assert found.case.reproduces
    code = PRECISIONS.replace("torch.nn.functional.normalize", sibling)
    assert judged(found, code, sibling).kind is kind


def test_nor_is_it_in_large_tensors(verified, judged):
    title = "normalize of large float32 is zeros, float64 is right"
    code = PRECISIONS.replace("4e20])", "4e20]).repeat(2000)")
    found = verified(title, code, "Both should be the same.")
    square = code.replace("torch.nn.functional.normalize(x, dim=0)", "torch.square(x)")
    square = square.replace("torch.nn.functional.normalize(x.double(), dim=0)", "SQUARE")
    expected = judged(found, square.replace("SQUARE", "torch.square(x.double())"), "torch.square")
    assert expected.kind is VerdictKind.EXPECTED
    wrong = judged(
        found, square.replace("SQUARE", "torch.square(x.double() / 1e9)"), "torch.square"
    )
    assert wrong.kind is not VerdictKind.EXPECTED


def test_what_is_too_large_for_its_dtype_is_no_bug_of_a_report_that_is_fixed(verified, judged):
    code = """
        import torch
        a, b = torch.tensor([0.25], dtype=torch.float16), torch.tensor(65600.)
        print(torch.mul(a, b))
    """
    found = verified("torch.mul gives inf", code)
    assert not found.case.reproduces
    assert found.case.symptom.kind is SymptomKind.NON_FINITE
    sibling = judged(found, code.replace("torch.mul", "torch.add"), "torch.add")
    assert sibling.kind is VerdictKind.EXPECTED
    assert sibling.reason == "becomes infinite where it is as large as its dtype allows"


COMPLEX = """
    import torch
    print(repr(torch.tensor(0.).pow(-1)))
    print(repr(torch.tensor(0., dtype=torch.cfloat).pow(-1)))
"""


@pytest.mark.parametrize(
    ("call", "sibling", "kind"),
    [
        ("reciprocal()", "torch.Tensor.reciprocal", VerdictKind.BUG),  # inf, NaN+NaNj
        ("acosh()", "torch.Tensor.acosh", VerdictKind.EXPECTED),  # NaN, 1.57j
        ("cosh()", "torch.Tensor.cosh", VerdictKind.CLEAN),
    ],
)
def test_where_real_numbers_have_no_result_complex_ones_need_not_agree(
    verified, judged, call, sibling, kind
):
    title = "Complex and real results do not agree when computing pow(-1) of 0"
    found = verified(title, COMPLEX, "Both should be the same.")
    assert found.case.reproduces
    assert judged(found, COMPLEX.replace("pow(-1)", call), sibling).kind is kind


def test_what_no_dtype_has_room_for_may_be_nan_or_infinite(verified, judged):
    title = "normalize of large float32 is zeros, float64 is right"
    found = verified(title, PRECISIONS, "Both should be the same.")
    name = "torch.nn.functional.poisson_nll_loss"
    code = PRECISIONS
    for x in ("x", "x.double()"):
        code = code.replace(f"torch.nn.functional.normalize({x}, dim=0)", f"{name}({x}, {x})")
    sibling = judged(found, code, name)
    assert sibling.kind is VerdictKind.NOT_ADAPTED
    assert sibling.reason.startswith("neither of the two is finite where they differ")


LOOP = """
    import torch
    for dtype, most in ((torch.half, 40000), (torch.float, 3e38)):
        x = torch.tensor([most, most, most], dtype=dtype)
        print(torch.mean(x))
"""


def test_another_turn_of_a_loop_may_be_finite_for_the_source_alone(verified, judged):
    found = verified("mean overflows to inf", LOOP, "The mean should be finite, not inf.")
    assert found.case.reproduces
    assert not found.witness.gave_finite
    sibling = judged(found, LOOP.replace("torch.mean", "torch.nanmean"), "torch.nanmean")
    assert sibling.kind is VerdictKind.BUG


@pytest.mark.parametrize(
    ("sibling", "call", "kind"),
    [
        ("torch.acos", "torch.acos(x)", VerdictKind.EXPECTED),  # no number, however precise
        ("torch.layer_norm", "torch.layer_norm(x, (4,))", VerdictKind.BUG),
    ],
)
def test_what_stays_nan_in_double_precision_is_no_overflow(verified, judged, sibling, call, kind):
    code = """
        import torch
        x = torch.full((4,), 1e38)
        print(torch.nn.functional.poisson_nll_loss(x, x))
    """
    found = verified("poisson_nll_loss is nan", code, "The result is nan.")
    assert found.witness.becomes_infinite
    own = "torch.nn.functional.poisson_nll_loss(x, x)"
    assert judged(found, code.replace(own, call), sibling).kind is kind


@pytest.mark.parametrize(
    ("other", "silent"),
    [
        ("torch.ones(1)", ["no guard: RuntimeError with double precision"]),  # dot wants one dtype
        ("torch.ones(1, dtype=n.dtype)", []),
    ],
)
def test_a_guard_that_could_not_be_run_is_told(verified, judged, other, silent):
    code = f"""
import torch
v = torch.full((4,), 1e20)
n = torch.linalg.norm(v).reshape(1)
print(torch.dot(n, {other}))
"""
    found = verified("linalg.norm overflows to inf", code, "The result is inf.")
    verdict = judged(found, code.replace("linalg.norm(", "norm("), "torch.norm")
    assert verdict.kind is VerdictKind.BUG
    assert [one for one in verdict.guards if one.startswith("no guard")] == silent


def test_what_double_precision_cures_is_right_there_whatever_else_is_shown(verified, judged):
    code = """
import torch
v = torch.full((4,), 1e20, requires_grad=True)
n = torch.linalg.norm(v)
n.backward()
print(n.item())  # expected 2e20
print(v.grad)
"""
    found = verified("linalg.norm overflows to inf", code, "The result is inf.")
    same = Channels(family="same name")
    verdict = judged(found, code.replace("linalg.norm(", "norm("), "torch.norm", same)
    assert verdict.kind is VerdictKind.BUG
    assert "right in double precision" in verdict.guards
    assert verdict.symptom.expected == "2e+20 (in double precision)"


def test_an_infinity_that_double_precision_cures_is_no_nan_that_it_leaves(verified, judged):
    """`0 * log(0)` is NaN however precise; an epsilon that is too small for one precision is
    another thing."""
    code = """
        import torch
        d = torch.distributions.Kumaraswamy(torch.tensor(1.0), torch.tensor(1.0))
        print(d.log_prob(torch.tensor([0.0, 0.25, 1.0])))
    """
    found = verified("Kumaraswamy.log_prob is nan at 0 and 1", code, "The result is nan.")
    assert found.witness.precise is False
    sibling = "torch.distributions.RelaxedBernoulli"
    verdict = judged(found, code.replace("torch.distributions.Kumaraswamy", sibling), sibling)
    assert verdict.kind is VerdictKind.NOT_ADAPTED
