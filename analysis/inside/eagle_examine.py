"""Find out what lies behind a disagreement, as far as a known limit may explain it.

In: a pair that failed and what was seen. Out: the reason of `eagle_limits`, or "". Runs only
where executions differ, so it may take as long as a dozen of them.
"""

import re

import eagle_limits
import numpy as np
from eagle_arguments import fractional, negative, truncated
from eagle_compare import coarsest, compare, rounded, unit
from eagle_results import (
    beyond,
    floored,
    fractions,
    numbers,
    proportional,
    select_alike,
    signs_only,
    undefined,
)

NUDGES = 4
ROUNDED = "12"
"""The rule whose two sides differ in their dtypes."""
DENSE = "8"
STRIDES = "8s"
LYING = (STRIDES, "11")
"""Rules under which equal elements lie otherwise in memory."""
OTHERWISE = (ROUNDED, DENSE, STRIDES)
"""Rules under which equal seeds may give other numbers, though none of another kind."""
SCALED = "9"
"""The rule whose reference undoes what it has done to its input."""
OF_MEMORY = (ROUNDED, "1", "8", SCALED, "spread", *LYING)


def examine(runner, pair, seen, taken=True):
    """Why a failure is no bug; "" where nothing explains it.

    `taken` says whether the API takes the variant's inputs at all, as far as other pairs tell.
    """
    if seen.state == "status":
        if pair.told:
            return eagle_limits.explained({"of_data": Space(runner, pair).of_data()})
        if fractional(pair):
            return eagle_limits.explained({"fraction": True})
        if not taken and not eagle_limits.INTERNAL.search(seen.problem[1]):
            return eagle_limits.TAKEN
        if pair.rule in LYING and Space(runner, pair).traced(seen).get("memory"):
            return eagle_limits.explained({"memory": True})
        return eagle_limits.refused(*seen.problem)
    if pair.rule == ROUNDED and pair.variant.startswith("uint") and negative(pair.call):
        return eagle_limits.FRACTION
    space = Space(runner, pair)
    facts = {"unstable": space.unstable(seen)}
    if not facts["unstable"]:
        facts.update(told_by_results(pair, seen, space))
        facts["stored"] = space.of_stored(seen)
        values = seen.difference.kind == "value"
        facts["otherwise"] = pair.drawn and values and pair.rule in OTHERWISE
    if not any(facts.values()):
        if pair.rule == ROUNDED:
            facts["fraction"] = fractional(pair) and space.truncates(seen)
            facts["scaled"] = space.scaled() or space.stretched(seen)
        facts.update(space.traced(seen))
        facts.update(space.conditioned(seen))
    return eagle_limits.explained(facts)


def told_by_results(pair, seen, space):
    """Facts that the two results themselves tell."""
    facts = {}
    for (name, one), (other_name, other) in zip(seen.found, seen.wanted):
        if one.shape != other.shape or one.dtype.kind in "OSU":
            facts["half"] = name.startswith("complex") and pair.rule == ROUNDED
            facts["text"] = one.dtype.kind in "OSU" and pair.rule == ROUNDED
            continue
        whole = one.dtype.kind in "iub" and other.dtype.kind in "fc"
        if whole and one.size and fractions(one, other):
            facts["truncates"] = True
        if whole and one.size and beyond(one, other):
            facts["wraps"] = True
        if one.dtype.kind in "iu" and other.dtype.kind in "iu" and not np.array_equal(one, other):
            facts["ties"] = facts.get("ties") or space.ties(one, other)
        if one.dtype.kind == "c" and other.dtype.kind == "f" and not np.isfinite(other).all():
            facts["domain"] = True
    if seen.difference.kind == "value":
        facts["basis"] = signs_only(seen, seen.difference.rtol)
    if pair.rule == DENSE and seen.difference.kind == "finite":
        facts["undefined"] = undefined(seen)
    return facts


WHOLES = ("int8", "int16", "int32")
WIDTHS = ("uint8", *WHOLES)
WIDEST = "int64"


