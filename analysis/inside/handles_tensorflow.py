"""Handles for operators that work on what another operator has made.

Tables, queues, iterators, stacks, datasets and lists of tensors are reached through tensors of
dtype resource, variant or string (in version 1). The operators that make them are found by their
definitions: such an output, and no such input. Which of them fits an input is guessed from the
words that the two operators' names share: `LookupTableFindV2` and `HashTableV2` share `Table`. How
a maker is called is found by the same search as for every other operator. What has no output but a
handle among its inputs fills it: `MakeIterator`, `QueueEnqueueV2`.
"""

import functools
import re

import opdefs_tensorflow as opdefs
import tensorflow as tf

HANDLES = ("resource", "variant")
COMMON = frozenset("v2 v3 op handle input output of the anonymous resource".split())
FILLING = frozenset("push write insert put enqueue".split())
"""What operators that fill are called where they have an output all the same."""
MOST_MAKERS = 6
MOST_FILLERS = 3


def words(name):
    """The words of a name: `LookupTableFindV2`, `table_handle` -> {"lookup", "table", ...}."""
    found = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|V?\d+", name)
    return {word.lower().rstrip("s") for word in found} - COMMON


def handle_kind(argument):
    """Which handle an argument is: resource, variant or (in version 1) string; None if none."""
    if not argument.type:
        return None
    name = opdefs.dtype_name(argument.type).replace("_ref", "")
    return name if name in HANDLES or (argument.is_ref and name == "string") else None


def effort(definition):
    """How much an operator needs: functions, files and encoded data are harder to supply."""
    functions = sum(item.type.endswith("func)") or item.type == "func" for item in definition.attr)
    texts = sum(
        bool(item.type) and opdefs.dtype_name(item.type) == "string"
        for item in definition.input_arg
    )
    return len(definition.input_arg) + 3 * functions + 2 * texts + len(definition.attr) / 10


class Handles:
    """Makes handles; remembers how each maker is called."""

    def __init__(self, maker):
        self.maker = maker
        self.recipes = {}
        self.filling = {}
        self.sought = set()
        self.search = None  # set by the search itself: (operator name, fixed genes) -> genes

    def candidates(self, operator, argument, kind):
        """Makers that may fit an input, best first."""
        wanted, special = words(operator), words(argument)
        scored = []
        for name, made in makers().items():
            if kind in made and name != operator:
                own = words(name)
                score = 2 * len(own & special) + len(own & wanted)
                scored.append((-score, effort(opdefs.definition(name)), name))
        scored.sort()
        return [name for score, _, name in scored if score < 0][:MOST_MAKERS]

    def useless(self, name):
        """Whether it is known that nobody knows how to call a maker."""
        return self.recipes.get(name, ()) is None and name not in self.sought

    def recipe(self, name):
        """How a maker is called: (keyword genes, types of its attributes), None where unknown."""
        if name not in self.recipes:
            self.recipes[name] = None
            self.sought.add(name)
            self.recipes[name] = self.search(name, {})
            self.sought.discard(name)
        return self.recipes[name]

    def make(self, name, filled, types):
        """A fresh handle; if `filled`, with contents as far as operators are found to put some."""
        made = self.run(name, self.recipe(name), {})
        handle = pick(made, opdefs.definition(name))
        if filled:
            for filler, argument, recipe in self.fillers(name):
                try:
                    self.run(filler, recipe, {argument: handle})
                except Exception:
                    continue
        return handle

    def run(self, name, recipe, given):
        """Call an operator as its recipe says, with some arguments given."""
        if recipe is None:
            raise ValueError("nobody knows how to call " + name)
        genes, types = recipe
        values = {key: self.maker.make(gene, types) for key, gene in genes.items()}
        values.update(given)
        return getattr(tf.raw_ops, name)(**values)

    def fillers(self, name):
        """[(operator, its handle argument, recipe)] of what puts something behind a handle."""
        if name not in self.filling:
            self.filling[name] = []
            own, kinds = words(name), makers().get(name, set()) - {"variant"}
            scored = []
            for other in opdefs.names() if kinds else ():
                definition = opdefs.definition(other)
                taken = [arg.name for arg in definition.input_arg if handle_kind(arg) in kinds]
                fills = not definition.output_arg or words(other) & FILLING
                if len(taken) == 1 and fills and own & words(other):
                    if len(definition.input_arg) > 1 and opdefs.on_cpu(other):
                        scored.append((-len(own & words(other)), other, taken[0]))
            for _, other, argument in sorted(scored)[:MOST_FILLERS]:
                recipe = self.search(other, {argument: ("handle", name, False)})
                if recipe is not None:
                    genes = {key: gene for key, gene in recipe[0].items() if key != argument}
                    self.filling[name].append((other, argument, (genes, recipe[1])))
        return self.filling[name]


@functools.lru_cache(maxsize=None)
def makers():
    """Operators that make handles out of other things: name -> kinds."""
    found = {}
    for name in opdefs.names():
        definition = opdefs.definition(name)
        kinds = {handle_kind(item) for item in definition.output_arg} - {None}
        taken = {handle_kind(item) for item in definition.input_arg} - {None}
        if not kinds or taken or any(arg.is_ref for arg in definition.input_arg):
            continue
        if opdefs.on_cpu(name) and not opdefs.is_distributed(definition):
            found[name] = kinds
    return found


def pick(made, definition):
    """The handle among the outputs of a maker."""
    if len(definition.output_arg) == 1:
        return made
    for argument, value in zip(definition.output_arg, made):
        if handle_kind(argument):
            return value
    raise ValueError("no handle was made")
