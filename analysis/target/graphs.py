"""TensorFlow's functions in a traced case: their Python as it stands, so that its calls are seen.

AutoGraph writes the Python that a graph is made from anew, from the text, and the tracer is not in
it. Where nothing in the case needs that (branches and loops over tensors), the traced text asks
for `autograph=False`, which makes the same graph of the instrumented Python.
"""

from __future__ import annotations

import re

import libcst as cst
import libcst.matchers as m

_FUNCTION = m.Attribute(value=m.Name("tf") | m.Name("tensorflow"), attr=m.Name("function"))
_NAMED = re.compile(r"\.\s*function\b")
_OPTION = "autograph"
_OPTIONS = (_OPTION, "experimental_autograph_options")
_BEFORE = 2
"""Parameters of `tf.function` in front of that."""
_CONVERTED = frozenset(
    (
        *("abs", "all", "any", "enumerate", "filter", "float", "int", "len"),
        *("map", "next", "print", "range", "sorted", "super", "zip"),
    )
)
"""Python's own functions that AutoGraph exchanges for others."""
_REWRITTEN = (
    m.If()
    | m.While()
    | m.For()
    | m.IfExp()
    | m.Assert()
    | m.BooleanOperation()
    | m.UnaryOperation(operator=m.Not())
    | m.CompFor()
    | m.Call(func=m.Name(value=m.MatchIfTrue(lambda name: name in _CONVERTED)))
)


def may_make_functions(code: str) -> bool:
    """Whether a text may use `tf.function` at all: most do not, and need no second look."""
    return _NAMED.search(code) is not None


def unchanged(module: cst.Module) -> bool:
    """Whether AutoGraph would change nothing in what a case makes functions of."""
    bodies = m.findall(module, m.FunctionDef() | m.Lambda())
    return not any(m.findall(body, _REWRITTEN) for body in bodies)


def as_it_stands(node: cst.Call) -> cst.Call:
    """The call with `autograph=False`, if it makes a function and says nothing about that."""
    said = any(arg.keyword is not None and arg.keyword.value in _OPTIONS for arg in node.args)
    said = said or sum(arg.keyword is None for arg in node.args) > _BEFORE
    if said or any(arg.star for arg in node.args) or not m.matches(node.func, _FUNCTION):
        return node
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    off = cst.Arg(keyword=cst.Name(_OPTION), value=cst.Name("False"), equal=equal)
    return node.with_changes(args=[*node.args, off])


def decorated_as_it_stands(node: cst.Decorator) -> cst.Decorator:
    """`@tf.function(autograph=False)` for a bare `@tf.function`."""
    if not m.matches(node.decorator, _FUNCTION):
        return node
    return node.with_changes(decorator=as_it_stands(cst.Call(func=node.decorator)))
