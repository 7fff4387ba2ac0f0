"""PyTorch's operators to the C++ functions that compute them.

In: `native_functions.yaml` (of the checkout, or the copy in an installed package) and the functions
found. Out: for each operator name as the profiler shows it (`aten::conv2d`: no overload) the ids of
functions. An entry names a kernel per backend (`dispatch`), or delegates to its structured out form
(`TORCH_IMPL_FUNC`, `TORCH_META_FUNC`), or is the function of its own name in `at::native`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from analysis.static.model import FunctionRecord, last_part

PLACES = (
    "aten/src/ATen/native/native_functions.yaml",
    "torchgen/packaged/ATen/native/native_functions.yaml",
    "../torchgen/packaged/ATen/native/native_functions.yaml",
)
"""Relative to the root: in a checkout, in site-packages, beside an installed `torch`."""

ENTRY = "entry"
"""What marks a row of this file among TensorFlow's registrations."""


_TRUE = ("true", "yes", "on")
"""How YAML writes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One operator overload. `kernels` are C++ names without `at::native::`.

    `schema` is the text of `func:`; `delegate` names the entry whose kernels it uses.
    """

    name: str
    overload: str
    schema: str
    kernels: tuple[str, ...]
    structured: bool
    delegate: str | None

    @property
    def full(self) -> str:
        """Name and overload, as delegates are named: `add.out`."""
        return f"{self.name}.{self.overload}" if self.overload else self.name


def locate(root: Path) -> str | None:
    """The YAML file that goes with a source tree, relative to its root; None without one."""
    return next((place for place in PLACES if (root / place).is_file()), None)


def read_entries(text: bytes) -> list[list[Any]]:
    """The entries of the file as plain rows, for the cache; entries of unknown shape are dropped.

    Raises:
        ValueError: when it is no YAML list.
    """
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        listed = yaml.compose(text, Loader=loader)
    except yaml.YAMLError as problem:
        raise ValueError(str(problem)) from problem
    if not isinstance(listed, yaml.SequenceNode):
        raise ValueError("not a list of operators")
    found = map(_plain, listed.value)
    return [_row(item) for item in found if isinstance(item, dict) and "func" in item]


def _plain(node: yaml.Node, depth: int = 2) -> Any:
    """A scalar as written, or a mapping of such; it costs half of what making objects does."""
    if isinstance(node, yaml.ScalarNode):
        return node.value
    if not isinstance(node, yaml.MappingNode) or not depth:
        return None
    named = ((key, value) for key, value in node.value if isinstance(key, yaml.ScalarNode))
    return {key.value: _plain(value, depth - 1) for key, value in named}


def _row(item: dict[Any, Any]) -> list[Any]:
    schema = str(item["func"])
    name, _, overload = schema.partition("(")[0].strip().partition(".")
    dispatch = item.get("dispatch") or {}
    kernels = [str(kernel) for kernel in dispatch.values()] if isinstance(dispatch, dict) else []
    loops = item.get("ufunc_inner_loop") or {}
    if isinstance(loops, dict):
        kernels += ["ufunc::" + str(loop).partition("(")[0].strip() for loop in loops.values()]
    delegate = item.get("structured_delegate")
    structured = str(item.get("structured")).lower() in _TRUE
    names = sorted({re.sub(r"^at::native::", "", kernel) for kernel in kernels})
    if not names and not delegate:
        names = [name]
    return [ENTRY, name, overload, schema, names, structured, delegate]


def entries(rows: Iterable[list[Any]]) -> list[Entry]:
    """The entries of rows as `read_entries` yields them, without their mark."""
    return [
        Entry(
            name=name,
            overload=overload,
            schema=schema,
            kernels=tuple(kernels),
            structured=structured,
            delegate=delegate,
        )
        for name, overload, schema, kernels, structured, delegate in rows
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorMap:
    """`functions`: `aten::NAME` to ids of functions. `mapped` of `total` entries have any."""

    functions: Mapping[str, tuple[str, ...]]
    total: int = 0
    mapped: int = 0


def map_operators(listed: Iterable[Entry], functions: Iterable[FunctionRecord]) -> OperatorMap:
    """Find the functions of each operator; overloads of a name are taken together."""
    by_name: dict[str, list[str]] = defaultdict(list)
    by_base: dict[str, list[str]] = defaultdict(list)
    for record in functions:
        by_name[record.name].append(record.id)
        if record.name.startswith("at::") and "structured_" not in record.name:
            by_base[last_part(record.name)].append(record.id)
    all_entries = {entry.full: entry for entry in listed}
    found: dict[str, set[str]] = defaultdict(set)
    mapped = 0
    for entry in all_entries.values():
        ids: set[str] = set()
        for candidate in _candidates(entry, all_entries):
            ids.update(by_name.get(candidate, ()))
        if not ids:
            ids = {i for kernel in entry.kernels for i in by_base.get(last_part(kernel), ())}
        mapped += bool(ids)
        found[f"aten::{entry.name}"].update(ids)
    known = {name: tuple(sorted(ids)) for name, ids in sorted(found.items()) if ids}
    return OperatorMap(functions=known, total=len(all_entries), mapped=mapped)


def _candidates(entry: Entry, listed: Mapping[str, Entry]) -> Iterator[str]:
    """Qualified names under which the functions of an entry may be defined."""
    target = listed.get(entry.delegate or "", entry)
    for kernel in (*entry.kernels, *target.kernels):
        if target.structured:
            owner, _, base = kernel.rpartition("::")
            place = f"at::native::{owner}::" if owner else "at::native::"
            yield f"{place}structured_{base}::impl"
        yield f"at::native::{kernel}"
        yield kernel
    if target.structured:
        # TORCH_META_FUNC(add) or TORCH_META_FUNC2(add, Tensor), for the functional form.
        yield f"at::meta::structured_{entry.name}::meta"
        for other in (entry, target):
            if other.overload not in ("", "out"):
                stem = other.overload.removesuffix("_out")
                yield f"at::meta::structured_{entry.name}_{stem}::meta"
