"""EAGLE and the compilers of PyTorch: what goes wrong where it is compiled is found."""

import ast

import pytest

from tests.harvest.sources.eagle.test_eagle_torch import FEW, HELPERS

pytestmark = [pytest.mark.torch, pytest.mark.slow]

WRONG = """
eagle_generic_torch.infos_by_name = lambda: {
    name: infos for name, infos in found().items() if name in ("torch.sin", "torch.cos")
}
def wrong(f, function, **more):
    made = f(function, **more)
    return (lambda x: made(x) + 1) if "sin" in function.__code__.co_names else made
plant(torch, "compile", wrong)
"""


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_what_is_wrong_where_it_is_compiled_is_found(torch_target, backend):
    planted = FEW + HELPERS + WRONG
    arguments = {"plan": backend, "draw": 0, "seconds": 200.0, "planted": planted}
    with torch_target.session() as session:
        outcome = session.task("eagle_run:search", arguments, wall=400)
    assert outcome.records[-1] == {"done": "all"}, outcome
    told = [record["finding"] for record in outcome.records if "finding" in record]
    covered = [one[:2] for record in outcome.records for one in record.get("covered", ())]
    assert sorted(set(map(tuple, covered))) == [("1", backend)]
    assert [(one["rule"], one["api"], one["limit"]) for one in told] == [("1", "torch.sin", "")]
    assert f'torch.compile(function, backend="{backend}")' in told[0]["result"]
    ast.parse(told[0]["setup"] + told[0]["result"])
