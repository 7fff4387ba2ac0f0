"""Run one case in the child: plain, or with every call of its text traced.

`code` is the text as the report has it; `traced` the same text, line by line, in which each call
`f(x)` reads `__citadel__(7, f, x)`. Tracebacks and `inspect.getsource` see the original text.
"""

import linecache
import os
import sys
import traceback
import types

import side
import texts

NAME = "case.py"
DONE = b'{"e": "done"}\n'
RAISED = b'{"e": "exception", "types": ["BaseException"], "message": ""}\n'
"""Made beforehand, for a case that leaves nothing of the interpreter in working order."""
MANY_MODULES = 100
"""So many take a second or more to import."""
MOST_MODULES = 4000


class Stop(BaseException):
    """Raised by a hook to end the case early; no `Exception`, so that cases do not catch it."""


def unconverted(function):
    """A function of the case that AutoGraph leaves alone; whatever else as it is."""
    tf = sys.modules.get("tensorflow")
    if tf is None or not isinstance(function, types.FunctionType):
        return function
    return tf.autograph.experimental.do_not_convert(function)


def run(emit, code, traced=None, hook=None, watcher=None):
    """Execute the case as `__main__`; emits its trace, its exception and `{"e": "done"}`.

    Returns the exit code for the process.
    """
    path = os.path.join(os.getcwd(), NAME)
    with open(path, "w", encoding="utf-8", errors="surrogatepass") as file:
        file.write(code)
    linecache.cache[path] = (len(code), None, code.splitlines(True), path)
    module = types.ModuleType("__main__")
    module.__file__ = path
    module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = module
    sys.path.insert(0, os.getcwd())
    sys.argv = [path]
    if traced is not None:
        import trace_calls
        import watch

        module.__dict__["__citadel_watch__"] = watcher or watch.Watcher(emit)
        module.__dict__["__citadel_unconverted__"] = unconverted
        tracer = trace_calls.Tracer(emit, hook)
        module.__dict__["__citadel__"] = tracer
        module.__dict__["__citadel_entered__"] = tracer.entered
        module.__dict__["__citadel_operators__"] = trace_calls.OPERATORS
        names = side.module("names")
        if hasattr(names, "overlook"):
            names.overlook(trace_calls.Tracer, watch.Watcher)
    before = frozenset(sys.modules)
    try:
        exec(compile(traced if traced is not None else code, path, "exec"), module.__dict__)
    except SystemExit as problem:
        return _exit_code(emit, problem)
    except Stop:
        return 0
    except BaseException as problem:
        try:
            event = exception_event(problem, path)
        except BaseException:  # whatever the case did to the interpreter or its own exception
            event = {"e": "exception", "types": ["BaseException"], "message": ""}
        _tell_imports(emit, before)
        _tell(emit, event, RAISED)
        print_exception(problem, path)
        return 1
    _tell_imports(emit, before)
    _tell(emit, {"e": "done"}, DONE)
    return 0


def _tell_imports(emit, before):
    """What was imported of packages that were there before, if it was much: a part of the
    framework that comes late, which every run of this case would spend that time on.
    """
    try:
        new = [name for name in [*sys.modules] if type(name) is str and name not in before]
        late = [name for name in new if name.partition(".")[0] in before]
        if late and MANY_MODULES <= len(new) <= MOST_MODULES:
            emit({"e": "imported", "names": late})
    except BaseException:  # whatever the case did to the interpreter
        pass


def _tell(emit, event, line):
    """Emit an event, or the line prepared for it when even that fails by now."""
    try:
        emit(event)
    except BaseException:
        try:
            emit.raw(line)
        except BaseException:
            pass


def _exit_code(emit, problem):
    """As the interpreter has it: numbers are the status, anything else is printed."""
    code = getattr(problem, "code", None)
    if code is None or (type(code) in (int, bool) and code == 0):
        _tell(emit, {"e": "done"}, DONE)
        return 0
    if isinstance(code, int):
        return int(code) if abs(code) < 1 << 63 else -1
    try:
        sys.stderr.write(str(code) + "\n")
    except BaseException:
        pass
    return 1


def exception_event(problem, path):
    """`{"e": "exception", "types": [class, bases...], "message", "frames", "cause"}`."""
    frames = [
        (os.path.basename(f.filename) if f.filename == path else f.filename, f.lineno, f.name)
        for f in traceback.extract_tb(_held(problem, "__traceback__"))
        if not ours(f.filename)
    ]
    hidden = _held(problem, "__suppress_context__")
    cause = _held(problem, "__cause__") or (None if hidden else _held(problem, "__context__"))
    return {
        "e": "exception",
        "types": [kind.__name__ for kind in type(problem).__mro__ if kind is not object],
        "message": texts.of(problem),
        "frames": frames[-40:],
        "cause": type(cause).__name__ if cause is not None else None,
    }


def _held(problem, name):
    """An attribute that every exception has, whatever its class makes of attributes."""
    return vars(BaseException)[name].__get__(problem)


def ours(filename):
    return os.path.dirname(os.path.abspath(filename)) == os.path.dirname(os.path.abspath(__file__))


def print_exception(problem, path):
    """The traceback as the interpreter prints it, without Citadel's own frames."""
    try:
        entries = traceback.extract_tb(_held(problem, "__traceback__"))
        frames = [f for f in entries if not ours(f.filename)]
        try:
            last = traceback.format_exception_only(type(problem), problem)
        except BaseException:
            last = ["<exception without text>\n"]
        lines = ["Traceback (most recent call last):\n", *traceback.format_list(frames), *last]
        sys.stderr.write("".join(lines))
        sys.stderr.flush()
    except BaseException:
        pass
