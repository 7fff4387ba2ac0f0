import pytest

from harvest.report.claims import chosen, find_claims
from harvest.report.markdown import read_markdown
from harvest.report.model import ClaimKind, ClaimSource

TRACE = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    f()\n'


def claims(title="t", body=""):
    return find_claims(title, read_markdown(body))


def fence(text):
    return f"```\n{text}\n```"


def raised(body):
    return [
        (claim.exception, claim.message) for claim in claims(body=body) if claim.source == "log"
    ]


TRACEBACKS = {
    "plain": (TRACE + "ValueError: no", "ValueError", "no"),
    "no message": (TRACE + "AssertionError", "AssertionError", None),
    "module": (TRACE + "a.b.errors_impl.NotFoundError: x", "NotFoundError", "x"),
    "private": (TRACE + "torch._C._LinAlgError: singular", "_LinAlgError", "singular"),
    "several lines": (TRACE + "RuntimeError: a\n  b\nc\n\nmore", "RuntimeError", "a\nb\nc"),
    "marks": (TRACE + "    ~^^^^\n[...]\nTypeError: x", "TypeError", "x"),
    "chained": (
        TRACE + "KeyError: 1\n\nDuring handling of the above exception, another exception"
        " occurred:\n\n" + TRACE + "ValueError: 2",
        "ValueError",
        "2",
    ),
    "chained without heads": (
        "  File 'a', line 1, in f\nKeyError: 1\n\nDuring handling of the above exception, another"
        " exception occurred:\n  File 'b', line 2, in g\nValueError: 2",
        "ValueError",
        "2",
    ),
    "chained, the first with a head": (
        TRACE + "KeyError: 1\n\nDuring handling of the above exception, another exception"
        " occurred:\n  File 'b', line 2, in g\nValueError: 2",
        "ValueError",
        "2",
    ),
    "wrapped": (
        TRACE + "a.InvalidArgumentError: Exception encountered when calling layer 'x'.\n\n"
        "inner words [Op:X]\n\nCall arguments:",
        "InvalidArgumentError",
        "Exception encountered when calling layer 'x'.\ninner words [Op:X]",
    ),
    "group": (
        "  + Exception Group Traceback (most recent call last):\n  |   File 'a', line 1\n"
        "  | ExceptionGroup: x (1 sub-exception)\n",
        "ExceptionGroup",
        "x (1 sub-exception)",
    ),
    "alone": ("RuntimeError: no kernel", "RuntimeError", "no kernel"),
    "test runner": ("E   RuntimeError: no kernel", "RuntimeError", "no kernel"),
    "session": (">>> f()\n" + TRACE + "ValueError: no\n>>> ", "ValueError", "no"),
}


@pytest.mark.parametrize(
    ("text", "exception", "message"), TRACEBACKS.values(), ids=TRACEBACKS.keys()
)
@pytest.mark.parametrize("place", ["fence", "comment"])
def test_pasted_tracebacks(text, exception, message, place):
    if place == "comment":
        text = "import torch\ntorch.f()\n" + "\n".join(f"# {line}" for line in text.split("\n"))
    assert raised(fence(text))[:1] == [(exception, message)]


def test_tracebacks_in_the_text():
    assert raised("It says\n\n" + TRACE + "ValueError: no\n\nwhich is odd") == [
        ("ValueError", "no")
    ]


@pytest.mark.parametrize(
    ("line", "signal"),
    [
        ("Segmentation fault (core dumped)", "SIGSEGV"),
        ("Fatal Python error: Segmentation fault", "SIGSEGV"),
        ("Process finished with exit code 139 (interrupted by signal 11: SIGSEGV)", "SIGSEGV"),
        ("exit code: -11", "SIGSEGV"),
        ("[1]    123 segmentation fault  python a.py", "SIGSEGV"),
        ("Floating point exception", "SIGFPE"),
        ("exited with code 136", "SIGFPE"),
        ("Aborted (core dumped)", "SIGABRT"),
        ("F tensorflow/core/a.cc:7] Check failed: a == b (1 vs. 2)", "SIGABRT"),
        ("terminate called after throwing an instance of 'c10::Error'", "SIGABRT"),
        ("Fatal Python error: Aborted", "SIGABRT"),
        ("double free or corruption (!prev)", "SIGABRT"),
        ("Bus error", "SIGBUS"),
        ("Illegal instruction (core dumped)", "SIGILL"),
        ("Killed", "SIGKILL"),
    ],
)
def test_crashes_in_logs(line, signal):
    (claim,) = claims(body=fence(line))
    assert (claim.kind, claim.source, claim.signal) == (ClaimKind.CRASHES, ClaimSource.LOG, signal)


