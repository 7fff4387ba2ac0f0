"""Scores of how reports are read."""

import pytest

from benchmarks.reading import answers, interval, scored

KNOWN = {
    "api": "torch.Tensor.index_add_",
    "accept_apis": ["torch.index_add"],
    "bug_type": "status",
    "reproduces": True,
    "symptom": {"class": "raises", "exception": "RuntimeError", "message": "source  is odd"},
}


def case(api="torch.index_add", kind="raises", observed="RuntimeError: source is odd: 3", **others):
    return {
        "api": api,
        "aliases": [],
        "kind": "status",
        "reproduces": True,
        "observed": observed,
        "symptom": {"kind": kind, "exception": "RuntimeError", "message": None},
        **others,
    }


def wrong(told):
    return [question for question, right in told.items() if right is False]


@pytest.mark.parametrize(
    ("read", "otherwise"),
    [
        (case(), []),
        (case("torch._C.TensorBase.index_add_"), []),
        (case("torch.scatter_add"), ["api"]),
        (case("torch._refs.scatter", aliases=["torch.index_add"]), []),
        (case(observed="RuntimeError: another message"), ["symptom"]),
        (case(kind="accepts"), ["symptom"]),
        (case(kind="disagrees") | {"kind": "value"}, ["kind", "symptom"]),
        (case(reproduces=False), ["reproduces", "symptom"]),
        ({}, ["api", "reproduces", "kind", "symptom"]),
    ],
)
def test_what_is_read_is_compared_with_what_is_known(read, otherwise):
    assert wrong(answers(read, KNOWN, "2.13.0")) == otherwise


def test_a_report_that_is_fixed_here_has_no_symptom_to_find():
    fixed = KNOWN | {"reproduces": {"1.13.1": True, "2.13.0": False}}
    told = answers(case(reproduces=False), fixed, "2.13.0")
    assert told == {"api": True, "reproduces": True, "kind": True, "symptom": None}
    assert answers(case(), fixed, "2.9.1")["reproduces"] is None


def test_a_crash_has_its_signal():
    known = KNOWN | {"symptom": {"class": "crash", "signal": "SIGFPE"}}
    assert wrong(answers(case(kind="crashes", observed="SIGFPE"), known, "2.13.0")) == []
    assert wrong(answers(case(kind="crashes", observed="SIGSEGV"), known, "2.13.0")) == ["symptom"]


def test_shares_are_told_with_what_is_read_otherwise():
    document = {
        "target": {"version": "2.13.0"},
        "reports": [
            {"input": "a/1.json", "case": case()},
            {"input": "a/2.json", "case": None, "skipped": "no code"},
        ],
    }
    lines = list(scored(document, {"1": KNOWN, "2": KNOWN}))
    assert lines[0].startswith("2  api, reproduces, kind, symptom")
    assert "no code" in lines[2]
    assert [line.split("  ")[-1][:4] for line in lines[3:]] == ["0.50"] * 4


def test_the_interval_is_wilsons():
    low, high = interval(9, 10)
    assert (round(low, 3), round(high, 3)) == (0.596, 0.982)
