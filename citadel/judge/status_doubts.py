"""Doubts and guards where a sibling fails as the report's call does: is it the same bug?"""

from __future__ import annotations

from functools import cached_property

from analysis.catalog.model import Api, Catalog
from analysis.target.observation import Observation
from analysis.target.session import Limits, Session
from citadel.judge.blamed import blames, fails_itself, gives_nothing
from citadel.judge.complaints import of_one_argument
from citadel.judge.doubts import Doubts
from citadel.judge.gradients import Failed, cut, draws_alone, fails_before, other_numbers
from citadel.judge.verdicts import made_up, mostly_filled, shaping, verdict
from citadel.model import Symptom, SymptomKind, Verdict, VerdictKind
from citadel.oracle import status
from citadel.plan.model import Adaptation
from citadel.traced import leaf
from citadel.verify.identify import GRADIENTS, failing_call
from citadel.verify.verified import Verified

OF_FILLED = "the complaint may be about what was filled in"


class StatusMatch:
    """A traced run of a case that shows the report's symptom (`seen`).

    `close`: the sibling is a close relation of the source. `late`: only a run that is not traced
    shows the symptom.
    """

    def __init__(
        self,
        failed: Failed,
        plan: Adaptation,
        seen: Symptom | None,
        source: Verified,
        session: Session,
        catalog: Catalog,
        limits: Limits,
        *,
        close: bool,
        late: bool,
    ) -> None:
        self.failed, self.plan, self.seen, self.source = failed, plan, seen, source
        self.session, self.catalog, self.limits = session, catalog, limits
        self.close, self.late = close, late

    @property
    def observation(self) -> Observation:
        """The run."""
        return self.failed.observation

    @property
    def target(self) -> Api:
        """The sibling."""
        return self.failed.api

    @property
    def stranger(self) -> bool:
        """Whether the sibling is no relation, and takes other arguments than the source."""
        return bool(made_up(self.plan)) and self.plan.drops and not self.close

    @cached_property
    def perhaps_meant(self) -> tuple[str, ...]:
        """The arguments that the exception may be about and the report has not got."""
        wanted = self.source.case.symptom
        if self.seen is None or status.names_the_same(self.seen, wanted):
            return ()
        if status.complains_about_another_value(self.seen, wanted):
            return made_up(self.plan)
        about_tensors = status.complains_about_tensors(self.seen)
        return shaping(self.plan, self.target) if about_tensors else ()

    @cached_property
    def shared(self) -> str | None:
        """The argument of both that both fail for."""
        return of_one_argument(
            self.failed, self.plan, self.source, self.session, self.catalog, self.limits
        )


LACKS: Doubts[StatusMatch] = Doubts("doubt")
"""A missing kernel says nothing about the report's."""


@LACKS.doubt("no-kernel-for-device")
def _no_kernel_for_device(match: StatusMatch) -> Verdict | None:
    """The operator has no kernel for this device at all."""
    raised = match.observation.exception
    if raised is None or not status.no_kernel_here(raised.message):
        return None
    reason = "the operator has no kernel for this device, whatever it is given"
    return verdict(VerdictKind.NEEDS, reason=reason)


@LACKS.doubt("kernel-of-other-library")
def _kernel_of_other_library(match: StatusMatch) -> Verdict | None:
    """The operator is one of quantized tensors, say."""
    seen = match.seen
    if seen is None or status.library(seen) == status.library(match.source.case.symptom):
        return None
    reason = "the operator is of another library, whose kernels are for tensors of its own"
    return verdict(VerdictKind.NEEDS, reason=reason)


ARTEFACTS: Doubts[StatusMatch] = Doubts("doubt")
"""A symptom that matches does not count."""


@ARTEFACTS.doubt("another-call-fails")
def _another_call_fails(match: StatusMatch) -> str | None:
    """The failure is that of another call than the sibling's."""
    observation, source = match.observation, match.source
    unseen = match.late or (source.caught and failing_call(observation) is None)
    if not unseen and not blames(observation, match.target, source, match.catalog):
        return "another call than the sibling's fails"
    return None


