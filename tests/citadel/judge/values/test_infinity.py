"""Results that are no numbers where infinities go in: whose bug they are."""

from dataclasses import replace

import pytest

from citadel.model import SymptomKind, VerdictKind

from .conftest import CONTEXT, FAR, NEAR

pytestmark = [pytest.mark.torch, pytest.mark.slow]

I0 = 'import torch\nprint(torch.special.i0(torch.tensor([float("inf")])))'


@pytest.mark.parametrize(
    ("sibling", "kind"),
    [
        ("torch.special.i1", VerdictKind.BUG),
        ("torch.sigmoid", VerdictKind.CLEAN),
        ("torch.sin", VerdictKind.NOT_ADAPTED),  # tends to nothing
        ("torch.exp", VerdictKind.NOT_ADAPTED),  # infinite, as it should be
        ("torch.frac", VerdictKind.NOT_ADAPTED),  # large numbers are whole: it tends to nothing
    ],
)
def test_nan_at_infinity_is_a_bug_of_what_tends_to_something(verified, judged, sibling, kind):
    code = I0
    found = verified("i0 of infinity is nan", code, "The result is nan.")
    assert found.witness.let_in
    assert found.witness.limits is not None
    assert not found.case.doubts
    assert judged(found, code.replace("torch.special.i0", sibling), sibling, FAR).kind is kind


@pytest.mark.parametrize(
    ("sibling", "channels", "kind"),
    [
        ("torch.Tensor.sgn", NEAR, VerdictKind.BUG),
        ("torch.sin", FAR, VerdictKind.NOT_ADAPTED),  # tends to nothing
        ("torch.atan", FAR, VerdictKind.CLEAN),
    ],
)
def test_infinities_of_complex_numbers_are_let_in_as_well(
    verified, judged, sibling, channels, kind
):
    code = 'import torch\nx = torch.tensor([complex(float("inf"), 0.0)])\nprint(torch.sgn(x).real)'
    found = verified("torch.sgn of complex infinity is nan", code, "The result is nan.")
    assert found.witness.let_in
    code = code.replace("torch.sgn", sibling)
    assert judged(found, code, sibling, channels).kind is kind


@pytest.mark.parametrize("beside", ["1.0", "200.0"])
def test_what_tends_to_something_does_so_beside_large_numbers(verified, judged, beside):
    found = verified("i0 of infinity is nan", I0, "The result is nan.")
    code = f"""import torch
print(torch.nn.functional.normalize(torch.tensor([float("inf"), {beside}]), dim=0))"""
    assert judged(found, code, "torch.nn.functional.normalize", FAR).kind is VerdictKind.BUG


@pytest.mark.parametrize(
    ("sibling", "kind"),
    [
        ("F.softsign", VerdictKind.BUG),  # NaN in double precision, too, where it tends to 1
        ("torch.special.i0", VerdictKind.BUG),
        ("torch.sin", VerdictKind.NOT_ADAPTED),
        ("F.silu", VerdictKind.CLEAN),
    ],
)
def test_double_precision_has_no_say_about_what_tends_to_something(verified, judged, sibling, kind):
    """`gelu(inf)` is infinite in double precision, and NaN in single."""
    code = """import torch
import torch.nn.functional as F
print(F.gelu(torch.tensor([1.0, float("inf")])).isnan().any())"""
    found = verified("gelu of infinity is nan", code, "`F.gelu(inf)` is nan, it should be inf.")
    assert found.witness.becomes_infinite
    api = sibling.replace("F.", "torch.nn.functional.")
    assert judged(found, code.replace("F.gelu", sibling), api, FAR).kind is kind


def test_an_infinity_is_another_symptom_than_nan(verified, judged):
    code = "import torch\nx = torch.zeros(2)\nprint(torch.xlogy(x, x) + x * torch.log(x))"
    found = verified("0 log 0 is nan", code, "The result is nan, expected 0.")
    assert found.case.reproduces
    other = code.replace("torch.xlogy(x, x) + x * torch.log(x)", "torch.log(x)")
    told = judged(found, other, "torch.log")
    assert told.kind is VerdictKind.NOT_ADAPTED
    assert told.reason == "infinite, where the report's value is NaN"


