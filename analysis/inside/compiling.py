"""Run a case in another way than it was written for: eagerly, or compiled by one of the compilers
of its framework.

What the case compiles itself is compiled in that way, or not at all; of a case that compiles
nothing the calls of its API are.
"""

import case
import side


def run(emit, code, way, names, traced=None):
    """Run a case in a `way` of its framework (see `compiling_torch`, `compiling_tensorflow`).

    `names` are those under which its API can be called. Emits `{"e": "compiled"}` when something is
    compiled, or would have been.
    """
    told = []

    def tell():
        if not told:
            told.append(emit({"e": "compiled"}))

    side.module("compiling").use(way, names, tell)
    return case.run(emit, code, traced)


def replace(name, root, wrapped):
    """Put `wrapped(function)` in the place of what a dotted name stands for; of a class, in that of
    its method `forward` or `call`. What is not there, and other classes, stay as they are."""
    owner, leaf = root, name
    try:
        for part in name.split(".")[1:-1]:
            owner = getattr(owner, part)
        leaf = name.rpartition(".")[2]
        found = getattr(owner, leaf)
        if isinstance(found, type):
            owner, leaf = found, "forward" if hasattr(found, "forward") else "call"
            found = getattr(owner, leaf)
        setattr(owner, leaf, wrapped(found))
    except (AttributeError, TypeError):
        pass
