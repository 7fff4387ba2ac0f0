"""Results that only look like the bug: values filled in, parts, other shapes, other functions."""

import pytest

from citadel.model import Channels, SymptomKind, VerdictKind

from .conftest import CONTEXT, FAR, NEAR, OVERFLOW

pytestmark = [pytest.mark.torch, pytest.mark.slow]


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


def test_an_equal_result_of_a_part_of_what_is_given_may_be_a_coincidence(verified, judged):
    code = """
        import torch
        v = torch.tensor([1., 2., 3.])
        print(torch.index_fill(v, 0, torch.tensor([], dtype=torch.int64), 9.))
    """
    found = verified(
        "index_fill does nothing", code, "It prints `[1, 2, 3]`, expected `[9, 2, 3]`."
    )
    other = code.replace("index_fill(v, 0, torch.tensor([], dtype=torch.int64), 9.)", "clone(v)")
    for loses, kind in ((False, VerdictKind.BUG), (True, VerdictKind.NOT_ADAPTED)):
        assert judged(found, other, "torch.clone", FAR, loses=loses).kind is kind


@pytest.mark.parametrize(
    ("channels", "kind"), [(CONTEXT, VerdictKind.NOT_ADAPTED), (NEAR, VerdictKind.BUG)]
)
@pytest.mark.parametrize("array", ["", ".numpy()"])
def test_zeros_are_the_bug_of_what_does_the_same_alone(verified, judged, channels, kind, array):
    code = f"""
        import torch
        print(torch.nn.functional.normalize(torch.zeros(2), dim=0){array})
    """
    found = verified("normalize gives zeros", code, "It prints `[0., 0.]`, expected `[nan, nan]`.")
    assert found.case.reproduces
    other = code.replace("torch.nn.functional.normalize(torch.zeros(2), dim=0)", "{}")
    other = other.format("torch.relu(torch.zeros(2))")
    assert judged(found, other, "torch.relu", channels).kind is kind


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


def test_a_number_that_something_filled_in_comes_to_is_a_coincidence(verified, judged):
    code = """
        import torch
        print(torch.linalg.cond(torch.zeros(2, 2)))
    """
    found = verified("linalg.cond returns NaN", code, "It gives nan, expected inf.")
    other = code.replace("torch.linalg.cond(", "torch.cholesky_solve(torch.zeros(2, 2), ")
    coincidence, bug = VerdictKind.NOT_ADAPTED, VerdictKind.BUG
    for filled, kind in ((True, coincidence), (False, bug), ("seed", bug)):
        told = judged(found, other, "torch.cholesky_solve", CONTEXT, filled=filled)
        assert told.kind is kind


def test_a_rewritten_text_that_shows_something_else_is_not_judged(verified, judged):
    found = verified("linalg.norm overflows", OVERFLOW, "The result is inf.")
    code = OVERFLOW.replace("print", "pass # print")
    verdict = judged(found, code, "torch.norm")
    assert verdict.kind is VerdictKind.NOT_ADAPTED
    assert "shows other values" in verdict.reason
    assert verdict.confidence == 0.0


ALIKE = [(NEAR, VerdictKind.BUG), (CONTEXT, VerdictKind.NOT_ADAPTED)]


@pytest.mark.parametrize(("channels", "kind"), ALIKE)
def test_a_bound_need_not_hold_for_other_functions(verified, judged, channels, kind):
    code = """
        import torch
        p, q = torch.tensor([0.1, 0.9]), torch.tensor([0.5, 0.5])
        loss = torch.kl_div(p, q).sum()
        print(loss)
        assert loss >= 0
    """
    found = verified("kl_div gives negative values", code)
    assert found.case.symptom.kind is SymptomKind.FALSE
    other = code.replace("kl_div", "xlogy")
    assert judged(found, other, "torch.xlogy", channels).kind is kind


@pytest.mark.parametrize(("channels", "kind"), ALIKE)
def test_what_is_not_nan_may_be_right_of_other_functions(verified, judged, channels, kind):
    code = """
        import torch
        m = torch.full((3, 3), float("nan"))
        e = torch.heaviside(m, torch.ones(3, 3))
        assert torch.isnan(e).all()
    """
    found = verified("heaviside gives numbers for NaN", code)
    assert found.case.symptom.kind is SymptomKind.FALSE
    other = code.replace("torch.heaviside(m, torch.ones(3, 3))", "torch.nonzero(m)")
    assert judged(found, other, "torch.nonzero", channels).kind is kind


