"""Hits as scripts that stand alone: a valid call, the trigger in marked lines, both ways, a check.

In: what the interpreter under test tells of two ways that do not agree. Out: the script, and its
control, the same script without the trigger, which must run through. Where a call dies or fails
under the trigger alone, the script does so, too; else its last line fails while the bug is there.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace

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
    found = _written(finding, relation, session, framework, limits)
    if found is None:
        return None
    code, control = found
    seen = [session.run(code, limits=limits) for _ in range(runs)]
    hits = sum(_shows(finding, relation, one) for one in seen)
    if hits < runs:
        return None
    verdict = Verdict(
        kind=VerdictKind.BUG,
        runs=(hits, runs),
        confidence=1.0,
        symptom=symptom(finding, relation, seen[0]),
    )
    return Hit(api=finding.api, code=code, control=control, verdict=verdict, limit=finding.limit)


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
