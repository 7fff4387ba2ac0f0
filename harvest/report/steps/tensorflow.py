"""Changes to TensorFlow code that only a build can call for: version 1, functions run eagerly.

In: code that parses. Out: the code with other imports, or None where there is no import to change.
Unlike the `STEPS`, which make a text parse, these are taken when a run has shown the need.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from analysis.rules import Rule
from harvest.report.steps.step import id_of
from harvest.report.syntax import Refusal, dotted, parse

_Change = Callable[[ast.stmt], list[str] | None]

PACKAGE = "tensorflow"
VERSION_1 = "tensorflow 1"
EAGERLY = "functions run eagerly"

OLDER: tuple[tuple[str, str], ...] = (
    (
        "import tensorflow as tf\nx = tf.placeholder(tf.float32)",
        "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\n"
        "x = tf.placeholder(tf.float32)",
    ),
    (
        "import tensorflow\ntensorflow.Session()",
        "import tensorflow.compat.v1 as tensorflow\ntensorflow.disable_v2_behavior()\n"
        "tensorflow.Session()",
    ),
    (
        "def f():\n    import numpy as np, tensorflow as tf\n    tf.Session()",
        "def f():\n    import numpy as np, tensorflow.compat.v1 as tf\n"
        "    tf.disable_v2_behavior()\n    tf.Session()",
    ),
)
"""(code, the same for TensorFlow 2)."""

EAGER: tuple[tuple[str, str], ...] = (
    (
        "import tensorflow as tf\n@tf.function\ndef f():\n    pass",
        "import tensorflow as tf\ntf.config.run_functions_eagerly(True)\n"
        "@tf.function\ndef f():\n    pass",
    ),
    (
        "from tensorflow import keras\nkeras.Sequential()",
        "from tensorflow import keras\nimport tensorflow\n"
        "tensorflow.config.run_functions_eagerly(True)\nkeras.Sequential()",
    ),
)
"""(code, the same with every function of TensorFlow run as the Python that it is)."""


def named(code: str) -> frozenset[str]:
    """What code names of TensorFlow, as it spells it after the package: `nn.relu`, `Session`."""
    tree = parse(code)
    if isinstance(tree, Refusal):
        return frozenset()
    local = {name for node in ast.walk(tree) for name in _bound(node)}
    attributes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    paths = (dotted(node).partition(".") for node in attributes)
    return frozenset(rest for first, _, rest in paths if first in local and rest)


def _as_version_1(code: str) -> str | None:
    """The code on the API of version 1, as TensorFlow 2 keeps it, with graphs and sessions."""
    return _with_imports(code, _older)


def _run_eagerly(code: str) -> str | None:
    """The code with its functions run as Python, so that calls in them are calls of the text."""
    return _with_imports(code, _eager)


def _bound(node: ast.AST) -> Iterator[str]:
    """Names that a statement gives to the package as a whole."""
    for alias in node.names if isinstance(node, ast.Import) else ():
        if alias.name == PACKAGE:
            yield alias.asname or alias.name


def _older(node: ast.stmt) -> list[str] | None:
    if not isinstance(node, ast.Import) or not (names := [*_bound(node)]):
        return None
    aliases = [
        ast.alias(name="tensorflow.compat.v1", asname=alias.asname or alias.name)
        if alias.name == PACKAGE
        else alias
        for alias in node.names
    ]
    return [ast.unparse(ast.Import(names=aliases)), f"{names[0]}.disable_v2_behavior()"]


def _eager(node: ast.stmt) -> list[str] | None:
    name = next(_bound(node), None)
    if name is not None:
        return [ast.unparse(node), f"{name}.config.run_functions_eagerly(True)"]
    match node:
        case ast.ImportFrom(module=str(module), level=0):
            modules = [module]
        case ast.Import(names=names):
            modules = [alias.name for alias in names]
        case _:
            return None
    if not any(module.partition(".")[0] in (PACKAGE, "keras") for module in modules):
        return None
    setting = f"{PACKAGE}.config.run_functions_eagerly(True)"
    return [ast.unparse(node), f"import {PACKAGE}", setting]


def _with_imports(code: str, change: _Change) -> str | None:
    """The code with the first import that can be changed, unless it shares its line."""
    tree = parse(code)
    if isinstance(tree, Refusal):
        return None
    lines = code.split("\n")
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    for node in sorted(statements, key=lambda node: node.lineno):
        new = change(node)
        if new is None:
            continue
        last = node.end_lineno or node.lineno
        before = lines[node.lineno - 1].encode()[: node.col_offset].decode(errors="replace")
        after = lines[last - 1].encode()[node.end_col_offset :].decode(errors="replace")
        if before.strip() or after.strip()[:1] not in ("", "#"):
            return None
        lines[node.lineno - 1 : last] = [before + line for line in new]
        return "\n".join(lines)
    return None


as_version_1 = Rule(f"repair/{id_of(VERSION_1)}", _as_version_1, OLDER)
run_eagerly = Rule(f"repair/{id_of(EAGERLY)}", _run_eagerly, EAGER)
