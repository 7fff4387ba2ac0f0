"""Triggers in the valid calls of real APIs: who goes wrong, who does not, and the scripts."""

import re
from dataclasses import replace

import pytest

from analysis.errors import CitadelError
from analysis.target.observation import Outcome
from analysis.target.session import Limits
from analysis.target.target import Interpreter
from citadel.commands.progress import Progress
from citadel.commands.spreading import SpreadRequest, run_spread
from citadel.model import SymptomKind
from citadel.oracle import status
from citadel.selection import Wish
from citadel.spread.cases import replayed, script
from citadel.spread.relation import read
from citadel.spread.samples import by_operation, described, unsigned
from citadel.spread.search import Tally, spread

pytestmark = pytest.mark.slow
LIMITS = Limits(wall=30.0)
DISAGREES = SymptomKind.DISAGREES


@pytest.fixture
def spread_on(bench):
    def run(relation, *names, wanted=None):
        apis = [bench.catalog.apis[name] for name in names]
        tally = Tally()
        found = list(spread(relation, bench.index, apis, bench.probes, 60.0, tally, wanted))
        hits = [
            replayed(one, relation, bench.replays[0], "torch", runs=1, limits=LIMITS)
            for one in found
            if not one.limit
        ]
        return {hit.api: hit for hit in hits if hit is not None}, tally, found

    return run


@pytest.mark.torch
def test_what_one_way_refuses_and_the_other_one_takes(spread_on, bench):
    relation = read("out: dtype float64", "plain,meta")
    hits, tally, _ = spread_on(relation, "torch.index_select", "torch.cross", "torch.sum")
    assert hits.keys() == {"torch.index_select", "torch.cross"}
    assert tally.valid == {"torch.index_select", "torch.cross", "torch.sum"}
    assert not tally.cut
    hit = hits["torch.cross"]
    assert hit.verdict.symptom.kind is SymptomKind.ACCEPTS
    assert "bad_out = out.to(torch.float64)  # the trigger" in hit.code
    assert "bad_out = out\n" in hit.control
    run = bench.replays[0].run(hit.code)
    assert run.exception.type == "AssertionError"
    assert "plain: RuntimeError: Expected out tensor to have dtype float" in run.stdout
    assert "meta: returns" in run.stdout
    assert bench.replays[0].run(hit.control).outcome is Outcome.OK


@pytest.mark.torch
def test_a_search_leaves_no_trace_in_what_runs_after_it(bench):
    """PyTorch's own tests, from which samples come, forbid to set the flags of backends."""
    relation, apis = read("inputs: scaled 2"), [bench.catalog.apis["torch.cosh"]]
    code = "import os, torch\ntorch.backends.cudnn.benchmark = True\nprint(sorted(os.environ))"
    with bench.target.session() as searched, bench.target.session() as fresh:
        tally = Tally()
        list(spread(relation, bench.index, apis, [searched], 60.0, tally))
        after, before = searched.run(code), fresh.run(code)
    assert tally.pairs
    assert after.outcome is Outcome.OK
    assert after.stdout == before.stdout


@pytest.mark.torch
def test_a_function_may_be_wrong_for_many_elements_alone(spread_on):
    """`cosh` overflows where it is vectorised."""
    ways = "plain,dtype float64"
    short, _, _ = spread_on(read("inputs: full 89", ways), "torch.cosh")
    long, _, _ = spread_on(read("inputs: full 89; inputs: long", ways), "torch.cosh")
    assert (short.keys(), long.keys()) == (set(), {"torch.cosh"})


@pytest.mark.torch
def test_nan_that_matters_comes_through(spread_on, bench):
    """What is documented to treat NaN in its own way, does so; an index is no number."""
    relation = read("inputs: holding nan", "plain,nan-through")
    names = ("torch.sign", "torch.add", "torch.nn.functional.relu", "torch.argmax")
    names += ("torch.rand_like",)  # whose results change with each call
    hits, tally, _ = spread_on(relation, *names)
    assert hits.keys() == {"torch.sign"}
    assert tally.valid == set(names)
    assert relation.documented(bench.catalog.apis["torch.nansum"])
    assert not any(relation.documented(bench.catalog.apis[name]) for name in names)


