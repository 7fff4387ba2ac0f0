"""Messages of exceptions up to what legitimately differs between siblings."""

import pytest

from analysis.target.observation import Raised
from citadel.oracle.messages import (
    MAX_PATTERN,
    WRAPPED,
    first_line,
    innermost,
    normalise,
    told_numbers,
)

SAME = {
    "numbers": (
        "Dimension out of range (expected to be in range of [-1, 0], but got 5)",
        "Dimension out of range (expected to be in range of [-3, 2], but got -7)",
    ),
    "dtypes in words": (
        "only supports boolean masks, but got mask with dtype float",
        "only supports boolean masks, but got mask with dtype Float",
    ),
    "large and real numbers": (
        "dropout probability has to be between 0 and 1, but got 1.5",
        "dropout probability has to be between 0 and 1, but got -1e-05",
    ),
    "functions by name": (
        "max_pool1d() Invalid computed output size: -2",
        "avg_pool1d() Invalid computed output size: -14",
    ),
    "shapes": (
        "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
        "mat1 and mat2 shapes cannot be multiplied (12x1 and 2x2)",
    ),
    "shapes in brackets": (
        "The expanded size of the tensor (4) must match the existing size (3) at non-singleton "
        "dimension 1.  Target sizes: [2, 4].  Tensor sizes: [2, 3]",
        "The expanded size of the tensor (9) must match the existing size (2) at non-singleton "
        "dimension 0.  Target sizes: [9].  Tensor sizes: [2]",
    ),
    "sizes of one dimension": (
        "shape '[2, 3]' is invalid for input of size 7",
        "shape '[5]' is invalid for input of size 60",
    ),
    "sizes by letter of the dimension": (
        "stride should be greater than zero, but got dH: 0 dW: 1",
        "stride should be greater than zero, but got dT: 1 dH: 0 dW: 1",
    ),
    "sizes by letter, with a prefix": (
        "pad should be at most half of kernel size, but got kH: 2 kW: 3 padH: 4 padW: 0",
        "pad should be at most half of kernel size, but got kW: 2 padW: 4",
    ),
    "one of several": (
        "Expected hidden[0] size (2, 3, 5), got [2, 3, 6]",
        "Expected hidden size (2, 3, 5), got [2, 3, 6]",
    ),
    "lists of NumPy": (
        "Computed output size would be zero or negative. Received kernel_size=[5 5]",
        "Computed output size would be zero or negative. Received kernel_size=[5 5 5]",
    ),
    "dimensionality": (
        "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [1, 2]",
        "Expected 2D (unbatched) or 3D (batched) input to conv1d, but got input of size: [7]",
    ),
    "dtypes": (
        "expected scalar type Float but found Double",
        "expected scalar type Half but found ComplexFloat",
    ),
    "dtypes as Python writes them": (
        "Expected a floating point tensor, but got torch.int64",
        "Expected a floating point tensor, but got torch.complex64",
    ),
    "C++ dtypes": (
        "mat1 and mat2 must have the same dtype, but got Float and Long",
        "mat1 and mat2 must have the same dtype, but got BFloat16 and c10::Half",
    ),
    "kernels": (
        "\"addmm_impl_cpu_\" not implemented for 'Half'",
        "\"baddbmm_impl\" not implemented for 'BFloat16'",
    ),
    "API before a colon": (
        "torch.linalg.eig: input tensor should not contain infs or NaNs.",
        "torch.linalg.eigvals: input tensor should not contain infs or NaNs.",
    ),
    "API that cannot": (
        "_foreach_norm cannot compute the infinity norm on an empty tensor",
        "linalg.vector_norm cannot compute the inf norm on an empty tensor",
    ),
    "API without its module": (
        "linalg.inv: A must be batches of square matrices, but they are 2 by 3 matrices",
        "linalg.det: A must be batches of square matrices, but they are 5 by 4 matrices",
    ),
    "internal assertion, file as the compiler saw it, line": (
        'groups > 0 INTERNAL ASSERT FAILED at "../aten/src/ATen/native/ConvUtils.h":12, please '
        "report a bug to PyTorch. groups must be positive, got 0",
        'groups > 0 INTERNAL ASSERT FAILED at "/build/pytorch/aten/src/ATen/native/ConvUtils.h":99'
        ", please report a bug to PyTorch. groups must be positive, got -3",
    ),
    "internal assertion, names of what a kernel is given": (
        'input.is_sparse() INTERNAL ASSERT FAILED at "../aten/src/ATen/A.cpp":12, please report',
        't_.is_sparse() INTERNAL ASSERT FAILED at "../aten/src/ATen/A.cpp":99, please report',
    ),
    "operators": (
        "Could not run 'aten::median' with arguments from the 'QuantizedCPU' backend.",
        "Could not run 'aten::kthvalue.values' with arguments from the 'QuantizedCPU' backend.",
    ),
    "lists of backends": (
        "'aten::median' is only available for these backends: [CPU, CUDA, Meta, BackendSelect]",
        "'aten::mode' is only available for these backends: [CPU, CUDA, HIP, MPS, XLA, Meta]",
    ),
    "addresses": (
        "invalid pointer 0x7f31c0a0 in storage",
        "invalid pointer 0xDEADBEEF in storage",
    ),
    "later lines": ("bad input\nException raised from a.cpp:1", "bad input\nraised from b.cpp:2"),
    "objects with their parts": (
        "Expected scale of Normal(loc: torch.Size([3]), scale: torch.Size([3])) to be positive",
        "Expected scale of HalfNormal() to be positive",
    ),
    "white space": ("bad   input", "bad\tinput"),
    "division by zero": ("float division by zero", "0.0 cannot be raised to a negative power"),
    "division of integers": ("integer division or modulo by zero", "division by zero"),
    "sizes by dimension": (
        "too large: padding_height: 0 padding_width: 2 stride_height: 1 stride_width: 1",
        "too large: padding_depth: 2 padding_height: 2 padding_width: 2"
        " stride_depth: 1 stride_height: 1 stride_width: 1",
    ),
    "sizes by letters": (
        "input image (H: 8 W: 1) smaller than kernel size (kH: 3 kW: 3)",
        "input image (T: 8 H: 1 W: 1) smaller than kernel size (kT: 3 kH: 3 kW: 3)",
    ),
}


