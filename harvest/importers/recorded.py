"""Scripts that record two ways of doing something -> scripts that compare them.

Fuzzers with a differential oracle write `results["res_1"] = f(x)` within a `try` whose handler
records the exception (`results["err_1"] = ...`), and print `results` at the end. Nothing of that
fails by itself. Here the handlers go, so that what raises raises, and a comparison is put in the
place of the print: the report's own check, by which siblings are judged, too.
"""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst
import libcst.matchers as m

from harvest.report.syntax import Refusal, imported_roots, parse

RESULTS = "results"


class Unparsable(Exception):
    """The script is no Python."""


def compared(code: str, one: str, other: str) -> str:
    """Let both ways run unguarded, then compare what they recorded under two keys.

    Raises:
        Unparsable: for what is no Python of today.
    """
    left, right = f'{RESULTS}["{one}"]', f'{RESULTS}["{other}"]'
    return with_check(unguarded(code), left, right)


def with_check(code: str, left: str, right: str) -> str:
    """Add a comparison of two expressions, by the means of the framework that the code imports.

    Raises:
        Unparsable: for what is no Python of today.
    """
    tree = parse(code)
    if isinstance(tree, Refusal):
        raise Unparsable(tree.message)
    torch = "torch" in imported_roots(tree)
    line, check = ("import torch", _TORCH) if torch else ("import numpy as np", _NUMPY)
    imported = f"{line}\n" if line not in code.split("\n") else ""
    return _with_end(code, imported + check.format(left=left, right=right))


def timed(code: str, slow: str, fast: str) -> str:
    """Print the ratio of two recorded times.

    Raises:
        Unparsable: for what is no Python of today.
    """
    return _with_end(unguarded(code), f'print({RESULTS}["{slow}"] / {RESULTS}["{fast}"])\n')


def unguarded(code: str) -> str:
    """Take away each `try` whose handlers only record the exception.

    Raises:
        Unparsable: for what is no Python of today.
    """
    try:
        return cst.parse_module(code).visit(_Unguard()).code
    except (cst.ParserSyntaxError, RecursionError) as problem:
        raise Unparsable(str(problem).partition("\n")[0]) from None


_TORCH = """torch.testing.assert_close(
    {left}, {right}, equal_nan=True, check_dtype=False, check_device=False
)
"""
_NUMPY = """np.testing.assert_allclose({left}, {right}, rtol=1e-3, atol=1e-5)
"""
"""Dtypes and devices are what the two ways differ in on purpose."""
_RECORD = m.Subscript(
    value=m.Name(RESULTS), slice=[m.SubscriptElement(slice=m.Index(value=m.SimpleString()))]
)
_ERROR = m.SimpleStatementLine(
    body=[m.OneOf(m.Pass(), m.Assign(targets=[m.AssignTarget(target=_RECORD)]))]
)
_PRINT = m.SimpleStatementLine(
    body=[m.Expr(value=m.Call(func=m.Name("print"), args=[m.Arg(value=m.Name(RESULTS))]))]
)


class _Unguard(cst.CSTTransformer):
    """Puts the body of a recording `try` in its place, and drops the print of the results."""

    def leave_Try(
        self, original_node: cst.Try, updated_node: cst.Try
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        """A `try` that does more than to record stays."""
        body = updated_node.body
        records = all(_records(handler.body) for handler in updated_node.handlers)
        plain = updated_node.orelse is None and updated_node.finalbody is None
        if not (records and plain and isinstance(body, cst.IndentedBlock)):
            return updated_node
        first, *rest = body.body
        led = first.with_changes(leading_lines=updated_node.leading_lines)
        return cst.FlattenSentinel([led, *rest])

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.RemovalSentinel:
        """The print goes; the comparison takes its place."""
        return cst.RemoveFromParent() if m.matches(updated_node, _PRINT) else updated_node


def _records(body: cst.BaseSuite) -> bool:
    statements: Sequence[cst.CSTNode] = body.body
    return all(m.matches(statement, _ERROR) for statement in statements)


def _with_end(code: str, end: str) -> str:
    return code.rstrip("\n") + "\n" + end
