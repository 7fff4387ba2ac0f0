"""The status oracle, on messages that PyTorch really gives."""

import signal

import pytest

from analysis.target.observation import Frame, Observation, Outcome, Raised
from citadel.model import Symptom, SymptomKind
from citadel.oracle import status
from citadel.oracle.messages import MAX_PATTERN, WRAPPED, first_line, innermost, normalise

HANGS = Symptom(kind=SymptomKind.HANGS)

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


def observation(outcome, **fields):
    return Observation(outcome=outcome, **fields)


def test_an_exception_is_captured_by_its_class_and_first_line():
    raised = Raised(types=("ValueError", "Exception"), message="\n  bad width 3\nmore")
    symptom = status.capture(observation(Outcome.EXCEPTION, exception=raised))
    assert symptom == status.raises("ValueError", "bad width 3")
    assert (symptom.exception, symptom.message) == ("ValueError", "bad width 3")
    assert symptom.pattern == "bad width N"


def test_frames_do_not_matter():
    frames = (Frame(file="case.py", line=1, function="<module>"),)
    bare = Raised(types=("ValueError",), message="bad")
    framed = Raised(types=("ValueError",), message="bad", frames=frames)
    assert status.of_raised(bare) == status.of_raised(framed)


def test_a_crash_is_captured_with_the_last_words():
    stderr = "noise\nterminate called after throwing an instance of 'c10::Error'\nFatal Python"
    seen = observation(Outcome.SIGNAL, code=signal.SIGABRT, stderr=stderr)
    symptom = status.capture(seen)
    assert (symptom.kind, symptom.signal) == (SymptomKind.CRASHES, "SIGABRT")
    assert symptom.message.startswith("terminate called")


def test_a_silent_crash_has_no_last_words():
    symptom = status.capture(observation(Outcome.SIGNAL, code=signal.SIGFPE, stderr="noise"))
    assert (symptom.signal, symptom.message) == ("SIGFPE", None)


def test_a_timeout_is_captured_as_a_hang():
    assert status.capture(observation(Outcome.TIMEOUT)) == HANGS


@pytest.mark.parametrize(
    "outcome",
    sorted(set(Outcome) - {Outcome.EXCEPTION, Outcome.SIGNAL, Outcome.TIMEOUT}),
)
def test_other_ends_are_no_symptom(outcome):
    raised = Raised(types=("ValueError",), message="caught long before")
    assert status.capture(observation(outcome, exception=raised, code=1)) is None


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGXFSZ])
def test_signals_that_come_from_outside_are_no_crash(sent):
    assert status.capture(observation(Outcome.SIGNAL, code=sent)) is None


@pytest.mark.parametrize(
    ("wanted", "seen", "same"),
    [
        (status.raises("ValueError", "bad 3"), status.raises("ValueError", "bad 4"), True),
        (status.raises("ValueError", "bad 3"), status.raises("TypeError", "bad 3"), False),
        (status.raises("ValueError", "bad 3"), status.raises("ValueError", "worse 3"), False),
        (
            status.raises("torch.OutOfMemoryError", "a"),
            status.raises("OutOfMemoryError", "a"),
            True,
        ),
        (status.raises("ValueError", "bad"), status.crashes("SIGSEGV"), False),
        (status.raises("ValueError", "bad"), None, False),
        (status.crashes("SIGSEGV"), status.crashes("SIGSEGV", "Check failed: x"), True),
        (status.crashes("SIGSEGV"), status.crashes("SIGFPE"), False),
        (status.crashes("SIGSEGV"), HANGS, False),
        (status.crashes(), status.crashes("SIGFPE"), True),
        (status.crashes(), status.raises("RuntimeError", "crash"), False),
        (HANGS, HANGS, True),
        (HANGS, None, False),
    ],
)
def test_matches(wanted, seen, same):
    assert status.matches(wanted, seen) is same


@pytest.mark.parametrize(
    ("exception", "message"),
    [
        ("TypeError", "conv1d() got an unexpected keyword argument 'foo'"),
        ("TypeError", "add(): argument 'other' (position 2) must be Tensor, not str"),
        ("TypeError", "stack(): argument 'tensors' (position 1) must be tuple of Tensors, not int"),
        ("TypeError", "add() received an invalid combination of arguments - got (int), but expect"),
        ("TypeError", "forward() missing 1 required positional argument: 'input'"),
        ("TypeError", "forward() takes 2 positional arguments but 3 were given"),
        ("TypeError", "Tensor.abs() takes no arguments (1 given)"),
        ("TypeError", 'dot() missing 1 required positional arguments: "tensor"'),
        ("TypeError", "f() got multiple values for argument 'input'"),
        ("TypeError", "'Tensor' object is not callable"),
        ("TypeError", "unsupported operand type(s) for *: 'NoneType' and 'int'"),
        ("AttributeError", "'Tensor' object has no attribute 'foo'"),
        ("RuntimeError", "aten::foo() expected at most 2 argument(s) but received 3 argument(s)."),
        ("RuntimeError", "aten::foo() is missing value for argument 'bar'."),
        ("RuntimeError", "Unknown keyword argument 'foo' for operator 'aten::add'."),
    ],
)
def test_calls_written_wrongly_are_recognised(exception, message):
    assert status.refuses_arguments(status.raises(exception, message))


