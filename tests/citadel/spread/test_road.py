"""A report's trigger in other APIs' own calls, from the report to the findings."""

import pytest

from analysis.target.session import Limits
from citadel.evidence import variations
from citadel.experiment import Class
from citadel.model import Road, SymptomKind, VerdictKind
from citadel.options import Options
from citadel.propagate.walk import Walk
from citadel.spread.samples import described
from citadel.triage import triage
from citadel.workbench import Workbench

pytestmark = pytest.mark.slow

OVERFLOW = """
    import torch
    import torch.nn.functional as F
    v = torch.tensor([[3.0, 4.0]]) * 1e25
    torch.testing.assert_close(F.normalize(v), torch.tensor([[0.6, 0.8]]))
"""
OUT = """
    import torch

    def call(device):
        src = torch.ones(4, 4, device=device)
        idx = torch.tensor([0, 2], device=device)
        out = torch.empty(2, 4, dtype=torch.float64, device=device)
        return torch.index_select(src, 0, idx, out=out)

    for dev in ["cpu", "meta"]:
        try:
            print(dev, call(dev).shape)
        except RuntimeError as err:
            print(dev, "RuntimeError:", err)
"""
DUAL = """
    import torch
    import torch.autograd.forward_ad as fwAD
    x = torch.ones(5, 3)
    with fwAD.dual_level():
        print(torch.cdist(fwAD.make_dual(x, x), torch.ones(4, 3)))
"""

MAPPED = """
    import torch
    x = torch.eye(2).repeat(3, 1, 1)
    print(torch.equal(x[0], x[1]))
    print(torch.func.vmap(torch.equal)(x, x))
"""
GRADIENT = """
    import torch
    x = torch.zeros(3, requires_grad=True)
    torch.hypot(x, torch.zeros(3)).sum().backward()
    assert torch.isfinite(x.grad).all(), x.grad
"""

DIES = """
    import torch
    print(torch.lu_unpack(torch.eye(3), torch.empty(0, dtype=torch.int32)))
"""
OVERLAP = """
    import torch
    memory = torch.zeros(8)
    x = memory[:6]
    x.copy_(torch.tensor([3.0, 1.0, 4.0, 1.0, 5.0, 9.0]))
    expected = torch.cummax(x.clone(), 0).values
    out = (memory[1:7], torch.empty(6, dtype=torch.int64))
    torch.cummax(x, 0, out=out)
    assert torch.equal(out[0], expected), out[0]
"""
QUIET = """
    import tensorflow as tf
    def update(table, indices, updates):
        return tf.tensor_scatter_nd_add(table, indices, updates)
    given = tf.zeros([4]), tf.constant([[0], [4]]), tf.ones([2])
    try:
        update(*given)
    except tf.errors.InvalidArgumentError as error:
        print("eager:", error)
    print("XLA:", tf.function(update, jit_compile=True)(*given))
"""


WRAPS = """
    import torch
    fours = torch.full((2,), 2.0**63, dtype=torch.int64)
    lowest = fours.min()
    print(lowest)
    assert lowest >= 0, "wrapped around"
"""


FAKE = """
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode
    x = torch.rand(3, 4).t()
    strides = torch.poisson(x).stride()
    with FakeTensorMode() as mode:
        fake = torch.poisson(mode.from_tensor(x))
    assert fake.stride() == strides, (fake.stride(), strides)
"""
FAR = """
    import torch
    grad, x = torch.ones(1, 1, 1), torch.ones(1, 2, 2)
    i = torch.full((1, 1, 1), 10_000_000_000)
    torch.ops.aten.adaptive_max_pool2d_backward(grad, x, i)
"""


@pytest.fixture
def triaged(bench):
    def run(reading, road=Road.TRIGGER, siblings=60):
        options = Options(
            walk=Walk(siblings=siblings, seconds=120.0),
            runs=1,
            limits=Limits(wall=20.0),
            least_confidence=0.0,
            road=road,
        )
        return triage(reading, bench, options)

    return run


@pytest.mark.torch
def test_wrong_values_are_found_by_the_trigger(triaged, read):
    found = triaged(read("F.normalize gives zeros for large numbers", OVERFLOW))
    names = {one.api for one in found.bugs}
    assert "torch.linalg.norm" in names
    assert not names & {"torch.abs", "torch.nn.functional.normalize"}
    assert all(one.road is Road.TRIGGER for one in found.bugs)
    assert found.case.relation == (
        "`inputs` is multiplied by 4e+25 (the plain call against a wider dtype)"
    )
    assert found.compared >= len(names)
    told = next(one for one in found.bugs if one.api == "torch.linalg.norm")
    assert "# the trigger" in told.code
    assert told.evidence.control.code


