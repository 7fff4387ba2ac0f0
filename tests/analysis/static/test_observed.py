"""Groups of operators from observed calls."""

from analysis.static.observed import cut_off, observed_groups
from analysis.static.similarity import Similarity

CONV = frozenset({"Tensor input", "Tensor weight", "int[] stride", "-> Tensor"})
POOL = frozenset({"Tensor self", "int[] kernel_size", "-> Tensor"})
ARGUMENTS = {f"aten::conv{n}d": CONV for n in (1, 2, 3)} | {
    f"aten::max_pool{n}d": POOL for n in (2, 3)
}
CALLEES = {f"aten::conv{n}d": frozenset({"aten::convolution"}) for n in (1, 2, 3)} | {
    f"aten::max_pool{n}d": frozenset({f"aten::max_pool{n}d_with_indices"}) for n in (2, 3)
}


def test_families_by_what_they_call():
    groups = observed_groups(ARGUMENTS, CALLEES)
    assert [group.members for group in groups] == [
        ("aten::conv1d", "aten::conv2d", "aten::conv3d"),
        ("aten::max_pool2d", "aten::max_pool3d"),
    ]
    assert len({group.id for group in groups}) == 2


def test_dimensions_can_be_told_apart():
    groups = observed_groups(ARGUMENTS, CALLEES, Similarity(dimensions=False))
    assert [group.members[0] for group in groups] == ["aten::conv1d"]


def test_what_everything_calls_is_no_evidence():
    names = [f"aten::op{n}" for n in range(40)]
    arguments = dict.fromkeys(names, POOL)
    callees = dict.fromkeys(names, frozenset({"aten::empty"}))
    assert cut_off(callees) < 40
    assert observed_groups(arguments, callees) == ()
    assert len(observed_groups(arguments, callees, ubiquitous=40)) == 1


def test_fewest_callees():
    assert observed_groups(ARGUMENTS, CALLEES, least_callees=2) == ()
    assert observed_groups(ARGUMENTS, {}) == ()


def test_one_argument_counts_only_with_a_rare_callee():
    one = frozenset({"Tensor self"})
    arguments = dict.fromkeys(
        ["aten::flipud", "aten::fliplr", "aten::isinf", "aten::absolute"], one
    )
    callees = dict.fromkeys(["aten::flipud", "aten::fliplr"], frozenset({"aten::flip"}))
    callees |= dict.fromkeys(["aten::isinf", "aten::absolute"], frozenset({"aten::abs"}))
    others = {f"aten::other{n}": frozenset({"aten::abs"}) for n in range(5)}
    (group,) = observed_groups(arguments, callees | others)
    assert group.members == ("aten::fliplr", "aten::flipud")
    settled = observed_groups(arguments, callees | others, Similarity(least_arguments=1))
    assert len(settled) == 2


def test_no_argument_at_all_is_no_evidence():
    names = ["aten::manual_seed", "aten::seed"]
    callees = dict.fromkeys(names, frozenset({"aten::generator"}))
    assert observed_groups(dict.fromkeys(names, frozenset()), callees) == ()