@pytest.mark.tf
def test_nan_that_matters_comes_through_on_tensorflow(tf_target, index_of):
    index = index_of(tf_target)
    relation = read("inputs: holding nan", "plain,nan-through")
    apis = [index.catalog.apis[name] for name in ("tf.nn.max_pool2d", "tf.nn.relu", "tf.abs")]
    with tf_target.session() as session:
        found = list(spread(relation, index, apis, [session], 60.0, Tally()))
    assert {one.api for one in found} == {"tf.nn.max_pool2d"}


@pytest.mark.torch
def test_what_is_written_to_may_share_its_memory(spread_on):
    relation = read("written: expanded", "plain,dtype float64")
    hits, _, _ = spread_on(relation, "torch.Tensor.addmv_", "torch.mv", "torch.Tensor.add_")
    wrong = {name for name, one in hits.items() if one.verdict.symptom.kind is DISAGREES}
    assert wrong == {"torch.Tensor.addmv_", "torch.mv"}
    assert "out=bad_out" in hits["torch.mv"].code


@pytest.mark.torch
def test_what_is_too_large_for_a_script_is_written_shorter(spread_on):
    hits, _, _ = spread_on(read("", "forward-ad,plain"), "torch.nn.functional.ctc_loss")
    assert "torch.full((" in hits["torch.nn.functional.ctc_loss"].code


@pytest.mark.torch
def test_values_that_are_wrong_under_the_trigger_alone(spread_on):
    relation = read("inputs: scaled 1e30", "plain,dtype float64")
    right = ("torch.abs", "torch.std", "torch.hypot", "torch.ops.aten.new_empty_strided")
    wrong = ("torch.nn.GroupNorm", "torch.nn.functional.normalize", "torch.linalg.vector_norm")
    hits, _, found = spread_on(relation, *wrong, *right)
    assert hits.keys() == set(wrong), found
    assert hits["torch.linalg.vector_norm"].verdict.symptom.observed == "inf"


@pytest.mark.torch
def test_what_needs_numbers_may_refuse_tensors_that_have_none(spread_on):
    relation = read("inputs: meta")
    names = ("torch.unique", "torch.equal", "torch.histogram", "torch.sum")
    hits, _, found = spread_on(relation, *names)
    assert hits.keys() == {"torch.histogram"}
    assert {one.api for one in found if one.limit} == {"torch.unique", "torch.equal"}


@pytest.mark.torch
def test_out_of_another_dtype_than_the_result_is_refused_or_not(spread_on):
    relation = read("out: mistyped", "plain,meta")
    hits, _, _ = spread_on(relation, "torch.all", "torch.cross", "torch.sum")
    assert hits.keys() == {"torch.all", "torch.cross"}


@pytest.mark.torch
def test_an_argument_may_be_what_a_report_has_given(spread_on):
    """Also one that the sample has left out, or that a layer was built with."""
    names = ("torch.sum", "torch.abs", "torch.nn.Conv1d", "torch.nn.functional.conv1d")
    hits, tally, _ = spread_on(read("dim|stride: is 0; stride: is 0"), *names)
    assert hits.keys() == {"torch.nn.Conv1d", "torch.nn.functional.conv1d"}
    assert "torch.abs" not in tally.valid  # it has neither
    layer = hits["torch.nn.Conv1d"]
    assert "bad_stride = 0  # the trigger" in layer.code
    assert "stride=bad_stride)" in layer.code
    assert "non-positive stride" in layer.verdict.symptom.message
    beyond, _, _ = spread_on(read("dim: is 7"), *names)
    assert beyond.keys() == {"torch.sum"}
    assert "dim = ()\nbad_dim = 7  # the trigger" in beyond["torch.sum"].code
    modes, _, _ = spread_on(read("reduction: is 'mean'", "plain,wider"), "torch.nn.L1Loss")
    assert not modes


