"""Ways in which a report may use an API: each file of this folder holds a table of them, `USES`.

A use is a dictionary: the report's `code`, the call `at` which it fails, that call as the trace
has it (`form`, `args`, `kwargs`, `receiver`; the construction of its layer, `built`), and `to`: for
each sibling the lines that the rewriting exchanges, (before, after). `raised` is what the report
records where the code itself catches the exception. Each use is tested on a trace made by hand, and
slowly on a real one, where the rewritten case must show the report's bug.
"""

import difflib
from textwrap import dedent

import pytest

from analysis.catalog.model import ApiKind
from analysis.target.instrument import instrument
from analysis.target.session import Limits
from analysis.values import Value
from citadel.judge.status import judge
from citadel.model import VerdictKind
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Obstacle
from citadel.rewrite.rewriter import Rewriter
from citadel.verify.reports import verify
from citadel.verify.verified import NotVerified

CONV = "input: Tensor, weight: Tensor, bias: Tensor? = None, stride: int[{n}] = 1, "
FUNCTIONS = {
    "conv": CONV + "padding: int[{n}] = 0, dilation: int[{n}] = 1, groups: int = 1",
    "conv_transpose": CONV + "padding: int[{n}] = 0, output_padding: int[{n}] = 0, groups: int = 1,"
    " dilation: int[{n}] = 1",
    "avg_pool": "input: Tensor, kernel_size: int[{n}], stride: int[{n}] = None",
    "max_pool": "input: Tensor, kernel_size: int[{n}], stride: int[{n}] = None",
    "softmax": "input: Tensor, dim: int",
    "linear": "input: Tensor, weight: Tensor, bias: Tensor? = None",
    **dict.fromkeys(("ones", "rand"), "size: int[], *, dtype: ScalarType? = None"),
}
LAYERS = {
    "Conv": "in_channels: int, out_channels: int, kernel_size: int[{n}], groups: int = 1",
    "ConvTranspose": "in_channels: int, out_channels: int, kernel_size: int[{n}], groups: int = 1",
    "AvgPool": "kernel_size: int[{n}], stride: int[{n}] = None, padding: int[{n}] = 0",
    "MaxPool": "kernel_size: int[{n}], stride: int[{n}] = None, padding: int[{n}] = 0",
    "Softmax": "dim: int",
    "Linear": "in_features: int, out_features: int, bias: bool = True",
}
CALLS = {
    "torch.nn.functional.conv2d": ([{(1, 4, 8, 8)}, {(4, 4, 3, 3)}], {"groups": 0}),
    "torch.floor": ([{(2,)}], {}),
    "torch.nn.MaxPool2d": ([{(1, 4, 8, 8)}], {}),
    "torch.nn.AvgPool2d": ([{(1, 4, 8, 8)}], {}),
}
"""How the failing call was made where a use does not say it."""
PLAIN = {
    **dict.fromkeys(("ceil", "ceil_", "floor", "floor_", "trunc_", "relu", "sigmoid"), ""),
    **dict.fromkeys(("igamma", "igammac", "gammainc", "sub", "sub_"), "other: Tensor"),
    **dict.fromkeys(("subtract", "subtract_", "matmul"), "other: Tensor"),
    **dict.fromkeys(("cumsum", "cumprod"), "dim: int"),
    **dict.fromkeys(("fmod", "__floordiv__"), "other: Scalar"),
    **dict.fromkeys(("view", "reshape"), "size: int[]"),
    "mm": "mat2: Tensor",
}


@pytest.fixture
def known(api):
    """name -> the API with its signature, by the families above."""

    def make(name):
        owner, _, leaf = name.rpartition(".")
        family = leaf[:-2] if leaf[-2:] in ("1d", "2d", "3d") else leaf
        n = leaf[-2:-1] if family != leaf else ""
        if family in LAYERS and owner == "torch.nn":
            signature = LAYERS[family].format(n=n)
            return api(name, signature, kind=ApiKind.MODULE, call="input: Tensor")
        if family in FUNCTIONS:
            signature = FUNCTIONS[family].format(n=n)
            return api(name, signature, kind=ApiKind.OP if ".ops." in name else ApiKind.FUNCTION)
        method = owner == "torch.Tensor"
        first = "self: Tensor" if method else "input: Tensor"
        signature = ", ".join(filter(None, (first, PLAIN[leaf])))
        return api(name, signature, kind=ApiKind.METHOD if method else ApiKind.FUNCTION)

    return make


def rewritten(code, exchanged):
    """The code with lines exchanged."""
    for before, after in exchanged:
        found = [f"{line}\n" for line in before.split("\n")] if before else []
        assert code.count("".join(found)) == 1, before
        code = code.replace("".join(found), f"{after}\n" if after else "")
    return code


def differing(one, other):
    return "".join(difflib.unified_diff(one.splitlines(True), other.splitlines(True), n=0))


@pytest.fixture
def check_text(case, call, known):
    """Rewrites a use from a trace made by hand."""

    def check(code, at, api, to, *, form="function", receiver=None, built=None, **given):
        code = dedent(code).lstrip()
        args, kwargs = CALLS.get(api, ((), {}))
        if "args" in given:
            args, kwargs = given["args"], given.get("kwargs", {})
        if built is not None:
            receiver = Value(kind="module", text=api)
            text, *values = built
            keywords = values.pop() if values and isinstance(values[-1], dict) else {}
            built = (text, call(api, *values, form="class", **keywords))
        made = call(api, *args, form=form, receiver=receiver, **kwargs)
        one = case(code, known(api), at, made, built=built)
        own = next(one.written(one.plan(one.invocation.api)))
        assert differing(code, own.code) == ""
        for target, exchanged in to.items():
            way = one.ways(known(target))[0]
            assert differing(rewritten(code, exchanged), way) == ""
            instrument(way)

    return check


@pytest.fixture
def check_replay(bench, read):
    """Verifies, blames, rewrites and judges a use, as a triage does."""

    def check(code, at, api, to, *, raised=None, **given):
        code = dedent(code).lstrip()
        catalog, session = bench.index.catalog, bench.replays[0]
        text = "" if raised is None else f"```\n{raised}\n```\n"
        reading = read("It fails", code, text=text)
        found = verify(reading, session, catalog, bench.target.info, runs=1)
        assert not isinstance(found, NotVerified), found.reason
        assert found.api.name == api
        assert found.call.form == given.get("form", "function")
        node = found.source.module.code_for_node(found.source.nodes[found.call.site])
        assert node.startswith(at) or node.startswith(f"({at}")
        source = invocation(found.call, found.api, found.observation.calls)
        for target, exchanged in to.items():
            sibling = catalog.resolve(target)
            planned = plans(source, sibling, bench.samples)
            assert not isinstance(planned, Obstacle)
            way = next(iter(Rewriter(found.source, source).write(planned[0])))
            assert differing(rewritten(found.case.code, exchanged), way.code) == ""
            verdict = judge(
                way,
                planned[0],
                sibling,
                found,
                session,
                catalog,
                close=True,
                runs=1,
                limits=Limits(),
            )
            assert verdict.kind is VerdictKind.BUG, (target, verdict)

    return check
