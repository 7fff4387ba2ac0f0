"""Walk the public names of Keras: one record per object, with aliases and signatures.

Out, per object: `{"n": canonical name, "k": kind, "a": aliases, "s": signatures, "c": signatures of
the call, "d": documented, "w": words of its documentation}`; see `signatures_keras` for the
signatures. Kinds are function, method, module (constructed, then called: layers, models, losses,
metrics, initializers) and class.
"""

import inspect

import keras
import parameters
import public_keras as public
import signatures_keras as signatures
import words
from identity import Known


def walk():
    """Yield the record of every public object."""
    entries = Known()
    for name, thing in public.everything():
        entries.setdefault(thing, []).append(name)
    homes = set()
    for thing, names in entries.items():
        yield describe(thing, names, homes)
    for path in public.VALUES:
        for record in methods(path):
            yield record


def describe(thing, names, homes):
    """The record of a function or class; `homes` are the defining names that are taken."""
    names = sorted(set(names), key=lambda name: public.preference(name, thing))
    record = {"n": names[0], "d": bool(getattr(thing, "__doc__", None)), "c": []}
    record["w"] = words.of(thing)
    if isinstance(thing, type):
        record["c"] = parameters.call(thing)
        record["k"] = "module" if record["c"] else "class"
        record["s"] = signatures.constructor(thing)
    else:
        record["k"] = "function"
        record["s"] = signatures.function(thing)
    others = names[1:] + public.named_in_tensorflow(names)
    home = public.home(thing)
    if home.startswith("keras.") and "<" not in home and home not in homes:
        homes.add(home)
        others.append(home)
    record["a"] = sorted(set(others) - {names[0]})
    return record


def methods(path):
    """Records of what the instances of one class of values can do."""
    kind = getattr(keras, path)
    seen = Known()
    for name, thing, bound in public.methods(kind):
        full = "keras.{}.{}".format(path, name)
        if thing in seen:
            seen[thing]["a"].append(full)
            continue
        seen[thing] = {
            "n": full,
            "k": "method" if bound else "function",
            "a": [],
            "s": signatures.method(thing, path) if bound else signatures.function(thing),
            "c": [],
            "d": bool(inspect.getdoc(thing)),
            "w": words.of(thing),
        }
    return seen.values()
