"""How a public object of PyTorch may be called, from schemas, `inspect` and docstrings.

Out, per overload, best first: `{"s": provenance, "p": [[name, type, default, flag], ...]}`;
`flag` is "k" (keyword-only), "*" or "**". `out` parameters are left out. A default that has no
Python source is written `...`.
"""

import ast
import inspect
import re
import textwrap
import typing

import torch
from defaults import source

# The operator behind each special method of Python's data model whose name differs from it.
OPERATORS = {
    "truediv": "true_divide",
    "div": "div",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "invert": "bitwise_not",
    "abs": "abs",
    "pos": "positive",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
}
IN_DOC = re.compile(r"^\s*(?:\.\. (?:function|method):: *)?((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*) *\(")


def function(thing, schemas):
    """Overloads of a function of any namespace."""
    if inspect.isfunction(thing):
        rows = inspected(dispatched(thing))
        if rows is not None and not anonymous(rows):
            return [{"s": "inspect", "p": rows}]
    name = getattr(thing, "__name__", "")
    found = [renamed(rows) for _, rows in schemas.overloads(name)]
    return trusted(thing, found, receiver=None)


def method(name, thing, schemas):
    """Overloads of a method of the tensor class; the receiver comes first, as `self`."""
    if inspect.isfunction(thing):
        rows = inspected(thing)
        if rows is not None and not anonymous(rows[1:]):
            return [{"s": "inspect", "p": [["self", "Tensor", None, ""], *rows[1:]]}]
    if name == "new":
        return legacy(["self", "Tensor", None, ""])
    found = [rows for _, rows in schemas.overloads(name) if of_self(rows)]
    if not found and name.startswith("__"):
        found = special(name, schemas)
    return trusted(thing, found, receiver=["self", "Tensor", None, ""])


def legacy(*receiver):
    """Overloads of `torch.FloatTensor` and its like, which document none: of data and of sizes."""
    rows = ["data", None, None, ""], ["size", "int[]", None, ""]
    return [{"s": "doc", "p": [*receiver, row]} for row in rows]


def operator(name, schemas):
    """`[(overload name, signature)]` of an operator."""
    return [
        (overload, {"s": "schema", "p": [row for row in rows if row[0] != "out"]})
        for overload, rows in schemas.overloads(name)
    ]


def constructor(kind):
    """Overloads of a class's constructor, without `self`."""
    if kind.__init__ is torch.nn.Module.__init__:
        return [{"s": "inspect", "p": []}]
    rows = inspected(kind)
    if rows is not None and not anonymous(rows):
        return [{"s": "inspect", "p": rows}]
    for candidate in (overloaded(kind), forwarded(kind)):
        if candidate:
            return [{"s": "inspect", "p": candidate}]
    documented = from_doc(kind.__doc__)
    if documented:
        return [{"s": "doc", "p": documented[0]}]
    return [] if rows is None else [{"s": "inspect", "p": rows}]


def call(kind):
    """The call of a layer class: its `forward` without `self`, if it has one of its own; of other
    classes their `__call__`."""
    layer = issubclass(kind, torch.nn.Module)
    forward = getattr(kind, "forward" if layer else "__call__", None)
    if forward is None or forward is torch.nn.Module.forward or not inspect.isfunction(forward):
        return []
    rows = inspected(forward)
    return [{"s": "inspect", "p": rows[1:]}] if rows and rows[0][0] == "self" else []


def trusted(thing, found, receiver):
    """Schema overloads, the documented one first; else `inspect`; else the docstring."""
    documented = from_doc(getattr(thing, "__doc__", None))
    if found:
        names = {row[0] for row in documented[0]} if documented else set()
        found = sorted(found, key=lambda rows: -likeness({row[0] for row in rows}, names))
        return [{"s": "schema", "p": rows} for rows in found]
    rows = inspected(dispatched(thing))
    if rows is not None and not anonymous(rows):
        return [{"s": "inspect", "p": rows}]
    if receiver is not None:
        documented = [r if r and r[0][0] == "self" else [receiver, *r] for r in documented]
    return [{"s": "doc", "p": rows} for rows in documented]


def likeness(left, right):
    """Share of parameter names that two overloads have in common, the receiver aside."""
    left, right = left - {"self", "input"}, right - {"self", "input"}
    return len(left & right) / len(left | right) if left | right else 1.0


def renamed(rows):
    """A schema as a Python function takes it: `self` is called `input` there.

    Functions that make tensors also take `requires_grad`, which the schema does not know.
    """
    names = [row[0] for row in rows]
    if "self" in names and "input" not in names:
        rows = [["input", *row[1:]] if row[0] == "self" else row for row in rows]
    if {"dtype", "layout", "device", "pin_memory"} <= set(names) and "requires_grad" not in names:
        rows = [*rows, ["requires_grad", "bool", "False", "k"]]
    return [row for row in rows if row[0] != "out"]


def of_self(rows):
    """Whether the first parameter can be the receiver of a method."""
    return bool(rows) and rows[0][0] in ("self", "input", "A") and rows[0][1].startswith("Tensor")


def special(name, schemas):
    """Overloads of a special method such as `__iadd__`, from the operator that it stands for."""
    for operator_name in stands_for(name, schemas):
        found = [rows for _, rows in schemas.overloads(operator_name) if of_self(rows)]
        return [[row for row in rows if row[2] is None] for rows in found]
    return []


