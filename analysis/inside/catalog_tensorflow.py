"""Walk the public names of TensorFlow: one record per object, with aliases and signatures.

Out, per object: `{"n": canonical name, "k": kind, "a": aliases, "s": signatures, "c": signatures of
the call, "d": documented, "w": words of its documentation, "o": operators}`; see
`signatures_tensorflow` for the signatures. Kinds are function, method, module (constructed, then
called: layers, models, losses, metrics, initializers), class and op (`tf.raw_ops.*`). `o` names the
operator of a generated function.
"""

import inspect

import public_tensorflow as public
import signatures_tensorflow
import words
from identity import Known
from opdefs_tensorflow import by_code, operator_of

RAW = "tf.raw_ops."


def walk():
    """Yield the record of every public object."""
    codes = by_code()
    entries = Known()
    for name, thing in public.everything():
        entries.setdefault(thing, []).append(name)
    homes = set()
    # Raw operators last: what is defined is the function that they wrap.
    ordered = sorted(entries.items(), key=lambda entry: entry[1][0].startswith(RAW))
    for thing, names in ordered:
        yield describe(thing, names, codes, homes)
    for path in public.TENSORS + public.DATA:
        for record in methods(path):
            yield record


def describe(thing, names, codes, homes):
    """The record of a function or class; `homes` are the defining names that are taken."""
    names = sorted(set(names), key=lambda name: public.preference(name, thing))
    operator = operator_of(thing, codes)
    record = {"n": names[0], "d": bool(getattr(thing, "__doc__", None)), "c": [], "o": []}
    record["w"] = words.of(thing)
    if isinstance(thing, type):
        record["c"] = signatures_tensorflow.call(thing)
        record["k"] = "module" if record["c"] and is_keras(thing) else "class"
        record["s"] = signatures_tensorflow.constructor(thing)
    else:
        raw = names[0].startswith(RAW)
        record["k"] = "op" if raw else "function"
        record["s"] = signatures_tensorflow.function(thing, operator, raw)
        record["o"] = [operator] if operator else []
    record["a"] = names[1:]
    home = public.home(thing)
    if home.startswith(("tensorflow.", "keras.")) and "<" not in home and home not in homes:
        homes.add(home)
        record["a"].append(home)
    record["a"] = sorted(set(record["a"]) - {names[0]})
    return record


def is_keras(kind):
    """Whether a class is one of Keras, whose instances are made to be called."""
    return any((base.__module__ + ".").startswith(public.KERAS_HOMES) for base in kind.__mro__)


def methods(path):
    """Records of what the instances of one class of values can do."""
    kind = getattr(*public.located("tf." + path))
    seen = Known()
    for name, thing, bound in public.methods(kind):
        full = "tf.{}.{}".format(path, name)
        if thing in seen:
            seen[thing]["a"].append(full)
            continue
        if bound:
            found = signatures_tensorflow.method(name, thing, path.rpartition(".")[2])
        else:
            found = signatures_tensorflow.function(getattr(kind, name))
        seen[thing] = {
            "n": full,
            "k": "method" if bound else "function",
            "a": aliases(kind, name, full),
            "s": found,
            "c": [],
            "o": [],
            "d": bool(inspect.getdoc(thing)),
            "w": words.of(thing),
        }
    return seen.values()


def aliases(kind, name, full):
    """The name under which the class that has a method is defined."""
    own = next((base for base in kind.__mro__ if name in vars(base)), kind)
    found = "{}.{}.{}".format(own.__module__, own.__qualname__, name)
    return [found] if found != full else []
