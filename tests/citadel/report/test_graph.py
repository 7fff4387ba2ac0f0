"""Graphs for other tools."""

import csv
from xml.etree import ElementTree as Xml

import pytest

from analysis.errors import CitadelError
from citadel.report.graph import NAMESPACE, check_suffix, export

NODES = {"torch.a": {"kind": "function"}, "torch.<b>": {"kind": "method", "profiled": True}}
EDGES = [
    {"source": "torch.a", "target": "torch.<b>", "context": 0.5, "relation": None},
    {"source": "torch.a", "target": "torch.a", "context": None, "relation": 'a, "b" & c'},
]


def test_graphml_can_be_read_back(tmp_path):
    path = tmp_path / "graph.graphml"
    export(path, NODES, EDGES)
    spaces = {"g": NAMESPACE}
    root = Xml.fromstring(path.read_text())
    keys = {key.get("id"): key.get("attr.type") for key in root.findall("g:key", spaces)}
    assert keys == {
        "node.kind": "string",
        "node.profiled": "boolean",
        "edge.context": "double",
        "edge.relation": "string",
    }
    nodes = root.findall(".//g:node", spaces)
    assert [node.get("id") for node in nodes] == list(NODES)
    values = [{data.get("key"): data.text for data in node} for node in nodes]
    assert values[1] == {"node.kind": "method", "node.profiled": "true"}
    first, second = root.findall(".//g:edge", spaces)
    assert (first.get("source"), first.get("target")) == ("torch.a", "torch.<b>")
    assert [data.text for data in first] == ["0.5"]
    assert [data.text for data in second] == ['a, "b" & c']


def test_csv_can_be_read_back(tmp_path):
    path = tmp_path / "graph.csv"
    export(path, NODES, EDGES)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["relation"] for row in rows] == ["", 'a, "b" & c']
    assert [row["context"] for row in rows] == ["0.5", ""]


def test_an_empty_graph(tmp_path):
    for name in ("a.csv", "a.graphml"):
        export(tmp_path / name, {}, [])
    assert Xml.fromstring((tmp_path / "a.graphml").read_text()) is not None


@pytest.mark.parametrize("name", ["graph", "graph.xml", "graph.CSV", ".csv.gz"])
def test_other_formats_are_refused(tmp_path, name):
    with pytest.raises(CitadelError, match="unknown format"):
        check_suffix(tmp_path / name)


def test_an_older_file_survives_a_failure(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(CitadelError):
        export(tmp_path / "folder.csv", NODES, EDGES)
