"""What a user may set about a triage."""

from __future__ import annotations

from dataclasses import dataclass, field

from analysis.target.session import Limits
from citadel.match.matches import Matches
from citadel.match.mode import Mode
from citadel.model import Road
from citadel.propagate.walk import Walk


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How far a triage goes, how often it runs what it finds, and what one run may use."""

    walk: Walk = field(default_factory=Walk)
    mode: Mode = Mode.RANKED
    runs: int = 3
    adaptations: int = 6
    """Generated cases that are tried at most per sibling, until one shows the bug."""
    limits: Limits = field(default_factory=Limits)
    least_confidence: float | None = None
    """Findings below it are `alike`, and no bugs (0 to 1; None: the model's own threshold)."""
    road: Road = Road.BOTH
    matches: Matches = field(default_factory=Matches)
    """Pairs of APIs that somebody else held for equal."""
