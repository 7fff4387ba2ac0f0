"""How early known siblings come in the ranking, and what each channel is worth.

usage: python -m benchmarks.ranking PYTHON FOLDER... [--fit] [--still]

FOLDER holds reports (NUMBER.json) and expected.json: per number `api`, and `siblings` with, per
version, whether the API shares the bug. Prints recall at 20, 40, 80 and 150 and the mean rank, of
the shipped weights, without each channel, and of each channel alone; with --fit also of weights
fitted to all other reports (leave one report out), and the weights fitted to all of them. With
--still no report is run: how well an API takes the failing call's arguments is not known then.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from analysis.index import load_or_build
from analysis.target.session import Limits
from analysis.target.target import probe
from citadel.match.channels import Feature, Table
from citadel.match.rank import WEIGHTS, tables
from citadel.plan.invocation import Invocation, invocation
from citadel.propagate.candidates import compatibility
from citadel.verify.reports import verify
from citadel.verify.verified import NotVerified
from citadel.workbench import Workbench
from harvest.report.inputs import load
from harvest.report.model import BadInput
from harvest.report.understand import understand

AT = (20, 40, 80, 150)
RIDGE = 1e-3
Floats = NDArray[np.float64]
SHIPPED: Floats = np.array([WEIGHTS[feature] for feature in Feature])


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One report: the table of its API, the rows of its known siblings, the row of itself."""

    name: str
    table: Table
    siblings: tuple[int, ...]
    own: int

    def ranks(self, weights: Floats) -> list[float]:
        """Rank of each sibling, 1 for the first candidate; ties count half."""
        scores = self.table.values @ weights
        scores[self.own] = -np.inf
        return [
            1 + (scores > scores[row]).sum() + ((scores == scores[row]).sum() - 1) / 2
            for row in self.siblings
        ]


def questions(python: str, folders: Sequence[Path], *, still: bool) -> list[Question]:
    target = probe(python)
    version = target.info.version.replace("1.13.0a0", "1.13.1")  # what Debian's build says it is
    index = load_or_build(target)
    rows = {name: row for row, name in enumerate(index.catalog.apis)}
    found: list[Question] = []
    with Workbench(target, index, jobs=1) as bench:
        for folder in folders:
            for number, known in json.loads((folder / "expected.json").read_text()).items():
                source = index.catalog.resolve(known["api"])
                if source is None:
                    continue
                shared = {
                    api.name
                    for name, per_version in known.get("siblings", {}).items()
                    if per_version.get(version) is True
                    and (api := index.catalog.resolve(name)) is not None
                } - {source.name}
                if shared:
                    call = None if still else failing_call(folder / f"{number}.json", bench)
                    arguments = call and compatibility(call, bench)
                    found.append(
                        Question(
                            name=f"{folder.name}/{number}",
                            table=tables(index).of(source, arguments or None),
                            siblings=tuple(rows[name] for name in sorted(shared)),
                            own=rows[source.name],
                        )
                    )
    return found


def failing_call(path: Path, bench: Workbench) -> Invocation | None:
    """The failing call of a report as this build sees it; None where it cannot be verified."""
    for report in load([str(path)]):
        if isinstance(report, BadInput):
            raise SystemExit(report.error)
        verified = verify(
            understand(report),
            bench.replays[0],
            bench.index.catalog,
            bench.target.info,
            runs=1,
            limits=Limits(),
        )
        if not isinstance(verified, NotVerified):
            return invocation(verified.call, verified.api, verified.observation.calls)
    return None


def show(label: str, asked: Sequence[Question], weights_of: Callable[[Question], Floats]) -> None:
    ranks = np.array([rank for question in asked for rank in question.ranks(weights_of(question))])
    recall = "  ".join(f"{(ranks <= at).mean():.3f}" for at in AT)
    print(f"{label:24} {recall}  {ranks.mean():7.1f}")


def fit(asked: Sequence[Question]) -> Floats:
    """Weights that make known siblings beat everything else (logistic loss over pairs)."""
    pairs = []
    for question in asked:
        values = question.table.values
        others = np.delete(values, [*question.siblings, question.own], axis=0)
        pairs.append((values[list(question.siblings)], others))

    def loss(weights: Floats) -> tuple[float, Floats]:
        total, slope = RIDGE * weights @ weights, 2 * RIDGE * weights
        for siblings, others in pairs:
            above = others @ weights
            for sibling in siblings:
                # Softmax of the sibling among all others: its rank matters, not their number.
                margin = above - sibling @ weights
                top = max(0.0, margin.max())
                mass = np.exp(margin - top)
                norm = mass.sum() + np.exp(-top)
                total += (top + np.log(norm)) / (len(siblings) * len(pairs))
                pull = (mass[:, None] * (others - sibling)).sum(axis=0) / norm
                slope = slope + pull / (len(siblings) * len(pairs))
        return float(total), slope

    fitted: Floats = minimize(loss, SHIPPED, jac=True, method="L-BFGS-B").x
    return fitted


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("python")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--still", action="store_true")
    given = parser.parse_args()
    asked = questions(given.python, given.folders, still=given.still)
    known = sum(len(question.siblings) for question in asked)
    print(f"{known} siblings of {len(asked)} reports; recall at {AT}, mean rank")
    show("shipped", asked, always(SHIPPED))
    for feature in Feature:
        show(f"without {feature.name}", asked, always(without(SHIPPED, feature)))
    for feature in Feature:
        alone = np.zeros(len(Feature))
        alone[feature] = 1.0
        show(f"{feature.name} alone", asked, always(alone))
    if given.fit:
        left_out = {q.name: fit([other for other in asked if other is not q]) for q in asked}
        show("fitted, left out", asked, lambda question: left_out[question.name])
        weights = fit(asked)
        show("fitted to all", asked, always(weights))
        print({feature.name: round(float(weights[feature]), 2) for feature in Feature})
    for question in asked:
        late = [
            f"{question.table.apis[row].name} {rank:.0f}"
            for row, rank in zip(question.siblings, question.ranks(SHIPPED), strict=True)
            if rank > AT[-1]
        ]
        if late:
            print(f"late: {question.name} {question.table.apis[question.own].name}: {late}")


def always(weights: Floats) -> Callable[[Question], Floats]:
    """The same weights for every question."""
    return lambda _: weights


def without(weights: Floats, feature: Feature) -> Floats:
    changed = weights.copy()
    changed[feature] = 0.0
    return changed


if __name__ == "__main__":
    main()