def stands_for(name, schemas):
    """The operator behind a special method of the language: `["add_"]` of `__iadd__`, or none."""
    if not name.startswith("__"):
        return []
    base = name.strip("_")
    for candidate in (base, base[1:] + "_" if base[:1] == "i" else "", base[1:]):
        stem = candidate.rstrip("_")
        operator_name = OPERATORS.get(stem, stem) + candidate[len(stem) :]
        if any(of_self(rows) for _, rows in schemas.overloads(operator_name)):
            return [operator_name]
    return []


def dispatched(thing):
    """The target of a wrapper: the usual one of two chosen by a flag, or the only one."""
    code = getattr(thing, "__code__", None)
    cells = getattr(thing, "__closure__", None) or ()
    inner = dict(zip(code.co_freevars, cells)) if code is not None else {}
    if "if_false" in inner:
        return inner["if_false"].cell_contents
    targets = [cell.cell_contents for cell in cells if inspect.isfunction(cell.cell_contents)]
    return targets[0] if len(targets) == 1 and anonymous(inspected(thing)) else thing


def inspected(thing):
    """Parameters by `inspect`, or None where it refuses."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return None
    rows = []
    for item in found.parameters.values():
        flag = {item.VAR_POSITIONAL: "*", item.VAR_KEYWORD: "**", item.KEYWORD_ONLY: "k"}.get(
            item.kind, ""
        )
        default = None if item.default is item.empty else source(item.default, named)
        if item.name != "out":
            rows.append([item.name, annotation(item.annotation), default, flag])
    return rows


def anonymous(rows):
    """Whether a signature only passes on whatever it is given."""
    return bool(rows) and all(
        (row[3] == "*" and row[0] in ("args", "input_args")) or row[3] == "**" for row in rows
    )


def annotation(given):
    """Text of an annotation, without the names of modules."""
    if given is inspect.Parameter.empty or given is type(None):
        return None  # TorchScript's helpers annotate what may be None with None alone
    shown = given if isinstance(given, str) else inspect.formatannotation(given)
    shown = re.sub(r"\b(?:typing|torch|builtins|collections\.abc)\.", "", shown).strip("'\"")
    return shown[:200]


def named(value):
    """Source of a value of PyTorch, None for all others."""
    known = isinstance(value, (torch.dtype, torch.layout, torch.memory_format))
    return str(value) if known else None


def overloaded(kind):
    """The first `typing.overload` of a constructor, where Python remembers those."""
    remembered = getattr(typing, "get_overloads", lambda _: ())(kind.__init__)
    for item in remembered:
        rows = inspected(item)
        if rows and not anonymous(rows[1:]):
            return rows[1:]
    return []


def forwarded(kind):
    """The base constructor's parameters less those that `super().__init__(x, *args)` supplies."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(kind.__init__)))
    except (OSError, TypeError, SyntaxError):
        return []
    popped, supplied = [], None
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr == "__init__" and any(isinstance(a, ast.Starred) for a in node.args):
            supplied = sum(not isinstance(a, ast.Starred) for a in node.args)
        elif node.func.attr == "pop" and len(node.args) == 2:
            key, default = node.args
            if isinstance(key, ast.Constant) and isinstance(default, ast.Constant):
                popped.append([key.value, None, repr(default.value), "k"])
    bases = [base for base in kind.__mro__[1:] if "__init__" in vars(base)]
    rows = inspected(bases[0]) if supplied is not None and bases else None
    return rows[supplied:] + popped if rows and not anonymous(rows) else []


def from_doc(doc):
    """Parameter lists that the docstring shows at the start of a line, in order."""
    found = []
    for line in (doc or "").splitlines():
        match = IN_DOC.match(line)
        if match is None:
            if found and line.strip():
                break
            continue
        rows = parse(line[match.end() :])
        if rows is not None and line[: match.end()].rstrip("( ").isidentifier() | ("." in line):
            found.append(rows)
    return found


def parse(rest):
    """Parameters from the text after the opening parenthesis, None where it is prose."""
    end, depth = None, 1
    for at, char in enumerate(rest):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0:
            end = at
            break
    if end is None or (rest[end + 1 :].strip() and not rest[end + 1 :].lstrip().startswith("->")):
        return None
    inner = rest[:end].replace("\\*", "*").replace("...", "None")
    for candidate in (inner, re.sub(r"\*(?=\w)", "", inner), re.sub(r"=[^,]+(?=,)", "", inner)):
        try:
            tree = ast.parse("def f({}): pass".format(candidate)).body[0]
        except SyntaxError:
            continue
        return documented_rows(tree.args)
    return None


def documented_rows(arguments):
    """Parameters of a parsed argument list."""
    rows = []
    plain = getattr(arguments, "posonlyargs", []) + arguments.args
    defaults = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    for item, default in zip(plain, defaults):
        rows.append(documented_row(item, default, ""))
    if arguments.vararg is not None:
        rows.append([arguments.vararg.arg, None, None, "*"])
    for item, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        rows.append(documented_row(item, default, "k"))
    if arguments.kwarg is not None:
        rows.append([arguments.kwarg.arg, None, None, "**"])
    return [row for row in rows if row[0] != "out"]


def documented_row(item, default, flag):
    """One parameter; what may be None by its type and goes by name alone need not be given."""
    kind = None if item.annotation is None else ast.unparse(item.annotation)
    known = None if default is None else ast.unparse(default)
    if known is None and flag and (kind or "").startswith("Optional["):
        known = "None"
    return [item.arg, kind, known, flag]
