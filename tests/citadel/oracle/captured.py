"""Performance oracles of runs that are made up: from a text and the values that it shows."""

from textwrap import dedent

from analysis.target.instrument import instrument, watched
from analysis.target.observation import Observation, Outcome, Seen
from analysis.values import Value
from citadel.oracle import performance
from harvest.report.model import Report
from harvest.report.understand import understand

CLOCKED = "import time\n"


def points_of(code):
    return watched(instrument(dedent(code))).points


def run_of(code, given, **more):
    """A run in which expressions came to numbers: text -> number or list of them, with a unit."""
    seen = []
    for point in points_of(code):
        value, unit = given.get(point.text, (None, None))
        if value is None:
            continue
        for number, one in enumerate(value if isinstance(value, list) else [value], 1):
            kind = "int" if isinstance(one, int) else "float"
            record = Value(kind=kind, text=repr(one), unit=unit)
            seen.append(Seen(point=point.number, occurrence=number, value=record))
    return Observation(outcome=more.pop("outcome", Outcome.OK), seen=tuple(seen), **more)


def captured(code, given, title="it is slow", text="", count=8, **more):
    """The oracle of a report whose runs vary by a few thousandths."""
    code = dedent(code)
    body = f"```python\n{code}\n```\n\n{text}"
    reading = understand(Report(source="r.md", title=title, body=body))
    runs = [run_of(code, _jittered(given, 1 + 0.002 * (n % 3)), **more) for n in range(count)]
    return performance.capture(points_of(code), runs, reading, code)


def _jittered(given, factor):
    """Everything that counts seconds takes a little longer; ratios stay."""

    def longer(value):
        return [one * factor for one in value] if isinstance(value, list) else value * factor

    return {
        text: (longer(value) if unit in ("s", "rate") else value, unit)
        for text, (value, unit) in given.items()
    }


RATIO = "a, b = f()\nprint(a / b)\n"


def sides(ratio):
    return {"a": (ratio, "s"), "b": (1.0, "s"), "a / b": (ratio, "ratio")}