@ARTEFACTS.doubt("gradients-of-a-copy")
def _gradients_of_a_copy(match: StatusMatch) -> str | None:
    """A layer has a copy of what the report's call is given."""
    if cut(match.plan, match.source.call, match.observation.calls):
        return "gradients do not reach what a layer has a copy of"
    return None


@ARTEFACTS.guard("fails-for-same-argument")
def _fails_for_same_argument(match: StatusMatch) -> str | None:
    """The exception may be about what was filled in, and both fail for one argument of both."""
    if match.perhaps_meant and match.shared is not None:
        return f"the report's call fails for its {match.shared} as well"
    return None


@ARTEFACTS.doubt("complains-about-filled")
def _complains_about_filled(match: StatusMatch) -> str | None:
    """The exception may be about what was filled in."""
    return f"{OF_FILLED}: {', '.join(match.perhaps_meant)}" if match.perhaps_meant else None


@ARTEFACTS.doubt("called-for-effect")
def _called_for_effect(match: StatusMatch) -> str | None:
    """It returns None, and the use of that fails."""
    if not match.close and gives_nothing(match.observation, match.target, match.catalog):
        return "gives nothing, as functions may that are called for their effect"
    return None


@ARTEFACTS.doubt("fails-at-once")
def _fails_at_once(match: StatusMatch) -> str | None:
    """No relation fails itself, where the report's call returns and its result does the damage.

    What its gradients bring about is nothing that it says of its arguments.
    """
    source, plan = match.source, match.plan
    changed = not match.close and bool(made_up(plan) or plan.drops)
    other = match.stranger or (changed and _of_gradients(source))
    if source.deferred and other and fails_itself(match.observation, match.target, match.catalog):
        return "no relation, and fails at once, where the report's call returns"
    return None


def _of_gradients(source: Verified) -> bool:
    """Whether the report's run ends where gradients are computed."""
    failing = failing_call(source.observation)
    return failing is not None and leaf(failing.name) in GRADIENTS


def _by_signal_alone(match: StatusMatch) -> bool:
    """Whether two crashes are compared: of these, the signal alone is."""
    return match.source.case.symptom.kind is SymptomKind.CRASHES


@ARTEFACTS.doubt("crash-of-filled")
def _crash_of_filled(match: StatusMatch) -> str | None:
    """It crashes, and most of its call was filled in."""
    if _by_signal_alone(match) and mostly_filled(match.plan):
        return "more of the call is filled in than comes from the report"
    return None


@ARTEFACTS.doubt("crash-of-stranger")
def _crash_of_stranger(match: StatusMatch) -> str | None:
    """It crashes, and is no relation that takes other arguments."""
    if _by_signal_alone(match) and match.stranger:
        return "no relation, and takes other arguments than the report's call"
    return None


OTHER_NUMBERS: Doubts[StatusMatch] = Doubts("doubt")


@OTHER_NUMBERS.doubt("other-numbers-in-message")
def _other_numbers_in_message(match: StatusMatch) -> Verdict | None:
    """The exceptions show gradients: infinite in one, and NaN in the other."""
    if other_numbers(match.observation, match.source.observation):
        return verdict(VerdictKind.DIFFERENT, reason="other numbers are wrong")
    return None


OTHER_CHECKS: Doubts[StatusMatch] = Doubts("doubt")
"""Gradient checks that fail are not the report's."""


@OTHER_CHECKS.doubt("earlier-gradient-check")
def _earlier_gradient_check(match: StatusMatch) -> str | None:
    """It fails a check that comes before the one that the report fails."""
    if fails_before(match.failed, match.source, match.catalog):
        return "fails a check that the report's own code passes"
    return None


@OTHER_CHECKS.doubt("draws-at-random")
def _draws_at_random(match: StatusMatch) -> str | None:
    """It fails for its random numbers, and the report's call does not."""
    if draws_alone(match.failed, match.source, match.session, match.catalog, match.limits):
        return "it fails for the random numbers that the sibling draws"
    return None