@pytest.mark.torch
@pytest.mark.parametrize(
    "text",
    [
        "cpu RuntimeError: index_select(): self and result must have the same scalar type",
        "What I would like to get: the same `RuntimeError` twice.",
    ],
)
def test_what_the_report_contrasts_is_asked_of_others(triaged, read, text):
    """Also where its words tell what should be refused."""
    found = triaged(read("index_select checks out= on the CPU, not on meta", OUT, text=text))
    assert (
        found.case.relation
        == "`out` has another dtype than the result (the plain call against meta)"
    )
    assert {"torch.aminmax", "torch.take"} <= {one.api for one in found.bugs}
    assert not {"torch.sum", "torch.logsumexp"} & {one.api for one in found.bugs}


NAN = """
import torch

try:
    torch.nn.Dropout(p=float("nan"))
except ValueError as error:
    print("refused:", error)
else:
    raise AssertionError("the value was accepted")
"""


@pytest.mark.torch
def test_what_is_accepted_is_asked_of_whoever_refuses_another_number(triaged, read):
    found = triaged(
        read("torch.nn.Dropout accepts NaN for p", NAN, text="I would expect an error.")
    )
    assert found.case.relation.endswith(
        "(the plain call against -1 in its place, which is refused)"
    )
    bugs = {one.api for one in found.bugs}
    assert {"torch.nn.AlphaDropout", "torch.nn.Hardtanh"} <= bugs
    assert not {"torch.optim.Adam", "torch.nn.functional.dropout", "torch.clamp"} & bugs


@pytest.mark.torch
def test_a_contradiction_is_not_carried_over_as_a_refusal(triaged, read):
    """That a sibling refuses a bad `out` on the CPU, as it should, is no finding."""
    text = "cpu RuntimeError: index_select(): self and result must have the same scalar type"
    found = triaged(read("index_select checks out= on the CPU, not on meta", OUT, text), Road.BOTH)
    assert {one.road for one in found.findings} == {Road.TRIGGER}
    assert {one.verdict.symptom.kind for one in found.bugs} == {SymptomKind.ACCEPTS}
    assert {one.evidence.kind for one in found.bugs} == {Class.CONTRADICTION}


@pytest.mark.torch
def test_what_fails_in_forward_mode_alone_is_asked_of_others(triaged, read):
    text = "NotImplementedError: Trying to use forward AD with _cdist_forward"
    found = triaged(read("Forward-mode AD: no formula for cdist", DUAL, text=text))
    assert found.case.relation == "forward-ad against the plain call"
    assert "torch.nn.functional.pdist" in {one.api for one in found.bugs}
    assert "torch.sin" not in {one.api for one in found.bugs}


@pytest.mark.torch
def test_what_fails_when_it_is_mapped_is_asked_of_others(triaged, read):
    found = triaged(read("vmap of torch.equal fails", MAPPED))
    assert found.case.relation == "vmap against the plain call"
    assert "torch.ops.aten.equal" in {one.api for one in found.bugs}
    assert not {"torch.sin", "torch.eq"} & {one.api for one in found.bugs}


@pytest.mark.torch
def test_a_wrong_gradient_is_asked_of_others(triaged, read):
    text = "The gradient is nan, it should be 0."
    found = triaged(read("torch.hypot has a NaN gradient at zero", GRADIENT, text=text))
    assert found.case.relation == "`inputs` holds zeros (backward against differences)"
    assert "torch.xlogy" in {one.api for one in found.bugs}
    assert not {"torch.abs", "torch.dropout"} & {one.api for one in found.bugs}


@pytest.mark.torch
def test_what_is_too_short_should_be_as_long_as_what_is_beside_it(triaged, read):
    found = triaged(read("torch.lu_unpack crashes for empty pivots", DIES), siblings=1)
    assert [one.changes[0].variation for one in found.case.trigger.cures] == ["first-extent"]
    assert found.case.relation == "`LU_pivots` has no elements"


