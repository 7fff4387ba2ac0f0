"""What counts when functions are compared."""

import pytest

from analysis.errors import CitadelError
from analysis.static.model import FunctionRecord, Kind
from analysis.static.normalise import Normaliser
from analysis.static.similarity import Similarity
from analysis.static.stop_list import is_stop


def record(callees=(), parameters=(), returns="", kind=Kind.FUNCTION):
    return FunctionRecord(
        id="x", name="f", file="f.cpp", line=1, end_line=2, kind=kind, parameters=parameters,
        returns=returns, callees=tuple(callees), lambdas=0, body="", has_error=False,
    )  # fmt: skip


CALLEES = [
    "TORCH_CHECK",
    "at::native::slow_conv2d_forward",
    "x.numel",
    ".sizes",
    "std::move",
    ".mul_",
]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (Similarity(), {"slow_conv#d_forward", ".mul_"}),
        (Similarity(dimensions=False), {"slow_conv2d_forward", ".mul_"}),
        (
            Similarity(stop_list=False),
            {"TORCH_CHECK", "slow_conv#d_forward", "x.numel", ".sizes", "move", ".mul_"},
        ),
    ],
)
def test_callees(rules, expected):
    assert Normaliser(rules).callees(record(CALLEES)) == expected


def test_arguments():
    parameters = (("const at::Tensor &", "self"), ("c10::optional<int64_t>", "dim"), ("T *", "p"))
    found = Normaliser(Similarity()).arguments(record(parameters=parameters, returns="at::Tensor&"))
    assert found == {"Tensor self", "optional<int64_t> dim", "T* p", "-> Tensor"}
    method = record(parameters=(("", "self"), ("Tensor", "x")), kind=Kind.PYTHON)
    assert Normaliser(Similarity()).arguments(method) == {"Tensor x"}


NO_EVIDENCE = """
TORCH_CHECK TORCH_INTERNAL_ASSERT_DEBUG_ONLY AT_ERROR OP_REQUIRES_OK TF_RETURN_IF_ERROR
std::make_tuple .is_contiguous c10::irange isinstance std::max ::std::min ::abs max c10::get
at::globalContext torch::make_unique TensorType::get Vec::begin os.path.join builtins.sum
math.floor torch.numel torch.device at::empty REGISTRY.items self.size os.environ.get
"""


@pytest.mark.parametrize(
    "name",
    NO_EVIDENCE.split(),
)
def test_no_evidence(name):
    assert is_stop(name)


EVIDENCE = """
AT_DISPATCH_ALL_TYPES convolution .copy_ at::empty_like at::max ::at::max at::native::floor
tensorflow::functor::fill torch.sum torch.add torch.min torch.abs torch.sort torch.split torch.all
torch._C.abs torch._VF.split torch.Tensor.add torch.ops.aten.unbind.int functional.max
tensorflow.python.ops.array_ops.split tensorflow.python.ops.array_ops.size .add .split
"""


@pytest.mark.parametrize("name", EVIDENCE.split())
def test_evidence(name):
    assert not is_stop(name)


@pytest.mark.parametrize("name", [".add", ".split"])
def test_sets_and_strings_of_python_are_no_evidence(name):
    assert is_stop(name, python=True)
    assert Normaliser(Similarity()).callees(record([name], kind=Kind.PYTHON)) == set()
    assert Normaliser(Similarity()).callees(record([name])) == {name}


def test_functions_that_differ_in_an_operator_differ():
    found = [
        Normaliser(Similarity()).callees(record([name, "torch.where"], kind=Kind.PYTHON))
        for name in ("torch.sum", "torch.min")
    ]
    assert found[0] != found[1]


@pytest.mark.parametrize("wrong", [{"callees": 0}, {"callees": 1.1}, {"arguments": -1}])
def test_thresholds_out_of_range(wrong):
    with pytest.raises(CitadelError, match="thresholds"):
        Similarity(**wrong)
