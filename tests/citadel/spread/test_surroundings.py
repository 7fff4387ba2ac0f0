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

    @torch.inference_mode()
    def forward():
        return torch.index_add(x, 0, index, torch.mm(x, x))

    with open("notes", "w") as notes, autocast("cpu", dtype=torch.bfloat16):
        forward()
"""
NEEDLESS = """
    import torch
    with torch.no_grad():
        torch.linalg.cholesky(-torch.eye(3))
"""
SWITCHED = """
    import torch
    torch.set_flush_denormal(False)
    torch.manual_seed(0)
    torch.use_deterministic_algorithms(True)
    torch.zeros(3).put_(torch.tensor([0]), torch.ones(1))
"""
INSIDE = """
    import torch
    def loss(x):
        with torch.device("meta"):
            y = torch.ones(3)
        return torch.linalg.cholesky(x)
    loss(-torch.eye(3))
"""
VALUES = """
    import torch
    with torch.no_grad():
        y = torch.special.log_ndtr(torch.tensor(-1.0))
    assert y > 0
"""


@pytest.mark.parametrize(
    ("title", "code", "found"),
    [
        (
            "torch.index_add raises RuntimeError",
            AUTOCAST,
            ["within torch.amp.autocast('cpu', dtype=torch.bfloat16), torch.inference_mode()"],
        ),
        ("put_ raises RuntimeError", SWITCHED, ["set torch.use_deterministic_algorithms"]),
        ("cholesky raises _LinAlgError", NEEDLESS, []),
        ("cholesky raises _LinAlgError", INSIDE, []),
        ("log_ndtr should be positive", VALUES, ["within torch.no_grad()"]),
    ],
    ids=["autocast", "switched", "needless", "inside", "values"],
)
def test_what_the_failure_needs_around_the_call(bench, read, title, code, found):
    reading = read(title, code)
    session = bench.replays[0]
    told = verify(reading, session, bench.catalog, bench.target.info, runs=1)
    assert isinstance(told, Verified), told
    run = partial(session.run, limits=Limits(wall=20.0))
    assert list(map(str, surroundings(told, bench.catalog, run))) == found
