"""Run a case with one fact about one of its calls changed: the same call, but contiguous, in double
precision, without NaN, ...

A change has the argument (`keys`, see `Call.named`) and the ways to change it, `[condition,
expression]`, of which the first whose condition holds is taken (`citadel.evidence.variations`).
Which changes alter anything is measured, never declared: the value before and the value after are
compared in dtype, shape, strides, layout, device, overlap with other arguments, and numbers.

`altering` emits `{"e": "alters", "nth", "changes": [[number, key, before, after], ...]}` per call.
A case that is run with changes emits `{"e": "varied", "site", "made": [[key, expression], ...]}`
before each call that is changed or blamed, and behind a blamed one `{"e": "returned", "value",
"rank", "wrote"}` (the highest rank that it was given; whether it wrote to what was changed) or
`{"e": "failed", "types", "message"}`. Where a call is timed, `{"e": "timed", "pairs": [[plain,
changed], ...]}` (nanoseconds of CPU time) comes before "returned".
"""

import re
import time

import case
import side
import texts
from contents import recorded
from planned import live_values
from values import describe

MOST_ELEMENTS = 1 << 22
"""Larger tensors are not compared number by number."""
DEPTH = 3
MOST_CALLS = 8
"""Calls at one place that are looked at."""
FLOATS = ("bfloat16", "float16", "float32", "complex64")
"""Dtypes that results are cast back to, the narrowest first."""
ROUNDS, LEAST, MOST = 10, 20_000_000, 4_000_000_000
"""Rounds of timing; nanoseconds that one takes at least (a clock of CPU time may tick every 4 ms),
and all of them at most."""
QUICKEST = 1000
"""Nanoseconds that any call takes."""


def altering(emit, code, traced, site, last, ways):
    """Run a case, and tell which of the changes alter an argument of its calls at `site`, up to the
    `last` one.

    In a graph nobody knows the numbers: there a change is told if it can be made.
    """
    live = _pinned()

    def hook(at, nth, function, args, kwargs):
        if at != site:
            return None
        call, found, copied = Call(live, function, args, kwargs), [], set()
        for number, ones in enumerate(ways):
            for key in call.keys:
                new, text, altered = call.changed(key, ones)
                if altered == SHARED:
                    altered = key not in copied  # any change makes a copy: the first is to do that
                    copied.add(key)
                if altered or (text is not None and live.is_symbolic(call.value(key))):
                    found.append([number, key, recorded(call.value(key)), recorded(new)])
        emit({"e": "alters", "nth": nth, "changes": found})
        if nth >= min(last, MOST_CALLS):
            raise case.Stop
        return None

    return case.run(emit, code, traced, hook)


def run(emit, code, traced, changes, blamed):
    """Run a case with these changes: `{site: [[keys, ways, preserves], ...]}`, the site as a text.

    Only calls at the `blamed` sites tell how they end, be they changed or not. A change that
    preserves the right result has its dtype, too, preserved: results are cast back.
    """
    live = _pinned()

    def hook(at, nth, function, args, kwargs):
        if at not in blamed and str(at) not in changes:
            return None
        call, made, casts = Call(live, function, args, kwargs), [], {}
        for keys, ways, preserves in changes.get(str(at), ()):
            for one in call.named(keys):
                before = call.dtype(one)
                text = call.change(one, ways)
                made += [] if text is None else [[one, text]]
                if preserves and text is not None and before in FLOATS:
                    casts.setdefault(call.dtype(one), []).append(before)
        emit({"e": "varied", "site": at, "made": made})
        marks = call.marks([key for key, _ in made])
        if at not in blamed:
            return (call.function(*call.args, **call.kwargs),)
        try:
            result = _cast(live, call.function(*call.args, **call.kwargs), casts)
        except BaseException as problem:
            kinds = [kind.__name__ for kind in type(problem).__mro__ if kind is not object]
            emit({"e": "failed", "types": kinds, "message": texts.of(problem)})
            raise
        ranks = [len(describe(one).get("shape") or ()) for one in call.tensors()]
        ended = {"e": "returned", "value": describe(result), "rank": max(ranks, default=0)}
        emit(dict(ended, wrote=call.marks([key for key, _ in made]) != marks))
        return (result,)

    return case.run(emit, code, traced, hook)


