from __future__ import annotations

import json

import pytest

from analysis.errors import CitadelError
from citadel.casefile import read_case
from citadel.model import SymptomKind

RECORD = {
    "source": {"api": "torch.f", "symptom": {"kind": "raises", "exception": "E"}, "fails": True},
    "sibling": None,
}


@pytest.fixture
def write(tmp_path):
    def make(code="# Generated\n# by us\n\nf()\n", record=RECORD, control=None):
        (tmp_path / "a.py").write_bytes(code if isinstance(code, bytes) else code.encode())
        text = record if isinstance(record, str) else json.dumps(record)
        (tmp_path / "a.json").write_text(text)
        if control is not None:
            (tmp_path / "a.control.py").write_text(control)
        return tmp_path / "a.py"

    return make


def test_a_case_is_read_again(write):
    case = read_case(write(control="# The control\n\nf(1)\n"))
    assert (case.api, case.framework, case.code, case.control) == (
        "torch.f", "torch", "f()\n", "f(1)\n"
    )  # fmt: skip
    assert (case.symptom.kind, case.symptom.exception) == (SymptomKind.RAISES, "E")
    assert case.fails


def test_of_a_sibling_its_own_record_counts(write):
    own = {"api": "tf.g", "symptom": {"kind": "non_finite", "ratio": 2.0}, "fails": False}
    case = read_case(write("f()\n\ng()\n", {**RECORD, "sibling": own}))
    assert (case.api, case.framework, case.code) == ("tf.g", "tensorflow", "f()\n\ng()\n")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"code": b"\xff\xfe\0"}, "is no text"),
        ({"code": "x" * 1_000_001}, "is too large"),
        ({"record": '{"source": {"ap'}, "is no record of a case"),
        ({"record": "[]"}, "is no record of a case"),
        ({"record": {"source": {"api": "f"}, "sibling": None}}, "is no record of a case"),
        ({"record": "null"}, "is no record of a case"),
    ],
)
def test_what_is_no_case(write, fields, words):
    with pytest.raises(CitadelError, match=words):
        read_case(write(**fields))


def test_what_is_not_there(tmp_path):
    for name, words in (
        ("a.md", "is no case"),
        ("a.control.py", "is no case"),
        ("a.py", "cannot read"),
    ):
        with pytest.raises(CitadelError, match=words):
            read_case(tmp_path / name)
    (tmp_path / "a.py").write_text("f()")
    with pytest.raises(CitadelError, match="has no record"):
        read_case(tmp_path / "a.py")
