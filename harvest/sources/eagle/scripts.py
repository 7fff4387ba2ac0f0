"""A finding -> a script of one framework in which both executions stand, and what it showed.

The script is what was run, word for word: inputs, the lines that the rule needs, the reference,
the result, and a comparison with the tolerance of the dtype. Where one of them raises, the
comparison is not reached. As both are code, both are rewritten for a sibling.
"""

from __future__ import annotations

import re
import textwrap

from harvest.importers.model import Case
from harvest.sources.eagle.finding import CRASH, STATUS, Finding
from harvest.sources.eagle.rules import RULES

WIDTH = 96
MOST_SHOWN = 600
_IMPORTS = (
    ("io", "import io"),
    ("math", "import math"),
    ("np", "import numpy as np"),
    ("tf", "import tensorflow as tf"),
    ("torch", "import torch"),
)
_LOOP = "for one, other in zip(tf.nest.flatten(result), tf.nest.flatten(reference)):\n    "
_OTHER_DTYPES = ("9", "12")
"""Rules of which the two sides differ in their dtypes."""


def title(finding: Finding) -> str:
    """One line: the API, and what of it disagrees."""
    way = RULES[finding.rule].differs.format(variant=finding.variant)
    if finding.state == CRASH and finding.hangs:
        return f"{finding.api} hangs: {way}"
    if finding.state == CRASH:
        return f"{finding.api} crashes with {finding.how.removeprefix('crash ')}: {way}"
    if finding.state == STATUS:
        return f"{finding.api} raises {finding.types[0]} in one of two cases: {way}"
    what = {"finite": "NaN or infinity", "shape": "another shape"}.get(finding.kind, "other values")
    return f"{finding.api} gives {what}: {way}"


def script(finding: Finding, framework: str) -> str:
    """The case's code."""
    inputs = "".join(assignment(name, text) + "\n" for name, text in finding.inputs)
    executions = f"reference = {finding.reference}\nresult = {finding.result}\n"
    executions += _comparison(finding, framework)
    body = "\n".join(part for part in (_spaced(inputs), _spaced(finding.setup), executions) if part)
    lines = imports(body)
    formula = RULES[finding.rule].formula
    return f"# {formula}\n" + "\n".join(lines) + f"\n\n{body}"


def case(finding: Finding, framework: str, version: str, seen: str) -> Case:
    """The case; `seen` is what the script printed at its end."""
    rule = RULES[finding.rule]
    lines = [
        f"Rule {rule.name} of EAGLE ({rule.category}): `{rule.formula}`.",
        f"With {framework} {version} it does not hold for `{finding.api}` ({finding.variant}).",
        "",
    ]
    if finding.state == "differs":
        lines += ["`result` is wrong: it should be equal to `reference`, and is not."]
        if finding.shown is not None:
            lines += ["", f"`reference` is `{_flat(finding.shown[1])}`,"]
            lines += [f"`result` is `{_flat(finding.shown[0])}`."]
        if finding.absolute:  # other shapes, and what is not finite, have none
            told = f"{finding.absolute:g} absolute, {finding.relative:g} relative"
            lines += ["", f"Largest difference: {told}."]
    elif seen:
        lines += ["One of the two executions fails, the other one works:", "", "```", seen, "```"]
    return Case(title=title(finding), code=script(finding, framework), body="\n".join(lines) + "\n")


def _comparison(finding: Finding, framework: str) -> str:
    """The lines that compare both, with the tolerance of the dtype where values differ."""
    options = []
    if finding.state == "differs":
        options += [f"rtol={finding.rtol:g}", f"atol={finding.atol:g}"]
    options.append("equal_nan=True")
    if framework == "tensorflow" and finding.kind == "shape":
        return f"{_LOOP}assert np.shape(one) == np.shape(other)\n"  # NumPy would broadcast
    if framework == "tensorflow":
        return f"{_LOOP}np.testing.assert_allclose(one, other, {', '.join(options)})\n"
    if finding.rule in _OTHER_DTYPES:
        options.append("check_dtype=False")
    if finding.rule == "8":
        options.append("check_layout=False")
    given = f"result, reference, {', '.join(options)}"
    line = f"torch.testing.assert_close({given})\n"
    if len(line) <= WIDTH:
        return line
    return f"torch.testing.assert_close(\n    {given}\n)\n"


def imports(body: str) -> list[str]:
    """The lines that import what a body names."""
    return [line for name, line in _IMPORTS if re.search(rf"(?<![\w.]){name}\.", body)]


def assignment(name: str, text: str) -> str:
    """The lines that make an input; lists of numbers are broken where the line is full."""
    line = f"{name} = {text}"
    if len(line) <= WIDTH or '"' in text or "'" in text:
        return line
    wrapped = textwrap.wrap(
        line, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(wrapped)


def _spaced(text: str) -> str:
    """A function stands between blank lines, as formatters want it."""
    return f"\n{text}\n" if text.startswith("def ") else text


def _flat(text: str) -> str:
    return " ".join(text.split())[:MOST_SHOWN]
