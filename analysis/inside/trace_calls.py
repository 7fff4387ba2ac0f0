"""The tracer that instrumented code calls: records public calls with their bound values.

One event when a call starts and one when it ends, so that the call that never returned is known
after a crash. Only metadata is recorded (see `values`). Objects carry a number (`id`) so that the
host can follow a tensor from the call that made it to the call that choked on it.
"""

import operator
import types
from time import perf_counter

import nested
import side
import texts
from handed import Handed, unbound
from values import describe

MAX_EVENTS = 4000
QUIET_AFTER = 200
"""Calls of one site that are recorded in full; later ones only when they fail."""
MOST_ITEMS = 16
"""Items of a list up to which each is known again."""
BUILT = {}
"""How each layer was constructed: id -> (args, kwargs); the tracer keeps the layers alive."""


OPERATORS = types.SimpleNamespace(slice=slice)
OPERATORS.__dict__.update(
    (name, getattr(operator, name))
    for name in (
        "add sub mul truediv floordiv mod pow matmul lshift rshift and_ or_ xor neg pos invert "
        "eq ne lt le gt ge getitem setitem iadd isub imul itruediv ifloordiv imod ipow imatmul "
        "ilshift irshift iand ior ixor"
    ).split()
)
_OPERATOR_NAMES = {function: name for name, function in vars(OPERATORS).items()}
_SWAPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


REFERENCES = ("numpy", "scipy")
"""Packages whose refusals are told as well: a report may compare with them."""
MOST_CONTEXTS = 16
"""Contexts around a call that are told, the innermost ones."""


class Entered:
    """Stands for a context while it lasts."""

    def __init__(self, within, number, context):
        self.within, self.number, self.context = within, number, context

    def __enter__(self):
        value = type(self.context).__enter__(self.context)
        self.within.append(self.number)
        return value

    def __exit__(self, *raised):
        self.within.remove(self.number)
        return type(self.context).__exit__(self.context, *raised)


