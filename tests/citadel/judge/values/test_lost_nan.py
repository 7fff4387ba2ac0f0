"""NaN that gets lost: what the case has put in itself is no symptom."""

import pytest

from citadel.model import SymptomKind, VerdictKind

from .conftest import FAR

pytestmark = [pytest.mark.torch, pytest.mark.slow]

LOST = """
    import numpy as np
    import torch

    step = torch.tensor([0.7, float("nan"), -1.2, 0.0, 2.0])
    way = torch.sign(step)
    print("given:", step.isnan().any())
    print(way)
    print("kept:", 3)
    print(np.sign(step.numpy()))
"""


@pytest.fixture
def lost(verified):
    found = verified("torch.sign swallows NaN", LOST, "NumPy keeps it.")
    assert found.case.api == "torch.sign"
    return found


def test_nan_of_an_input_is_not_what_is_wrong(lost):
    assert lost.case.symptom.kind is SymptomKind.DISAGREES
    assert lost.case.symptom.where == "way"  # and not the number that stands between the two


@pytest.mark.parametrize(
    ("sibling", "kind"),
    [
        ("torch.sgn", VerdictKind.BUG),
        ("torch.zeros_like", VerdictKind.NOT_ADAPTED),
        ("torch.ceil", VerdictKind.NOT_ADAPTED),
    ],
)
def test_who_is_right_elsewhere_and_loses_nan_is_the_same_function(lost, judged, sibling, kind):
    assert judged(lost, LOST.replace("torch.sign", sibling), sibling, FAR).kind is kind


def test_nan_that_an_api_makes_of_numbers_is_what_is_wrong(verified):
    code = """
        import torch
        x = torch.tensor([0.0, 1.0])
        y = torch.log(x - x) * 0
        print("any:", y.isnan().any())
    """
    found = verified("log gives nan", code, "It should not be NaN.")
    assert (found.case.symptom.kind, found.case.symptom.where) == (
        SymptomKind.FALSE,
        "y.isnan().any()",
    )
