"""What a process says before it dies, and what of that tells two crashes apart."""

import pytest

from citadel.oracle import status
from citadel.oracle.aborts import EXAMPLES, crash_state, last_words

STACK = """\
WARNING: All log messages before absl::InitializeLog() is called are written to STDERR
F0000 00:00:1795312223.712222       1 tensor_shape.cc:362] Check failed: d < dims() (4 vs. 4) \n\
*** Check failure stack trace: ***
    @     0x7fe0b21b34ad  pybind11::cpp_function::dispatcher()
Fatal Python error: Aborted
"""


@pytest.mark.parametrize(("line", "state"), EXAMPLES)
def test_crash_states(line, state):
    assert crash_state(line) == state
    assert crash_state(last_words(line)) == state


def test_the_reason_is_found_above_the_stack():
    words = last_words(STACK)
    assert words == "tensor_shape.cc:362] Check failed: d < dims() (4 vs. 4)"
    assert crash_state(words) == "tensor_shape.cc: Check failed: d < dims() (N vs. N)"


def test_damaged_memory_is_told_but_no_state():
    words = last_words("free(): invalid pointer\nFatal Python error: Aborted\n")
    assert words == "free(): invalid pointer"
    assert crash_state(words) is None


def test_a_process_that_says_nothing_has_no_last_words():
    assert last_words("Fatal Python error: Segmentation fault\n") is None
    assert crash_state(None) is None


def test_the_reason_outweighs_what_the_heap_says_later():
    assert "Check failed" in (last_words(STACK + "free(): invalid pointer") or "")


def test_crashes_of_one_signal_match_and_keep_their_states():
    one = status.crashes("SIGABRT", "a.cc:1] Check failed: x > 0 (0 vs. 0)")
    other = status.crashes("SIGABRT", "b.cc:1] Check failed: x > 0 (0 vs. 0)")
    assert status.matches(one, other)
    assert one.pattern != other.pattern
    assert one.to_json()["pattern"] == "a.cc: Check failed: x > N (N vs. N)"
