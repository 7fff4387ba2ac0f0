"""Run a text that fails by itself.

In: the text, and what it is seen to show. Out: the run. One that measures is run as siblings are
measured (`analysis/inside/measure.py`): warmed up, in CPU time, on one thread.
"""

from __future__ import annotations

from analysis.target.observation import Observation
from analysis.target.session import Limits, Session
from citadel.model import MEASURED_KINDS, Symptom


def run_alone(
    code: str, symptom: Symptom, session: Session, limits: Limits, *, seed: int = 0
) -> Observation:
    """One run of a text.

    Raises:
        CitadelError: when the interpreter cannot be started at all.
    """
    entry = "measure:run" if symptom.kind in MEASURED_KINDS else "case:run"
    return session.run(code, limits=limits, seed=seed, entry=entry)