@pytest.mark.parametrize(
    ("check", "kind"),
    [
        ("torch.isnan(e).all()", VerdictKind.BUG),
        ("torch.equal(e, torch.heaviside(-m, m))", VerdictKind.NOT_ADAPTED),
    ],
)
def test_numbers_may_differ_from_run_to_run_where_none_should_be(verified, judged, check, kind):
    code = f"""
        import torch
        m = torch.full((3, 3), float("nan"))
        e = torch.heaviside(m, torch.ones(3, 3))
        assert {check}
    """
    found = verified("heaviside gives numbers for NaN", code)
    other = code.replace("torch.heaviside(m, torch.ones(3, 3))", "torch.rand_like(m)")
    assert judged(found, other, "torch.rand_like").kind is kind


def test_a_sibling_that_is_given_no_tensor_is_another_function(verified, judged):
    code = "import torch\nx = torch.ones(2)\nprint(torch.amax(x, 0))  # expected 2"
    found = verified("torch.amax is wrong", code, "The result is wrong.")
    other = code.replace("torch.amax(x, 0)", "torch.tensor(1.0)")
    verdict = judged(found, other, "torch.tensor", idle=True)
    assert verdict.kind is VerdictKind.NOT_ADAPTED
    assert verdict.reason == "is not given what the report's call works on"


INTO = """
    import torch
    x = torch.tensor([[0.5, 2.0], [1.0, 0.25]])
    kept = torch.zeros(2, 2)
    row = kept[1]
    torch.CALL
    print(torch.equal(kept[1], row))
"""


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("cumsum(x, 1, out=row)", "gives another shape than what it is compared with"),
        ("max(x, out=row)", "gives another shape than what it is compared with"),
        ("amax(x, 1, out=row)", None),
    ],
)
def test_what_is_resized_is_another_matter(verified, judged, call, reason):
    found = verified("sum with out= is wrong", INTO.replace("CALL", "sum(x, 1, out=row)"))
    assert (found.case.api, found.case.reproduces) == ("torch.sum", False)
    told = judged(found, INTO.replace("CALL", call), f"torch.{call.partition('(')[0]}")
    assert told.reason == reason
    assert told.kind is (VerdictKind.CLEAN if reason is None else VerdictKind.NOT_ADAPTED)


LISTED = """
    import torch
    x = torch.tensor([1, 8])
    got = torch.CALL.tolist()
    want = [1, 8]
    print(got, want, "" if got == want else "<-- mismatch")
"""


def test_lists_have_shapes_too(verified, judged):
    found = verified("bitwise_or is wrong", LISTED.replace("CALL", "bitwise_or(x, x)"))
    assert not found.case.reproduces
    nested = judged(found, LISTED.replace("CALL", "atleast_2d(x)"), "torch.atleast_2d")
    assert nested.kind is VerdictKind.NOT_ADAPTED
    assert nested.reason == "gives another shape than what it is compared with"
    flat = judged(found, LISTED.replace("CALL", "atleast_1d(x)"), "torch.atleast_1d")
    assert flat.kind is VerdictKind.CLEAN


def test_where_neither_side_is_defined_nothing_need_agree(verified, judged):
    code = """
        import torch
        x = torch.tensor([2.5, -3.5])
        one, other = torch.round(x), -torch.round(2 - x)
        print(torch.equal(one, other))
    """
    found = verified("round disagrees with itself for the negated tensor", code)
    assert found.case.reproduces
    sibling = judged(found, code.replace("torch.round", "torch.sqrt"), "torch.sqrt")
    assert sibling.kind is VerdictKind.NOT_ADAPTED
    assert sibling.reason == "NaN in both that are compared, where the report's values are numbers"
    floor = judged(found, code.replace("torch.round", "torch.floor"), "torch.floor")
    assert floor.reason is None or "NaN" not in floor.reason


NORM = """
    import torch
    v = torch.full((1, 4), 0.3)
    print("n:", torch.linalg.vector_norm(v))
"""


def test_a_number_that_is_given_in_one_more_dimension_is_the_same(verified, judged):
    found = verified("vector_norm is wrong", NORM, "Returns 0.6, expected 0.7.")
    assert found.case.reproduces
    sibling = judged(found, NORM.replace("(v)", "(v, dim=1)"), "torch.linalg.vector_norm")
    assert sibling.kind is VerdictKind.BUG


def test_what_is_asserted_on_the_way_does_not_hide_what_a_value_depends_on(verified):
    code = """
        import torch
        y = torch.round(torch.tensor([1.6, 2.6]))
        assert torch.equal(y, torch.tensor([2.0, 3.0]))
        print("half:", y * 0.5)
    """
    text = "Returns [1.0, 1.5], expected [1.1, 1.6]."
    found = verified("torch.round gives wrong halves", code, text)
    assert found.case.api == "torch.round"
    assert found.witness.own == (True,)


