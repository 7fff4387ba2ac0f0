"""Who might share the bug: every API that the failing call can be carried over to, best first."""

from __future__ import annotations

from citadel.match.rank import rank
from citadel.plan.adapt import plans
from citadel.plan.invocation import Invocation
from citadel.plan.model import Adaptation, Obstacle
from citadel.walk import Entry
from citadel.workbench import Workbench


def candidates(source: Invocation, bench: Workbench) -> list[Entry]:
    """All APIs of the build that have a plan, in ranking order, with their plans.

    How well an API takes the failing call's own arguments (the plausibility of its best plan) is
    one of the channels that ranking goes by.
    """
    planned: dict[str, tuple[Adaptation, ...]] = {}
    for api in bench.index.catalog.apis.values():
        if api.name != source.api.name:
            found = plans(source, api, bench.samples)
            if not isinstance(found, Obstacle):
                planned[api.name] = found
    compatible = {name: found[0].plausibility for name, found in planned.items()}
    ranked = rank(source.api, bench.index, compatible)
    return [(c, planned[c.api.name]) for c in ranked if c.api.name in planned]
