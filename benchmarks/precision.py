"""How many of the findings that a triage presents are true, by labels that people gave.

usage: python -m benchmarks.precision [--list] [--need MICRO] LABELS... TRIAGE.json...

LABELS are `labels.json` files, TRIAGE.json what `citadel triage --json` wrote. What is judged is an
operation: all forms of it that one report presents are one finding. A label is

  T  the same kind of bug in another operation: who accepts the report accepts this
  S  a form of the reported operation itself
  L  documented, intended, or a missing feature of that operation
  F  right behaviour, an artefact of the adaptation, or another cause

Printed are, by framework and kind of bug, the share of T among T, L and F over all operations
(micro) and as the mean of reports (macro), with 95 % intervals of a bootstrap over reports, and the
share of the known T that is presented (kept). A label holds for one build and one symptom: where a
report is read otherwise, its findings are unjudged. `--list` prints the unjudged ones.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

SYMPTOM = ("kind", "exception", "pattern", "signal", "where")
"""What tells that a report was read as it was when it was labelled."""
FLOOD = 30
"""Operations of one report from which on something that they have in common is to blame."""
RESAMPLES = 2000
LABELS = ("T", "S", "L", "F")


@dataclass(frozen=True, slots=True, kw_only=True)
class Presented:
    """What one triage presents of one report, and how it is labelled.

    `labels` has each operation with its label, "?" where it has none. `known` is the number of T
    among all labels of the report, presented or not; 0 where it is read otherwise.
    """

    report: str
    framework: str
    kind: str
    read: bool
    labels: Mapping[str, str]
    known: int

    @property
    def counts(self) -> Counter[str]:
        """How many operations have each label."""
        return Counter(self.labels.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Precision:
    """Shares in 0 to 1 with the ends of their 95 % intervals; None where nothing was judged."""

    reports: int
    counts: Mapping[str, int]
    micro: tuple[float, float, float] | None
    macro: tuple[float, float, float] | None
    kept: tuple[float, float, float] | None


def operations(report: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    """The operations that a report's triage presents as bugs, each with its forms."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for one in report["siblings"]:
        if one["verdict"] == "bug" and not one["alias_of"]:
            found.setdefault(one["operation"] or one["api"], []).append(one)
    return found


def presented(
    documents: Iterable[Mapping[str, Any]], labels: Mapping[str, Mapping[str, Any]]
) -> Iterator[Presented]:
    """What the triages of these documents present, beside the labels."""
    for document in documents:
        version = document["target"]["version"].partition(" ")[0]
        build = f"{document['target']['framework']} {version}"
        for report in document["reports"]:
            case, known = report["case"], labels.get(number_of(report), {})
            if case is None:
                continue
            # Labels hold for what they were given for.
            same = known.get("build") == build and _same(known.get("symptom", {}), case["symptom"])
            given = {name: label for name, (label, _) in known.get("labels", {}).items()}
            told = {name: given.get(name, "?") if same else "?" for name in operations(report)}
            yield Presented(
                report=number_of(report),
                framework=framework_of(case["api"], document["target"]["framework"]),
                kind=case["kind"],
                read=same,
                labels=told,
                known=sum(label == "T" for label in given.values()) if same else 0,
            )


def number_of(report: Mapping[str, Any]) -> str:
    """The number by which labels name a report."""
    return str(report["number"] or Path(report["input"]).stem)


def framework_of(api: str, framework: str) -> str:
    """`keras` for what TensorFlow carries of it, too."""
    return "keras" if api.startswith(("keras.", "tf.keras.")) else framework


def _same(labelled: Mapping[str, Any], seen: Mapping[str, Any]) -> bool:
    return all(labelled.get(name) == seen.get(name) for name in SYMPTOM)


def precision(found: Sequence[Presented]) -> Precision:
    """The figures of some reports."""
    rows = np.array(
        [[one.counts["T"], sum(one.counts[k] for k in "TLF"), one.known] for one in found],
        dtype=float,
    ).reshape(-1, 3)
    counts = Counter(label for one in found for label in one.labels.values())
    return Precision(
        reports=len(found),
        counts={label: counts[label] for label in (*LABELS, "?")},
        micro=_interval(rows, lambda r: _ratio(r[:, 0].sum(), r[:, 1].sum())),
        macro=_interval(rows, _macro),
        kept=_interval(rows, lambda r: _ratio(r[:, 0].sum(), r[:, 2].sum())),
    )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


