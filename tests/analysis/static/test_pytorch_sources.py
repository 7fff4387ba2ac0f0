"""The sources of PyTorch 1.13.1: families that everybody knows, found by the general rules."""

import pytest

from analysis.static.model import Kind, Skip
from analysis.static.stop_list import is_stop

pytestmark = pytest.mark.slow

FAMILIES = [
    ("aten::conv1d", "aten::conv2d", "aten::conv3d"),
    ("aten::upsample_nearest1d", "aten::upsample_nearest2d", "aten::upsample_nearest3d"),
    ("aten::gru_cell", "aten::lstm_cell", "aten::rnn_tanh_cell", "aten::rnn_relu_cell"),
    ("aten::hsplit", "aten::vsplit", "aten::dsplit"),
    ("aten::acos", "aten::cosh", "aten::erf"),
    ("aten::bitwise_and", "aten::bitwise_or", "aten::bitwise_xor"),
]
STRANGERS = [("aten::conv2d", "aten::gru_cell"), ("aten::acos", "aten::hsplit")]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_shares_a_group(pytorch, family):
    assert frozenset.intersection(*map(pytorch.groups_of, family))


@pytest.mark.parametrize("pair", STRANGERS)
def test_strangers_do_not(pytorch, pair):
    assert not frozenset.intersection(*map(pytorch.groups_of, pair))


def test_functions_that_only_check_are_in_no_group(pytorch):
    by_id = pytorch.functions
    stubs = [
        record.id
        for record in by_id.values()
        if record.callees and all(map(is_stop, record.callees))
    ]
    assert len(stubs) > 1_000
    assert any(by_id[stub].base == "mkldnn_max_pool2d" for stub in stubs)
    grouped = {member for group in pytorch.groups for member in group.members}
    assert not grouped.intersection(stubs)


def test_nearly_all_of_it_is_read(pytorch):
    counts = pytorch.counts
    assert counts["functions"] > 38_000
    assert counts["functions_with_errors"] < 0.035 * counts["functions"]
    assert not {Skip.BUG, Skip.DIED, Skip.TOO_SLOW} & pytorch.left_out.keys()


def test_operators_reach_their_functions(pytorch):
    assert pytorch.counts["operators"] == 2_493
    assert pytorch.counts["mapped_operators"] > 0.9 * 2_493
    found = [pytorch.functions[one] for one in pytorch.operators["aten::max_pool2d_with_indices"]]
    assert {record.name for record in found} >= {
        "at::native::structured_max_pool2d_with_indices_out_cpu::impl",
        "at::native::structured_max_pool2d_with_indices_out_cuda::impl",
        "at::meta::structured_max_pool2d_with_indices::meta",
    }
    (acos,) = (
        record
        for record in map(pytorch.functions.get, pytorch.operators["aten::acos"])
        if record.kind is Kind.STRUCTURED
    )
    assert "acos_stub" in acos.callees


def test_groups_can_be_browsed(pytorch):
    found = pytorch.find("conv?d")
    assert any({"at::native::conv1d", "at::native::conv3d"} <= set(group.names) for group in found)
    assert pytorch.find("no_such_function*") == ()
    assert pytorch.groups_of("at::native::conv2d") == pytorch.groups_of("aten::conv2d")
    assert pytorch.groups_of("cudaLaunchKernel") == frozenset()