@pytest.mark.torch
def test_a_trigger_that_other_calls_do_not_show_is_asked_of_the_reports_own_call(triaged, read):
    """The other calls that are known of it have further states, which are looked at first."""
    code = """
        import torch
        x = torch.randn(2, 3)
        torch.ops.aten._fused_adam_(
            [x], [x.clone()], [torch.empty(0)], [x.clone()], [], [torch.tensor(1.0)], lr=0.1,
            beta1=0.9, beta2=0.9, weight_decay=0.0, eps=1e-8, amsgrad=False, maximize=False,
        )
    """
    name = "torch.ops.aten._fused_adam_"
    found = triaged(read(f"{name} dies for states without elements", code), siblings=1)
    assert found.case.trigger.cures
    assert found.case.relation == "`exp_avgs` has no elements"


@pytest.mark.torch
def test_what_no_change_cures_is_a_fact_of_the_call(triaged, read, monkeypatch):
    """The API's own valid call dies with that fact alone: then it is the trigger."""
    fewer = tuple(one for one in variations.VARIATIONS if one.name not in variations.EXTENTS)
    monkeypatch.setattr(variations, "VARIATIONS", fewer)
    found = triaged(read("torch.lu_unpack crashes for empty pivots", DIES))
    assert not found.case.trigger.cures
    assert found.case.relation == "`LU_pivots` has no elements"
    assert "torch.ops.aten.lu_unpack" in {one.api for one in found.bugs}


@pytest.mark.torch
def test_what_has_a_right_result_may_be_refused_in_any_words(triaged, read):
    code = """
        import torch
        print(torch.take(torch.ones(4), torch.tensor([0, 3], dtype=torch.int32)))
    """
    text = "It wants a long tensor. Indices of int32 should do."
    found = triaged(read("torch.take fails for int32 indices", code, text=text), siblings=1000)
    assert found.case.relation == "`index` holds whole numbers of dtype int32"
    told = {one.api: one.verdict.symptom.message for one in found.bugs}
    assert told["torch.index_fill"] == "index_fill_(): Expected dtype int64 for index."
    assert told["torch.nn.functional.one_hot"].startswith("one_hot is only applicable to")
    # It takes whole numbers of any dtype, but not of several.
    assert not {"torch.mm", "torch._addmm_activation"} & told.keys()


@pytest.mark.torch
def test_what_encloses_the_call_encloses_those_of_others(triaged, read):
    code = """
        import torch
        linear, x = torch.nn.Linear(4, 4), torch.ones(4, 4)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            h = linear(x)
            print(torch.index_add(x, 0, torch.arange(4), h).dtype)
    """
    found = triaged(read("torch.index_add fails under autocast", code), siblings=1500)
    around = "torch.autocast('cpu', dtype=torch.bfloat16)"
    assert found.case.relation == f"`source` has dtype bfloat16 alone (within {around})"
    told = {one.api: one for one in found.bugs}
    assert told.keys() >= {"torch.scatter_add", "torch.dot", "torch.masked_scatter"}
    # Autocast has the first ones in one dtype; of the other one, no number fits.
    assert not {"torch.mm", "torch.cat", "torch.slogdet"} & told.keys()
    assert not [name for name in told if name.endswith("_backward")]  # nobody calls these
    assert f"with {around}:" in told["torch.dot"].code


@pytest.mark.torch
def test_what_a_check_quotes_is_what_siblings_are_asked_for(triaged, read):
    code = """
        import torch
        nested = torch.nested.nested_tensor([torch.ones(3, 4), torch.ones(3, 4)])
        try:
            torch.nn.functional.interpolate(nested, scale_factor=2)
        except NotImplementedError:
            pass
        except RuntimeError as error:
            assert "Internal error" not in str(error), error
    """
    title = "interpolate of a nested tensor is an internal error"
    found = triaged(read(title, code), road=Road.CALL)
    assert "torch.nn.functional.adaptive_avg_pool1d" in {one.api for one in found.bugs}


@pytest.mark.torch
def test_any_argument_may_be_the_trigger(triaged, read):
    """Of all that the call is given, what it needs to fail is kept."""
    code = """
        import torch
        torch.unsqueeze(torch.ones(2, 3), dim=5)
    """
    found = triaged(read("torch.unsqueeze raises an IndexError", code))
    assert found.case.relation == "`dim` is 5"
    assert "torch.Tensor.unsqueeze" in {one.api for one in found.bugs}


