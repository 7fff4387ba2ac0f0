"""Groups of analogous operators."""

import pytest

from analysis.analogues import analogues, canonical_bodies, collapsed, disjoint
from analysis.catalog.model import Api, ApiKind, Catalog, Parameter, Provenance, Signature

POOL = ("Tensor self", "int[] kernel_size", "int[] stride", "int[] padding")
CONV = ("Tensor input", "Tensor weight", "Tensor? bias", "int[] stride", "int groups")


def operator(name, parameters):
    signature = Signature(
        parameters=tuple(
            Parameter(name=text.split()[1], type=text.split()[0]) for text in parameters
        ),
        provenance=Provenance.SCHEMA,
    )
    return Api(name=f"torch.ops.aten.{name}", kind=ApiKind.OP, signatures=(signature,))


def found(schemas, bodies):
    apis = {api.name: api for api in (operator(*item) for item in schemas.items())}
    ways = {
        f"aten::{name}": tuple(frozenset(f"aten::{callee}" for callee in body) for body in given)
        for name, given in bodies.items()
    }
    return analogues("torch", Catalog(apis=apis), ways)


def test_like_arguments_and_like_calls_make_a_group():
    schemas = {"conv2d": CONV, "conv_transpose2d": (*CONV, "int output_padding")}
    bodies = {"conv2d": [["convolution"]], "conv_transpose2d": [["convolution"]]}
    assert found(schemas, bodies) == (("convNd", "conv_transposeNd"),)


def test_one_way_in_common_is_enough():
    schemas = {"conv2d": CONV, "conv_transpose2d": CONV}
    bodies = {
        "conv2d": [["_convolution_mode"], ["convolution"]],
        "conv_transpose2d": [["convolution"], ["ones"]],
    }
    assert found(schemas, bodies) == (("convNd", "conv_transposeNd"),)


@pytest.mark.parametrize(
    ("schemas", "bodies"),
    [
        ({"a_op": CONV, "b_op": POOL}, {"a_op": [["inner"]], "b_op": [["inner"]]}),
        ({"a_op": CONV, "b_op": CONV}, {"a_op": [["inner"]], "b_op": [["other"]]}),
        ({"a_op": CONV, "b_op": CONV}, {"a_op": [[]], "b_op": [[]]}),
        ({"a_op": CONV, "a_op_backward": CONV}, {"a_op": [["in"]], "a_op_backward": [["in"]]}),
        ({"conv2d": CONV, "conv3d": CONV}, {"conv2d": [["inner"]], "conv3d": [["inner"]]}),
    ],
    ids=["arguments", "calls", "nothing called", "gradient", "one canonical name"],
)
def test_no_group(schemas, bodies):
    assert found(schemas, bodies) == ()


def test_what_everything_calls_is_no_evidence():
    names = [f"op{chr(97 + n)}{chr(97 + m)}" for n in range(10) for m in range(10)]
    schemas = dict.fromkeys(names, CONV)
    bodies = {name: [["empty"]] for name in names}
    assert found(schemas, bodies) == ()
    bodies[names[0]] = bodies[names[1]] = [["empty", "rare"]]
    assert found(schemas, bodies) == ((names[0], names[1]),)


def test_groups_are_disjoint_and_the_large_one_wins():
    assert disjoint([["a", "b"], ["b", "c", "d"], ["d", "e"], ["", "f"], ["a"]]) == (
        ("b", "c", "d"),
    )


def test_members_of_a_group_count_as_one():
    sets = {"f": frozenset(("convNd", "x")), "g": frozenset(("conv_transposeNd", "x", "y"))}
    assert collapsed(sets, (("convNd", "conv_transposeNd"),)) == {
        "f": {"convNd", "x"},
        "g": {"convNd", "x", "y"},
    }


def test_an_operator_does_not_call_itself():
    bodies = {"aten::add_": (frozenset(("aten::add", "aten::to")),)}
    assert canonical_bodies("torch", bodies) == {"add": [{"to"}]}
