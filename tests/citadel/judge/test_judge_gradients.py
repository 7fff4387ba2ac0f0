"""Siblings of reports that gradcheck fails, verified and replayed by real runs."""

from textwrap import dedent

import pytest

from analysis.target.session import Limits
from citadel.judge.status import judge
from citadel.model import VerdictKind
from citadel.plan.model import Adaptation, Form
from citadel.rewrite.rewriter import Rewritten
from citadel.verify.reports import verify

pytestmark = [pytest.mark.torch, pytest.mark.slow]

CHECK = """
    import torch
    x = torch.{}([3], dtype=torch.float64, requires_grad=True)
    torch.autograd.gradcheck(lambda x: {}, (x,))
"""
DIVIDED = ("full", "torch.div(x, 0)")
LEFT_OUT = ("ones", "torch.nn.functional.dropout(x, 0.5, True)")
AT_ZERO = ("zeros", "torch.nn.functional.relu(x)")


def code(made, call):
    return dedent(CHECK).format(made, call).replace("full([3]", "full([3], 2.0")


@pytest.fixture
def siblings_verdict(bench, read):
    def check(api, own, target, siblings):
        session, catalog = bench.replays[0], bench.index.catalog
        title = f"Gradcheck fails for {api}"
        text = "GradcheckError: Jacobian mismatch for output 0 with respect to input 0"
        report = read(title, code(*own), text=text)
        source = verify(report, session, catalog, bench.target.info, runs=1, limits=Limits())
        assert source.case.reproduces
        assert source.case.api == api
        found = catalog.resolve(target)
        plan = Adaptation(
            target=target,
            form=Form.FUNCTION,
            receiver=None,
            new=(),
            call=(),
            edits=(),
            plausibility=1.0,
        )
        written = Rewritten(code=code(*siblings), edits=(), sites={})
        kwargs = {"close": False, "runs": 1, "limits": Limits()}
        return judge(written, plan, found, source, session, catalog, **kwargs)

    return check


@pytest.mark.parametrize(
    ("target", "call", "kind"),
    [
        ("torch.true_divide", "torch.true_divide(x, 0)", VerdictKind.BUG),
        # NaN and one, where the report's are NaN and infinite.
        ("torch.fmod", "torch.fmod(x, 0)", VerdictKind.DIFFERENT),
    ],
)
def test_what_the_gradients_are_has_to_be_alike(siblings_verdict, target, call, kind):
    verdict = siblings_verdict("torch.div", DIVIDED, target, ("full", call))
    assert verdict.kind is kind


@pytest.mark.parametrize(
    ("own", "api", "target", "siblings", "kind"),
    [
        (AT_ZERO, "torch.nn.functional.relu", "torch.nn.functional.dropout", LEFT_OUT, False),
        (AT_ZERO, "torch.nn.functional.relu", "torch.clamp", ("zeros", "torch.clamp(x, 0)"), True),
        # A report about draws is another thing.
        (
            LEFT_OUT,
            "torch.nn.functional.dropout",
            "torch.nn.functional.alpha_dropout",
            ("ones", "torch.nn.functional.alpha_dropout(x, 0.5, True)"),
            True,
        ),
    ],
)
def test_random_numbers_are_no_wrong_gradient(siblings_verdict, own, api, target, siblings, kind):
    verdict = siblings_verdict(api, own, target, siblings)
    assert (verdict.kind is VerdictKind.BUG) == kind
    assert kind or verdict.reason == "it fails for the random numbers that the sibling draws"
