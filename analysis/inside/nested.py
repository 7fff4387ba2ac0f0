"""Layers that are called by a model, in code of the framework: calls of the trace, too.

In: the class of all layers, and whom to tell. Only the case's own text is instrumented, and a model
calls its layers elsewhere: when it is called itself, or by `predict` and `fit`.
"""

import functools


def follow(base, told):
    """Have `told(layer, call, args, kwargs)` make every call of a layer; `call` takes them all."""
    original = base.__call__

    @functools.wraps(original)
    def called(self, *args, **kwargs):
        return told(self, original, args, kwargs)

    called.autograph_info__ = {}  # AutoGraph leaves alone what it takes for its own
    base.__call__ = called
