"""Sessions: starting, failing to start, closing, being interrupted, running side by side."""

import tempfile
import threading
import time
from pathlib import Path

import pytest

from analysis.errors import CitadelError
from analysis.target import fork_server
from analysis.target.observation import Outcome
from analysis.target.sandbox import Sandbox, SandboxKind
from analysis.target.session import Limits, Session
from analysis.target.target import probe


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """Where sessions put their scratch folders in this test."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def servers(scratch):
    """Processes that were started in a scratch folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if (path / "cwd").readlink().is_relative_to(scratch):
                found.append(path.name)
        except OSError:
            continue
    return found


def nothing_left(scratch):
    deadline = time.monotonic() + 3
    while (found := (servers(scratch), list(scratch.iterdir()))) != ([], []):
        assert time.monotonic() < deadline, found
        time.sleep(0.01)
    return True


def test_close_leaves_nothing(bare_session, scratch):
    bare_session.run("open('file', 'w')")
    assert servers(scratch)
    assert list(scratch.iterdir())
    bare_session.close()
    assert nothing_left(scratch)
    bare_session.close()


def test_a_session_starts_again_after_close(bare_session):
    bare_session.run("pass")
    bare_session.close()
    assert bare_session.run("print(1)").stdout == "1\n"


def test_an_interrupt_leaves_nothing(bare_session, scratch):
    def interrupt(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bare_session.run(
            "import os, time; os.fork(); os.write(3, b'{\"e\": 1}\\n'); time.sleep(60)",
            limits=Limits(wall=60),
            on_event=interrupt,
        )
    assert nothing_left(scratch)
    assert bare_session.run("print(1)").stdout == "1\n"


def test_a_session_outlives_the_thread_that_started_it(bare_session):
    thread = threading.Thread(target=bare_session.start)
    thread.start()
    thread.join()
    pid = bare_session.server.pid
    time.sleep(0.1)
    assert bare_session.run("print(1)").stdout == "1\n"
    assert bare_session.server.pid == pid


def test_sessions_run_side_by_side(bare):
    seen = {}

    def run(number):
        with bare(SandboxKind.BUBBLEWRAP) as session:
            seen[number] = [session.run(f"print({number}, {n})").stdout for n in range(10)]

    threads = [threading.Thread(target=run, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {m: [f"{m} {n}\n" for n in range(10)] for m in range(2)}


def test_two_threads_cannot_use_one_session(bare_session):
    """The answers of one would be lost to the other."""
    began, ended = threading.Event(), []
    code = "import os, time; os.write(3, b'{\"e\": 1}\\n'); time.sleep(1); print('done')"

    def run():
        ended.append(bare_session.run(code, on_event=lambda _: began.set()))

    thread = threading.Thread(target=run)
    thread.start()
    assert began.wait(30)
    with pytest.raises(RuntimeError, match="two threads"):
        bare_session.run("print(2)")
    thread.join()
    assert ended[0].stdout == "done\n"
    assert bare_session.run("print(3)").stdout == "3\n"


def broken(python, framework=""):
    readable = ("/bin",)
    sandbox = Sandbox(kind=SandboxKind.NONE, readable=readable)
    return Session(python=str(python), framework=framework, sandbox=sandbox, lent={})


@pytest.fixture
def dying(tmp_path_factory):
    """An interpreter that gives up at once."""
    path = tmp_path_factory.mktemp("bin") / "python"
    path.write_text("#!/bin/sh\necho 'out of luck' >&2\nexit 3\n")
    path.chmod(0o755)
    return path


def test_a_server_that_dies_at_start_is_explained(dying, scratch):
    with pytest.raises(CitadelError, match="did not start: out of luck") as caught:
        broken(dying).run("pass")
    assert "doctor" in caught.value.hint
    assert nothing_left(scratch)


def test_a_missing_interpreter_is_explained(tmp_path_factory, scratch):
    with pytest.raises(CitadelError, match="No such file"):
        broken(tmp_path_factory.mktemp("bin") / "none").start()
    assert nothing_left(scratch)


def test_a_missing_framework_is_explained(bare_session, scratch):
    bare_session.server.framework = "no_such_framework"
    with pytest.raises(CitadelError, match="No module named 'no_such_framework'"):
        bare_session.start()
    assert nothing_left(scratch)


def test_a_server_that_hangs_at_start_is_given_up(tmp_path_factory, scratch, monkeypatch):
    path = tmp_path_factory.mktemp("bin") / "python"
    path.write_text("#!/bin/sh\nexec sleep 60\n")
    path.chmod(0o755)
    monkeypatch.setattr(fork_server, "START_SECONDS", 0.3)
    with pytest.raises(CitadelError, match="did not start"):
        broken(path).start()
    assert nothing_left(scratch)


def test_an_interrupt_during_the_start_leaves_nothing(bare_session, scratch, monkeypatch):
    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(bare_session.server, "read", interrupt)
    with pytest.raises(KeyboardInterrupt):
        bare_session.start()
    assert nothing_left(scratch)


@pytest.mark.parametrize("python", ["/no/such/python", "/bin/true", "/etc/passwd"])
def test_what_is_no_interpreter_is_refused(python):
    with pytest.raises(CitadelError, match="not a usable Python interpreter") as caught:
        probe(python)
    assert caught.value.hint


def test_an_interpreter_without_a_framework_is_refused(tmp_path):
    import venv

    venv.create(tmp_path / "venv", symlinks=True)
    with pytest.raises(CitadelError, match="no supported framework") as caught:
        probe(str(tmp_path / "venv/bin/python"))
    assert "torch" in caught.value.hint


def test_a_task_streams_its_records(bare_session, monkeypatch):
    arrived = []
    bare_session.task("case:run", {"code": "print(1)"}, wall=5, on_event=arrived.append)
    assert arrived == [{"e": "done"}]


@pytest.mark.torch
def test_records_of_a_task_arrive_one_by_one(bubblewrap_session):
    arrived = []
    outcome = bubblewrap_session.task("catalog_torch:walk", {}, wall=60, on_event=arrived.append)
    assert outcome.died is None
    assert len(arrived) > 1000
    assert tuple(arrived) == outcome.records


def test_how_a_task_died_is_told(bare_session):
    died = bare_session.task("case:no_such_function", {}, wall=5).died
    assert died.startswith("exception AttributeError")
    died = bare_session.task(
        "case:run", {"code": "import os; os.kill(os.getpid(), 40)"}, wall=5
    ).died
    assert died == "signal 40"
    assert bare_session.task("case:run", {"code": "while True: pass"}, wall=0.3).died == "timeout"


def test_seeds_make_runs_repeat(bare_session):
    code = "import random; print(random.random(), hash('x'))"
    first, second, other = (bare_session.run(code, seed=seed).stdout for seed in (1, 1, 2))
    bare_session.close()
    assert first == second == bare_session.run(code, seed=1).stdout
    assert first.split()[0] != other.split()[0]


def test_the_server_ends_when_nobody_listens(bare_session, scratch):
    bare_session.start()
    bare_session.server._process.stdin.close()
    bare_session.server._process.wait(5)
    deadline = time.monotonic() + 3
    while servers(scratch):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert bare_session.run("pass").outcome is Outcome.OK


@pytest.mark.slow
@pytest.mark.torch
def test_variables_that_are_asked_for(torch_target):
    code = "import os\nprint(os.environ.get('XLA_FLAGS'), os.environ['HOME'])"
    with torch_target.session() as session:
        plain = session.run(code).stdout
        assert plain.startswith("None ")
        session.ask_for({"XLA_FLAGS": "--a"})
        assert session.run(code).stdout == plain.replace("None", "--a")
        session.ask_for({})
        assert session.run(code).stdout == plain


@pytest.mark.torch
def test_modules_that_are_asked_for_are_there_before_the_case_is(torch_target):
    code = "import sys\nprint('torch._dynamo' in sys.modules)"
    with torch_target.session() as session:
        assert session.run(code).stdout == "False\n"
        session.ask_for({}, ["torch._dynamo", "torch._no_such_module"])
        assert session.run(code).stdout == "True\n"
        missing = session.run("import torch._no_such_module")
        assert missing.exception.message == "No module named 'torch._no_such_module'"


@pytest.mark.torch
@pytest.mark.slow
def test_much_that_a_run_imports_of_the_framework_is_there_in_further_ones(torch_target):
    known = "import sys\nprint('torch._dynamo' in sys.modules)"
    with torch_target.session() as session:
        assert session.run(known).stdout == "False\n"
        assert "torch._dynamo" in session.run("import torch._dynamo").imported
        assert "torch._dynamo" in session.loaded
        assert session.run(known).stdout == "True\n"
        assert session.run("import torch._dynamo").imported == ()
        session.ask_for({})
        assert session.run(known).stdout == "False\n"
        switches = "import torch.testing._internal.common_utils"
        assert session.run(switches).imported
        assert (
            session.run(f"import torch\ntorch.backends.cudnn.deterministic = True\n{switches}").code
            == 0
        )
        assert not any("testing" in name for name in session.loaded)


def test_only_the_frameworks_own_is_imported_for_further_runs(bare_session):
    several = (
        "import encodings, importlib, pkgutil\n"
        "for one in pkgutil.iter_modules(encodings.__path__):\n"
        "    if one.name not in ('mbcs', 'oem'):\n"
        "        importlib.import_module('encodings.' + one.name)\n"
    )
    assert "encodings.big5" in bare_session.run(several).imported
    assert bare_session.loaded == ()
    assert bare_session.run("import json.tool").imported == ()
