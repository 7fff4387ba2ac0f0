"""A pair of executions that EAGLE's rules call equal, as text over named inputs.

What is run is the text that a script would have, so that a script shows what was seen. `Call` is
the text of one call with its tensors taken out as inputs; a rule says how each of them is written
on either side.
"""

from functools import partial

from unpickle import NoLiteral, literal

NAMES = ("x", "y", "z", "u", "v", "w", "a", "b", "c", "d")
MOST_CHARACTERS = 300
"""Of one argument that is no tensor: what is longer is no call that anybody would read."""


class Input:
    """The place of an input in the arguments of a call."""

    __slots__ = ("name",)

    def __init__(self, name):
        self.name = name


class Pair:
    """`reference` and `result` are expressions over `inputs`, behind the lines of `setup`.

    `api` is the subject and `rule` the number in the paper. `dtypes` take part in the comparison,
    besides those of the results; `least` is what the rule itself rounds by. `told` says that the
    framework itself claims that both work, so that a refusal is a finding whatever its words.
    `given` are expressions of the inputs as the result has them: where they fail, so must the
    result. `stored` are expressions for what comes of an input's stored elements alone.
    `optimised` is the function that the result calls on all inputs, where making it may run
    something. `drawn` says that both sides draw random numbers, from one seed. `smaller` makes the
    pair anew from other inputs and keywords, where that is possible. A `control` is no finding: who
    made it looks at what was `seen`. `rounded` says that the reference may be of a wider dtype:
    what the result's own cannot hold is no difference. Where the two are made `apart`, each has
    inputs of its own: a call may write to them. Where `ended`, it only counts how each side ends.
    `counts` tells of a failure whether it is one that is asked for.
    """

    __slots__ = (
        "apart",
        "api",
        "call",
        "control",
        "counts",
        "drawn",
        "dtypes",
        "ended",
        "given",
        "inputs",
        "least",
        "optimised",
        "reference",
        "result",
        "rounded",
        "rule",
        "seen",
        "setup",
        "smaller",
        "stored",
        "told",
        "variant",
    )

    def __init__(self, rule, variant, api, inputs, reference, result, **others):
        self.rule = rule
        self.variant = variant
        self.api = api
        self.inputs = inputs
        self.reference = reference
        self.result = result
        self.setup = others.get("setup", "")
        self.dtypes = others.get("dtypes", ())
        self.least = others.get("least", 0.0)
        self.drawn = others.get("drawn", False)
        self.given = others.get("given", ())
        self.optimised = others.get("optimised", "")
        self.stored = others.get("stored", ())
        self.told = others.get("told", False)
        self.call = others.get("call")
        self.smaller = others.get("smaller")
        self.control = others.get("control", False)
        self.rounded = others.get("rounded", False)
        self.apart = others.get("apart", False)
        self.ended = others.get("ended", False)
        self.counts = others.get("counts", any_failure)
        self.seen = None

    def size(self, elements):
        """How many numbers it takes to write it down."""
        return sum(elements(value) for value in self.inputs.values()) + len(self.reference) // 20

    def seeded(self, lines):
        """The same with the random numbers of both sides from one seed; `lines` define `seeded`."""
        names = ("dtypes", "least", "given", "told", "call", "rounded", "apart", "ended", "counts")
        others = {name: getattr(self, name) for name in names}
        others["stored"] = [SEEDED % text for text in self.stored]
        others["setup"] = lines + ("\n\n" + self.setup if self.setup else "")
        others["smaller"] = self.smaller and partial(smaller_seeded, self.smaller, lines)
        reference, result = SEEDED % self.reference, SEEDED % self.result
        if self.optimised:
            # What it is made by may run it, and would draw some.
            result = "seeded(%s)" % ", ".join((SEEDED % self.optimised, *self.inputs))
        sides = self.inputs, reference, result
        return Pair(self.rule, self.variant, self.api, *sides, drawn=True, **others)

    def refusal(self, variant, side):
        """Whether one side is refused, as a control."""
        sides = self.inputs, side, "None"
        others = {"setup": self.setup, "told": True, "apart": self.apart, "ended": True}
        return Pair(self.rule, variant, self.api, *sides, control=True, **others)


def any_failure(seen):
    """Whatever fails counts."""
    return seen.failed()


SEEDED = "seeded(lambda: %s)"


def smaller_seeded(smaller, lines, call):
    """What `smaller` makes of a call, seeded."""
    pair = smaller(call)
    return None if pair is None else pair.seeded(lines)


class Call:
    """A call by name: `args` and `kwargs` hold `Input`s in the place of tensors. Of a layer, the
    name is the text of the call that has `built` it, if that is known. One that is `silent` gives
    nothing back."""

    __slots__ = ("args", "built", "inputs", "kwargs", "method", "name", "silent")

    def __init__(self, name, args, kwargs, inputs, method=False, built=None):
        self.name = name
        self.args = args
        self.kwargs = kwargs
        self.inputs = inputs
        self.method = method
        self.built = built
        self.silent = False

    def text(self, wrap=lambda name: name):
        """The call, with each input written as `wrap` says."""
        args = [written(value, wrap) for value in self.args]
        args += ["{}={}".format(key, written(value, wrap)) for key, value in self.kwargs.items()]
        if self.method:
            return "{}.{}({})".format(args[0], self.name.rpartition(".")[2], ", ".join(args[1:]))
        return "{}({})".format(self.name, ", ".join(args))

    def without(self, keyword):
        """The call without one of its keywords."""
        kwargs = {key: value for key, value in self.kwargs.items() if key != keyword}
        return Call(self.name, self.args, kwargs, self.inputs, self.method, self.built)

    def over(self, inputs):
        """The call on other inputs of the same names."""
        made = Call(self.name, self.args, self.kwargs, inputs, self.method, self.built)
        made.silent = self.silent
        return made


def call_of(name, args, kwargs, is_input, method=False):
    """The call of live arguments.

    Raises:
        NoLiteral: when an argument cannot be written down.
    """
    inputs = {}

    def place(value):
        if is_input(value):
            for known, other in inputs.items():
                if other is value:
                    return Input(known)
            new = NAMES[len(inputs)] if len(inputs) < len(NAMES) else "x%d" % len(inputs)
            inputs[new] = value
            return Input(new)
        if type(value) in (list, tuple):
            return type(value)(place(item) for item in value)
        literal(value)
        return value

    placed = [place(value) for value in args]
    keywords = {key: place(value) for key, value in kwargs.items()}
    call = Call(name, placed, keywords, inputs, method)
    if not all(key.isidentifier() for key in keywords):
        raise NoLiteral("a keyword that is no name")
    if len(call.text()) > MOST_CHARACTERS + len(name):
        raise NoLiteral("arguments that nobody would read")
    return call


def written(value, wrap):
    """An argument as text."""
    if isinstance(value, Input):
        return wrap(value.name)
    if type(value) is list:
        return "[%s]" % ", ".join(written(item, wrap) for item in value)
    if type(value) is tuple:
        inner = ", ".join(written(item, wrap) for item in value)
        return "(%s%s)" % (inner, "," if len(value) == 1 else "")
    return literal(value)
