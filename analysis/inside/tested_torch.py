"""One API under its sample calls: what they run, kept apart by part, and which of them work.

A call is `(arguments, keywords, constructor's arguments and keywords or None)`. Out, per API:
`{"n": name, "v": provider, "s": {"forward", "backward", "constructor", "frames": [names]},
"x": samples}` or `{"n": name, "f": reason, "v": provider}`; before every call `{"at": key}` (the
last one names the culprit after a crash); edges as `recorder_torch` has them. A sample is
`{"a": values, "k": keywords}`, for classes with the constructor's as `"c"` and the state of the
layer as `"p"`.
"""

import signal
import warnings
from contextlib import nullcontext, suppress
from time import process_time

import torch
from described import describe_call, outline, with_state
from exercises_torch import exercise
from recorder_torch import copied, framework_frames

MOST_SAMPLES = 6
SECONDS_PER_CALL = 5.0
SECONDS_PER_ENTRY = 9.0
"""Of this process's CPU, as all budgets of samples: a machine under load must not learn less. They
are caps for what is slow; counts end the rest."""
BLOCKED = 3
"""How many times as long a call may take as it may compute, since it may block."""
PARTS = ("forward", "backward", "constructor", "frames")


def prepare():
    """Make calls of this process comparable, and see to it that one that blocks ends it.

    Printing a tensor runs a dozen operators, and so does each error message that shows one; such
    messages are made even where they are thrown away, while the right overload is searched.
    """
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.Tensor.__repr__ = lambda self, **_: "tensor"
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)


def alarm(seconds):
    """End this process when it has computed for so long, or waits for longer; 0: let it live."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, BLOCKED * seconds)


class Tested:
    """Collects operator names and descriptions of distinct calls of one API."""

    def __init__(self, name, function, recorder, provider, in_place=False, deadline=None):
        self.name = name
        self.function = function
        self.recorder = recorder
        self.provider = provider
        self.in_place = in_place
        self.deadline = deadline or process_time() + SECONDS_PER_ENTRY
        self.parts = {part: set() for part in PARTS}
        self.samples = {}
        self.worked = 0
        self.layer = None
        self.problem = "no samples"

    def run(self, calls, skip, wrapper=None, label="", enough=None):
        """Yield a key before each call, and the result at last.

        `label` stands before the number in keys; no more than `enough` calls need to work. None
        among the calls is one that is left out.
        """
        for number, call in enumerate(calls):
            key = "{}#{}{}".format(self.name, label, number)
            if enough is not None and self.worked >= enough:
                break
            if (
                call is None
                or key in skip
                or ((enough or self.worked) and process_time() > self.deadline)
            ):
                continue
            yield {"at": key}
            self.attempt(call, wrapper)
        for record in self.result():
            yield record

    def attempt(self, call, wrapper=None):
        """Run one call under an alarm that ends the process; returns whether it worked.

        A function instead of a call makes the call first.
        """
        alarm(SECONDS_PER_CALL)
        try:
            self.learn(call() if callable(call) else call, wrapper)
        except (Exception, SystemExit) as problem:
            self.problem = type(problem).__name__
            return False
        finally:
            alarm(0)
        return True

    def learn(self, call, wrapper):
        """Run one call under the profiler; a refused direct call falls back to the wrapper."""
        try:
            self.record(self.function, *call)
        except (TypeError, RuntimeError, ValueError):
            if wrapper is None or wrapper is self.function:
                raise
            self.record(wrapper, *call)
        else:
            described = with_state(describe_call(call), self.layer)
            self.samples.setdefault(outline(described), described)
        self.worked += 1
        if self.worked == 1 and not self.parts["backward"]:
            self.differentiate(call)

    def differentiate(self, call):
        """Run a call again with tensors that want gradients; most examples have none that do."""
        wanting = demanding(call)
        if wanting is not None:
            with suppress(Exception):
                self.record(self.function, *wanting)

    def record(self, function, args, kwargs, built):
        """Take in the names of one call; Python frames of the first one that works."""
        found, frames = {}, framework_frames()
        noted = nullcontext() if self.worked else frames
        if built is not None:
            made = copied(tuple(built[0])), copied(built[1])
            with noted:
                names, instance = self.recorder.record(lambda: function(*made[0], **made[1]))
            found["constructor"] = names
            function, self.layer = exercise(instance), instance
        args, ignored = copied(tuple(args)), ()
        if self.in_place:
            # A leaf that wants gradients cannot be changed in place: change a clone of it.
            args, ignored = tuple(changeable(item) for item in args), ("CloneBackward0",)
        with noted:
            found["forward"], result = self.recorder.record(lambda: function(*args, **kwargs))
        found["backward"] = self.recorder.backward(result, ignored)
        found["frames"] = frames.names
        for part, names in found.items():
            self.parts[part] |= names

    def result(self):
        """The records of what was learnt."""
        if not self.worked:
            return [{"n": self.name, "f": self.problem, "v": self.provider}]
        parts = {part: sorted(names) for part, names in self.parts.items()}
        record = {"n": self.name, "v": self.provider, "s": parts, "x": list(self.samples.values())}
        return [record, *self.recorder.edges()]

    def has_operators(self):
        """Whether anything ran that tells about the API."""
        return any(self.parts[part] for part in ("forward", "backward", "constructor"))


def changeable(value):
    """A clone of a leaf that wants gradients, also in lists; any other value as it is."""
    if isinstance(value, torch.Tensor) and value.requires_grad:
        return value.clone()
    return [changeable(item) for item in value] if type(value) is list else value


def demanding(value):
    """A nested value with copies that want gradients for its real tensors; None if it has none."""
    if type(value) is torch.Tensor:
        if value.requires_grad or not value.is_floating_point() or value.layout != torch.strided:
            return None
        return value.detach().clone().requires_grad_()
    if type(value) is dict:
        changed = demanding(tuple(value.values()))
        return None if changed is None else dict(zip(value, changed))
    if type(value) not in (list, tuple):
        return None
    changed = [demanding(item) for item in value]
    if all(item is None for item in changed):
        return None
    return type(value)(old if new is None else new for old, new in zip(value, changed))
