"""The probe: run a case up to its failing call, and there try other APIs on the live arguments.

Each attempt runs in a forked grandchild, so that nothing an API does (crash, hang, change its
arguments) reaches the next one. Threads are pinned to one: a forked process has no thread pool.
Emits one event per plan: {"e": "probe", "i": index, "o": "ok" | "raise" | "signal" | "timeout"}.
"""

import json
import os
import select
import signal
import sys
import time

import case
from trace_calls import BUILT, text


def run(emit, code, traced, site, occurrence, plans, wanted, touch, wall, total):
    """Try `plans` (see `citadel.plan.model.Adaptation.to_json`) at one execution of one call.

    `plans` are (index, group, plan); the first plan of a group (an API) that runs through, or fails
    in the `wanted` way (exception class, signal number, "timeout"), spares the group's others.

    `touch`: also print each result (the source's failure showed only when its result was used).
    `wall`: seconds per attempt; `total`: seconds for all of them.
    """
    sys.modules["torch"].set_num_threads(1)
    probe = Probe(emit, plans, wanted, touch, wall, time.monotonic() + total)

    def hook(at, nth, function, args, kwargs):
        if at == site and nth == occurrence:
            probe.all(function, args, kwargs)
            raise case.Stop

    return case.run(emit, code, traced, hook)


class Probe:
    """The attempts at one call."""

    def __init__(self, emit, plans, wanted, touch, wall, deadline):
        self.emit = emit
        self.plans = plans
        self.wanted = wanted
        self.touch = touch
        self.wall = wall
        self.deadline = deadline

    def all(self, function, args, kwargs):
        values = live_values(function, args, kwargs)
        settled = None
        for index, group, plan in self.plans:
            if group == settled:
                continue
            if time.monotonic() > self.deadline:
                self.emit({"e": "probe", "i": index, "o": "budget"})
                break
            record = self.attempt(index, plan, values)
            self.emit(record)
            if self.settles(record):
                settled = group

    def settles(self, record):
        how = record["o"]
        if how == "raise":
            return record["types"][0] == self.wanted
        return how == "ok" or self.wanted == (record.get("code") if how == "signal" else how)

    def attempt(self, index, plan, values):
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                os.close(reading)
                record = execute(plan, values, self.touch)
                os.write(writing, json.dumps(record).encode("utf-8"))
                code = 0
            finally:
                os._exit(code)
        os.close(writing)
        record = {"e": "probe", "i": index}
        record.update(outcome(pid, reading, self.wall))
        os.close(reading)
        return record


def outcome(pid, reading, wall):
    """Wait for a grandchild, and kill it when it takes too long."""
    data = b""
    deadline = time.monotonic() + wall
    while True:
        ready = select.select([reading], [], [], max(0.0, deadline - time.monotonic()))[0]
        chunk = os.read(reading, 65536) if ready else None
        if not chunk:
            break
        data += chunk
    if chunk is None:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return {"o": "timeout"}
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        return {"o": "signal", "code": os.WTERMSIG(status)}
    try:
        return json.loads(data.decode("utf-8"))
    except ValueError:
        return {"o": "exit", "code": os.WEXITSTATUS(status)}


def live_values(function, args, kwargs):
    """The values behind the keys of a plan: receiver, arguments, the layer's construction."""
    values = {"arg:%d" % index: value for index, value in enumerate(args)}
    values.update(("kw:" + name, value) for name, value in kwargs.items())
    values.update(("new:%d" % index, value) for index, value in enumerate(args))
    values.update(("newkw:" + name, value) for name, value in kwargs.items())
    owner = getattr(function, "__self__", None)
    if owner is not None:
        values["recv"] = owner
    built = BUILT.get(id(function))
    if built is not None:
        values.update(("new:%d" % index, value) for index, value in enumerate(built[0]))
        values.update(("newkw:" + name, value) for name, value in built[1].items())
    for name, parameter in getattr(function, "_parameters", {}).items():
        values["attr:" + name] = parameter
    return values


def execute(plan, values, touch):
    """Make the planned call; says whether preparing the arguments or the call itself failed."""
    stage = "adapt"
    try:
        receiver = plan["receiver"] and evaluate(plan["receiver"], values)
        new = arguments(plan["new"], values)
        call = arguments(plan["call"], values)
        form = plan["form"]
        if form == "method":
            target = getattr(receiver, plan["target"].rsplit(".", 1)[1])
        else:
            target = resolve(plan["target"])
        stage = "call"
        if form in ("module", "constructor"):
            target = result = target(*new[0], **new[1])
        if form != "constructor":
            result = target(*call[0], **call[1])
        if touch:
            repr(result)
    except BaseException as problem:
        kinds = [kind.__name__ for kind in type(problem).__mro__ if kind is not object]
        return {"o": "raise", "at": stage, "types": kinds, "message": text(problem)[:2000]}
    return {"o": "ok"}


def resolve(name):
    """The object behind a public dotted name of the framework."""
    first, *rest = name.split(".")
    thing = sys.modules[first]
    for part in rest:
        thing = getattr(thing, part)
    return thing


def arguments(slots, values):
    positional = [evaluate(expression, values) for name, expression in slots if name is None]
    keywords = {name: evaluate(expression, values) for name, expression in slots if name}
    return positional, keywords


def evaluate(expression, values):
    """A taken value with its steps applied, or a literal."""
    if "key" not in expression:
        return eval(expression["text"], {name: sys.modules.get(name) for name in ("torch",)})
    value = values[expression["key"]]
    for name, amount in expression["steps"]:
        value = STEPS[name](value, amount)
    return value


def lift(value, amount):
    """Add trailing dimensions of size 1; opaque layouts go through a dense tensor."""
    if value.layout is sys.modules["torch"]._mkldnn:
        return lift(value.to_dense(), amount).to_mkldnn()
    for _ in range(amount):
        value = value.unsqueeze(-1)
    return value


def lower(value, amount):
    """Drop trailing dimensions, keeping their first entries."""
    if value.layout is sys.modules["torch"]._mkldnn:
        return lower(value.to_dense(), amount).to_mkldnn()
    for _ in range(amount):
        value = value.select(-1, 0)
    return value


def narrow(value, amount):
    """Make the last dimension `amount` long: cut it, or repeat its first entry."""
    have = value.shape[-1]
    if have >= amount:
        return value[..., :amount]
    torch = sys.modules["torch"]
    return torch.cat([value] + [value[..., :1]] * (amount - have), -1)


def resize(value, amount):
    """Make a list or tuple `amount` long: cut it, or repeat its last entry."""
    return type(value)((list(value) + [value[-1]] * amount)[:amount])


STEPS = {
    "lift": lift,
    "lower": lower,
    "narrow": narrow,
    "resize": resize,
    "list": lambda value, _: [value],
}
