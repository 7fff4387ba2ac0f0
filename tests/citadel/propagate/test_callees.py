"""Which APIs run within the failing call of a report."""

import pytest

from analysis.target.instrument import instrument
from analysis.target.session import Limits
from citadel.propagate.callees import callees
from citadel.verify.reports import verify
from citadel.verify.verified import Verified

pytestmark = pytest.mark.slow


@pytest.fixture
def called(bench, read):
    """Title and code of a report -> the callees of its failing call."""

    def check(title, code):
        catalog = bench.index.catalog
        session = bench.replays[0]
        found = verify(read(title, code), session, catalog, bench.target.info)
        assert isinstance(found, Verified)
        return callees(found, session, catalog, Limits())

    return check


@pytest.mark.torch
def test_python_functions_and_those_in_c(called):
    code = "import torch\nlayer = torch.nn.Conv2d(1, 1, 3)\nlayer(torch.ones(1, 1, 2, 2))"
    found = called("Conv2d raises for a small input", code)
    assert "torch.nn.functional.conv2d" in found
    assert "torch.nn.Conv2d" not in found


@pytest.mark.torch
def test_what_ran_before_a_failure_is_known(called):
    code = "import torch\ntorch.nn.functional.interpolate(torch.ones(1, 1, 4), size=[-1])"
    found = called("interpolate raises for a negative size", code)
    assert "torch.ops.aten.upsample_nearest1d" in found  # of which torch._C._nn has one, too


@pytest.mark.tf
def test_of_tensorflow_below_its_decorators(tf_target):
    code = (
        "import tensorflow as tf\n"
        "tf.image.convert_image_dtype(tf.constant([[[2.0]]]), tf.uint32, saturate=True)\n"
    )
    source = instrument(code)
    with tf_target.session() as session:
        site = session.run(code, traced=source.traced).calls[-1].site
        place = {"site": site, "occurrence": 1}
        seen = session.run(code, traced=source.traced, entry="callees:run", arguments=place)
    assert {"tf.saturate_cast", "tf.cast"} <= {event["f"] for event in seen.extra}
    given = [event["given"] for event in seen.extra if event["f"] == "tf.saturate_cast"][-1]
    assert given["dtype"] == {"k": "dtype", "v": "tf.uint32"}
    assert given["value"]["data"] == [[[4294967296.0]]] or given["value"]["dtype"] == "float32"
