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
OF_NUMBERS = """
    import torch
    torch.log(torch.tensor([-1.0, 1.0]))
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
        ("torch.sort gives NaN", SymptomKind.FALSE),  # it was given NaN
    ],
)
def test_where_results_differ_none_of_them_alone_tells(bench, read, title, kind):
    found = verified(bench, read(title, ALONE, BOTH))
    assert (found.case.api, found.case.symptom.kind) == ("torch.sort", kind)


def test_nan_of_numbers_tells(bench, read):
    found = verified(bench, read("torch.log gives NaN", OF_NUMBERS, BOTH))
    assert (found.case.api, found.case.symptom.kind) == ("torch.log", SymptomKind.NON_FINITE)


def verified(bench, reading):
    found = verify(reading, bench.replays[0], bench.index.catalog, bench.target.info, runs=1)
    assert isinstance(found, Verified), found
    assert found.case.reproduces
    return found
