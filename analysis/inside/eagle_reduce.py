"""Make a pair that fails smaller, as long as it fails in the same way and nothing explains it.

Tried in order: fewer keywords, shorter dimensions (all of one size at once, since they often
belong together), plain numbers in place of the sample's. Each step costs an execution or two.
"""

import time

from eagle_examine import examine


def reduced(runner, pair, seen, tries, end=float("inf")):
    """The smallest pair found by so many tries up to a time, and what is seen of it."""
    search = Reduction(runner, pair, seen, tries, end)
    if pair.smaller is not None:
        for step in (search.keywords, search.dimensions, search.numbers):
            step()
    return search.pair, search.seen


class Reduction:
    """A pair, what was seen of it, the tries that are left and when they end."""

    def __init__(self, runner, pair, seen, tries, end):
        self.runner = runner
        self.world = runner.world
        self.pair = pair
        self.seen = seen
        self.tries = tries
        self.end = end

    def accept(self, call):
        """Take over a call if it fails alike."""
        if self.tries <= 0 or time.monotonic() > self.end:
            return False
        self.tries -= 1
        pair = self.pair.smaller(call)
        if pair is None:
            return False
        seen = self.runner.run(pair)
        alike = seen.failed() and seen.alike(self.seen) and pair.counts(seen)
        if not alike or examine(self.runner, pair, seen):
            return False
        self.pair, self.seen = pair, seen
        return True

    def keywords(self):
        for name in list(self.pair.call.kwargs):
            self.accept(self.pair.call.without(name))

    def dimensions(self):
        sizes = {n for value in self.pair.inputs.values() for n in self.world.shape(value)}
        for size in sorted(sizes - {0, 1}, reverse=True):
            for less in sorted({1, 2, size // 2} - {0, size}):
                if less < size and self.accept(self.shorter(size, less)):
                    break

    def shorter(self, size, less):
        inputs = {
            name: self.world.narrowed(value, size, less) for name, value in self.pair.inputs.items()
        }
        return self.pair.call.over(inputs)

    def numbers(self):
        # Of equal numbers some answers are nothing but rounding.
        for number in range(1 if self.pair.rounded else 0, self.world.PLAINER):
            inputs = {
                name: self.world.plainer(value, number) for name, value in self.pair.inputs.items()
            }
            if self.accept(self.pair.call.over(inputs)):
                return
