"""A snippet in other forms: as this build can run it, and so that a run shows more of it.

In: a snippet whose run said too little. Out: the snippet changed by one named repair, or None.
"""

from __future__ import annotations

import ast
from dataclasses import replace

import libcst as cst
import libcst.matchers as m

from analysis.catalog.model import Catalog
from analysis.target.instrument import Instrumented
from analysis.target.observation import Observation
from citadel.rewrite.imports import PACKAGES
from citadel.rewrite.tree import Tree
from harvest.report.model import Claim, ClaimKind, Snippet
from harvest.report.steps.memory import PACKAGE, WITHOUT_PSUTIL, resident
from harvest.report.steps.numpy import RENAMED, with_names_of_today
from harvest.report.steps.tensorflow import (
    EAGERLY,
    VERSION_1,
    as_version_1,
    named,
    run_eagerly,
)
from harvest.report.syntax import Refusal, parse
from harvest.report.without import REFERENCE_LEFT_OUT, without

_NEW, _OLD = "tf.", "tf.compat.v1."
IMPORTED = "imports of its classes"
CAUGHT = "a refusal that ends nothing"
_CALL_ALONE = m.SimpleStatementLine(body=[m.Expr()])
_CATCHING = "try:\n    pass\nexcept Exception:\n    pass\n"


def of_version_1(snippet: Snippet, catalog: Catalog, claims: tuple[Claim, ...]) -> Snippet | None:
    """TensorFlow 1 code for TensorFlow 2, if it names what only version 1 has.

    A report that such a name is missing was written about TensorFlow 2.
    """
    if any(c.kind is ClaimKind.RAISES and c.exception == "AttributeError" for c in claims):
        return None
    gone = [
        name
        for name in named(snippet.code)
        if catalog.resolve(_NEW + name) is None and catalog.resolve(_OLD + name) is not None
    ]
    return _changed(snippet, as_version_1(snippet.code) if gone else None, VERSION_1)


def eager(snippet: Snippet) -> Snippet | None:
    """TensorFlow code whose functions run as Python, if it imports TensorFlow."""
    return _changed(snippet, run_eagerly(snippet.code), EAGERLY)


def without_reference(snippet: Snippet, module: str) -> Snippet | None:
    """The snippet without what a module that is not there computes beside the framework."""
    return _changed(snippet, without(snippet.code, module), REFERENCE_LEFT_OUT)


def without_psutil(snippet: Snippet, module: str) -> Snippet | None:
    """The snippet without psutil, if that is what it needs, and only for its own memory."""
    code = resident(snippet.code) if module == PACKAGE else None
    return _changed(snippet, code, WITHOUT_PSUTIL)


def with_imports(snippet: Snippet, catalog: Catalog) -> Snippet | None:
    """The snippet with imports of the framework's classes that it names without one (`Gamma(...)`),
    if it misses nothing else and each name is that of one class alone."""
    wanted = set(snippet.missing)
    found: dict[str, set[str]] = {name: set() for name in wanted}
    for api in catalog.apis.values() if wanted else ():
        name = api.name.rpartition(".")[2]
        if name in wanted and api.kind.is_class:
            found[name].add(api.name)
    if not wanted or any(len(names) != 1 for names in found.values()):
        return None
    lines = sorted(_import(names.pop()) for names in found.values())
    code = snippet.code.splitlines(keepends=True)
    at = _behind_the_first(snippet.code)
    above = [line if line.endswith("\n") else f"{line}\n" for line in code[:at]]
    changed = _changed(snippet, "".join([*above, *lines, *code[at:]]), IMPORTED)
    return changed and replace(changed, missing=())


def _import(api: str) -> str:
    module, _, name = api.rpartition(".")
    root, dot, rest = module.partition(".")
    return f"from {PACKAGES.get(root, root)}{dot}{rest} import {name}\n"


def _behind_the_first(code: str) -> int:
    """How many lines come before the first import can: a docstring, imports of the future."""
    tree = parse(code)
    body = () if isinstance(tree, Refusal) else tree.body
    ends = 0
    for number, node in enumerate(body):
        match node:
            case ast.Expr(value=ast.Constant(value=str())) if number == 0:
                ends = node.end_lineno or 0
            case ast.ImportFrom(module="__future__"):
                ends = node.end_lineno or 0
            case _:
                break
    return ends


def with_new_names(snippet: Snippet) -> Snippet | None:
    """The snippet with names that NumPy has had once replaced by those that it has."""
    return _changed(snippet, with_names_of_today(snippet.code), RENAMED)


def with_refusal_caught(snippet: Snippet, source: Instrumented, run: Observation) -> Snippet | None:
    """The snippet with the line caught by which its run ends, as if it stood in a cell of its own.

    That is one which makes a call, and nothing of it.
    """
    tree = Tree(source.module)
    sites = {call.site for call in run.calls if call.raised is not None}
    nodes = [source.nodes[site] for site in sorted(sites) if 0 <= site < len(source.nodes)]
    around = (part for node in nodes for part in tree.above(node))
    lines = (part for part in around if any(part is line for line in source.module.body))
    ending = next((line for line in lines if m.matches(line, _CALL_ALONE)), None)
    if not isinstance(ending, cst.SimpleStatementLine):
        return None
    catching = cst.ensure_type(cst.parse_statement(_CATCHING), cst.Try)
    catching = catching.with_changes(body=cst.IndentedBlock([ending]))
    code = cst.ensure_type(source.module.deep_replace(ending, catching), cst.Module).code
    return _changed(snippet, code, CAUGHT)


def _changed(snippet: Snippet, code: str | None, name: str) -> Snippet | None:
    if code is None or code == snippet.code:
        return None
    return replace(snippet, code=code, repairs=(*snippet.repairs, name))
