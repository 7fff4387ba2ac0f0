"""Names that NumPy once had -> the same things by the names that it has now.

In: code that parses. Out: the code with other names, or None where there is none to change. Like
the changes for TensorFlow's first version, this is taken when a run has shown the need.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import MappingProxyType

from analysis.rules import Rule
from harvest.report.edits import Edit, apply_edits
from harvest.report.steps.step import id_of
from harvest.report.syntax import Refusal, dotted, parse

PACKAGE = "numpy"
RENAMED = "older numpy"
EXAMPLES: tuple[tuple[str, str], ...] = (
    ("import numpy as np\nx = np.NAN, np.ones(1)", "import numpy as np\nx = np.nan, np.ones(1)"),
    (
        "import numpy\nf(numpy.zeros(2).astype(numpy.float))",
        "import numpy\nf(numpy.zeros(2).astype(float))",
    ),
    (
        "import numpy as n\ny = [n.NINF, n.product(z)]",
        "import numpy as n\ny = [(-n.inf), n.prod(z)]",
    ),
    ("import numpy\nimport torch as np\nnp.float, numpy.ones.NAN", ""),
)
"""(code, what it becomes; "" where nothing may change)."""
_NOW = MappingProxyType(
    {
        **{name: name for name in ("bool", "int", "float", "complex", "object", "str")},
        **{"long": "int", "unicode": "str"},
        **dict.fromkeys(("NAN", "NaN"), "{0}.nan"),
        **dict.fromkeys(("Inf", "Infinity", "infty", "PINF"), "{0}.inf"),
        **{"NINF": "(-{0}.inf)", "PZERO": "0.0", "NZERO": "-0.0"},
        **{"float_": "{0}.float64", "complex_": "{0}.complex128"},
        **{"unicode_": "{0}.str_", "string_": "{0}.bytes_"},
        **{"product": "{0}.prod", "cumproduct": "{0}.cumprod", "round_": "{0}.round"},
        **{"alltrue": "{0}.all", "sometrue": "{0}.any", "row_stack": "{0}.vstack"},
    }
)
"""What was taken away in NumPy 1.24 and 2.0, and what its notes on migration put in its place."""


def _with_names_of_today(code: str) -> str | None:
    """The code with NumPy's old names replaced."""
    tree = parse(code)
    if isinstance(tree, Refusal):
        return None
    edits = list(_edits(tree))
    return apply_edits(code, edits) if edits else None


def _edits(tree: ast.Module) -> Iterator[Edit]:
    modules = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name == PACKAGE
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            module = dotted(node.value)
            if module in modules and node.attr in _NOW:
                yield Edit(node=node, text=_NOW[node.attr].format(module))


with_names_of_today = Rule(f"repair/{id_of(RENAMED)}", _with_names_of_today, EXAMPLES)
