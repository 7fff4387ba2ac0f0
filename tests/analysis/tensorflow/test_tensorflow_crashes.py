"""Calls that kill the process of a real TensorFlow build: which they are, and whether alone."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from analysis.dynamic.confirm import confirmed
from analysis.dynamic.model import CrashCandidate
from analysis.dynamic.run import Job, run_part

SEARCHED = "tf.raw_ops.CropAndResizeGradBoxes"
"""Dies late in the search: in a block of calls that is told as a whole."""
ONEDNN = {"TF_ENABLE_ONEDNN_OPTS": "1"}
"""Kernels that are the usual ones on some processors only: they check less."""


@pytest.fixture(scope="module")
def part(session):
    names = [["tf.raw_ops.Conv2DBackpropFilter"], [SEARCHED], ["tf.raw_ops.Relu"]]
    job = Job(task="synthesis_tensorflow:profile", given={"names": names}, known={})
    session.ask_for(ONEDNN)
    yield run_part(session, job, progress=lambda _done, _all: None)
    session.ask_for({})


def records(part, api):
    return [
        {"api": api, "names": [api], "sample": key, "how": how, "text": part.calls[key]}
        for key, how in part.deaths.items()
        if key in part.calls and key.startswith(api + "#")
    ]


@pytest.mark.parametrize("api", ["tf.raw_ops.Conv2DBackpropFilter", SEARCHED])
def test_the_culprit_is_known_and_does_it_alone(part, session, api):
    with ThreadPoolExecutor(1) as pool:
        found = confirmed("tensorflow", records(part, api), [session], pool, lambda *_: None)
    alone = [item for item in found if item["alone"]]  # on a busy machine others may seem to hang
    assert [item["how"] for item in alone] == ["crash SIGABRT"]
    call = CrashCandidate.from_json(alone[0]).call
    assert call.call.keywords
    assert all(value.kind for value in call.call.keywords.values())


def test_in_a_block_only_the_culprit_is_left_out(part):
    keys = [key for key in part.deaths if key.startswith(SEARCHED)]
    blocks = [key for key in keys if "-" in key]
    assert blocks
    assert set(keys) - set(blocks) == {key for key in part.calls if key.startswith(SEARCHED)}


def test_what_lives_on_alone_is_told(session):
    text = repr(([("tensor", "float32", (2, 3), "unit")], {"T": "float32"}, False))
    given = {"name": ["tf.raw_ops.Relu"], "text": text}
    outcome = session.task("attempts_tensorflow:attempt", given, wall=60)
    assert outcome.died is None
    assert outcome.records[0]["call"]["k"]["features"]["k"] == "tensor"
    assert outcome.records[-1]["s"]["forward"] == ["Relu"]


def test_recipes_of_handles_are_learnt_once(session):
    known = {}
    job = Job(
        task="synthesis_tensorflow:profile",
        given={"names": [["tf.raw_ops.TensorListStack"]]},
        known=known,
    )
    first = run_part(session, job, progress=lambda _done, _all: None)
    assert any(known.values())
    told = []
    again = run_part(session, job, progress=lambda _done, _all: None, keep=told.append)
    assert first.sets["tf.raw_ops.TensorListStack"]
    assert again.sets["tf.raw_ops.TensorListStack"]
    assert not [record for record in told if "known" in record]