@pytest.mark.torch
def test_a_condition_may_break_where_no_number_is_the_trigger(spread_on):
    """Then there is nothing milder to ask for first."""
    relation = read("dtype: is torch.int64", "plain,checked result.is_floating_point()")
    hits, _, _ = spread_on(relation, "torch.sum", "torch.abs")
    assert hits.keys() == {"torch.sum"}


@pytest.mark.torch
def test_what_is_empty_has_nothing_behind_it(spread_on):
    """Its means are read, whether there are any or not."""
    norm = "torch.ops.aten.native_layer_norm_backward"
    _, _, found = spread_on(read("inputs: empty"), norm, wanted=status.crashes("SIGSEGV"))
    assert [one.state for one in found] == ["crash"]


@pytest.mark.torch
def test_what_dies_whatever_it_is_given_is_given_ones(spread_on):
    pad = "torch.ops.aten.reflection_pad2d_backward"
    hits, _, _ = spread_on(read("inputs: empty"), pad, wanted=status.crashes("SIGSEGV"))
    assert re.search(r"^x = torch.ones\(\(\d, ", hits[pad].code, re.M)


@pytest.mark.torch
def test_a_condition_is_asked_of_results(spread_on):
    """Not where a number of a lesser size breaks it as well."""
    # What a window of such a shape holds is less than zero for a quarter of it, too.
    names = ("torch.fill_", "torch.masked_fill", "torch.signal.windows.kaiser", "torch.ones")
    relation = read(
        "number: is 9.223372036854775808e18; inputs: dtype int64",
        "plain,checked (result >= 0).all()",
    )
    hits, _, _ = spread_on(relation, *names)
    assert hits.keys() == {"torch.fill_", "torch.masked_fill"}
    code = hits["torch.masked_fill"].code
    assert "assert (result >= 0).all()\n" in code
    assert "def " not in code
    assert hits["torch.fill_"].verdict.symptom.kind is SymptomKind.FALSE


@pytest.mark.torch
def test_a_crash_costs_one_api(spread_on):
    hits, tally, _ = spread_on(read("inputs: holding nan"), "torch.linalg.eigvals", "torch.abs")
    assert hits.keys() == {"torch.linalg.eigvals"}
    assert hits["torch.linalg.eigvals"].verdict.symptom.kind is SymptomKind.CRASHES
    assert "torch.abs" in tally.valid
    assert not tally.cut


@pytest.mark.torch
def test_the_whole_call_may_be_made_otherwise(spread_on):
    relation = read("", "forward-ad,plain")
    hits, _, _ = spread_on(relation, "torch.cdist", "torch.igamma", "torch.sum")
    assert hits.keys() == {"torch.cdist", "torch.igamma"}
    assert hits["torch.cdist"].verdict.symptom.kind is SymptomKind.RAISES
    assert "forward AD" in hits["torch.cdist"].verdict.symptom.message


@pytest.mark.torch
def test_only_what_changes_with_its_inputs_has_a_gradient(spread_on):
    relation = read("", "backward,sloped")
    names = ("torch.special.bessel_y0", "torch.argmax", "torch.zeros_like", "torch.exp")
    wanted = status.raises("RuntimeError", "element 0 of tensors does not require grad")
    hits, _, _ = spread_on(replace(relation, kind=SymptomKind.RAISES), *names, wanted=wanted)
    assert hits.keys() == {"torch.special.bessel_y0"}


