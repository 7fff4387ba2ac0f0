"""Find arguments that an API accepts: a search that its own error messages guide.

In: a `Subject` (an API and its parameters). Out: sets of genes (see `genes_tensorflow`) whose
values the API took. A call that is refused for a reason not seen before is progress, as a new
branch is for a coverage-guided fuzzer: kernels check their arguments one after the other. So each
such call is kept and changed further, with the advice of its message.
"""

import contextlib
import random
import time
import zlib

import tensorflow as tf
from genes_tensorflow import plain
from hints_tensorflow import Hint, outline
from mutations_tensorflow import mutated
from patience_tensorflow import Late, patience

BASES = (
    (2, 3),
    (2, 2),
    (2,),
    (),
    (2, 2, 2),
    (2, 2, 2, 2),
    (2, 2, 2, 2, 2),
    (3, 4, 4, 3),
)
"""Shapes that all tensors of a call have at first, one after the other: sizes that are all equal
satisfy most of what operators demand of sizes."""
MOST_TYPES = 4
SINGLE = 8
BLOCK = 64
"""Attempts are told to the host in blocks after the first few. A block in which the process died is
told attempt by attempt when it is run again, so that the culprit is known."""
SECONDS_PER_ATTEMPT = 0.6
SECONDS_PER_SEARCH = 6.0
"""Of CPU. Caps for the few that are slow; else counts end a search, so that what is learnt depends
on no machine's speed."""
MOST_LATE = 2
MOST_STALE = 60, 40
"""Attempts without a refusal not seen before until a search is given up: so many, and so many more
for each that it has come past. Few kinds of refusal mean that the changes miss the point."""
MOST_SILENT = 40
"""Attempts after a call that worked, but ran no operator: most such APIs never run any."""
MOST_DEATHS = 4
"""Calls that may kill the process before an API is given up."""
FOUND = "found"
"""In the keys of calls that vary one that works."""


class Subject:
    """An API to be called: `function`, its `slots`, and choices of dtypes for its attributes.

    `built` says that the function is a class; `called` that its instances are called.
    """

    def __init__(self, name, function, slots, types=({},), built=False, called=False):
        self.name = name
        self.function = function
        self.slots = slots
        self.types = types
        self.built = built
        self.called = called

    def values(self, genes, types, maker):
        """(arguments, keywords, constructor's or None) with the values of the genes."""
        call, constructor = ([], {}), ([], {})
        for slot, gene in zip(self.slots, genes):
            args, kwargs = constructor if slot.place == "constructor" else call
            if gene is None:
                continue
            value = maker.make(gene, types)
            if slot.flag == "*":
                args.extend(value)
            elif slot.flag == "k" or slot.optional:
                kwargs[slot.name] = value
            else:
                args.append(value)
        built = (tuple(constructor[0]), constructor[1]) if self.built else None
        return tuple(call[0]), call[1], built

    def run(self, call):
        """Make one call."""
        args, kwargs, built = call
        if built is None:
            return self.function(*args, **kwargs)
        made = self.function(*built[0], **built[1])
        return made(*args, **kwargs) if self.called else made


