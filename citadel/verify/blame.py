"""Whose fault a wrong value is: the API that it depends on.

In: a case with an oracle, and the calls that come before what it shows. The case is run once more
with a suspect's results replaced by others; what does not change then is a reference. Where one
function gives two values, run in two ways, that differ without the suspect, too, it is somebody
whose result the suspect is given.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from analysis.catalog.model import Api, Catalog
from analysis.rules import Phrase
from analysis.target.instrument import Watched
from analysis.target.observation import Call, Observation
from analysis.target.session import Baseline, Limits
from citadel.oracle.backends import OnBoth, Runs
from citadel.oracle.hints import is_slope
from citadel.oracle.numbers import finite
from citadel.oracle.value import Spot, ValueOracle, Values, agrees, has_nan_at, unlike, values_of
from citadel.traced import leaf, resolve
from citadel.verify.guards import Rerun
from citadel.verify.identify import MAKERS
from citadel.verify.infinities import made_backward
from citadel.verify.suspects import spoken, titled
from harvest.report.model import Mention

MOST_SUSPECTS = 8
_GIVES_NAN = Phrase(
    "word/gives-nan",
    r"\b(?:is|are|gives?|returns?|yields?|produces?|becomes?|outputs?)\b.{0,20}\b(?:nans?|inf\w*)\b",
    re.IGNORECASE,
    finds=("torch.log1p gives a NaN", "the loss becomes inf"),
    spares=("NaN is ignored by amax",),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Blamed:
    """Who is to blame: `own`, `made_backward` and `steady` as in `Witness`."""

    call: Call
    api: Api
    own: tuple[bool | None, ...]
    made_backward: bool = False
    steady: frozenset[Spot] = frozenset()


class Trial:
    """One case, run in several ways."""

    def __init__(
        self,
        code: str,
        case: Watched,
        session: Runs,
        catalog: Catalog,
        limits: Limits,
        mentions: Sequence[Mention],
        title: str = "",
    ) -> None:
        self._mentions = mentions
        self._title = title
        self.case = case
        self.again = Rerun(code=code, watched=case, session=session, limits=limits)
        self._catalog = catalog

    def on_both(self, beside: Baseline) -> Trial:
        """The same, run on another backend, too."""
        again = self.again
        runs = OnBoth(here=again.session, there=beside.session)
        limits = again.limits
        return Trial(
            again.code, self.case, runs, self._catalog, limits, self._mentions, self._title
        )

    def run(self, seed: int) -> Observation:
        """With its values watched; the first run is traced as well."""
        text = self.case.traced if seed == 0 else self.case.text
        again = self.again
        return again.session.run(again.code, traced=text, limits=again.limits, seed=seed)

    def blamed(
        self,
        oracle: ValueOracle,
        values: Values,
        calls: Sequence[Call],
        suspected: Sequence[tuple[Call, Api]],
    ) -> Blamed:
        """The first suspect that the values depend on, and which of them do.

        Where they depend on none (a shape, say, or the slope of a slope), it is the first suspect.
        What makes a case's inputs is suspected only where nothing else is called, or the title
        names it. What makes a function (`vmap(f)`) or another object (a distribution) cannot be
        replaced: it is to blame if the title names it, and not what the values depend on.
        """
        doing = [
            pair
            for pair in suspected
            if leaf(pair[0].name) not in MAKERS or titled(pair[1], self._mentions)
        ]
        behind: Blamed | None = None  # who makes what the value should be
        wraps: Blamed | None = None
        for call, api in (doing or list(suspected))[:MOST_SUSPECTS]:
            of_api = [one for one in calls if resolve(one, self._catalog) is api]
            other = values_of(self.again.run("perturb:run", of_api))
            own = _changes(oracle, values, other)
            refers = _of_reference(oracle, values, own, self._title)
            if refers and not titled(api, self._mentions):
                behind = behind or Blamed(call=call, api=api, own=own)
                continue
            named = titled(api, self._mentions)
            if named and own and set(own) == {False}:
                # Where it writes to, say, is the same whatever it writes.
                own = _changes(oracle, values, values_of(self.again.run("perturb:omitted", of_api)))
            if True in own:
                steady = frozenset(at for at in values if at in other and values[at] == other[at])
                mine = Blamed(call=call, api=api, own=own, steady=steady)
                found = (None if named else wraps) or mine
                return self._before(found, oracle, calls, suspected)
            told = named or spoken(api, self._title)
            if (
                told
                and wraps is None
                and (
                    # Without its tensor the case does not come so far.
                    (named and None in own and _makes_tensor(call))
                    or _gives(call, calls)
                    or self._goes_through(oracle, call)
                )
            ):
                wraps = Blamed(call=call, api=api, own=tuple(None for _ in own))
            made = made_backward(self.again, oracle, of_api)
            if made:
                return Blamed(call=call, api=api, own=tuple(True for _ in own), made_backward=True)
            if titled(api, self._mentions) and has_nan_at(oracle, values):
                break  # NaN stays NaN, whatever it depends on
        else:
            if behind is not None:
                return behind
            call, api = suspected[0]
        return Blamed(call=call, api=api, own=tuple(None for _ in oracle.spots))

    def _before(
        self,
        found: Blamed,
        oracle: ValueOracle,
        calls: Sequence[Call],
        suspected: Sequence[tuple[Call, Api]],
    ) -> Blamed:
        """Who is to blame for two values of one function that still differ without the suspect.

        The function is run twice, eagerly and compiled, say. Who comes before the suspect in it is
        to blame if the values agree as soon as its call is left out, too.
        """
        passes: dict[int, list[Call]] = {}
        for one in calls:
            passes.setdefault(one.site, []).append(one)
        of_api = [one for one in calls if resolve(one, self._catalog) is found.api]
        whole = all(len(passes[one.site]) > 1 for one in of_api)
        if not (oracle.paired and all(found.own) and whole):
            return found
        # Of what is given in another precision rounding alone may be what differs.
        first = [each[0] for each in passes.values() if len(each) > 1 and _given_alike(each)]
        begun = min(one.number for one in of_api)
        apis = [api for _, api in suspected if api is not found.api]
        sooner = [(one, resolve(one, self._catalog)) for one in first if one.number < begun]
        others = [(one, api) for one, api in sooner if any(api is known for known in apis)]
        if titled(found.api, self._mentions):
            others = [(one, api) for one, api in others if api and titled(api, self._mentions)]
        if not others or self._agree_without(oracle, of_api) is not False:
            return found
        for call, api in others[:MOST_SUSPECTS]:
            if api is not None and self._agree_without(oracle, [*of_api, call]):
                return replace(found, call=call, api=api)
        return found

    def _agree_without(self, oracle: ValueOracle, calls: Sequence[Call]) -> bool | None:
        """Whether the two values agree with these calls left out; None where they are not there."""
        return agrees(oracle, values_of(self.again.run("perturb:omitted", calls)))

    def _goes_through(self, oracle: ValueOracle, call: Call) -> bool:
        """Whether a gradient is shown, which need not depend on what a call gives that it goes
        through: that of a sum does not."""
        return _makes_tensor(call) and all(
            is_slope(self.case.points[number]) for number in oracle.points
        )


def _makes_tensor(call: Call) -> bool:
    return call.result is not None and call.result.value.is_tensor


def _of_reference(
    oracle: ValueOracle, values: Values, own: Sequence[bool | None], title: str
) -> bool:
    """Whether the one of two values alone depends on a suspect that is what the other should be:
    the second one, if the report says so, or the finite one, if the title complains of NaN."""
    if oracle.against and tuple(own) == (False, True):
        return True
    if not _GIVES_NAN.search(title):  # to lose NaN, or to ignore it, may be what is wrong
        return False
    fine = [finite(values[spot]) for spot in oracle.spots if spot in values]
    return sorted(fine, key=str) == [False, True] and list(own) == fine


def _given_alike(calls: Sequence[Call]) -> bool:
    """Whether calls are given values of the same dtypes."""
    dtypes = {tuple(argument.value.dtype for argument in one.arguments) for one in calls}
    return len(dtypes) == 1


def _gives(made: Call, calls: Sequence[Call]) -> bool:
    """Whether a call makes a function, or another object of which a method gives something."""
    if made.result is None or made.result.value.kind not in ("function", "other"):
        return False
    if made.result.value.kind == "function":
        return True
    # Objects are known by where their class is defined, calls by its public name.
    owners = (made.result.value.text, made.name)
    methods = (one for one in calls if one.name.rpartition(".")[0] in owners)
    return any(one.result is not None and one.result.value.kind != "none" for one in methods)


def _changes(oracle: ValueOracle, one: Values, other: Values) -> tuple[bool | None, ...]:
    """For each spot of the oracle, whether its value has changed; NaN that stays tells nothing."""
    found = unlike(oracle, one, other)
    if not oracle.of_finiteness:
        return found
    fine = (spot not in other or finite(other[spot]) is not False for spot in oracle.spots)
    return tuple(change if ok else None for change, ok in zip(found, fine, strict=True))
