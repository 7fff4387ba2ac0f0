"""One API under its sample calls: what they run, kept apart by part, and which of them work.

A call is `(arguments, keywords, constructor's arguments and keywords or None)`. Out, per API:
`{"n": name, "v": provider, "s": {"forward", "backward", "constructor", "frames": [names]},
"x": samples}` or `{"n": name, "f": reason, "v": provider}`; before every call `{"at": key}` (the
last one names the culprit after a crash). A sample is `{"a": values, "k": keywords}`, for classes
with the constructor's as `"c"` and the state of the layer as `"p"`. Of a class whose instances are
not called, what a framework's `exercise` does with one is the call, else the construction itself.
"""

import signal
import warnings
from contextlib import nullcontext
from time import process_time

from described import describe_call, outline, with_state
from parameters import called
from patience_tensorflow import patience

PARTS = ("forward", "backward", "constructor", "frames")


def silence():
    """Make this process one that profiles: silent, and blocked calls end it."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, signal.SIG_DFL)


class Tested:
    """Collects operator names and descriptions of distinct calls of one API.

    What differs between frameworks: the limits, in seconds of this process's CPU, since a machine
    under load must not learn less; `exercise` and `framework_frames` (static methods); and
    `run_once`.
    """

    seconds_per_call = 3.0
    seconds_per_entry = 9.0

    def __init__(self, name, function, recorder, provider):
        self.name = name
        self.function = function
        self.recorder = recorder
        self.provider = provider
        self.deadline = process_time() + self.seconds_per_entry
        self.parts = {part: set() for part in PARTS}
        self.samples = {}
        self.worked = 0
        self.layer = None
        self.problem = "no samples"

    def run_once(self, function, args, kwargs, made, noted):
        """Call it in the context `noted`; returns names by part. `made` are those of making it."""
        raise NotImplementedError

    def run(self, calls, skip, label="", enough=None):
        """Yield a key before each call, and the result at last; `enough` calls need to work."""
        for number, call in enumerate(calls):
            key = "{}#{}{}".format(self.name, label, number)
            late = process_time() > self.deadline
            if key in skip or (late and (self.worked or enough)):
                continue
            if enough is not None and self.worked >= enough:
                break
            yield {"at": key}
            self.attempt(call)
        for record in self.result():
            yield record

    def attempt(self, call):
        """Run one call under an alarm that ends it; what is refused is not remembered."""
        try:
            with patience(self.seconds_per_call):
                described = describe_call(call)
                self.record(*call)
                described = with_state(described, self.layer)
        except (Exception, SystemExit) as problem:
            self.problem = type(problem).__name__
            return
        self.worked += 1
        self.samples.setdefault(outline(described), described)

    def record(self, args, kwargs, built):
        """Take in the names of one call; Python frames of the first one that works."""
        made, frames, function = set(), self.framework_frames(), self.function
        noted = nullcontext() if self.worked else frames
        if built is not None:
            with noted:
                made, instance = self.recorder.record(lambda: self.function(*built[0], **built[1]))
            self.layer = instance if called(self.function) else None
            function = self.exercise(instance) if self.layer is None else instance
        if function is None:  # constructing it is all that is ever done
            return self.take({"forward": made, "constructor": made}, frames)
        return self.take(self.run_once(function, args, kwargs, made, noted), frames)

    def take(self, found, frames):
        """Add the names of one call."""
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
