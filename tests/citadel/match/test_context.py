"""Similarity of call sets."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citadel.match.context import Contexts


def against(left, right):
    """Likenesses of two call sets, the one of the single API and the empty one of another."""
    contexts = Contexts(["torch.a", "torch.b"], {"torch.a": frozenset(right)})
    return contexts.compare(frozenset(left))


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("abcd", "abce", Fraction(3, 5)),
        ("abcd", "abcd", 1),
        ("abcd", "xyz", 0),
        ("", "", 0),
        ("abcdefgh", "abcdef12", Fraction(6, 10)),
    ],
)
def test_jaccard_is_exact(left, right, expected):
    found = against(left, right)
    assert found.fraction(0) == expected
    assert found.plain[0] == float(expected)


def test_on_the_threshold_is_not_above_it():
    on, above = against("abcd", "abce"), against("abcd", "abc")
    assert list(on.above(Fraction(3, 5))) == [False, False]
    assert list(above.above(Fraction(3, 5))) == [True, False]


@given(
    st.frozensets(st.sampled_from("abcdefgh")),
    st.lists(st.frozensets(st.sampled_from("abcdefgh")), min_size=1, max_size=5),
)
def test_the_matrix_says_what_sets_say(source, sets):
    names = [str(number) for number in range(len(sets))]
    found = Contexts(names, dict(zip(names, sets, strict=True))).compare(source)
    for number, other in enumerate(sets):
        union = len(source | other)
        assert found.fraction(number) == (Fraction(len(source & other), union) if union else 0)
        assert 0 <= found.weighted[number] <= 1 + 1e-9


def contexts():
    common = {f"torch.n{number}": frozenset(("empty", f"op{number}")) for number in range(20)}
    special = {"torch.a": frozenset(("empty", "rare")), "torch.b": frozenset(("rare", "other"))}
    sets = {**common, **special}
    return Contexts(list(sets), sets)


def test_shared_rare_operators_weigh_more_than_common_ones():
    found = contexts().compare(frozenset(("empty", "rare")))
    first, last = 0, 21
    assert found.plain[first] == found.plain[last] == pytest.approx(1 / 3)
    assert found.weighted[last] > 5 * found.weighted[first]


def test_an_api_without_a_call_set_has_nothing_in_common():
    found = Contexts(["torch.a"], {}).compare(frozenset(("rare",)))
    assert (found.fraction(0), found.weighted[0]) == (0, 0.0)


@pytest.mark.parametrize(("operator", "least", "most"), [("op3", 0.99, 1.0), ("empty", 0.0, 0.1)])
def test_rarity(operator, least, most):
    assert least <= contexts().rarity(operator) <= most


def test_an_operator_that_nothing_runs_tells_nothing():
    assert contexts().rarity("never seen") == 0.0
