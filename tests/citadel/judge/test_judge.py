"""Verdicts on generated cases, by real replays."""

from dataclasses import replace
from textwrap import dedent

import pytest

from analysis.target.session import Limits
from citadel.judge.status import THROUGH, judge, made_up
from citadel.judge.verdicts import shaping, shown_in
from citadel.model import Symptom, SymptomKind, VerdictKind
from citadel.oracle import status
from citadel.plan.model import Adaptation, Fill, Form, Slot, Take
from citadel.rewrite.rewriter import Rewritten


def plan(target, *, invented=(), plausibility=1.0, call=(), edits=()):
    return Adaptation(
        target=target,
        form=Form.FUNCTION,
        receiver=None,
        new=(),
        call=call,
        edits=edits,
        plausibility=plausibility,
        invented=invented,
    )


@pytest.mark.parametrize(
    ("hits", "source", "kind"),
    [
        (3, (3, 3), VerdictKind.BUG),
        (2, (3, 3), VerdictKind.FLAKY),
        (2, (2, 3), VerdictKind.BUG),
        (1, (2, 3), VerdictKind.FLAKY),
        (3, (0, 3), VerdictKind.BUG),
        (2, (0, 3), VerdictKind.FLAKY),
    ],
)
def test_a_sibling_no_flakier_than_its_source_is_no_less_a_finding(hits, source, kind):
    """What the source no longer shows here says nothing of how often it would."""
    assert shown_in(hits, 3, source) is kind


def test_a_receiver_that_is_filled_is_made_up():
    filled = replace(plan("torch.Tensor.f"), receiver=Fill(text="torch.ones([3])"))
    assert made_up(filled) == ("self",)
    assert made_up(replace(filled, receiver=Take(key="arg:0"))) == ()


GROUPS = status.raises("RuntimeError", "non-positive groups is not supported")
SHAPES = status.raises("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)")
CONV3D = """
    import torch
    import torch.nn.functional as F
    F.conv3d(torch.rand(1, 4, 8, 8, 1), torch.rand(4, 4, 3, 3, 1), groups=0)
"""
MATMUL = "import torch\nx = torch.rand(2, 3)\ntorch.matmul(x, x)\n"


@pytest.fixture
def judged(bench, by_hand, call):
    def check(code, target, wanted, *, close=True, wall=20.0, result=..., **fields):
        api = bench.index.catalog.resolve(target)
        assert api is not None
        return judge(
            Rewritten(code=dedent(code), edits=(), sites={}),
            plan(api.name, **fields),
            api,
            by_hand(call("torch.nn.functional.conv2d", result=result), wanted),
            bench.replays[0],
            bench.index.catalog,
            close=close,
            runs=3,
            limits=Limits(wall=wall),
        )

    return check


def on_torch(test):
    return pytest.mark.torch(pytest.mark.slow(test))


@on_torch
def test_the_same_symptom_in_every_run_is_a_bug(judged):
    verdict = judged(CONV3D, "torch.nn.functional.conv3d", GROUPS)
    assert (verdict.kind, verdict.runs, verdict.confidence) == (VerdictKind.BUG, (3, 3), 1.0)
    assert verdict.guards == (
        "the failure is the sibling's own",
        "the same kind of failure, in the same words",
        "shown in 3 of 3 runs with seeds of their own",
    )
    assert verdict.symptom == GROUPS


@on_torch
@pytest.mark.parametrize(
    ("code", "target", "wanted", "kind"),
    [
        (MATMUL, "torch.matmul", status.crashes("SIGSEGV"), VerdictKind.REFUSED),
        (MATMUL, "torch.matmul", GROUPS, VerdictKind.DIFFERENT),
        ("import torch\ntorch.exp(torch.ones(3))\n", "torch.exp", GROUPS, VerdictKind.CLEAN),
        ("import torch\ntorch.exp(1, 2)\n", "torch.exp", GROUPS, VerdictKind.NOT_ADAPTED),
        ("import torch\nraise SystemExit(3)\n", "torch.exp", GROUPS, VerdictKind.NOT_ADAPTED),
        ("import torch\nif True\n", "torch.exp", GROUPS, VerdictKind.NOT_ADAPTED),
    ],
)
def test_other_ends(judged, code, target, wanted, kind):
    verdict = judged(code, target, wanted)
    assert verdict.kind is kind
    assert verdict.confidence == 0.0
    assert verdict.guards == ((THROUGH,) if kind is VerdictKind.CLEAN else ())


