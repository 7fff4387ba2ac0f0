"""Hits as scripts that stand alone: a valid call, the trigger in marked lines, both ways, a check.

In: what the interpreter under test tells of two ways that do not agree. Out: the script, and its
control, the same script without the trigger, which must run through. Where a call dies or fails
under the trigger alone, the script does so, too; else its last line fails while the bug is there.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from analysis import parsing
from analysis.target.observation import Observation, Outcome
from analysis.target.session import Limits, Session
from citadel.model import Symptom, SymptomKind, Verdict, VerdictKind
from citadel.oracle import status
from citadel.spread.fact import PLAIN, Takes
from citadel.spread.relation import Relation
from harvest.sources.eagle.finding import CRASH, DIFFERS, STATUS, Finding
from harvest.sources.eagle.scripts import assignment, imports

MARK = "  # the trigger"
_TRIGGER = re.compile(r"^(bad_\w+) = (.*)$", re.M)
_OUTCOME = '''def outcome(call):
    """How a call ends."""
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "returns"
'''
_ONES = {"torch.tensor": "torch.ones", "tf.constant": "tf.ones"}
"""By what makes a tensor of numbers."""
FEW = 8
"""Numbers of a tensor that are read at once."""
RETURNS = "returns"
AROUND = {Takes.CONTEXT: "surrounded", Takes.SWITCH: "switched"}
"""What variables are called that hold how a call ends in surroundings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """An API that goes wrong when its own valid call meets the trigger, as a script."""

    api: str
    code: str
    control: str
    verdict: Verdict
    limit: str
    """The known limit that explains it; "" for none."""


def script(
    finding: Finding,
    relation: Relation,
    framework: str,
    *,
    bare: bool = False,
    cast: bool = False,
) -> str:
    """The case of a finding, or (`bare`) its control; see `_comparison` for `cast`."""
    made = [line.group() + MARK for line in _TRIGGER.finditer(finding.setup)]
    if bare:
        made = [_untouched(line) for line in _TRIGGER.finditer(finding.setup)]
    given = [assignment(name, text) for name, text in finding.inputs]
    functions = "" if relation.asked else _TRIGGER.sub("", finding.setup).strip()
    ways = _ways(finding, relation, framework, [*given, *made], bare=bare, cast=cast)
    statements = "\n".join((*given, *made, "", *ways))
    parts = [part for part in (functions, _OUTCOME if "outcome(" in statements else "") if part]
    body = "\n\n\n".join((*(part.strip() for part in parts), statements))
    lines = imports(body)
    gap = "\n\n\n" if parts else "\n\n"
    return "\n".join(lines) + gap + body + "\n"


def replayed(
    finding: Finding,
    relation: Relation,
    session: Session,
    framework: str,
    *,
    runs: int,
    limits: Limits,
) -> Hit | None:
    """The finding as a script, if the script shows it in all runs and its control runs through."""
    if finding.unwritten:
        return None
    shown: tuple[str, str, Observation] | None = None
    for one in (*_plainer(finding), finding):
        found = _written(one, relation, session, framework, limits)
        if found is None:
            continue
        seen = [session.run(found[0], limits=limits) for _ in range(runs)]
        if all(_shows(one, relation, run) for run in seen):
            shown = (*found, seen[0])
            break
    if shown is None:
        return None
    code, control, first = shown
    verdict = Verdict(
        kind=VerdictKind.BUG,
        runs=(runs, runs),
        confidence=1.0,
        symptom=symptom(finding, relation, first),
    )
    return Hit(api=finding.api, code=code, control=control, verdict=verdict, limit=finding.limit)


def _plainer(finding: Finding) -> Iterator[Finding]:
    """The finding with ones in place of many numbers, if these need not be what they are: what dies
    or fails may do so for any."""
    inputs = tuple((name, _plain(text)) for name, text in finding.inputs)
    if finding.state != DIFFERS and inputs != finding.inputs:
        yield replace(finding, inputs=inputs)


def _plain(text: str) -> str:
    """A tensor that is written as many numbers, as one of ones.

    >>> _plain("torch.tensor([[0.5] * 5, [2.5] * 5])")
    'torch.tensor([[0.5] * 5, [2.5] * 5])'
    >>> _plain("torch.tensor([[1, 2, 3, 4, 5], [6, 7, 8, 9, 0]], dtype=torch.int32)")
    'torch.ones((2, 5), dtype=torch.int32)'
    """
    try:
        call = parsing.expression(text).body
    except (SyntaxError, ValueError):
        return text
    if not isinstance(call, ast.Call) or not call.args or not isinstance(call.args[0], ast.List):
        return text
    level: ast.expr = call.args[0]
    shape: list[int] = []
    while isinstance(level, ast.List) and level.elts:
        shape.append(len(level.elts))
        level = level.elts[0]
    maker = _ONES.get(ast.unparse(call.func))
    if maker is None or math.prod(shape) <= FEW or any(one.arg != "dtype" for one in call.keywords):
        return text
    rest = [*call.args[1:], *(one.value for one in call.keywords)]
    dtype = "".join(f", dtype={ast.unparse(one)}" for one in rest)
    return f"{maker}({tuple(shape)}{dtype})"


def _written(
    finding: Finding, relation: Relation, session: Session, framework: str, limits: Limits
) -> tuple[str, str] | None:
    """The script and its control, which runs through; None where it does not. What is one tensor is
    rounded to the dtype of the other; several are compared as they are."""
    for cast in (True, False) if finding.state == DIFFERS else (False,):
        control = script(finding, relation, framework, bare=True, cast=cast)
        if session.run(control, limits=limits).outcome is Outcome.OK:
            return script(finding, relation, framework, cast=cast), control
    return None