def timed(emit, code, traced, changes, blamed, nth):
    """Run a case up to the `nth` of its calls at a blamed site, and time that one: as it is, and
    with these changes (see `run`), which are made anew each time."""
    live = _pinned()

    def hook(at, number, function, args, kwargs):
        if at not in blamed or number != nth:
            return None
        call, steps = Call(live, function, args, kwargs), []
        for keys, ways, _ in changes.get(str(at), ()):
            steps += [(key, ways, call.change(key, ways)) for key in call.named(keys)]
        emit({"e": "varied", "site": at, "made": [[key, text] for key, _, text in steps if text]})

        def changed():
            other = Call(live, function, args, kwargs)
            for key, ways, text in steps:
                if text is not None:
                    other.put(key, other.mapped(key, ways)[0])
            return other.function(*other.args, **other.kwargs)

        result = changed()
        emit({"e": "timed", "pairs": _pairs(lambda: function(*args, **kwargs), changed)})
        emit({"e": "returned", "value": describe(result), "rank": 0, "wrote": False})
        raise case.Stop

    return case.run(emit, code, traced, hook)


def _pairs(plain, changed):
    """Nanoseconds of CPU time of both, in turn."""
    plain()
    started = time.monotonic_ns()
    plain()
    times = max(1, LEAST // max(QUICKEST, time.monotonic_ns() - started))
    pairs = []
    while len(pairs) < ROUNDS and time.monotonic_ns() - started < MOST:
        pairs.append([_took(plain, times), _took(changed, times)])
    return pairs


def _took(step, times):
    started = time.process_time_ns()
    for _ in range(times):
        step()
    return time.process_time_ns() - started


def _pinned():
    live = side.module("live")
    live.pin()
    return live


def _cast(live, result, casts):
    """A result, or each tensor of several, in the dtype that `casts` has for its own."""
    if isinstance(result, (list, tuple)):
        items = [_cast(live, one, casts) for one in result]
        if all(new is old for new, old in zip(items, result)):
            return result
        return getattr(type(result), "_make", type(result))(items)
    wanted = casts.get(FACTS["dtype"](result)) if live.is_tensor(result) else None
    if wanted is None:
        return result
    # Of several dtypes the widest one is what they are promoted to.
    return live.STEPS["cast"](result, max(wanted, key=FLOATS.index))


class Call:
    """One call, whose arguments can be changed one after the other."""

    def __init__(self, live, function, args, kwargs):
        self.live, self.function, self.args, self.kwargs = live, function, list(args), dict(kwargs)
        values = live_values(live, function, args, kwargs)
        receiver = values.get("recv")
        own = ["recv"] if live.is_tensor(receiver) else []
        given = [key for key in values if key.startswith(("arg:", "kw:"))]
        self.keys = [*own, *given]
        self.operator = "recv" in values and getattr(function, "__self__", None) is not receiver

    def named(self, keys):
        """The key that is meant: of several, with "|" between them, the first that the call has."""
        return [key for key in keys.split("|") if key in self.keys][:1]

    def dtype(self, key):
        """The dtype of a tensor, or of the first one in a list; "" of all else."""
        parts = _parts(self.value(key)) if key in self.keys else ()
        return next((FACTS["dtype"](one) for one in parts if self.live.is_tensor(one)), "")

    def marks(self, keys):
        """What tells that the call has written to an argument that was changed: the case's own is
        not what it is given then."""
        given = [self.value(key) for key in keys if key in self.keys]
        parts = [one for value in given for one in _parts(value)]
        return [self.live.mark(one) for one in parts if self.live.is_tensor(one)]

    def tensors(self):
        """The tensors that it is given, those in lists included."""
        for key in self.keys:
            yield from filter(self.live.is_tensor, _parts(self.value(key)))

    def value(self, key):
        """What stands for a key now."""
        if key.startswith("kw:"):
            return self.kwargs[key[3:]]
        if key.startswith("arg:"):
            return self.args[self.place(key)]
        return self.args[self.receiver()] if self.operator else self.function.__self__

    def receiver(self):
        """Where the first operand of an operator stands."""
        left = len(self.args) == 1 or side.module("names").interesting(self.args[0])
        return 0 if left else 1

    def place(self, key):
        place = int(key[4:])
        if not self.operator:
            return place
        return [at for at in range(len(self.args)) if at != self.receiver()][place]

    def changed(self, key, ways):
        """(the value of a key changed, by which expression, whether that alters it, or but how it
        is `SHARED`); of what cannot be changed there is no expression."""
        try:
            old = self.value(key)
            given = [self.value(one) for one in self.keys if one != key]
            others = [part for value in given for part in _parts(value)]
            new, text = self.mapped(key, ways)
            if new is LEFT_OUT:
                return new, text, True
            altered = told(self.live, new) != told(self.live, old)
            if not altered and told(self.live, new, others) != told(self.live, old, others):
                altered = SHARED
            return new, None if text == "x" else text, altered
        except Exception:
            return None, None, False

    def mapped(self, key, ways):
        """(the value of a key changed, by which expression)"""
        others = [self.value(one) for one in self.keys if one != key]
        parts = [part for value in others for part in _parts(value) if self.live.is_tensor(part)]
        shapes = [tuple(FACTS["shape"](part)) for part in parts]
        largest = max(shapes, key=_size, default=())
        extents = [*largest, 0]
        beside = {"largest": largest, "first": extents[0], "second": extents[min(1, len(largest))]}
        beside["last"] = extents[len(largest) - 1] if largest else 0
        return _mapped(self.live, self.value(key), ways, key.startswith("kw:"), beside)

    def change(self, key, ways):
        """Change an argument; by which expression, or None where that alters nothing.

        In a graph nobody knows the numbers: there the change is made, and counts for nothing.
        """
        new, text, altered = self.changed(key, ways)
        if text is None or not (altered or self.live.is_symbolic(self.value(key))):
            return None
        self.put(key, new)
        return text if altered else None

    def put(self, key, new):
        """Give another value for a key."""
        if new is LEFT_OUT:
            del self.kwargs[key[3:]]
            self.keys.remove(key)
        elif key.startswith("kw:"):
            self.kwargs[key[3:]] = new
        elif key.startswith("arg:"):
            self.args[self.place(key)] = new
        elif self.operator:
            self.args[self.receiver()] = new
        else:
            made = getattr(self.function, "__func__", None)
            name = self.function.__name__
            self.function = getattr(new, name) if made is None else made.__get__(new)


def _parts(value):
    return value if isinstance(value, (list, tuple)) else [value]


LEFT_OUT, SHARED = object(), "shared"


def _size(shape):
    size = 1
    for extent in shape:
        size *= extent
    return size


def _mapped(live, value, ways, named, beside):
    """(the value changed, by which expression); of a list of tensors each of these."""
    if isinstance(value, (list, tuple)) and any(map(live.is_tensor, value)):
        tensors = map(live.is_tensor, value)
        pairs = [
            _mapped(live, x, ways, False, beside) if tensor else (x, "x")
            for x, tensor in zip(value, tensors)
        ]
        new = getattr(type(value), "_make", type(value))([one for one, _ in pairs])
        text = next((text for _, text in pairs if text != "x"), "x")
        return new, "[{} for x in x]".format(text)
    known = dict(live.MODULES, x=value, named=named, LEFT_OUT=LEFT_OUT, **FACTS, **beside)
    for condition, text in ways:
        if eval(condition, known):
            for name, fact in beside.items():  # a case has nothing to ask
                text = re.sub(r"\b{}\b".format(name), repr(fact), text)
            return eval(text, known), text
    return value, "x"


def _field(name, nothing):
    def told_of(value):
        record = describe(value)
        return record.get(name) or nothing if record["k"] in ("tensor", "array") else nothing

    return told_of


def _is_number(value):
    return type(value) in (int, float)


def _are_sizes(value):
    return isinstance(value, (list, tuple)) and bool(value) and {*map(type, value)} == {int}


FACTS = {
    "dtype": _field("dtype", ""),
    "shape": _field("shape", ()),
    "layout": _field("layout", ""),
    "device": _field("device", ""),
    "number": _is_number,
    "sizes": _are_sizes,
    "is_dtype": lambda value: describe(value)["k"] == "dtype",
}
"""What conditions may ask of an argument."""


def told(live, value, others=(), depth=DEPTH):
    """What can be told of a value: equal answers mean that nothing was altered."""
    if isinstance(value, (list, tuple)) and depth:
        return [type(value).__name__, [told(live, one, others, depth - 1) for one in value]]
    if not live.is_tensor(value):
        numbers = getattr(value, "tobytes", None)
        return [type(value).__name__, numbers() if callable(numbers) else repr(value)]
    known = describe(value)
    return [known, live.memory(value, others), _numbers(live, value)]


def _numbers(live, value):
    """The numbers of a tensor as bytes; of very many the sum."""
    size = _size(describe(value).get("shape") or ())
    try:
        array = live.array(value)
        if array is None:
            return None
        return repr(array.sum()) if size > MOST_ELEMENTS else array.tobytes()
    except Exception:
        return None