@on_torch
def test_another_calls_failure_is_not_the_siblings(judged):
    code = """
        import torch
        import torch.nn.functional as F
        F.conv2d(torch.rand(1, 4, 8, 8), torch.rand(4, 4, 3, 3), groups=0)
        F.conv3d(torch.rand(1, 4, 8, 8, 8), torch.rand(4, 4, 3, 3, 3))
    """
    verdict = judged(code, "torch.nn.functional.conv3d", GROUPS)
    assert verdict.kind is VerdictKind.NOT_ADAPTED
    assert "another call" in verdict.reason


@on_torch
@pytest.mark.parametrize(("close", "kind"), [(True, "bug"), (False, "not_adapted")])
def test_what_returns_nothing_need_not_have_the_bug(judged, bench, close, kind):
    code = "import torch\nx = torch._assert_async(torch.ones(1))\ntorch.exp(x)\n"
    wanted = status.capture(bench.replays[0].run(code))
    verdict = judged(code, "torch._assert_async", wanted, close=close)
    assert verdict.kind == kind


@on_torch
def test_a_complaint_that_a_filled_tensor_may_have_caused_is_no_finding(judged):
    verdict = judged(MATMUL, "torch.matmul", SHAPES, invented=("other",))
    assert verdict.kind is VerdictKind.NOT_ADAPTED
    assert "other" in verdict.reason
    assert judged(MATMUL, "torch.matmul", SHAPES).kind is VerdictKind.BUG


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("value", "3", ()),
        ("value", "3.5", ()),
        ("padding", "3", ("padding",)),
        ("mode", "'reflect'", ()),
        ("equation", "'ij,jk'", ("equation",)),
    ],
)
def test_a_number_for_a_fraction_brings_about_no_complaint_about_shapes(api, name, text, told):
    target = api("torch.nn.ConstantPad1d", "padding: int, value: float")
    slots = (Slot(name=name, keyword=False, value=Fill(text=text)),)
    assert shaping(plan("torch.nn.ConstantPad1d", call=slots), target) == told


@on_torch
@pytest.mark.parametrize(("name", "kind"), [("value", "bug"), ("padding", "not_adapted")])
def test_a_complaint_that_a_filled_number_may_have_caused_is_no_finding(judged, name, kind):
    code = "import torch\ntorch.nn.ConstantPad1d((-2, -2), 3)(torch.ones(1, 1, 3))\n"
    wanted = status.raises("RuntimeError", "narrow(): length must be non-negative.")
    slots = (Slot(name=name, keyword=False, value=Fill(text="3")),)
    assert judged(code, "torch.nn.ConstantPad1d", wanted, call=slots).kind == kind


BEYOND = """
    import torch
    y = torch.ones(3).as_strided_([2], [1], 2305878193585782784)
    print(y)
"""


@on_torch
@pytest.mark.parametrize(("result", "kind"), [(..., "bug"), (1.0, "not_adapted")])
def test_a_stranger_that_fails_where_the_reports_call_returns_is_no_finding(judged, result, kind):
    slots = tuple(Slot(name=name, keyword=False, value=Take(key=name)) for name in ("a", "b"))
    verdict = judged(
        CONV3D,
        "torch.nn.functional.conv3d",
        GROUPS,
        close=False,
        result=result,
        call=slots,
        invented=("groups",),
        edits=("filled groups", "dropped c"),
    )
    assert verdict.kind == kind


