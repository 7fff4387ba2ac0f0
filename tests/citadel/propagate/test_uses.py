"""A case that calls an API twice is rewritten alike in both places."""

from textwrap import dedent

import pytest

from analysis.target.session import Limits
from citadel.model import Road, VerdictKind
from citadel.options import Options
from citadel.plan.adapt import plans
from citadel.propagate.uses import Uses
from citadel.propagate.walk import Walk
from citadel.triage import triage
from citadel.verify.reports import verify

pytestmark = [pytest.mark.torch, pytest.mark.slow]

POOLS = """
    import torch
    x = torch.tensor([[1.0, 5.0, 3.0, 4.0]], dtype=torch.float64)
    reference = torch.nn.functional.lp_pool1d(x, 4, 4)
    result = torch.nn.functional.lp_pool1d(x.to(torch.int64), 4, 4)
    torch.testing.assert_close(result, reference, check_dtype=False)
"""


def codes(bench, reading, name):
    """Every text in which an API stands in for that of a report."""
    catalog, info = bench.index.catalog, bench.target.info
    found = verify(reading, bench.replays[0], catalog, info, runs=2, limits=Limits(wall=20.0))
    assert found.case.reproduces
    uses, api = Uses(found, bench), catalog.resolve(name)
    made = plans(uses.invocation, api, bench.samples, bench.lexicon)
    return [one.code for plan in made for one in uses.write(plan)]


def test_what_is_compared_is_given_to_the_same_parameters(bench, read):
    title = "torch.nn.functional.lp_pool1d gives other values for int64"
    reading = read(title, dedent(POOLS))
    written = codes(bench, reading, "torch.pow")
    assert written
    for code in written:
        calls = [
            line.partition("torch.pow")[2] for line in code.splitlines() if "torch.pow" in line
        ]
        assert len(calls) == 2
        of_number_first = [call.startswith("(4") for call in calls]
        assert all(of_number_first) or not any(of_number_first), code


ROW = """
    import torch
    a = torch.tensor([[1.0, 2.0, 3.0], [9.0, 5.0, 6.0], [7.0, 8.0, 4.0]])
    want = torch.amax(a, dim=0)
    got = torch.amax(a, dim=0, out=a[2])
    print("equal:", torch.equal(want, got))
"""


def test_what_is_made_up_for_a_receiver_is_made_up_in_both_places(bench, read):
    """`a.__rpow__(0)` beside `a.__rpow__(a)` are different for that alone."""
    reading = read("torch.amax is wrong with out=", dedent(ROW))
    catalog, info = bench.index.catalog, bench.target.info
    found = verify(reading, bench.replays[0], catalog, info, runs=2, limits=Limits(wall=20.0))
    assert found.case.reproduces
    uses, api = Uses(found, bench), catalog.resolve("torch.Tensor.__rpow__")
    for plan in plans(uses.invocation, api, bench.samples, bench.lexicon):
        for one in uses.write(plan):
            lines = [line for line in one.code.splitlines() if "rpow" in line]
            assert len({line.partition("__rpow__")[2] for line in lines}) == 1


SUMS = """
    import torch
    x = torch.tensor([3e38, 3e38, -3e38])
    y = x.double()
    x.cumsum_(0)
    y.cumsum_(0)
    assert torch.allclose(x.double(), y), f"differs: {x} {y}"
"""


def test_what_is_changed_in_place_is_assigned_in_both_places(bench, read):
    """`torch.cumsum(y, 0)` alone would leave `y` as it was."""
    reading = read("torch.Tensor.cumsum_ overflows in float32", dedent(SUMS))
    catalog, info = bench.index.catalog, bench.target.info
    found = verify(reading, bench.replays[0], catalog, info, runs=2, limits=Limits(wall=20.0))
    assert found.case.reproduces
    uses, api = Uses(found, bench), catalog.resolve("torch.cumsum")
    best, *_ = plans(uses.invocation, api, bench.samples, bench.lexicon)
    codes = [one.code for one in uses.write(best)]
    assert codes
    for code in codes:
        assert {"x = torch.cumsum(x, 0)", "y = torch.cumsum(y, 0)"} <= set(code.splitlines())


SCALED = """
    import torch
    x, y, i = torch.ones(3), torch.rand(2), torch.tensor([0, 0])
    fused = torch.index_add(x, 0, i, y, alpha=2)
    by_hand = torch.index_add(x, 0, i, 3 * y)
    print("same:", torch.allclose(fused, by_hand))
"""


def test_a_use_that_would_lose_what_the_other_has_is_not_written(bench, read):
    """`scatter_add` has no `alpha`: without it, it is compared with that of other inputs."""
    reading = read("torch.index_add with alpha is wrong", dedent(SCALED))
    catalog, info = bench.index.catalog, bench.target.info
    found = verify(reading, bench.replays[0], catalog, info, runs=2, limits=Limits(wall=20.0))
    assert found.case.reproduces
    uses, api = Uses(found, bench), catalog.resolve("torch.scatter_add")
    made = plans(uses.invocation, api, bench.samples, bench.lexicon)
    assert made
    assert [one.code for plan in made for one in uses.write(plan)] == []


SPARSE = """
    import torch
    x = torch.tensor([[1.0]])
    y = torch.tensor([1.0])
    reference = torch.diagonal_scatter(x, y)
    result = torch.diagonal_scatter(x.to_sparse_csr(), y)
    torch.testing.assert_close(result, reference, check_layout=False)
"""