@pytest.mark.torch
def test_surroundings_enclose_both_calls(spread_on):
    relation = read("input: dtype bfloat16", "within torch.autocast('cpu', dtype=torch.bfloat16)")
    hits, tally, _ = spread_on(relation, "torch.dot", "torch.mm")
    assert hits.keys() == {"torch.dot"}
    assert tally.valid >= {"torch.mm"}
    assert "with torch.autocast('cpu', dtype=torch.bfloat16):" in hits["torch.dot"].code
    assert "(bad_x, y)" in hits["torch.dot"].code
    assert "bad_x = x\n" in hits["torch.dot"].control


@pytest.mark.torch
def test_a_plain_argument_may_be_the_trigger_in_surroundings(spread_on):
    relation = read("dim|number: is 77", "within torch.no_grad()")
    hits, _, _ = spread_on(relation, "torch.cumsum", "torch.flip")
    assert "torch.cumsum" in hits
    assert "bad_dim = 77  # the trigger" in hits["torch.cumsum"].code


@pytest.mark.torch
def test_a_setting_is_switched_off_again(spread_on):
    relation = read("", "set torch.use_deterministic_algorithms,plain")
    names = ("torch.put", "torch.add", "torch.Tensor.put_")
    hits, tally, _ = spread_on(relation, *names)
    assert hits.keys() == {"torch.put", "torch.Tensor.put_"}
    assert "torch.add" in tally.valid
    assert hits["torch.put"].verdict.symptom.kind is SymptomKind.RAISES


@pytest.mark.torch
def test_tensors_that_are_unlike_are_refused_or_not(spread_on):
    """`slogdet` takes no bfloat16 at all; the mask of `masked_scatter` stays what it is."""
    names = ("torch.dot", "torch.masked_scatter", "torch.slogdet", "torch.add")
    found = read("source|inputs: dtype bfloat16")
    assert spread_on(found, *names)[0].keys() == {*names} - {"torch.add"}
    assert spread_on(replace(found, apart=True), *names)[0].keys() == {*names[:2]}


@pytest.mark.tf
def test_what_has_no_place_for_the_trigger_may_go_without(tf_target, index_of):
    relation = read("axis: is 1", "unranked,graph")
    wanted = status.raises("TypeError", "unsupported operand type(s) for -: 'NoneType' and 'int'")
    names = ("tf.image.rgb_to_yuv", "tf.image.yiq_to_rgb", "tf.nn.log_softmax", "tf.nn.relu")
    index = index_of(tf_target)
    apis = [index.catalog.apis[name] for name in names]
    found = {}
    with tf_target.session() as session:
        for kind in (SymptomKind.DISAGREES, SymptomKind.RAISES):
            asked, tally = replace(relation, kind=kind), Tally()
            every = list(spread(asked, index, apis, [session], 120.0, tally, wanted))
            hits = [
                replayed(one, asked, session, "tensorflow", runs=1, limits=LIMITS) for one in every
            ]
            found[kind] = {hit.api: hit for hit in hits if hit is not None}
    assert not found[SymptomKind.DISAGREES]
    assert found[SymptomKind.RAISES].keys() == {*names[:3]}
    hit = found[SymptomKind.RAISES][names[0]]
    assert "the trigger" not in hit.code
    assert "unranked" not in hit.control.splitlines()[-1]


@pytest.mark.torch
def test_gradients_are_compared_with_differences(spread_on):
    """Where a function has a kink or a jump, or draws random numbers, only NaN is wrong."""
    relation = read("inputs: full 0", "backward,differences")
    wrong = {"torch.hypot", "torch.xlogy"}
    right = {"torch.abs", "torch.aminmax", "torch.sign", "torch.sqrt", "torch.dropout"}
    hits, tally, found = spread_on(relation, *wrong, *right)
    assert hits.keys() == wrong, found
    assert tally.valid >= right
    assert hits["torch.hypot"].verdict.symptom.kind is SymptomKind.DISAGREES
    assert hits["torch.hypot"].verdict.symptom.observed == "nan"