@on_torch
@pytest.mark.parametrize(("close", "kind"), [(True, "bug"), (False, "not_adapted")])
def test_a_crash_of_another_call_altogether_is_no_finding(judged, close, kind):
    slots = tuple(Slot(name=name, keyword=False, value=Take(key=name)) for name in ("a", "b"))
    verdict = judged(
        BEYOND,
        "torch.Tensor.as_strided_",
        status.crashes("SIGSEGV"),
        close=close,
        call=slots,
        invented=("size",),
        edits=("filled size", "dropped c"),
    )
    assert verdict.kind == kind


@on_torch
@pytest.mark.parametrize(
    ("words", "alone"),
    [("", 1), ("free(): invalid pointer", 1), ("a.cc:1] Check failed: d < dims() (4 vs. 4)", 0)],
)
def test_a_crash_that_names_no_check_is_tried_in_an_interpreter_of_its_own(
    judged, bench, monkeypatch, words, alone
):
    run, entries = bench.replays[0].run, []

    def noted(*given, entry="case:run", **more):
        entries.append(entry)
        return run(*given, entry=entry, **more)

    monkeypatch.setattr(bench.replays[0], "run", noted)
    code = BEYOND.replace("y = ", f"import os\n    os.write(2, b{words!r} + b'\\n')\n    y = ")
    verdict = judged(code, "torch.Tensor.as_strided_", status.crashes("SIGSEGV"))
    assert (verdict.kind, verdict.runs) == (VerdictKind.BUG, (3, 3))
    assert entries.count("cold:run") == alone


@on_torch
def test_a_failing_unsqueeze_of_ours_is_no_finding(judged, bench):
    head = "import torch\nx = torch.eye(4).to_sparse_csr()\n"
    wanted = status.capture(bench.replays[0].run(head + "x.unsqueeze(-1)\n"))
    assert wanted is not None
    verdict = judged(f"{head}torch.exp(x.unsqueeze(-1))\n", "torch.exp", wanted)
    assert verdict.kind is VerdictKind.NOT_ADAPTED


@on_torch
def test_what_shows_only_sometimes_is_flaky(judged):
    """The runs are seeded: 0 and 2 draw more than a half, 1 less."""
    code = """
        import random
        import torch
        groups = 0 if random.random() > 0.5 else 1
        torch.conv3d(torch.rand(1, 4, 8, 8, 8), torch.rand(4, 4, 3, 3, 3), groups=groups)
    """
    verdict = judged(code, "torch.nn.functional.conv3d", GROUPS)
    assert (verdict.kind, verdict.runs) == (VerdictKind.FLAKY, (2, 3))


SLOW = """
    import time
    import torch
    from torch.utils.checkpoint import checkpoint

    def slow(x):
        time.sleep(SECONDS)
        return x

    checkpoint(slow, torch.ones(2), use_reentrant=False)
"""


@on_torch
@pytest.mark.parametrize(("seconds", "kind"), [(2, VerdictKind.CLEAN), (60, VerdictKind.BUG)])
def test_what_takes_long_and_ends_does_not_hang(judged, monkeypatch, seconds, kind):
    monkeypatch.setattr(status, "HANGS_AGAIN", 1.0)
    code = SLOW.replace("SECONDS", str(seconds))
    wanted = Symptom(kind=SymptomKind.HANGS)
    assert judged(code, "torch.utils.checkpoint.checkpoint", wanted, wall=6.0).kind is kind


SPARSE = "import torch\nx = torch.eye(2).to_sparse()\ntorch.{}\n"


@on_torch
@pytest.mark.parametrize(
    ("made", "kind"),
    [
        ("nn.functional.hardswish(x)", VerdictKind.BUG),
        ("ops.quantized.relu6(x)", VerdictKind.NEEDS),
    ],
)
def test_an_operator_of_another_library_has_kernels_for_its_own_tensors_alone(
    judged, bench, made, kind
):
    wanted = status.capture(bench.replays[0].run(SPARSE.format("nn.functional.elu(x)")))
    assert status.library(wanted) == "aten"
    name = f"torch.{made.partition('(')[0]}"
    assert judged(SPARSE.format(made), name, wanted).kind is kind
