"""The executor of a cluster: workers are Ray actors, wherever Ray places them.

In: a factory of what a worker does and the address of a cluster. Every node has Citadel and, at the
same paths, the interpreters under test. Each worker still runs reports in sandboxed subprocesses of
its own. What is lost with a node is no attempt: it is done again elsewhere.
"""

from __future__ import annotations

import logging
import math
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self

from analysis.errors import CitadelError
from analysis.rules import given
from citadel.hunt.executor import Answer, Job, Outcome, Where, Work, chosen
from citadel.hunt.local import MOST_SECONDS

CORES = 2
"""What a worker takes of a node: it replays and tries plans at the same time."""
CONNECT_SECONDS = 10.0
COUNT_SECONDS = 5.0
"""How long the number of nodes is taken for the same."""
PLACE_SECONDS = 120.0
"""How long a worker may take to come up: where its room went to somebody else, it never does."""
_HINT = "name a running cluster, e.g. --cluster HOST:6379, or leave it out"


@dataclass(slots=True)
class _Actor:
    """One worker: its handle, the node it runs on, its job and what the answer will be."""

    handle: Any
    node: Any
    last: Where | None = None
    job: Job | None = None
    answer: Any = None
    since: float = 0.0


class ClusterPool:
    """See `Executor`; workers start with their first job."""

    def __init__(
        self,
        factory: Callable[[], Work],
        jobs: int,
        address: str,
        *,
        cores: float = CORES,
        most_seconds: float = MOST_SECONDS,
    ) -> None:
        self._jobs = jobs
        self._room = 0
        self._dead: set[str] = set()
        self._counted = -math.inf
        self._factory = factory
        self._address = address
        self._cores = cores
        self._most_seconds = most_seconds
        self._actors: list[_Actor] = []
        self._ray: Any = None

    def __enter__(self) -> Self:
        """Join the cluster.

        Raises:
            CitadelError: when Ray is not installed, or there is no cluster at the address.
        """
        try:
            import ray
        except ImportError as problem:
            raise CitadelError(
                "Ray is not installed", "pip install 'citadel-siblings[cluster]'"
            ) from problem
        self._ray = ray
        _check(self._address)
        try:
            ray.init(
                address=self._address,
                log_to_driver=False,
                logging_level=logging.ERROR,
                # Other machines do not have this one's environment.
                runtime_env={"env_vars": given()} if given() else None,
            )
        except (ValueError, RuntimeError, OSError, SystemExit) as problem:
            raise _no_cluster(self._address, str(problem).partition("\n")[0]) from problem
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for actor in self._actors:
            self._ray.kill(actor.handle)
        self._actors.clear()
        self._ray.shutdown()

    @property
    def slots(self) -> int:
        """Workers that there is room for: nodes come and go."""
        if time.monotonic() - self._counted > COUNT_SECONDS:
            nodes = [n for n in self._ray.nodes() if n["Alive"] and n["NodeID"] not in self._dead]
            self._room = sum(int(n["Resources"].get("CPU", 0) // self._cores) for n in nodes)
            self._counted = time.monotonic()
        return min(self._jobs, self._room)

    @property
    def running(self) -> frozenset[int]:
        """The items of jobs without an outcome."""
        return frozenset(a.job.item for a in self._actors if a.job is not None)

    def submit(self, job: Job) -> None:
        """Hand a job to a free worker, best to one that has its build open."""
        actor = chosen(self._actors, job, self.slots)
        if actor is None:
            actor = self._started()
            self._actors.append(actor)
        actor.job, actor.last, actor.since = job, job.where, time.monotonic()
        actor.answer = actor.handle.work.remote(job)

    def outcomes(self, timeout: float) -> list[Outcome]:
        """What has ended, waiting for it up to `timeout` seconds."""
        busy = {actor.answer: actor for actor in self._actors if actor.job is not None}
        if not busy:
            return []
        ready, _ = self._ray.wait(list(busy), num_returns=1, timeout=timeout)
        ended = [self._ended(busy[one]) for one in ready]
        for actor in busy.values():
            spent = time.monotonic() - actor.since
            if actor.job is not None and spent > self._most_seconds:
                ended.append(self._gone(actor, "took too long"))
            elif actor.job is not None and spent > PLACE_SECONDS and not self._placed(actor):
                ended.append(self._gone(actor, "no node has room for it"))
        return ended

    def _placed(self, actor: _Actor) -> bool:
        """Whether a worker has come up on a node."""
        return bool(self._ray.wait([actor.node], timeout=0)[0])

    def _started(self) -> _Actor:
        remote = self._ray.remote(num_cpus=self._cores, max_restarts=0)(_Served)
        handle = remote.remote(self._factory)
        return _Actor(handle=handle, node=handle.node.remote())

    def _ended(self, actor: _Actor) -> Outcome:
        try:
            answer: Answer = self._ray.get(actor.answer)
        except self._ray.exceptions.RayError as problem:
            last = (str(problem).splitlines() or [""])[-1].strip()
            # What fails to start, or raises, does so on any node.
            if getattr(problem, "actor_init_failed", False):
                return self._gone(actor, f"its worker did not start: {last}", own=True)
            if isinstance(problem, self._ray.exceptions.RayTaskError):
                return self._gone(actor, f"its worker failed: {last}", own=True)
            return self._gone(actor, "its worker died")
        return self._outcome(actor, answer=answer)

    def _gone(self, actor: _Actor, how: str, *, own: bool = False) -> Outcome:
        """The worker is of no use any more; unless that is its `own` fault, is its node gone?"""
        lost = not own and not self._node_lives(actor)
        self._actors.remove(actor)
        self._counted = -math.inf
        self._ray.kill(actor.handle)
        outcome = self._outcome(actor, died=how)
        return replace(outcome, lost=lost, died="its node is gone" if lost else how)

    def _node_lives(self, actor: _Actor) -> bool:
        try:
            node = self._ray.get(actor.node, timeout=1)
        except self._ray.exceptions.RayError:
            return False  # it never came up, or all that it said is gone with its node
        found = (one for one in self._ray.nodes() if one["NodeID"] == node and one["Alive"])
        # The cluster itself takes its time to find out.
        if any(_answers(one["NodeManagerAddress"], one["NodeManagerPort"]) for one in found):
            return True
        self._dead.add(node)
        return False

    @staticmethod
    def _outcome(actor: _Actor, answer: Answer | None = None, died: str = "") -> Outcome:
        assert actor.job is not None  # noqa: S101 - only busy workers are asked
        item, actor.job = actor.job.item, None
        seconds = time.monotonic() - actor.since
        return Outcome(item=item, seconds=seconds, answer=answer, died=died)


def _check(address: str) -> None:
    """Ask whether anybody is there: Ray itself takes more than a minute to give up.

    Raises:
        CitadelError: when nobody is.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise _no_cluster(address, "that is not HOST:PORT")
    if not _answers(host, int(port)):
        raise _no_cluster(address, "nobody answers there")


def _answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=CONNECT_SECONDS).close()
    except (OSError, OverflowError, UnicodeError):
        return False
    return True


def _no_cluster(address: str, told: str) -> CitadelError:
    return CitadelError(f"no Ray cluster at {address}: {told}", _HINT)


class _Served:
    """What runs on a node."""

    def __init__(self, factory: Callable[[], Work]) -> None:
        self._work = factory()

    def node(self) -> str:
        """The node that this worker is on."""
        import ray

        return str(ray.get_runtime_context().get_node_id())

    def work(self, job: Job) -> Answer:
        """Do a job."""
        return self._work(job)