@pytest.mark.tf
def test_gradients_are_compared_with_differences_on_tensorflow(tf_target, index_of):
    index, relation = index_of(tf_target), read("inputs: full 0", "backward,differences")
    apis = [index.catalog.apis[name] for name in ("tf.norm", "tf.abs", "tf.sign", "tf.sqrt")]
    tally = Tally()
    with tf_target.session() as one:
        found = list(spread(relation, index, apis, [one], 120.0, tally))
    assert {hit.api for hit in found if not hit.limit} == {"tf.norm"}
    assert tally.valid == {api.name for api in apis}


@pytest.mark.torch
def test_out_may_share_memory_with_an_input(spread_on):
    relation = read("out: overlapping", "plain,alone")
    hits, tally, found = spread_on(relation, "torch.cummax", "torch.cumsum")
    wrong = {name for name, hit in hits.items() if hit.verdict.symptom.kind is DISAGREES}
    assert wrong == {"torch.cummax"}, found
    assert hits["torch.cumsum"].verdict.symptom.kind is SymptomKind.ACCEPTS  # but plainly refuses
    assert tally.valid >= wrong
    assert "bad_out = torch.as_strided(bad_" in hits["torch.cummax"].code


@pytest.mark.torch
def test_another_failure_does_not_stand_in_the_way(spread_on):
    """The one refuses an empty input, and the other one dies of empty norms."""
    distances = "torch.ops.aten._cdist_backward"
    relation, names = read("inputs: empty"), (distances, "torch._weight_norm")
    _, _, found = spread_on(relation, *names)
    assert {one.state for one in found} == {"status", "crash"}
    _, _, found = spread_on(relation, *names, wanted=status.crashes("SIGSEGV"))
    assert {(one.api, one.state) for one in found} == {("torch._weight_norm", "crash")}
    text = "The size of tensor a (0) must match the size of tensor b (3) at dimension 1"
    wanted = status.raises("RuntimeError", text)
    _, _, found = spread_on(relation, distances, "torch.mm", wanted=wanted)
    assert {(one.api, one.state) for one in found} == {(distances, "status")}
    wanted = status.raises("RuntimeError", "something else altogether")
    _, _, found = spread_on(relation, distances, wanted=wanted)
    assert found == []


@pytest.mark.torch
def test_dtypes_shapes_and_strides_may_be_told_wrong(spread_on, bench):
    relation = read("inputs: strided", "fake-described,plain-described")
    hits, tally, _ = spread_on(relation, "torch.poisson", "torch.abs")
    assert hits.keys() == {"torch.poisson"}
    assert "torch.abs" in tally.valid
    assert hits["torch.poisson"].code.endswith("assert result == expected\n")
    assert bench.replays[0].run(hits["torch.poisson"].code).exception.type == "AssertionError"


@pytest.mark.tf
def test_any_refusal_may_be_lost(tf_target, index_of):
    index, names = index_of(tf_target), ("tf.scatter_nd", "tf.abs")
    apis = [index.catalog.apis[name] for name in names]
    relation, tally = read("any: refused", "plain,xla"), Tally()
    with tf_target.session() as session:
        found = list(spread(relation, index, apis, [session], 90.0, tally))
        assert {one.api for one in found} == {"tf.scatter_nd"}
        hit = replayed(found[0], relation, session, "tensorflow", runs=1, limits=LIMITS)
    assert hit.verdict.symptom.kind is SymptomKind.ACCEPTS
    assert hit.verdict.symptom.expected.startswith("InvalidArgumentError")


