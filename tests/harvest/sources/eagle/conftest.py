"""What the tests of EAGLE share: findings, and modules that run inside interpreters."""

import importlib

import pytest

from analysis.target.sandbox import INSIDE
from harvest.sources.eagle.finding import Finding

RECORD = {
    "rule": "12",
    "variant": "float16",
    "api": "torch.exp",
    "state": "differs",
    "kind": "value",
    "setup": "",
    "inputs": [["x", "torch.tensor([1.0, 2.0])"]],
    "unwritten": "",
    "reference": "torch.exp(x)",
    "result": "torch.exp(x.to(torch.float16))",
    "side": "",
    "types": [],
    "message": "",
    "absolute": 0.5,
    "relative": 0.25,
    "paper": True,
    "rtol": 2e-3,
    "atol": 2e-3,
    "shown": ["[1. 2.]", "[1.5 2. ]"],
    "limit": "",
}


@pytest.fixture
def record():
    """A finding as the interpreter under test tells it, with some fields changed."""
    return lambda **changes: {**RECORD, **changes}


@pytest.fixture
def finding(record):
    return lambda how="", **changes: Finding.from_json(record(**changes), how)


@pytest.fixture
def inside(monkeypatch):
    """A module of `analysis/inside`, found as it is there."""
    monkeypatch.syspath_prepend(str(INSIDE))
    return importlib.import_module
