"""Symptoms of runs: captured, compared, and told from what they only look like."""

import signal

import pytest

from analysis.target.observation import Frame, Observation, Outcome, Raised
from analysis.target.session import Limits
from citadel.model import Symptom, SymptomKind
from citadel.oracle import status

TILE = "The input data type is not supported, DataType : uint16, Dimension : 4"
HANGS = Symptom(kind=SymptomKind.HANGS)


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
        # Damaged memory ends a process in one way or another.
        (status.crashes("SIGSEGV"), status.crashes("SIGABRT", "free(): invalid size"), True),
        (status.crashes("SIGABRT", "corrupted size vs. prev_size"), status.crashes("SIGBUS"), True),
        (status.crashes("SIGSEGV"), status.crashes("SIGABRT", "Check failed: x"), False),
        (status.crashes("SIGFPE"), status.crashes("SIGABRT", "free(): invalid size"), False),
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
    ("one", "other", "same"),
    [
        ("negative dimension -3: [2, -3]", "negative dimension -3: [2, -3]", True),
        ("negative dimension -3: [2, -3]", "negative dimension -3: [4, -3]", False),
        ("expected 4097 channels", "expected 4097 channels", True),
        ("size 3 must match size 2", "size 3 must match size 2", False),
        ("range 1-3", "range 1-3", False),
        (TILE, TILE, True),
        (TILE, TILE.replace("uint16", "int8"), False),
    ],
)
def test_numbers_that_few_calls_have(one, other, same):
    found = status.names_the_same(status.raises("E", one), status.raises("E", other))
    assert found is same


@pytest.mark.parametrize(
    "message",
    [
        "non-positive groups is not supported",
        "probability has to be between 0 and 1",
        "Internal error: the sizes of NestedTensorImpl must match. Please file an issue.",
    ],
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
        (status.raises("RuntimeError", "Internal error: no sizes. Please file an issue."), True),
        (status.raises("RuntimeError", "non-positive groups is not supported"), False),
        (status.raises("RuntimeError", ""), False),
    ],
)
def test_what_the_framework_calls_its_own_fault(symptom, fault):
    assert status.internal(symptom) is fault


def test_operators_without_any_kernel_for_this_device_are_told_from_those_without_this_one():
    head = "Could not find device for node: X = X[T=DT_INT64]\nAll kernels registered for op X:\n"
    assert status.no_kernel_here(head + "  device='TPU'; T in [DT_FLOAT]\n")
    assert not status.no_kernel_here(head + "  device='CPU'; T in [DT_FLOAT]\n")
    assert not status.no_kernel_here("Could not find device for node: X")


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


@pytest.mark.parametrize(
    "message",
    [
        "gradient registry has no entry for: {}",
        "Detected unsupported operations when trying to compile graph __inference_f_{n}[_Xla=true]"
        " on XLA_CPU_JIT: {} (No registered '{}' OpKernel for XLA_CPU_JIT devices compatible with"
        " node {{{{node {}}}}}){{{{node {}}}}}",
    ],
)
def test_operators_without_a_gradient_or_a_kernel_lack_the_same(message):
    names = ("AdjustHue", "Lu")
    one, other = (
        status.raises("LookupError", message.format(*[name] * 4, n=n))
        for n, name in enumerate(names)
    )
    assert one.pattern == other.pattern
    assert not any(name in one.pattern for name in names)


def test_which_kind_of_list_an_index_goes_beyond_is_all_one():
    told = [f"{kind} index out of range" for kind in ("list", "tuple", "string")]
    one, *others = (status.raises("IndexError", message) for message in told)
    assert all(status.matches(one, other) for other in others)
    alone = status.raises("IndexError", "pop from empty list")
    assert not status.matches(one, alone)


def test_a_message_may_name_a_parameter_as_the_sibling_calls_it():
    one = status.raises("ValueError", "Two unknown sizes in `newshape`. Received: newshape=(-1,)")
    other = status.raises("ValueError", "Two unknown sizes in `shape`. Received: shape=(-1,)")
    apis = ("keras.ops.reshape", "keras.layers.Reshape")
    assert not status.matches(one, other, apis)
    assert status.matches(one, other, apis, [("newshape", "shape")])
    assert not status.matches(one, other, apis, [("newshape", "size")])


@pytest.mark.parametrize(
    ("other", "same"), [("_pdist_forward", True), ("pdist", True), ("_cdist_backward", False)]
)
def test_a_message_may_name_the_forward_function_of_an_api(other, same):
    said = "Trying to use forward AD with {} that does not support it."
    wanted = status.raises("NotImplementedError", said.format("_cdist_forward"))
    seen = status.raises("NotImplementedError", said.format(other))
    assert status.matches(wanted, seen, ("torch.cdist", "torch.nn.functional.pdist")) == same


def test_what_hangs_is_not_waited_for_in_full_again():
    limits = Limits(wall=30.0)
    assert status.once_more(limits, HANGS).wall == status.HANGS_AGAIN
    assert status.once_more(Limits(wall=3.0), HANGS).wall == 3.0
    assert status.once_more(limits, status.crashes("SIGSEGV")) == limits
    assert status.once_more(limits, None) == limits
