"""However a case ends, its end is labelled rightly and the next case runs as if it had not been."""

import pytest

from analysis.target.observation import Outcome
from analysis.target.session import Limits

QUICK = Limits(wall=8, output=1 << 20, file=1 << 20, memory=1 << 30, processes=40)
SHORT = Limits(wall=0.6, output=1 << 20)

SIGNALS = {
    "SIGSEGV": "import ctypes; ctypes.string_at(0)",
    "SIGABRT": "import os; os.abort()",
    "SIGFPE": "import signal; signal.raise_signal(signal.SIGFPE)",
    "SIGILL": "import signal; signal.raise_signal(signal.SIGILL)",
    "SIGBUS": """
import mmap, os
with open("page", "wb+") as file:
    file.write(b"x" * 4096); file.flush()
    page = mmap.mmap(file.fileno(), 4096)
    os.truncate(file.fileno(), 0)
    page[0]
""",
    "SIGKILL": "import os; os.kill(os.getpid(), 9)",
    "SIGTERM": "import os; os.kill(os.getpid(), 15)",
}
EXCEPTIONS = {
    "RecursionError": "def f(): return f()\nf()",
    "OSError": "open('big', 'wb').write(b'x' * (2 << 20))",
    "MemoryError": "x = bytearray(1 << 40)",
    "KeyboardInterrupt": "import os; os.kill(os.getpid(), 2)",
    "Hostile": """
class Hostile(BaseException):
    def __str__(self): raise SystemExit(0)
    __repr__ = __str__
raise Hostile()
""",
    "Liar": """
class Liar(Exception):
    @property
    def __class__(self): raise KeyboardInterrupt
    def __getattribute__(self, name): raise SystemExit(3)
raise Liar("no")
""",
    "ZeroDivisionError": "import sys; sys.stdout = sys.stderr = None\n1 / 0",
    "TypeError": "import sys, io; sys.excepthook = None; sys.stderr = 5\nlen(5)",
    "ValueError": "import json, os; json.dumps = os.write = os.getpid = None\nint('x')",
}
HANGS = {
    "loop": "while True: pass",
    "sleep": "import time; time.sleep(60)",
    "native_pause": "import ctypes; ctypes.PyDLL(None).pause()",
    "regular_expression": "import re; re.match(r'(a+)+$', 'a' * 60 + 'b')",
    "stopped": "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
    "blocked": """
import signal, time
signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65)); signal.alarm(1); time.sleep(60)
""",
    "ignoring": """
import signal, time
for number in set(range(1, 65)) - {9, 19, 32, 33}: signal.signal(number, signal.SIG_IGN)
time.sleep(60)
""",
    "thread_at_exit": """
import threading, time
threading.Thread(target=time.sleep, args=(60,)).start()
""",
    "exit_handler": "import atexit, time; atexit.register(time.sleep, 60)",
}
EXITS = {
    "os_exit": ("import os; os._exit(0)", 0),
    "os_exit_7": ("import os; os._exit(7)", 7),
    "exec": ("import os; os.execv('/bin/sh', ['sh', '-c', 'exit 5'])", 5),
    "closed_files": ("import os; os.closerange(0, 4096)", 0),
}
FINE = {
    "sys_exit": "import sys; sys.exit()",
    "sys_exit_false": "import sys; sys.exit(False)",
    "system_exit_in_thread": """
import threading
thread = threading.Thread(target=exit); thread.start(); thread.join()
""",
    "no_working_directory": "import os, shutil; shutil.rmtree(os.getcwd())",
    "no_temporary_folders": """
import os, shutil, tempfile
shutil.rmtree(tempfile.gettempdir(), ignore_errors=True)
""",
    "deep_folders": """
import os
for _ in range(40): os.mkdir("d" * 200); os.chdir("d" * 200)
""",
    "locked_folders": """
import os
os.makedirs("a/b/c"); os.chmod("a/b", 0); os.chmod("a", 0); os.chmod(".", 0)
""",
    "many_files": "for n in range(1000): open(str(n), 'w').close()",
    "no_builtins": """
import builtins
for name in ("len", "isinstance", "open", "str", "print", "int", "repr"): setattr(builtins, name, 5)
""",
    "no_json": "import json, os; json.dumps = json.JSONEncoder = os.write = os.getpid = 5",
    "no_modules": "import sys; sys.modules.clear()",
    "no_streams": "import sys; del sys.stdout, sys.stderr, sys.__stdout__",
    "stream_that_exits": """
import sys
class Stream:
    def flush(self): raise SystemExit(9)
    def write(self, text): raise KeyboardInterrupt
sys.stdout = Stream()
""",
    "limits": "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (4, 4))",
    "alarm_left_behind": "import signal; signal.alarm(1)",
    "signals_to_the_server": """
import os, signal
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
    os.kill(os.getppid(), number)
""",
}


LISTING = """
import os, tempfile

scratch = tempfile.gettempdir()
mounted = [line.split()[1] + "/" for line in open("/proc/self/mounts")]
# What lies in the user's own /tmp and may be read is mounted into the scratch folder.
own = [n for n in os.listdir(scratch) if not any(m.startswith(f"{scratch}/{n}/") for m in mounted)]
print(os.listdir(), own)
"""


def next_one_runs(session):
    """Nothing of the previous case is left, and the next one works."""
    seen = session.run(LISTING, limits=QUICK)
    return seen.outcome is Outcome.OK and seen.stdout == "['case.py'] ['case']\n"


@pytest.mark.parametrize("name", SIGNALS)
def test_signals(any_session, name):
    seen = any_session.run(f"print('before')\n{SIGNALS[name]}", limits=QUICK)
    assert (seen.outcome, seen.signal) == (Outcome.SIGNAL, name)
    assert seen.stdout == "before\n"
    assert next_one_runs(any_session)


@pytest.mark.parametrize("name", EXCEPTIONS)
def test_exceptions(session, name):
    seen = session.run(EXCEPTIONS[name], limits=QUICK)
    assert seen.outcome is Outcome.EXCEPTION
    assert seen.exception.type == name
    assert next_one_runs(session)


@pytest.mark.parametrize("name", HANGS)
def test_hangs(session, name):
    seen = session.run(HANGS[name], limits=SHORT)
    assert seen.outcome is Outcome.TIMEOUT
    assert seen.wall < 5
    assert next_one_runs(session)


@pytest.mark.parametrize("name", EXITS)
def test_exits_before_the_end(session, name):
    code, status = EXITS[name]
    seen = session.run(code, limits=QUICK)
    assert (seen.outcome, seen.code) == (Outcome.EXIT, status)
    assert next_one_runs(session)


@pytest.mark.parametrize("name", FINE)
def test_harmless_in_the_end(session, name):
    seen = session.run(FINE[name], limits=QUICK)
    assert (seen.outcome, seen.exception) == (Outcome.OK, None)
    assert next_one_runs(session)


@pytest.mark.parametrize("how", ["os.getppid()", "-1"])
def test_a_case_cannot_kill_its_server(session, how):
    pid = session.server.pid
    session.run(f"import os\nos.kill({how}, 9)", limits=QUICK)
    session.run("pass", limits=QUICK)
    if session.server.sandbox.kind == "bubblewrap":
        assert session.server.pid == pid
    assert next_one_runs(session)
