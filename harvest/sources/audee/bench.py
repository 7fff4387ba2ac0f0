"""The backends of Keras as the lab of Audee: the quick ones run all, the others only vote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from harvest.sources.audee.amplifying import Prepared
from harvest.sources.audee.chromosomes import positives
from harvest.sources.backends import Backends, Execution, Failure
from harvest.sources.layers import api
from harvest.sources.model import Tally
from harvest.sources.networks import Network, make_inputs, make_weights


class Bench:
    """A `Lab`. `stage` is what executions are counted under, `counts` has how many there were."""

    def __init__(self, backends: Backends, tally: Tally) -> None:
        self.backends = backends
        self._tally = tally
        self.stage = ""
        self.counts: Counter[str] = Counter()

    def prepare(self, network: Network, seed: int) -> Prepared:
        """Inputs from a seed, and weights unless the network cannot be built."""
        inputs = make_inputs(network, seed)
        shapes = self.backends.describe(network, inputs)
        if isinstance(shapes, Failure):
            return Prepared(inputs=inputs, refused=shapes.label)
        return Prepared(
            inputs=inputs, weights=make_weights(shapes, seed), positive=positives(shapes)
        )

    def run(self, network: Network, prepared: Prepared) -> Mapping[str, Execution]:
        """Run on the quick backends, and count it."""
        done = self.backends.run(
            network, prepared.weights, prepared.inputs, only=self.backends.quick
        )
        self.counts[self.stage] += 1
        self._tally.executed += 1
        self._tally.valid += all(one.failure is None for one in done.values())
        self._tally.apis |= {api(layer.kind) for layer in network.layers}
        return told(done)


def told(done: Mapping[str, Execution]) -> dict[str, Execution]:
    """Those that we did not end ourselves."""
    return {name: one for name, one in done.items() if one.failure is None or not one.failure.ours}
