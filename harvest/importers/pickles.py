"""A pickle -> the expression of what it holds, found out in the sandbox.

To open a pickle is to run its author's program. `InSandbox` lets the interpreter under test do it,
in a sandboxed child, and takes only text back: an expression of constants and of calls that make
arrays, tensors and dtypes. Anything else that a hostile pickle may send is refused.
"""

from __future__ import annotations

import ast
import base64
import re
from collections.abc import Callable
from types import TracebackType
from typing import Self

from analysis import parsing
from analysis.target.session import Session
from harvest.importers.folder import Unreadable
from harvest.report.syntax import dotted

SECONDS = 30.0
EXPRESSION = "unpickle:expression"
_BUILTINS = frozenset(("float", "complex", "set", "frozenset", "slice"))
_CALLS = _BUILTINS | {
    *("np.array", "np.full", "np.dtype"),
    *("torch.tensor", "torch.full", "torch.device", "torch.Size"),
    *("tf.constant", "tf.fill", "tf.TensorShape"),
}
ROOTS = frozenset(("np", "torch", "tf"))
"""The modules that an expression may name."""
_PLAIN = (
    ast.Expression,
    ast.Constant,
    ast.List,
    ast.Tuple,
    ast.Set,
    ast.Dict,
    ast.UnaryOp,
    ast.USub,
    ast.Load,
    ast.keyword,
)


class InSandbox:
    """An `Unpickle` by sandboxed interpreters; `open_session` gives one for a framework's name."""

    def __init__(self, open_session: Callable[[str], Session]) -> None:
        self._open_session = open_session
        self._sessions: dict[str, Session] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for session in self._sessions.values():
            session.close()

    def __call__(self, data: bytes, framework: str, entry: str = EXPRESSION) -> str:
        """The object of a pickle as an expression; `entry` is what opens it there.

        Raises:
            Unreadable: what has no literal, takes too long, dies or sends anything else.
            CitadelError: when the interpreter does not work.
        """
        session = self._sessions.get(framework)
        if session is None:
            session = self._sessions[framework] = self._open_session(framework)
        given = {"data": base64.b64encode(data).decode()}
        done = session.task(entry, given, wall=SECONDS)
        if done.died or not done.records:
            raise Unreadable("", f"its pickle cannot be opened: {done.died or 'nothing came back'}")
        told = done.records[0]
        text = told.get("text")
        if not isinstance(text, str):
            raise Unreadable("", f"its pickle cannot be opened: {told.get('error')}")
        if not is_literal(text):
            raise Unreadable("", "its pickle came back as something else than literals")
        return text


def is_literal(text: str, *, names: re.Pattern[str] | None = None) -> bool:
    """Whether an expression only holds constants and calls that make arrays, tensors, dtypes.

    `names` are further names that may stand in it.

    >>> is_literal("{'x': np.array([1, -2])}"), is_literal("__import__('os')")
    (True, False)
    """
    try:
        tree = parsing.expression(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return all(
        _is_allowed(node)
        or (names is not None and isinstance(node, ast.Name) and names.fullmatch(node.id))
        for node in ast.walk(tree)
    )


def _is_allowed(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Call(), attr="requires_grad_"), args=[]):
            return True
        case ast.Call():
            return dotted(node.func) in _CALLS
        case ast.Name(id=name):
            return name in ROOTS | _BUILTINS
        case ast.Attribute(attr=name):
            return not name.startswith("_") and (name == "requires_grad_" or bool(dotted(node)))
        case ast.Subscript(slice=ast.Tuple(elts=[])):
            return True  # np.array(1)[()]
        case _:
            return isinstance(node, _PLAIN)