class Search:
    """One search; `graph` tells whether calls are put into a graph instead of being run. It begins
    with genes that are `lent`, where there are some."""

    def __init__(self, subject, maker, recorder, budget, lent=()):
        self.subject = subject
        self.maker = maker
        self.recorder = recorder
        self.budget = budget
        self.lent = lent
        self.mark = "n" if lent else ""  # keys tell a second search of one API from the first
        self.start = time.process_time() - maker.spent
        # A checksum, and not `hash`, which differs between processes.
        self.chance = random.Random(zlib.crc32(subject.name.encode()))
        self.seen = {}
        self.pool = []
        # Variables of version 1 exist in graphs only.
        self.graph = any(slot.base == "ref" for slot in subject.slots)
        self.late = 0
        self.problem = "no parameters that could be tried"
        self.silent = None  # a call that worked, but ran no operator
        self.number = 0
        self.news_at = 0
        self.silent_at = budget

    def run(self, skip=()):
        """Yield the record of calls before them; return the first that works: (genes, types)."""
        if sum(alone(key, self.subject.name) for key in skip) >= MOST_DEATHS:
            self.problem = "kills its process"
            return None
        for genes, types in self.proposals():
            if self.number >= self.budget or self.is_late() or self.is_stale():
                break
            key = self.key(skip)
            if key is not None and key not in skip:
                yield {"at": key, "call": self.text(genes, types)} if alone(key) else {"at": key}
            self.number += 1
            if key not in skip and self.attempt(genes, types):
                return genes, types
            if self.late >= MOST_LATE or self.number - self.silent_at > MOST_SILENT:
                break
        return self.silent

    def is_late(self):
        """Whether the time is up; that of searches for handles, which others use too, is free."""
        return time.process_time() - self.maker.spent - self.start > SECONDS_PER_SEARCH

    def is_stale(self):
        """Whether nothing new has come of many attempts."""
        start, more = MOST_STALE
        return self.number - self.news_at > start + more * len(self.seen)

    def key(self, skip):
        """What the present attempt is called; None inside a block, which is told as a whole."""
        within = (self.number - SINGLE) % BLOCK
        if self.number >= SINGLE:
            first = self.number - within
            last = first + BLOCK - 1
            block = "{}#{}{}-{}".format(self.subject.name, self.mark, first, last)
            if block not in skip:
                return None if within else block
        return "{}#{}{}".format(self.subject.name, self.mark, self.number)

    def text(self, genes, types):
        """What `attempts_tensorflow` makes the same call of, in another process."""
        return repr((list(genes), types, self.graph))

    def proposals(self):
        """(genes, types) to try: first one shape for all, then changes of what came far."""
        slots, types = self.subject.slots, self.subject.types
        for genes in self.lent:
            yield genes, types[0]
        for number, base in enumerate(BASES if not self.lent else ()):
            genes = [slot.first(base) for slot in slots]
            yield genes, types[0]
            if not any(not slot.optional for slot in slots):
                break
            if number == 1 and has_triple(slots):
                yield triple(slots, genes), types[0]
        for other in types[1:MOST_TYPES] if not self.lent else ():
            yield [slot.first(BASES[1]) for slot in slots], other
        while self.pool and slots:
            yield self.changed()

    def changed(self):
        """A change of one of the calls that came far, the latest ones preferred."""
        chance = self.chance
        recent = chance.random() < 0.6
        genes, types, hint = chance.choice(self.pool[-3:] if recent else self.pool)
        genes = list(genes)
        slots = self.subject.slots
        named = [at for at, slot in enumerate(slots) if slot.name in hint.names]
        needed = [at for at, slot in enumerate(slots) if not slot.optional or genes[at]]
        for _ in range(chance.choice((1, 1, 1, 2, 2, 3))):
            if named and chance.random() < 0.6:
                at = chance.choice(named)
            else:
                at = chance.choice(needed or range(len(slots))) if chance.random() < 0.85 else None
            if at is None:
                at = chance.randrange(len(slots))
            genes[at] = mutated(slots[at], genes[at], hint, chance, genes)
        if len(self.subject.types) > 1 and chance.random() < 0.12:
            types = chance.choice(self.subject.types)
        return genes, types

    def attempt(self, genes, types):
        """Try one call; returns whether it worked and ran an operator."""
        try:
            with surroundings(self.graph), patience(SECONDS_PER_ATTEMPT):
                call = self.subject.values(genes, types, self.maker)
                names, _ = self.recorder.record(lambda: self.subject.run(call))
        except Late:
            self.late += 1
            self.problem = "slow"
            return False
        except (Exception, SystemExit) as problem:
            self.refused(genes, types, problem)
            return False
        if names:
            return True
        if self.silent is None:
            self.silent, self.silent_at = (genes, types), self.number
        self.keep("", genes, types, Hint("", ()))
        return False

    def refused(self, genes, types, problem):
        """Learn from an error."""
        reason = outline(problem)
        if reason not in self.seen:
            hint = Hint(str(problem), [slot.name for slot in self.subject.slots])
            if hint.wants_graph and not self.graph:
                self.graph = True
            self.keep(reason, genes, types, hint)
        self.seen[reason] = self.seen.get(reason, 0) + 1
        self.problem = type(problem).__name__

    def keep(self, reason, genes, types, hint):
        """Remember a call that came further than others."""
        if reason not in self.seen:
            self.seen[reason] = 0
            self.news_at = self.number
            self.pool.append((tuple(genes), types, hint))

    def variations(self, found, count):
        """Changes of a call that works: other words that the documentation has, then others."""
        self.pool = [(*found, Hint("", ()))]
        worded = list(reworded(self.subject.slots, *found))[: count // 2]
        left = range(count - len(worded)) if self.subject.slots else ()
        return worded + [self.changed() for _ in left]


def alone(key, name=None):
    """Whether a key stands for a single call of a search, if given of the API of that name."""
    api, _, number = key.partition("#")
    return number.lstrip("n").isdigit() and name in (None, api)


def reworded(slots, genes, types):
    """The same call with another of the words that are quoted where a parameter is described."""
    for at, (slot, gene) in enumerate(zip(slots, genes)):
        words = slot.words if gene is not None and gene[0] == "plain" else []
        for word in dict.fromkeys(words) if gene and gene[1] in words else ():
            if word != gene[1]:
                yield [*genes[:at], plain(word), *genes[at + 1 :]], types


def has_triple(slots):
    """Whether parameters come as the indices, values and shape of a sparse tensor."""
    names = {slot.name.rpartition("_")[2] for slot in slots}
    return "indices" in names and "values" in names and "shape" in names


def triple(slots, genes):
    """Genes in which they are the parts of one sparse matrix."""
    parts = {
        "indices": ((2, 2), ("values", (0, 0, 1, 1))),
        "values": ((2,), "unit"),
        "shape": ((2,), ("values", (2, 3))),
    }
    changed = []
    for slot, gene in zip(slots, genes):
        last = slot.name.rpartition("_")[2]
        listed = gene is not None and gene[0] == "list" and gene[1]
        inner = gene[1][0] if listed else gene
        if last in parts and inner is not None and inner[0] == "tensor":
            inner = (*inner[:2], *parts[last])
            gene = ("list", (inner,) * len(gene[1])) if listed else inner
        changed.append(gene)
    return changed


@contextlib.contextmanager
def surroundings(graph):
    """Eager execution, or a fresh graph of version 1."""
    if not graph:
        yield
        return
    with tf.Graph().as_default():
        yield
