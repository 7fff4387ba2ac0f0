"""Precision by hand-made labels."""

import json

import pytest

from benchmarks.precision import main, operations, precision, presented, read_labels

SYMPTOM = {"kind": "raises", "exception": "ValueError"}


def entry(symptom=None, build="torch 2.13.0+cpu", **labels):
    labels = {name: [label, "looked at"] for name, label in labels.items()}
    return {"build": build, "symptom": symptom or SYMPTOM, "labels": labels}


def test_forms_of_one_operation_are_one_finding(report, sibling):
    told = report(
        1,
        sibling("torch.sort", operation="sort"),
        sibling("torch.Tensor.sort", operation="sort"),
        sibling("torch.msort", operation="sort", alias_of="torch.sort"),
        sibling("torch.topk", verdict="clean"),
    )
    assert {name: len(forms) for name, forms in operations(told).items()} == {"sort": 2}


def test_shares_are_of_operations_and_of_reports(report, sibling, document):
    first = report(1, *map(sibling, "abcde"))
    second = report(2, sibling("a"), sibling("z"))
    labels = {"1": entry(a="T", b="F", c="F", d="S", e="L"), "2": entry(a="T", z="T", y="T")}
    found = precision(list(presented([document(first, second)], labels)))
    assert found.counts == {"T": 3, "S": 1, "L": 1, "F": 2, "?": 0}
    assert found.micro[0] == pytest.approx(3 / 6)  # S counts on neither side
    assert found.macro[0] == pytest.approx((1 / 4 + 1) / 2)
    assert found.kept[0] == pytest.approx(3 / 4)  # y is not presented any more
    assert found.micro[1] == pytest.approx(1 / 4)
    assert found.micro[2] == pytest.approx(1.0)


@pytest.mark.parametrize(
    "labels",
    [
        {},
        {"1": entry(symptom={"kind": "raises", "exception": "TypeError"}, a="T")},
        {"1": entry(build="torch 2.9.1", a="T")},
    ],
)
def test_labels_of_another_symptom_or_build_say_nothing(report, sibling, document, labels):
    (one,) = presented([document(report(1, sibling("a")))], labels)
    assert (one.labels, one.known) == ({"a": "?"}, 0)
    assert precision([one]).micro is None


def test_keras_within_tensorflow_is_keras(report, sibling, document):
    told = report(1, sibling("a"), api="tf.keras.layers.Dense")
    (one,) = presented([document(told, framework="tensorflow")], {})
    assert one.framework == "keras"


@pytest.mark.parametrize("label", [["X", "why"], ["T", ""]])
def test_label_without_a_meaning_or_a_reason_is_an_error(tmp_path, label):
    file = tmp_path / "labels.json"
    file.write_text(json.dumps({"1": {"build": "", "symptom": {}, "labels": {"a": label}}}))
    with pytest.raises(ValueError, match="1 a"):
        read_labels([file])


def test_command_prints_figures_and_what_is_unjudged(report, sibling, document, tmp_path, capsys):
    labels, told = tmp_path / "labels.json", tmp_path / "triage.json"
    labels.write_text(json.dumps({"1": entry(a="T", b="F")}))
    told.write_text(json.dumps(document(report(1, *map(sibling, "abc")))))
    assert main(["--list", str(labels), str(told)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[:7] == ["all", "1", "1", "0", "0", "1", "1"]
    assert "0.500 [0.50, 0.50]" in lines[1]
    assert any("c (1 forms, c, confidence 0.9)" in line for line in lines)
    assert main(["--need", "0.6", str(labels), str(told)]) == 1
    assert main(["--need", "0.5", str(labels), str(told)]) == 0
