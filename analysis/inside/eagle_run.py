"""Run pairs of executions that EAGLE's rules call equal, and tell the host where they are not.

In: which plan of the framework's own module (`eagle_torch`, `eagle_tensorflow`), a number to draw
from, a time limit, the place to go on at. Out, as records: `{"total": entries, "rounds": n}` once,
`{"entry": n, "round": r}` before the pairs of an entry, `{"at": key, "rule", "api"}` before each
pair (the last one names the culprit of a crash), `{"finding": {...}}`, `{"tally": {...}}` after an
entry and `{"done": why}`. A call that hangs ends the process; the host goes on behind it.
"""

import random
import signal
import time
import warnings

import eagle_limits
import eagle_reduce
import side
from eagle_compare import compare, rounded, shown
from eagle_examine import examine
from unpickle import NoLiteral

SPARE = 1.0
"""Seconds that what is under way may still take when the time is over."""
WAITING = 6.0
"""How many times its processor time a pair may take on the clock: others may need the machine."""
SHOWN = 4000
COMPILED = "1"
"""The rule whose results are compiled."""
SHARE = 0.02
"""The part of the patience with a pair that what is to be compiled may take as it is: compilers
take many times as long, the more so the more operators run."""


class Seen:
    """What a pair came to: `state` is "equal", "differs", "status", "random", "invalid",
    "incomparable" or "long"; `problem` the (types, message) of the side that raised, `side` its
    name."""

    __slots__ = ("difference", "found", "problem", "side", "state", "wanted")

    def __init__(self, state, difference=None, problem=None, which=""):
        self.state = state
        self.difference = difference
        self.problem = problem
        self.side = which
        self.found = self.wanted = ()

    def failed(self):
        return self.state in ("differs", "status")

    def alike(self, other):
        """Whether two failures are of one kind."""
        if self.state != other.state or self.side != other.side:
            return False
        if self.state == "differs":
            return self.difference.kind == other.difference.kind
        return self.problem[0][:1] == other.problem[0][:1]


class Runner:
    """Runs pairs in the world of one framework."""

    def __init__(self, world, patience=float("inf")):
        self.world = world
        self.patience = patience
        self.codes = {}

    def run(self, pair):
        """Both executions of a pair, and how they compare."""
        world = self.world
        space = self.space(pair)
        if space is None:
            return Seen("invalid")
        state = world.state()
        began = time.process_time()
        reference, problem = self.evaluate(pair.reference, space)
        if pair.rule == COMPILED and self.long(began) and self.long_again(pair, space):
            return Seen("long")
        if problem is not None and not pair.told:
            return Seen("invalid")
        if state != world.state() and not pair.drawn:
            return Seen("random")
        if pair.apart:
            space = self.space(pair) or space
        result, other = self.evaluate(pair.result, space)
        if other is not None and any(self.evaluate(text, space)[1] for text in pair.given):
            return Seen("invalid")  # it is the input that cannot be made
        if problem is not None or other is not None:
            return one_sided(problem, other)
        if pair.ended:
            return Seen("equal")
        return self.compared(pair, space, state, reference, result)

    def space(self, pair):
        """What the names of a pair stand for; None where its own lines fail."""
        world = self.world
        copied = world.copied if pair.apart else lambda value: value
        found = dict(world.modules)
        found.update({name: copied(value) for name, value in pair.inputs.items()})
        try:
            if pair.setup:
                exec(self.code(pair.setup, "exec"), found)
        except Exception:
            return None
        return found

    def compared(self, pair, space, state, reference, result):
        """How the results of both executions compare."""
        world = self.world
        try:
            wanted = world.leaves(reference)
        except Exception:
            return Seen("incomparable")
        try:
            found = world.leaves(result)
        except world.Incomparable:
            return Seen("incomparable")
        except Exception as problem:  # there is a result that cannot be read
            return one_sided(None, raised(problem))
        if pair.rounded:
            wanted = rounded(wanted, found)
        difference = compare(found, wanted, pair.dtypes, pair.least)
        if difference.kind and state is None and not pair.drawn and self.moves(pair, space, wanted):
            return Seen("random")
        seen = Seen("differs" if difference.kind else "equal", difference)
        seen.found, seen.wanted = found, wanted
        return seen

    def long(self, began):
        """Whether more than a share of the patience has been spent since."""
        return time.process_time() - began > SHARE * self.patience

    def long_again(self, pair, space):
        """Whether the reference takes long when it does not run for the first time, either."""
        began = time.process_time()
        self.evaluate(pair.reference, space)
        return self.long(began)

    def moves(self, pair, space, wanted):
        """Whether the reference, run again, is another one: of random numbers, no state tells."""
        if pair.apart:
            space = self.space(pair) or space
        try:
            again = self.world.leaves(self.evaluate(pair.reference, space)[0])
        except Exception:
            return False
        return bool(compare(rounded(again, wanted) if pair.rounded else again, wanted).kind)

    def evaluate(self, text, space):
        """(value, None) or (None, (types, message))."""
        try:
            return eval(self.code(text, "eval"), space), None
        except Exception as problem:
            return None, raised(problem)

    def code(self, text, mode):
        """Compiled once per text; named, as some compilers want a file."""
        known = self.codes.get(text)
        if known is None:
            if len(self.codes) > SHOWN:
                self.codes.clear()
            known = self.codes[text] = compile(text, "<pair>", mode)
        return known


