"""Layers as siblings of functions: they have the weights that the report gives the function."""

from textwrap import dedent

import pytest

from analysis.target.session import Limits
from citadel.judge.status import judge
from citadel.judge.values import judge_value
from citadel.model import VerdictKind
from citadel.propagate.candidates import candidates
from citadel.propagate.probe import ProbeOutcome, probe
from citadel.propagate.uses import Uses
from citadel.verify.reports import verify
from citadel.verify.verified import NotVerified

pytestmark = [pytest.mark.torch, pytest.mark.slow]

LIMITS = Limits(wall=20.0)
UNFIT = """
    import torch
    import torch.nn.functional as F
    w = torch.rand(2, 5, dtype=torch.float64)
    print(F.linear(torch.ones(3, 4).double(), w).shape)
"""
OUT_OF_RANGE = """
    import torch
    import torch.nn.functional as F
    print(F.embedding(torch.tensor([[1, 2, 11]]), torch.randn(10, 3), padding_idx=0))
"""
SLOPES = """
    import torch
    import torch.nn.functional as F
    x = torch.randn(2, 3, 4)
    slopes = torch.full((5,), 0.25)
    print(F.prelu(x, slopes))
"""
SHAPED = """
    import torch
    import torch.nn.functional as F
    x = torch.ones(3, 4)
    print(F.batch_norm(x, torch.zeros(4), torch.ones(4), torch.ones(4), training=False, eps="a"))
"""
POISONED = """
    import torch
    import torch.nn.functional as F
    x = torch.ones(1, 2, 5, 5)
    w = torch.full((3, 2, 3, 3), 0.5)
    w[0, 0, 0, 0] = float("nan")
    y = F.conv2d(x, w, torch.zeros(3), stride=2)
    print(torch.isnan(y).any())
"""
GRADIENTS = """
    import torch
    import torch.nn.functional as F
    x = torch.full((1, 2, 5, 5), 3e38)
    w = torch.full((3, 2, 3, 3), 0.5, requires_grad=True)
    F.conv2d(x, w, torch.zeros(3), stride=2).sum().backward()
    print(torch.isinf(w.grad).any())
"""


@pytest.fixture
def verified(bench, read):
    def make(code, text=""):
        catalog, info = bench.index.catalog, bench.target.info
        title = "It gives a wrong value" if text else "It raises an error"
        reading = read(title, dedent(code), text=text)
        found = verify(reading, bench.replays[0], catalog, info, runs=1, limits=LIMITS)
        assert not isinstance(found, NotVerified), found
        return found

    return make


@pytest.fixture
def first(bench):
    """The most plausible plan for a sibling, with its text and the candidate."""

    def find(verified, name):
        uses = Uses(verified, bench)
        entries = candidates(uses.invocation, bench)
        found, plans = next((c, plans) for c, plans in entries if c.api.name == name)
        return found, plans[0], next(uses.write(plans[0]))

    return find


@pytest.fixture
def judged(bench, first):
    """The verdict on the most plausible case of a sibling, by its values."""

    def judge(verified, name):
        candidate, plan, way = first(verified, name)
        return judge_value(
            way, plan, candidate.api, verified.witness, candidate.channels, bench.replays[0],
            bench.index.catalog, runs=1, limits=LIMITS,
        )  # fmt: skip

    return judge


@pytest.mark.parametrize(
    ("code", "sibling", "said"),
    [
        (UNFIT, "torch.nn.Linear", "torch.nn.Linear(5, 2, bias=False, dtype=torch.float64)"),
        (OUT_OF_RANGE, "torch.nn.Embedding", "torch.nn.Embedding(10, 3, padding_idx=0, _weight="),
        (SLOPES, "torch.nn.PReLU", "prelu.load_state_dict({'weight': slopes})"),
        (SHAPED, "torch.nn.BatchNorm1d", "eps=\"a\", bias=False).eval()"),
    ],
)  # fmt: skip
def test_a_layer_fails_as_its_function_does(bench, verified, first, code, sibling, said):
    found = verified(code)
    assert found.case.reproduces
    candidate, plan, way = first(found, sibling)
    assert said in way.code
    catalog, session = bench.index.catalog, bench.replays[0]
    given = {"close": True, "runs": 1, "limits": LIMITS}
    verdict = judge(way, plan, candidate.api, found, session, catalog, **given)
    assert verdict.kind is VerdictKind.BUG, verdict
    live = []
    probe(found, [plan], bench.probes[0], seconds=30.0, limits=LIMITS, on_attempt=live.append)
    assert [attempt.outcome for attempt in live] == [ProbeOutcome.HIT]


def test_a_layer_computes_with_the_weights_of_the_report(verified, judged):
    found = verified(POISONED, "`y` has NaN. Expected: no NaN, 9 everywhere")
    assert judged(found, "torch.nn.Conv2d").kind is VerdictKind.BUG


def test_gradients_of_weights_do_not_reach_those_of_a_layer(verified, judged):
    found = verified(GRADIENTS, "`w.grad` has infinities, but it should be finite.")
    assert judged(found, "torch.nn.Conv2d").kind is VerdictKind.NOT_ADAPTED


CHECKED = """
    import torch
    import torch.nn.functional as F
    x = torch.tensor([[1e3, 2.0]])
    w = torch.ones(2, requires_grad=True)
    torch.autograd.gradcheck(lambda w: F.layer_norm(x, (2,), w, None, 1e-5), (w,))
"""


def test_a_gradient_check_says_nothing_of_copies_of_weights(bench, verified, first):
    found = verified(CHECKED)
    candidate, plan, way = first(found, "torch.nn.LayerNorm")
    given = {"close": True, "runs": 1, "limits": LIMITS}
    catalog, session = bench.index.catalog, bench.replays[0]
    verdict = judge(way, plan, candidate.api, found, session, catalog, **given)
    assert verdict.kind is VerdictKind.NOT_ADAPTED
