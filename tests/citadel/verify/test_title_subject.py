"""Who is to blame where the title tells whose result crashed another call."""

import signal

import pytest

from analysis.target.observation import Observation, Outcome
from citadel.verify.culprit import culprit
from harvest.report.mentions import find_mentions

GIVEN_TO = "Bad pointers given to sparse_csc_tensor crash the process in to_dense()"


@pytest.mark.parametrize(
    ("title", "blamed"),
    [
        (GIVEN_TO, "torch.sparse_csc_tensor"),
        ("to_dense() crashes for the result of sparse_csc_tensor", "torch.to_dense"),
        ("sparse_csc_tensor: to_dense() crashes", "torch.to_dense"),
        ("Some torch.rand make the process crash in to_dense()", "torch.to_dense"),
    ],
)
def test_what_a_title_is_about(title, blamed, api, call, catalog, numbered):
    names = ("torch.rand", "torch.sparse_csc_tensor", "torch.to_dense")
    known = catalog(*(api(name, "input: Tensor") for name in names))
    random, sparse = numbered(1), numbered(2)
    calls = (
        call("torch.rand", number=1, result=random),
        call("torch.sparse_csc_tensor", random, number=2, result=sparse),
        call("torch.to_dense", sparse, number=3),
    )
    died = Observation(outcome=Outcome.SIGNAL, code=signal.SIGSEGV, calls=calls)
    found = culprit(died, known, find_mentions(title, ""))
    assert found is not None
    assert found[1].name == blamed