def shuffled(groups, draw):
    """The entries of all groups in one list, each group in an order of its own."""
    found = []
    for group in groups:
        random.Random(draw).shuffle(group)
        found += group
    return found


def raised(problem):
    """(types, message) of an exception."""
    kinds = [kind.__name__ for kind in type(problem).__mro__ if kind is not object]
    return kinds, str(problem)[:SHOWN]


def one_sided(problem, other):
    """Where one execution raised, or both."""
    if problem is not None and other is not None:
        return Seen("invalid")
    which = "result" if problem is None else "reference"
    return Seen("status", problem=other or problem, which=which)


def search(plan, draw, seconds, place=(0, 0), skip=(), told=(), names=(), planted="", warm=False):
    """Run the pairs of a plan; `place` is (round, entry), `told` are keys that need no telling.

    `planted` is a text that is executed first: the faults that tests plant. Where `warm` the
    start-up is of the seconds, too.
    """
    began = time.monotonic()
    engine = Engine(plan, draw, names, planted)
    yield {"total": len(engine.entries), "rounds": engine.plan.rounds}
    engine.skip, engine.told = frozenset(skip), set(map(tuple, told))
    engine.deadline = (began if warm else time.monotonic()) + seconds
    for step in range(place[0], engine.plan.rounds):
        first = place[1] if step == place[0] else 0
        for number in range(first, len(engine.entries)):
            if time.monotonic() > engine.deadline:
                yield {"done": "time"}
                return
            yield {"entry": number, "round": step}
            for record in engine.entry(number, step):
                yield record
    yield {"done": "all"}


def describe(plan, draw, place, key, names=(), planted=""):
    """The finding of one pair by its key, without running it: of one that killed its process."""
    engine = Engine(plan, draw, names, planted)
    for found, pair in engine.pairs(*reversed(place)):
        if found == key:
            yield {"finding": engine.record(pair, Seen("crash"), "")}
            return