def _macro(rows: np.ndarray) -> float:
    judged = rows[rows[:, 1] > 0]
    return float((judged[:, 0] / judged[:, 1]).mean()) if len(judged) else float("nan")


def _interval(
    rows: np.ndarray, statistic: Callable[[np.ndarray], float]
) -> tuple[float, float, float] | None:
    """A statistic with the 2.5 and 97.5 % quantiles of resampled reports (percentile bootstrap)."""
    value = statistic(rows)
    if np.isnan(value):
        return None
    random = np.random.default_rng(0)
    drawn = [statistic(rows[random.integers(len(rows), size=len(rows))]) for _ in range(RESAMPLES)]
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    return float(value), float(low), float(high)


def read_labels(files: Iterable[Path]) -> dict[str, Mapping[str, Any]]:
    """The labels of several files; a report is in one of them.

    Raises:
        ValueError: for a label that is none, or a report that two files have.
    """
    found: dict[str, Mapping[str, Any]] = {}
    for file in files:
        for number, entry in json.loads(file.read_text()).items():
            if number in found:
                raise ValueError(f"{file}: report {number} is labelled elsewhere, too")
            for name, (label, why) in entry["labels"].items():
                if label not in LABELS or not why:
                    raise ValueError(f"{file}: {number} {name}: {label!r}, because {why!r}")
            found[number] = entry
    return found


def table(found: Sequence[Presented]) -> Iterator[str]:
    """The figures as lines: of all reports, without floods, by framework and kind."""
    yield f"{'':24}{'reports':>8}{'T':>6}{'S':>5}{'L':>5}{'F':>6}{'?':>6}  micro  macro  kept"
    groups: dict[str, list[Presented]] = {
        "all": list(found),
        f"up to {FLOOD} operations": [one for one in found if len(one.labels) <= FLOOD],
    }
    for one in sorted(found, key=lambda one: (one.framework, one.kind)):
        groups.setdefault(one.framework, []).append(one)
        groups.setdefault(f"{one.framework}, {one.kind}", []).append(one)
    for name, members in groups.items():
        figures = precision(members)
        counts = figures.counts
        shares = "  ".join(map(_share, (figures.micro, figures.macro, figures.kept)))
        yield (
            f"{name:24}{figures.reports:8}{counts['T']:6}{counts['S']:5}{counts['L']:5}"
            f"{counts['F']:6}{counts['?']:6}  {shares}"
        )


def _share(value: tuple[float, float, float] | None) -> str:
    return "-" if value is None else "{:.3f} [{:.2f}, {:.2f}]".format(*value)


def unjudged(documents: Iterable[Mapping[str, Any]], found: Iterable[Presented]) -> Iterator[str]:
    """The operations without a label, with what helps to give one, by report."""
    without = {(one.report, name) for one in found for name, k in one.labels.items() if k == "?"}
    for document in documents:
        for report in document["reports"]:
            case, number = report["case"], number_of(report)
            left = {n: f for n, f in operations(report).items() if (number, n) in without}
            if not left:
                continue
            yield f"\n{number} {report['title']}\n  source {case['api']}, {case['kind']}: " + (
                json.dumps({name: case["symptom"].get(name) for name in SYMPTOM})
            )
            for name, forms in left.items():
                best = max(forms, key=lambda one: one["confidence"])
                yield (
                    f"  {name} ({len(forms)} forms, {best['api']}, confidence"
                    f" {best['confidence']}): {'; '.join(best['edits'])[:150]} | {best['file']}"
                )


def main(arguments: Sequence[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.precision",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--list", action="store_true", help="print what has no label")
    parser.add_argument("--need", type=float, metavar="MICRO", help="exit with 1 below this")
    given = parser.parse_args(arguments)
    read = {file: json.loads(file.read_text()) for file in given.files}
    documents = [one for one in read.values() if "reports" in one]
    if not documents:
        parser.error("no output of `citadel triage --json` among these files")
    labels = read_labels(file for file, one in read.items() if "reports" not in one)
    found = list(presented(documents, labels))
    print("\n".join(table(found)))
    otherwise = sorted(one.report for one in found if not one.read and one.report in labels)
    if otherwise:
        print(f"read otherwise than labelled: {', '.join(otherwise)}")
    if given.list:
        print("\n".join(unjudged(documents, found)))
    micro = precision(found).micro
    return int(given.need is not None and (micro is None or micro[0] < given.need))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
