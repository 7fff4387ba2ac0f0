"""A case whose trace is made by hand, and its rewriter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import libcst as cst
import pytest

from analysis.catalog.model import Api
from analysis.target.instrument import Instrumented, instrument
from analysis.target.observation import Argument, Call
from citadel.plan.adapt import plans
from citadel.plan.invocation import Invocation, invocation
from citadel.plan.model import Adaptation, Obstacle
from citadel.rewrite.rewriter import Rewriter, Rewritten


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """`ways(target)` are all texts that the rewriter finds for the most plausible plan."""

    source: Instrumented
    invocation: Invocation

    def plan(self, target: Api) -> Adaptation:
        found = plans(self.invocation, target)
        assert not isinstance(found, Obstacle), found
        return found[0]

    def written(self, plan: Adaptation) -> Iterator[Rewritten]:
        return Rewriter(self.source, self.invocation).write(plan)

    def ways(self, target: Api) -> list[str]:
        return [way.code for way in self.written(self.plan(target))]


def site_of(source: Instrumented, text: str) -> int:
    """The site of the shortest node whose text begins thus."""
    bare = cst.Module(body=())
    bared = [
        node.with_changes(lpar=(), rpar=()) if isinstance(node, cst.BaseExpression) else node
        for node in source.nodes
    ]
    texts = [bare.code_for_node(node) for node in bared]
    sites = [site for site, found in enumerate(texts) if found.startswith(text)]
    assert sites, (text, texts)
    return min(sites, key=lambda site: len(texts[site]))


@pytest.fixture
def case() -> Callable[..., Case]:
    def make(
        code: str, api: Api, at: str, made: Call, *, built: tuple[str, Call] | None = None
    ) -> Case:
        """The call `made`, which begins with `at` in the text; `built` is its layer's."""
        source = instrument(code)
        failing = replace(made, site=site_of(source, at), number=2)
        calls = [failing]
        if built is not None:
            text, construction = built
            layer = Argument(value=made.receiver.value, id=1)
            failing = replace(failing, receiver=layer)
            construction = replace(construction, site=site_of(source, text), number=1, result=layer)
            calls = [construction, failing]
        return Case(source=source, invocation=invocation(failing, api, calls))

    return make
