"""A call that is refused in one way and returns in another: the case, by what its runs do alone."""

import pytest

from analysis.target.session import Limits
from citadel.evidence.trigger import find_trigger, reruns_of
from citadel.model import BugKind, SymptomKind
from citadel.plan.invocation import invocation
from citadel.spread.derive import relations_of
from citadel.spread.facts import FACTS
from citadel.spread.modes import MODES
from citadel.verify.contradiction import WAYS
from citadel.verify.reports import verify
from citadel.verify.verified import Verified

ASSERTED = """
    import torch
    x = torch.tensor([True, False])
    try:
        torch.all(x, out=torch.empty((), dtype=torch.float32))
    except RuntimeError as error:
        print(error)
    y = torch.all(x.to("meta"), out=torch.empty((), dtype=torch.float32, device="meta"))
    assert y.dtype == torch.bool
"""
RETURNED = """
    import torch
    a, b = torch.ones(4, 3), torch.ones(4, 3)
    out = torch.empty(4, 3, dtype=torch.double)

    def outcome(call):
        try:
            call()
            return "fine"
        except RuntimeError as error:
            return "refused: " + str(error)

    print(outcome(lambda: torch.cross(a, b, dim=1, out=out)))
    ma, mb, mo = (t.to("meta") for t in (a, b, out))
    print(outcome(lambda: torch.cross(ma, mb, dim=1, out=mo)))
"""
ON_FAKE = """
    import contextlib
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode

    errors = []
    for mode in (contextlib.nullcontext(), FakeTensorMode()):
        with mode:
            x, i = torch.ones(4, 4), torch.tensor([0, 2])
            out = torch.empty(2, 4, dtype=torch.float64)
            try:
                torch.index_select(x, 0, i, out=out)
                errors.append(None)
            except RuntimeError as error:
                errors.append(error)
    assert bool(errors[0]) == bool(errors[1])
"""
COMPILED = """
    import torch
    import torch.nn.functional as F
    x, y = torch.tensor([0.2, 1.5, -0.7]), torch.zeros(3)
    try:
        F.smooth_l1_loss(x, y, beta=-0.5)
    except RuntimeError as error:
        print(error)
    print(torch.compile(lambda x, y: F.smooth_l1_loss(x, y, beta=-0.5))(x, y))
"""
OTHER_VALUES = """
    import torch
    import torch.nn.functional as F
    x, y = torch.tensor([0.2, 1.5, -0.7]), torch.zeros(3)
    try:
        F.smooth_l1_loss(x, y, beta=-0.5)
    except RuntimeError as error:
        print(error)
    print(torch.compile(lambda x, y: F.smooth_l1_loss(x, y, beta=0.5), backend="eager")(x, y))
"""
ARRAYS = """
    import numpy as np
    import torch

    def pick(index):
        return torch.gather(torch.ones(3), 0, torch.from_numpy(index))

    try:
        pick(np.array([0, 9]))
    except RuntimeError as error:
        print(error)
    print(torch.compile(pick, backend="eager")(np.array([0, 1])))
"""
OTHERWISE = """
    import torch
    for source, size in ((torch.ones(3), 2), (torch.ones(4, device="meta"), 2)):
        try:
            print(torch.reshape(source, (size, 2)).shape)
        except RuntimeError as error:
            print(error)
"""
SHARED = """
    import torch
    for device in ("cpu", "meta"):
        try:
            torch.reshape(torch.ones(3, device=device), (2, 2))
        except RuntimeError as error:
            print(error)
"""


@pytest.fixture
def verified(bench, read):
    def run(title, code):
        return verify(
            read(title, code),
            bench.replays[0],
            bench.index.catalog,
            bench.target.info,
            runs=1,
            limits=Limits(wall=90.0),
        )

    return run


def test_every_way_is_a_fact_that_can_be_brought_into_other_calls():
    assert set(WAYS) <= {one.known_by for one in (*FACTS, *MODES)}


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize(
    ("title", "code", "api", "asked"),
    [
        (
            "torch.all(..., out=) should be an error on meta as well",
            ASSERTED,
            "torch.all",
            "`out` has another dtype than the result (the plain call against meta)",
        ),
        (
            "cross(out=) has a dtype check in eager alone",
            RETURNED,
            "torch.cross",
            "`out` has another dtype than the result (the plain call against meta)",
        ),
        (
            "index_select(out=) checks the dtype in eager alone",
            ON_FAKE,
            "torch.index_select",
            "`out` has another dtype than the result (the plain call against fake)",
        ),
        (
            "[inductor] a bad beta",
            COMPILED,
            "torch.nn.functional.smooth_l1_loss",
            "`beta` is -0.5 (inductor against the plain call)",
        ),
    ],
)
def test_two_ends_of_one_call_are_the_bug(verified, bench, title, code, api, asked):
    found = verified(title, code)
    assert isinstance(found, Verified), found
    case = found.case
    assert (case.api, case.kind, case.reproduces) == (api, BugKind.STATUS, True)
    assert case.symptom.kind is SymptomKind.ACCEPTS
    told = {f"a result ({told})" for told in (*WAYS.values(), "compiled")}
    assert case.symptom.observed in told
    assert "RuntimeError" in case.symptom.headline()
    assert found.call.raised is not None
    use = invocation(found.call, found.api, found.observation.calls)
    session, catalog = bench.replays[0], bench.catalog
    again = reruns_of(found, use, session, catalog, Limits(wall=20.0))
    trigger = find_trigger(again, use, found.api, found.observation.wall)
    assert asked in [str(one) for one in relations_of(found, trigger, use)]


@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.parametrize("code", [OTHERWISE, OTHER_VALUES, ARRAYS, SHARED])
def test_other_arguments_and_equal_ends_are_no_contradiction(verified, code):
    found = verified("torch.reshape raises a RuntimeError for meta tensors", code)
    assert getattr(found, "contradiction", None) is None
