"""Hunting on a cluster: several nodes on this machine, one of which is killed in the middle."""

import json
import os
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from analysis.errors import CitadelError
from citadel.hunt.cluster import ClusterPool
from citadel.hunt.hunt import Hunt, HuntRequest
from citadel.options import Options
from citadel.store.database import open_to_write
from tests.citadel.cli import started
from tests.citadel.hunt import scripted
from tests.citadel.hunt.test_hunt import end_state

ROOT = Path(__file__).parents[3]
TORCH = ROOT / ".targets/torch/bin/python"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.alone,
    # Ray's own: warnings about its future, files and processes that it leaves to the interpreter.
    pytest.mark.filterwarnings("ignore"),
]


@pytest.fixture
def cluster(monkeypatch):
    pytest.importorskip("ray")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_health_check_period_ms", "1000")
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": 10**8}
    try:
        made = Cluster(initialize_head=True, head_node_args=head)
    except Exception as problem:  # no shared memory, no free ports
        pytest.skip(f"Ray does not start here: {problem}")
    try:
        yield made
    finally:
        made.shutdown()


def add(cluster):
    return cluster.add_node(num_cpus=1, object_store_memory=10**8)


def hunt(store, folder, address, jobs):
    request = HuntRequest(options=Options(), out=folder / "cases", retries=0)
    with ClusterPool(partial(scripted.Scripted, str(folder)), jobs, address, cores=1) as pool:
        return Hunt(store, pool, {scripted.KEY: scripted.SITE}, request).run()


BODIES = ["finds 3 waits", "finds 2 waits", "finds 4 waits", "clean", "finds 1"]


def test_a_node_that_is_killed_costs_nothing_but_time(cluster, tmp_path):
    nodes = [add(cluster) for _ in range(3)]
    cluster.wait_for_nodes()
    alone, spread = tmp_path / "alone", tmp_path / "spread"
    for folder in (alone, spread):
        folder.mkdir()
    (alone / "go").touch()
    with open_to_write(alone / "citadel.db") as store:
        scripted.enlisted(store, BODIES * 2)
        scripted.hunt(store, alone, retries=0)
    with open_to_write(spread / "citadel.db") as store:
        scripted.enlisted(store, BODIES * 2)
        killing = threading.Thread(target=_kill, args=(cluster, nodes[0], spread))
        killing.start()
        done = hunt(store, spread, cluster.address, jobs=3)
        killing.join()
    assert (done.waiting, done.dropped) == (0, 0)
    lines = [line.split() for line in (spread / "log").read_text().splitlines()]
    begun = sum(line[1] == "begin" for line in lines)
    assert begun > sum(line[1] == "end" for line in lines)  # what the node did was lost
    assert end_state(spread / "citadel.db") == end_state(alone / "citadel.db")


def _kill(cluster, node, folder):
    """Kill a node in the middle of a job; the others go on once nothing of it is left."""
    raylet = str(node.all_processes["raylet"][0].process.pid)
    try:
        worker = _until(lambda: _waiting(folder).get(raylet))
        cluster.remove_node(node, allow_graceful=False)
        _until(lambda: not Path("/proc", worker).exists())
    finally:
        (folder / "go").touch()


def _waiting(folder):
    """Which of a node's workers waits: process identifiers by that of the node's raylet."""
    path = folder / "waiting"
    return dict(line.split() for line in path.read_text().splitlines()) if path.exists() else {}


def _until(what, seconds=120):
    end = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return found


def test_a_worker_that_dies_is_an_attempt(cluster, tmp_path):
    add(cluster)
    cluster.wait_for_nodes()
    with open_to_write(tmp_path / "citadel.db") as store:
        scripted.enlisted(store, ["dies finds 1", "finds 1"])
        hunt(store, tmp_path, cluster.address, jobs=1)
        rows = store.db.execute(
            "SELECT r.number, i.state, i.reason FROM items i JOIN reports r ON r.id = i.report"
            " WHERE i.stage = 'verify' ORDER BY 1"
        ).fetchall()
    assert rows == [(1, "failed", "its worker died"), (2, "done", None)]


@pytest.mark.torch
def test_a_real_hunt_finds_the_same_on_a_cluster(tmp_path, torch_target, index_of, cluster):
    index_of(torch_target)
    cluster.add_node(num_cpus=2, object_store_memory=10**8)
    cluster.wait_for_nodes()
    report = str(ROOT / "examples/diagonal_scatter_csr.md")
    command = ["hunt", report, "--python", str(TORCH), "--siblings", "10", "--json", "-"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    found = []
    for where, more in (("here", ()), ("there", ("--cluster", cluster.address))):
        (tmp_path / where).mkdir()
        done = started.run([*command, *more], cwd=tmp_path / where, env=environment, timeout=600)
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        members = [row for family in told["families"] for row in family["members"]]
        assert all((tmp_path / where / row["file"]).is_file() for row in members)
        found.append({(row["api"], row["state"]) for row in members})
    assert "torch.Tensor.diagonal_scatter" in {api for api, _ in found[0]}
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "address", ["nonsense", "127.0.0.1:1", "no.such.host.invalid:1", "x:99999"]
)
def test_no_cluster_is_said(address):
    pytest.importorskip("ray")
    pool = ClusterPool(partial(scripted.Scripted, os.devnull), 1, address)
    with pytest.raises(CitadelError, match=f"no Ray cluster at {address}: "), pool:
        pass
