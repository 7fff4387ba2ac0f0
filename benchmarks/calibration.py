"""Calibrate the confidence of findings on those that people have judged.

usage: python -m benchmarks.calibration [--write] LABELS... TRIAGE.json...

LABELS are `labels.json` files (see `benchmarks.precision`), TRIAGE.json what
`citadel triage --min-confidence 0 --json` wrote. An operation is one finding, with the form of it
that is surest; T and S count as true, L and F as false. A report with n findings weighs as much as
the square root of n, so that a flood does not decide everything.

Each report is judged by a model that has not seen it (leave one report out), and each framework by
one that has seen only the others. Printed are the AUC, the Brier score, how often findings of each
confidence are true, and precision and the kept share of the true ones at several thresholds.
`--write` replaces the committed coefficients, if the new ones are no worse.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.precision import framework_of, number_of, presented, read_labels
from citadel.evidence.confidence import FILE, SIGNS, Model, model

NAMES = tuple(SIGNS)
RIDGE = 1.0
"""Weight of the squared coefficients (all features lie between -1 and 1, but for counts)."""
STEPS = tuple(round(0.1 * n, 1) for n in range(1, 10))
"""Thresholds to choose from: finer ones would fit these findings alone."""
FLOOD = 30
"""Operations of one report from which on something that they have in common is to blame."""
TRUE = "TS"
SLACK = 0.01
"""How much worse than the committed one the Brier score of new coefficients may be."""
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One operation of one report: the features of its surest form, and its label."""

    report: str
    framework: str
    kind: str
    operation: str
    features: Mapping[str, float]
    label: str

    @property
    def true(self) -> bool:
        """Whether it is the same bug, or a form of the reported operation."""
        return self.label in TRUE


def judged(
    documents: Sequence[Mapping[str, Any]], labels: Mapping[str, Mapping[str, Any]]
) -> Iterator[Judged]:
    """The findings that have a label, of reports that were read as when they were labelled."""
    read = {one.report: one for one in presented(documents, labels) if one.read}
    for document in documents:
        for report in document["reports"]:
            known = read.get(number_of(report))
            if known is None:
                continue
            given = {name: label for name, (label, _) in labels[known.report]["labels"].items()}
            forms: dict[str, list[Mapping[str, float]]] = {}
            for one in report["siblings"]:
                if one["evidence"] is not None and not one["alias_of"]:
                    forms.setdefault(one["operation"], []).append(one["evidence"]["features"])
            for operation, found in forms.items():
                if operation in given:
                    yield Judged(
                        report=known.report,
                        framework=framework_of(
                            report["case"]["api"], document["target"]["framework"]
                        ),
                        kind=known.kind,
                        operation=operation,
                        features=max(found, key=model().confidence),
                        label=given[operation],
                    )


def train(found: Sequence[Judged]) -> Model:
    """The coefficients that fit best, each of the sign that it may have."""
    x, y, weight = _arrays(found)

    def loss(theta: Floats) -> tuple[float, Floats]:
        odds = theta[0] + x @ theta[1:]
        likely = 1 / (1 + np.exp(-odds))
        value = -(weight * np.where(y, np.log(likely + 1e-12), np.log(1 - likely + 1e-12))).sum()
        error = weight * (likely - y)
        slope = np.concatenate(([error.sum()], x.T @ error + RIDGE * theta[1:]))
        return float(value + RIDGE / 2 * (theta[1:] ** 2).sum()), slope

    bounds = [(None, None), *((0, None) if SIGNS[n] > 0 else (None, 0) for n in NAMES)]
    done = minimize(loss, np.zeros(len(NAMES) + 1), jac=True, bounds=bounds, method="L-BFGS-B")
    weights = {name: round(float(w), 3) for name, w in zip(NAMES, done.x[1:], strict=True)}
    return Model(intercept=round(float(done.x[0]), 3), weights=weights, threshold=STEPS[0])


def _arrays(found: Sequence[Judged]) -> tuple[Floats, Floats, Floats]:
    counts: dict[str, int] = {}
    for one in found:
        counts[one.report] = counts.get(one.report, 0) + 1
    x = np.array([[one.features.get(name, 0.0) for name in NAMES] for one in found], dtype=float)
    y = np.array([one.true for one in found], dtype=float)
    return x, y, np.array([counts[one.report] ** -0.5 for one in found])


def unseen(found: Sequence[Judged], part: Callable[[Judged], str]) -> Floats:
    """The confidence of each finding by a model that was trained without its part of them."""
    sure = np.zeros(len(found))
    for name in {part(one) for one in found}:
        rest = [one for one in found if part(one) != name]
        trained = train(rest)
        for place, one in enumerate(found):
            if part(one) == name:
                sure[place] = trained.confidence(one.features)
    return sure


