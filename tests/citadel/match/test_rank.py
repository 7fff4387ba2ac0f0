"""The order of candidates."""

from fractions import Fraction

import pytest

from analysis.catalog.model import ApiKind
from citadel.match.rank import rank


def names(candidates):
    return [candidate.api.name for candidate in candidates]


def test_every_api_but_the_source_is_ranked_once(api, build):
    apis = [api(f"torch.f{number}") for number in range(5)]
    assert sorted(names(rank(apis[0], build(apis)))) == [item.name for item in apis[1:]]


def test_channels_tell_where_a_score_comes_from(api, build):
    source, twin = api("torch.clamp"), api("torch.Tensor.clamp", kind=ApiKind.METHOD)
    index = build([source, twin], {"torch.clamp": "abc", "torch.Tensor.clamp": "abd"})
    (candidate,) = rank(source, index)
    assert candidate.channels.context == Fraction(1, 2)
    assert candidate.channels.family == "method"
    assert candidate.channels.arguments is None
    assert candidate.channels.signature > 0.9


def test_an_api_that_was_not_run_has_no_context_but_borrows_for_the_order(api, build):
    source = api("torch.clip")
    apis = [source, api("torch.clamp"), api("torch.Tensor.clamp", kind=ApiKind.METHOD)]
    apis += [api("torch.other"), api("torch.Tensor.other", kind=ApiKind.METHOD)]
    ran = {"torch.clip": "abc", "torch.clamp": "abc", "torch.other": "xyz"}
    found = {item.api.name: item for item in rank(source, build(apis, ran))}
    unprofiled = found["torch.Tensor.clamp"]
    assert unprofiled.channels.context is None
    assert unprofiled.score > found["torch.Tensor.other"].score
    assert unprofiled.score > found["torch.other"].score


def test_what_the_source_runs_comes_before_what_it_does_not(api, build):
    source = api("torch.addmm", ("x", "y"))
    apis = [source, api("torch.expand", ("size",)), api("torch.gather", ("size",))]
    ran = {"torch.addmm": ["expand", "mm"], "torch.gather": ["gather"], "torch.expand": ["view"]}
    assert names(rank(source, build(apis, ran))) == ["torch.expand", "torch.gather"]


def test_known_arguments_move_an_api_up(api, build):
    apis = [api("torch.a"), api("torch.b"), api("torch.c")]
    index = build(apis)
    assert names(rank(apis[0], index, {"torch.b": 0.0, "torch.c": 1.0})) == ["torch.c", "torch.b"]
    assert names(rank(apis[0], index, {"torch.b": 1.0, "torch.c": 0.0})) == ["torch.b", "torch.c"]
    last = rank(apis[0], index, {"torch.b": 1.0})[-1]
    assert last.channels.arguments == 0.0


def test_ties_are_in_the_order_of_names(api, build):
    apis = [api("torch.source", ("x",)), *(api(f"torch.q{c}{c}{c}") for c in "cab")]
    assert names(rank(apis[0], build(apis))) == ["torch.qaaa", "torch.qbbb", "torch.qccc"]


def test_public_forms_come_before_raw_and_private_ones(api, build):
    apis = [api(name) for name in ("torch.source", "torch._source", "torch.a", "torch._a")]
    apis.append(api("torch.ops.aten._a", kind=ApiKind.OP))
    index = build(apis)
    public = {item.api.name: item.score for item in rank(apis[0], index)}
    assert public["torch.a"] > public["torch._a"] > public["torch.ops.aten._a"]
    private = {item.api.name: item.score for item in rank(apis[1], index)}
    assert private["torch.a"] == private["torch._a"] > private["torch.ops.aten._a"]


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize(
    ("source", "sibling", "within"),
    [
        ("torch.nn.ReLU6", "torch.nn.Hardtanh", 20),
        ("torch.nn.Conv2d", "torch.nn.Conv3d", 10),
        ("torch.nn.Conv2d", "torch.nn.LazyConvTranspose2d", 60),
        ("torch.clamp", "torch.clip", 20),
        ("torch.fft.rfft", "torch.fft.fft", 40),
        ("torch.median", "torch.nanmedian", 20),
        ("torch.index_select", "torch.index_add", 60),
    ],
)
def test_siblings_known_from_the_literature_come_early(torch_index, source, sibling, within):
    ranked = names(rank(torch_index.catalog.resolve(source), torch_index))
    assert sibling in ranked[:within]


@pytest.mark.slow
@pytest.mark.torch
def test_nothing_of_a_whole_build_is_cut(torch_index):
    source = torch_index.catalog.resolve("torch.nn.Conv2d")
    ranked = [candidate.api.name for candidate in rank(source, torch_index)]
    assert sorted([*ranked, source.name]) == sorted(torch_index.catalog.apis)
