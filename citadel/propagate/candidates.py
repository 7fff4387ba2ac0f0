"""Who might share the bug: every API that the failing call can be carried over to, best first."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from citadel.match.mode import Mode
from citadel.match.pairs import PAPER_CONTEXT
from citadel.match.rank import rank, rank_as_paper
from citadel.plan.adapt import plans
from citadel.plan.invocation import Invocation
from citadel.plan.model import Adaptation, Obstacle
from citadel.propagate.walk import Entry
from citadel.workbench import Workbench

Planned = dict[str, tuple[Adaptation, ...]]


def candidates(
    source: Invocation,
    bench: Workbench,
    mode: Mode = Mode.RANKED,
    called: Collection[str] = (),
    matched: Mapping[str, str] | None = None,
) -> list[Entry]:
    """All APIs of the build that have a plan, in ranking order, with their plans.

    How well an API takes the failing call's own arguments (the plausibility of its best plan) is
    one of the channels that ranking goes by, that it ran within the call (`called`) or is known as
    the source's equal (`matched`) another. In the paper's mode only APIs above its threshold of
    context similarity are left.
    """
    planned = _planned(source, bench)
    if mode is Mode.PAPER:
        threshold = PAPER_CONTEXT[bench.index.framework]
        ranked = rank_as_paper(source.api, bench.index, threshold)
    else:
        ranked = rank(source.api, bench.index, _plausibilities(planned), called, matched)
    return [(c, planned[c.api.name]) for c in ranked if c.api.name in planned]


def compatibility(source: Invocation, bench: Workbench) -> dict[str, float]:
    """How well each API takes the arguments of a call, 0 to 1; those that cannot are left out."""
    return _plausibilities(_planned(source, bench))


def _plausibilities(planned: Planned) -> dict[str, float]:
    return {name: found[0].plausibility for name, found in planned.items()}


def _planned(source: Invocation, bench: Workbench) -> Planned:
    found: Planned = {}
    for api in bench.catalog.apis.values():
        if api.name != source.api.name:
            made = plans(source, api, bench.samples, bench.lexicon)
            if not isinstance(made, Obstacle):
                found[api.name] = made
    return found
