"""What a case about values shows: the oracle that holds, the API to blame, and what weakens it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from analysis.catalog.model import Api
from analysis.rules import Registry
from analysis.target.instrument import Watched
from analysis.target.observation import Call, Observation
from analysis.target.watch import Point
from citadel.model import BugKind, Symptom, SymptomKind
from citadel.oracle.value import Spot, ValueOracle, Values, in_double, symptom, unlike
from citadel.verify.disputed import Disputed
from citadel.verify.guards import Doubled
from citadel.verify.laws import Law


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A value symptom and what its replays are compared with.

    `own` tells for each spot of the oracle whether it depends on the blamed API (None: unknown);
    `random` whether its values differ from seed to seed.
    """

    oracle: ValueOracle
    watched: Watched
    values: Values
    own: tuple[bool | None, ...]
    made_backward: bool
    """Whether NaN or infinities come up in the gradients that the API hands on."""
    random: bool
    loose: tuple[bool, ...]
    """For each spot, whether it is another value though the same numbers are drawn (`guards`)."""
    symptom: Symptom
    observation: Observation
    call: Call
    api: Api
    reproduces: bool
    hits: int
    runs: int
    precise: bool | None
    """Whether double precision cures it; None where that says nothing."""
    becomes_infinite: bool
    """Whether NaN is an infinity in double precision."""
    widened: Values | None
    """What a value that is wrong by number is in double precision (see `guards`)."""
    demanded: bool | None
    """Whether an infinity comes where the result is as large as numbers get (see `guards`)."""
    let_in: bool
    """Whether NaN or infinities come of those in the API's inputs."""
    infinite: tuple[Disputed, ...]
    """The arguments with NaN or infinities, where these are let in and the API is given several
    tensors: what multiplies the two need not tend to anything."""
    cleaned: Values
    """What the values come to then with finite numbers in their place."""
    limits: tuple[complex, ...] | None
    """What the values tend to, by what large numbers show, where NaN comes of infinities."""
    spreads: bool
    """Whether NaN or infinities stand where nothing depends on those in the API's inputs."""
    apart: bool
    """Whether NaN or infinities in the API's inputs matter in their own places only."""
    hands_on: bool
    """Whether all that is wrong of a value, beside what it is compared with, is not finite, and so
    is something that the API is given."""
    gave_finite: frozenset[tuple[int, int]]
    """(site, occurrence) of the API's calls where all have finite results though NaN is the bug:
    then it comes up behind them, in gradients, say."""
    gave_numbers: frozenset[tuple[int, int]]
    """The same where no result has NaN, infinite or not."""
    uninitialised: bool
    """Whether the case reads memory that nothing has written to."""
    of_ties: bool
    """Whether the values differ only in which of several equal elements they point at."""
    ill_conditioned: bool
    """Whether the last digit of the API's inputs matters as much as what the report shows."""
    disputed: tuple[Disputed, ...]
    """The arguments that should be refused, where the report says which."""
    causes: tuple[Disputed, ...]
    """The arguments that it comes of that the value is not finite (see `causes`)."""
    refused_by: str
    """The other backend that refuses what this one accepts, where the report compares the two."""
    law: Law | None
    """What the two values are compared by, where the API is given other numbers for each."""
    hurried: bool
    """Whether a run takes so long that no further ones were made to examine it."""
    untraced: bool
    """Whether it shows only where no call is traced: what is compiled is then compiled whole."""
    unclaimed: bool
    """Whether nothing, in words or by an assertion, says that what the case shows is wrong."""
    steady: frozenset[Spot] = frozenset()
    """Where the case shows the same, whatever the API's calls give."""

    @property
    def wider(self) -> bool:
        """Whether double precision changes a value that is wrong by number."""
        return self.widened is not None and True in unlike(self.oracle, self.values, self.widened)

    @property
    def referred(self) -> bool:
        """Whether the value is compared with one that the API has no part in."""
        return self.oracle.paired and False in self.own

    @property
    def of_values(self) -> bool:
        """Whether it matters which numbers come out, not just that they do or are finite."""
        return self.oracle.kind is not SymptomKind.ACCEPTS and not self.oracle.of_finiteness

    @property
    def refused(self) -> bool:
        """Whether this build refuses the call, as the report wants it."""
        return self.oracle.kind is SymptomKind.ACCEPTS and not self.oracle.spots

    @property
    def evidence(self) -> tuple[str, ...]:
        """What in the report speaks for this symptom."""
        return tuple(filter(None, (self.oracle.why,)))

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why what the report shows may be no bug."""
        return tuple(DOUBTS.each(self))

    @property
    def tells(self) -> bool:
        """Whether there is a value by which siblings can be judged."""
        return bool(self.oracle.spots) or self.oracle.check is not None or self.refused

    @property
    def kind(self) -> BugKind:
        """A missing error is a status bug; a wrong result is one of values."""
        accepts = self.symptom.kind is SymptomKind.ACCEPTS
        return BugKind.STATUS if accepts else BugKind.VALUE


DOUBTS: Registry[[Witness], str] = Registry("report-doubt")
"""Why what a report shows may be no bug; all that apply count."""


@DOUBTS.rule("full-dtype")
def _full_dtype(case: Witness) -> str | None:
    """The result is as large as numbers of its dtype get."""
    return "becomes infinite where it is as large as its dtype allows" if case.demanded else None


@DOUBTS.rule("not-finite-input")
def _not_finite_input(case: Witness) -> str | None:
    """NaN or infinities come of the input, and nothing says what they should tend to."""
    let_in = case.let_in and case.limits is None and not case.spreads
    return "what is not finite comes of what it is given" if let_in else None


@DOUBTS.rule("uninitialised-memory")
def _uninitialised_memory(case: Witness) -> str | None:
    """The case reads memory that nothing has written to."""
    return "works on uninitialised memory" if case.uninitialised else None


@DOUBTS.rule("equal-elements")
def _equal_elements(case: Witness) -> str | None:
    """Indices of equal elements differ."""
    reason = "the indices differ, the elements that they select do not"
    return reason if case.of_ties else None


@DOUBTS.rule("ill-conditioned")
def _ill_conditioned(case: Witness) -> str | None:
    """The last digit of the inputs matters as much as what the report shows."""
    return "the last digit of the inputs matters as much" if case.ill_conditioned else None


@DOUBTS.rule("long-run")
def _long_run(case: Witness) -> str | None:
    """A run takes so long that guards were left out."""
    return "a run takes so long that it was not examined further" if case.hurried else None


@DOUBTS.rule("no-claim")
def _no_claim(case: Witness) -> str | None:
    """The report neither says nor asserts that something is wrong."""
    return "nothing says that what it shows is wrong" if case.unclaimed else None


@DOUBTS.rule("refused-by-now")
def _refused_by_now(case: Witness) -> str | None:
    """This build refuses what the report wants refused."""
    reason = "this build refuses the call: there is no result to compare with"
    return reason if case.refused else None


def seen_at(
    oracle: ValueOracle,
    compared: ValueOracle,
    points: Sequence[Point],
    values: Values,
    better: Doubled | None,
) -> Symptom:
    """What is shown, and what it should be by the oracle itself, by a `better` run in double
    precision, or by the value that it has been `compared` with."""
    seen = symptom(oracle, points, values)
    expected = seen.expected
    if expected is None and better is not None and better.cures:
        expected = in_double(oracle, better.values)
    if expected is None and compared is not oracle:
        expected = symptom(compared, points, values).expected
    return replace(seen, expected=expected)
