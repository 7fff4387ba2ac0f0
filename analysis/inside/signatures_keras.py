"""How a public object of Keras may be called, from `inspect` and docstrings.

Out, per overload: `{"s": provenance, "p": rows}`, the rows being those of `parameters`.
"""

import keras
from parameters import documentation, documented, inspected

TENSORS = frozenset("x x1 x2 inputs input tensor y_true y_pred query key value a b".split())
"""What is a tensor where nobody says so."""


def function(thing):
    """Signatures of a function."""
    rows = inspected(thing)
    if rows is None:
        return []
    return [{"s": "inspect", "p": guessed(documented(rows, thing.__doc__))}]


def method(thing, receiver):
    """Signatures of a method; the receiver comes first, as `self`."""
    rows = inspected(thing) or [["self", None, None, ""]]
    rest = documented(rows[1:], thing.__doc__)
    return [{"s": "inspect", "p": [["self", receiver, None, ""], *rest]}]


def constructor(kind):
    """Signatures of a class's constructor, without `self`."""
    rows = inherited(kind)
    if rows is None:
        return []
    return [{"s": "inspect", "p": documented(rows, documentation(kind, kind.__init__))}]


def inherited(kind):
    """Parameters of a constructor. Those that `**kwargs` hands on to `keras.Layer` and its like
    stand in its place, since they refuse all others. None where nothing is known."""
    makers = [base for base in kind.__mro__ if "__init__" in vars(base) and of_keras(base)]
    if not makers:
        return inspected(kind)
    rows = (inspected(makers[0].__init__) or [None])[1:]
    for base in makers[1:]:
        if not any(row[3] == "**" for row in rows):
            break
        if getattr(keras, base.__name__, None) is base:
            known = {row[0] for row in rows}
            more = [[*row[:3], "k"] for row in inspected(base.__init__)[1:] if not row[3] == "**"]
            rows = [row for row in rows if row[3] != "**"]
            rows += [row for row in more if row[0] not in known and row[2] is not None]
    return rows if kind is not keras.Layer else [row for row in rows if row[3] != "**"]


def of_keras(kind):
    """Whether a class is one of Keras's own."""
    return (kind.__module__ or "").startswith("keras.")


def guessed(rows):
    """The rows with the type of what is a tensor by its name, where nothing tells."""
    return [
        [name, kind or ("Tensor" if name in TENSORS and default is None else None), default, flag]
        for name, kind, default, flag in rows
    ]
