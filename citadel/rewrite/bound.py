"""How often the names of a module are bound, and which lines do nothing but bind one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import libcst as cst
import libcst.matchers as m

from analysis.target.instrument import sites_of
from citadel.rewrite.pieces import beside
from citadel.rewrite.tree import Tree

_WORD = re.compile(r"\w+")
_SINGLETONS = frozenset(("True", "False", "None"))
"""Literals that are names to LibCST."""
_LOOKED_UP = frozenset(("locals", "globals", "vars", "eval", "exec", "modules"))
"""Whoever names these may read variables that are not named."""


def bindings(module: cst.Module) -> Counter[str]:
    """How often each name is bound by anything but an import."""
    binder = _Binder()
    module.visit(binder)
    return binder.names


class _Binder(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.names: Counter[str] = Counter()

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, (cst.Import, cst.ImportFrom)):
            return False
        if isinstance(node, (cst.FunctionDef, cst.ClassDef, cst.Param, cst.AsName)):
            self._bind(node.name)
        elif isinstance(
            node,
            (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.For, cst.CompFor, cst.NamedExpr),
        ):
            self._bind(node.target)
        return True

    def _bind(self, target: cst.CSTNode) -> None:
        if isinstance(target, cst.Name):
            self.names[target.value] += 1
        elif isinstance(target, (cst.Tuple, cst.List)):
            for element in target.elements:
                self._bind(element.value)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """The line `layer = Layer(...)`, or `n = 3`; `mentions`: how often the module has that name."""

    node: cst.SimpleStatementLine
    name: str
    mentions: int

    def unused(self, added: Mapping[str, int]) -> bool:
        """Whether nothing reads the variable once names are `added` to the module (see
        `difference`)."""
        return self.mentions + added.get(self.name, 0) == 1


def difference(
    tree: Tree, nodes: Mapping[cst.CSTNode, cst.CSTNode], gone: Sequence[cst.CSTNode] = ()
) -> Counter[str]:
    """How many mentions of each name a module has more (or less) once nodes are replaced or gone.

    What replaces a node has what replaces those inside of it; a class, or the lines of a module,
    stand beside their statement.
    """
    found: Counter[str] = Counter()
    added = beside(nodes)
    replaced = [node for node in nodes if node not in added]
    for node, new in nodes.items():
        outer = (one for one in (*replaced, *gone) if one is not node)
        if node in added or not any(tree.inside(node, one) for one in outer):
            found.update(_names(new))
            found.subtract(() if node in added else _names(node))
    for line in gone:
        found.subtract(_names(line))
    return found


def constants(module: cst.Module) -> tuple[Line, ...]:
    """The lines that do nothing but assign a literal to a variable that is read elsewhere, and only
    there gets a value. One with a comment says more than that.

    Attributes of classes may be read by base classes, and any variable by what looks them up.
    """
    bound, mentions = bindings(module), Counter(_names(module))
    if m.findall(module, m.OneOf(*(m.Name(name) for name in sorted(_LOOKED_UP)))):
        return ()
    attributes = {id(line) for line in _in_classes(module)}
    # `timeit("f(x)", globals=globals())` reads names, too.
    words = {word for one in _strings(module) for word in _WORD.findall(one)}
    found = []
    for line in m.findall(
        module, m.SimpleStatementLine(body=[m.Assign(targets=[m.AssignTarget(m.Name())])])
    ):
        assert isinstance(line, cst.SimpleStatementLine)  # noqa: S101 - by the pattern
        statement = cst.ensure_type(line.body[0], cst.Assign)
        name = cst.ensure_type(statement.targets[0].target, cst.Name).value
        plain = not (m.findall(line, m.Comment()) or sites_of(statement.value))
        plain = plain and _SINGLETONS.issuperset(_names(statement.value))
        plain = plain and id(line) not in attributes
        if plain and bound[name] == 1 < mentions[name] and name not in words:
            found.append(Line(node=line, name=name, mentions=mentions[name]))
    return tuple(found)


def assigning(module: cst.Module, construction: cst.CSTNode | None) -> Line | None:
    """The line that does nothing but assign a construction to one name."""
    for line in m.findall(module, m.SimpleStatementLine(body=[m.Assign()])):
        assert isinstance(line, cst.SimpleStatementLine)  # noqa: S101 - by the pattern
        statement = line.body[0]
        if not isinstance(statement, cst.Assign) or statement.value is not construction:
            continue
        target = statement.targets[0].target
        if len(statement.targets) == 1 and isinstance(target, cst.Name):
            name = target.value
            return Line(node=line, name=name, mentions=_mentions(module, name))
    return None


def _mentions(node: cst.CSTNode, name: str) -> int:
    return sum(one == name for one in _names(node))


def _names(node: cst.CSTNode) -> Iterator[str]:
    """All names of variables in a tree, as often as they stand there."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, cst.Name):
            yield one.value
        named = (
            one.keyword if isinstance(one, cst.Arg)
            else one.attr if isinstance(one, cst.Attribute)
            else None
        )  # fmt: skip
        waiting.extend(child for child in one.children if child is not named)


def _in_classes(module: cst.Module) -> Iterator[cst.CSTNode]:
    for one in m.findall(module, m.ClassDef()):
        yield from cst.ensure_type(one, cst.ClassDef).body.body


def _strings(module: cst.Module) -> Iterator[str]:
    for one in m.findall(module, m.SimpleString() | m.FormattedStringText()):
        assert isinstance(one, cst.SimpleString | cst.FormattedStringText)  # noqa: S101
        yield one.value
