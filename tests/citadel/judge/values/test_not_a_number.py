"""NaN where the report compares with something finite: a sibling is judged by its own NaN."""

import pytest

from citadel.model import SymptomKind, VerdictKind
from citadel.plan.model import Slot, Take

from .conftest import CONTEXT, FAR, NEAR, OF_ITS_KIND

pytestmark = [pytest.mark.torch, pytest.mark.slow]

MASKED = """
    import torch
    wanted = torch.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    scores = torch.tensor([[2.0, 1.0, -torch.inf], [2.0, 1.0, 0.5]])
    dense = torch.nn.functional.cross_entropy(scores, wanted, reduction="none")
    logs = torch.log_softmax(scores, 1)
    same = torch.nn.functional.nll_loss(logs, torch.tensor([1, 0]), reduction="none")
    print("dense ", dense)
    print("sparse", same)
"""
TITLE = "cross_entropy is nan for probabilities of 0 where the scores are -inf"
TEXT = "dense  tensor([nan, 0.4644])\nsparse tensor([1.3133, 0.4644])"
ONE = 'torch.nn.functional.cross_entropy(scores, wanted, reduction="none")'


def rewritten(call):
    code = MASKED.replace(ONE, call)
    assert code != MASKED
    return code


@pytest.fixture
def found(verified):
    found = verified(TITLE, MASKED, TEXT)
    assert found.case.api == "torch.nn.functional.cross_entropy"
    return found


def test_the_value_is_nan_whatever_it_is_compared_with(found):
    symptom = found.case.symptom
    assert symptom.kind is SymptomKind.NON_FINITE
    assert symptom.where == "dense"
    assert symptom.expected.startswith("as same, [1.31326, 0.464369]")


@pytest.mark.parametrize(
    ("target", "call", "kind"),
    [
        # Another shape than that of the reference.
        (
            "torch.nn.CrossEntropyLoss",
            "torch.nn.CrossEntropyLoss(reduction='mean')(scores, wanted)",
            VerdictKind.BUG,
        ),
        ("torch.add", "torch.add(scores.nan_to_num(), wanted)", VerdictKind.CLEAN),
    ],
)
def test_a_sibling_need_not_come_to_a_result_of_that_shape(found, judged, target, call, kind):
    assert judged(found, rewritten(call), target).kind is kind


GIVEN = tuple(
    Slot(name=name, keyword=False, value=Take(key=f"arg:{n}"))
    for n, name in enumerate(("input", "other"))
)


@pytest.mark.parametrize(
    ("channels", "kind"), [(FAR, VerdictKind.NOT_ADAPTED), (NEAR, VerdictKind.BUG)]
)
def test_every_function_has_an_input_and_zero_times_infinity_is_nan(found, judged, channels, kind):
    assert [one.operand for one in found.witness.infinite] == [True]
    code = rewritten("torch.mul(scores, wanted)")
    verdict = judged(found, code, "torch.mul", channels, call=GIVEN)
    assert verdict.kind is kind
    if kind is VerdictKind.NOT_ADAPTED:
        assert verdict.reason == "what is not finite goes by another name"


QUANTILES = """
    import torch
    from torch.distributions import Cauchy
    q = torch.tensor([1.2, -0.1])
    x = Cauchy(torch.tensor(0.0), torch.tensor(1.0)).icdf(q)
    assert not torch.isfinite(x).any(), "a quantile for what is no probability"
"""


@pytest.mark.parametrize(
    ("made", "channels", "kind"),
    [
        ("Exponential(torch.tensor(1.0))", OF_ITS_KIND, VerdictKind.BUG),  # NaN and a number
        ("Normal(torch.tensor(0.0), torch.tensor(1.0))", OF_ITS_KIND, VerdictKind.CLEAN),
        ("Exponential(torch.tensor(1.0))", CONTEXT, VerdictKind.NOT_ADAPTED),
    ],
)
def test_what_should_be_no_number_of_an_object_is_that_of_its_kind(
    verified, judged, made, channels, kind
):
    """Be it made of other things than the report's, as its own examples are."""
    found = verified("Cauchy.icdf gives finite quantiles outside of [0, 1]", QUANTILES)
    name = made.partition("(")[0]
    code = QUANTILES.replace("Cauchy(torch.tensor(0.0), torch.tensor(1.0))", made)
    code = code.replace("import Cauchy", f"import {name}")
    verdict = judged(
        found, code, f"torch.distributions.{name}", channels, idle=True, loses=True, scant=True
    )
    assert verdict.kind is kind
