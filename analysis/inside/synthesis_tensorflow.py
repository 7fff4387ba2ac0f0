"""Make up calls of APIs that no example reaches, from their signatures, and record what they run.

In: `[name, alias, ...]` per API. Out: the records of `tested`. Operators are called as
their definitions (OpDef) and the kernels of the CPU demand, all else as signature and docstring
say; `search_tensorflow` does the rest. What exists to change settings, or waits for other
machines, is left out by what its name or definition says in general.
"""

import ast
import functools
import inspect
import time

import opdefs_tensorflow as opdefs
import parameters
import public_tensorflow as public
import signatures_tensorflow as signatures
import slots_tensorflow
import tensorflow as tf
from borrowed_tensorflow import borrowed
from child import EVENTS, Emitter
from genes_tensorflow import Maker
from guard_tensorflow import Guard, configures
from patience_tensorflow import patience, paused
from recorder_tensorflow import Recorder
from search_tensorflow import FOUND, MOST_DEATHS, Search, Subject, surroundings
from tested_tensorflow import TensorFlowTested, prepare

PROVIDER = "synthesis"
RAW = "tf.raw_ops."
OPERATOR_BUDGET = 500
FUNCTION_BUDGET = 250
HANDLE_BUDGET = 200
BORROWED_BUDGET = 60
"""Calls that one search tries."""
VARIATIONS = 6
MOST_WORKING = 4
SECONDS_PER_VARIATION = 2.0
MOST_TYPES = 12


def profile(names, part=0, parts=1, first=0, skip=(), known=None, calls=None):
    """Call every `parts`-th API from number `first` on, without the calls in `skip`.

    `known` are recipes of handles that other processes have told; `calls` those of other APIs,
    where searches begin with these.
    """
    prepare()
    skip, recorder, guard = frozenset(skip), Recorder(), Guard()
    recipes = Recipes(recorder, known or {})
    maker, codes = recipes.maker, opdefs.by_code()
    for number in range(part, len(names), parts):
        if number < first:
            continue
        yield {"entry": number, "of": len(names)}
        name = names[number][0]
        reason = unsuitable(name)
        subject = None if reason else subject_of(names[number], codes, maker)
        if subject is None:
            if reason:
                yield {"n": name, "f": reason, "v": PROVIDER}
            continue
        tf.random.set_seed(0)
        lent = [] if calls is None else borrowed(subject.slots, calls.get(name, ()))
        if calls is not None and not lent:
            continue  # it has been searched for without
        for record in synthesised(subject, maker, recorder, skip, lent):
            recipes.outer = record if "at" in record else None
            yield record
        guard.check()


def unsuitable(name):
    """Why an API is not called at all; empty where it is."""
    if configures(name):
        return "changes settings or surroundings"
    if name.startswith(RAW):
        operator = name[len(RAW) :]
        definition = opdefs.definition(operator)
        if definition is not None and opdefs.is_distributed(definition):
            return "waits for other machines"
        if definition is not None and opdefs.is_removed(definition):
            return "removed from this version"
        if definition is not None and not opdefs.on_cpu(operator):
            return "no kernel for the CPU"
    return ""


def synthesised(subject, maker, recorder, skip, lent=()):
    """Keys before calls, then the record of one API."""
    budget = OPERATOR_BUDGET if subject.name.startswith(RAW) else FUNCTION_BUDGET
    budget = BORROWED_BUDGET if lent else budget
    search = Search(subject, maker, recorder, budget, lent)
    steps = search.run(skip)
    while True:
        try:
            yield next(steps)
        except StopIteration as end:
            found = end.value
            break
    tested = TensorFlowTested(subject.name, subject.function, recorder, PROVIDER)
    if found is None:
        tested.problem = search.problem
        for record in tested.result():
            yield record
        return
    deaths = 0
    for number, (genes, types) in enumerate([found, *search.variations(found, VARIATIONS)]):
        key = "{}#{}{}{}".format(subject.name, search.mark, FOUND, number)
        deaths += key in skip
        if tested.worked >= MOST_WORKING or deaths >= (1 if tested.worked else MOST_DEATHS):
            break
        if key in skip:
            continue
        yield {"at": key, "call": search.text(genes, types)}
        try:
            with surroundings(search.graph), patience(SECONDS_PER_VARIATION):
                tested.attempt(subject.values(genes, types, maker))
        except (Exception, SystemExit):
            continue
    for record in tested.result():
        yield record


