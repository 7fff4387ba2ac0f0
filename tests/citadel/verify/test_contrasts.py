"""Of two calls or values in a report, the one that it is about: the other is what it should be."""

import pytest

from analysis.target.session import Limits
from citadel.model import BugKind, SymptomKind
from citadel.verify.reports import verify
from citadel.verify.verified import Verified

pytestmark = [pytest.mark.slow, pytest.mark.torch]

DIVERGENCE = """\
import torch
from torch.distributions import Poisson, kl_divergence

p, q = Poisson(torch.tensor([0.0, 2.0])), Poisson(torch.tensor([1.0, 1.0]))
out = kl_divergence(p, q)
ref = torch.xlogy(p.rate, p.rate / q.rate) - p.rate + q.rate
print(out, ref)
assert torch.allclose(out, ref)
"""
SOFT = """\
import torch

x = torch.tensor([1.0, 2.0])
def soft(t, dim):
    return torch.softmax(x / t, dim)
"""
TWO_LOSSES = """\
import torch
import torch.nn.functional as F

x = torch.zeros(4, 3)
print(float(F.huber_loss(x, x, delta=1e30)))
try:
    F.nll_loss(x, torch.full((4,), 9))
except IndexError as error:
    print(error)
"""
STORY = """\
import time
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

class Windows(Dataset):
    def __init__(self, stacked):
        self.rows = [np.random.rand(1000) for _ in range(100)]
        self.stacked = stacked

    def __len__(self):
        return 8

    def __getitem__(self, i):
        return torch.tensor(np.array(self.rows) if self.stacked else self.rows)

def epoch(stacked):
    loader = DataLoader(Windows(stacked), batch_size=4)
    started = time.perf_counter()
    for batch in loader:
        pass
    return time.perf_counter() - started

epoch(True)
slow, fast = epoch(False), epoch(True)
print("ratio %.0f" % (slow / fast))
"""


@pytest.fixture
def verified(bench, read):
    def check(title, *snippets, text=""):
        found = verify(
            read(title, *snippets, text=text),
            bench.replays[0],
            bench.catalog,
            bench.target.info,
            runs=2,
            limits=Limits(wall=60.0),
        )
        assert isinstance(found, Verified), found
        return found

    return check


def test_who_makes_the_finite_one_of_two_values_is_the_reference(verified):
    found = verified("KL of two Poisson distributions is NaN for a rate of zero", DIVERGENCE)
    assert found.case.api == "torch.distributions.kl_divergence"
    assert found.case.reproduces


def test_what_takes_the_time_is_to_blame_where_the_report_does_not_name_what_is_used(verified):
    text = "It is `torch.tensor(rows)` that needs 95 % of the time, a ratio of 37."
    found = verified("Very slow dataset", STORY, text=text)
    assert (found.case.api, found.case.kind) == ("torch.tensor", BugKind.PERFORMANCE)
    assert found.case.reproduces


def test_a_call_that_raises_is_not_the_one_that_accepts(verified):
    text = (
        "There is no error for a delta of 1e30. Expected is a check like that of `nll_loss`, which "
        "raises for a target that is out of bounds."
    )
    found = verified("huber loss accepts a delta that makes no sense", TWO_LOSSES, text=text)
    assert found.case.symptom.kind is SymptomKind.ACCEPTS
    assert found.call.result is not None
    assert found.case.api == "torch.nn.functional.huber_loss"


def test_what_fails_as_it_should_beside_what_is_accepted_is_the_contrast(verified):
    pasted = "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 9)"
    found = verified(
        "softmax accepts a negative temperature silently, wrong probabilities",
        SOFT,
        "soft(2.0, 9)",
        "print(soft(-1.0, 0))",
        text="Dimensions out of range raise, as they should. A temperature should, too."
        f"\n```\n{pasted}\n```\n",
    )
    assert found.case.symptom.kind is SymptomKind.ACCEPTS
    assert "soft(-1.0, 0)" in found.case.code
