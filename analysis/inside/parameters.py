"""The parameters of Python functions: names, types, defaults, by `inspect` and docstrings.

Out: rows `[name, type, default, flag]`; `flag` is "k" (keyword-only), "*" or "**". Types are
annotations or, where there are none, what the docstring names, in the language of
`opdefs_tensorflow`. A default that has no Python source is written `...`; `named` gives the source
of a value that only the framework knows, else None.
"""

import inspect
import re

from defaults import source
from docs_tensorflow import described, type_of

MOST_TEXT = 200
TYPE_VARIABLE = "TV_"
"""In the names of what stands for the type of an operator's attribute: such a value is a tensor."""


def nothing(_):
    """No value has a source of its own."""
    return None


def inspected(thing, named=nothing):
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


def annotation(given):
    """Text of an annotation, without the names of modules."""
    if given is inspect.Parameter.empty:
        return None
    shown = given if isinstance(given, str) else inspect.formatannotation(given)
    if TYPE_VARIABLE in shown:
        return "Tensor"
    return re.sub(r"\b(?:[a-z_]\w*\.)+", "", shown).strip("'\"")[:MOST_TEXT]


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


def documentation(kind, function):
    """What a class and one of its functions say of themselves."""
    return "\n".join(filter(None, (kind.__doc__, getattr(function, "__doc__", None))))


def call(kind, named=nothing):
    """Signatures of the call of an instance of a layer, loss, metric or initializer class.

    What these are called with has no types: it is tensors, unless somebody says otherwise.
    """
    function = called(kind)
    if function is None:
        return []
    rows = documented(inspected(function, named)[1:], documentation(kind, function))
    typed = [
        [name, type_ or ("Tensor" if default is None and not flag else None), default, flag]
        for name, type_, default, flag in rows
    ]
    return [{"s": "inspect", "p": typed}]


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
