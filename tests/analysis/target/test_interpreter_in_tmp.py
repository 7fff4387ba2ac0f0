"""Interpreters and checkouts that lie in /tmp, where the sandbox has its scratch folder."""

import sys
import tempfile
from pathlib import Path

import pytest

from analysis.target.sandbox import Sandbox, SandboxKind
from analysis.target.session import Session

from .conftest import need


@pytest.fixture
def folder():
    """Two packages of a user's who works in /tmp."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        for package in ("one", "other"):
            Path(name, package, "package").mkdir(parents=True)
            Path(name, package, "package/file").write_text(package)
        yield Path(name)


@pytest.fixture
def session(folder):
    need(SandboxKind.BUBBLEWRAP)
    packages = [str(folder / name / "package") for name in ("one", "other")]
    confined = Sandbox(
        kind=SandboxKind.BUBBLEWRAP, readable=(sys.prefix, sys.base_prefix, *packages)
    )
    with Session(python=sys.executable, framework="", sandbox=confined, lent={}) as session:
        yield session


def seen(session, folder):
    ran = session.run(f"""
import os
for place, _, names in os.walk({str(folder)!r}):
    for name in names:
        path = os.path.join(place, name)
        print(os.path.relpath(path, {str(folder)!r}), open(path).read())
""")
    return sorted(ran.stdout.splitlines())


def test_one_server_runs_all_cases(session, folder):
    session.start()
    server = session.server.pid
    for _ in range(3):
        assert seen(session, folder) == ["one/package/file one", "other/package/file other"]
    assert session.server.pid == server


def test_what_a_case_leaves_beside_it_is_gone(session, folder):
    session.start()
    server = session.server.pid
    session.run(f"""
import os
os.makedirs({str(folder / "one/deep/er")!r})
open({str(folder / "one/left")!r}, "w").write("x")
os.chmod({str(folder / "one")!r}, 0)
""")
    assert seen(session, folder) == ["one/package/file one", "other/package/file other"]
    assert session.server.pid == server


@pytest.mark.parametrize(
    "moves", [[("one", "elsewhere")], [("one", "third"), ("other", "one"), ("third", "other")]]
)
def test_what_a_case_moves_is_in_its_place_for_the_next(session, folder, moves):
    ran = session.run(f"""
import os
os.chdir({str(folder)!r})
for old, new in {moves!r}:
    os.rename(old, new)
print(open("{moves[-1][1]}/package/file").read())
""")
    assert ran.stdout.strip() in ("one", "other")
    assert seen(session, folder) == ["one/package/file one", "other/package/file other"]
    assert (folder / "one/package/file").read_text() == "one"
