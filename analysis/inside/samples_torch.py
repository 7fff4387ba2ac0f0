"""Run the sample inputs that PyTorch ships for its own tests and record what each API runs.

Out, in order, per entry of the two databases (operators and layers): `{"entry": number, "of":
total}`, then the records of `tested_torch`. Interleaved parts of the databases can run in parallel.
"""

from functools import partial
from itertools import islice
from time import process_time

import operators_torch
import torch
from recorder_torch import Recorder, copied
from tested_torch import MOST_SAMPLES, SECONDS_PER_ENTRY, Tested, prepare

REACHING = 2
"""Samples of an entry by which other operators are reached."""
OPERATORS, LAYERS = "opinfo", "moduleinfo"
"""Providers of samples, as the records name them."""


def profile(part=0, parts=1, first=0, skip=()):
    """Run every `parts`-th entry from number `first` on, without the calls in `skip`."""
    prepare()
    skip, recorder = frozenset(skip), Recorder()
    try:
        entries, known = operators() + layers(), packets()
    except ImportError as problem:
        yield {"unavailable": str(problem)}
        return
    for number in range(part, len(entries), parts):
        if number < first:
            continue
        yield {"entry": number, "of": len(entries)}
        torch.default_generator.manual_seed(0)
        for record in entries[number](skip, recorder, known):
            yield record


def operators():
    """One generator function per entry of the database of operators."""
    from torch.testing._internal.common_methods_invocations import op_db

    return [partial(run_operator, info) for info in op_db]


def packets():
    """The operators that the database of operators has samples of."""
    from torch.testing._internal.common_methods_invocations import op_db

    names = {name for info in op_db for name, _, _ in forms(info)}
    return {name for name in names if name.startswith(operators_torch.PREFIX)}


def layers():
    """One generator function per entry of the database of layers."""
    from torch.testing._internal.common_modules import module_db

    return [partial(run_layer, info) for info in module_db]


def run_operator(info, skip, recorder, known):
    """Records of all forms of one operator: function, method, in place, operator, aliases; and of
    operators that it reaches, of which none is `known` yet."""
    try:
        samples = list(islice(sample_inputs(info), MOST_SAMPLES))
    except Exception as problem:
        reason = "no samples: " + type(problem).__name__
        yield {"n": "torch." + info.name, "f": reason, "v": OPERATORS}
        return
    deadline = process_time() + SECONDS_PER_ENTRY
    for name, function, in_place in forms(info):
        run, calls = form_calls(name, function, in_place, samples)
        tested = Tested(name, run, recorder, OPERATORS, in_place, deadline)
        for record in tested.run(calls, skip, wrapper=function):
            yield record
    for sample in samples[:REACHING]:
        run = partial(info.op, copied(sample.input), *copied(sample.args), **sample.kwargs)
        for record in run_reached(info.name, run, OPERATORS, skip, recorder, known):
            yield record


def run_reached(name, run, provider, skip, recorder, known):
    """Records of the operators that a call reaches, forward and backward."""
    key = name + "#reaches"
    if key in skip:
        return
    yield {"at": key}
    for packet, calls in operators_torch.reached(run, known).items():
        in_place = packet.endswith("_")
        tested = Tested(packet, named(packet), recorder, provider, in_place)
        for record in tested.run(calls, skip, label=name + " "):
            yield record
        if tested.worked:
            known.add(packet)


def form_calls(name, function, in_place, samples):
    """(what to call, its calls) of one form under the samples of its operator."""
    calls = [
        ((sample.input, *sample.args), sample.kwargs, None)
        for sample in samples
        if not (in_place and getattr(sample, "broadcasts_input", False))
    ]
    target = named(name)
    if target is not None and function is not target:
        calls = [captured(target, function, call) or call for call in calls]
    return (target if callable(target) else function), calls


