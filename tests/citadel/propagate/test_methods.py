"""The other methods of an object whose method fails."""

import time

import pytest

from citadel.members import failing_member
from citadel.model import Channels, Finding, Verdict, VerdictKind
from citadel.options import Options
from citadel.propagate.methods import other_methods
from citadel.verify.reports import verify
from citadel.verify.verified import Verified

pytestmark = [pytest.mark.slow, pytest.mark.torch]

CDF = """\
import torch
from torch.distributions import Dirichlet

d = Dirichlet(torch.ones(3))
print(d.cdf(torch.tensor([0.2, 0.3, 0.5])))
"""


@pytest.fixture
def methods(bench, read):
    """Title and code of a report, and findings among classes -> what its methods share."""

    def find(title, code, *found):
        verified = verify(read(title, code), bench.replays[0], bench.catalog, bench.target.info)
        assert isinstance(verified, Verified)
        failing = failing_member(verified)
        assert failing is not None
        until = time.monotonic() + 60
        return list(other_methods(verified, failing, found, bench, Options(), until))

    return find


def test_methods_of_the_object_that_fail_alike(methods):
    found = {one.api: one for one in methods("Dirichlet.cdf is not implemented", CDF)}
    assert "torch.distributions.Dirichlet.icdf" in found
    assert "torch.distributions.Dirichlet.log_prob" not in found
    code = found["torch.distributions.Dirichlet.icdf"].code
    assert code == CDF.replace("d.cdf", "d.icdf")


def test_methods_of_the_classes_that_were_found(methods):
    code = CDF.replace("Dirichlet", "Wishart").replace("ones(3)", "tensor(3.0), torch.eye(2)")
    verdict = Verdict(kind=VerdictKind.BUG, runs=(3, 3), confidence=1.0)
    sibling = Finding(
        api="torch.distributions.Wishart", verdict=verdict, channels=Channels(), code=code
    )
    found = {one.api for one in methods("Dirichlet.cdf is not implemented", CDF, sibling)}
    assert {"torch.distributions.Dirichlet.icdf", "torch.distributions.Wishart.icdf"} <= found
