"""Where strides are larger than windows, three dimensions on TensorFlow start at another element.

Padding SAME comes to less than nothing there, and TensorFlow's own kernels cut that off in 3-D; in
1-D and 2-D they do not. No fault is planted: this is the build as it is.
"""

import re
from types import SimpleNamespace

import pytest

from analysis.target.observation import Outcome
from harvest.sources.eagle.source import Eagle
from harvest.sources.model import HitKind, Search, Tally

pytestmark = [pytest.mark.tf, pytest.mark.slow]

SECONDS = 60.0
"""It takes five where nothing else runs."""
WRONG = {"tf.nn.conv3d", "tf.nn.max_pool3d", "tf.nn.avg_pool3d"}
TEMPLATES = """
import eagle_templates_tensorflow, eagle_tensorflow
from eagle_plans import Plan
plan = Plan(lambda names: (eagle_templates_tensorflow.entries(),), rounds=2)
eagle_tensorflow.PLANS = {"eager": plan}
"""
"""Only convolution, pooling and images."""


class OwnKernels:
    """A target whose sessions have TensorFlow's own kernels, whatever the processor: those of
    oneDNN are right."""

    def __init__(self, target):
        self.info = target.info
        self.target = target

    def session(self):
        session = self.target.session()
        session.ask_for({"TF_ENABLE_ONEDNN_OPTS": "0"})
        return session


@pytest.fixture(scope="module")
def own(tf_target):
    return OwnKernels(tf_target)


@pytest.fixture(scope="module")
def found(own):
    """All hits of one seed by rule and API, and what was covered."""
    tally = Tally()
    interpreter = SimpleNamespace(frameworks=("tensorflow",), target=lambda _: own)
    search = Search(
        interpreter=interpreter, budget=SECONDS, seed=0, tally=tally, progress=lambda: None
    )
    with pytest.MonkeyPatch.context() as patch:
        empty = SimpleNamespace(samples={})
        patch.setattr("harvest.sources.eagle.plans.load_or_build", lambda _: empty)
        hits = list(Eagle(planted=TEMPLATES, plans=("eager",)).generate(search))
    return {hit.key.removeprefix("tensorflow/"): hit for hit in hits}, tally


@pytest.fixture(scope="module")
def session(own):
    with own.session() as opened:
        yield opened


@pytest.mark.parametrize("api", sorted(WRONG))
def test_three_dimensions_pad_otherwise_than_told(found, session, api):
    hit = found[0][f"2/{api}"]
    assert (hit.kind, hit.limit) == (HitKind.INCONSISTENCY, "")
    seen = session.run(hit.case.code)
    assert seen.outcome is Outcome.EXCEPTION
    assert seen.exception.type == "AssertionError"


def test_fewer_dimensions_are_right(found):
    hits, tally = found
    low = {api.replace("3d", f"{rank}d") for api in WRONG for rank in (1, 2)}
    assert low <= tally.apis
    assert [key for key in hits if key.startswith("2/") and key[2:] not in WRONG] == []


def test_beside_it_only_what_compares_two_dimensions_with_three_differs(found):
    others = {key: hit for key, hit in found[0].items() if not key.startswith("2/")}
    assert [key for key in others if not key.startswith("3/tf.nn.")] == []
    for hit in others.values():
        assert re.search(r"result = tf\.squeeze\(\s*tf\.nn\.\w+3d\(", hit.case.code)