class Space:
    """Runs the sides of a pair again, as they are and on inputs that are a little off."""

    def __init__(self, runner, pair):
        self.runner = runner
        self.world = runner.world
        self.pair = pair

    def leaves(self, text, inputs):
        """Leaves of an expression over inputs; None where that fails."""
        copied = self.world.copied if self.pair.apart else lambda value: value
        space = dict(self.world.modules)
        space.update({name: copied(value) for name, value in inputs.items()})
        try:
            if self.pair.setup:
                exec(self.runner.code(self.pair.setup, "exec"), space)
            return self.world.leaves(eval(self.runner.code(text, "eval"), space))
        except Exception:
            return None

    def unstable(self, seen):
        """Whether the reference, run again, is another one; memory is stirred in between."""
        self.world.stir(seen.wanted)
        again = self.leaves(self.pair.reference, self.pair.inputs)
        if again is not None and self.pair.rounded:
            again = rounded(again, seen.found)
        return again is None or bool(compare(again, seen.wanted).kind)

    def scaled(self):
        """Whether whole numbers of each size come to another result: images, say, are scaled by
        the range of their dtype."""
        variant = self.pair.variant
        if variant.lstrip("u") not in WHOLES:
            return False
        texts = [re.sub(r"\b%s\b" % variant, name, self.pair.result) for name in WHOLES]
        found = [self.leaves(text, self.pair.inputs) for text in texts]
        if None in found:
            return False
        pairs = ((0, 1), (0, 2), (1, 2))
        return all(compare(found[one], found[other]).kind for one, other in pairs)

    def stretched(self, seen):
        """Whether inputs as large in the range of a wider dtype as they are in that of the
        narrow one come to its result, or to one that is as large in its range."""
        variant = self.pair.variant
        if variant not in WIDTHS:
            return False
        dtypes = {key: self.dtype(value) for key, value in self.pair.inputs.items()}
        cast = "float64" if "float64" in dtypes.values() else WIDEST
        narrow = self.world.bounds(variant)[1] + 1
        found, given = seen.found, self.pair.inputs
        if not any(array.any() for _, array in found):
            given = {
                k: self.filled(v, narrow) if dtypes[k] == cast else v for k, v in given.items()
            }
            found = self.leaves(self.pair.result, given)
        for wide in (*WIDTHS, WIDEST):
            ratio = int((self.world.bounds(wide)[1] + 1) / narrow)
            if ratio <= 2 or found is None:
                continue  # not wider; twice as much may be by chance
            text = re.sub(r"\b%s\b" % variant, wide, self.pair.result)
            inputs = {
                k: value * ratio if dtypes[k] == cast else value for k, value in given.items()
            }
            again = self.leaves(text, inputs)
            if again is not None and proportional(found, again, ratio):
                return True
        return False

    def filled(self, value, limit):
        """An input as large as half of a range allows: what is small there may come to nothing."""
        try:
            ((_, array),) = self.world.leaves(value)
            largest = float(np.abs(array).max())
        except Exception:
            return value
        return value * (int(limit / 2 / largest) or 1) if 0 < largest < limit else value

    def truncates(self, seen):
        """Whether the reference comes to the same with the fractions of its arguments cut off."""
        again = self.leaves(truncated(self.pair.call).text(), self.pair.inputs)
        return again is not None and not compare(seen.found, again, self.pair.dtypes).kind

    def of_stored(self, seen):
        """Whether the result is what comes of the stored elements alone, in their places or not."""
        alone = (self.leaves(text, self.pair.inputs) for text in self.pair.stored)
        return any(found is not None and not compare(seen.found, found).kind for found in alone)

    def dtype(self, value):
        """The name of an input's dtype, where it has one."""
        try:
            return self.world.leaves(value)[0][0]
        except Exception:
            return ""

    def ties(self, one, other):
        """Whether two arrays are indices that select equal elements of an input."""
        outs = self.pair.call.kwargs.get("out", ()) if self.pair.call else ()
        given = outs if isinstance(outs, tuple) else (outs,)
        written = {getattr(one, "name", "") for one in given}  # an `out=None` has none
        for name, value in self.pair.inputs.items():
            if name in written:
                continue
            try:
                ((_, array),) = self.world.leaves(value)
            except Exception:
                continue
            if array.dtype.kind in "fiu" and select_alike(array, one, other):
                return True
        return False

    def traced(self, seen):
        """Largest intermediate value of the reference, and contracts of what it runs."""
        told = self.watched(self.pair.reference)
        if told is None:
            return {}
        smallest, largest, operators, kinds = told
        facts = {"smallest": smallest, "largest": max(largest, -smallest)}
        facts["about"] = self.pair.rule in OF_MEMORY and not operators
        facts["random"] = any(map(self.draws, operators))
        if self.pair.rule in OF_MEMORY:
            told = any(name.startswith(eagle_limits.BY_CONTRACT) for name in operators)
            # The reference may compute something of a result that the other side shows as it is.
            shown = self.run_by(self.pair.result) if self.pair.rule == SCALED else operators
            unwritten = bool(shown) and shown[-1].startswith(eagle_limits.UNWRITTEN)
            facts["memory"] = told or unwritten
        if self.pair.rule == DENSE:
            facts["stored"] = any(name.startswith(eagle_limits.FEATURES) for name in operators)
        name = self.coarse(seen)
        facts["unit"] = unit(name) if name else 0.0
        if self.pair.rule == ROUNDED:
            facts["range"] = self.world.bounds(self.pair.dtypes[0])
            other = self.watched(self.pair.result) if seen.state == "differs" else None
            facts["floors"] = other is not None and floored(other[2:], (operators, kinds))
        return facts

    def of_data(self):
        """Whether tensors without numbers are asked for what depends on numbers."""
        pair, numberless = self.pair, self.world.NUMBERLESS
        if not numberless or numberless not in pair.setup + pair.result + pair.reference:
            return False
        told = self.watched(pair.reference) or self.watched(pair.result)  # one of them fails
        operators = told[2] if told else ()
        return bool(operators) and self.world.needs_numbers(operators[-1])

    def watched(self, text):
        """What an expression runs, as the world traces it; None where it fails."""
        space = dict(self.world.modules)
        space.update(self.pair.inputs)
        try:
            if self.pair.setup:
                exec(self.runner.code(self.pair.setup, "exec"), space)
            code = self.runner.code(text, "eval")
            return self.world.trace(lambda: eval(code, space))
        except Exception:
            return None

    def run_by(self, text):
        """The operators that an expression runs, in order; none where it fails."""
        told = self.watched(text)
        return [] if told is None else told[2]

    def draws(self, operator):
        """Whether an operator draws random numbers that the two executions need not share."""
        if not any(word in operator for word in eagle_limits.RANDOM):
            return False
        return self.pair.rule in ("1", ROUNDED) or not operator.startswith(eagle_limits.STATELESS)

    def coarse(self, seen):
        """The dtype with the fewest digits that takes part."""
        names = [name for name, _ in (*seen.found, *seen.wanted)]
        return coarsest((*names, *self.pair.dtypes))

    def conditioned(self, seen):
        """How far the reference moves where they differ: when each input moves by a rounding, and
        when each intermediate value does."""
        places, index = seen.difference.places, seen.difference.index
        name = self.coarse(seen)
        if places is None or name is None or seen.found[index][1].dtype.kind in "OSU":
            return {}
        one, other = (numbers(side[index][1]) for side in (seen.found, seen.wanted))
        with np.errstate(all="ignore"):
            gaps = np.abs(np.where(places, one - other, 0))
        difference = float(gaps[np.isfinite(gaps)].max(initial=0.0))
        if seen.difference.kind == "finite":  # it is as far off as the number is large
            sizes = np.abs(np.where(places & np.isfinite(other), other, 0))
            difference = float(sizes.max(initial=1.0))
        # What each element has to itself is rounded by its own size, not by that of the largest.
        turns = range(1, 2 * NUDGES, 2) if self.elementwise(other) else range(NUDGES)
        facts = {"difference": difference, "moved": 0.0, "shaken": 0.0}
        for number in turns:
            # Each in its own directions: what moves alike leaves a quotient where it is.
            nudged = {
                key: self.world.nudged(value, unit(name), number + 2 * nth)
                for nth, (key, value) in enumerate(self.pair.inputs.items())
            }
            again = {
                "moved": self.leaves(self.pair.reference, nudged),
                "shaken": self.shaken(unit(name), number),
            }
            for fact, leaves in again.items():
                if leaves is not None and self.pair.rounded:
                    leaves = rounded(leaves, seen.found)
                step = moved_by(leaves, seen, other, difference)
                facts[fact] = max(facts[fact], step)
        return facts

    def shaken(self, rounding, number):
        """Leaves of the reference whose intermediate values are moved by a rounding."""
        call = lambda: self.leaves(self.pair.reference, self.pair.inputs)  # noqa: E731
        try:
            return self.world.shaken(call, rounding, number)
        except Exception:
            return None

    def elementwise(self, wanted):
        """Whether each element of the result depends on the inputs' elements in its place only, as
        far as a few of them tell."""
        inputs = self.pair.inputs
        alike = [key for key, value in inputs.items() if self.world.shape(value) == wanted.shape]
        if len(alike) < len(inputs) or not wanted.shape or wanted.size < 2:
            return False
        told = False
        for place in sorted({0, wanted.size // 2, wanted.size - 1}):
            stepped = {key: self.world.stepped(value, place) for key, value in inputs.items()}
            again = self.leaves(self.pair.reference, stepped)
            if again is None or len(again) != 1 or again[0][1].shape != wanted.shape:
                return False
            made = numbers(again[0][1])
            changed = np.flatnonzero((made != wanted) & ~(np.isnan(made) & np.isnan(wanted)))
            if any(where != place for where in changed):
                return False
            told = told or len(changed) > 0
        return told


def moved_by(again, seen, other, difference):
    """How far the leaf in which two results differ moved, where they do; of what is not finite, as
    far as they differ if that changed."""
    places, index = seen.difference.places, seen.difference.index
    if again is None or index >= len(again) or again[index][1].shape != other.shape:
        return 0.0
    now = numbers(again[index][1])
    with np.errstate(all="ignore"):
        steps = np.abs(np.where(places, now - other, 0))
    moved = float(steps[np.isfinite(steps)].max(initial=0.0))
    if seen.difference.kind == "finite":
        # What becomes finite, or no longer is, by a rounding stands on an edge.
        turned = np.isfinite(now) != np.isfinite(other)
        moved = max(moved, difference if bool((turned & places).any()) else 0.0)
    return moved
