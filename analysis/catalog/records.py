"""From the records of the walk inside the interpreter (`analysis/inside/catalog_torch.py`) to APIs.

The records are also what the cache keeps, so this is the one place that knows their shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from analysis.catalog.model import Api, ApiKind, Catalog, Parameter, Provenance, Signature

Record = Mapping[str, Any]


def read_catalog(records: Iterable[Record]) -> Catalog:
    """Build the catalog; of two records with one name the first one counts."""
    apis: dict[str, Api] = {}
    for record in records:
        apis.setdefault(record["n"], read_api(record))
    return Catalog(apis=apis)


def read_api(record: Record) -> Api:
    """Read one record."""
    return Api(
        name=record["n"],
        kind=ApiKind(record["k"]),
        aliases=tuple(record["a"]),
        signatures=tuple(_signature(item) for item in record["s"]),
        call_signatures=tuple(_signature(item) for item in record["c"]),
        documented=record["d"],
        words=record.get("w", ""),
        operators=tuple(record.get("o", ())),
        out=bool(record.get("out", False)),
    )


def _signature(record: Record) -> Signature:
    rows = record["p"]
    return Signature(
        provenance=Provenance(record["s"]), parameters=tuple(_parameter(row) for row in rows)
    )


def _parameter(row: list[str | None]) -> Parameter:
    name, kind, default, flag = row
    return Parameter(
        name=name or "",
        type=kind,
        default=default,
        keyword_only=flag == "k",
        variadic=flag if flag in ("*", "**") else "",
    )
