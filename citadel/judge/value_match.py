"""The context of doubts about one replay of a value bug: its runs, its plan, its closeness."""

from __future__ import annotations

from functools import cached_property

from citadel.judge.coincidences import adds_inputs, close_for, does_as_much, of_its_kind
from citadel.judge.doubts import Doubts, Guard
from citadel.judge.false_positives import Shown
from citadel.judge.relations import alike, related
from citadel.judge.replayed import Replayed
from citadel.model import Channels, Verdict
from citadel.oracle.value import ValueOracle, has_nan_at
from citadel.plan.model import Adaptation
from citadel.verify.causes import cured, makes_infinite
from citadel.verify.contrast import refuses
from citadel.verify.disputed import carried
from citadel.verify.guards import loose
from citadel.verify.infinities import demanded
from citadel.verify.witness import Witness


class ValueMatch:
    """A replay that shows the symptom. `same`: the sibling does the same to the same arguments."""

    def __init__(
        self, replay: Replayed, plan: Adaptation, channels: Channels, *, same: bool
    ) -> None:
        self.replay, self.plan, self.channels, self.same = replay, plan, channels, same
        self.accepted_by = ""
        """The guard that has ended the doubts whether its values are the bug."""

    def ask(self, *lists: Doubts[ValueMatch]) -> Verdict | Guard | None:
        """The first answer of some lists."""
        answers = (doubts.settle(self) for doubts in lists)
        return next((answer for answer in answers if answer is not None), None)

    def note(self, guard: str) -> None:
        """Note what speaks for a bug."""
        self.replay.guards.append(guard)

    @property
    def source(self) -> Witness:
        """What the report's own case shows."""
        return self.replay.source

    @property
    def oracle(self) -> ValueOracle:
        """The oracle that holds for both."""
        return self.source.oracle

    @property
    def akin(self) -> bool:
        """Whether the two do the same to their inputs."""
        return alike(self.channels)

    @cached_property
    def filled(self) -> bool:
        """Whether it works on inputs that the report has not got."""
        return adds_inputs(self.plan)

    @cached_property
    def fresh(self) -> bool:
        """Whether what was filled in may be why the value is not finite."""
        return self.filled and self._cause() is None

    def _cause(self) -> str | None:
        """The argument that NaN comes of in the report and, given under the same name, here."""
        replay = self.replay
        for one in self.source.causes:
            if carried(self.plan, [one]) and cured(
                replay.rerun, self.oracle, replay.calls, one.name
            ):
                self.note(f"finite without {one.name}, as the report's call is")
                return one.name
        return None

    def shown(self) -> Shown:
        """Its values beside the source's."""
        source, plan, channels, replay = self.source, self.plan, self.channels, self.replay
        return Shown(
            filled=self.fresh,
            source=source,
            values=replay.values,
            close=close_for(channels, source, plan)
            or replay.same_function is True
            or (related(channels) and replay.same_when_finite)
            or replay.alone()
            or does_as_much(source, plan, channels)
            or of_its_kind(source, channels),
            akin=self.akin or replay.same_function is True or of_its_kind(source, channels),
            drops=plan.loses,
            own_reference=replay.written.references,
            limited=replay.limited,
        )

    @cached_property
    def disputed_results(self) -> set[bool | None]:
        """Whether the arguments that should be refused make its result NaN or infinite."""
        again, calls = self.replay.rerun, self.replay.calls
        return {makes_infinite(again, calls, one.name) for one in self.source.disputed}

    @property
    def infinite_for_nan(self) -> bool:
        """Whether its values have no NaN, where the source's have."""
        oracle = self.oracle
        has_nan = has_nan_at(oracle, self.replay.values)
        return has_nan_at(oracle, self.source.values) and not has_nan

    @cached_property
    def full(self) -> bool | None:
        """Whether it is infinite where it is as large as its dtype allows; not asked of what the
        source shows not to be so."""
        replay = self.replay
        if self.source.reproduces and self.source.demanded is not False:
            return None
        return demanded(replay.rerun, self.oracle, replay.calls, replay.values)

    @cached_property
    def free(self) -> tuple[bool, ...]:
        """For each spot, whether both show there what nothing has written to."""
        source, replay = self.source, self.replay
        if not any(source.loose):
            return ()
        own = loose(replay.rerun, self.oracle, replay.calls)
        return tuple(a and b for a, b in zip(source.loose, own, strict=False))

    @cached_property
    def refused_beside(self) -> bool | None:
        """Whether the other backend refuses the sibling's call; None: nothing tells."""
        again, other = self.replay.rerun, self.replay.beside
        if other is None:
            return None
        text = again.watched.traced
        target, catalog = self.replay.target, self.replay.catalog
        return refuses(other.session, again.code, text, again.limits, target, catalog)
