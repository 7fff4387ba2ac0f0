"""Python's own parser, one thread at a time and without warnings.

CPython counts in one place how deep all threads are in making trees: two that parse at once may
both fail with a SystemError ("AST constructor recursion depth mismatch"). A text may raise
SyntaxError, ValueError, RecursionError and MemoryError, as `ast.parse` has it.
"""

from __future__ import annotations

import ast
import threading
import warnings
from typing import Any

_ALONE = threading.Lock()


def module(text: str | bytes) -> ast.Module:
    """The tree of a module."""
    with _ALONE, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # such as invalid escapes, which are not ours to mend
        return ast.parse(text)


def expression(text: str) -> ast.Expression:
    """The tree of a single expression."""
    with _ALONE, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, mode="eval")


def literal(text: str) -> Any:
    """The value of a literal; ValueError where the text is another expression."""
    return ast.literal_eval(expression(text.lstrip(" \t")))
