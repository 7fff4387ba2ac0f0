"""Every call of every report, rewritten to its own API, is the very text of the report."""

from pathlib import Path

import pytest

from analysis.errors import CitadelError
from analysis.target.instrument import instrument
from citadel.plan.adapt import plans
from citadel.plan.invocation import invocation
from citadel.plan.model import Obstacle
from citadel.rewrite.rewriter import Rewriter
from citadel.traced import resolve
from harvest.report.inputs import load
from harvest.report.understand import understand

pytestmark = pytest.mark.slow

REPORTS = Path(__file__).parents[2] / "data" / "reports"
LEAST = {"torch": 100, "tensorflow": 25}
"""Calls that must have been tried: the corpus is there, and its code runs."""


def snippets(framework):
    """The code of each report about a framework."""
    for file in sorted(REPORTS.glob("*/[0-9]*.json")):
        for report in load([str(file)]):
            for snippet in understand(report).candidates[:1]:
                if f"import {framework}" in snippet.code:
                    yield file.name, snippet.code


@pytest.mark.parametrize(
    ("framework", "fixture"),
    [
        pytest.param("torch", "torch_target", marks=pytest.mark.torch),
        pytest.param("tensorflow", "tf_target", marks=pytest.mark.tf),
    ],
)
def test_an_api_rewritten_to_itself(request, index_of, framework, fixture):
    target = request.getfixturevalue(fixture)
    catalog, wrong, tried = index_of(target).catalog, [], 0
    with target.session() as session:
        for name, code in snippets(framework):
            try:
                source = instrument(code)
            except CitadelError:
                continue
            calls = session.run(code, traced=source.traced).calls
            for call in {call.site: call for call in calls}.values():
                api = resolve(call, catalog)
                if api is None:
                    continue
                made = invocation(call, api, calls)
                planned = plans(made, api)
                assert not isinstance(planned, Obstacle)
                ways = list(Rewriter(source, made).write(planned[0]))
                tried += 1
                if [(way.code, way.edits) for way in ways] != [(code, ())]:
                    wrong.append((name, api.name))
    assert wrong == []
    assert tried >= LEAST[framework]