class Recipes:
    """How operators that make handles are called; what is found out is told to the host.

    That a recipe is sought is told as well: if the search kills this process, the host lets the
    others know that there is none.
    """

    def __init__(self, recorder, known):
        self.recorder = recorder
        self.known = {key: text and ast.literal_eval(text) for key, text in known.items()}
        self.maker = Maker()
        self.maker.handles.search = self.recipe
        self.maker.handles.recipes.update(self.known)
        self.tell = Emitter(EVENTS)
        self.outer = None

    def recipe(self, operator, fixed):
        """Genes with which an operator works: (keyword genes, types), None where none are found."""
        key = "{} {}".format(operator, sorted(fixed.items())) if fixed else operator
        if key not in self.known:
            self.tell({"at": "{}{}#handle".format(RAW, operator), "seeks": key})
            found = self.found(operator, fixed)
            self.known[key] = found
            self.tell({"known": [key, found and repr(found)]})
            if self.outer is not None:
                self.tell(self.outer)
        return self.known[key]

    def found(self, operator, fixed):
        """The same, by a search of its own, which is not recorded."""
        maker, recorder = self.maker, self.recorder
        subject = operator_subject(RAW + operator, maker, fixed)
        search = Search(subject, maker, recorder, HANDLE_BUDGET)
        steps = search.run()
        outer, recorder.names = recorder.names, None
        began, spent = time.process_time(), maker.spent
        try:
            with paused():
                while True:
                    next(steps)
        except StopIteration as end:
            found = end.value
        finally:
            recorder.names = outer
            maker.spent = spent + time.process_time() - began
        if found is None:
            return None
        genes = {slot.name: gene for slot, gene in zip(subject.slots, found[0]) if gene is not None}
        return genes, found[1]


def subject_of(names, codes, maker):
    """What there is to call under a name; None where there is no signature to call it by."""
    name = names[0]
    if name.startswith(RAW):
        return operator_subject(name, maker)
    place = public.located(name)
    if place is None:
        return None
    thing = getattr(*place)
    if isinstance(thing, type):
        return class_subject(name, thing)
    if isinstance(place[0], type) and not hasattr(thing, "__self__"):
        found = signatures.method(place[1], thing, place[0].__name__)
        thing = on_receiver(thing, *place)
    else:
        found = signatures.function(thing, opdefs.operator_of(thing, codes))
    if not found:
        return None
    slots = slots_tensorflow.of_rows(found[0]["p"], getattr(thing, "__doc__", None))
    return Subject(name, thing, slots)


def on_receiver(method, kind, name):
    """The method as the receiver's own class has it: that of `tf.Variable` is abstract."""
    if isinstance(inspect.getattr_static(kind, name), (staticmethod, classmethod)):
        return method

    @functools.wraps(method)
    def called(receiver, *args, **kwargs):
        own = getattr(receiver, name) if isinstance(receiver, kind) else None
        return method(receiver, *args, **kwargs) if own is None else own(*args, **kwargs)

    return called


def operator_subject(name, maker, fixed=None):
    """An operator; `fixed` parameters keep the genes that are given."""
    operator = name[len(RAW) :]
    function = getattr(tf.raw_ops, operator)
    rows = signatures.function(function, operator, raw=True)[0]["p"]
    slots = slots_tensorflow.of_operator(operator, rows, maker.handles)
    for slot in slots:
        if fixed and slot.name in fixed:
            slot.start = lambda shape, gene=fixed[slot.name]: gene
            slot.fixed = True
    return Subject(name, function, slots, dtype_choices(operator))


def class_subject(name, kind):
    """A class: constructed, and called where that is its use."""
    made, called = signatures.constructor(kind), signatures.call(kind)
    if not made:
        return None
    doc = parameters.documentation(kind, kind.__init__)
    slots = slots_tensorflow.of_rows(made[0]["p"], doc, "constructor")
    if called:
        slots += slots_tensorflow.of_rows(called[0]["p"], parameters.called(kind).__doc__)
    return Subject(name, kind, slots, built=True, called=bool(called))


def dtype_choices(operator):
    """Dtypes of the attributes of an operator that its kernels take: a list of {name: dtype}."""
    definition = opdefs.definition(operator)
    attributes = [item for item in definition.attr if item.type == "type"]
    found = []
    for kernel in opdefs.on_cpu(operator):
        types = {}
        for item in attributes:
            declared, usual = opdefs.allowed(item), opdefs.usual(item)
            names = kernel.get(item.name) or declared or ([usual] if usual else [])
            names = [one for one in names if not declared or one in declared]
            best = (
                usual
                if usual in names
                else min(names, key=slots_tensorflow.rank, default="float32")
            )
            types[item.name] = best
        if types not in found:
            found.append(types)
    found.sort(key=lambda types: sum(map(slots_tensorflow.rank, types.values())))
    return found[:MOST_TYPES] or [{}]
