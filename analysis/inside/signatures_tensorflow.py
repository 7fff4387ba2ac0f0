"""How a public object of TensorFlow may be called, from definitions, `inspect` and docstrings.

Out, per overload: `{"s": provenance, "p": rows}`, the rows being those of `parameters`; where there
is a definition of the operator, its types.
"""

import parameters
import tensorflow as tf
from opdefs_tensorflow import definition, types
from parameters import anonymous, documentation, documented


def function(thing, operator=None, raw=False):
    """Signatures of a function; `operator` is the one that it was generated from."""
    rows = inspected(thing)
    if rows is None:
        return []
    if operator is None:
        return [{"s": "inspect", "p": documented(rows, thing.__doc__)}]
    known = dict(types(definition(operator)), name="string")
    for row in rows:
        row[1] = known.get(row[0])
        row[3] = "k" if raw and not row[3] else row[3]
    return [{"s": "schema", "p": [row for row in rows if row[0] != "name"] if raw else rows}]


def method(name, thing, receiver):
    """Signatures of a method; the receiver comes first, as `self`."""
    rows = inspected(thing)
    if not rows or rows[0][3]:
        rows = [["self", None, None, ""], *(rows or [])]
    rest = documented(rows[1:], thing.__doc__)
    if name.startswith("__"):  # the operands of the language's operators
        rest = [
            ["other" if row[0] == "y" else row[0], row[1] or "Tensor", *row[2:]] for row in rest
        ]
        rest = [row for row in rest if row[0] != "name"]
    return [{"s": "inspect", "p": [["self", receiver, None, ""], *rest]}]


def constructor(kind):
    """Signatures of a class's constructor, without `self`."""
    rows = inspected(kind)
    if rows is None or anonymous(rows):
        own = next((base for base in kind.__mro__ if "__init__" in vars(base)), object)
        rows = rows if own is object else (inspected(own.__init__) or [None])[1:] or rows
    if rows is None:
        return []
    return [{"s": "inspect", "p": documented(rows, documentation(kind, kind.__init__))}]


def call(kind):
    """Signatures of the call of an instance of a layer, loss, metric or initializer class."""
    return parameters.call(kind, named)


def inspected(thing):
    """Parameters by `inspect`, or None where it refuses."""
    return parameters.inspected(thing, named)


def named(value):
    """Source of a value of TensorFlow, None for all others."""
    return "tf." + value.name if isinstance(value, tf.DType) else None