def test_nan_at_infinity_of_what_tends_to_nothing_stays_doubtful(verified, judged):
    code = 'import torch\nprint(torch.sin(torch.tensor([float("inf")])))'
    found = verified("sin of infinity is nan", code, "The result is nan.")
    assert found.witness.limits is None
    assert found.case.doubts == ("what is not finite comes of what it is given",)
    code = code.replace("torch.sin", "torch.special.i0")
    assert judged(found, code, "torch.special.i0", FAR).kind is VerdictKind.NOT_ADAPTED


@pytest.mark.parametrize(
    ("sibling", "kind"),
    [("torch.Tensor.sin", VerdictKind.BUG), ("torch.cos", VerdictKind.NOT_ADAPTED)],
)
def test_what_lets_in_infinities_is_one_function_if_it_is_so_of_finite_numbers(
    verified, judged, sibling, kind
):
    code = 'import torch\nprint(torch.sin(torch.tensor([float("inf")])))'
    found = verified("sin of infinity is nan", code, "The result is nan.")
    assert judged(found, code.replace("torch.sin", sibling), sibling, CONTEXT).kind is kind


@pytest.mark.parametrize("sibling", ["torch.sub", "torch.div", "torch.fmod"])
def test_what_depends_on_who_is_faster_has_no_limit(verified, judged, sibling):
    code = """
        import torch
        x = torch.tensor([float("inf"), 1.0])
        y = torch.tensor([float("inf"), 2.0])
        print(torch.subtract(x, y))
    """
    found = verified("torch.subtract gives nan", code, "The result is nan.")
    assert found.witness.limits is None
    found = verified("i0 of infinity is nan", I0, "The result is nan.")
    other = f'import torch\nx = torch.tensor([float("inf")])\nprint({sibling}(x, x))'
    assert judged(found, other, sibling, FAR).kind is VerdictKind.NOT_ADAPTED


def test_infinities_that_stay_what_they_are_do_not_become_nan(verified, judged):
    code = """
        import torch
        w = torch.nn.Parameter(torch.ones(2))
        w.grad = torch.tensor([float("inf"), 1.0])
        norm = torch.nn.utils.clip_grad_norm_([w], 1.0)
        print(norm, w.grad)
    """
    title = "clip_grad_norm_ turns inf into NaN"
    found = verified(title, code, "Expected: finite numbers, or an error.")
    assert (found.case.symptom.kind, found.case.symptom.where) == ("non_finite", "w.grad")
    other = code.replace("clip_grad_norm_", "get_total_norm")
    verdict = judged(found, other, "torch.nn.utils.get_total_norm")
    assert verdict.kind is VerdictKind.NOT_ADAPTED
    assert "is NaN" in verdict.reason


SPREAD = """
    import torch
    x = torch.tensor([[float("inf"), 1.0], [2.0, 3.0]])
    print(torch.mm(x, torch.eye(2)))
"""


@pytest.mark.parametrize("channels", [NEAR, FAR])
@pytest.mark.parametrize(
    ("call", "sibling", "kind"),
    [
        ("torch.matmul(x, torch.eye(2))", "torch.matmul", VerdictKind.BUG),
        ("torch.softmax(x, 1)", "torch.softmax", VerdictKind.NOT_ADAPTED),  # NaN in that row only
        ("torch.cumsum(x, 1)", "torch.cumsum", VerdictKind.NOT_ADAPTED),
    ],
)
def test_what_is_not_finite_may_spread_to_what_does_not_depend_on_it(
    verified, judged, channels, call, sibling, kind
):
    found = verified("torch.mm with the identity gives NaN", SPREAD, "One element is NaN.")
    assert found.case.reproduces
    assert found.witness.spreads
    code = SPREAD.replace("torch.mm(x, torch.eye(2))", call)
    assert judged(found, code, sibling, channels).kind is kind


