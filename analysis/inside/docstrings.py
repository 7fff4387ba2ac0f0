"""Run the examples of docstrings and record what each API runs.

In: `[name, alias, ...]` per API. Out: the records of `tested`; none of what has no example. An
example is executed one statement after the other with a recorder in the API's place; its calls are
then profiled alone.
"""

import ast
import contextlib
import io
from time import process_time

from docs_tensorflow import statements
from parameters import called
from patience_tensorflow import patience

PROVIDER = "example"
METHODS = ("__init__", "call", "__call__", "update_state")
"""Methods of a class that may have examples of their own."""


class Examples:
    """The examples of one framework: what differs between frameworks is overridden.

    `seconds_per_example` and `seconds_per_statement` are of CPU, `most_samples` calls are enough;
    `located` finds what has a dotted name as (parent, attribute), `configures` tells what is not
    run, `tested` makes a `tested.Tested` from name, object and provider.
    """

    seconds_per_example = 12.0
    seconds_per_statement = 4.0
    most_samples = 4

    def profile(self, names, part, parts, first, skip):
        """Run the examples of every `parts`-th API from number `first` on, save those in `skip`."""
        skip = frozenset(skip)
        for number in range(part, len(names), parts):
            if number < first:
                continue
            yield {"entry": number, "of": len(names)}
            places = [place for place in map(self.located, names[number]) if place is not None]
            if not places or self.configures(names[number][0]):
                continue
            for record in self.of_one(names[number], places, skip):
                yield record

    def of_one(self, names, places, skip):
        """The records of one API."""
        name, thing = names[0], getattr(*places[0])
        key = name + "#example"
        lines = [line for source in documentation(thing) for line in split(source)]
        if not calls_it(lines, names) or key in skip:
            return
        yield {"at": key}
        self.seed()
        calls = self.recorded(name, thing, places + self.shown_as(name), lines)
        self.check()
        if not calls:
            yield {"n": name, "f": "example without a call", "v": PROVIDER}
            return
        for record in self.tested(name, thing, PROVIDER).run(calls[: self.most_samples], skip):
            yield record
        self.check()

    def shown_as(self, name):
        """Where else an API is that its examples show."""
        return []

    def seed(self):
        """Make what is random the same in each run."""

    def check(self):
        """Raise an exception if an example has changed this process."""

    def scope(self):
        """What examples take for imported."""
        return {}

    def concrete(self, value):
        """What to call an API with instead of a value that has no content."""
        return value

    def recorded(self, name, thing, places, lines):
        """The calls of an API that its examples make: (arguments, keywords, constructor's)."""
        calls = []
        patch = patched_class if isinstance(thing, type) else patched_function
        with contextlib.redirect_stdout(io.StringIO()), contextlib.ExitStack() as stack:
            shown = stack.enter_context(patch(thing, places, calls, self.all_concrete))
            names = dict(self.scope(), __name__="example")
            names[name.rpartition(".")[2]] = shown
            deadline = process_time() + self.seconds_per_example
            for code in lines:
                if process_time() > deadline or len(calls) >= self.most_samples:
                    break
                # Examples refer to files and devices that are not here.
                suppressed = contextlib.suppress(Exception, SystemExit)
                with suppressed, patience(self.seconds_per_statement):
                    exec(code, names)
        return calls

    def all_concrete(self, value):
        """The same in lists, tuples and dictionaries, too."""
        if type(value) in (list, tuple):
            return type(value)(self.all_concrete(item) for item in value)
        if type(value) is dict:
            return {key: self.all_concrete(item) for key, item in value.items()}
        return self.concrete(value)


def documentation(thing):
    """Sources of the examples of an API, in order."""
    found = statements(getattr(thing, "__doc__", None))
    if isinstance(thing, type):
        for name in METHODS:
            method = vars(thing).get(name)
            found += [item for item in statements(getattr(method, "__doc__", None)) if item]
    return found


def split(source):
    """The statements of an example; a fenced block has several."""
    found = []
    with contextlib.suppress(SyntaxError, ValueError):
        for node in ast.parse(source).body:
            found.append(compile(ast.Module([node], []), "<example>", "exec"))
    return found


def calls_it(lines, names):
    """Whether any statement mentions the API at all: most docstrings show something else too."""
    last = {name.rpartition(".")[2] for name in names}
    special = any(name.startswith("__") for name in last)
    return bool(lines) and (special or any(last & mentioned(code) for code in lines))


def mentioned(code):
    """Names in a code object and in those inside it."""
    found = set(code.co_names)
    for item in code.co_consts:
        if hasattr(item, "co_names"):
            found |= mentioned(item)
    return found


@contextlib.contextmanager
def patched_function(function, places, calls, concrete):
    """Put a recorder in every place that shows a function."""

    def recorder(*args, **kwargs):
        calls.append((concrete(args), concrete(dict(kwargs)), None))
        return function(*args, **kwargs)

    before = [(parent, name, name in vars(parent)) for parent, name in places]
    kept = [vars(parent).get(name) for parent, name in places]
    try:
        for parent, name in places:
            setattr(parent, name, recorder)
        yield recorder
    finally:
        for (parent, name, own), value in zip(before, kept):
            if own:
                setattr(parent, name, value)
            else:
                delattr(parent, name)  # of a lazy module, or inherited


@contextlib.contextmanager
def patched_class(kind, places, calls, concrete):
    """Record how instances of a class are made and, where that is their use, called."""
    use = called(kind)
    names = ["__init__"]
    if use is not None:
        names.append("update_state" if use.__name__ == "update_state" else "__call__")
    own = {name: vars(kind)[name] for name in names if name in vars(kind)}
    init, call = kind.__init__, getattr(kind, names[-1], None)
    built = {}

    def recording_init(self, *args, **kwargs):
        if type(self) is kind and id(self) not in built:
            built[id(self)] = self, (args, dict(kwargs))
            if use is None:
                calls.append(((), {}, built[id(self)][1]))
        init(self, *args, **kwargs)

    def recording_call(self, *args, **kwargs):
        if id(self) in built:
            calls.append((concrete(args), concrete(dict(kwargs)), built[id(self)][1]))
        return call(self, *args, **kwargs)

    try:
        for name in names:  # of a class of the C level, nothing can be replaced
            with contextlib.suppress(TypeError, AttributeError):
                setattr(kind, name, recording_init if name == "__init__" else recording_call)
        yield kind
    finally:
        for name in names:
            with contextlib.suppress(TypeError, AttributeError):
                if name in own:
                    setattr(kind, name, own[name])
                elif name in vars(kind):
                    delattr(kind, name)