@pytest.mark.torch
def test_of_several_calls_at_one_place_the_one_that_fails_is_meant(triaged, read):
    """The last call is right: that says nothing against the two ways."""
    code = """
        import torch
        results = []
        for dtype in (torch.float32, torch.float64):
            y = torch.cosh(torch.full((64,), 89.0, dtype=dtype))
            print(dtype, y[:2])
            results.append(y.double())
        torch.testing.assert_close(*results, rtol=1e-3, atol=0)
    """
    title = "torch.cosh overflows too early in float32 (result is representable)"
    found = triaged(read(title, code), siblings=20)
    assert found.case.relation.endswith(
        "`inputs` holds 89 alone (the plain call against a wider dtype)"
    )
    assert "torch.sinh" in {one.api for one in found.bugs}


@pytest.mark.torch
def test_what_the_report_asserts_of_a_result_is_asked_of_others(triaged, read):
    """Whatever the right result is: its own calls keep what is asserted, but for the trigger."""
    text = "An overflow error is expected."
    found = triaged(read("torch.full takes 2**63 for int64", WRAPS, text=text), siblings=400)
    told = " (the plain call against the condition result.min() >= 0)"
    # `full` has no tensors: of others these may be what has the dtype.
    facts = ("`fill_value` is 9.223372036854776e+18", "`dtype` is torch.int64")
    assert found.case.relation == " and ".join((*facts, "`inputs` has dtype int64")) + told
    assert {"torch.masked_fill", "torch.Tensor.new_full"} <= {one.api for one in found.bugs}
    filled = next(one for one in found.bugs if one.api == "torch.masked_fill")
    assert filled.code.endswith("assert result.min() >= 0\n")


@pytest.mark.torch
def test_memory_that_is_shared_through_a_tuple_is_a_trigger(triaged, read):
    found = triaged(
        read("cummax: wrong values if out= overlaps with the input", OVERLAP), siblings=400
    )
    first = found.case.trigger.cures[0].changes[0]
    assert (first.variation, first.name) == ("alone", "input")
    assert found.case.relation.startswith("`out` shares a part of its memory with an input")
    assert "torch.amax" in {one.api for one in found.bugs}
    assert "torch.cumsum" not in {one.api for one in found.bugs}


@pytest.mark.torch
def test_wrong_strides_are_asked_of_others(triaged, read):
    found = triaged(read("torch.poisson: the strides of FakeTensor are wrong", FAKE), siblings=200)
    told = "(fake, its results described against the plain call, its results described)"
    assert found.case.relation == f"`inputs` is not contiguous {told}"
    names = {one.api for one in found.bugs}
    assert names
    assert not names & {"torch.exp", "torch.abs", "torch.mul"}


@pytest.mark.torch
def test_the_reports_own_call_under_a_cure_is_a_sample(triaged, read, bench, monkeypatch):
    name = "torch.ops.aten.adaptive_max_pool2d_backward"
    monkeypatch.delitem(bench.index.samples, name, raising=False)
    assert described(bench.index, bench.catalog.apis[name]) is None
    found = triaged(read(f"{name} dies for indices that are out of range", FAR))
    assert found.case.relation == "`indices` holds 10000000000 alone"
    names = {one.api for one in found.bugs}
    assert "torch.ops.aten.adaptive_max_pool3d_backward" in names


@pytest.mark.tf
def test_what_a_compiler_takes_and_eager_code_refuses(tf_target, index_of, read):
    text = "I expect an error in both modes."
    reading = read("tensor_scatter_nd_add accepts indices out of range with XLA", QUIET, text=text)
    options = Options(
        walk=Walk(siblings=20, seconds=120.0),
        runs=1,
        limits=Limits(wall=60.0),
        least_confidence=0.0,
        road=Road.TRIGGER,
    )
    with Workbench(tf_target, index_of(tf_target), jobs=2) as bench:
        found = triage(reading, bench, options)
    assert found.case.symptom.kind is SymptomKind.ACCEPTS
    assert (
        found.case.relation
        == "`indices` holds an index that is out of range (xla against the plain call)"
    )
    assert "tf.tensor_scatter_nd_sub" in {one.api for one in found.bugs}


@pytest.mark.torch
def test_one_api_is_one_finding(triaged, read):
    found = triaged(read("F.normalize gives zeros for large numbers", OVERFLOW), Road.BOTH)
    names = [one.api for one in found.findings]
    assert len(names) == len(set(names))
    assert {one.verdict.kind for one in found.findings if one.road is Road.TRIGGER} == {
        VerdictKind.BUG
    }
