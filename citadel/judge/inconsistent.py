"""Whether a case refuses in one place what it lets through in another ("eager mode raises").

In: the calls of one run, and the API in question. Out: where its calls raised though others, of
the same arguments as far as a trace tells, returned. A sibling that does so in the same places has
the bug, whatever it computes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from analysis.target.observation import Call
from analysis.values import Value
from citadel.oracle import status


def refused_in_part(
    calls: Iterable[Call], *, all_of_it: bool = False, sized: bool = False
) -> frozenset[tuple[int, str]]:
    """(site, type of the exception) of calls that raised where one of the same kind returned.

    `all_of_it`: where the case is not traced, it lets all of them through that it compiles.
    `sized`: tensors have to be of one size and dtype, not of one rank alone.
    """
    made = [call for call in calls if not call.explained]
    accepted = {_given(call, sized=sized) for call in made if call.result is not None}
    return frozenset(
        (call.site, call.raised.type)
        for call in made
        if call.raised is not None and (all_of_it or _given(call, sized=sized) in accepted)
    )


def same_words(
    own: Iterable[Call],
    calls: Iterable[Call],
    sites: Mapping[int, int],
    apis: tuple[str, str],
) -> bool:
    """Whether two APIs are refused in one place for one reason: "f" and "g" not implemented for
    'Long'. `sites`: where the calls of the one are those of the other."""
    refused = [call for call in calls if call.raised is not None and not call.explained]
    return any(
        status.matches(status.of_raised(one.raised), status.of_raised(other.raised), apis)
        for one in own
        if one.raised is not None
        for other in refused
        if other.raised is not None and sites.get(one.site) == other.site
    )


def _given(call: Call, *, sized: bool) -> tuple[object, ...]:
    """What a call is given; of tensors, which may be of a graph, and lists the dimensions alone."""
    named = sorted(call.keywords, key=str)
    keywords = ((name, _told(argument.value, sized=sized)) for name, argument in named)
    receiver = () if call.receiver is None else (_told(call.receiver.value, sized=sized),)
    return (*receiver, *(_told(one.value, sized=sized) for one in call.arguments), *keywords)


def _told(value: Value, *, sized: bool) -> object:
    if value.is_tensor:
        return (value.shape, value.dtype) if sized else value.rank
    if value.kind in ("list", "tuple") and value.items:
        first = _told(value.items[0], sized=False)
        return first + 1 if isinstance(first, int) else 1
    return value.literal() or value.kind
