"""How a public object of Keras may be called, from `inspect` and docstrings.

Out, per overload: `{"s": provenance, "p": [[name, type, default, flag], ...]}`; `flag` is "k"
(keyword-only), "*" or "**". Types are annotations or, where there are none, what the docstring
names. A default that has no Python source is written `...`.
"""

import inspect
import re

import keras
from defaults import source
from docs_tensorflow import described, type_of

MOST_TEXT = 200
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
    doc = "\n".join(filter(None, (kind.__doc__, getattr(kind.__init__, "__doc__", None))))
    return [{"s": "inspect", "p": documented(rows, doc)}]


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


def call(kind):
    """Signatures of the call of an instance of a layer, loss, metric or initializer class.

    What is called with has no types in Keras: it is tensors, unless a default says otherwise.
    """
    function_ = called(kind)
    if function_ is None:
        return []
    doc = "\n".join(filter(None, (kind.__doc__, function_.__doc__)))
    rows = documented(inspected(function_)[1:], doc)
    return [
        {
            "s": "inspect",
            "p": [
                [name, kind or ("Tensor" if default is None and not flag else None), default, flag]
                for name, kind, default, flag in rows
            ],
        }
    ]


def called(kind):
    """The function that says what an instance is called with; None where it is not called."""
    if not inspect.isfunction(inspect.getattr_static(kind, "__call__", None)):
        return None
    for name in ("call", "update_state", "__call__"):
        found = inspect.getattr_static(kind, name, None)
        rows = inspected(found) if inspect.isfunction(found) else None
        if rows and len(rows) > 1 and not anonymous(rows[1:]):
            return found
    return None


def inspected(thing):
    """Parameters by `inspect`, or None where it refuses."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError, NameError, AttributeError):
        return None
    rows = []
    for item in found.parameters.values():
        flag = {item.VAR_POSITIONAL: "*", item.VAR_KEYWORD: "**", item.KEYWORD_ONLY: "k"}
        default = None if item.default is item.empty else source(item.default, lambda _: None)
        rows.append([item.name, annotation(item.annotation), default, flag.get(item.kind, "")])
    return rows


def anonymous(rows):
    """Whether a signature only passes on what it is given: (*args, **kwargs)."""
    return not any(row[3] in ("", "k") for row in rows)


def documented(rows, doc):
    """The rows with the types that a docstring names, where they have none."""
    told = described(doc)
    return [
        [name, kind or (None if flag in ("*", "**") else type_of(told.get(name))), default, flag]
        for name, kind, default, flag in rows
    ]


def guessed(rows):
    """The rows with the type of what is a tensor by its name, where nothing tells."""
    return [
        [name, kind or ("Tensor" if name in TENSORS and default is None else None), default, flag]
        for name, kind, default, flag in rows
    ]


def annotation(given):
    """Text of an annotation, without the names of modules."""
    if given is inspect.Parameter.empty:
        return None
    shown = given if isinstance(given, str) else inspect.formatannotation(given)
    return re.sub(r"\b(?:[a-z_]\w*\.)+", "", shown).strip("'\"")[:MOST_TEXT]
