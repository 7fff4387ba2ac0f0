"""Which operators a call runs and which call which, by the framework's own light profiler hooks.

In: a call without arguments. Out: its result, the names of the ranges that it opened
("aten::conv2d", "ConvolutionBackward0"; the host makes them comparable), and the bodies of
operators: which ones each opened itself, in one of its calls. These are the call stacks of the
paper's section 4.5. Where there is only a CPU the legacy
hooks do it: Kineto costs four times as much per call, but knows kernels and runtime calls.
"""

from contextlib import suppress

import torch
from frames import Frames

ENGINE = "autograd::engine::"
ACCUMULATES = "torch::autograd::AccumulateGrad"
ROOT = "torch::autograd::GraphRoot"
POP = None
FRAMEWORK = ("torch.",)
HARNESS = ("torch.testing.", "torch.profiler.", "torch.autograd.profiler")
"""Modules whose Python functions are noted, and those among them that only watch."""
OUTSIDE, TRANSPARENT = object(), object()
"""Marks of ranges that do not count themselves: with all below them, or without."""
MOST_BODIES = 12
"""Different bodies kept of one operator: its overloads and the ways it takes."""


def framework_frames():
    """Notes the Python functions of PyTorch that run."""
    return Frames(FRAMEWORK, HARNESS)


class Recorder:
    """Runs calls; remembers bodies that are still to be told, each once."""

    def __init__(self):
        self.hook = kineto if torch.cuda.is_available() else legacy
        self.bodies = {}
        self.fresh = {}

    def record(self, call, outermost=TRANSPARENT):
        """(names, result) of a call; its exceptions pass through."""
        threads, result = self.hook(call)
        names = set()
        for thread in threads:
            found, bodies = nesting(thread, outermost)
            names |= found
            for operator, body in bodies:
                self.note(operator, body)
        return names, result

    def note(self, operator, body):
        """Remember one body of an operator if it is a new one."""
        known = self.bodies.setdefault(operator, set())
        if body not in known and len(known) < MOST_BODIES:
            known.add(body)
            self.fresh.setdefault(operator, []).append(sorted(body))

    def backward(self, result, ignored=()):
        """Names of what the gradient of a result runs, below the nodes of its graph.

        Where the gradient of all outputs fails, those of single ones may still work.
        """
        run = gradient(result)
        if run is None:
            return set()
        with suppress(RuntimeError, NotImplementedError):
            return self.record(run, outermost=OUTSIDE)[0] - set(ignored)
        names = set()
        for output in tensors(result):
            run = gradient(output)
            if run is not None:
                with suppress(RuntimeError, NotImplementedError):
                    names |= self.record(run, outermost=OUTSIDE)[0]
        return names - set(ignored)

    def edges(self):
        """Records of the bodies that were not told before: at most one."""
        told, self.fresh = self.fresh, {}
        return [{"e": told}] if told else []


def nesting(thread, outermost=TRANSPARENT):
    """(names, bodies) of one thread's ranges, given as names in order of opening; POP closes one.

    A body is (operator, names that it opened itself). The engine's own ranges are looked through.
    Storing a gradient in a leaf is no part of an API.

    >>> bodies = nesting(["a", "b", POP, "b", "c", POP, POP, POP])[1]
    >>> [(name, sorted(body)) for name, body in sorted(bodies)]
    [('a', ['b']), ('b', ['c'])]
    """
    names, bodies, above = set(), set(), [(outermost, set())]
    for name in thread:
        parent, body = above[-1]
        if name is POP:
            if len(above) > 1:
                above.pop()
                if body:
                    bodies.add((parent, frozenset(body)))
        elif name.startswith(ENGINE) or name == ROOT:
            above.append((TRANSPARENT, set()))
        elif parent is OUTSIDE or name == ACCUMULATES:
            above.append((OUTSIDE, set()))
        else:
            names.add(name)
            if parent is not TRANSPARENT:
                body.add(name)
            above.append((name, set()))
    return names, bodies