@pytest.mark.parametrize(
    ("exception", "message"),
    [
        ("RuntimeError", "non-positive groups is not supported"),
        ("ValueError", "groups must be a positive integer"),
        ("IndexError", "Dimension out of range (expected to be in range of [-1, 0], but got 5)"),
        ("RuntimeError", "The size of tensor a (3) must match the size of tensor b (4)"),
        ("KeyError", "unexpected keyword argument"),
    ],
)
def test_failures_of_the_api_itself_are_no_refusal_of_arguments(exception, message):
    assert not status.refuses_arguments(status.raises(exception, message))


@pytest.mark.parametrize("symptom", [HANGS, status.crashes("SIGSEGV", "has no attribute")])
def test_only_exceptions_refuse_arguments(symptom):
    assert not status.refuses_arguments(symptom)
    assert not status.complains_about_tensors(symptom)


@pytest.mark.parametrize(
    "message",
    [
        "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
        "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)",
        "expected scalar type Float but found Double",
        "1D tensors expected, but got 2D and 2D tensors",
        "Expected all tensors to be on the same device",
        "only Tensors of floating point dtype can require gradients",
    ],
)
def test_complaints_about_tensors_are_recognised(message):
    assert status.complains_about_tensors(status.raises("RuntimeError", message))


@pytest.mark.parametrize(
    "message", ["non-positive groups is not supported", "probability has to be between 0 and 1"]
)
def test_complaints_about_scalars_are_not_about_tensors(message):
    assert not status.complains_about_tensors(status.raises("RuntimeError", message))


@pytest.mark.parametrize(
    ("symptom", "fault"),
    [
        (status.crashes("SIGSEGV"), True),
        (HANGS, True),
        (status.raises("RuntimeError", 'x INTERNAL ASSERT FAILED at "a/b.cpp":1, please'), True),
        (status.raises("RuntimeError", "Check failed: a == b"), True),
        (status.raises("RuntimeError", "Please report a bug to PyTorch."), True),
        (status.raises("RuntimeError", "non-positive groups is not supported"), False),
        (status.raises("RuntimeError", ""), False),
    ],
)
def test_what_the_framework_calls_its_own_fault(symptom, fault):
    assert status.internal(symptom) is fault


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


def test_operators_without_any_kernel_for_this_device_are_told_from_those_without_this_one():
    head = "Could not find device for node: X = X[T=DT_INT64]\nAll kernels registered for op X:\n"
    assert status.no_kernel_here(head + "  device='TPU'; T in [DT_FLOAT]\n")
    assert not status.no_kernel_here(head + "  device='CPU'; T in [DT_FLOAT]\n")
    assert not status.no_kernel_here("Could not find device for node: X")


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


@pytest.mark.parametrize(
    "line",
    [
        "F0000 00:00:1795294338.591333       1 tensor_shape.cc:362] Check failed: d < dims()",
        "2026-11-21 20:54:01.123456: F tensor_shape.cc:362] Check failed: d < dims()",
        "tensor_shape.cc:362] Check failed: d < dims()",
    ],
)
def test_last_words_are_the_same_at_any_time(line):
    assert status.last_words(line) == "tensor_shape.cc:362] Check failed: d < dims()"


def test_missing_kernels_are_one_symptom_whatever_attributes_the_operators_have():
    message = "Could not find device for node: {{{{node {0}}}}} = {0}[{1}]\nAll kernels registered"
    symptoms = [
        status.raises("NotFoundError", message.format(name, attributes))
        for name, attributes in (
            ("RealDiv", "T=DT_INT64"),
            ("MaxPool3D", 'T=DT_HALF, ksize=[1, 2, 2, 2, 1], padding="SAME", strides=[1, 1, 1]'),
            ("Empty", "T=DT_HALF, shapes=[], types=[DT_INT8]"),
        )
    ]
    assert {symptom.pattern for symptom in symptoms} == {"Could not find device for node: NODE"}
    assert all(status.unavailable(symptom) for symptom in symptoms)


@pytest.mark.parametrize(
    ("message", "wanted", "another"),
    [
        ("indices[0,3] = 4 is not in [0, 4)", "indices[1] = 9 is not in [0, 5)", True),
        ("indices[0,3] = 9 is not in [0, 4)", "indices[1] = 9 is not in [0, 5)", False),
        ("index 3 is out of bounds for axis 0", "index 7 is out of bounds for axis 1", True),
        ("index out of range in self", "index 7 is out of bounds", False),
        ("value 3.5 was out of range", "value 3.5 was out of range", False),
    ],
)
def test_complaints_about_a_value_that_is_not_the_reports(message, wanted, another):
    seen, told = status.raises("IndexError", message), status.raises("IndexError", wanted)
    assert status.complains_about_another_value(seen, told) == another


def test_a_message_may_name_a_parameter_as_the_sibling_calls_it():
    one = status.raises("ValueError", "Two unknown sizes in `newshape`. Received: newshape=(-1,)")
    other = status.raises("ValueError", "Two unknown sizes in `shape`. Received: shape=(-1,)")
    apis = ("keras.ops.reshape", "keras.layers.Reshape")
    assert not status.matches(one, other, apis)
    assert status.matches(one, other, apis, [("newshape", "shape")])
    assert not status.matches(one, other, apis, [("newshape", "size")])
