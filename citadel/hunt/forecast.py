"""Which reports to verify first: a text classifier, trained on what became of the store's own.

In: a store with outcomes and with reports that wait. Out: for each of these the chance that it
makes a case with siblings, by which items of one topic are ordered, and cross-validated figures.
Nothing is left out. Where too little is known, or nothing can be learnt from it, shorter code comes
first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from analysis.errors import CitadelError
from citadel.hunt import words
from citadel.store import outcomes, reports
from citadel.store.database import Store
from citadel.store.outcomes import Figures, Outcome, Target
from harvest.report.model import Report
from harvest.report.understand import understand

LEAST = 30
"""Outcomes that there must be: with fewer, the spread of the folds hides everything."""
FOLDS = 5
REPEATS = 4
MANY = 1_000
"""Outcomes from which on one cross-validation tells the spread well enough."""
MOST = 10_000
"""Outcomes that are learnt from: every n-th one where there are more, to start within a minute."""
_WORDS = 2**16
_TRAITS = 2**10
"""Columns for words and traits, which find theirs by a hash."""
_NOT_INSTALLED = "scikit-learn is not installed: pip install 'citadel-siblings[learn]'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What one target can be learnt from: reports, and whether it holds for them."""

    target: Target
    reports: tuple[str, ...]
    labels: tuple[bool, ...]

    def figures(self) -> Figures:
        """Those that need no training, with the reason why there is none, if there is."""
        count, positives = len(self.labels), sum(self.labels)
        rarer = min(positives, count - positives)
        reason = ""
        if count < LEAST:
            reason = f"{LEAST} reports are needed"
        elif rarer < FOLDS:
            reason = f"at least {FOLDS} of each outcome are needed"
        return Figures(target=self.target, reports=count, positives=positives, reason=reason)


def order_waiting(store: Store) -> tuple[Figures, ...]:
    """Order what waits by its chances; returns the figures, none where nothing waits.

    Raises:
        CitadelError: when the store cannot be written.
    """
    waiting = outcomes.waiting(store)
    if not waiting:
        return ()
    fresh: dict[str, list[str]] = {}
    figures, chances = _foretold(store, lessons(outcomes.outcomes(store)), waiting, fresh)
    with store.transaction():
        outcomes.order(store, chances)
        for report, traits in fresh.items():
            outcomes.keep_traits(store, report, traits)
    return figures


def lessons(known: Sequence[Outcome]) -> list[Lesson]:
    """What is to be learnt: cases among all, and those with siblings among the cases."""
    known = known[:: -(-len(known) // MOST) or 1]
    carried = [one for one in known if one.siblings is not None]
    return [
        Lesson(
            target=Target.CASE,
            reports=tuple(one.report for one in known),
            labels=tuple(one.case for one in known),
        ),
        Lesson(
            target=Target.SIBLINGS,
            reports=tuple(one.report for one in carried),
            labels=tuple(bool(one.siblings) for one in carried),
        ),
    ]


def _foretold(
    store: Store,
    learnt: Sequence[Lesson],
    waiting: Sequence[str],
    fresh: dict[str, list[str]],
) -> tuple[tuple[Figures, ...], Mapping[str, float]]:
    """Figures of all lessons, and the chance of each report that waits, if they tell any."""
    figures = tuple(lesson.figures() for lesson in learnt)
    if all(one.reason for one in figures):
        return figures, {}
    if not _installed():
        return tuple(replace(one, reason=one.reason or _NOT_INSTALLED) for one in figures), {}
    keys = sorted({*waiting, *(key for lesson in learnt for key in lesson.reports)})
    rows = {key: row for row, key in enumerate(keys)}
    matrix = vectorised(_documents(store, keys, fresh))
    asked = matrix[[rows[key] for key in waiting]]
    fitted = [
        _fitted(lesson, one, matrix[[rows[key] for key in lesson.reports]], asked)
        for lesson, one in zip(learnt, figures, strict=True)
    ]
    chances: dict[str, float] = {}
    for one, holds in fitted:
        if one.used:
            for key, chance in zip(waiting, holds, strict=True):
                chances[key] = chances.get(key, 1.0) * float(chance)
    return tuple(one for one, _ in fitted), chances


def _installed() -> bool:
    try:
        import sklearn  # noqa: F401
    except ImportError:
        return False
    return True


def _documents(
    store: Store, keys: Iterable[str], fresh: dict[str, list[str]]
) -> Iterator[tuple[list[str], list[str]]]:
    """Words and traits of reports, one after the other: together they may be large.

    Traits that the store does not have, as an older version made it, are put into `fresh`.
    """
    for key in keys:
        kept = outcomes.traits(store, key)
        try:
            report = reports.report_of(store, key)
        except CitadelError:  # its text is gone, which is said where it is to be run
            yield [], kept or []
            continue
        if kept is None:
            kept = fresh[key] = _traits(report)
        yield words.words(report), kept


def _traits(report: Report) -> list[str]:
    try:
        return words.traits(understand(report))
    except Exception:  # a bug of ours costs the traits of one report
        return []


def vectorised(documents: Iterable[tuple[list[str], list[str]]]) -> Any:
    """One sparse row per document: TF-IDF of its words, then its traits as zeros and ones."""
    from scipy.sparse import hstack
    from sklearn.feature_extraction import FeatureHasher
    from sklearn.feature_extraction.text import TfidfTransformer

    traits: list[list[str]] = []

    def texts() -> Iterator[list[str]]:
        for text, facts in documents:
            traits.append(facts)
            yield text

    def hashed(tokens: Iterable[list[str]], columns: int) -> Any:
        hasher = FeatureHasher(columns, input_type="string", alternate_sign=False)
        return hasher.transform(tokens)

    counts = hashed(texts(), _WORDS)
    # The weights of words know no outcomes: they may be taken from all reports at once.
    weighted = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    return hstack([weighted, hashed(traits, _TRAITS)], format="csr")


def _fitted(lesson: Lesson, plain: Figures, known: Any, asked: Any) -> tuple[Figures, Any]:
    """Cross-validated figures, and the chances of what was asked where they are worth using."""
    if plain.reason:
        return plain, None
    figures = cross_validated(plain, known, lesson.labels)
    if not figures.used:
        return figures, None
    model = _model().fit(known, lesson.labels)
    return figures, model.predict_proba(asked)[:, 1]


def cross_validated(plain: Figures, known: Any, labels: Sequence[bool]) -> Figures:
    """Figures with how well the labels of rows are foretold from other rows.

    It is used if the AUC is above 0.5 by more than its standard deviation over the folds.
    """
    from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate

    repeats = REPEATS if len(labels) < MANY else 1
    folds = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=repeats, random_state=0)
    scores = cross_validate(
        _model(), known, labels, cv=folds, scoring=("roc_auc", "average_precision")
    )
    auc, spread = scores["test_roc_auc"].mean(), scores["test_roc_auc"].std(ddof=1)
    used = bool(auc - spread > 0.5)
    return replace(
        plain,
        auc=round(float(auc), 4),
        spread=round(float(spread), 4),
        precision=round(float(scores["test_average_precision"].mean()), 4),
        used=used,
        reason="" if used else "no better than chance",
    )


def _model() -> Any:
    """Logistic regression. Classes keep their weights: chances are multiplied, not only ranked."""
    from sklearn.linear_model import LogisticRegression

    # There are more columns than rows: the dual problem takes a tenth of the time.
    return LogisticRegression(C=1.0, solver="liblinear", dual=True, max_iter=1_000, random_state=0)
