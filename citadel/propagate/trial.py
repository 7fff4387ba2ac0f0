"""What becomes of one sibling: its cases, one after the other, and the best of their verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice

from citadel.match.rank import Candidate
from citadel.model import Finding, Verdict, VerdictKind
from citadel.plan.model import Adaptation
from citadel.rewrite.rewriter import Rewritten

WAYS = 3
"""Ways to write one plan down that are tried at most."""
_ORDER = (
    VerdictKind.NOT_ADAPTED,
    VerdictKind.NEEDS,
    VerdictKind.NOISY,
    VerdictKind.EXPECTED,
    VerdictKind.CLEAN,
    VerdictKind.REFUSED,
    VerdictKind.DIFFERENT,
    VerdictKind.FLAKY,
    VerdictKind.BUG,
)


Case = tuple[Adaptation, Rewritten]
"""A plan, written down."""


@dataclass(slots=True, kw_only=True)
class Trial:
    """The plans of one sibling, the most plausible first, each written down in a few ways.

    `cases` has `most` of them at most; `write` makes them when they are asked for.
    """

    candidate: Candidate
    plans: Sequence[Adaptation]
    write: Callable[[Adaptation], Iterator[Rewritten]]
    most: int
    best: Finding | None = None
    cases: Iterator[Case] = field(init=False)
    turn: int = 0
    """How many cases it has had; those that mend another one are no further ones."""
    fronted: bool = False
    """Whether the sibling was also called in front of the report's own call."""
    _replays: int = field(init=False, default=0)
    _before: Finding | None = field(init=False, default=None)
    _mends: Adaptation | None = field(init=False, default=None)
    _ahead: list[Adaptation] = field(init=False, default_factory=list)
    _first: Iterator[Case] = field(init=False, default=iter(()))

    def __post_init__(self) -> None:
        self.cases = islice(self._written(), self.most)

    @property
    def name(self) -> str:
        """The sibling's name."""
        return self.candidate.api.name

    def next_case(self) -> Case | None:
        """The next case, None at the end; it counts as replayed."""
        case = next(self.cases, None)
        self._replays += case is not None
        return case

    def take_replays(self) -> int:
        """How many cases it has had since this was asked last."""
        taken, self._replays = self._replays, 0
        return taken

    def next(self, plan: Adaptation) -> None:
        """Write this plan down next, before those that are left; once.

        It mends the last one: what has become of that tells nothing as soon as this one is tried.
        """
        if plan in self._ahead:
            self.best = self._before
        else:
            self._ahead.append(plan)
            self._mends = plan
            self._first = chain(self._ways(plan), self._first)

    def front(self, plan: Adaptation, written: Rewritten) -> None:
        """Have this case next."""
        self.fronted = True
        self._first = chain(((plan, written),), self._first)

    def note(self, verdict: Verdict, written: Rewritten) -> Finding:
        """The finding of one case; the best of them so far is kept."""
        found = as_finding(self.candidate, verdict, written.edits, written.code)
        self._before = self.best
        if self.best is None or _better(verdict, self.best.verdict):
            self.best = found
        return found

    def end(self) -> Finding:
        """The best finding; that there is none where no plan could be written."""
        if self.best is not None:
            return self.best
        reason = "the plan cannot be written in the report's text"
        return as_finding(self.candidate, not_adapted(reason), self.plans[0].edits, "")

    def _written(self) -> Iterator[Case]:
        left = chain.from_iterable(map(self._ways, self.plans))
        while (case := next(self._first, None) or next(left, None)) is not None:
            if case[0] == self._mends:
                self.best, self._mends = self._before, None
            yield case

    def _ways(self, plan: Adaptation) -> Iterator[Case]:
        return ((plan, written) for written in islice(self.write(plan), WAYS))


def as_finding(
    candidate: Candidate, verdict: Verdict, edits: tuple[str, ...], code: str
) -> Finding:
    """What one generated case (`code`) says of a sibling; no code where there is none."""
    return Finding(
        api=candidate.api.name,
        verdict=verdict,
        channels=candidate.channels,
        edits=edits,
        code=code,
        aliases=candidate.api.aliases,
    )


def not_adapted(reason: str) -> Verdict:
    """The verdict on a sibling for which no case could be made that would tell."""
    return Verdict(kind=VerdictKind.NOT_ADAPTED, runs=(0, 0), confidence=0.0, reason=reason)


def _better(verdict: Verdict, than: Verdict) -> bool:
    if than.kind is VerdictKind.EXPECTED and verdict.kind is VerdictKind.REFUSED:
        return False  # what is right of the likeliest case may be refused in another shape
    return _ORDER.index(verdict.kind) > _ORDER.index(than.kind)
