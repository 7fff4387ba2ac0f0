"""A layer at which backends part -> a hit: confirmed alone, made small, explained or handed over.

What CRADLE, LEMON and whatever else runs whole networks have in common after their own search.
"""

from __future__ import annotations

from collections.abc import Mapping

from harvest.sources.backends import Backends, Execution
from harvest.sources.handover import Handed, hand_over
from harvest.sources.judging import Judgement
from harvest.sources.known_limits import limit_of
from harvest.sources.layers import api
from harvest.sources.model import Hit
from harvest.sources.networks import Network
from harvest.sources.suspects import Suspect, confirm, reduce, suspected

ALONE = "a network of this layer alone does not show it"


class Blame:
    """Makes hits of judgements, each bug once: `seen` knows what was looked at, and its key."""

    def __init__(self, backends: Backends) -> None:
        self._backends = backends
        self._seen: set[str] = set()

    def hit(
        self,
        network: Network,
        executions: Mapping[str, Execution],
        judged: Judgement,
        *,
        origin: str,
        measures: Mapping[str, float],
        files: tuple[tuple[str, str], ...] = (),
    ) -> Hit | None:
        """The hit of a layer; None where an equal one has been made."""
        layer = network.find(judged.layer)
        shapes = dict(network.inputs)
        for one in executions.values():
            shapes.update({name: state.shape for name, state in one.states.items()})
        suspect = suspected(network, layer, shapes)
        if not self._is_new(_key(suspect, judged, "found")):
            return None
        alone = larger = confirm(self._backends, suspect)
        if larger is not None:
            alone = reduce(self._backends, larger)
            suspect, judged = alone.suspect, alone.judgement
        key = _key(suspect, judged, "")
        if not self._is_new(key):
            return None
        limit = limit_of(suspect.kind, dict(suspect.config), judged)
        told = "; ".join(f"{name} {value:.4g}" for name, value in measures.items())
        handed = Handed(case=None, reason="" if limit else ALONE)
        if alone is not None and not limit:
            handed = hand_over(self._backends, alone, f"Found by: {origin}. {told}.", larger)
        return Hit(
            key=key,
            kind=judged.kind,
            subject=api(suspect.kind),
            title=_title(suspect, judged),
            origin=origin,
            measures=(*measures.items(), ("relative error alone", judged.error)),
            case=handed.case,
            limit=limit,
            no_case=handed.reason,
            files=files,
        )

    def _is_new(self, key: str) -> bool:
        new = key not in self._seen
        self._seen.add(key)
        return new


def _key(suspect: Suspect, judged: Judgement, stage: str) -> str:
    """(library, layer) of LEMON, with the oracle and the parameters that matter."""
    odd = "+".join(judged.vote.odd) or "unknown"
    labels = sorted({one.label for one in judged.failures.values()})
    return ":".join(filter(None, (stage, judged.kind, suspect.kind, odd, *labels, suspect.setting)))


def _title(suspect: Suspect, judged: Judgement) -> str:
    values = ", ".join(f"{name}={suspect.config[name]!r}" for name in suspect.unusual)
    return f"({values}) {judged.parted}" if values else judged.parted