def sample_inputs(info):
    """The database's own samples of the first dtype that is worth having."""
    supported = info.supported_dtypes("cpu") if hasattr(info, "supported_dtypes") else info.dtypes
    wanted = (torch.float32, torch.float64, torch.int64, torch.bool, torch.complex64)
    dtype = next((item for item in (*wanted, *supported) if item in supported), torch.float32)
    differentiable = bool(info.supports_autograd) and (dtype.is_floating_point or dtype.is_complex)
    return info.sample_inputs("cpu", dtype, requires_grad=differentiable)


def forms(info):
    """(public name, callable, changes its input) of every form of an operator, once each."""
    found = {}
    aliases = [(item, item.name) for item in getattr(info, "aliases", ())]
    for item, name in [(info, info.name), *aliases]:
        function = getattr(item, "op", None)
        if named("torch." + name) is not None:
            found.setdefault("torch." + name, (function, name.endswith("_")))
        for attribute in ("method_variant", "inplace_variant"):
            add_method(found, getattr(item, attribute, None), attribute == "inplace_variant")
        add_method(found, function, name.endswith("_"))
    for attribute in ("operator_variant", "inplace_operator_variant"):
        function = getattr(info, attribute, None)
        special = "torch.Tensor.__{}__".format(getattr(function, "__name__", "").strip("_"))
        if function is not None and named(special) is not None:
            found.setdefault(special, (function, attribute != "operator_variant"))
    packet = "torch.ops.aten." + (getattr(info, "aten_name", None) or info.name.split(".")[-1])
    if named(packet) is not None:
        found.setdefault(packet, (named(packet), False))
    return [(name, function, in_place) for name, (function, in_place) in found.items()]


def add_method(found, function, in_place):
    """Note a method of the tensor class under its name there."""
    name = getattr(function, "__name__", "")
    if name.isidentifier() and getattr(torch.Tensor, name, None) is function:
        found.setdefault("torch.Tensor." + name, (function, in_place))


def named(name):
    """The function or method of that dotted name; None where there is none."""
    thing = torch
    for part in name.split(".")[1:]:
        thing = getattr(thing, part, None)
    return thing if callable(thing) and not isinstance(thing, type) else None


def captured(target, wrapper, call):
    """The arguments with which a test's own wrapper calls the API that it stands for."""
    from torch.overrides import TorchFunctionMode

    seen = []

    class Capture(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            if function is target and not seen:
                seen.append((args, dict(kwargs or {}), None))
            return function(*args, **(kwargs or {}))

    try:
        with Capture():
            wrapper(*copied(call[0]), **call[1])
    except Exception:
        return None
    return seen[0] if seen else None


def run_layer(info, skip, recorder, known):
    """The record of one layer class: constructed, called and differentiated; and of operators that
    it reaches, of which none is `known` yet."""
    kind = info.module_cls
    name = "{}.{}".format(kind.__module__, kind.__qualname__)
    try:
        calls = layer_calls(info)
    except Exception as problem:
        yield {"n": name, "f": "no samples: " + type(problem).__name__, "v": LAYERS}
        return
    tested = Tested(name, kind, recorder, LAYERS)
    for record in tested.run(calls, skip):
        yield record
    for args, kwargs, built in calls[:REACHING]:
        run = partial(used, kind, built, args, kwargs)
        for record in run_reached(name, run, LAYERS, skip, recorder, known):
            yield record


def used(kind, built, args, kwargs):
    """What a new layer gives."""
    return kind(*built[0], **built[1])(*copied(args), **kwargs)


def layer_calls(info):
    """The calls of a layer class under its samples."""
    inputs = info.module_inputs_func(
        info, device="cpu", dtype=torch.float32, requires_grad=True, training=True
    )
    given = [(item.constructor_input, item.forward_input) for item in islice(inputs, 24)]
    return [
        (forward.args, forward.kwargs, (built.args, built.kwargs))
        for built, forward in given
        if forward is not None
    ][:MOST_SAMPLES]
