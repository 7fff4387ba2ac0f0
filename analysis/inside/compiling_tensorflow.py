"""The ways to run a case of TensorFlow: "eager", "graph" or "xla"."""

import functools

import tensorflow as tf
from compiling import replace


def use(way, names, tell):
    """Make graphs in this way from now on; see `compiling.run`."""
    graph = tf.function
    tf.config.run_functions_eagerly(way == "eager")

    @functools.wraps(graph)
    def chosen(func=None, *args, **given):
        if func is None:
            return lambda one: chosen(one, *args, **given)
        tell()
        given.pop("experimental_compile", None)
        return graph(func, *args, **dict(given, jit_compile=way == "xla"))

    tf.function = chosen
    if way == "eager":
        return

    def wrapped(function):
        def in_graph(*args, **kwargs):
            tell()
            made = graph(
                lambda: function(*args, **kwargs), autograph=False, jit_compile=way == "xla"
            )
            return made()

        return functools.update_wrapper(in_graph, function, updated=())

    for name in names:
        replace(name, tf, wrapped)