@pytest.mark.parametrize(
    ("line", "exception", "message"),
    [
        ('torch.half -> RuntimeError "f" not implemented', "RuntimeError", '"f" not implemented'),
        ("torch.half => a.TypeError: no kernel", "TypeError", "no kernel"),
        ("a.py::test_f - RuntimeError: no kernel", "RuntimeError", "no kernel"),
        ("cpu: RuntimeError: no kernel", "RuntimeError", "no kernel"),
        ("ERROR RuntimeError: no kernel", "RuntimeError", "no kernel"),
        ("Caught exception: ValueError no kernel", "ValueError", "no kernel"),
        ("x -> ValueError('no kernel')", "ValueError", "'no kernel')"),
        (
            "FAILED: mul(): argument 'other' must be Tensor",
            None,
            "mul(): argument 'other' must be Tensor",
        ),
        ("Error: no kernel", None, "no kernel"),
        ("torch.half -> Error: no kernel", None, "no kernel"),
    ],
)
@pytest.mark.parametrize("place", ["fence", "comment"])
def test_failures_that_a_program_printed(line, exception, message, place):
    text = f"tensor(3)\n{line}" if place == "fence" else f"import torch\ntorch.f()\n# {line}"
    (claim,) = claims(body=fence(text))
    assert (claim.kind, claim.source) == (ClaimKind.RAISES, ClaimSource.LOG)
    assert (claim.exception, claim.message) == (exception, message)


@pytest.mark.parametrize(
    "line",
    [
        "Max error: 0.25",
        "Error: 1e-3 0.5",
        "expected -> ValueError: no",
        "no error: RuntimeError never came",
        "ERROR: test_f (a.Test)",
        "Got: tensor([1, 2])",
        "except RuntimeError as e:",
    ],
)
def test_lines_that_record_no_failure(line):
    assert claims(body=fence(f"tensor(3)\n{line}")) == ()


def test_a_printed_failure_may_fill_a_fence_of_its_own():
    told = "FAILED: mul(): argument 'other' (position 1) must be Tensor, not tuple"
    (claim,) = claims(body=fence(told))
    assert claim.source is ClaimSource.LOG


def test_a_crash_is_no_printed_failure():
    (claim,) = claims(body=fence("Error: Segmentation fault (core dumped)"))
    assert (claim.kind, claim.signal) == (ClaimKind.CRASHES, "SIGSEGV")


def test_a_message_alone_is_kept_beside_a_named_exception():
    found = claims("f raises TypeError", fence("tensor(3)\nFAILED: no kernel"))
    assert [(claim.exception, claim.message) for claim in found] == [
        (None, "no kernel"),
        ("TypeError", None),
    ]


@pytest.mark.parametrize(
    ("title", "is_value"),
    [
        ("f accepts a negative size", True),
        ("f accepts out-of-range indices", True),
        ("invalid values of p are accepted by f", True),
        ("f accepts any value for p", True),
        ("f accepts k=-1", True),
        ("f accepts `n = 0`", True),
        ("f accepts a threshold of -3", True),
        ("f accepts unsorted boundaries", True),
        ("f accepts k=-10", True),
        ("f accepts kernel_size=(-1, 2)", True),
        ("f accepts an index of any value", True),
        ("f accepts axis=0 in numpy", False),
        ("f accepts k=-1 as numpy", False),
        ("numpy accepts k=-1", False),
        ("f accepts index -1", False),
        ("f accepts dim=-1", False),
        ("f accepts a tensor of shape (-1, 2)", False),
        ("f accepts a tuple (2, -1)", False),
        ("f accepts axis=0", False),
        ("f accepts k=3", False),
        ("f no longer accepts k=1", False),
        ("f accepts k=v only", False),
        ("f accepts a scalar", False),
        ("f accepts `dtype=torch.cfloat` and cannot run", False),
        ("f: results mismatch", True),
        ("mismatch between CPU and GPU", True),
        ("f: dtype mismatch", False),
        ("size mismatch for weight", False),
    ],
)
def test_what_is_accepted_and_what_mismatches_counts(title, is_value):
    assert any(claim.kind is ClaimKind.VALUE for claim in claims(title)) is is_value


def test_what_code_does_is_no_claim():
    code = "import torch, os, signal\nos.kill(0, signal.SIGSEGV)\nprint('ValueError: x')"
    assert claims(body=fence(code)) == ()


