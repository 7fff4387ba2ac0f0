"""What values are like before and after an attempt: whether it has written to any of them.

In: live values of a case. Out: marks that can be compared with `==`; equal ones say that no tensor
among them, or inside of objects among them, has been written to, and no iterator has gone on.
"""

import collections
import itertools
import operator
import sys
import types

PLAIN = (
    (int, int.__int__),
    (float, float.__repr__),  # NaN, which equals nothing, included
    (complex, complex.__repr__),
    (str, str.__str__),
    (bytes, lambda text: b"".join([text])),
)
"""Classes of plain values, and what makes one of a subclass bare without running code of it."""
STAGES = (map, zip, filter, enumerate, reversed)
"""Iterators over others, which they tell."""
LEVELS = 6
"""How deep the tensors of a layer's layers lie: attributes, layers, one of them, and so again."""
MOST_PARTS = 64
"""Of a list, a dictionary or an object, as far as it is an argument's part."""
MOST_THINGS = 1000
"""That have parts, of all arguments together; what lies farther away is not looked into."""


def state(live, values):
    """What changes when an attempt writes to its arguments, or to objects among them.

    Lists, dictionaries and attributes are looked into, what is nearest first: `weight_norm(layer)`
    changes the layer's attributes, `optimizer.step()` tensors that it holds.
    """
    marks, seen = [], {}
    waiting = collections.deque((value, LEVELS, None) for value in values.values())
    while waiting:
        thing, levels, most = waiting.popleft()
        known, parts = inner(live, thing, most)
        if id(thing) in seen or (parts and (not levels or len(seen) > MOST_THINGS)):
            marks.append(id(thing))
            continue
        marks.append(known)
        if parts:
            seen[id(thing)] = thing  # kept, lest another gets its number
            waiting.extend((part, levels - 1, MOST_PARTS) for part in parts)
    return marks


def inner(live, thing, most):
    """What tells a change of a thing itself, and its parts, at most so many.

    It runs no code of the thing's class where that can be helped; what fails is told by its number.
    """
    try:
        known = plain(thing)
        if known is not None:
            return known, ()
        if live.is_tensor(thing):
            return live.mark(thing), ()
        if isinstance(thing, (list, tuple)):
            items = (list if isinstance(thing, list) else tuple).__iter__(thing)
            parts = list(itertools.islice(items, most))
            return (id(type(thing)), len(parts)), parts
        if isinstance(thing, types.GeneratorType):
            frame = thing.gi_frame
            return (id(thing), None if frame is None else frame.f_lasti), ()
        if type(thing) in STAGES:
            return id(thing), [part for part in thing.__reduce__()[1] if part is not None]
        if hasattr(type(thing), "__next__"):
            return (id(thing), operator.length_hint(thing, -1)), ()
        if isinstance(thing, dict):
            names, parts = parts_of(thing)
            return (id(type(thing)), names), parts
        held = getattr(thing, "__dict__", None)
        if type(held) is not dict or isinstance(thing, (type, type(sys))):
            return id(thing), ()
        names, parts = parts_of(held)
        return (id(type(thing)), id(thing), names), parts
    except BaseException:
        return id(thing), ()


def plain(thing):
    """A number or text as something that can be compared whatever its class; None of others."""
    if thing is None:
        return id(thing)
    for kind, bare in PLAIN:
        if isinstance(thing, kind):
            return id(type(thing)), bare(thing)
    return None


def parts_of(pairs):
    """(the names, the values) of a dictionary; a name that is no plain value by its number."""
    items = list(itertools.islice(pairs.items(), MOST_PARTS))
    return tuple(plain(name) or id(name) for name, _ in items), [part for _, part in items]