DIFFERENT = {
    "what is wrong": (
        "non-positive groups is not supported",
        "non-positive stride is not supported",
    ),
    "the argument": (
        "conv2d(): argument 'stride' must be tuple of ints, not str",
        "conv2d(): argument 'padding' must be tuple of ints, not str",
    ),
    "the assertion's file": (
        'false INTERNAL ASSERT FAILED at "../aten/src/ATen/native/Copy.cpp":12, please report',
        'false INTERNAL ASSERT FAILED at "../aten/src/ATen/native/Sort.cpp":12, please report',
    ),
    "the assertion's condition": (
        'a.defined() INTERNAL ASSERT FAILED at "../aten/src/ATen/A.cpp":12, please report',
        'b.numel() INTERNAL ASSERT FAILED at "../aten/src/ATen/A.cpp":12, please report',
    ),
    "the backend": (
        "Could not run 'aten::median' with arguments from the 'QuantizedCPU' backend.",
        "Could not run 'aten::median' with arguments from the 'SparseCPU' backend.",
    ),
    "refused and not implemented": (
        "\"addmm_impl_cpu_\" not implemented for 'Half'",
        "addmm only supports 'Half'",
    ),
    "words with digits in them": ("mat1 is empty", "input1 is empty"),
    "nothing said": ("", "bad input"),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_what_legitimately_differs_between_siblings_is_abstracted(one, other):
    assert one != other
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_different_complaints_stay_different(one, other):
    assert normalise(one) != normalise(other)


@pytest.mark.parametrize("message", [pair[0] for pair in SAME.values()], ids=SAME)
def test_normalising_twice_changes_nothing(message):
    once = normalise(message)
    assert normalise(once) == once


def test_patterns_of_endless_messages_are_bounded():
    assert len(normalise("bad " * 10_000)) <= MAX_PATTERN


def test_first_line_skips_blank_ones():
    assert first_line("\n \n  a \nb") == "a"
    assert first_line("") == ""


@pytest.mark.parametrize(("message", "says"), WRAPPED)
def test_wrappers_are_taken_off(message, says):
    assert innermost(message) == says


TENSORFLOW = {
    "nodes": (
        "Dimensions must be equal, but are 3 and 2 for '{{node MatMul}} = MatMul[T=DT_FLOAT, "
        "transpose_a=false](x, x)' with input shapes: [2,3], [2,3].",
        "Dimensions must be equal, but are 4 and 5 for '{{node Mul}} = Mul[T=DT_HALF](a, b)' with "
        "input shapes: [2,4], [5,3].",
    ),
    "operators": (
        "cannot compute AddV2 as input #1(zero-based) was expected to be a float tensor but is a "
        "int32 tensor [Op:AddV2] name: ",
        "cannot compute Sub as input #1(zero-based) was expected to be a double tensor but is a "
        "half tensor [Op:Sub]",
    ),
    "attributes": (
        "Attr 'padding' of 'Conv2D' Op passed string 'NOPE' not in: \"SAME\", \"VALID\".",
        "Attr 'padding' of 'MaxPool3D' Op passed string 'NOPE' not in: \"SAME\", \"VALID\".",
    ),
    "layers": (
        'Input 0 of layer "dense_1" is incompatible with the layer: expected min_ndim=2',
        'Input 0 of layer "conv" is incompatible with the layer: expected min_ndim=3',
    ),
}


@pytest.mark.parametrize(("one", "other"), TENSORFLOW.values(), ids=list(TENSORFLOW))
def test_messages_of_tensorflow_up_to_what_differs(one, other):
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    "message",
    [
        "Graph execution error:\n" + "\n\n" * 100_000 + "!",
        "in user code:\n" + "  Error: " * 100_000,
        "Exception encountered when calling " * 10_000,
        "/" * 1_000_000,
        "a/" * 500_000,
        "a_" * 500_000,
        "[" * 1_000_000,
        "{{node " * 100_000,
    ],
    ids=["frames", "user code", "layers", "slashes", "paths", "words", "brackets", "nodes"],
)
def test_hostile_messages_are_done_with(message):
    assert len(normalise(message)) <= MAX_PATTERN


def test_what_is_left_of_a_long_message_is_its_end():
    frames = "".join(
        f'  File "/usr/lib/python3/site-packages/{n}.py", line {n}\n' for n in range(99)
    )
    wrapped = f"Graph execution error:\n\n{frames}\nindices[0] = 9\n"
    cut = Raised.from_json({"types": ["E"], "message": wrapped[:1000] + wrapped[-3000:]}).message
    assert first_line(wrapped) == first_line(cut) == "indices[0] = 9"


GRADCHECK = (
    "Jacobian mismatch for output 0 with respect to input 0,\n"
    "numerical:tensor([[nan, 0.],\n        [0., nan]], dtype=torch.float64)\n"
    "analytical:tensor([[inf, 0.],\n        [0., inf]], dtype=torch.float64)\n"
)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (GRADCHECK, (("numerical", "nan"), ("analytical", "inf"))),
        ("the info is\nnumerical: tensor([1., -2e-5])\n", (("numerical", "finite"),)),
        ("numerical tensor([nan])", ()),
        ("expected: (2, 3)", ()),
        ("a:tensor(" * 50_000, (("a", "finite"),)),
    ],
)
def test_the_tensors_that_a_message_labels(message, told):
    assert told_numbers(message) == told