@pytest.mark.parametrize(
    ("title", "kind", "signal"),
    [
        ("f segfaults on empty input", ClaimKind.CRASHES, "SIGSEGV"),
        ("`Floating point exception` in f", ClaimKind.CRASHES, "SIGFPE"),
        ("f aborts", ClaimKind.CRASHES, "SIGABRT"),
        ("f crashes", ClaimKind.CRASHES, None),
        ("f dumps core", ClaimKind.CRASHES, None),
        ("f hangs forever", ClaimKind.HANGS, None),
        ("deadlock in f", ClaimKind.HANGS, None),
        ("f returns wrong results", ClaimKind.VALUE, None),
        ("f silently ignores x", ClaimKind.VALUE, None),
        ("f gives nan", ClaimKind.VALUE, None),
        ("f and g disagree", ClaimKind.VALUE, None),
        ("f returns a tensor with a negative dimension", ClaimKind.VALUE, None),
        ("f returns 1 instead of 2", ClaimKind.VALUE, None),
        ("f truncates whole numbers", ClaimKind.VALUE, None),
        ("f is 3x slower than g", ClaimKind.PERFORMANCE, None),
        ("numpy is much faster than f", ClaimKind.PERFORMANCE, None),
        ("memory leak in f", ClaimKind.PERFORMANCE, None),
        ("f is not implemented for Half", ClaimKind.RAISES, None),
    ],
)
def test_words_of_the_title(title, kind, signal):
    claim = claims(title)[0]
    assert (claim.kind, claim.source, claim.signal) == (kind, ClaimSource.TITLE, signal)


def test_an_internal_assert_is_a_runtime_error():
    assert claims("INTERNAL ASSERT FAILED in f")[0].exception == "RuntimeError"


@pytest.mark.parametrize(
    "sentence",
    [
        "I would expect a ValueError.",
        "I expect [1.5, 4.0] or an error.",
        "It should raise a TypeError",
        "There is no crash.",
        "It does not hang",
        "The last window hangs over the edge",
        "f(x) instead of crashing",
    ],
)
def test_wishes_and_negations_are_no_claims(sentence):
    assert claims(body=sentence) == ()


def test_an_exception_that_is_named_counts():
    assert claims("f raises TypeError")[0].exception == "TypeError"


@pytest.mark.parametrize("quote", ["`", '"'])
def test_the_message_of_a_quoted_exception(quote):
    (claim,) = claims(body=f"It crashes with {quote}RuntimeError: f(): no kernel{quote} here.")
    assert (claim.exception, claim.message) == ("RuntimeError", "f(): no kernel")


def test_an_interrupt_tells_of_a_hang():
    (claim,) = claims(body=fence(TRACE + "KeyboardInterrupt"))
    assert claim.kind is ClaimKind.HANGS


def test_a_failed_comparison_is_a_value_claim_too():
    found = claims(body=fence(TRACE + "AssertionError: Tensor-likes are not close!"))
    assert [claim.kind for claim in found] == [ClaimKind.RAISES, ClaimKind.VALUE]


def test_logs_come_before_title_and_body_and_other_versions_last():
    body = f"Old versions crashed with a segfault. It is slow.\n{fence(TRACE + 'ValueError: x')}"
    found = claims("f hangs", body)
    assert [claim.kind for claim in found] == [
        ClaimKind.RAISES,
        ClaimKind.HANGS,
        ClaimKind.PERFORMANCE,
        ClaimKind.CRASHES,
    ]


def test_each_claim_is_made_once():
    log = fence(TRACE + "ValueError: 1\n\n" + TRACE + "ValueError: 2")
    assert len(claims("f raises ValueError", log)) == 1


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("f doesn't work correctly for wide tensors", ClaimKind.VALUE),
        ("f doesn't work for wide tensors", ClaimKind.RAISES),
        ("f does not check for negative indices", ClaimKind.VALUE),
        ("f returns garbage, with the exception of zeros", ClaimKind.VALUE),
        ("Latency issue with f", ClaimKind.PERFORMANCE),
        ("Performance regression in f since 2.0", ClaimKind.PERFORMANCE),
        ("The time of f is an order of magnitude more than that of g", ClaimKind.PERFORMANCE),
        ("max-norm: norm(x, inf) an order of magnitude behind abs().amax()", ClaimKind.PERFORMANCE),
        ("torch.std returns tensor(nan) for one element", ClaimKind.VALUE),
        ("CTC loss becomes loss(nan)", ClaimKind.VALUE),
        ("norm(x, 2) gives inf", ClaimKind.VALUE),
        ("inplace=True has no effect on the memory that f uses", ClaimKind.PERFORMANCE),
        ("alpha has no effect on f", ClaimKind.VALUE),
        ("f allocates twice as much memory with inplace=True", ClaimKind.PERFORMANCE),
        ("Overflow error in torch.f", ClaimKind.RAISES),
        ("There is a calculation error in f", ClaimKind.VALUE),
        ("f has a large relative error for small inputs", ClaimKind.VALUE),
        ("f: an error for small inputs", ClaimKind.RAISES),
    ],
)
def test_kinds_of_titles(title, kind):
    assert [claim.kind for claim in find_claims(title, read_markdown(""))] == [kind]