class Tracer:
    """Callable `(site, function, *args, **kwargs)` that calls, records and returns the result.

    `hook(site, occurrence, function, args, kwargs)` runs before the call, if given (the probe); it
    may return `(result,)`, which then stands in for the call.
    """

    def __init__(self, emit, hook=None):
        self.emit = emit
        self.hook = hook
        self.count = 0
        self.seen = {}
        self.alive = []  # keeps described objects alive, so that their numbers stay theirs
        self.numbers = {}
        self.depth = 0
        self.explaining = 0
        self.compiled = 0  # how many functions that a compiler made are running
        self.names = side.module("names")
        self.handed = Handed(self)
        self.last = {}  # site -> number of its last call
        self.within = []  # numbers of the calls that made the contexts around, outermost first
        self.running = []  # (site, id) of what is being called, the innermost last
        self.placed = {}  # where the text calls a layer: id -> site
        if getattr(self.names, "LAYER", None) is not None:
            nested.follow(self.names.LAYER, self.nested)

    def __call__(self, site, function, /, *args, **kwargs):
        return self.call(site, function, args, kwargs)

    def call(self, site, function, args, kwargs, within=None):
        """Make the call; `within`: "inner" in a row of layers, "handed" to another function."""
        occurrence = self.seen[site] = self.seen.get(site, 0) + 1
        function, args, kwargs = unbound(self.handed.original(function), args, kwargs)
        name, form, receiver = self.identify(function, args)
        self.running.append((site, id(function if receiver is None else receiver)))
        try:
            return self.made(
                site, occurrence, function, args, kwargs, (name, form, receiver), within
            )
        finally:
            self.running.pop()

    def made(self, site, occurrence, function, args, kwargs, identity, within):
        """Make the call of what is known by name, unless the hook does."""
        name, form, receiver = identity
        if form == "module" and within is None:
            self.placed.setdefault(id(receiver), site)
        if self.hook is not None:
            # `layer.forward(x)` is a call of the layer.
            called = receiver if form == "module" else function
            replaced = self.hook(site, occurrence, called, args, kwargs)
            if replaced is not None:
                if form == "class":
                    self.alive.append(replaced[0])
                    BUILT[id(replaced[0])] = (args, kwargs)
                return replaced[0]
        if not self.worth(name, form, args, kwargs):
            return self.foreign(site, occurrence, name, function, args, kwargs)
        form = within_form(form, within)
        number = self.count = self.last[site] = self.count + 1
        loud = occurrence <= QUIET_AFTER and number <= MAX_EVENTS
        compiled = self.names is not None and self.names.compiled(function)
        self.compiled += compiled
        if loud:
            self.started(number, site, occurrence, name, form, receiver, args, kwargs)
        self.depth += 1
        began = perf_counter()
        try:
            result = self.result(site, function, args, kwargs)
        except BaseException as problem:
            if not loud:
                self.started(number, site, occurrence, name, form, receiver, args, kwargs)
            self.raised(number, problem, perf_counter() - began)
            raise
        finally:
            self.depth -= 1
            self.compiled -= compiled
        took = perf_counter() - began
        made = receiver if form == "class" and receiver is not None else result
        if form == "class":
            BUILT[id(made)] = (args, kwargs)
        if loud:
            value = self.seen_value(made, numbered=form == "class")
            self.emit({"e": "return", "n": number, "value": value, "t": took})
        return result

    def foreign(self, site, occurrence, name, function, args, kwargs):
        """Make a call that is not recorded, but where a reference refuses it."""
        args, kwargs = self.handed.watched(site, function, args, kwargs)
        try:
            return function(*args, **kwargs)
        except Exception as problem:
            if name.partition(".")[0] in REFERENCES:
                self.count += 1
                self.started(self.count, site, occurrence, name, "other", None, args, kwargs)
                self.raised(self.count, problem, 0.0)
            raise

    def raised(self, number, problem, took):
        """Tell how a call ended that did not return."""
        kinds = [kind.__name__ for kind in type(problem).__mro__ if kind is not object]
        told = {"e": "raise", "n": number, "types": kinds, "message": texts.of(problem)}
        self.emit(dict(told, t=took))

    def result(self, site, function, args, kwargs):
        """Call it; a plain sequence of layers is gone through here, to see which one fails."""
        layers = self.names.layers(function) if self.names is not None and not kwargs else None
        if layers is None or len(args) != 1:
            given, named = self.handed.watched(site, function, args, kwargs)
            try:
                return function(*given, **named)
            except Exception:
                self.explain(site, function, args, kwargs)
                raise
        return self.through(site, layers, args[0])

    def explain(self, site, function, args, kwargs):
        """What was compiled, or built on the way, fails as a whole: see which of its calls does."""
        if self.names is None:
            return
        source, layers = self.names.compiled_from(function), self.names.parts(function)
        self.explaining += 1
        try:
            if source is not None:
                source(*args, **kwargs)
            elif layers and len(args) == 1 and not kwargs:
                self.through(site, layers, args[0])
        except Exception:
            return
        finally:
            self.explaining -= 1

    def nested(self, layer, call, args, kwargs):
        """A layer is called: if by a model, and constructed by the case, that is traced as well.

        A layer that the text calls on a placeholder is meant there, whenever the model calls it.
        """
        key = id(layer)
        if not self.running or key not in BUILT or any(key == one for _, one in self.running):
            return call(layer, *args, **kwargs)
        site = self.placed.get(key)
        if site is not None:
            return self.call(site, layer, args, kwargs)
        return self.call(self.running[-1][0], layer, args, kwargs, within="inner")

    def through(self, site, layers, value):
        """Call layers one after the other."""
        for layer in layers:
            value = self.call(site, layer, (value,), {}, within="inner")
        return value

    def entered(self, site, context):
        """A context that tells how long it lasts; whatever else as it is."""
        number, kind = self.last.get(site), type(context)
        if number is None or not (hasattr(kind, "__enter__") and hasattr(kind, "__exit__")):
            return context
        return Entered(self.within, number, context)

    def started(self, number, site, occurrence, name, form, receiver, args, kwargs):
        self.emit(
            {
                "e": "call",
                "n": number,
                "s": site,
                "o": occurrence,
                "d": self.depth,
                "w": self.within[-MOST_CONTEXTS:],
                "x": self.explaining > 0,
                "c": self.compiled > 0,
                "f": name,
                "form": form,
                "self": None
                if receiver is None or form == "class"
                else self.seen_value(receiver, numbered=form == "module"),
                "args": [self.seen_value(value) for value in others(form, args)[:64]],
                "kwargs": {str(key): self.seen_value(value) for key, value in kwargs.items()},
            }
        )

    def identify(self, function, args):
        """(name, form, receiver): see `analysis.target.observation.Call` for the forms."""
        if type(function) is types.BuiltinFunctionType and function in _OPERATOR_NAMES:
            return self.operator(_OPERATOR_NAMES[function], args)
        if self.names is not None:
            found = self.names.identify(function)
            if found is not None:
                return found
        module = getattr(function, "__module__", None) or "builtins"
        name = getattr(function, "__qualname__", None) or type(function).__name__
        return "{}.{}".format(module, name), "other", None

    def operator(self, name, args):
        """Operators belong to the tensor that they are applied to, which may be the right one."""
        if self.names is not None:
            for index, operand in enumerate(args):
                if self.names.interesting(operand):
                    form = "reflected" if index else "operator"
                    if index:
                        plain = name[1:] if name[0] == "i" and name != "invert" else name
                        name = _SWAPPED.get(plain, "r" + plain)
                    name = name.strip("_")
                    return self.names.TENSOR + ".__%s__" % name, form, operand
        return "operator." + name, "other", None

    def worth(self, name, form, args, kwargs):
        """Whether a call is recorded: the framework's own, or one that is handed its values."""
        if form != "other":
            return True
        return any(self.interesting(value) for value in (*args[:8], *kwargs.values()))

    def interesting(self, value):
        if issubclass(type(value), (list, tuple)):
            return any(self.interesting(item) for item in items(value, 4))
        return self.names is not None and self.names.interesting(value)

    def seen_value(self, value, numbered=False):
        """What is told of a value; `numbered`: it is known again, whatever it is (a loss, say)."""
        record = describe(value)
        if numbered or (self.names is not None and self.names.interesting(value)):
            key = id(value)
            if key not in self.numbers:
                self.numbers[key] = len(self.alive)
                self.alive.append(value)
            record["id"] = self.numbers[key]
        elif issubclass(type(value), (list, tuple)):
            inner = items(value, MOST_ITEMS + 1)
            known = record.get("items", ()) if len(inner) <= MOST_ITEMS else ()
            for item, part in zip(inner, known):
                if self.interesting(item):
                    part.update(self.seen_value(item))
        return record


def items(value, most):
    """The first items of a list or tuple, whatever a class of the case's own makes of them."""
    return (list if issubclass(type(value), list) else tuple).__getitem__(value, slice(most))


def within_form(form, within):
    """The form of a call that no text makes: see `analysis.target.observation.Call`."""
    if within is None or form in ("class", "other"):
        return form
    return "inner" if form == "module" else within


def others(form, args):
    """The arguments without the receiver, which operators are handed as one of them."""
    if form == "operator":
        return args[1:]
    return args[:1] if form == "reflected" else args
