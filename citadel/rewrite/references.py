"""References in a case's oracle: the function of NumPy or SciPy that bears the API's name.

`np.median`, which `torch.median` is compared with, becomes `np.nanmedian` for `torch.nanmedian`,
where NumPy has one.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping

import libcst as cst
import libcst.helpers as h
import libcst.matchers as m

MODULES = ("numpy", "numpy.linalg", "numpy.fft", "scipy.special", "scipy.linalg", "scipy.fft")

EXAMPLES: tuple[tuple[str, str, str, str | None], ...] = (
    ("np.median(x)", "torch.median", "torch.nanmedian", "np.nanmedian(x)"),
    ("np.linalg.eigh(a)[0]", "torch.linalg.eigh", "torch.linalg.eigvalsh", None),
    ("np.cumsum(x, 0)", "torch.Tensor.cumsum_", "torch.cumprod", "np.cumprod(x, 0)"),
    ("np.max(x)", "torch.median", "torch.min", None),
)
"""(reference, source, sibling, the sibling's reference or None)."""


def counterparts(
    module: cst.Module, local: Mapping[str, str], source: str, target: str
) -> dict[cst.CSTNode, cst.CSTNode]:
    """The names of references to replace, and what by; `local` says what names stand for.

    Functions that return other things (`eigvalsh` has no pairs) are told by their use: those
    whose result is taken apart stay as they are.
    """
    before, after = _leaf(source), _leaf(target)
    if before == after:
        return {}
    taken = {id(n.value) for n in m.findall(module, m.Subscript()) if isinstance(n, cst.Subscript)}
    found: dict[cst.CSTNode, cst.CSTNode] = {}
    for call in m.findall(module, m.Call(func=m.Attribute(attr=m.Name(before)))):
        if not isinstance(call, cst.Call) or id(call) in taken:
            continue
        room = _room(call.func, local)
        if room in MODULES and hasattr(importlib.import_module(room), after):
            assert isinstance(call.func, cst.Attribute)  # noqa: S101 - just matched
            found[call.func] = call.func.with_changes(attr=cst.Name(after))
    return found


def _room(function: cst.BaseExpression, local: Mapping[str, str]) -> str:
    """The module that a function is taken from, by its real name."""
    dotted = h.get_full_name_for_node(function) or ""
    first, _, rest = dotted.partition(".")
    return f"{local.get(first, '')}.{rest}".rpartition(".")[0]


def _leaf(name: str) -> str:
    return name.rpartition(".")[2].strip("_").lower()