@pytest.mark.torch
def test_what_passes_a_check_that_another_number_does_not(spread_on, bench):
    """`x < 0` lets NaN pass, `not x >= 0` does not, and `clamp` takes any number."""
    relation = read("number: is float('nan')", "plain,minus-one")
    names = ("torch.nn.BatchNorm1d", "torch.optim.SGD", "torch.nn.Dropout2d", "torch.optim.Adam")
    hits, tally, _ = spread_on(relation, *names, "torch.clamp")
    assert hits.keys() == set(names[:3])
    assert not tally.cut
    hit = hits["torch.optim.SGD"]
    assert hit.verdict.symptom.kind is SymptomKind.ACCEPTS
    assert hit.verdict.symptom.expected == "ValueError: Invalid learning rate: -1.0"
    assert hit.verdict.symptom.pattern is None  # each checks in words of its own: one family
    assert "bad_lr = float('nan')  # the trigger" in hit.code
    run = bench.replays[0].run(hit.code)
    assert "plain: returns\nminus-one: ValueError" in run.stdout
    assert run.exception.type == "AssertionError"
    # Where nothing is refused, the control is the valid call alone.
    assert "bad_lr = lr\n" in hit.control
    assert "-1.0" not in hit.control
    # What an object cannot be made with, it need not be called for.
    assert "torch.nn.Dropout2d(p=bad_p))" in hits["torch.nn.Dropout2d"].code


@pytest.mark.tf
def test_numbers_that_pass_a_check_of_tensorflow(tf_target, index_of):
    index, relation = index_of(tf_target), read("number: is float('nan')", "plain,minus-one")
    apis = [index.catalog.apis[name] for name in ("tf.nn.dropout", "tf.keras.layers.Dropout")]
    with tf_target.session() as session:
        found = list(spread(relation, index, apis, [session], 90.0, Tally()))
        hits = [
            replayed(one, relation, session, "tensorflow", runs=1, limits=LIMITS) for one in found
        ]
    assert {hit.verdict.symptom.kind for hit in hits} == {SymptomKind.ACCEPTS}


def test_what_is_refused_needs_the_plain_call():
    with pytest.raises(CitadelError, match="plain call and another"):
        read("any: refused", "graph,xla")


@pytest.mark.parametrize(
    ("trigger", "ways"),
    [
        ("number: is float('nan')", "minus-one,plain"),
        ("number: is float('nan')", "minus-one,thousand"),
        ("inputs: holding nan", "plain,minus-one"),
        ("", "plain,thousand"),
    ],
)
def test_another_number_is_asked_of_one_that_passes(trigger, ways):
    with pytest.raises(CitadelError, match="asked of a number that passes plainly"):
        read(trigger, ways)


@pytest.mark.tf
def test_indices_out_of_range_are_refused_or_not(tf_target, index_of):
    """Lists of whole numbers in a sample stand for tensors."""
    index, relation = index_of(tf_target), read("indices|inputs: far", "xla,plain")
    names = ("tf.tensor_scatter_nd_update", "tf.math.unsorted_segment_sum", "tf.sin")
    apis = [index.catalog.apis[name] for name in names]
    with tf_target.session() as one, tf_target.session() as replays:
        found = list(spread(relation, index, apis, [one], 120.0, Tally()))
        assert {hit.api for hit in found} == set(names[:2])
        told = replayed(found[0], relation, replays, "tensorflow", runs=1, limits=LIMITS)
    assert told.verdict.symptom.kind is SymptomKind.ACCEPTS


@pytest.mark.torch
def test_what_the_sample_cannot_hold_is_not_compared(spread_on):
    hits, tally, _ = spread_on(read("input: holding nan"), "torch.bitwise_and")
    assert (hits, tally.valid) == ({}, set())


@pytest.mark.torch
def test_one_form_of_each_operation_comes_first(bench):
    names = ("torch.abs", "torch.Tensor.abs", "torch.cos", "torch.Tensor.cos")
    apis = by_operation((bench.catalog.apis[name] for name in names), bench.operations.of)
    assert [api.name for api in apis] == [names[0], names[2], names[1], names[3]]


@pytest.mark.torch
def test_calls_have_what_is_required_alone_as_well(bench):
    found = described(bench.index, bench.catalog.apis["torch.linalg.vector_norm"])
    keywords = [call["call"][1] for call in found["calls"]]
    assert {} in keywords
    assert any(keywords)


