"""Real TensorFlow builds to triage reports on.

The index holds the walked names only: what the samples add is tested with the index itself.
"""

import pytest

from analysis.catalog.records import read_catalog
from analysis.dynamic.joined import Joined
from analysis.index import read_index
from analysis.target.session import Limits
from citadel.model import Road
from citadel.options import Options
from citadel.propagate.walk import Walk
from citadel.triage import triage
from citadel.verify.reports import verify
from citadel.verify.verified import Verified
from citadel.workbench import Workbench

BUILDS = ["tf_target", "tf213_target"]

WINDOW = "InvalidArgumentError: Sliding window ksize for dimension 1 was zero."

DIVIDE = """
    import tensorflow as tf
    whole = tf.constant([4, 6], dtype=tf.int64)
    print(tf.raw_ops.RealDiv(x=whole, y=whole))
"""


@pytest.fixture(scope="module", params=BUILDS)
def bench(request):
    target = request.getfixturevalue(request.param)
    with target.session() as session:
        records = session.task("catalog_tensorflow:walk", {}, wall=120).records
    stored = {
        "key": target.info.key,
        "framework": "tensorflow",
        "catalog": records,
        **Joined(read_catalog(records)).stored(),
        "crashes": [],
        "static": {"request": None, "groups": [], "counts": {"functions": 0, "groups": 0}},
        "seconds": {},
    }
    with Workbench(target, read_index(stored), jobs=2) as made:
        yield made


@pytest.fixture
def triaged(bench, read):
    def run(title, code, text, *, siblings=60):
        options = Options(
            road=Road.CALL,
            walk=Walk(siblings=siblings, seconds=90.0),
            runs=1,
            limits=Limits(wall=30.0),
        )
        return triage(read(title, code, text=text), bench, options)

    return run


def verified(bench, reading):
    catalog, info = bench.index.catalog, bench.target.info
    found = verify(reading, bench.replays[0], catalog, info, runs=1, limits=Limits(wall=60.0))
    assert isinstance(found, Verified), found
    return found


def bugs(found):
    return {name for finding in found.bugs for name in (finding.api, *finding.aliases)}
