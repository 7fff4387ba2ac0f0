"""Labels that differ although no layer is at fault: Audee's oracle, as hits without a case.

Later layers make much of rounding, and the likeliest of almost equal scores is another one then.
The paper reports it nevertheless (section 4.3): here once for each seed model and pair of backends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from harvest.sources.audee.oracles import labels_of
from harvest.sources.backends import Execution
from harvest.sources.blaming import ROUNDING
from harvest.sources.layers import api
from harvest.sources.metrics import localisation_map
from harvest.sources.model import Hit, HitKind
from harvest.sources.networks import Network


def of_labels(network: Network, executions: Mapping[str, Execution], origin: str) -> Iterator[Hit]:
    """The pairs of backends whose labels of an instance differ; R says where to look."""
    labels = labels_of(network, executions)
    for pair in combinations(labels, 2):
        one, other = (labels[name] for name in pair)
        apart = np.flatnonzero(one != other)
        if not apart.size:
            continue
        rates = localisation_map(network, *(executions[name].states for name in pair))
        layer = max(rates, key=lambda name: rates[name])
        number = int(apart[0])
        yield Hit(
            key=f"{HitKind.INCONSISTENCY}:label:{network.name}:{'+'.join(pair)}",
            kind=HitKind.INCONSISTENCY,
            subject=api(network.find(layer).kind),
            title=(
                f"{' and '.join(pair)} by label: instance {number} is {one.flat[number]} and"
                f" {other.flat[number]}"
            ),
            origin=f"{origin}, layer of the largest R {layer}",
            measures=(("R", rates[layer]), ("instances", float(apart.size))),
            no_case=ROUNDING,
        )
