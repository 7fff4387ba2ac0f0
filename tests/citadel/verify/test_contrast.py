"""Whether another session refuses a call: here it is of the same build."""

import pytest

from analysis.target.instrument import instrument
from analysis.target.session import Limits
from citadel.verify.contrast import refuses

pytestmark = [pytest.mark.torch, pytest.mark.slow]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("torch.diag(x)", True),  # of three dimensions
        ("torch.diag(x[0])", False),
        ("torch.diag(x[0]); torch.tril(x[0, 0])", None),
        ("torch.diag(x[0]); undefined", None),
        ("torch.diag(torch.empty(2, 2, device='meta')).item()", None),
        ("raise ValueError(torch.diag(x[0]))", None),
    ],
)
def test_a_refusal_is_an_exception_of_the_api_itself(bench, call, told):
    code = f"import torch\nx = torch.ones(2, 2, 2)\n{call}\n"
    session, catalog = bench.replays[0], bench.index.catalog
    traced = instrument(code).traced
    api, limits = catalog.resolve("torch.diag"), Limits(wall=20.0)
    assert refuses(session, code, traced, limits, api, catalog) is told
