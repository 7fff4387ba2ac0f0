"""One rewritten case of a value bug, run in several ways: are values that show it the bug?

In: the rewritten text with its watched expressions, the witness of the report's own case. Out:
None where nothing speaks against the bug, else the verdict that stands in its place; what has
spoken for it is in `guards`.
"""

from __future__ import annotations

import re

from citadel.judge.coincidences import (
    adds_inputs,
    close_for,
    coincidence,
    cuts_off,
    differing,
    does_as_much,
    misses_what_is_not_finite,
    of_its_kind,
    unfinished,
)
from citadel.judge.named import takes_by_name
from citadel.judge.relations import alike, described_alike, near, related
from citadel.judge.replayed import Replayed
from citadel.judge.sizes import of_sizes, tells_of_them
from citadel.judge.verdicts import mostly_filled, verdict
from citadel.model import Channels, SymptomKind, Verdict, VerdictKind
from citadel.oracle.numbers import elements
from citadel.oracle.value import has_nan_at, in_double, unlike
from citadel.plan.model import Adaptation
from citadel.traced import leaf
from citadel.verify.causes import cured, makes_infinite
from citadel.verify.contrast import refuses
from citadel.verify.disputed import carried
from citadel.verify.guards import ill_conditioned, loose, of_chance, of_draws, of_ties
from citadel.verify.identify import GRADIENTS
from citadel.verify.infinities import (
    beyond_numbers,
    demanded,
    made_backward,
    mixes,
    no_real,
    no_room,
)

_NOT_FINITE = re.compile(
    r"\b(?:returns?|gives?|produces?|yields?|outputs?|becomes?|is|are) (?:\w+ ){0,2}?"
    r"(?:nans?|inf(?:s|init(?:y|ies))?)\b",
    re.IGNORECASE,
)
"""That a result is so, rather than an argument."""


