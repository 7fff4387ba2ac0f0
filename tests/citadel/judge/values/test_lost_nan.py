"""NaN that gets lost: what the case has put in itself is no symptom."""

import pytest

from citadel.model import SymptomKind, VerdictKind
from citadel.plan.model import Slot, Take

from .conftest import CONTEXT, FAR

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


DOCUMENTED = """
    import numpy as np
    import torch
    import torch.nn.functional as F

    def told(z, x):
        p = 1 / (1 + np.exp(-x))
        return np.where(z > 0, -np.log(p), -np.log(1 - np.minimum(p, 0.99)))

    x, z = torch.tensor([-float("inf"), -2.0, 3.0]), torch.tensor([0.0, 0.0, 1.0])
    loss = F.binary_cross_entropy_with_logits(x, z, reduction="none")
    np.testing.assert_allclose(loss.numpy(), told(z.double().numpy(), x.double().numpy()))
"""


def test_that_it_is_not_finite_is_wrong_of_what_has_no_such_reference(verified, judged):
    """The reference is of one function; what tends to a number is of all of them."""
    name = "torch.nn.functional.binary_cross_entropy_with_logits"
    found = verified(f"{name} gives NaN for masked logits", DOCUMENTED, "The loss is NaN.")
    assert (found.case.api, found.case.symptom.kind) == (name, SymptomKind.NON_FINITE)
    sibling = "multilabel_soft_margin_loss"
    code = DOCUMENTED.replace("binary_cross_entropy_with_logits", sibling)
    told = judged(found, code, f"torch.nn.functional.{sibling}")
    assert told.kind is VerdictKind.BUG
    assert "NaN at infinity, where it tends to something" in told.guards
    code = DOCUMENTED.replace("binary_cross_entropy_with_logits", "mse_loss")
    assert judged(found, code, "torch.nn.functional.mse_loss").kind is not VerdictKind.BUG


@pytest.mark.parametrize(("name", "wrong"), [("other", True), ("input", False)])
def test_zero_times_infinity_is_nan_of_all_that_multiplies(verified, judged, name, wrong):
    """What is not finite for the report has to be the same thing for a sibling."""
    found = verified("gives NaN for masked logits", DOCUMENTED, "The loss is NaN.")
    (logits,) = found.witness.infinite
    assert logits.name == "input"
    code = DOCUMENTED.replace('F.binary_cross_entropy_with_logits(x, z, reduction="none")', "x * z")
    call = (Slot(name=name, keyword=False, value=Take(key=logits.key, steps=())),)
    told = judged(found, code, "torch.Tensor.__mul__", CONTEXT, call=call)
    assert (told.reason == "what is not finite goes by another name") is wrong