def symptom(finding: Finding, relation: Relation, seen: Observation) -> Symptom:
    """What a hit shows, in the words of all symptoms."""
    if finding.state == CRASH or (finding.state == STATUS and relation.sampled):
        found = status.capture(seen)
        if found is not None:
            return found
    if relation.asked and finding.state == STATUS:
        return Symptom(kind=SymptomKind.FALSE, where=relation.asked, observed="False")
    if finding.state == STATUS:
        return _one_sided(finding, relation)
    shown = finding.shown or ("", "")
    return Symptom(
        kind=SymptomKind.DISAGREES,
        where=finding.result,
        observed=_flat(shown[0]),
        expected=f"{_flat(shown[1])} ({_other(relation)})",
    )


def _one_sided(finding: Finding, relation: Relation) -> Symptom:
    """One way refuses what the other one takes: where the plain one refuses, or a way that should,
    that is right."""
    refuses = finding.side == "reference"
    way, text = relation.ways[refuses], (finding.result, finding.reference)[refuses]
    message = finding.message.splitlines()[0] if finding.message else ""
    if way.fact is PLAIN or way.fact.refuses:
        other = relation.ways[not refuses]
        # A check of a range is told in the API's own words, which tell no cause apart.
        words = status.raises(finding.types[0], finding.message).pattern
        return Symptom(
            kind=SymptomKind.ACCEPTS,
            pattern=None if way.fact.refuses else words,
            where=(finding.result, finding.reference)[not refuses],
            observed=f"a result ({other})",
            expected=f"{finding.types[0]}: {message}",
        )
    return replace(status.raises(finding.types[0], finding.message), where=text)


def _shows(finding: Finding, relation: Relation, seen: Observation) -> bool:
    """Whether a run of the script ends as the finding says."""
    if finding.state == CRASH:
        return seen.outcome in (Outcome.SIGNAL, Outcome.TIMEOUT)
    raised = seen.exception
    if seen.outcome is not Outcome.EXCEPTION or raised is None:
        return False
    if finding.state == STATUS and relation.sampled:
        return raised.type == finding.types[0]
    return raised.type == "AssertionError" or finding.kind in ("shape", "structure")


def _writes(finding: Finding) -> bool:
    """Whether the call writes to its arguments."""
    return finding.api.endswith("_") or "out=" in finding.result


def _ways(
    finding: Finding, relation: Relation, framework: str, made: list[str], *, bare: bool, cast: bool
) -> list[str]:
    """The lines that make the call in both ways, and the check; where the trigger is one of the
    ways, the control has the other one alone."""
    one, other = finding.result, finding.reference
    brought = _TRIGGER.search(finding.setup) is not None
    alone = bare and (not brought or any(way.fact.refuses for way in relation.ways))
    if relation.asked and finding.state == STATUS:
        return [f"result = {one}", 'print("result:", result)', f"assert {relation.asked}"]
    if finding.state == STATUS and not relation.sampled:
        if alone:  # of the two, the one that returns
            return [one if finding.side == "reference" else other]
        names = [AROUND.get(way.fact.takes) or _name(str(way)) for way in relation.ways]
        calls = zip(names, (one, other), strict=True)
        shown = zip(relation.ways, names, strict=True)
        return [
            *(f"{name} = outcome(lambda: {text})" for name, text in calls),
            *(f"print({json.dumps(f'{way}:')}, {name})" for way, name in shown),
            f'assert ({names[0]} == "{RETURNS}") == ({names[1]} == "{RETURNS}")',
        ]
    lines = [f"expected = {other}  # {_other(relation)}"]
    # What writes to its inputs gets new ones.
    again = made if _writes(finding) else []
    lines += [] if alone else [*again, f"result = {one}"]
    if finding.state != DIFFERS or alone:
        return lines
    printed = ['print("expected:", expected)', 'print("result:  ", result)']
    if relation.described:
        return [*lines, *printed, "assert result == expected"]
    return [*lines, *printed, *_comparison(finding, framework, cast=cast)]


def _comparison(finding: Finding, framework: str, *, cast: bool) -> list[str]:
    """The check; `cast`: the expected result is rounded to the dtype of the other one."""
    options = f"rtol={finding.rtol:g}, atol={finding.atol:g}, equal_nan=True"
    if framework == "tensorflow":
        loop = "for one, other in zip(tf.nest.flatten(result), tf.nest.flatten(expected)):"
        if finding.kind == "shape":
            return [loop, "    assert np.shape(one) == np.shape(other)"]  # NumPy would broadcast
        rounded = "np.asarray(other).astype(np.asarray(one).dtype)" if cast else "other"
        return [loop, f"    np.testing.assert_allclose(one, {rounded}, {options})"]
    wanted = "expected.to(result.dtype)" if cast else "expected"
    given = f"result, {wanted}, {options}, check_dtype=False, check_layout=False"
    return ["torch.testing.assert_close(", f"    {given}", ")"]


def _other(relation: Relation) -> str:
    """What the second way is, for people."""
    return "without the trigger" if relation.sampled else relation.ways[1].told


def _name(way: str) -> str:
    """A way as the name of a variable.

    >>> _name("dtype float64"), _name("forward-ad")
    ('dtype_float64', 'forward_ad')
    """
    return re.sub(r"\W+", "_", way)


def _untouched(line: re.Match[str]) -> str:
    """What stands for a line of the trigger in the control: the input as it is."""
    name = line[1].removeprefix("bad_")
    return f"{line[1]} = {name}"


def _flat(text: str) -> str:
    return " ".join(text.split())[:200]