def configuration(state):
    """The profiler's settings: nothing but names."""
    experimental = torch._C._profiler._ExperimentalConfig()
    return torch.autograd.ProfilerConfig(state, False, False, False, False, False, experimental)


def legacy(call):
    """(ranges of each thread, result) of a call, by the hooks that work without Kineto."""
    torch.autograd._enable_profiler_legacy(configuration(torch.autograd.ProfilerState.CPU))
    try:
        result = call()
    finally:
        threads = torch.autograd._disable_profiler_legacy()
    return [ranges(thread) for thread in threads], result


def ranges(thread):
    """Names and closings of one thread's events; marks are left out."""
    for event in thread:
        kind = event.kind()
        if kind == "push":
            yield event.name()
        elif kind == "pop":
            yield POP


def kineto(call):
    """(ranges of each thread, result) of a call, with kernels and runtime calls below operators."""
    wanted = {torch.autograd.ProfilerActivity.CPU}
    if torch.cuda.is_available():
        wanted.add(torch.autograd.ProfilerActivity.CUDA)
    settings = configuration(torch.autograd.ProfilerState.KINETO)
    torch.autograd._prepare_profiler(settings, wanted)
    torch.autograd._enable_profiler(settings, wanted)
    try:
        result = call()
        if torch.cuda.is_available():
            torch.cuda.synchronize()  # kernels that are still running would not be listed
    finally:
        events = torch.autograd._disable_profiler().events()
    return [timed(thread) for thread in by_thread(events).values()], result


def by_thread(events):
    """(beginning, end, name) of every event by thread; kernels lie in the thread that called."""
    threads, launched = {}, {}
    kernels = []
    for event in events:
        if event.device_type() != torch.autograd.DeviceType.CPU:
            kernels.append(event)
            continue
        begin, end = times(event)
        threads.setdefault(event.start_thread_id(), []).append((begin, end, event.name()))
        launched[event.correlation_id()] = event
    for event in kernels:
        operator = launched.get(event.linked_correlation_id())
        if operator is not None:
            _, end = times(operator)  # as if it ran when its operator was about to return
            threads[operator.start_thread_id()].append((end, end, event.name()))
    return threads


def times(event):
    """Beginning and end of an event, in the unit that the version has."""
    if hasattr(event, "start_ns"):
        return event.start_ns(), event.start_ns() + event.duration_ns()
    return event.start_us(), event.start_us() + event.duration_us()


def timed(events):
    """Names and closings of events that are known by their times."""
    ends = []
    for begin, end, name in sorted(events, key=lambda event: (event[0], -event[1])):
        while ends and (ends[-1] < begin or ends[-1] < end):
            ends.pop()
            yield POP
        ends.append(end)
        yield name


def gradient(result):
    """A function that runs the gradient of a result; None where there is none to run.

    The incoming gradients are made here: summing the result would add operators to every set.
    """
    outputs = [t for t in tensors(result) if t.requires_grad and t.grad_fn is not None]
    if not outputs:
        return None
    ones = [torch.ones_like(item.detach()) for item in outputs]
    return lambda: torch.autograd.backward(outputs, ones, retain_graph=True)


def tensors(result, depth=3):
    """The tensors in a nested result."""
    if isinstance(result, torch.Tensor):
        return [result]
    if depth and isinstance(result, (list, tuple)):
        return [tensor for item in result for tensor in tensors(item, depth - 1)]
    if depth and isinstance(result, dict):
        return tensors(list(result.values()), depth)
    return []


def copied(value, depth=3):
    """A value with fresh tensors of the same content, still asking for gradients."""
    if isinstance(value, torch.Tensor):
        if type(value) is not torch.Tensor:
            return value
        copy = value.detach().clone()
        return copy.requires_grad_() if value.requires_grad else copy
    if depth and type(value) in (list, tuple):
        return type(value)(copied(item, depth - 1) for item in value)
    if depth and type(value) is dict:
        return {key: copied(item, depth - 1) for key, item in value.items()}
    return value
