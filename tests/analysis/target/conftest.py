"""Sessions in each kind of sandbox, shared by the tests, with a secret in the environment."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.target import sandbox
from analysis.target.sandbox import Sandbox, SandboxKind
from analysis.target.session import Session
from analysis.target.target import Target

SECRET = "ghp_" + "0123456789abcdefSECRET"
OFFERED = {
    SandboxKind.BUBBLEWRAP: sandbox.has_bubblewrap,
    SandboxKind.LANDLOCK: sandbox.has_landlock,
    SandboxKind.NONE: lambda: True,
}


def need(kind):
    if not OFFERED[kind]():
        pytest.skip(f"this machine has no {kind}")


@pytest.fixture(scope="session")
def bare():
    """Factory of sessions on this very interpreter without a framework; they start at once."""
    readable = {sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parent)}

    def make(kind):
        need(kind)
        confined = Sandbox(kind=kind, readable=tuple(sorted(readable)))
        return Session(python=sys.executable, framework="", sandbox=confined, lent={})

    return make


@pytest.fixture(params=list(SandboxKind), ids=str)
def bare_session(request, bare):
    """A session of its own in each kind of sandbox: for what harms nobody in any of them."""
    with bare(request.param) as session:
        yield session


def _started(target, kind):
    need(kind)
    target = Target(target.info, replace(target._sandbox, kind=kind), target._lent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GITHUB_TOKEN", SECRET)
        with target.session() as session:
            session.start()
            yield session


@pytest.fixture(scope="session")
def bubblewrap_session(torch_target):
    yield from _started(torch_target, SandboxKind.BUBBLEWRAP)


@pytest.fixture(scope="session")
def landlock_session(torch_target):
    yield from _started(torch_target, SandboxKind.LANDLOCK)


@pytest.fixture(scope="session")
def torch113_session(torch113_target):
    yield from _started(torch113_target, SandboxKind.BUBBLEWRAP)


CONFINED = [
    pytest.param("bubblewrap_session", marks=pytest.mark.torch, id="bubblewrap"),
    pytest.param("landlock_session", marks=pytest.mark.torch, id="landlock"),
]
OLD = pytest.param("torch113_session", marks=pytest.mark.torch113, id="torch113")


@pytest.fixture(params=CONFINED)
def session(request):
    """PyTorch in each kind of confinement."""
    return request.getfixturevalue(request.param)


@pytest.fixture(params=[*CONFINED, OLD])
def any_session(request):
    """As `session`, and the older PyTorch."""
    return request.getfixturevalue(request.param)


@pytest.fixture(params=[CONFINED[0], OLD])
def torch_session(request):
    """Each PyTorch in the usual confinement."""
    return request.getfixturevalue(request.param)