def test_an_error_that_nobody_notices_is_none():
    assert find_claims("Overflow error in torch.f uncaught", read_markdown("")) == ()


@pytest.mark.parametrize(
    ("title", "body", "raises"),
    [
        ("compile: pow returns 0, eager raises", "", False),
        ("inductor returns 0", "In eager mode `pow(x, -1)` raises `RuntimeError: no`.", False),
        ("inductor returns 0", "In eager mode it raises RuntimeError, no error compiled.", False),
        ("eager raises", "", True),  # nothing else is spoken of
        ("torch.compile raises, eager does not", "", True),
        ("compile: eager passes but inductor raises", "", True),
        ("unravel_index wraps around", "NumPy raises `ValueError: index 7`.", False),
        ("unravel_index wraps around", "np.unravel_index throws an exception.", False),
        ("f is no error on CUDA", "On CPU f raises `RuntimeError: ZeroDivisionError`.", False),
        ("f is no error on the CPU", "On CUDA f raises RuntimeError.", False),
        ("f is wrong on CUDA", "On CUDA f raises RuntimeError.", True),
        ("f is wrong", "On CPU f raises RuntimeError.", True),
        ("CUDA f regression (works on CPU)", "On CUDA it raises RuntimeError.", True),
        ("CUDA f regression (works on CPU)", "On the CPU f raises RuntimeError.", False),
        ("f crashes on CUDA", "running the script on CPU raises IndexError, too", True),
        ("f with index on GPU", "A tensor on CPU raises `RuntimeError: no`.", True),
        ("f is not the same on CPU and on CUDA", "On CPU f raises RuntimeError.", True),
        ("Converting to numpy raises TypeError", "", True),
        ("numpy scalars raise TypeError", "", True),
    ],
)
def test_what_a_reference_raises_is_no_claim(title, body, raises):
    assert any(one.kind is ClaimKind.RAISES for one in claims(title, body)) is raises


def test_what_gradcheck_says_is_its_error_though_only_the_message_is_printed():
    said = "Jacobian computed with forward mode mismatch for output 1 with respect to input 0,"
    assert raised(fence(f"{said}\nnumerical:tensor([[1.]])\nanalytical:tensor([[2.]])")) == [
        ("GradcheckError", None)
    ]
    told = claims(body=fence(TRACE + "torch.autograd.gradcheck.GradcheckError: " + said))
    assert [claim.exception for claim in told] == ["GradcheckError"]


@pytest.mark.parametrize(
    ("heading", "told"),
    [("Versions", 0), ("**Environment info:**", 0), ("Versions that fail", 1), ("Error", 1)],
)
def test_what_fails_while_versions_are_listed_is_not_the_bug(heading, told):
    body = f"f is wrong.\n\n### {heading}\n\n{fence(TRACE + 'AttributeError: no splitlines')}"
    assert len(raised(body)) == told


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("### Issue type\n\nPerformance\n\n### Source\n\nbinary", ["performance"]),
        ("**Issue Type**\r\n\r\nPerformance\r\n", ["performance"]),
        ("### Issue type\n\nBug\n\n### Performance\n", []),
    ],
)
def test_what_is_chosen_in_a_form_counts_last(body, kinds):
    assert [claim.kind for claim in chosen(body, ())] == kinds
    (slow,) = claims("f is slow")
    assert chosen(body, (slow,)) == (slow,)


def test_more_than_a_number_of_times_slower_is_slower():
    (slow,) = claims("tf.pow(x, 2.0) is more than 10 times slower than x * x")
    assert slow.kind is ClaimKind.PERFORMANCE
    assert not claims("the second call is no worse than the slow one")


SURVIVED = "lu_solve [2, 1]\n  RuntimeError: wrong pivots\nldl_solve [2, 1]\nSegmentation fault\n"


def test_exceptions_that_the_code_prints_before_it_dies_are_not_what_is_reported():
    first, second = claims(body=fence(SURVIVED))
    assert (first.signal, second.exception) == ("SIGSEGV", "RuntimeError")
    last = "(with 1.9: Segmentation fault)"
    assert claims(body=fence(SURVIVED.replace("Segmentation fault", last)))[0].exception is not None
    traced = SURVIVED.replace("  RuntimeError", TRACE + "RuntimeError")
    assert claims(body=fence(traced))[0].exception == "RuntimeError"


def test_what_would_be_better_is_wished_for_and_does_not_happen():
    (claim,) = claims("schedule gives NaN", "A ValueError would be better than 0 / 0.")
    assert claim.kind is ClaimKind.VALUE
    (_, raised) = claims("schedule gives NaN", "It ends in a ValueError. NaN is better than that.")
    assert raised.exception == "ValueError"
