"""Similarity of call sets."""

from fractions import Fraction

import pytest

from citadel.match.context import Contexts, jaccard


def test_jaccard_is_exact():
    left, right = frozenset("abcd"), frozenset("abce")
    assert jaccard(left, right) == Fraction(3, 5)
    assert jaccard(left, left) == 1
    assert jaccard(left, frozenset("xyz")) == 0
    assert jaccard(frozenset(), frozenset()) == 0


def contexts():
    common = {f"torch.n{number}": frozenset(("empty", f"op{number}")) for number in range(20)}
    special = {"torch.a": frozenset(("empty", "rare")), "torch.b": frozenset(("rare", "other"))}
    return Contexts({**common, **special})


def test_shared_rare_operators_weigh_more_than_common_ones():
    found = contexts().compare(frozenset(("empty", "rare")), ["torch.n0", "torch.b"])
    assert found["torch.n0"].plain == found["torch.b"].plain == Fraction(1, 3)
    assert found["torch.b"].weighted > 5 * found["torch.n0"].weighted


def test_apis_without_a_call_set_are_left_out():
    assert set(contexts().compare(frozenset(("rare",)), ["torch.a", "torch.unknown"])) == {
        "torch.a"
    }
    assert contexts().compare(frozenset(), ["torch.a"]) == {}


@pytest.mark.parametrize(("operator", "least", "most"), [("op3", 0.99, 1.0), ("empty", 0.0, 0.1)])
def test_rarity(operator, least, most):
    assert least <= contexts().rarity(operator) <= most


def test_an_operator_that_nothing_runs_tells_nothing():
    assert contexts().rarity("never seen") == 0.0