SILU = """
    import torch
    x = torch.tensor([float("-inf"), -1e4, -1.0, 0.0, 3.0])
    print(torch.nn.functional.silu(x))
"""


@pytest.mark.parametrize(
    ("sibling", "kind"),
    [
        ("gelu(x)", VerdictKind.BUG),
        ("softmin(x, 0)", VerdictKind.NOT_ADAPTED),  # NaN where the inputs are finite
        ("normalize(x, dim=0)", VerdictKind.NOT_ADAPTED),  # each number depends on all
    ],
)
def test_what_works_on_each_number_apart_has_siblings_that_do(verified, judged, sibling, kind):
    found = verified("silu of -inf is nan", SILU, "It is nan, expected 0 for -inf.")
    assert found.witness.apart
    name, _, _ = sibling.partition("(")
    code = SILU.replace("silu(x)", sibling)
    assert judged(found, code, f"torch.nn.functional.{name}", FAR).kind is kind


MASKED = """
    import torch
    x = torch.full((2, 3), float("-inf"))
    x[0, 0] = 1.0
    x.requires_grad_()
    z = torch.logsumexp(x, dim=-1)
    torch.where(torch.isfinite(z), z, torch.zeros_like(z)).sum().backward()
    print(x.grad)
"""


@pytest.mark.parametrize(
    ("sibling", "kind"),
    [
        ("logcumsumexp(x, dim=-1)", VerdictKind.BUG),
        ("softmax(x, dim=-1)", VerdictKind.NOT_ADAPTED),  # NaN itself
        ("mul(x, x)", VerdictKind.NOT_ADAPTED),  # its slope grows beyond all numbers
    ],
)
def test_a_gradient_at_infinity_tends_to_something(verified, judged, sibling, kind):
    title = "NaN gradient of logsumexp where all is masked"
    found = verified(title, MASKED, "The gradient is nan, expected zeros.")
    assert found.case.api == "torch.logsumexp"
    code = MASKED.replace("logsumexp(x, dim=-1)", sibling)
    assert judged(found, code, f"torch.{sibling.partition('(')[0]}", FAR).kind is kind


@pytest.mark.parametrize("sibling", ["bessel_j1", "i0"])
def test_nan_at_infinity_is_a_bug_wherever_the_limit_is(verified, judged, sibling):
    code = 'import torch\nprint(torch.special.bessel_j0(torch.tensor([float("inf")])))'
    found = verified("bessel_j0 of infinity is nan", code, "The result is nan, expected 0.")
    other = code.replace("bessel_j0", sibling)
    assert judged(found, other, f"torch.special.{sibling}", FAR).kind is VerdictKind.BUG


@pytest.mark.parametrize(
    ("sibling", "kind"), [("i1", VerdictKind.BUG), ("exp2", VerdictKind.NOT_ADAPTED)]
)
def test_nan_where_an_infinity_is_written_down_is_what_counts(verified, judged, sibling, kind):
    """The sibling's other numbers are its own."""
    code = """
        import torch
        x = torch.tensor([1.0, float("inf")])
        print(torch.special.i0(x))  # expected [1.2661, inf]
    """
    found = verified("i0 of infinity is nan", code)
    assert found.case.symptom.kind is SymptomKind.NON_FINITE
    other = code.replace("special.i0", f"special.{sibling}")
    assert judged(found, other, f"torch.special.{sibling}", FAR).kind is kind


@pytest.mark.parametrize("large", ["-1e4", "-1e30"])
def test_what_overflows_by_itself_depends_on_no_other_place(verified, judged, large):
    code = SILU.replace("-1e4", large)
    found = verified("silu of -inf is nan", code, "It is nan, expected 0 for -inf.")
    code = code.replace("torch.nn.functional.silu(x)", "torch.addcmul(x, x, x)")
    told = judged(found, code, "torch.addcmul", replace(CONTEXT, called=True))
    assert told.kind is VerdictKind.BUG, told.reason
