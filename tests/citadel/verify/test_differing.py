"""Several snippets of one report: which of them shows what the title says."""

import pytest

from citadel.model import SymptomKind
from citadel.verify.reports import verify
from citadel.verify.verified import Verified

pytestmark = [pytest.mark.torch, pytest.mark.slow]

ALONE = """
    import torch
    torch.sort(torch.tensor([float("nan"), 1.0])).values
"""
BOTH = """
    import torch
    x, y = torch.tensor([float("nan"), 1.0]), torch.tensor([1.0, float("nan")])
    print(torch.equal(torch.sort(x).indices, torch.sort(y).indices))
"""


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("torch.sort: the result for NaN is position-dependent", SymptomKind.FALSE),
        ("torch.sort: NaN is inconsistent", SymptomKind.FALSE),
        ("torch.sort gives NaN", SymptomKind.NON_FINITE),
    ],
)
def test_where_results_differ_none_of_them_alone_tells(bench, read, title, kind):
    reading = read(title, ALONE, BOTH)
    found = verify(reading, bench.replays[0], bench.index.catalog, bench.target.info, runs=1)
    assert isinstance(found, Verified), found
    assert (found.case.api, found.case.symptom.kind) == ("torch.sort", kind)
    assert found.case.reproduces
