"""The order of candidates."""

from fractions import Fraction

import pytest

from analysis.catalog.model import ApiKind
from citadel.judge.relations import near
from citadel.match.matches import Matches
from citadel.match.rank import rank, rank_as_paper, shared_operators, tables
from citadel.model import Channels
from harvest.importers.pairs import Equality, Pair


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


def test_classes_of_one_namespace_are_peers_and_layers_are_not(api, build):
    kinds = {"x.a.SGD": "class", "x.a.LBFGS": "class", "x.a.clip": "function"}
    kinds |= {"x.b.Adam": "class", "x.a.b.Adam": "class"}
    apis = [api(name, kind=ApiKind(kind)) for name, kind in kinds.items()]
    found = {one.api.name: one.channels.peers for one in rank(apis[0], build(apis))}
    assert {name for name, peers in found.items() if peers} == {"x.a.LBFGS"}
    assert set(found) == set(kinds) - {"x.a.SGD"}
    assert near(Channels(peers=True))
    assert not near(Channels())
    layers = [api(f"a.{name}", kind=ApiKind.MODULE) for name in ("One", "Two")]
    assert not rank(layers[0], build(layers))[0].channels.peers


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


def test_what_ran_within_the_failing_call_comes_first(api, build):
    apis = [api("torch.a"), api("torch.b"), api("torch.c")]
    first, second = rank(apis[0], build(apis), called={"torch.c"})
    assert names([first, second]) == ["torch.c", "torch.b"]
    assert (first.channels.called, second.channels.called) == (True, False)


def test_what_a_pair_links_to_the_source_comes_first(api, build):
    apis = [api("torch.a"), api("torch.b"), api("torch.c")]
    index = build(apis)
    pairs = (Pair(one="torch.c", other="torch.a", equality=Equality.VALUE),)
    matched = Matches(pairs=pairs).of(apis[0], index.catalog)
    first, second = rank(apis[0], index, matched=matched)
    assert names([first, second]) == ["torch.c", "torch.b"]
    assert (first.channels.matched, second.channels.matched) == ("value", None)
    assert not first.channels.called
    assert first.channels.to_json()["matched"] == "value"


def test_ties_are_in_the_order_of_names(api, build):
    apis = [api("torch.source", ("x",)), *(api(f"torch.q{c}{c}{c}") for c in "cab")]
    assert names(rank(apis[0], build(apis))) == ["torch.qaaa", "torch.qbbb", "torch.qccc"]


def test_a_namespace_within_the_sources_is_nearer_than_any_other(api, build):
    spaces = ("t.nn", "t.nn", "t.nn.functional", "t.nnx", "t", "t.linalg")
    apis = [api(f"{space}.{c * 5}") for space, c in zip(spaces, "zabcde", strict=True)]
    scores = {one.api.name: one.score for one in rank(apis[0], build(apis))}
    beside, within, other, above, apart = (scores[one.name] for one in apis[1:])
    assert beside > within > other == above == apart
    assert {one.api.name for one in rank(apis[2], build(apis))[:2]} == {"t.nn.zzzzz", "t.nn.aaaaa"}


def test_public_forms_come_before_raw_and_private_ones(api, build):
    apis = [api(name) for name in ("torch.source", "torch._source", "torch.a", "torch._a")]
    apis.append(api("torch.ops.aten._a", kind=ApiKind.OP))
    index = build(apis)
    public = {item.api.name: item.score for item in rank(apis[0], index)}
    assert public["torch.a"] > public["torch._a"] > public["torch.ops.aten._a"]
    private = {item.api.name: item.score for item in rank(apis[1], index)}
    assert private["torch.a"] == private["torch._a"] > private["torch.ops.aten._a"]


def test_scores_are_at_most_one(api, build):
    source, twin = api("torch.clamp"), api("torch.clamp_")
    index = build([source, twin], dict.fromkeys(("torch.clamp", "torch.clamp_"), "abc"))
    (candidate,) = rank(source, index, {"torch.clamp_": 1.0})
    assert 0.5 < candidate.score <= 1.0


def test_the_paper_takes_what_is_strictly_above_its_threshold(api, build):
    source, *others = [api(f"torch.{name}") for name in ("source", "on", "above", "same", "none")]
    sets = {
        "torch.source": "abcd",
        "torch.on": "abce",
        "torch.above": "abcde",
        "torch.same": "abcd",
    }
    found = rank_as_paper(source, build([source, *others], sets), Fraction(3, 5))
    assert [(item.api.name, item.channels.context) for item in found] == [
        ("torch.same", 1),
        ("torch.above", Fraction(4, 5)),
    ]


def test_an_api_that_was_never_run_has_no_siblings_in_the_paper(api, build):
    source, other = api("torch.source"), api("torch.other")
    assert rank_as_paper(source, build([source, other]), Fraction(0)) == []


def test_what_both_run_is_shown_rarest_first(api, build):
    apis = [api(f"torch.{name}") for name in ("a", "b", "c", "d")]
    sets = {"torch.a": ["all", "few", "own"], "torch.b": ["all", "few"]}
    sets.update({"torch.c": ["all"], "torch.d": ["all"]})
    assert shared_operators(apis[0], apis[1], build(apis, sets)) == ("few", "all")


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize(
    ("source", "sibling", "within"),
    [
        ("torch.nn.ReLU6", "torch.nn.Hardtanh", 20),
        ("torch.nn.Conv2d", "torch.nn.Conv3d", 10),
        ("torch.nn.Conv2d", "torch.nn.LazyConvTranspose2d", 60),
        ("torch.nn.BatchNorm1d", "torch.nn.functional.layer_norm", 60),
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
    left = set(torch_index.catalog.apis) - {*ranked, source.name}
    assert len(ranked) == len(set(ranked))
    assert left
    assert all(name.rpartition(".")[2].startswith("_test_") for name in left)


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.parametrize(
    ("source", "sibling"),
    [
        ("torch.nn.Conv2d", "torch.nn.LazyConvTranspose2d"),
        ("torch.nn.ReLU6", "torch.nn.Hardtanh"),
        ("torch.nn.Conv2d", "torch.nn.Conv1d"),
        ("torch.nn.Conv2d", "torch.nn.Conv3d"),
        ("torch.clamp", "torch.clip"),
        ("torch.median", "torch.nanmedian"),
        ("torch.fft.rfft", "torch.fft.fft"),
    ],
)
def test_the_papers_pairs(torch_index, source, sibling):
    found = rank_as_paper(torch_index.catalog.resolve(source), torch_index, Fraction(3, 5))
    assert sibling in names(found)


def test_the_operators_of_an_api_are_those_that_say_what_it_is(api, build):
    apis = [api("torch.reduce", operators=("reduce_sum", "copy"))]
    apis += [api("torch.ops.aten.reduce_sum"), api("torch.ops.aten.copy")]
    apis += [api(f"torch.f{number}") for number in range(20)]
    ran = {f"torch.f{number}": ("copy",) for number in range(20)}
    found = tables(build(apis, ran | {"torch.reduce": ("reduce_sum", "copy")})).operators(apis[0])
    assert found == {"torch.ops.aten.reduce_sum"}