class ValueReplay(Replayed):
    """The verdicts on one rewritten case; `guards` are what has spoken for a bug so far."""

    def doubt(self, plan: Adaptation, channels: Channels, *, same: bool) -> Verdict | None:
        """Why values that show the symptom need not be the bug, if so.

        `same`: the sibling does the same to the report's own arguments.
        """
        source = self.source
        pointless = self._pointless(plan, channels)
        if pointless is not None:
            return verdict(VerdictKind.NOT_ADAPTED, reason=pointless)
        if source.made_backward:
            return self._backward()
        if source.oracle.kind is SymptomKind.ACCEPTS:
            found = self._acceptance(plan, channels, same=same)
            if isinstance(found, str):
                self.guards.append(found)
                return None
            if found is not None:
                return found
        filled = adds_inputs(plan)
        why = self._coincides(plan, channels, filled=filled, same=same)
        told_apart = self.written.references or near(channels)
        if why is None and of_sizes(source) and not told_apart:
            why = "a size that results of other functions have as well"
        if why is None and tells_of_them(source, self.values):
            why = "tells of its inputs, where the report's API makes something of them"
        if why is not None:
            return verdict(VerdictKind.NOT_ADAPTED, reason=why)
        if source.refused:
            self.guards.append("accepts what the source refuses, and is of its name family")
            return None
        equal = self._equal
        if equal and self._same_function:
            self.guards.append("what double precision makes of it is the source's as well")
        own = "both sides are the sibling's" if source.oracle.paired else "the sibling's own value"
        self.guards.append("the source's own value" if equal else own)
        return None

    def _acceptance(
        self, plan: Adaptation, channels: Channels, *, same: bool
    ) -> Verdict | str | None:
        """Why it need not refuse what it accepts, or what says that it should; None: neither."""
        source = self.source
        if unfinished(source.oracle, source.values, self.values):
            reason = "gives no result yet, which may be refused later"
            return verdict(VerdictKind.NOT_ADAPTED, reason=reason)
        if carried(plan, source.disputed):
            found = self._disputed(plan, channels)
            if found is not None:
                return found
        if self.consistent:
            reason = "accepts it everywhere: nothing says that it should refuse it"
            return verdict(VerdictKind.NOT_ADAPTED, reason=reason)
        if same and channels.family is not None and not source.refused:
            # What it comes to may be whatever lies in memory there.
            return "accepts the very same arguments, and is the same function"
        given_all = not (plan.filled or plan.drops or plan.renamed or source.disputed)
        if given_all and described_alike(channels) and not source.refused:
            return "accepts the very same arguments, and is described in the same words"
        # What is called for its effect alone is a check: it should be one everywhere.
        # What is near, or refuses it elsewhere in the same words, may be given less, if nothing is
        # filled in.
        its_own = near(channels) or plan.effect or self.refused_alike
        its_own = its_own and not (plan.drops and plan.filled)
        if its_own and self.inconsistent and not adds_inputs(plan):
            refusal = ", ".join(sorted(self.inconsistent))
            return f"elsewhere it refuses what it accepts here ({refusal})"
        return None

    def _disputed(self, plan: Adaptation, channels: Channels) -> Verdict | str | None:
        """The same of arguments that the report wants refused, and that are given to it as they
        are: by how close the two are, or by what they do where the report speaks of NaN and the
        build by now refuses its call (there is nothing to compare with then)."""
        source = self.source
        names = ", ".join(one.name for one in source.disputed)
        if source.refused and _NOT_FINITE.search(source.oracle.why or ""):
            found = {makes_infinite(self._again, self.calls, one.name) for one in source.disputed}
            if False in found:
                reason = "accepts it, and gives finite numbers, where the report speaks of others"
                return verdict(VerdictKind.NOT_ADAPTED, reason=reason)
            if found == {True}:
                return f"not finite for its {names}, and finite without"
        close = related(channels) and not plan.drops if source.refused else near(channels)
        if any(one.operand for one in source.disputed):
            close = close and alike(channels)  # every other function takes an `input`
        return f"accepts what should be refused under the same name: {names}" if close else None

    def _pointless(self, plan: Adaptation, channels: Channels) -> str | None:
        """Why the sibling cannot have the bug, given what the plan gives it, if so."""
        source = self.source
        # What an object is made of matters less than what it is given then.
        idle = plan.idle and source.oracle.kind is not SymptomKind.ACCEPTS
        if idle and not of_its_kind(source, channels):
            return "is not given what the report's call works on"
        if self._cuts_gradients(plan):
            return "gradients do not go through what it makes"
        apart = differing(source) & set(plan.astray)
        if apart:
            names = ", ".join(sorted(key.partition(":")[2] for key in apart))
            return f"is not given what the calls differ in whose results are compared: {names}"
        astray = [one.name for one in source.disputed if one.key in plan.astray]
        return f"is not given what should be refused: {', '.join(astray)}" if astray else None

    def _coincides(
        self, plan: Adaptation, channels: Channels, *, filled: bool, same: bool
    ) -> str | None:
        """Why its values may show the symptom by chance; `filled`: it works on more inputs."""
        source = self.source
        if channels.family is None and not takes_by_name(source, plan, channels):
            return "what is not finite goes by another name"
        fresh = filled and self._cause(plan) is None
        why = coincidence(
            source,
            self.values,
            close=close_for(channels, source, plan)
            or self._same_function is True
            or (related(channels) and self._same_when_finite)
            or self._alone()
            or does_as_much(source, plan, channels)
            or of_its_kind(source, channels),
            akin=alike(channels) or self._same_function is True or of_its_kind(source, channels),
            filled=fresh,
            drops=plan.loses,
            own_reference=self.written.references,
            limited=self._limited,
        )
        if why is not None:
            return why
        lawless = None if same else self._lawless()
        if lawless is not None:
            return lawless
        if self._same_function is False:
            return "an equal result, which double precision does not change as it does the source's"
        known = source.wider or alike(channels) or channels.called
        if filled and not known and self._comes_to_the_same():
            return "an equal result, with something filled in that the report has not got"
        beside = channels.called or of_its_kind(source, channels)
        beside = beside or (related if fresh and plan.loses else near)(channels)
        if (plan.scant or (fresh and plan.loses)) and source.oracle.of_finiteness and not beside:
            return "leaves out more of the report's call than it is given"
        if source.oracle.paired and mostly_filled(plan) and not near(channels):
            return "disagrees with itself, given more than the report has got"
        if self._coarser():
            return "agrees but for what its coarser dtype rounds off"
        if source.oracle.paired and cuts_off(source.oracle, source.values, self.values):
            return "agrees but for the fractions that its whole numbers do not hold"
        if self._left_alone():
            return "leaves alone one of the values that are compared"
        apart = source.apart and not alike(channels)
        if apart and not self._reduces() and mixes(self._again, self.calls):
            return "each number depends on what is not finite in other places, unlike the source's"
        return self._infinite_itself()

    def _cause(self, plan: Adaptation) -> str | None:
        """The argument that NaN comes of in the report and, given under the same name, here."""
        for one in self.source.causes:
            if carried(plan, [one]) and cured(
                self._again, self.source.oracle, self.calls, one.name
            ):
                self.guards.append(f"finite without {one.name}, as the report's call is")
                return one.name
        return None

    def _reduces(self) -> bool:
        """Whether it comes to fewer numbers than the source, as a mean of such losses does, and
        these tend to something where they are NaN."""
        had, has = self.source.values, self.values
        spots = [spot for spot in self.source.oracle.spots if spot in had and spot in has]
        sizes = [(elements(had[spot]), elements(has[spot])) for spot in spots]
        fewer = bool(sizes) and all(
            a is not None and b is not None and len(b) < len(a) for a, b in sizes
        )
        return fewer and self._limited

    def _backward(self) -> Verdict | None:
        """Whether what is not finite comes up in its gradients alone, as in the source's.

        A slope may well be infinite (of the square root at 0); where the source's is no number,
        that is not the same.
        """
        oracle = self.source.oracle
        if has_nan_at(oracle, self.source.values) and not has_nan_at(oracle, self.values):
            reason = "infinite, where the report's gradient is NaN"
            return verdict(VerdictKind.NOT_ADAPTED, reason=reason)
        if not made_backward(self._again, oracle, self.calls):
            reason = "what is not finite does not come up in its gradients"
            return verdict(VerdictKind.NOT_ADAPTED, reason=reason)
        self.guards.append("with a finite result, and given finite gradients, it hands on others")
        return None

    def imprecise(self, *, akin: bool, whole: bool) -> Verdict | None:
        """Whether double precision says that this is another function, or how it must be.

        `akin`: the two do the same to their inputs; `whole`: it is given all that the source is.
        """
        oracle = self.source.oracle
        if not oracle.of_finiteness and not self.written.references:
            return self._uncured()
        better = self._double
        if self.written.references and (better is None or not better.cures):
            if whole and self._of_form():
                self.guards.append("its own reference has the form that the report's has")
                return None
            if not self._agrees_elsewhere():
                reason = "need not be the function that it is compared with"
                return verdict(VerdictKind.NOT_ADAPTED, reason=reason)
            return self._beside_reference()
        if akin and better is not None and not better.reached:
            return self._full()
        # That it tends to something, or that nothing depends on what is let in, says enough.
        doubled = None if self._limited else better
        if self.source.precise and doubled is not None and not doubled.cures:
            reason = "double precision does not cure it, as it does the report's: it is to be so"
            return verdict(VerdictKind.EXPECTED, reason=reason)
        if (
            self.source.becomes_infinite
            and doubled is not None
            and doubled.reached
            and has_nan_at(oracle, doubled.values)
        ):
            reason = "NaN in double precision as well, where the report's value is infinite"
            return verdict(VerdictKind.EXPECTED, reason=reason)
        # What double precision does not change in the source is another thing than an infinity that
        # it does away with.
        other = self.source.precise is False and self._infinite_for_nan()
        if better is not None and better.cures and not other:
            self.guards.append("right in double precision")
            self.right = in_double(oracle, better.values)
            return None
        return self._full()

    def _uncured(self) -> Verdict | None:
        """Whether it comes to the source's very value beside a reference, and stays there in double
        precision, where the source comes to the reference: a product of small numbers is no mean
        that has overflowed."""
        source, oracle = self.source, self.source.oracle
        if not (source.referred and source.precise and self._equal):
            return None
        better = self._double
        if better is None or not better.reached or better.cures:
            return None
        if True in unlike(oracle, self.values, better.values):
            return None
        reason = "an equal result, which double precision does not change as it does the source's"
        return verdict(VerdictKind.NOT_ADAPTED, reason=reason)

    def _beside_reference(self) -> Verdict | None:
        """Whether it is wrong beside its own reference in another way than the source is."""
        oracle, source = self.source.oracle, self.source
        had, has = beyond_numbers(oracle, source.values), beyond_numbers(oracle, self.values)
        if source.hands_on and had != has:
            reason = "what is finite and what is not differ in another way than in the report"
            return verdict(VerdictKind.NOT_ADAPTED, reason=reason)
        self.guards.append("agrees with its own reference where both are given other numbers")
        return None

    def _full(self) -> Verdict | None:
        """Whether the result is infinite for being too large, or NaN, where the source's is not."""
        oracle, source = self.source.oracle, self.source
        nan = has_nan_at(oracle, self.values) and not has_nan_at(oracle, source.values)
        if nan and not misses_what_is_not_finite(source):
            reason = "NaN, where the report's value is infinite"
            return verdict(VerdictKind.NOT_ADAPTED, reason=reason)
        lost = self._infinite_for_nan()
        # Of a report that is fixed it is not known which of the two it was.
        other = lost or not (self.source.reproduces or has_nan_at(oracle, self.values))
        if other and any(leaf(call.name) in GRADIENTS for call in self.first.calls):
            reason = "a slope that is infinite, as slopes may be"
            return verdict(VerdictKind.NOT_ADAPTED, reason=reason)
        if lost:
            reason = "infinite, where the report's value is NaN"
            return verdict(VerdictKind.NOT_ADAPTED, reason=reason)
        if self.source.reproduces and self.source.demanded is not False:
            return None
        full = demanded(self._again, oracle, self.calls, self.values)
        if full:
            reason = "becomes infinite where it is as large as its dtype allows"
            return verdict(VerdictKind.EXPECTED, reason=reason)
        if full is False:
            self.guards.append("becomes infinite long before it is as large as its dtype allows")
        return None

    def _infinite_for_nan(self) -> bool:
        """Whether its values have no NaN, where the source's have."""
        oracle = self.source.oracle
        return has_nan_at(oracle, self.source.values) and not has_nan_at(oracle, self.values)

    def uncontested(self) -> Verdict | None:
        """Whether the other backend does not refuse it either, where it does the report's call."""
        source, other = self.source, self.beside
        if not source.refused_by or other is None:
            return None
        again = self._again
        refused = refuses(
            other.session,
            again.code,
            again.watched.traced,
            again.limits,
            self.target,
            self._catalog,
        )
        if refused:
            self.guards.append(f"the {source.refused_by} backend refuses it")
            return None
        if refused is None:
            reason = f"nothing tells whether the {source.refused_by} backend refuses it"
            return verdict(VerdictKind.NOT_ADAPTED, reason=reason)
        reason = f"accepted on the {source.refused_by} backend as well"
        return verdict(VerdictKind.EXPECTED, reason=reason)

    def unsteady(self) -> Verdict | None:
        """Whether nobody promises that the two values are equal, or that they can be."""
        oracle, source = self.source.oracle, self.source
        if not oracle.paired:
            return None
        if no_room(oracle, self.values) and not no_room(oracle, source.values):
            reason = "infinite just where its dtype has no room for what it is compared with"
            return verdict(VerdictKind.EXPECTED, reason=reason)
        if no_real(oracle, self.values) and not no_real(oracle, source.values):
            reason = "NaN just where the complex result is off the real axis"
            return verdict(VerdictKind.EXPECTED, reason=reason)
        draws = of_chance if source.random or oracle.beside else of_draws
        free: tuple[bool, ...] = ()
        if any(source.loose):  # where both have what nothing has written to
            own = loose(self._again, oracle, self.calls)
            free = tuple(a and b for a, b in zip(source.loose, own, strict=False))
        if draws(self._again, oracle, self.calls, free):
            return verdict(VerdictKind.NOT_ADAPTED, reason="its values are drawn at random")
        if of_ties(self._again, oracle, self.calls, self.values):
            return verdict(VerdictKind.EXPECTED, reason="the elements that they select are equal")
        if source.ill_conditioned:
            return None
        if ill_conditioned(self._again, oracle, self.calls, self.values, free):
            reason = "ill-conditioned: the last digit of its inputs matters as much"
            return verdict(VerdictKind.EXPECTED, reason=reason)
        self.guards.append("not ill-conditioned")
        return None
