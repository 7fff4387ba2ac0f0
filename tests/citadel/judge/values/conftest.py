"""Wrong values: reports verified on a real build, siblings judged there."""

from fractions import Fraction
from textwrap import dedent

import pytest

from analysis.target.session import Limits
from citadel.judge.values import judge_value
from citadel.model import Channels
from citadel.plan.model import Adaptation, Form
from citadel.rewrite.rewriter import Rewritten
from citadel.verify.reports import verify
from citadel.verify.verified import Verified

OVERFLOW = """
    import torch
    v = torch.full((4,), 1e20)
    n = torch.linalg.norm(v)
    print("finite:", torch.isfinite(n).item())
"""

TIES = """
    import torch

    def leaves():
        x = torch.tensor([-2., -1., 0., 1., 2.], requires_grad=True)
        return x, torch.full((5,), -1.), torch.full((5,), 1.)

    x1, lo, hi = leaves()
    torch.clamp(x1, lo, hi).sum().backward()
    x2, lo, hi = leaves()
    torch.min(torch.max(x2, lo), hi).sum().backward()
    assert torch.equal(x1.grad, x2.grad)
"""

EMPTY = """
    import torch
    nothing = torch.empty(0, dtype=torch.int32)
    print("median:", torch.median(nothing).item())
"""

NEAR, FAR = Channels(context=Fraction(9, 10), signature=0.9), Channels()

CONTEXT = Channels(context=Fraction(9, 10), signature=0.1)
OF_ITS_KIND = Channels(context=Fraction(1, 2), peers=True)


@pytest.fixture
def verified(bench, read):
    def check(title, code, text=""):
        found = verify(
            read(title, code, text=text),
            bench.replays[0],
            bench.index.catalog,
            bench.target.info,
            runs=2,
            limits=Limits(wall=20.0),
        )
        assert isinstance(found, Verified), found
        return found

    return check


@pytest.fixture
def judged(bench):
    def check(
        found,
        code,
        target,
        channels=NEAR,
        *,
        filled=False,
        idle=False,
        loses=False,
        references=False,
        astray=(),
        scant=False,
        call=(),
    ):
        api = bench.index.catalog.resolve(target)
        plan = Adaptation(
            target=target,
            form=Form.FUNCTION,
            receiver=None,
            new=(),
            call=call,
            edits=(),
            plausibility=1.0,
            invented=() if not filled else ("min" if filled is True else filled,),
            idle=idle,
            loses=loses,
            astray=astray,
            scant=scant,
        )
        return judge_value(
            Rewritten(
                code=dedent(code),
                edits=(),
                sites={n: n for n in range(40)},
                references=references,
            ),
            plan,
            api,
            found.witness,
            channels,
            bench.replays[0],
            bench.index.catalog,
            runs=3,
            limits=Limits(wall=20.0),
        )

    return check
