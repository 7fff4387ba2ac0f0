"""Keeps TorchDynamo from the frames of the tracer, which compiled code calls.

Each call of the tracer ends a graph, and Dynamo then compiles what runs next: the tracer's own
functions, one by one, at a second a case. Nothing is disabled below them: what they call for the
case is compiled as before.
"""

import os
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))


def overlook(*kinds):
    """Leave our frames alone; instances of `kinds` are called by name and not looked into.

    Nothing happens where Dynamo was not imported before: the host has it imported by the server
    for a case that compiles.
    """
    skip = getattr(sys.modules.get("torch._dynamo.eval_frame"), "skip_code", None)
    if skip is None:
        return
    for function in list(_own_functions()):
        for code in _codes(function.__code__):
            skip(code)
    for kind in kinds:
        kind.__call__._torchdynamo_disable = True


def _own_functions():
    for name, module in list(sys.modules.items()):
        if os.path.dirname(getattr(module, "__file__", None) or "") != HERE:
            continue
        for thing in list(vars(module).values()):
            parts = vars(thing).values() if isinstance(thing, type) else (thing,)
            for part in parts:
                if isinstance(part, types.FunctionType) and part.__module__ == name:
                    yield part


def _codes(code):
    """A code object, and those of the functions that it makes."""
    yield code
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield from _codes(part)
