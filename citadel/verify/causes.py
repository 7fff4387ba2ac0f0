"""What a value that is not finite comes of: an argument (`eps=-1.5`, `p=inf`), or its own input.

In: a case that can be run again, with its calls. Out: arguments. A sibling that is given the same
under the same name, and is cured in the same way, has the bug whatever else it is given.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from analysis.catalog.model import Catalog
from analysis.target.observation import Call, Observation, Outcome
from citadel.model import SymptomKind
from citadel.oracle.numbers import finite, has_nan, same
from citadel.oracle.value import Spot, ValueOracle, Values, shows, unlike, values_of
from citadel.plan.invocation import Invocation
from citadel.traced import leaf, resolve
from citadel.verify.disputed import Disputed
from citadel.verify.guards import Rerun, told
from citadel.verify.identify import MAKERS

MOST = 4
"""Arguments that are looked at, one run each."""
_NUMBERS = ("int", "float")


def causes(
    again: Rerun, oracle: ValueOracle, given: Invocation, blamed: Sequence[Call]
) -> tuple[Disputed, ...]:
    """The numbers among what a call is given without which (at their defaults) the value is finite;
    none for oracles of another kind. `blamed`: it, and those that are made like it."""
    if not oracle.of_finiteness:
        return ()
    numbers = [one for one in given.values if one.value.kind in _NUMBERS][:MOST]
    told = (Disputed(key=one.key, name=one.name) for one in numbers)
    return tuple(one for one in told if cured(again, oracle, blamed, one.name))


def makes_infinite(again: Rerun, calls: Sequence[Call], name: str) -> bool | None:
    """Whether a call, given finite numbers, has a result that is not finite; None where that is not
    known to come of this argument, as it is finite with the parameter's default."""
    found = {(one.site, one.occurrence): one for one in told(again, calls)}
    wrong = {
        place
        for place, one in found.items()
        if one.finite is False and all(finite(given) is not False for given in one.given)
    }
    if not wrong:
        return False
    fine = {(one.site, one.occurrence) for one in told(again, calls, without=name) if one.finite}
    return True if wrong <= fine else None


def cured(again: Rerun, oracle: ValueOracle, calls: Sequence[Call], name: str) -> bool:
    """Whether the value is finite where these calls are given the default of a parameter."""
    seen = again.run("perturb:defaulted", calls, name=name)
    return seen.outcome is Outcome.OK and shows(oracle, seen, values_of(seen)) is False


def not_finite_inputs(
    again: Rerun, given: Invocation, operands: Collection[str]
) -> tuple[Disputed, ...]:
    """The arguments of a call with NaN or infinities, if it is given several tensors; none where
    that cannot be told. `operands` are names that many APIs have for whatever they work on."""
    tensors = [one for one in given.values if one.value.is_shaped]
    place = given.call.site, given.call.occurrence
    seen = [one for one in told(again, [given.call]) if (one.site, one.occurrence) == place]
    if len(tensors) < 2 or not seen or len(seen[0].given) != len(tensors):
        return ()
    found = zip(tensors, seen[0].given, strict=True)
    wrong = (one for one, value in found if finite(value) is False)
    return tuple(
        Disputed(key=one.key, name=one.name, operand=one.name in operands) for one in wrong
    )


def of_inputs(
    again: Rerun, oracles: Sequence[ValueOracle], first: Observation, catalog: Catalog
) -> list[ValueOracle]:
    """Where NaN or infinities are those that the case itself has put into its inputs: `x.isnan()`
    beside `f(x).isnan()` tells nothing of `f`."""
    values = values_of(first)
    known = [one for one in oracles if one.of_finiteness and one.spots]
    wrong = [one for one in known if all(_not_finite(values, spot) for spot in one.spots)]
    doing = [c for c in first.calls if leaf(c.name) not in MAKERS and resolve(c, catalog)]
    if not wrong or not doing:
        return []
    inputs = [one.made for one in told(again, [c for c in first.calls if leaf(c.name) in MAKERS])]
    alike = [
        one
        for one in wrong
        if all(any(same(values[spot], value) for value in inputs) for spot in one.spots)
    ]
    # What hands on NaN gives just what it is given.
    other = values_of(again.run("perturb:run", doing)) if alike else {}
    return [one for one in alike if set(unlike(one, values, other)) == {False}]


def _not_finite(values: Values, spot: Spot) -> bool:
    return spot in values and finite(values[spot]) is False


def not_finite_itself(
    oracle: ValueOracle, own: Sequence[bool | None], values: Values
) -> ValueOracle | None:
    """That the API's own side of two that are compared is NaN, if the other one is finite: for what
    a sibling comes to, there may be nothing to compare with.

    An infinity may be as large as the reference that a dtype has no room for.
    """
    kinds = (SymptomKind.FALSE, SymptomKind.DISAGREES)
    if oracle.beside or oracle.kind not in kinds or set(own) != {True, False} or len(own) != 2:
        return None
    spot, other = oracle.spots if own[0] else oracle.spots[::-1]
    if (
        spot not in values
        or not has_nan(values[spot])
        or other not in values
        or not finite(values[other])
    ):
        return None
    return ValueOracle(kind=SymptomKind.NON_FINITE, spots=(spot,), why=oracle.why)
