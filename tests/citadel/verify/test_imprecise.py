"""Reports without a word of what is wrong: double precision, or what their code measures, tells."""

import pytest

from citadel.model import BugKind, SymptomKind
from citadel.verify.verified import NotVerified, Verified

pytestmark = [pytest.mark.torch, pytest.mark.slow]
COUNT = """
    import torch
    for n in (100, 1000):
        ones = torch.ones(n, dtype=torch.{dtype})
        total = torch.zeros(1, dtype=torch.{dtype}).index_add(0, torch.zeros(n).long(), ones)
        print(n, float(total[0]))
"""
DRAWN = """
    import torch
    torch.manual_seed(0)
    print(torch.nn.functional.dropout(torch.ones(8, dtype=torch.bfloat16)).sum())
"""
ROUNDED = """
    import torch
    x = torch.linspace(0, 1, 1001).half()
    print(float(torch.mean(torch.exp(x))))
"""
CANCELLED = """
    import torch
    x = torch.tensor([16777216.0, -16777216.0, 1.0])
    print(torch.sum(x * 1.1))
"""
THROWN = """
    import time
    import numpy as np
    import torch
    for n in (10_000, 2_000_000):
        dice = torch.distributions.Multinomial(n, probs=torch.ones(6) / 6)
        start = time.perf_counter()
        dice.sample()
        between = time.perf_counter()
        np.random.multinomial(n, [1 / 6] * 6)
        print(n, "torch", between - start, "numpy", time.perf_counter() - between)
"""


def test_another_value_in_double_precision_is_the_bug(verified):
    found = verified("Counts of a histogram in bf16", COUNT.format(dtype="bfloat16"))
    assert isinstance(found, Verified), found
    case = found.case
    assert (case.api, case.kind, case.reproduces) == (
        "torch.Tensor.index_add",
        BugKind.VALUE,
        True,
    )
    assert case.symptom.kind is SymptomKind.DISAGREES
    assert case.doubts == ("nothing says that what it shows is wrong",)


@pytest.mark.parametrize("code", [COUNT.format(dtype="float32"), DRAWN, ROUNDED, CANCELLED])
def test_random_numbers_and_rounding_are_none(verified, code):
    assert isinstance(verified("A question about these numbers", code), NotVerified)


def test_code_that_measures_is_about_what_it_measures(verified):
    found = verified("Drawing counts of a Multinomial", THROWN)
    assert isinstance(found, Verified), found
    assert (found.api.name, found.case.kind) == (
        "torch.distributions.Multinomial",
        BugKind.PERFORMANCE,
    )
    assert found.case.reproduces
