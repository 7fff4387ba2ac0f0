"""Results that are compared: with the API itself, a reference, a law, a literal."""

import pytest

from citadel.model import Channels, SymptomKind, VerdictKind
from citadel.plan.adapt import plans
from citadel.propagate.uses import Uses

from .conftest import CONTEXT, EMPTY, FAR, NEAR, OVERFLOW, TIES

pytestmark = [pytest.mark.torch, pytest.mark.slow]

PRECISIONS = """
    import torch
    v = torch.full((4,), 1e20)
    short, long = torch.linalg.norm(v), torch.linalg.norm(v.double()).float()
    print(torch.equal(short, long))
"""

UNCLAIMED = "nothing says that what it shows is wrong"


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


def test_an_equal_result_is_the_siblings_where_both_sides_are(verified, judged):
    found = verified("linalg.norm: float32 disagrees with float64", PRECISIONS)
    both = PRECISIONS.replace("torch.linalg.norm", "torch.norm")
    assert judged(found, both, "torch.norm", FAR).kind is VerdictKind.BUG
    one = PRECISIONS.replace("torch.linalg.norm(v),", "torch.norm(v),")
    told = judged(found, one, "torch.norm", FAR)
    assert told.kind is VerdictKind.NOT_ADAPTED
    assert "leaves alone one of the values" in told.reason


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
    ("channels", "kind"),
    [(FAR, VerdictKind.NOT_ADAPTED), (Channels(called=True), VerdictKind.BUG)],
)
def test_a_wrong_number_is_the_callees_own(verified, judged, channels, kind):
    text = "It prints -2147483648, I expect 0."
    found = verified("median of an empty tensor is wrong", EMPTY, text)
    assert found.case.symptom.kind is SymptomKind.DISAGREES
    code = EMPTY.replace("torch.median", "torch.nanmedian")
    assert judged(found, code, "torch.nanmedian", channels).kind is kind


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


def test_what_makes_inputs_is_to_blame_if_the_title_names_it(verified):
    code = """
        import torch
        end = 2 ** 63 - 1
        t = torch.linspace(0, end, steps=2, dtype=torch.int64)
        assert t[-1].item() == end
    """
    assert verified("linspace of int64 ends wrongly", code).case.api == "torch.linspace"


@pytest.mark.parametrize(
    ("title", "api"),
    [("torch.func.vmap gives a wrong sine", "vmap"), ("wrong result of torch.sin", "sin")],
)
def test_what_makes_another_function_is_to_blame_if_the_title_names_it(verified, title, api):
    code = """
        import torch
        def f(x):
            return torch.sin(x)
        found = torch.func.vmap(f)(torch.ones(2))
        print(torch.allclose(found, torch.tensor([2.0, 2.0])))
    """
    found = verified(title, code)
    assert found.case.reproduces
    assert found.case.api.rpartition(".")[2] == api


IDENTITY = """
    import numpy as np
    import torch
    x = torch.tensor([2.0, float("inf"), 5.0])
    print("actual:", torch.mm(torch.eye(3), x[:, None]).flatten().tolist())
    print("expected:", np.abs(x.numpy()).tolist())
"""


@pytest.mark.parametrize(
    ("channels", "kind"),
    [(NEAR, VerdictKind.BUG), (Channels(signature=1.0), VerdictKind.NOT_ADAPTED)],
)
def test_nan_of_what_is_not_finite_either_is_the_bug_of_the_same_function(
    verified, judged, channels, kind
):
    found = verified("torch.mm with the identity gives NaN", IDENTITY, "It should be as expected.")
    assert found.case.reproduces
    assert found.witness.hands_on
    code = IDENTITY.replace("torch.mm", "torch.matmul")
    assert judged(found, code, "torch.matmul", channels).kind is kind


SIGN = """
    import numpy as np
    import torch
    x = torch.tensor([2.0, float("nan"), -5.0])
    print("actual:", torch.sign(x).tolist())
    print("expected:", np.sign(x.numpy()).tolist())
"""


