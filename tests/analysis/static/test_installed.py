"""Installed packages: Python sources and PyTorch's listing of operators."""

import pytest

from analysis.static.model import Kind, Skip


@pytest.mark.slow
@pytest.mark.torch
def test_an_installed_pytorch(quick, installed):
    sources = quick(installed("torch", "torch"), jobs=2)
    assert sources.counts["python_functions"] > 5_000
    assert sources.counts["operators"] > 2_000
    assert sources.left_out[Skip.WHEEL_HEADER] > 1_000
    (fold,) = (r for r in sources.functions.values() if r.name == "torch.nn.functional.fold")
    assert fold.kind is Kind.PYTHON
    names = (f"torch.nn.functional.lp_pool{n}d" for n in (1, 2, 3))
    assert frozenset.intersection(*map(sources.groups_of, names))


@pytest.mark.slow
@pytest.mark.tf
@pytest.mark.parametrize("environment", ["tensorflow", "tensorflow213"])
def test_an_installed_tensorflow(quick, installed, environment):
    sources = quick(installed(environment, "tensorflow"), jobs=2)
    assert sources.counts["python_functions"] > 10_000
    assert sources.left_out[Skip.GENERATED] > 10
    largest = max(len(group.members) for group in sources.groups)
    assert largest < 100
