"""What a reproduced bug asks of other APIs: its trigger, as facts to bring into their own calls.

In: a verified case and its trigger. Out: `Relation`s, the simplest first.

A cure takes a fact away; its inverse brings the fact back. A failure is carried over as it is: the
call fails under the trigger, and without it returns. A wrong value needs two ways that should
agree: as it is, and under a cure that keeps the right result; where the report has none, in double
precision.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from analysis.values import Value
from citadel.evidence.variations import BY_NAME as VARIATIONS
from citadel.experiment import Change, Trigger
from citadel.model import STATUS_KINDS, SymptomKind
from citadel.plan.frameworks import tensor_text
from citadel.plan.invocation import Invocation
from citadel.spread.checked import condition
from citadel.spread.fact import PLAIN, Fact, Takes
from citadel.spread.facts import BY_NAME, FACTS, Given
from citadel.spread.modes import DESCRIBED, MODES
from citadel.spread.relation import Infection, Relation
from citadel.spread.samples import elements
from citadel.verify.verified import Contradiction, Verified

WIDER, DIFFERS = "wider", SymptomKind.DISAGREES
IS = BY_NAME["is"]
CHECKED = tuple(one for one in FACTS if one.refuses)
"""Numbers that a check of a range refuses."""
UNWRITTEN = {one.name for one in VARIATIONS.values() if one.preserves and one.name != WIDER}
"""Variations of what the numbers of a tensor do not tell: its strides, memory, layout, graph."""
_OUT, TENSORS, NUMBER = "out", "inputs", "number"
_NAN = "nan"
_RANGE = math.log10(3.4e38) / math.log10(1.7e308)
"""Decimal digits of the range of single precision, as a part of those of double precision."""


def relations_of(
    verified: Verified, trigger: Trigger, use: Invocation, around: Sequence[Given] = ()
) -> list[Relation]:
    """The ways to ask for the bug of a case: by each fact of its trigger alone, then by all; where
    its code makes calls in a special way, or in surroundings (`around`), by that first. The bug may
    come of any other fact of the call as well: of the API's own valid call, with that alone, runs
    tell."""
    changes = [change for cure in trigger.cures for change in cure.changes]
    known = [(one, given) for one in trigger.changes for given in _given(one)]
    # A number may suit the report's API alone; "out of range" is said of any.
    others = sorted(_infections(known, use), key=lambda one: one.given.fact.takes is Takes.NUMBER)
    # A place may be called several times: what a cure changes is of the call that fails.
    tensors: dict[str, list[Value]] = {}
    for one in (*changes, *trigger.changes):
        if one.before is not None:
            tensors.setdefault(one.name, []).append(one.before)
    once = all(len(set(befores)) == 1 for befores in tensors.values())
    own = list(_own({name: befores[0] for name, befores in tensors.items()}, use))
    cured = _sets(changes, use)
    sets = [*cured, *((one,) for one in (*others, *own))]
    guesses = {(one,) for one in others} - {*cured, *((one,) for one in own)}
    given = {one.name for one in use.values if not one.inside}
    nan = any(given.value == _NAN for _, given in known)
    altering = {change.variation for change in trigger.changes}
    complete = given <= {one.roles[0] for one in own} and once and not altering & UNWRITTEN
    found: list[Relation] = []
    for kind, ways in _ways(verified, changes, around, nan=nan):
        if ways[1].fact.refuses:
            found += [
                Relation(infections=(one,), ways=ways, sampled=False, kind=kind)
                for one in _in_no_range(own)
            ]
            continue
        sampled = ways[0] == ways[1]
        # How a call is made as a whole may be the trigger; valid arguments alone are none.
        tried = sets if sampled or ways[1].fact.ways else [(), *sets]
        found += [
            Relation(
                infections=one,
                ways=ways,
                sampled=sampled,
                kind=None if sampled else kind,
                guessed=one in guesses,
            )
            for one in dict.fromkeys(tried)
        ]
        if own:
            # Whether these are the ways at all is known where a call says in what it is right, and
            # where it is not made in the second way itself.
            differs = bool(ways[1].fact.run) or ways[1].fact.name in altering
            whole = complete and differs and kind is DIFFERS
            together = Relation(
                infections=tuple(own), ways=ways, sampled=sampled, kind=kind, whole=whole
            )
            found.append(together)
    return found


def _in_no_range(own: Sequence[Infection]) -> Iterator[Infection]:
    """NaN as a number of the call, for any number of another one: a check that refuses other
    numbers cannot be meant to let it pass."""
    for one in own:
        if NUMBER in one.roles and _NAN in one.given.value:
            yield Infection((NUMBER,), one.given)


def _sets(changes: Sequence[Change], use: Invocation) -> list[tuple[Infection, ...]]:
    """What is brought in at once: each fact alone, in each manner; all; pairs; all in other
    manners."""
    known = [(one, given) for one in changes if (given := list(_given(one)))]
    first = [(one, given[0]) for one, given in known]
    further = [(one, each) for one, given in known for each in given[1:]]
    alone = [(one,) for one in _infections(first, use)]
    both = [
        tuple(_infections([one, other], use))
        for other in further
        for one in first
        if one[0].variation != other[0].variation
    ]
    others = [(one,) for one in _infections(further, use)]
    manners = max((len(given) for _, given in known), default=0)
    together = [
        tuple(_infections([(one, given[number % len(given)]) for one, given in known], use))
        for number in range(manners)
    ]
    return [*alone, *others, *together[:1], *both, *together[1:]]


def _own(tensors: Mapping[str, Value], use: Invocation) -> Iterator[Infection]:
    """The arguments of the call as they are: what is no tensor, and then small tensors."""
    root = use.api.name.partition(".")[0]
    plain = (one for one in use.values if not one.value.is_shaped and not one.inside)
    for one in plain:
        text = one.value.literal()
        if text is not None and IS.takes_value(text):
            number = one.value.kind in ("int", "float")
            roles = (one.name, NUMBER) if number else (one.name,)
            yield Infection(roles, Given(IS, text))
        if one.value.kind == "dtype" and one.value.text:
            # It says what the results hold: so do the tensors of what takes no dtype.
            name = one.value.text.rpartition(".")[2]
            yield Infection((TENSORS,), Given(BY_NAME["dtype"], name))
    main = use.main
    for name, value in tensors.items():
        made = _tensor(root, value)
        if made is not None:
            all_alike = main is not None and main.name == name
            yield Infection((name, TENSORS) if all_alike else (name,), Given(IS, made))


def _tensor(root: str, value: Value) -> str | None:
    """A small dense tensor as an expression; None of all else."""
    found = elements(value)
    if found is None or value.dtype is None:
        return None
    text = re.sub(r"-?\b(nan|inf)\b", r"float('\g<0>')", repr(found))
    return tensor_text(root, None, text, value.dtype)


def _ways(
    verified: Verified, changes: Sequence[Change], around: Sequence[Given], *, nan: bool
) -> Iterator[tuple[SymptomKind | None, tuple[Given, Given]]]:
    """In which two ways a call is made: one that the report takes and refuses, or what is wrong and
    what is right; twice in the same way, where the call fails. `nan`: it was given NaN."""
    symptom, plain = verified.case.symptom.kind, Given(PLAIN)
    if verified.measured is not None:
        return
    if verified.contradiction is not None:
        others = _otherwise(verified, verified.contradiction, changes)
        yield from ((symptom, ways) for ways in others)
        return
    modes = _modes(verified, changes)
    if verified.witness is None and symptom in STATUS_KINDS:
        special = [*around, *map(Given, modes)]
        yield from ((symptom, (one, Given(BY_NAME[one.fact.beyond]))) for one in special)
        yield from ((symptom, (one, one)) for one in around)
        yield symptom, (plain, plain)
    elif verified.witness is not None:
        accepts = symptom is SymptomKind.ACCEPTS
        for one in CHECKED if accepts and not modes else ():
            yield symptom, (plain, Given(one))
        differs = None if any(one.raised for one in verified.observation.calls) else DIFFERS
        for one in modes:  # None: what its own calls show, counts
            yield (symptom if accepts else differs), (Given(one), Given(BY_NAME[one.against]))
        for one in modes if not accepts else ():
            if one.name in DESCRIBED:
                told = DESCRIBED[one.name]
                yield DIFFERS, (Given(told), Given(BY_NAME[told.against]))
        if not accepts and nan:
            yield DIFFERS, (plain, Given(BY_NAME["nan-through"]))
        if not accepts:
            yield DIFFERS, (plain, _right(changes))
        asked = condition(verified)
        if asked is not None:
            yield SymptomKind.FALSE, (plain, Given(BY_NAME["checked"], asked))


def besides(relation: Relation) -> list[Relation]:
    """What else may be asked where a refusal is lost: in a way to make calls, any refusal that it
    loses, if it sees numbers; by a check of a range, those of the other end."""
    plain, other = Given(PLAIN), relation.ways[1]
    if other.fact.refuses:
        ends = (Given(one) for one in CHECKED if one is not other.fact)
        return [replace(relation, ways=(plain, end)) for end in ends]
    lost = relation.kind is SymptomKind.ACCEPTS and any(one.fact.called for one in relation.ways)
    if not lost or plain not in relation.ways:
        return []
    refused = Given(BY_NAME["refused"])
    return [replace(relation, infections=(Infection((refused.fact.role,), refused),))]


def compares_two_ways(verified: Verified) -> bool:
    """Whether a case compares values of calls that it also makes in a special way, compiled or
    differentiated: the two should agree, whatever is computed."""
    return verified.witness is not None and bool(_modes(verified, ()))


def _modes(verified: Verified, changes: Sequence[Change]) -> list[Fact]:
    """The ways in which a case makes calls as a whole, the mildest first; what a cure takes away
    comes before that."""
    taken = {change.variation for change in changes}
    made = [
        one
        for one in MODES
        if any(_makes(verified, *how.split()) for how in one.called) or _gets(verified, one)
    ]
    first = [one for one in MODES if taken & set(one.brings_back)]
    return list(dict.fromkeys([*first, *made]))


def _otherwise(
    verified: Verified, contradiction: Contradiction, changes: Sequence[Change]
) -> list[tuple[Given, Given]]:
    """The ways to make a call of which it returns in one, and is refused in the other, as it is."""
    plain = Given(PLAIN)
    if contradiction.way is None:
        compiled = (one for one in _modes(verified, changes) if one.name in DESCRIBED)
        return [(Given(one), plain) for one in compiled]
    known = (one for one in (*FACTS, *MODES) if one.known_by == contradiction.way)
    return [(plain, Given(one)) for one in known]


def _right(changes: Sequence[Change]) -> Given:
    """The way that is compared with: under a cure that keeps the right result, else in a wider
    dtype."""
    kept = [one.variation for one in changes if VARIATIONS[one.variation].preserves]
    return Given(BY_NAME[kept[0] if kept else WIDER])


def _gets(verified: Verified, mode: Fact) -> bool:
    """Whether a case calls its API with tensors by which a mode is known."""
    name, known = mode.known_by
    calls = (one for one in verified.observation.calls if one.name == verified.case.api)
    given = (argument.value for call in calls for argument in call.inputs())
    tensors = (value for value in given if value.is_tensor)
    return bool(name) and any(getattr(value, name) == known for value in tensors)


def _makes(verified: Verified, name: str, keyword: str = "") -> bool:
    """Whether a case calls an API, with a keyword that is true, if one is asked for."""
    for call in verified.observation.calls:
        if call.name == name:
            given = {key: argument.value.text for key, argument in call.keywords}
            if not keyword or given.get(keyword) == str(True):
                return True
    return False


def _infections(pairs: Sequence[tuple[Change, Given]], use: Invocation) -> list[Infection]:
    """Facts, for the arguments of the same roles as those that had them; one for all tensors stands
    for those of single ones."""
    alone = len(pairs) == 1
    found = [
        Infection((given.fact.role,) if given.fact.role else _roles(one, use, alone=alone), given)
        for one, given in pairs
    ]
    of_all = {one.given for one in found if one.roles == (TENSORS,)}
    kept = (
        one
        for one in found
        if one.roles == (TENSORS,) or TENSORS not in one.roles or one.given not in of_all
    )
    return list(dict.fromkeys(kept))


def _given(change: Change) -> Iterator[Given]:
    """The facts that a change has taken away, as far as they can be brought back."""
    value = change.before
    for fact in FACTS if value is not None else ():
        if value is None or fact.only not in ("", change.name):
            continue
        taken = fact.brings_back if value.is_shaped else fact.of_numbers or fact.brings_back
        named = _value(fact.takes, value) if change.variation in taken else None
        if named is not None and fact.takes_value(named):
            yield Given(fact, named)


def _roles(change: Change, use: Invocation, *, alone: bool) -> tuple[str, ...]:
    """The parameter of that name; else all tensors, or (`alone`, where nothing else is brought in)
    any plain number, as the argument is one."""
    if change.name == _OUT:
        return (_OUT,)
    value = change.before
    if value is None or not value.is_shaped:
        return (change.name, NUMBER) if alone else (change.name,)
    main = use.main
    first = main is not None and main.name == change.name
    return (TENSORS,) if first else (change.name, TENSORS)


def _value(takes: Takes, value: Value) -> str | None:
    """What a fact names, of the argument that had it; None where nobody knows."""
    match takes:
        case Takes.NOTHING:
            return ""
        case Takes.DTYPE | Takes.WHOLE:
            return value.dtype
        case Takes.LAYOUT:
            return (value.layout or "").removeprefix("sparse_") or None
        case Takes.NUMBER:
            return _number(value)
        case Takes.VALUE | Takes.CONDITION | Takes.CONTEXT | Takes.SWITCH:
            return None  # see `_own` and `_ways`


def _number(value: Value) -> str | None:
    """The number that stands out: NaN or an infinity, else the largest by its size."""
    if not value.is_shaped:
        return value.text if value.kind in ("int", "float") else None
    numbers = value.numbers
    if numbers is None:
        return None
    if not numbers.finite:
        return _NAN if numbers.nan else "inf" if numbers.inf else "-inf"
    ends = [end for end in (numbers.low, numbers.high) if end is not None]
    return _in_single(max(ends, key=abs), value.dtype or "") if ends else None


def _in_single(number: float, dtype: str) -> str:
    """A number that single precision cannot hold as far into its range: samples have that.

    >>> _in_single(4e25, "float32"), _in_single(1e200, "float64"), _in_single(2.0**31, "int64")
    ('4e+25', '1e+25', '2147483648')
    """
    if not dtype.startswith(("float", "bfloat")):
        return str(int(number))
    if abs(number) > float(np.finfo(np.float32).max):
        number = math.copysign(10 ** (math.log10(abs(number)) * _RANGE), number)
        return f"{number:.0e}"
    texts = (f"{number:.{digits}g}" for digits in range(1, 10))
    return next((one for one in texts if np.float32(one) == np.float32(number)), repr(number))
