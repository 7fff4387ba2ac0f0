"""What encloses the call of a report, found in its text and its trace."""

from functools import partial

import pytest

from analysis.target.session import Limits
from citadel.spread.surroundings import surroundings
from citadel.verify.reports import verify
from citadel.verify.verified import Verified

pytestmark = [pytest.mark.torch, pytest.mark.slow]

AUTOCAST = """
    import torch
    from torch import autocast
    x, index = torch.ones(4, 4), torch.arange(4)

    class Model:
        def forward(self):
            return torch.index_add(x, 0, index, torch.mm(x, x))

    Model().forward()
    with open("notes", "w") as notes, autocast("cpu", dtype=torch.bfloat16) as cast:
        with torch.inference_mode():
            Model().forward()
"""
LOOP = """
    import torch
    x, index = torch.ones(4, 4), torch.arange(4)
    for enabled in (False, True):
        with torch.autocast("cpu", torch.bfloat16, enabled):
            torch.index_add(x, 0, index, torch.mm(x, x))
"""
BEFORE = """
    import torch
    x, index = torch.ones(4, 4), torch.arange(4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = torch.mm(x, x)
    torch.index_add(x, 0, index, y)
"""
NEEDLESS = """
    import torch
    with torch.no_grad():
        torch.linalg.cholesky(-torch.eye(3))
"""
SWITCHED = """
    import torch
    torch.autograd.set_detect_anomaly(False)
    torch.manual_seed(0)
    torch.use_deterministic_algorithms(True)
    torch.zeros(3).put_(torch.tensor([0]), torch.ones(1))
"""
AGAIN = """
    import torch
    torch.use_deterministic_algorithms(True)
    torch.use_deterministic_algorithms(False)
    torch.linalg.cholesky(-torch.eye(3))
"""
VALUES = """
    import torch
    with torch.no_grad():
        y = torch.special.log_ndtr(torch.tensor(-1.0))
    assert y > 0
"""
INDEX_ADD, PUT, CHOLESKY = (
    "torch.index_add raises RuntimeError",
    "put_ raises RuntimeError",
    "cholesky raises _LinAlgError",
)


@pytest.mark.parametrize(
    ("title", "code", "found"),
    [
        (
            INDEX_ADD,
            AUTOCAST,
            ["within torch.amp.autocast('cpu', dtype=torch.bfloat16), torch.inference_mode()"],
        ),
        (INDEX_ADD, LOOP, ["within torch.autocast('cpu', torch.bfloat16, True)"]),
        (INDEX_ADD, BEFORE, []),
        (PUT, SWITCHED, ["set torch.use_deterministic_algorithms"]),
        (CHOLESKY, AGAIN, []),
        (CHOLESKY, NEEDLESS, []),
        ("log_ndtr should be positive", VALUES, []),
    ],
    ids=["autocast", "loop", "before", "switched", "switched-off", "needless", "values"],
)
def test_what_the_failure_needs_around_the_call(bench, read, title, code, found):
    reading = read(title, code)
    session = bench.replays[0]
    told = verify(reading, session, bench.catalog, bench.target.info, runs=1)
    assert isinstance(told, Verified), told
    run = partial(session.run, limits=Limits(wall=20.0))
    assert list(map(str, surroundings(told, bench.catalog, run))) == found
