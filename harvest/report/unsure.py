"""What a reading of a report leaves open, and which correction would settle it.

In: a `Reading`. Out: a line for people each, which ends with the option to give.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from analysis.rules import Registry
from harvest.report.model import ClaimKind, Mention, Reading
from harvest.report.syntax import Refusal, dotted, nodes, parse

_TELL_OF = {ClaimKind.PERFORMANCE: "costs", ClaimKind.VALUE: "values"}
_CODE = "```python\nimport torch\ny = torch.ones(3)\n```\n"
UNSURE: Registry[[Reading], str] = Registry("unsure")
"""Questions about a report; each example is a title and a body of which it is asked."""


def names_in_code(reading: Reading) -> tuple[Mention, ...]:
    """The names of the report that its code calls, and dotted ones."""
    calls = (node for node in _nodes(reading) if isinstance(node, ast.Call))
    called = {_leaf(dotted(one.func)) for one in calls}
    return tuple(m for m in reading.mentions if "." in m.name or _leaf(m.name) in called)


def _nodes(reading: Reading) -> Iterator[ast.AST]:
    """The nodes of all code that may be run."""
    for one in reading.candidates:
        tree = parse(one.code)
        yield from () if isinstance(tree, Refusal) else nodes(tree)


def _leaf(name: str) -> str:
    return name.rpartition(".")[2].lower()


def unsure(reading: Reading) -> tuple[str, ...]:
    """What is not sure of a report that can be run."""
    return tuple(UNSURE.each(reading)) if reading.candidates else ()


@UNSURE.rule("symptom", examples=[("torch.ones", _CODE)])
def _no_symptom(reading: Reading) -> str | None:
    """Nothing says what goes wrong."""
    said = reading.claims or reading.refusal or reading.expectations
    asserts = any(isinstance(node, ast.Assert) for node in _nodes(reading))
    return None if said or asserts else "nothing in it says what goes wrong: --symptom"


@UNSURE.rule("kind", examples=[("torch.ones crashes and returns nan", _CODE)])
def _several_kinds(reading: Reading) -> str | None:
    """What counts most in it tells of bugs of several kinds."""
    first = [one.kind for one in reading.claims if one.source is reading.claims[0].source]
    kinds = {_TELL_OF.get(kind, "failures") for kind in first}
    return f"it tells of {' and '.join(sorted(kinds))}: --kind" if len(kinds) > 1 else None


@UNSURE.rule("api", examples=[("It fails", _CODE)])
def _no_api(reading: Reading) -> str | None:
    """The title names nothing that the code calls."""
    named = any(one.title for one in names_in_code(reading))
    return None if named else "its title names nothing that the code calls: --api"


@UNSURE.rule(
    "block", examples=[("torch.ones is wrong", _CODE + "or\n\n" + _CODE.replace("3", "4"))]
)
def _several_blocks(reading: Reading) -> str | None:
    """Several pieces of code stand by themselves."""
    whole = [one for one in reading.candidates if not one.missing]
    if len(whole) < 2:
        return None
    return f"{len(whole)} pieces of code could be the bug's: --block"
