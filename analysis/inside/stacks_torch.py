"""The call stack of one API as people look at it: Python frames, layers, operators, kernels.

In: a name. Out: one record per line of the tree, in order: `{"part": "constructor" | "forward" |
"backward", "depth", "name", "kind": "python" | "module" | "operator" | "backward node" | "runtime"
| "kernel", "shapes": of the tensors given or None, "file": "torch/nn/functional.py:123" or None}`;
then `{"provider", "of"}`: who made the sample. Left out is what no API does: the profiler, this
code, checks for overrides, and Python that neither is the framework's nor runs operators of it.
"""

import re
import signal
from contextlib import suppress

import torch
from exercises_torch import exercise
from recorder_torch import ACCUMULATES, ENGINE, POP, copied, gradient, legacy, tensors
from tested_torch import changeable, demanding, prepare
from working_torch import sample_calls

MOST_LINES = 2000
SECONDS = 60.0
FRAME = re.compile(r"^(.*)\((\d+)\): (.*)$")
BUILT_IN = re.compile(r"<(?:built-in|slot) (?:method|function|wrapper) '?(\w+)'?")
PROFILER = ("torch/profiler/", "torch/autograd/profiler")
PLUMBING = ("torch/overrides.py", "torch/_jit_internal.py", "torch/testing/")
"""Files of frames that stand in every stack, or in none but ours; what they call counts."""
RUNTIME = re.compile(r"^(cuda|hip|cu)[A-Z]")


def stacks(name, sample_number=0, depth=100):
    """Yield the lines of the stacks of the `sample_number`-th call of an API that works."""
    prepare()
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    working = 0
    for provider, function, in_place, call in sample_calls(name):
        try:
            parts = fullest(function, in_place, call() if callable(call) else call)
        except Exception:
            continue
        if not any(lines for _, lines in parts) or working < sample_number:
            working += bool(parts)
            continue
        for part, lines in parts:
            for line in [line for line in lines if line["depth"] < depth][:MOST_LINES]:
                yield dict(line, part=part)
        yield {"provider": provider, "of": name}
        return


def fullest(function, in_place, call):
    """The parts of a call; with tensors that want gradients where it has no backward run else."""
    parts = list(run(function, in_place, call))
    wanting = demanding(call) if parts[-1][0] != "backward" else None
    if wanting is not None:
        with suppress(Exception):
            return list(run(function, in_place, wanting))
    return parts


def run(function, in_place, call):
    """(part, lines) of one call."""
    args, kwargs, built = call
    if built is not None:
        made = copied(tuple(built[0])), copied(built[1])
        lines, instance = profiled(lambda: function(*made[0], **made[1]))
        yield "constructor", lines
        function = exercise(instance)
    args = copied(tuple(args))
    if in_place:
        args = tuple(changeable(item) for item in args)
    lines, result = profiled(lambda: function(*args, **kwargs))
    yield "forward", lines
    for output in (result, *tensors(result)):
        backward = gradient(output)
        if backward is None:
            continue
        with suppress(RuntimeError, NotImplementedError):
            kept = nodes_only(profiled(backward)[0])
            # Changing in place needs a clone of each leaf (`changeable`), which is not the API's.
            yield "backward", [line for line in kept if not (in_place and is_clone(line))]
            return


def is_clone(line):
    """Whether a line is the gradient of a clone that is no part of anything else."""
    return line["depth"] == 0 and line["name"] == "CloneBackward0"


def profiled(call):
    """(lines, result) of a call; without Python frames where the full profiler does not work."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    if torch.cuda.is_available():
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    try:
        profiler = torch.profiler.profile(
            activities=activities, with_stack=True, with_modules=True, record_shapes=True
        )
        profiler.start()
    except (RuntimeError, AssertionError):
        return plain(call)
    try:
        result = call()
    finally:
        profiler.stop()
    roots = profiler.profiler.kineto_results.experimental_event_tree()
    return [line for root in roots for line in lines_of(root, 0)], result


def plain(call):
    """(lines, result) of a call by the light hooks: operators only."""
    threads, result = legacy(call)
    lines = []
    for thread in threads:
        depth = 0
        for name in thread:
            if name is not POP:
                lines.append(described(depth, name, operator_kind(name)))
            depth += -1 if name is POP else 1
    return lines, result


def lines_of(event, depth):
    """Lines of an event and what is below it; what is left out hands its place to them."""
    own = line_of(event, depth)
    if own == "nothing":
        return []
    below = depth + 1 if own is not None else depth
    inner = [line for child in event.children for line in lines_of(child, below)]
    if own is None or (own.pop("needs") and not inner):
        return inner
    return [own, *inner]


def line_of(event, depth):
    """The line of one event, None where only what is below it counts, or "nothing".

    `needs` marks what only matters if there is something below it.
    """
    kind = str(event.tag).rpartition(".")[2]
    if kind == "PyCall":
        return frame_line(event, depth)
    if kind == "PyCCall":
        match = BUILT_IN.match(event.name)
        line = described(depth, match.group(1) if match else event.name.strip("<>"), "python")
        return dict(line, needs=True)
    if kind == "Allocation":
        return "nothing"
    if kind == "Kineto":
        kind = "runtime" if RUNTIME.match(event.name) else "kernel"
        return dict(described(depth, event.name, kind), needs=False)
    shapes = shapes_of(event.extra_fields)
    return dict(described(depth, event.name, operator_kind(event.name), shapes), needs=False)


def frame_line(event, depth):
    """The line of a Python frame: of a layer's own, of the framework's; others are passed over."""
    site = event.extra_fields.callsite
    layer = getattr(event.extra_fields, "module", None)
    if layer is not None:
        file = "{}:{}".format(site.file_name, site.line_number)
        return dict(described(depth, layer.cls_name, "module", file=file), needs=False)
    match = FRAME.match(event.name)
    file, line, function = match.groups() if match else ("", "0", event.name)
    if file.startswith(PROFILER):
        return "nothing"
    if not file.startswith("torch/") or file.startswith(PLUMBING) or function.startswith("<"):
        return None
    line = described(depth, function, "python", file="{}:{}".format(file, line))
    return dict(line, needs=function.startswith("__"))


def described(depth, name, kind, shapes=None, file=None):
    """One line of a stack."""
    return {"depth": depth, "name": name, "kind": kind, "shapes": shapes, "file": file}


def operator_kind(name):
    """Whether a range is a node of the graph of gradients or an operator."""
    return "backward node" if re.search(r"Backward\d*$", name) else "operator"


def shapes_of(fields):
    """Shapes of an operator's tensors as text; None where there are none or they are not told."""
    inputs = getattr(fields, "inputs", None)
    if inputs is None:
        return None
    if hasattr(inputs, "shapes"):  # 1.13; lists stand for tensors and for all else
        found = [list(shape) for shape in inputs.shapes if shape]
    else:
        found = [list(item.sizes) for item in inputs if hasattr(item, "sizes")]
    return ", ".join(map(str, found)) or None


def nodes_only(lines):
    """The lines of a backward run from its nodes on: neither the engine nor the storing in leaves.

    Depth counts from the node.
    """
    kept, base, inside = [], 0, False
    for line in lines:
        if line["name"].startswith(ENGINE):
            base, inside = line["depth"] + 1, True
        elif inside and line["depth"] < base:
            inside = False
        elif line["name"] == ACCUMULATES:
            inside = False
        elif inside:
            kept.append(dict(line, depth=line["depth"] - base))
    return kept
