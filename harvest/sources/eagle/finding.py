"""What the interpreter under test tells of one disagreement, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from analysis.dynamic.run import HANG
from harvest.sources.model import HitKind

CRASH, STATUS, DIFFERS = "crash", "status", "differs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Two executions that a rule calls equal and that are not; as text, they are a script.

    `state` is "differs", "status" (one raised: `side`, with `types` and `message`) or "crash";
    `kind` says in what they differ. `unwritten` is the reason why an input has no expression, and
    `limit` why all this is no bug. `absolute` and `relative` are the largest differences, `paper`
    tells whether they are beyond the paper's tolerance, too.
    """

    rule: str
    variant: str
    api: str
    state: str
    kind: str
    setup: str
    inputs: tuple[tuple[str, str], ...]
    unwritten: str
    reference: str
    result: str
    side: str
    types: tuple[str, ...]
    message: str
    absolute: float
    relative: float
    paper: bool
    rtol: float
    atol: float
    shown: tuple[str, str] | None
    limit: str
    how: str = ""
    """Of a crash, how the process ended: as `analysis.dynamic.run.reason` has it."""

    @classmethod
    def from_json(cls, record: dict[str, Any], how: str = "") -> Self:
        """Read a record of `analysis/inside/eagle_run.py`."""
        shown = record["shown"]
        return cls(
            rule=str(record["rule"]),
            variant=str(record["variant"]),
            api=str(record["api"]),
            state=str(record["state"]),
            kind=str(record["kind"]),
            setup=str(record["setup"]),
            inputs=tuple((str(name), str(text)) for name, text in record["inputs"]),
            unwritten=str(record["unwritten"]),
            reference=str(record["reference"]),
            result=str(record["result"]),
            side=str(record["side"]),
            types=tuple(map(str, record["types"])),
            message=str(record["message"]),
            absolute=float(record["absolute"]),
            relative=float(record["relative"]),
            paper=bool(record["paper"]),
            rtol=float(record["rtol"]),
            atol=float(record["atol"]),
            shown=None if not shown else (str(shown[0]), str(shown[1])),
            limit=str(record["limit"]),
            how=how,
        )

    @property
    def hangs(self) -> bool:
        """Whether it was ended for taking too long."""
        return self.how == HANG

    @property
    def oracle(self) -> HitKind:
        """Which of the oracles fired."""
        if self.state in (CRASH, STATUS):
            return HitKind.CRASH
        return HitKind.NON_FINITE if self.kind == "finite" else HitKind.INCONSISTENCY

    @property
    def measures(self) -> tuple[tuple[str, float], ...]:
        """The differences, and what each of the two tolerances says of them."""
        if self.state != DIFFERS:
            return ()
        return (
            ("absolute", self.absolute),
            ("relative", self.relative),
            ("beyond the paper's tolerance", float(self.paper)),
            ("beyond the dtype's tolerance", 1.0),
            ("rtol", self.rtol),
            ("atol", self.atol),
        )
