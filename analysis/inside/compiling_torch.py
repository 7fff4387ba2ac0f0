"""The ways to run a case of PyTorch: "eager", or a backend of `torch.compile`."""

import functools

import torch
from compiling import replace


def use(way, names, tell):
    """Compile with this backend from now on; see `compiling.run`."""
    compiler, inside = getattr(torch, "compile", None), []
    if compiler is None:  # before 2.0
        return

    @functools.wraps(compiler)
    def chosen(model=None, **given):
        if model is None:
            return lambda one: chosen(one, **given)
        tell()
        if way == "eager":
            return model
        kept = {name: given[name] for name in ("fullgraph", "dynamic") if name in given}
        return compiler(model, backend=way, **kept)

    torch.compile = chosen
    if way == "eager":
        return

    def wrapped(function):
        def compiled(*args, **kwargs):
            if inside:  # compilers call it, too
                return function(*args, **kwargs)
            tell()
            inside.append(function)
            try:
                return compiler(lambda *a, **k: function(*a, **k), backend=way)(*args, **kwargs)
            finally:
                inside.remove(function)

        made = functools.update_wrapper(compiled, function, updated=())
        if hasattr(function, "overloads"):
            for overload in function.overloads():
                setattr(made, overload, getattr(function, overload))
        return made

    for name in names:
        replace(name, torch, wrapped)