class Engine:
    """The entries of a plan, and what was covered and told so far."""

    def __init__(self, plan, draw, names, planted):
        warnings.simplefilter("ignore")
        for number in (signal.SIGALRM, signal.SIGPROF):
            signal.signal(number, signal.SIG_DFL)
        framework = side.module("eagle")
        framework.prepare()
        if planted:
            exec(planted, dict(framework.World.modules))
        self.world = framework.World()
        self.plan = framework.PLANS[plan]
        self.runner = Runner(self.world, self.plan.patience)
        self.entries = shuffled(self.plan.entries(names), draw)
        self.draw = draw
        self.skip, self.told, self.covered = frozenset(), set(), set()
        self.deadline = float("inf")

    def pairs(self, number, step):
        """(key, pair) of an entry in one round; equal seeds make equal pairs."""
        start = self.draw * 1000003 + number * 101
        self.world.seed(start)
        counts = {}
        for pair in self.entries[number](step, random.Random(start + step)):
            label = "{}/{}/{}".format(pair.rule, pair.variant, pair.api)
            counts[label] = counts.get(label, -1) + 1
            yield "{}#{}.{}.{}".format(label, number, step, counts[label]), pair

    def entry(self, number, step):
        """The records of one entry in one round."""
        tally, spent, fresh, failures = {}, {}, [], {}
        start = time.monotonic()
        for key, pair in self.pairs(number, step):
            if key in self.skip:
                pair.seen = Seen("crash")
                continue
            if self.plan.once and (pair.rule, pair.api, "") in self.told:
                break
            if time.monotonic() > self.deadline:
                break
            yield {"at": key, "rule": pair.rule, "api": pair.api}
            began = time.process_time()
            asked, seen = pair, self.timed(pair)
            if seen.state == "random":
                pair = pair.seeded(self.world.SEEDED)
                seen = self.timed(pair)
            asked.seen = seen
            spent[pair.rule] = spent.get(pair.rule, 0.0) + time.process_time() - began
            states = tally.setdefault(pair.rule, {})
            states[seen.state] = states.get(seen.state, 0) + 1
            if seen.state in ("equal", "differs", *self.plan.tells):
                covered = (pair.rule, pair.variant, pair.api)
                if covered not in self.covered:
                    self.covered.add(covered)
                    fresh.append(covered)
            if seen.failed() and not asked.control and asked.counts(seen):
                failures.setdefault((pair.rule, pair.api), []).append((pair, seen))
        for name in sorted(failures, key=str):
            record = self.finding(name, failures[name])
            if record is not None:
                yield {"finding": record}
        wall = time.monotonic() - start
        yield {"tally": tally, "spent": spent, "covered": fresh, "wall": wall}

    def timed(self, pair):
        """Run a pair under an alarm that ends the process."""
        self.alarm(self.plan.patience, self.left())
        try:
            return self.runner.run(pair)
        finally:
            self.alarm(0)

    def left(self):
        """Seconds on the clock that what comes next may take: what is left, and a little."""
        return max(self.deadline - time.monotonic(), 0.0) + SPARE

    def alarm(self, seconds, most=float("inf")):
        """Have the process end after so many seconds of its own, or when what waits would have had
        them on a busy machine, too; not at all for 0."""
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.setitimer(signal.ITIMER_REAL, min(WAITING * seconds, most))

    def finding(self, name, failures):
        """The record of the smallest failure that no limit explains, else of one that is."""
        limited = None
        failures.sort(key=lambda found: found[0].size(self.world.elements))
        for pair, seen in failures:
            if (*name, "") in self.told:
                return None
            self.alarm(self.plan.patience, self.left())
            taken = (pair.rule, pair.variant, pair.api) in self.covered
            reason = examine(self.runner, pair, seen, taken)
            self.alarm(0)
            if not reason:
                self.told.add((*name, ""))
                longest = 3 * self.plan.patience
                self.alarm(longest, max(longest, self.left()))
                tries, end = self.plan.tries, self.deadline
                pair, seen = eagle_reduce.reduced(self.runner, pair, seen, tries, end)
                self.alarm(0)
                return self.record(pair, seen, "")
            if reason not in eagle_limits.CONSTRAINTS:
                limited = limited or (pair, seen, reason)
        if limited is None or (*name, "limit") in self.told:
            return None
        self.told.add((*name, "limit"))
        return self.record(*limited)

    def texts(self, inputs):
        """([[name, expression], ...], "") or ([], why an input has none)."""
        found = []
        for name, value in inputs.items():
            try:
                found.append([name, self.world.text(value)])
            except NoLiteral as problem:
                return [], str(problem)
        return found, ""

    def record(self, pair, seen, limit):
        """A finding as the host reads it."""
        difference = seen.difference
        inputs, problem = self.texts(pair.inputs)
        return {
            "rule": pair.rule,
            "variant": pair.variant,
            "api": pair.api,
            "state": seen.state,
            "kind": difference.kind if difference is not None else "",
            "setup": pair.setup,
            "inputs": inputs,
            "unwritten": problem,
            "reference": pair.reference,
            "result": pair.result,
            "side": seen.side,
            "types": seen.problem[0] if seen.problem else [],
            "message": seen.problem[1] if seen.problem else "",
            "absolute": difference.absolute if difference is not None else 0.0,
            "relative": difference.relative if difference is not None else 0.0,
            "paper": bool(difference is not None and difference.paper),
            "rtol": difference.rtol if difference is not None else 0.0,
            "atol": difference.atol if difference is not None else 0.0,
            "shown": shown(seen.found, seen.wanted),
            "limit": limit,
        }