def auc(sure: Floats, true: NDArray[np.bool_]) -> float:
    """The chance that a true finding is surer than a false one; a tie counts half."""
    good, bad = sure[true], sure[~true]
    if not len(good) or not len(bad):
        return float("nan")
    above = (good[:, None] > bad[None, :]).mean()
    return float(above + (good[:, None] == bad[None, :]).mean() / 2)


def brier(sure: Floats, true: NDArray[np.bool_]) -> float:
    """The mean squared error of the confidence."""
    return float(((sure - true) ** 2).mean())


@dataclass(frozen=True, slots=True, kw_only=True)
class At:
    """What a threshold lets through: of all findings and as the mean of reports, without forms of
    the reported operation; and the share of the true ones that is kept."""

    threshold: float
    micro: float
    macro: float
    kept: float


def at(found: Sequence[Judged], sure: Floats, threshold: float) -> At:
    """The figures at one threshold."""
    others = [(one, s >= threshold) for one, s in zip(found, sure, strict=True) if one.label != "S"]
    shown = [one for one, passes in others if passes]
    by_report: dict[str, list[bool]] = {}
    for one in shown:
        by_report.setdefault(one.report, []).append(one.true)
    true = sum(one.true for one, _ in others)
    return At(
        threshold=threshold,
        micro=sum(one.true for one in shown) / len(shown) if shown else float("nan"),
        macro=float(np.mean([np.mean(v) for v in by_report.values()])) if shown else float("nan"),
        kept=sum(one.true for one in shown) / true if true else float("nan"),
    )


def best(found: Sequence[Judged], sure: Floats) -> float:
    """The threshold with the greatest harmonic mean of precision and kept share (F1)."""

    def f1(step: float) -> float:
        one = at(found, sure, step)
        return 2 * one.micro * one.kept / (one.micro + one.kept) if one.kept else 0.0

    return max(STEPS, key=f1)


def table(found: Sequence[Judged], sure: Floats) -> Iterator[str]:
    """The figures as lines."""
    true = np.array([one.true for one in found])
    reports = len({one.report for one in found})
    yield f"{len(found)} operations of {reports} reports, {true.sum()} true"
    yield f"AUC {auc(sure, true):.3f}, Brier score {brier(sure, true):.3f}"
    yield "confidence  findings  true"
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        inside = (sure >= low) & ((sure < low + 0.2) | (low == 0.8))
        share = f"{true[inside].mean():.2f}" if inside.any() else "-"
        yield f"{low:.1f} to {low + 0.2:.1f}{inside.sum():11}  {share}"
    yield "threshold  micro  macro  kept"
    for step in (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        one = at(found, sure, step)
        yield f"{step:9.1f}  {one.micro:.3f}  {one.macro:.3f}  {one.kept:.3f}"


def main(arguments: Sequence[str]) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.calibration",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--write", action="store_true", help=f"replace {FILE.name}")
    given = parser.parse_args(arguments)
    read = {file: json.loads(file.read_text()) for file in given.files}
    documents = [one for one in read.values() if "reports" in one]
    labels = read_labels(file for file, one in read.items() if "reports" not in one)
    found = list(judged(documents, labels))
    if len({one.report for one in found}) < 2:
        parser.error("fewer than two of these reports have findings with labels")
    sure = unseen(found, lambda one: one.report)
    print("each report by a model that has not seen it:")
    print("\n".join(table(found, sure)))
    sizes = Counter(one.report for one in found)
    few = [place for place, one in enumerate(found) if sizes[one.report] <= FLOOD]
    print(f"\nwithout reports of more than {FLOOD} operations:")
    print("\n".join(table([found[place] for place in few], sure[few])))
    if len({one.framework for one in found}) > 1:
        print("\neach framework by a model that has seen only the others:")
        print("\n".join(table(found, unseen(found, lambda one: one.framework))))
    trained = replace(train(found), threshold=model().threshold)  # which people choose
    print(f"\nweights: {trained.intercept} {dict(trained.weights)}")
    print(f"threshold {trained.threshold}; the greatest F1 is at {best(found, sure)}")
    return _written(found, trained) if given.write else 0


def _written(found: Sequence[Judged], trained: Model) -> int:
    """Write the coefficients; 1 where the committed ones fit these findings better."""
    true = np.array([one.true for one in found])
    committed, fitted = (
        np.array([one.confidence(finding.features) for finding in found])
        for one in (model(), trained)
    )
    if model().weights and brier(committed, true) < brier(fitted, true) - SLACK:
        print("not written: the committed coefficients are better on these findings")
        return 1
    record = {
        "intercept": trained.intercept,
        "weights": dict(trained.weights),
        "threshold": trained.threshold,
    }
    FILE.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {FILE.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