@pytest.mark.parametrize(
    ("actual", "expected", "kind"),
    [
        ("torch.Tensor.sign(x)", "np.sign(x.numpy())", VerdictKind.BUG),
        ("torch.square(x)", "np.square(x.numpy())", VerdictKind.CLEAN),
        # Another function of the same name.
        ("torch.floor(x)", "types.SimpleNamespace(floor=lambda v: v + 1).floor(x.numpy())", None),
    ],
)
def test_a_sibling_that_agrees_with_its_own_reference_elsewhere_has_the_bug(
    verified, judged, actual, expected, kind
):
    found = verified("torch.sign of NaN is 0", SIGN, "It should be as expected.")
    assert found.case.reproduces
    code = "    import types\n" + SIGN.replace("torch.sign(x)", actual)
    code = code.replace("np.sign(x.numpy())", expected, 1)
    told = judged(found, code, actual.partition("(")[0], references=True)
    assert told.kind is (kind or VerdictKind.NOT_ADAPTED), told.reason
    if kind is None:
        assert told.reason == "need not be the function that it is compared with"
    if kind is VerdictKind.BUG:
        assert "agrees with its own reference where both are given other numbers" in told.guards


def test_an_object_is_to_blame_where_nothing_else_is_called(verified):
    code = "import torch\nlayer = torch.nn.Dropout(p=0.3)\nprint(layer.p)"
    found = verified("A rate is wrong", code, "This prints `0.3`, it should be 0.0.")
    assert (found.case.api, found.case.reproduces) == ("torch.nn.Dropout", True)


VANISHED = """
    import numpy as np
    import torch
    x = torch.tensor([3e20, 4e20])
    got = torch.CALL
    want = x.double() / x.double().norm()
    np.testing.assert_allclose(got, want, rtol=1e-5)
"""


def test_small_numbers_are_no_zeros_of_another_function(verified, judged):
    call = "nn.functional.normalize(x, dim=0)"
    found = verified("normalize gives zeros", VANISHED.replace("CALL", call), "Wrong.")
    assert found.case.reproduces
    right = judged(found, VANISHED.replace("CALL", "rsqrt(x)"), "torch.rsqrt", FAR)
    assert right.kind is VerdictKind.NOT_ADAPTED
    assert right.reason == "computes something else than what it is compared with"


DTYPES = """
    import numpy as np
    import torch
    grid, reference = torch.linspace(0.0, 3.0, 4), np.linspace(0.0, 3.0, 4)
    print("agree:", grid.numpy().dtype == reference.dtype)
"""


def test_a_reference_is_one_though_only_dtypes_are_compared(bench, verified, judged):
    """They are the same whatever the API comes to, so nothing shows whose they are."""
    found = verified("torch.linspace has another dtype than NumPy's", DTYPES, "It prints False.")
    assert (found.case.api, found.witness.own) == ("torch.linspace", (None, None))
    catalog = bench.index.catalog
    plan = plans(Uses(found, bench).invocation, catalog.resolve("torch.logspace"))[0]
    first, second = Uses(found, bench).write(plan)
    assert "torch.logspace(0.0, 3.0, 4), np.logspace(0.0, 3.0, 4)" in first.code
    assert "torch.logspace(0.0, 3.0, 4), np.linspace(0.0, 3.0, 4)" in second.code
    assert judged(found, second.code, "torch.logspace").kind is VerdictKind.BUG


KEPT = """
    import numpy as np
    import torch
    x = torch.arange(6.0).reshape(2, 3)
    actual = torch.amax(x, (0, 1))
    expected = np.amax(x.numpy(), (0, 1), keepdims=True)
    assert actual.shape == expected.shape, (actual.shape, expected.shape)
"""


@pytest.mark.parametrize(
    ("call", "filled", "kind"),
    [
        ("amin(x, (0, 1))", False, VerdictKind.BUG),
        ("amin(x, (0, 1))", True, VerdictKind.NOT_ADAPTED),
        ("amin(x, (0, 1), keepdim=True)", False, VerdictKind.CLEAN),
    ],
)
def test_a_shape_that_differs_from_the_own_references(verified, judged, call, filled, kind):
    """No numbers tell more of it; what has been filled in, or left out, may."""
    found = verified("torch.amax has another shape", KEPT, "It should be (1, 1).")
    assert found.case.reproduces
    code = KEPT.replace("amax(x, (0, 1))", call).replace("np.amax", "np.amin")
    far = Channels(signature=0.1)
    told = judged(found, code, "torch.amin", far, references=True, filled=filled)
    assert told.kind is kind, told.reason
    if kind is VerdictKind.BUG:
        assert "its own reference has the form that the report's has" in told.guards
