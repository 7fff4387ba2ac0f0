"""Calls that an API without any takes over from others."""

import pytest

from analysis.catalog.model import Api, ApiKind, Catalog, Parameter, Provenance, Signature
from analysis.dynamic.donors import MOST_CALLS, Donors


def signature(text):
    """Parameters by name; those with a `=` behind them need not be given."""
    parameters = tuple(
        Parameter(name=one.rstrip("="), default="None" if one.endswith("=") else None)
        for one in text.split()
    )
    return Signature(parameters=parameters, provenance=Provenance.INSPECT)


def function(name, parameters, kind=ApiKind.FUNCTION, called=None):
    calls = () if called is None else (signature(called),)
    made = (signature(parameters),)
    return Api(name=name, kind=kind, signatures=made, call_signatures=calls)


def tensor(*shape):
    return {"k": "tensor", "shape": list(shape), "dtype": "float32"}


def number(value):
    return {"k": "int", "v": str(value)}


def donors(*apis, **samples):
    return Donors(Catalog(apis={one.name: one for one in apis}), samples)


def test_a_call_is_taken_over_by_the_names_of_its_parameters():
    call = {"a": [tensor(1, 4, 4, 1)], "k": {"filter": tensor(2, 2), "stride": number(1)}}
    found = donors(
        function("conv2d", "input filters strides padding="),
        function("raw.Conv2D", "input filter stride"),
        **{"raw.Conv2D": [call]},
    )
    assert found.of("conv2d") == [
        {"input": tensor(1, 4, 4, 1), "filters": tensor(2, 2), "strides": number(1)}
    ]


@pytest.mark.parametrize(
    ("parameters", "taken"),
    [
        ("x axis", True),
        ("x axis other=", True),
        ("x axis more", True),  # one may be lacking
        ("x axis more again", False),
        ("y", False),
    ],
)
def test_what_is_required_is_there_but_for_one(parameters, taken):
    found = donors(
        function("f", parameters),
        function("g", "x axis"),
        g=[{"a": [tensor(2), number(0)], "k": {}}],
    )
    assert bool(found.of("f")) is taken


def test_those_of_a_like_name_come_first_and_kinds_of_calls_once():
    apis = [function(f"other{n}", "x y") for n in range(2 * MOST_CALLS)]
    kinds = {
        one.name: [{"a": [tensor(*[2] * n), number(1)], "k": {}}] for n, one in enumerate(apis)
    }
    near = function("unsorted_mean", "x y")
    calls = [{"a": [tensor(7, 7), number(n)], "k": {}} for n in range(3)]
    found = donors(function("unsorted_sum", "x y"), near, *apis, **kinds, unsorted_mean=calls)
    taken = found.of("unsorted_sum")
    assert taken[0] == {"x": tensor(7, 7), "y": number(0)}
    assert len(taken) == MOST_CALLS
    assert number(2) not in [one["y"] for one in taken]


def test_layers_take_over_from_layers_what_they_are_made_with_and_called_on():
    layer = function("Pool3D", "size", ApiKind.MODULE, "inputs")
    other = function("Pool2D", "size steps=", ApiKind.MODULE, "inputs")
    of_function = function("pool", "size inputs")
    call = {"a": [tensor(1, 4, 4, 1)], "k": {}, "c": {"a": [number(2)], "k": {}}}
    found = donors(
        layer, other, of_function, Pool2D=[call], pool=[{"a": [number(3), tensor(3)], "k": {}}]
    )
    assert found.of("Pool3D") == [{"size": number(2), "inputs": tensor(1, 4, 4, 1)}]
    assert found.of("unknown") == []
