"""The similarity join against comparing everything with everything."""

import itertools
import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.static.groups import analogous_pairs, clusters, jaccard
from analysis.static.join import similar_pairs, tokens
from analysis.static.normalise import Normaliser
from analysis.static.similarity import Similarity, exact

NAMES = st.frozensets(st.sampled_from("abcdefghij"), max_size=8)
SETS = st.lists(NAMES, max_size=14)
THRESHOLDS = st.sampled_from([0.1, 0.3, 0.5, 0.6, 0.75, 0.8, 0.9, 1.0]).map(exact)
FUNCTIONS = st.lists(st.tuples(NAMES, NAMES), max_size=14)


def brute(sets, threshold):
    return {
        (i, j)
        for i, j in itertools.combinations(range(len(sets)), 2)
        if sets[i] and sets[j] and jaccard(sets[i], sets[j]) >= threshold
    }


def as_set(pairs):
    found = [tuple(pair) for pair in pairs.tolist()]
    assert len(found) == len(set(found))
    return set(found)


@given(SETS, THRESHOLDS)
def test_the_join_is_exact(sets, threshold):
    assert as_set(similar_pairs(tokens(sets), threshold)) == brute(sets, threshold)


@pytest.mark.parametrize(("threshold", "counts"), [(0.8, True), (Fraction(81, 100), False)])
def test_a_pair_at_the_threshold_counts(threshold, counts):
    four, five = frozenset("abcd"), frozenset("abcde")
    assert (len(similar_pairs(tokens([four, five]), exact(threshold))) == 1) is counts


@given(FUNCTIONS, THRESHOLDS, THRESHOLDS)
def test_groups_are_cliques_and_keep_every_similar_pair_in_their_component(found, one, other):
    arguments, callees = [a for a, _ in found], [c for _, c in found]
    rules = Similarity(arguments=one, callees=other, least_callees=1, least_arguments=1)
    groups = clusters(arguments, callees, rules)
    similar = brute(arguments, one) & brute(callees, other)
    members = [member for group in groups for member in group]
    assert len(members) == len(set(members))
    for group in groups:
        assert set(itertools.combinations(group, 2)) <= similar
    loose = Similarity(
        arguments=one, callees=other, least_callees=1, least_arguments=1, complete_linkage=False
    )
    place = {m: n for n, group in enumerate(clusters(arguments, callees, loose)) for m in group}
    for i, j in similar:
        assert place[i] == place[j]


@settings(max_examples=50)
@given(FUNCTIONS, st.randoms(use_true_random=False))
def test_the_order_of_functions_does_not_matter(found, shuffle):
    order = list(range(len(found)))
    shuffle.shuffle(order)
    rules = Similarity(least_callees=1, least_arguments=1)
    straight = clusters([a for a, _ in found], [c for _, c in found], rules)
    mixed = clusters([found[i][0] for i in order], [found[i][1] for i in order], rules)
    assert sorted(sorted(order[i] for i in group) for group in mixed) == straight


@pytest.mark.slow
def test_equal_to_brute_force_on_functions_of_pytorch(pytorch):
    records = random.Random(0).sample(sorted(pytorch.functions.values(), key=lambda r: r.id), 2_000)
    normaliser = Normaliser(Similarity())
    arguments = [normaliser.arguments(record) for record in records]
    callees = [normaliser.callees(record) for record in records]
    for wanted in (Similarity(), Similarity(callees=0.5, arguments=0.3)):
        expected = brute(arguments, exact(wanted.arguments)) & brute(callees, exact(wanted.callees))
        assert expected
        assert as_set(analogous_pairs(arguments, callees, wanted)) == expected
