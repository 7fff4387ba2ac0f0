"""The table of rules in the documentation says which function writes the pairs of each."""

import ast
import re
from pathlib import Path

from analysis.target.sandbox import INSIDE
from harvest.sources.eagle.rules import RULES

DOCUMENT = Path(__file__).parents[4] / "docs/sources.md"
ROW = re.compile(r"^\| (\d+) \|.* \| ([^|]+) \|$", re.MULTILINE)
PLACE = re.compile(r"`(\w+)\.(\w+)`")


def places():
    """Rule -> (module, name) of what its last column names."""
    text = DOCUMENT.read_text()
    table = text[text.index("| # | category | rule |") :].partition("\n\n")[0]
    return {rule: PLACE.findall(last) for rule, last in ROW.findall(table)}


def names(module):
    """What a module defines at its top."""
    tree = ast.parse((INSIDE / f"eagle_{module}.py").read_text())
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assigned = [node.targets[0] for node in tree.body if isinstance(node, ast.Assign)]
    values = {target.id for target in assigned if isinstance(target, ast.Name)}
    return functions | values


def test_each_rule_has_its_functions_for_both_frameworks():
    found = places()
    assert set(found) == set(RULES) - {"8s"}
    for told in found.values():
        assert [module for module, name in told if name not in names(module)] == []
        assert {module.rpartition("_")[2] for module, _ in told} == {"torch", "tensorflow"}
