"""Measured ratios as strips of text: one line per API, one mark per run, the same axis for all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

WIDTH = 48
_MARKS = " .:*#"


def strips(rows: Sequence[tuple[str, Sequence[float]]]) -> str:
    """Lines of `name  median |  .:*: |`, over an axis that is logarithmic where all is positive.

    Marks grow with the number of runs that fall on one place: `.` is one, `#` four or more.
    """
    known = [(name, list(samples)) for name, samples in rows if samples]
    if not known:
        return ""
    everything = [sample for _, samples in known for sample in samples]
    log = min(everything) > 0
    low, high = _scale(min(everything), log=log), _scale(max(everything), log=log)
    named = max(len(name) for name, _ in known)
    lines = []
    for name, samples in known:
        counts = [0] * WIDTH
        for sample in samples:
            share = (_scale(sample, log=log) - low) / ((high - low) or 1.0)
            counts[round(share * (WIDTH - 1))] += 1
        strip = "".join(_MARKS[min(count, len(_MARKS) - 1)] for count in counts)
        lines.append(f"{name:{named}}  {median(samples):>9.4g} |{strip}|")
    ends = f"{min(everything):.4g}", f"{max(everything):.4g}"
    axis = ends[0] + ends[1].rjust(WIDTH + 2 - len(ends[0]))
    return "\n".join([*lines, f"{'':{named}}  {'':9} {axis}"])


def _scale(number: float, *, log: bool) -> float:
    return math.log(number) if log else number
