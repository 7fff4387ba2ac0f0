"""A planned call, made on the values of a running case: text is never parsed for it.

In: a plan (see `citadel.plan.model.Adaptation.to_json`) and the values behind its keys. Out: what
became of the call, and its result.
"""

import ast
import sys

import side
import texts
from trace_calls import BUILT, OPERATORS, others


def live_values(live, function, args, kwargs):
    """The values behind the keys of a plan: receiver, arguments, the layer's construction."""
    if function in vars(OPERATORS).values():
        # As the tracer decides it: the operator is that of the first operand that is followed.
        left = len(args) == 1 or side.module("names").interesting(args[0])
        rest = others("operator" if left else "reflected", args)
        values = {"arg:%d" % index: value for index, value in enumerate(rest)}
        return dict(values, recv=args[0] if left else args[1])
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
    if not isinstance(function, type):  # a class has no state before it is one's own
        for name, attribute in live.attributes(function).items():
            values["attr:" + name] = attribute
        if hasattr(live, "become"):
            values["layer"] = function
    return values


def execute(live, plan, values, outputs=0):
    """Make the planned call: (record, result).

    The record's stage says whether preparing the arguments ("adapt") or the call itself failed, its
    "taken" what makes the result one of as many `outputs` as are wanted (0: of any): of several the
    "first" one, one that is "spread" over all, or several numbers "reduced" to one.
    """
    if plan["symbolic"]:
        return _within_layer(live, plan, values, outputs)
    stage = "adapt"
    try:
        receiver = plan["receiver"] and evaluate(live, plan["receiver"], values)
        new = arguments(live, plan["new"], values)
        call = arguments(live, plan["call"], values)
        form = plan["form"]
        if form == "method":
            target = getattr(receiver, plan["target"].rsplit(".", 1)[1])
        else:
            target = resolve(live, plan["target"])
        stage = "call"
        if form in ("module", "constructor"):
            target = result = target(*new[0], **new[1])
        if form == "module" and "layer" in values:
            live.become(target, values["layer"])
        if plan["state"]:
            stage = "adapt"
            live.load(target, *call, arguments(live, plan["state"], values)[1])
            stage = "call"
        if form != "constructor":
            result = target(*call[0], **call[1])
        stage = "adapt"
        taken = ""
        if outputs == 1 and several(result):
            taken, result = "first", result[0]
        elif outputs > 1 and side.module("names").interesting(result):
            taken = "spread"
        elif plan["reduce"] and getattr(result, "ndim", 0):
            taken, result = _reduced(live, plan["reduce"], result)
        result = stepped(live, result, plan["after"])
        result = spread(result, outputs) if taken == "spread" else result
    except BaseException as problem:
        return raised(stage, problem), None
    return {"o": "ok", "taken": taken}, result


def _reduced(live, step, result):
    """One number of several, where there is one: of integers PyTorch computes no mean."""
    try:
        return "reduced", live.STEPS[step](result)
    except Exception:
        return "", result


def raised(stage, problem):
    """The record of an attempt that ended with an exception."""
    kinds = [kind.__name__ for kind in type(problem).__mro__ if kind is not object]
    return {"o": "raise", "stage": stage, "types": kinds, "message": texts.of(problem)}


def _within_layer(live, plan, values, outputs):
    """Make the planned call as `execute` does, within a layer that is called on placeholders."""
    keys, told = plan["symbolic"], []

    def call(*given):
        record, result = execute(
            live, dict(plan, symbolic=()), dict(values, **dict(zip(keys, given))), outputs
        )
        told.append(record)
        return result

    try:
        result = live.within_layer(call, [values[key] for key in keys])
    except BaseException as problem:
        own = told and told[-1]["o"] == "raise"
        return told[-1] if own else raised("call", problem), None
    return told[-1], result if told[-1]["o"] == "ok" else None


def several(result):
    """Whether it is a tuple or list of outputs."""
    listed = isinstance(result, (tuple, list)) and len(result) > 0
    return listed and side.module("names").interesting(result[0])


def resolve(live, name):
    """The object behind a public dotted name of the framework."""
    first, *rest = name.split(".")
    thing = live.MODULES.get(first) or sys.modules[first]
    for part in rest:
        thing = getattr(thing, part)
    return thing


def arguments(live, slots, values):
    positional, keywords = [], {}
    for name, expression in slots:
        value = evaluate(live, expression, values)
        if name is None:
            positional.append(value)
        elif name == "*":
            positional.extend(value)
        else:
            keywords[name] = value
    return positional, keywords


def evaluate(live, expression, values):
    """A taken value with its steps applied, a list of such or what is made of it, or a literal."""
    if "items" in expression:
        items = [evaluate(live, item, values) for item in expression["items"]]
        return live.STEPS[expression["made"]](items) if "made" in expression else items
    if "key" not in expression:
        return eval(expression["text"], dict(live.MODULES))
    return stepped(live, values[expression["key"]], expression["steps"])


def stepped(live, value, steps):
    """The value, changed step by step."""
    for name, *given in steps:
        value = (STEPS.get(name) or live.STEPS[name])(value, *given)
    return value


def resize(value, amount, behind=0):
    """Make a list or tuple `amount` long, its ends apart: cut it, or repeat its last entry."""
    items = list(value)
    first, last = items[:behind], items[len(items) - behind :]
    middle = items[behind : len(items) - behind]
    return type(value)(first + (middle + [middle[-1]] * amount)[:amount] + last)


def last(value, amount, behind=0):
    """The last `amount` entries of a list or tuple, its ends apart."""
    items = list(value)
    end = len(items) - behind
    return type(value)(items[:behind] + items[behind:end][-amount:] + items[end:])


def extend(value, amount, *given):
    """Put a number in front of the last of a list, `amount` times; `given` end with its text."""
    items = list(value)
    end = len(items) - (given[0] if len(given) == 2 else 0)
    return type(value)(items[:end] + [ast.literal_eval(given[-1])] * amount + items[end:])


def ends(value, amount):
    """Numbers with a 1 at either end; a single one stands for all."""
    return [1] + ([value] * amount if isinstance(value, int) else list(value)) + [1]


def spread(value, amount):
    """One output in the place of several."""
    return [value] * amount


def as_many(value, amount):
    """The first of several outputs, the last one again for those that are wanting."""
    return [*value, *[value[-1]] * amount][:amount]


STEPS = {
    "first": lambda value: value[0],
    "item": lambda value, amount: value[amount],
    "spread": spread,
    "outputs": as_many,
    "resize": resize,
    "last": last,
    "extend": extend,
    "each": lambda value, amount: (value,) * amount,
    "ends": ends,
    "inner": lambda value: value[1:-1],
    "list": lambda value: [value],
    "negate": lambda value: -value,
    "number": lambda value, text: {"int": int, "float": float}[text](value),
    "say": lambda _, text: ast.literal_eval(text),
    "dtype": lambda value, _: value.dtype,
}
"""What is done alike in all frameworks; what changes tensors is the framework's."""