@pytest.mark.tf
def test_eager_and_compiled_by_xla(tf_target, index_of):
    index, relation = index_of(tf_target), read("input: holding nan", "plain,xla")
    apis = [index.catalog.apis[name] for name in ("tf.sort", "tf.reverse", "tf.argmax")]
    with tf_target.session() as one, tf_target.session() as replays:
        found = list(spread(relation, index, apis, [one], 120.0, Tally()))
        assert {hit.api for hit in found if not hit.limit} == {"tf.sort", "tf.argmax"}
        hit = next(hit for hit in found if hit.api == "tf.sort")
        told = replayed(hit, relation, replays, "tensorflow", runs=1, limits=LIMITS)
        assert told is not None, script(hit, relation, "tensorflow")
        assert "jit_compile=True" in told.code


@pytest.mark.torch
@pytest.mark.parametrize("way", ["vmap", "traced", "forward-ad"])
def test_ways_around_the_call_make_it(spread_on, way):
    """Where both ways return the same, nothing is found; what is not run cannot agree."""
    hits, tally, found = spread_on(read("", f"plain,{way}"), "torch.sin", "torch.add")
    assert (hits, found) == ({}, [])
    assert tally.valid == {"torch.sin", "torch.add"}


@pytest.mark.tf
@pytest.mark.parametrize("way", ["vmap", "graph"])
def test_ways_around_the_call_make_it_on_tensorflow(tf_target, index_of, way):
    index, tally = index_of(tf_target), Tally()
    apis = [index.catalog.apis[name] for name in ("tf.sin", "tf.add")]
    with tf_target.session() as one:
        found = list(spread(read("", f"{way},plain"), index, apis, [one], 120.0, tally))
    assert found == []
    assert tally.valid == {"tf.sin", "tf.add"}


@pytest.mark.torch
def test_what_writes_to_its_input_gives_each_way_its_own(spread_on):
    relation = read("inputs: scaled 1e30", "plain,dtype float64")
    hits, _, _ = spread_on(relation, "torch.Tensor.renorm_", "torch.Tensor.mul_")
    assert hits.keys() == {"torch.Tensor.renorm_"}
    code = hits["torch.Tensor.renorm_"].code
    assert code.count("  # the trigger") == 2


@pytest.mark.torch
def test_an_answer_that_does_not_fit_is_no_bug(spread_on):
    relation = read("inputs: scaled 1e30", "plain,dtype float64")
    names = {"torch.square", "torch.mul", "torch.mv", "torch.trapezoid", "torch.addmm"}
    hits, tally, found = spread_on(relation, *names)
    assert (hits, tally.valid) == ({}, names), found


@pytest.mark.tf
def test_a_framework_whose_calls_cannot_be_compared_is_told(tf_target, tmp_path):
    request = SpreadRequest(
        api="keras.ops.abs",
        relation=read("inputs: empty"),
        seconds=10.0,
        jobs=1,
        runs=1,
        limits=LIMITS,
        out=tmp_path,
        json=None,
        show_all=False,
    )
    with pytest.raises(CitadelError, match="calls of keras cannot be compared"):
        run_spread(request, lambda: Interpreter(tf_target.info.python), Wish(), Progress())
    assert not list(tmp_path.iterdir())


def test_what_a_condition_is_asked_of_is_tried_without_signs():
    call = [[{"t": ["float32", [2], [-1.5, 2]]}, {"u": [{"e": "-3"}, {"e": "'max'"}]}], {}]
    more = unsigned({"names": ["x"], "calls": [{"call": call, "new": None}]})
    sizes = [[{"t": ["float32", [2], [1.5, 2]]}, {"u": [{"e": "3"}, {"e": "'max'"}]}], {}]
    assert [one["call"] for one in more["calls"]] == [call, sizes]
    assert unsigned(more) == more
