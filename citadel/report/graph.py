"""Similar APIs as files for other tools: GraphML for graphs, CSV for tables.

In: rows of values, each naming two APIs. Out: text. GraphML is what Gephi, yEd, Cytoscape and
networkx read: http://graphml.graphdrawing.org/specification.html
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree as Xml

from analysis.errors import CitadelError
from citadel.report.files import write_atomically

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
KINDS: Mapping[type, str] = {str: "string", float: "double", int: "long", bool: "boolean"}
SUFFIXES = (".graphml", ".csv")

Row = Mapping[str, str | float | int | bool | None]


def export(path: Path, nodes: Mapping[str, Row], edges: Sequence[Row]) -> None:
    """Write a graph in the format that the file's suffix names; CSV holds the edges.

    Edges have the keys "source" and "target".

    Raises:
        CitadelError: for another suffix, or where the file cannot be written.
    """
    check_suffix(path)
    text = csv_text(edges) if path.suffix == ".csv" else graphml_text(nodes, edges)
    write_atomically(path.resolve() if path.is_symlink() else path, text)


def check_suffix(path: Path) -> None:
    """Refuse a file whose format is not known.

    Raises:
        CitadelError: for a suffix other than .graphml and .csv.
    """
    if path.suffix not in SUFFIXES:
        raise CitadelError(
            f"cannot export to {path.name}: unknown format", f"end it in {' or '.join(SUFFIXES)}"
        )


def csv_text(rows: Sequence[Row]) -> str:
    """A header and one line per row; None is an empty cell."""
    stream = io.StringIO()
    columns = list(dict.fromkeys(key for row in rows for key in row))
    writer = csv.DictWriter(stream, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def graphml_text(nodes: Mapping[str, Row], edges: Sequence[Row]) -> str:
    """An undirected graph; a key per attribute, typed by its values."""
    root = Xml.Element("graphml", xmlns=NAMESPACE)
    ends = ("source", "target")
    known = {
        "node": _declare(root, "node", nodes.values(), ()),
        "edge": _declare(root, "edge", edges, ends),
    }
    graph = Xml.SubElement(root, "graph", edgedefault="undirected")
    for name, row in nodes.items():
        _attributes(Xml.SubElement(graph, "node", id=name), row, known["node"])
    for row in edges:
        edge = Xml.SubElement(graph, "edge", {end: str(row[end]) for end in ends})
        _attributes(edge, row, known["edge"])
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _declare(
    root: Xml.Element, domain: str, rows: Iterable[Row], leave_out: Sequence[str]
) -> dict[str, str]:
    """Declare the attributes that the rows have; attribute -> id of its key."""
    kinds: dict[str, str] = {}
    for row in rows:
        for name, value in row.items():
            if value is not None and name not in leave_out:
                kinds.setdefault(name, KINDS[type(value)])
    for name, kind in kinds.items():
        fields = {"id": f"{domain}.{name}", "for": domain, "attr.name": name, "attr.type": kind}
        Xml.SubElement(root, "key", fields)
    return {name: f"{domain}.{name}" for name in kinds}


def _attributes(element: Xml.Element, row: Row, keys: Mapping[str, str]) -> None:
    for name, key in keys.items():
        value = row.get(name)
        if value is not None:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            Xml.SubElement(element, "data", key=key).text = text
