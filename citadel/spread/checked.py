"""The report's own check of a result, as a condition that other results can be asked for.

In: a verified case about values. Out: an expression of `result` that is true where all is well, as
`(result >= 0).all()`; none where the check depends on anything else: what it is compared with would
have to be found anew for each API.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy
from typing import cast

from analysis import parsing
from analysis.target.watch import Point
from citadel.model import SymptomKind
from citadel.oracle.value import truth
from citadel.spread.fact import RESULT, is_condition
from citadel.verify.verified import Verified
from citadel.verify.witness import Witness

MOST_STEPS = 20
"""How often names are replaced by what they stand for."""
MOST_NODES = 200
"""Parts of an expression: a name that stands for twice itself would grow without end."""


def condition(verified: Verified) -> str | None:
    """What the check of a case asks of the result of the blamed call; None where nobody can tell.

    Whether numbers are finite is left out: where some that are given are not, no result need be.
    """
    witness = verified.witness
    if witness is None or witness.oracle.of_finiteness:
        return None
    case = witness.watched.case
    blamed = case.module.code_for_node(case.nodes[witness.call.site])
    for point, bad in _failing(witness):
        text = case.module.code_for_node(point.node)
        told = of_result(case.module.code, text, blamed)
        wanted = f"not ({told})" if bad else told
        if wanted is not None and told is not None and is_condition(wanted):
            return wanted
    return None


def _failing(witness: Witness) -> Iterator[tuple[Point, bool]]:
    """The checks that fail in a case, each with its outcome: the one that is the symptom, or, where
    it is that a call returns, the assertions about what it does."""
    points, oracle = witness.watched.points, witness.oracle
    if oracle.check is not None:
        value = witness.values.get(oracle.check)
        if value is None or "bool" in (value.kind, value.dtype):
            yield points[oracle.check.point], oracle.bad
    elif oracle.kind is SymptomKind.ACCEPTS:
        for spot, value in witness.values.items():
            point = points[spot.point]
            if point.asserted and truth(value, point.check) is False:
                yield point, False


def of_result(code: str, text: str, blamed: str) -> str | None:
    """An expression in which the blamed call is `result`, and each name that is assigned once what
    it stands for.

    >>> of_result("t = f(1)\\nlow = t.min()", "low >= 0", "f(1)")
    'result.min() >= 0'
    """
    try:
        tree = parsing.module(code)
        found = parsing.expression(text).body
        call = ast.dump(parsing.expression(blamed).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    inlined = _Inlined(_assigned(tree), call)
    for _ in range(MOST_STEPS):
        inlined.changed = False
        found = cast(ast.expr, inlined.visit(found))
        if not inlined.changed:
            return ast.unparse(found) if all(map(_about_result, ast.walk(found))) else None
        if sum(1 for _ in ast.walk(found)) > MOST_NODES:
            return None
    return None


def _about_result(node: ast.AST) -> bool:
    """Whether a part of an expression is no call that has nothing to do with the result."""
    parts = ast.walk(node) if isinstance(node, ast.Call) else ()
    return not parts or any(isinstance(one, ast.Name) and one.id == RESULT for one in parts)


def _assigned(tree: ast.Module) -> dict[str, ast.expr]:
    """What each name stands for that is given a value in one place alone."""
    stored = [one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and _stores(one.ctx)]
    simple = {
        one.targets[0].id: one.value
        for one in ast.walk(tree)
        if isinstance(one, ast.Assign)
        and len(one.targets) == 1
        and isinstance(one.targets[0], ast.Name)
    }
    return {name: value for name, value in simple.items() if stored.count(name) == 1}


def _stores(context: ast.expr_context) -> bool:
    return isinstance(context, (ast.Store, ast.Del))


class _Inlined(ast.NodeTransformer):
    """Replaces the blamed call, and names by what they stand for."""

    def __init__(self, assigned: dict[str, ast.expr], call: str) -> None:
        self.changed = False
        self._assigned, self._call = assigned, call

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Call) and ast.dump(node) == self._call:
            return ast.Name(RESULT, ast.Load())
        return cast(ast.AST, super().visit(node))

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = self._assigned.get(node.id)
        if value is None:
            return node
        self.changed = True
        return deepcopy(value)  # it may name itself
