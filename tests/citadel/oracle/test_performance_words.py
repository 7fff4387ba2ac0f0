"""What the words of a report say of times and sizes."""

import math

import pytest

from citadel.oracle import wording
from harvest.report.growth import Growing, growing
from harvest.report.model import Report
from harvest.report.understand import understand

from .captured import captured


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("The running time grows quadratically.", Growing.FASTER_THAN_SIZE),
        ("It is O(n^2), it could be O(n).", Growing.FASTER_THAN_SIZE),
        ("cat in a loop scales badly", Growing.FASTER_THAN_SIZE),
        ("The time increases with the number of rows", Growing.FASTER_THAN_SIZE),
        ("Each step takes longer than the one before", Growing.AT_ALL),
        ("The runtime should be independent of the size of the tensor", Growing.AT_ALL),
        ("sort is slow; padding should be\nconstant", None),
        ("It takes 3 s. The results should not depend on the batch size.", None),
        ("the output is longer than the last dimension", None),
        ("memory is O(1)", None),
        ("GradScaler does not scale with inf check", None),
        ("F.interpolate does not scale", None),
        ("The loss is not linear in x", None),
        ("It does not scale with the number of rows", Growing.FASTER_THAN_SIZE),
        ("Sampling from the exponential distribution is slow", None),
        ("Dropout does not scale the output", None),
        ("The output is not linear", None),
        ("A quadratic form takes 3 s", None),
        ("The cost function is 3 times slower than the cubic one", None),
        ("cubic interpolation is slower than linear", None),
    ],
)
def test_words_of_growth(text, how):
    assert growing(text) is how


@pytest.mark.parametrize(
    ("one", "other", "title", "side"),
    [
        ("slow", "fast", "", 1),
        ("baseline", "mine", "", -1),
        ("t_half", "t_single", "half is much slower than single", 1),
        ("t_half", "t_single", "single is faster than half", 1),
        ("t_half", "t_single", "it takes long", 0),
    ],
)
def test_words(one, other, title, side):
    reading = understand(Report(source="r.md", title=title, body=""))
    assert wording.slow_side(one, other, reading) == side


@pytest.mark.parametrize(
    ("output", "side"),
    [
        ("loop:  0.5\nbatched: 2.25", 1),
        ("loop: 800 ms batched: 0.3 s", -1),
        ("loop: 1.5e-3\nloop: 1\nbatched: 2\nbatched: 3", 1),
        ("loop: 1\nbatched: 2\nloop: 3\nbatched: 2", 0),
        ("loop: 1", 0),
        ("batched: 4", 0),
        ("loop: much\nbatched: more", 0),
    ],
)
def test_pasted_numbers_tell_which_side_takes_more(output, side):
    body = f"```python\nimport torch\ntorch.ones(3).sort()\n```\n\nIt shows:\n\n```\n{output}\n```"
    reading = understand(Report(source="r.md", title="t", body=body))
    assert wording.pasted_side("batched:", "loop:", reading) == side
    assert wording.pasted_side(":", "loop:", reading) == 0


@pytest.mark.parametrize(
    ("title", "about"),
    [
        ("sort is 3x slower than in 1.12", True),
        ("Performance regression in sort", True),
        ("sort used to take 3 ms", True),
        ("sort is slower on v2.1.0", True),
        ("sort is 1.5 times slower than argsort", False),
        ("sort is slow", False),
        ("conv is 3x slower on CUDA 11.8", False),
        ("sort is slower with Python 3.10", False),
        ("sort takes longer than 1.5 s", False),
        ("Dropout with rate 0.5 is slow", False),
        ("the logistic regression example is slow", False),
        ("sort takes longer since torch 1.12", True),
    ],
)
def test_words_that_compare_versions(title, about):
    assert wording.about_versions(understand(Report(source="r.md", title=title, body=""))) == about


@pytest.mark.parametrize(
    ("text", "ratio"),
    [
        ("It is 7x slower.", 7),
        ("Ratios of 30 are typical, 2 times is common.", 30),
        ("a ratio of 1.0 is expected", None),
        ("It takes 10 times as long, a 2.5-fold increase.", 10),
        ("3\u00d7 slower", 3),
        ("I run it 1000 times, with a 7x7 kernel on 1024 x 1024 images.", None),
        ("nothing", None),
    ],
)
def test_stated_ratios(text, ratio):
    reading = understand(Report(source="r.md", title="", body=text))
    assert wording.stated(reading) == ratio


IN_WORDS = "import torch\nx = torch.rand(9)\ny = x.cumsum(0)  # slow\nz = x.sum()  # fast\n"


@pytest.mark.parametrize(
    ("ratio", "there"), [(1.0, False), (0.3, False), (1.4, False), (1.6, True), (9.0, True)]
)
def test_what_words_alone_compare_needs_a_larger_ratio(ratio, there):
    reading = understand(
        Report(source="r.md", title="cumsum is slow", body=f"```python\n{IN_WORDS}```\n")
    )
    code = reading.candidates[-1].code
    slow, fast = "min(slow_seconds)", "min(fast_seconds)"
    given = {slow: (ratio, "s"), fast: (1.0, "s"), f"{slow} / {fast}": (ratio, "ratio")}
    oracle = captured(code, given, title="no difference in speed, cumsum is 2x slower")
    assert (oracle.reproduces, oracle.equal) == (there, False)
    assert oracle.measure.stated
    assert oracle.needed >= math.log(1.5)
