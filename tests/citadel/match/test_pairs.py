"""All pairs of a build."""

from fractions import Fraction

import pytest

from analysis.catalog.model import ApiKind
from citadel.match.pairs import Channel, Thresholds, matched, thresholds


def pairs(index, **given):
    found = matched(index, Thresholds(**{"context": Fraction(3, 5), **given}))
    return {pair: {str(channel) for channel in channels} for pair, channels in found.pairs.items()}


def test_a_context_pair_is_strictly_above_the_threshold(api, build):
    apis = [api("torch.alpha", ("a",)), api("torch.beta", ("b",)), api("torch.gamma", ("c",))]
    sets = {"torch.alpha": "abcd", "torch.beta": "abce", "torch.gamma": "abcd"}
    index = build(apis, sets)
    assert pairs(index) == {("torch.alpha", "torch.gamma"): {"context"}}
    assert len(pairs(index, context=Fraction(1, 2), rare=Fraction(1))) == 3


def test_sharing_what_everything_runs_makes_no_pair(api, build):
    apis = [api(f"torch.{c * 4}", (c,)) for c in "abcdefghijklmnopqrstuvwxyz"]
    sets = {item.name: ["empty"] for item in apis}
    index = build(apis, sets)
    assert pairs(index) == {}
    assert len(pairs(index, rare=Fraction(1))) == 26 * 25 // 2


def test_analogous_operators_count_as_one(api, build):
    apis = [api("torch.alpha", ("a",)), api("torch.beta", ("b",))]
    index = build(apis, {"torch.alpha": ["convNd", "x"], "torch.beta": ["conv_transposeNd", "x"]})
    assert pairs(index) == {}
    index = build(
        apis,
        {"torch.alpha": ["convNd", "x"], "torch.beta": ["conv_transposeNd", "x"]},
        groups=(("convNd", "conv_transposeNd"),),
    )
    assert pairs(index) == {("torch.alpha", "torch.beta"): {"context"}}


def test_signature_pairs_need_alike_names_too(api, build):
    apis = [
        api("torch.cummax", ("input", "dim")),
        api("torch.cummin", ("input", "dim")),
        api("torch.sort", ("input", "dim")),
    ]
    apis += [api(f"torch.{c * 5}", (c,)) for c in "uvwxyz"]  # words are rare only among others
    index = build(apis)
    assert pairs(index, signature=0.3, names=0.2) == {
        ("torch.cummax", "torch.cummin"): {"signature"}
    }
    assert len(pairs(index, signature=0.3, names=0.0)) == 3


def test_only_the_nearest_count(api, build):
    apis = [api(f"torch.window_{c}", ("size",)) for c in "abcdefgh"]
    index = build(apis)
    low = {"signature": 0.1, "names": 0.0}
    assert len(pairs(index, most=7, **low)) == 28
    assert 4 <= len(pairs(index, most=1, **low)) < 8


def test_families_and_what_all_channels_say(api, build):
    apis = [api("torch.clamp"), api("torch.Tensor.clamp", kind=ApiKind.METHOD), api("torch.exp")]
    index = build(apis, {"torch.clamp": "abc", "torch.Tensor.clamp": "abc"})
    found = matched(index, thresholds("torch"))
    assert found.apis == {"torch.clamp", "torch.Tensor.clamp"}
    assert set(found.pairs.values()) == {frozenset(Channel)}
    assert found.by_channel == {"context": 1, "signature": 1, "family": 1}


@pytest.mark.slow
@pytest.mark.torch
def test_a_whole_build_has_more_pairs_than_the_paper(torch_index):
    found = matched(torch_index)
    assert len(found.apis) >= 1_800
    assert len(found.pairs) >= 8_079
    people = {name for name in found.apis if not name.startswith("torch.ops.")}
    assert len(people) >= 1_436
