"""TensorFlow's functions in a traced case: their Python as it stands, so that its calls are seen.

AutoGraph writes the Python that a graph is made from anew, from the text, and the tracer is not in
it. Where nothing that a graph is made of needs that (branches and loops over tensors), the traced
text asks for `autograph=False`, and datasets and functions of `tf` that are given others get them
as they stand: that makes the same graphs of the instrumented Python.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import libcst as cst
import libcst.matchers as m

_FUNCTION = m.Attribute(value=m.Name("tf") | m.Name("tensorflow"), attr=m.Name("function"))
_MADE = m.Call(func=_FUNCTION)
_NAMED = re.compile(r"\.\s*(?:function|data|vectorized_map|map_fn|scan|while_loop|cond)\b")
_OF_DATASETS = frozenset(("filter", "flat_map", "interleave", "map"))
"""Methods of datasets that make a graph of a function; a pool's `map` is given more."""
_ROOT = m.Name("tf") | m.Name("tensorflow")
_MAPPED = m.Call(func=m.Attribute(value=_ROOT, attr=~m.Name("function"))) | m.Call(
    func=m.Attribute(attr=m.Name(m.MatchIfTrue(lambda name: name in _OF_DATASETS))),
    args=[m.Arg(keyword=None), m.ZeroOrMore(m.Arg(keyword=m.Name()))],
)
"""What makes graphs of functions that it is given, perhaps."""
UNCONVERTED = "__citadel_unconverted__"
"""What has AutoGraph leave a function alone, in a traced text."""
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
    """Whether a text may make graphs at all: most do not, and need no second look."""
    return _NAMED.search(code) is not None


def unchanged(module: cst.Module) -> bool:
    """Whether AutoGraph would change nothing in what a case makes functions of.

    That is what `tf.function` or a dataset is given, what it decorates, and whatever of the case
    goes by a name that is read there; all functions, where that cannot be told.
    """
    roots = _given(module)
    reached = None if roots is None else _reached(module, roots)
    bodies = _functions(module) if reached is None else reached
    return not any(m.findall(body, _REWRITTEN) for body in bodies)


def _given(module: cst.Module) -> list[cst.CSTNode] | None:
    """What functions are made of; None where a text does not say it in the same place."""
    roots: list[cst.CSTNode] = []
    decorating: set[int] = set()
    for node in m.findall(module, m.FunctionDef()):
        by = [one.decorator for one in cst.ensure_type(node, cst.FunctionDef).decorators]
        decorating |= set(map(id, by))
        roots += [node] if any(m.matches(one, _FUNCTION | _MADE) for one in by) else []
    for node in m.findall(module, _MADE):
        given = [arg for arg in cst.ensure_type(node, cst.Call).args if arg.keyword is None]
        if id(node) not in decorating:
            if not given or given[0].star:
                return None
            roots.append(given[0].value)
    functions = functions_of(module)
    for node in m.findall(module, _MAPPED):
        args = cst.ensure_type(node, cst.Call).args
        roots += [arg.value for arg in args if _is_function(arg, functions)]
    return roots


def functions_of(module: cst.Module) -> frozenset[str]:
    """The names of the functions that a case defines."""
    found = m.findall(module, m.FunctionDef())
    return frozenset(cst.ensure_type(node, cst.FunctionDef).name.value for node in found)


def _is_function(given: cst.Arg, functions: Collection[str]) -> bool:
    """Whether an argument is a function of the case."""
    value = given.value
    known = isinstance(value, cst.Name) and value.value in functions
    return not given.star and (known or isinstance(value, cst.Lambda))


def _reached(module: cst.Module, roots: list[cst.CSTNode]) -> list[cst.CSTNode] | None:
    """The functions of a case that may run in a graph; None where it cannot be told which."""
    known: dict[str, list[cst.CSTNode]] = {}
    for node in m.findall(module, m.FunctionDef() | m.ClassDef() | m.Assign()):
        for name in _defined(node):
            known.setdefault(name, []).append(node)
    if any(isinstance(one, cst.Name) and one.value not in known for one in roots):
        return None  # a loop goes through several functions, say
    left, seen, found = list(roots), set[int](), list[cst.CSTNode]()
    while left:
        node = left.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        functions = _functions(node)
        if any(map(_calls_what_it_is_given, functions)):
            return None
        found += functions
        for read in m.findall(node, m.Name()):
            left += known.get(cst.ensure_type(read, cst.Name).value, ())
    return found


def _functions(node: cst.CSTNode) -> list[cst.CSTNode]:
    return list(m.findall(node, m.FunctionDef() | m.Lambda()))


def _defined(node: cst.CSTNode) -> Iterator[str]:
    """The names that a definition or an assignment gives something to, attributes by theirs."""
    if isinstance(node, cst.FunctionDef | cst.ClassDef):
        yield node.name.value
    elif isinstance(node, cst.Assign):
        for target in node.targets:
            yield from (cst.ensure_type(n, cst.Name).value for n in m.findall(target, m.Name()))


def _calls_what_it_is_given(function: cst.CSTNode) -> bool:
    """Whether one of its parameters is called by a function."""
    params = {cst.ensure_type(p, cst.Param).name.value for p in m.findall(function, m.Param())}
    called = m.Call(func=m.Name(value=m.MatchIfTrue(lambda name: name in params)))
    return bool(m.findall(function, called))


def as_it_stands(node: cst.Call, functions: Collection[str] = ()) -> cst.Call:
    """The call with `autograph=False`, if it makes a function and says nothing about that; else
    with `functions` of the case that are not converted, if it is given any."""
    if m.matches(node, _MAPPED):
        args = [_unconverted(arg) if _is_function(arg, functions) else arg for arg in node.args]
        return node.with_changes(args=args)
    said = any(arg.keyword is not None and arg.keyword.value in _OPTIONS for arg in node.args)
    said = said or sum(arg.keyword is None for arg in node.args) > _BEFORE
    if said or any(arg.star for arg in node.args) or not m.matches(node.func, _FUNCTION):
        return node
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    off = cst.Arg(keyword=cst.Name(_OPTION), value=cst.Name("False"), equal=equal)
    return node.with_changes(args=[*node.args, off])


def _unconverted(given: cst.Arg) -> cst.Arg:
    return given.with_changes(value=cst.Call(cst.Name(UNCONVERTED), [cst.Arg(given.value)]))


def decorated_as_it_stands(node: cst.Decorator) -> cst.Decorator:
    """`@tf.function(autograph=False)` for a bare `@tf.function`."""
    if not m.matches(node.decorator, _FUNCTION):
        return node
    return node.with_changes(decorator=as_it_stands(cst.Call(func=node.decorator)))
