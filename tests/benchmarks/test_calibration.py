"""Confidence, trained on findings that people have judged."""

import json

import numpy as np
import pytest

from benchmarks import calibration
from benchmarks.calibration import Judged, at, auc, best, brier, main, train, unseen
from citadel.evidence.confidence import SIGNS, Model


def judged(report, label, **features):
    return Judged(
        report=str(report),
        framework="torch" if report % 2 else "tensorflow",
        kind="status",
        operation="f",
        features=features,
        label=label,
    )


SEPARATE = [
    *(judged(n, "T", near=0.9, arguments=1.0) for n in range(8)),
    *(judged(n, "F", near=0.1, refuted=1.0) for n in range(8)),
]


def test_weights_have_their_signs():
    against = [judged(n, "F" if n % 2 else "T", near=float(n % 2)) for n in range(20)]
    assert train(against).weights["near"] == 0.0  # it may not speak against a finding
    found = train(SEPARATE)
    assert found.weights["near"] > 0 > found.weights["refuted"]


def test_a_report_is_judged_by_a_model_that_has_not_seen_it():
    # Of its own the last report would teach that what is near is false.
    odd = [judged(99, "F", near=0.9, arguments=1.0)] * 50
    sure = unseen([*SEPARATE, *odd], lambda one: one.report)
    assert sure[-1] > 0.5


def test_a_flood_weighs_less_than_its_members():
    flood = [judged(99, "F", near=0.9) for _ in range(16)]
    rest = [judged(n, "T", near=0.9) for n in range(8)]
    assert train([*flood, *rest]).confidence({"near": 0.9}) > 0.5


def test_figures():
    sure, true = np.array([0.9, 0.6, 0.4, 0.4]), np.array([True, False, True, False])
    assert auc(sure, true) == pytest.approx((2 + 0.5) / 4)
    assert brier(sure, true) == pytest.approx((0.01 + 0.36 + 0.36 + 0.16) / 4)
    found = [judged(1, "T"), judged(1, "F"), judged(2, "T"), judged(2, "S")]
    some = at(found, np.array([0.9, 0.6, 0.4, 0.9]), 0.5)
    assert (some.micro, some.macro, some.kept) == pytest.approx((1 / 2, 1 / 2, 1 / 2))


def test_the_threshold_balances_precision_and_kept_findings():
    found = [judged(1, "F"), judged(1, "F"), judged(1, "T"), judged(2, "T"), judged(3, "S")]
    assert best(found, np.array([0.1, 0.35, 0.5, 0.9, 0.2])) == pytest.approx(0.4)


def test_the_command_reads_labels_and_triages(
    tmp_path, monkeypatch, report, sibling, document, capsys
):
    def told(number, *names):
        ones = [sibling(name) for name in names]
        for one, near in zip(ones, (0.9, 0.1), strict=True):
            one["evidence"] = {"features": {"near": near}}
        return report(number, *ones)

    labels = {
        str(number): {
            "build": "torch 2.13.0+cpu",
            "symptom": {"kind": "raises", "exception": "ValueError"},
            "labels": {"a": ["T", "ran"], "b": ["F", "ran"]},
        }
        for number in (1, 2, 3)
    }
    (tmp_path / "labels.json").write_text(json.dumps(labels))
    found = document(*(told(number, "a", "b") for number in (1, 2, 3)))
    (tmp_path / "found.json").write_text(json.dumps(found))
    file = tmp_path / "coefficients.json"
    monkeypatch.setattr(calibration, "FILE", file)
    worst = Model(intercept=0.0, weights={"near": 0.0}, threshold=0.5)
    monkeypatch.setattr(calibration, "model", lambda: worst)
    files = [str(tmp_path / "labels.json"), str(tmp_path / "found.json")]
    assert main([*files, "--write"]) == 0
    assert "6 operations of 3 reports, 3 true" in capsys.readouterr().out
    written = json.loads(file.read_text())
    assert written["weights"].keys() == SIGNS.keys()
    assert written["weights"]["near"] > 0
    # What is worse than the committed one is not written.
    better = Model(intercept=-50.0, weights={"near": 100.0}, threshold=0.5)
    monkeypatch.setattr(calibration, "model", lambda: better)
    file.write_text("{}")
    assert main([*files, "--write"]) == 1
    assert file.read_text() == "{}"


def test_without_labels_there_is_nothing_to_train_on(tmp_path, report, document):
    (tmp_path / "found.json").write_text(json.dumps(document(report(1))))
    with pytest.raises(SystemExit):
        main([str(tmp_path / "found.json")])
