"""Two values for other numbers that should agree: of whom, and of whom not."""

import pytest

from citadel.model import Channels, VerdictKind

pytestmark = [pytest.mark.torch, pytest.mark.slow]

UNITS = """
    import torch
    here = torch.tensor([[0.0, 0.0, 0.0]])
    there = torch.tensor([[3.0e18, 4.0e18, 0.0], [3.0e20, 4.0e20, 0.0]])
    metres = torch.cdist(here, there)
    parsec = torch.cdist(here / 3.0857e16, there / 3.0857e16) * 3.0857e16
    assert torch.allclose(metres, parsec), "distance depends on the unit"
"""
PAIRS = "torch.cdist(here, there)", "torch.cdist(here / 3.0857e16, there / 3.0857e16)"


@pytest.fixture
def units(verified):
    found = verified("torch.cdist overflows", UNITS, "It should be 5e20.")
    assert (found.case.api, found.case.reproduces) == ("torch.cdist", True)
    assert found.witness.law.factor == 1e-3
    return found


@pytest.mark.parametrize(
    ("first", "second", "target", "kind"),
    [
        (
            "torch.nn.functional.pairwise_distance(here, there)",
            "torch.nn.functional.pairwise_distance(here / 3.0857e16, there / 3.0857e16)",
            "torch.nn.functional.pairwise_distance",
            VerdictKind.BUG,
        ),
        ("torch.norm(there)", "torch.norm(there / 3.0857e16)", "torch.norm", VerdictKind.BUG),
        # Given the same both times, it does not become what its result is multiplied by.
        ("torch.exp(here)", "torch.exp(here / 3.0857e16)", "torch.exp", None),
        ("torch.cos(there)", "torch.cos(there / 3.0857e16)", "torch.cos", None),
        ("torch.abs(there)", "torch.abs(there / 3.0857e16)", "torch.abs", VerdictKind.CLEAN),
    ],
)
def test_whoever_keeps_the_law_elsewhere_has_the_bug(units, judged, first, second, target, kind):
    code = UNITS.replace(PAIRS[0], first).replace(PAIRS[1], second)
    told = judged(units, code, target, Channels())
    assert told.kind is (kind or VerdictKind.NOT_ADAPTED), told.reason
    if kind is None:
        assert "does not keep for other numbers" in told.reason
    if kind is VerdictKind.BUG:
        assert "keeps the same law for numbers of another size" in told.guards


def test_the_same_numbers_in_two_ways_are_no_law(verified):
    code = """
        import torch
        x = torch.tensor([3e38, 3e38])
        assert torch.allclose(x.sum().double(), x.double().sum())
    """
    found = verified("torch.sum overflows in float32", code)
    assert found.case.reproduces
    assert found.witness.law is None


SCALED = """
    import torch
    x = torch.tensor([[0.5, -1.25, 2.0, 3.0]])
    a = torch.nn.functional.layer_norm(x, (4,))
    b = torch.nn.functional.layer_norm(x * 1e-4, (4,))
    assert torch.allclose(a, b)
"""


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("hardtanh({})", VerdictKind.NOT_ADAPTED),  # 1 or -1 of all large numbers
        ("relu6({})", VerdictKind.NOT_ADAPTED),
        ("group_norm({}[..., None], 1)", VerdictKind.BUG),
    ],
)
def test_what_is_the_same_of_all_large_numbers_keeps_no_law(verified, judged, call, kind):
    found = verified("layer_norm depends on the scale", SCALED)
    assert (found.case.reproduces, found.witness.law.factor) == (True, 1e6)
    code = SCALED.replace("layer_norm(x, (4,))", call.format("x"))
    code = code.replace("layer_norm(x * 1e-4, (4,))", call.format("(x * 1e-4)"))
    name = call.partition("(")[0]
    told = judged(found, code, f"torch.nn.functional.{name}", Channels())
    assert told.kind is kind, told.reason
