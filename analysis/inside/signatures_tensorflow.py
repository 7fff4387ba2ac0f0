"""How a public object of TensorFlow may be called, from definitions, `inspect` and docstrings.

Out, per overload: `{"s": provenance, "p": [[name, type, default, flag], ...]}`; `flag` is "k"
(keyword-only), "*" or "**". Types are in the language of `opdefs_tensorflow`, or annotations.
Where the function has no types, they are those that its docstring names. A default that has no
Python source is written `...`.
"""

import inspect
import re

import tensorflow as tf
from defaults import source
from docs_tensorflow import described, type_of
from opdefs_tensorflow import definition, types

MOST_TEXT = 200


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
    doc = "\n".join(filter(None, (kind.__doc__, getattr(kind.__init__, "__doc__", None))))
    return [{"s": "inspect", "p": documented(rows, doc)}]


def call(kind):
    """Signatures of the call of an instance of a layer, loss, metric or initializer class."""
    function_ = called(kind)
    if function_ is None:
        return []
    doc = "\n".join(filter(None, (kind.__doc__, function_.__doc__)))
    found = documented(inspected(function_)[1:], doc)
    # What a layer is called with are tensors, unless somebody says otherwise.
    return [
        {
            "s": "inspect",
            "p": [
                [name, kind or ("Tensor" if default is None and not flag else None), default, flag]
                for name, kind, default, flag in found
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
        default = None if item.default is item.empty else source(item.default, named)
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


def annotation(given):
    """Text of an annotation, without the names of modules."""
    if given is inspect.Parameter.empty:
        return None
    shown = given if isinstance(given, str) else inspect.formatannotation(given)
    if "TV_" in shown:
        return "Tensor"  # the type variable of an operator's attribute
    return re.sub(r"\b(?:[a-z_]\w*\.)+", "", shown).strip("'\"")[:MOST_TEXT]


def named(value):
    """Source of a value of TensorFlow, None for all others."""
    return "tf." + value.name if isinstance(value, tf.DType) else None
