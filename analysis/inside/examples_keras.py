"""Run the examples of docstrings and record what each API runs.

In: `[name, alias, ...]` per API. Out: the records of `tested_keras`; none of what has no example.
An example is executed one statement after the other with a recorder in the API's place; its calls
are then profiled alone. Symbolic tensors become tensors of ones.
"""

import ast
import contextlib
import io
import math

import backend_keras as backend
import keras
import numpy as np
import public_keras as public
from docs_tensorflow import statements
from guard_keras import configures
from patience_tensorflow import patience
from recorder_keras import Recorder
from signatures_keras import called
from tested_keras import MOST_SAMPLES, Tested, prepare

PROVIDER = "example"
SECONDS_PER_STATEMENT = 5.0
SPACES = "ops layers models losses metrics initializers optimizers random activations utils".split()


def profile(names, part=0, parts=1, first=0, skip=()):
    """Run the examples of every `parts`-th API from number `first` on, without those in `skip`."""
    prepare()
    skip, recorder = frozenset(skip), Recorder()
    for number in range(part, len(names), parts):
        if number < first:
            continue
        yield {"entry": number, "of": len(names)}
        places = [place for place in map(public.located, names[number]) if place is not None]
        if not places or configures(names[number][0]):
            continue
        name, thing = names[number][0], getattr(*places[0])
        key = name + "#example"
        lines = [line for source in documentation(thing) for line in split(source)]
        if not calls_it(lines, names[number]) or key in skip:
            continue
        yield {"at": key}
        keras.utils.set_random_seed(0)
        calls = recorded(name, thing, places, lines)
        if not calls:
            yield {"n": name, "f": "example without a call", "v": PROVIDER}
            continue
        for record in Tested(name, thing, recorder, PROVIDER).run(calls[:MOST_SAMPLES], skip):
            yield record


def documentation(thing):
    """Sources of the examples of an API, in order."""
    found = statements(getattr(thing, "__doc__", None))
    if isinstance(thing, type):
        for name in ("__init__", "call", "__call__", "update_state"):
            method = vars(thing).get(name)
            found += [item for item in statements(getattr(method, "__doc__", None)) if item]
    return found


def split(source):
    """The statements of an example; a fenced block has several."""
    found = []
    with contextlib.suppress(SyntaxError, ValueError):
        for node in ast.parse(source).body:
            found.append(compile(ast.Module([node], []), "<example>", "exec"))
    return found


def calls_it(lines, names):
    """Whether any statement mentions the API at all: most docstrings show something else too."""
    last = {name.rpartition(".")[2] for name in names}
    return any(last & mentioned(code) for code in lines)


def mentioned(code):
    """Names in a code object and in those inside it."""
    found = set(code.co_names)
    for item in code.co_consts:
        if hasattr(item, "co_names"):
            found |= mentioned(item)
    return found


def recorded(name, thing, places, lines):
    """The calls of an API that its examples make: (arguments, keywords, constructor's)."""
    calls = []
    patch = patched_class if isinstance(thing, type) else patched_function
    with contextlib.redirect_stdout(io.StringIO()), patch(thing, places, calls) as shown:
        names = scope()
        names[name.rpartition(".")[2]] = shown
        for code in lines:
            if len(calls) >= MOST_SAMPLES:
                break
            with contextlib.suppress(Exception, SystemExit), patience(SECONDS_PER_STATEMENT):
                exec(code, names)  # examples refer to files and devices that are not here
    return calls


def scope():
    """What examples take for imported: the libraries, and the namespaces of Keras."""
    found = {name: public.attribute(keras, name) for name in SPACES}
    found.update(np=np, math=math, keras=keras, __name__="example")
    return found


@contextlib.contextmanager
def patched_function(function, places, calls):
    """Put a recorder in every place that shows a function."""

    def recorder(*args, **kwargs):
        calls.append((concrete(args), concrete(dict(kwargs)), None))
        return function(*args, **kwargs)

    try:
        for parent, name in places:
            setattr(parent, name, recorder)
        yield recorder
    finally:
        for parent, name in places:
            setattr(parent, name, function)


@contextlib.contextmanager
def patched_class(kind, places, calls):
    """Record how instances of a class are made and, where that is their use, called."""
    use = called(kind)
    names = ["__init__"]
    if use is not None:
        names.append("update_state" if use.__name__ == "update_state" else "__call__")
    own = {name: vars(kind)[name] for name in names if name in vars(kind)}
    init, call = kind.__init__, getattr(kind, names[-1], None)
    built = {}

    def recording_init(self, *args, **kwargs):
        if type(self) is kind and id(self) not in built:
            built[id(self)] = self, (args, dict(kwargs))
            if use is None:
                calls.append(((), {}, built[id(self)][1]))
        init(self, *args, **kwargs)

    def recording_call(self, *args, **kwargs):
        if id(self) in built:
            calls.append((concrete(args), concrete(dict(kwargs)), built[id(self)][1]))
        return call(self, *args, **kwargs)

    try:
        for name in names:
            setattr(kind, name, recording_init if name == "__init__" else recording_call)
        yield kind
    finally:
        for name in names:
            if name in own:
                setattr(kind, name, own[name])
            else:
                delattr(kind, name)


def concrete(value):
    """The value with ones for each symbolic tensor, two where a size is open, and arrays for
    tensors: that is what people hand to Keras, and it means the same on every backend."""
    if type(value) in (list, tuple):
        return type(value)(concrete(item) for item in value)
    if type(value) is dict:
        return {key: concrete(item) for key, item in value.items()}
    if isinstance(value, keras.KerasTensor):
        return np.ones([size or 2 for size in value.shape], value.dtype)
    if isinstance(value, backend.TENSOR):
        return np.asarray(keras.ops.convert_to_numpy(value))
    return value