def test_what_works_beside_the_failure_is_the_siblings_own(bench, read):
    """Where the sibling takes what the report does there; an internal fault is one anyway."""
    reading = read("torch.diagonal_scatter fails for sparse CSR", dedent(SPARSE))
    options = Options(
        road=Road.CALL, walk=Walk(siblings=60, seconds=60.0), runs=1, limits=Limits(wall=20.0)
    )
    done = triage(reading, bench, options)
    if not done.case.reproduces:
        pytest.skip("this PyTorch has it fixed")
    codes = {finding.api: finding.code for finding in done.bugs}
    operator = codes["torch.ops.aten.diagonal_scatter"]
    assert "reference = torch.ops.aten.diagonal_scatter(x, y)" in operator
    assert "result = torch.ops.aten.diagonal_scatter(x.to_sparse_csr(), y)" in operator
    # It wants another shape of what is written, and says so of dense tensors.
    assert "reference = torch.diagonal_scatter(x, y)" in codes["torch.slice_scatter"]


LAYERS = """
    import torch
    x = torch.ones(1, 2, 5, 5)
    padded = torch.nn.AvgPool2d(2, stride=2, padding=1)
    plain = torch.nn.AvgPool2d(2, stride=2)

    def first(layer):
        return layer(x)[..., 0, 0]

    print(torch.equal(first(padded), first(plain)))
"""


@pytest.mark.parametrize("name", ["torch.nn.LPPool2d", "torch.nn.functional.avg_pool1d"])
def test_layers_called_at_one_place_change_where_they_are_made(bench, read, name):
    """One that stays as it was is compared with another operation, which is as different."""
    reading = read("torch.nn.AvgPool2d is wrong with padding, not equal", dedent(LAYERS))
    catalog, info = bench.index.catalog, bench.target.info
    found = verify(reading, bench.replays[0], catalog, info, runs=2, limits=Limits(wall=20.0))
    assert found.case.reproduces
    uses, api = Uses(found, bench), catalog.resolve(name)
    written = [
        one.code
        for plan in plans(uses.invocation, api, bench.samples, bench.lexicon)
        for one in uses.write(plan)
    ]
    for code in written:
        assert "AvgPool2d(" not in code
        assert code.count("class AvgPool1d") <= 1
        assert "return layer(x)" in code
    assert bool(written) is (name == "torch.nn.functional.avg_pool1d")


STEPS = """
    import numpy as np
    import torch
    signal = np.array([-1.5, np.nan, 0.0, 2.0])
    ours = torch.heaviside(torch.from_numpy(signal), torch.full((4,), 0.5).double()).numpy()
    np.testing.assert_array_equal(ours, np.heaviside(signal, 0.5))
"""


def test_what_is_changed_in_place_is_not_what_the_reference_is_computed_from(bench, read):
    """`from_numpy` shares its memory with `signal`."""
    reading = read("torch.heaviside hides NaN", dedent(STEPS))
    catalog, info = bench.index.catalog, bench.target.info
    found = verify(reading, bench.replays[0], catalog, info, runs=2, limits=Limits(wall=20.0))
    assert found.case.reproduces
    uses, api = Uses(found, bench), catalog.resolve("torch.Tensor.heaviside_")
    best, *_ = plans(uses.invocation, api, bench.samples, bench.lexicon)
    (code, *_) = (one.code for one in uses.write(best))
    assert "torch.from_numpy(signal).clone().heaviside_(" in code


CHANNELS = """
    import torch
    maps = torch.tensor([1.0, float("inf"), -3.0, 0.0]).reshape(1, 4, 1, 1)
    layer = torch.nn.Dropout2d(p=1.0)
    assert torch.equal(layer(torch.ones(1, 4, 1, 1)), torch.zeros(1, 4, 1, 1))
    dropped = torch.nn.Dropout2d(p=1.0)
    out = dropped(maps)
    assert not torch.isnan(out).any().item()
"""


def test_what_else_is_checked_of_the_reports_api_need_not_be_so_of_another(bench, read):
    """Zeros of four dimensions are no zeros of five."""
    reading = read("torch.nn.Dropout2d: a dropped channel is NaN", dedent(CHANNELS))
    found = triage(reading, bench, Options(road=Road.CALL, walk=Walk(siblings=12, patience=None)))
    other = next(one for one in found.findings if one.api == "torch.nn.Dropout3d")
    assert other.verdict.kind is VerdictKind.BUG
    assert "layer = torch.nn.Dropout2d(p=1.0)" in other.code
    assert "dropped = torch.nn.Dropout3d(p=1.0)" in other.code


PRODUCTS = """
    import torch
    x = torch.tensor([1e30, 1e20, 1.0])
    y = torch.tensor([1e20, 1e30, 2.0])
    a = torch.cumprod(x, 0)
    b = torch.cumprod(y, 0)
    print(a + b)
"""


def test_what_is_made_of_two_calls_is_not_told_by_one_of_them(bench, read):
    """The infinity may come of the other one, which is still the report's."""
    text = "The sum is inf, it should be finite."
    reading = read("torch.cumprod gives inf", dedent(PRODUCTS), text=text)
    written = codes(bench, reading, "torch.softmax")
    assert written
    assert not any("cumprod" in code for code in written)