WRITTEN = """
    import torch
    a = torch.arange(1.0, 10.0).reshape(3, 3)
    b = torch.eye(3) * 2 + 1
    expected = torch.mm(a, b)
    torch.mm(a, b, out=a)
    print("equal:", torch.allclose(a, expected))
"""


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("matmul(a, b, out=a)", VerdictKind.BUG),
        ("sub(a, b, out=a)", VerdictKind.CLEAN),
        ("sub(a, b)", VerdictKind.NOT_ADAPTED),  # leaves alone what is compared
    ],
)
def test_what_is_written_to_has_to_be_written_to_by_a_sibling(verified, judged, call, kind):
    found = verified("torch.mm is wrong with out= an operand", WRITTEN, "It is not equal.")
    if kind is VerdictKind.BUG and not found.case.reproduces:
        pytest.skip("the BLAS of this CPU reads all of an operand before it writes to it")
    assert all(found.witness.own)
    name = call.partition("(")[0]
    code = WRITTEN.replace("mm(a, b, out=a)", call).replace("mm(", f"{name}(")
    assert judged(found, code, f"torch.{name}", FAR).kind is kind


def test_a_gradient_of_what_works_in_place_depends_on_it(verified, judged):
    code = """
        import torch
        a = torch.tensor([-1.0, 0.5], requires_grad=True)
        b = torch.tensor([-1.0, 0.5], requires_grad=True)
        low = torch.tensor(-1.0)
        torch.clamp(a, low).sum().backward()
        torch.max(b, low).sum().backward()
        print("same:", torch.equal(a.grad, b.grad))
    """
    found = verified("clamp and max disagree about gradients", code, "It should be True.")
    assert (found.case.api, found.witness.own) == ("torch.clamp", (True, False))
    other = code.replace("torch.clamp(a, low)", "a.clone().clamp_(low)")
    assert judged(found, other, "torch.Tensor.clamp_", CONTEXT).kind is VerdictKind.BUG


@pytest.mark.parametrize(
    ("channels", "kind"), [(FAR, VerdictKind.NOT_ADAPTED), (NEAR, VerdictKind.BUG)]
)
def test_what_is_given_little_of_the_call_overflows_for_itself(verified, judged, channels, kind):
    found = verified("linalg.norm overflows", OVERFLOW, "It should be 2e20, not inf.")
    code = OVERFLOW.replace("torch.linalg.norm", "torch.linalg.vector_norm")
    told = judged(found, code, "torch.linalg.vector_norm", channels, scant=True)
    assert told.kind is kind
    assert judged(found, code, "torch.linalg.vector_norm", channels).kind is VerdictKind.BUG


@pytest.mark.parametrize(
    "shown", ["len(found) == len(wanted)", "found.shape == wanted.shape", "found.numel() == 2"]
)
def test_a_size_is_that_of_what_is_near_only(verified, judged, shown):
    code = f"""
        import torch
        x = torch.tensor([float("nan"), float("nan"), 1.0])
        found = torch.unique(x)
        wanted = torch.tensor([float("nan"), 1.0])
        print(len(found), "values")
        assert {shown}
    """
    found = verified("torch.unique lists every NaN", code, "There should be 2 values, not 3.")
    for sibling, channels, kind in (
        ("torch.abs", Channels(signature=0.1), VerdictKind.NOT_ADAPTED),
        ("torch.unique_consecutive", Channels(signature=0.6), VerdictKind.BUG),
    ):
        told = judged(found, code.replace("torch.unique", sibling), sibling, channels)
        assert told.kind is kind, (sibling, told.reason)


def test_what_is_told_of_the_inputs_may_differ_with_their_layout(verified, judged):
    code = """
        import torch
        x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        halves = x.to_sparse()
        twice = [0, 1, 2, 3] * 2
        other = torch.sparse_coo_tensor(
            halves.indices()[:, twice], halves.values()[twice] / 2, x.shape
        )
        torch.testing.assert_close(other.long(), x.long(), check_layout=False)
    """
    found = verified("Tensor.long of uncoalesced input gives other values", code)
    told = judged(found, code.replace(".long()", ".stride()"), "torch.Tensor.stride", NEAR)
    assert told.reason == "tells of its inputs, where the report's API makes something of them"
    told = judged(found, code.replace(".long()", ".int()"), "torch.Tensor.int", NEAR)
    assert told.kind is VerdictKind.BUG
