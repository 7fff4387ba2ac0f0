"""Make up calls of APIs that no example reaches, from their signatures, and record what they run.

In: `[name, alias, ...]` per API. Out: the records of `tested`. Each required parameter gets a
value by its name or type; all tensors have one shape, then another, of floats, whole numbers and
truth values. An API named `...2D` gets images first.
"""

import re

import keras
import numpy as np
import parameters
import public_keras as public
import signatures_keras as signatures
from described import describe_call
from guard_keras import configures
from recorder_keras import Recorder
from tested_keras import KerasTested, prepare

PROVIDER = "synthesis"
LABEL = "synthesis"
ENOUGH = 2
SHAPES = ((2, 3), (2, 4, 3), (3, 3), (2, 4, 4, 3), (4,), (2, 2), (2, 4, 4, 4, 3), ())
OF_DIMENSIONS = {"1": (2, 6, 3), "2": (2, 6, 6, 3), "3": (2, 4, 4, 4, 3)}
DTYPES = ("float32", "int32", "bool", "complex64")
FEWER_DTYPES = 5
"""Shapes after so many are tried with floats alone."""
_DIMENSION = re.compile(r"([123])d(?![a-z])", re.IGNORECASE)
WORDS = (
    ("axis1", 0),
    ("axis2", 1),
    ("axis", -1),
    ("axes", 0),
    ("dtype", "float32"),
    ("kernel_size", 2),
    ("pool_size", 2),
    ("padding", 1),
    ("crop", 1),
    ("filters", 2),
    ("rate", 0.5),
    ("factor", 0.2),
    ("shape", (6,)),
    ("size", 2),
    ("equation", "...i->...i"),
    ("subscripts", "...i->...i"),
    ("name", "a"),
    ("mode", "constant"),
    ("shift", 1),
    ("boundaries", [0.0, 0.5]),
    ("steps", 4),
    ("stop", 5),
    ("start", 0),
    ("epsilon", 1e-3),
    ("seed", 1),
)
"""Values of parameters with such a part in their names."""
INDICES = frozenset("indices segment_ids labels target_ids shifts".split())
SIZES = frozenset("num n k units dim depth heads bins classes groups length".split())
TYPES = {
    "int": 2,
    "float": 0.5,
    "bool": True,
    "string": "a",
    "str": "a",
    "shape": (2, 3),
    "int[]": [1],
    "float[]": [0.5],
    "type": "float32",
}


def profile(names, part=0, parts=1, first=0, skip=()):
    """Call every `parts`-th API from number `first` on, without the calls in `skip`."""
    prepare()
    skip, recorder = frozenset(skip), Recorder()
    for number in range(part, len(names), parts):
        if number < first:
            continue
        yield {"entry": number, "of": len(names)}
        name = names[number][0]
        if configures(name):
            yield {"n": name, "f": "changes settings or surroundings", "v": PROVIDER}
            continue
        thing, calls = subject(name)
        if thing is None:
            continue
        keras.utils.set_random_seed(0)
        tested = KerasTested(name, thing, recorder, PROVIDER)
        for record in tested.run(calls, skip, label=LABEL, enough=ENOUGH):
            yield record


def attempt(name, number):
    """Make one of the calls again, alone in a fresh process."""
    prepare()
    thing, calls = subject(name[0])
    call = list(calls)[number]
    yield {"at": name[0], "call": describe_call(call)}
    tested = KerasTested(name[0], thing, Recorder(), PROVIDER)
    tested.attempt(call)
    for record in tested.result():
        yield record


def subject(name):
    """(what has that name, an iterator of calls to try); None where nothing can be called."""
    place = public.located(name)
    if place is None or place[0] is keras.KerasTensor:  # whose methods run nothing
        return None, ()
    thing = getattr(*place)
    if isinstance(place[0], type):
        found = signatures.method(thing, place[0].__name__)
        return thing, made(name, found[0]["p"], None)
    if isinstance(thing, type):
        built, called = signatures.constructor(thing), parameters.call(thing)
        if not built:
            return None, ()
        return thing, made(name, called[0]["p"] if called else [], built[0]["p"])
    found = signatures.function(thing)
    return (thing, made(name, found[0]["p"], None)) if found else (None, ())


def made(name, rows, built):
    """Calls as `tested` takes them, the likeliest first."""
    for count, shape in enumerate(shapes(name)):
        for dtype in DTYPES if count < FEWER_DTYPES else DTYPES[:1]:
            try:
                args = arguments(rows, shape, dtype)
                constructor = None if built is None else (arguments(built, shape, dtype), {})
            except Exception:
                continue  # no variable of that dtype, say
            yield args, {}, constructor


def shapes(name):
    """Shapes to try: those of images for what is named after their dimensions."""
    found = _DIMENSION.findall(name.rpartition(".")[2])
    special = [OF_DIMENSIONS[found[-1]]] if found else []
    return special + [shape for shape in SHAPES if shape not in special]


def arguments(rows, shape, dtype):
    """A value for each required positional parameter."""
    return tuple(
        value(row[0], row[1], shape, dtype) for row in rows if row[2] is None and row[3] == ""
    )


def value(name, kind, shape, dtype):
    """The value of one parameter: by its name, else by its type, else a tensor."""
    if name == "self" and kind in public.VALUES:
        return receiver(shape, dtype)
    if name in INDICES:
        return np.zeros(shape[:1], "int32")
    if kind == "func" or name in ("fn", "f", "function", "body", "cond"):
        return lambda *given: given[0]
    if kind == "Tensor[]" or name in ("xs", "arrays", "tensors"):
        return [filled(shape, dtype), filled(shape, dtype)]
    if kind != "Tensor":
        for part, found in WORDS:
            if part in name:
                return found
        if SIZES & set(name.split("_")):
            return 2
    if name == "layer":
        return keras.layers.Dense(2)
    return TYPES[kind] if kind in TYPES else filled(shape, dtype)


def receiver(shape, dtype):
    """What a method is called on."""
    return keras.Variable(filled(shape, dtype))


def filled(shape, dtype):
    """An array: fractions between 0 and 1, small numbers, or both truth values."""
    count = int(np.prod(shape))
    if dtype == "float32":
        return np.linspace(0.1, 0.9, count, dtype=dtype).reshape(shape)
    return (np.arange(count) % 2).astype(dtype).reshape(shape)
