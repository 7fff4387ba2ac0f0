"""TensorFlow's registrations: which class computes an operator, and what the operator takes.

In: the text of a C++ file, then all functions. Out: rows ("kernel", operator, class) and ("op",
operator, inputs and attributes), then for each operator the functions that compute it, and for each
of these what its operators take: `Compute(OpKernelContext*)` itself has the same parameter for all.
Text is searched rather than a syntax tree, since most registrations stand in the bodies of macros:

    #define REGISTER_CPU(T) REGISTER_KERNEL_BUILDER(Name("Relu").Device(DEVICE_CPU), ReluOp<T>);
    REGISTER2(UnaryOp, CPU, "Abs", functor::abs, float, double);
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from analysis.static.macros import arguments_after
from analysis.static.model import FunctionRecord, Kind, last_part
from analysis.static.names import without_templates

COMPUTING = ("Compute", "ComputeAsync", "DoCompute", "operator()", "Operate", "Run")
"""Methods that TensorFlow calls to compute a kernel or functor."""

# The check for the start of the word stands behind its first letter, for the sake of speed.
_KERNEL = re.compile(rb"R(?<!\w\w)EGISTER_KERNEL_BUILDER(?:_IF_[A-Z_0-9]+)?\s*\(")
_OTHER = re.compile(rb"^[ \t]*(REGISTER\w*)\s*\(", re.MULTILINE)
_OPERATOR = re.compile(rb'R(?<!\w\w)EGISTER_OP\(\s*"(\w+)"\s*\)')
_PART = re.compile(rb'\.\s*(Input|Attr)\(\s*"((?:[^"\\]|\\.)*)"')
_NAME = re.compile(rb'\bName\(\s*"([^"]+)"')
_LITERAL = re.compile(rb'"(\w+)"')
_CLASS = re.compile(rb"(?:::)?[A-Za-z_][\w:]*\s*(?:<.*)?\Z", re.DOTALL)


def find(text: bytes) -> list[tuple[Any, ...]]:
    """The registrations of a file, without repetitions, in order."""
    if b"REGISTER" not in text:
        return []
    joined = re.sub(rb"\\\r?\n", b"\n", text)
    found = dict.fromkeys((*_operators(joined), *_kernels(joined), *_others(joined)))
    return list(found)


def _operators(text: bytes) -> Iterable[tuple[Any, ...]]:
    """`REGISTER_OP("X").Input("x: T").Attr("T: {float}")`, each part without white space."""
    matches = list(_OPERATOR.finditer(text))
    ends = [*(match.start() for match in matches[1:]), len(text)]
    for match, end in zip(matches, ends, strict=False):
        parts = (value for _, value in _PART.findall(text, match.end(), end))
        yield "op", _text(match[1]), tuple("".join(_text(part).split()) for part in parts)


def _kernels(text: bytes) -> Iterable[tuple[Any, ...]]:
    """`REGISTER_KERNEL_BUILDER(Name("X").Device(D), Class<T>)`, also inside macros."""
    for match in _KERNEL.finditer(text):
        arguments, _ = arguments_after(text, match.end())
        name = _NAME.search(arguments[0]) if len(arguments) > 1 else None
        if name is not None and _CLASS.match(arguments[1]):
            yield "kernel", _text(name[1]), without_templates(arguments[1].partition(b"<")[0])


def _others(text: bytes) -> Iterable[tuple[Any, ...]]:
    """`REGISTER2(Class, CPU, "X", functor::f)`: each name beside the operator may compute it."""
    for match in _OTHER.finditer(text):
        if match[1] == b"REGISTER_OP" or match[1].startswith(b"REGISTER_KERNEL_BUILDER"):
            continue
        arguments, _ = arguments_after(text, match.end())
        names = [part for part in map(_LITERAL.fullmatch, arguments) if part is not None]
        if len(names) == 1:
            for argument in arguments:
                if _CLASS.match(argument):
                    written = without_templates(argument.partition(b"<")[0])
                    yield "kernel", _text(names[0][1]), written


def kernels(
    rows: Iterable[list[Any]], functions: Iterable[FunctionRecord]
) -> Mapping[str, tuple[str, ...]]:
    """For each operator with a registered kernel, the ids of the functions that compute it.

    These are the computing methods of its classes; of a class without (they may be inherited), all
    its methods. Operators whose classes are nowhere defined are not listed.
    """
    wanted: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row[0] == "kernel":
            wanted[row[1]].add(last_part(row[2]))
    if not wanted:
        return {}
    classes = set().union(*wanted.values())
    methods: dict[str, list[FunctionRecord]] = defaultdict(list)
    for record in functions:
        owner = last_part(record.name.rpartition("::")[0])
        if owner in classes and record.kind is not Kind.CONSTRUCTOR:
            methods[owner].append(record)
    found = {}
    for operator, names in sorted(wanted.items()):
        ids = {record.id for name in names for record in _computing(methods.get(name, []))}
        if ids:
            found[operator] = tuple(sorted(ids))
    return found


def taken(
    rows: Iterable[list[Any]], computing: Mapping[str, Iterable[str]]
) -> dict[str, frozenset[str]]:
    """For each function that computes operators (`computing`: as `kernels` has it), their inputs
    and attributes as elements to compare; functions of operators that are not registered in these
    sources have none."""
    known = {row[1]: frozenset(row[2]) for row in rows if row[0] == "op"}
    found: dict[str, frozenset[str]] = {}
    for operator, functions in computing.items():
        for function in functions if operator in known else ():
            found[function] = found.get(function, frozenset()) | known[operator]
    return found


def _computing(methods: list[FunctionRecord]) -> list[FunctionRecord]:
    return [record for record in methods if record.base in COMPUTING] or methods


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")
