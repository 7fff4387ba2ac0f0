"""Numbers that know what they count: readings of clocks, durations, bytes, and ratios of them.

A report computes what it shows from its clocks: `slow / fast`, `1e3 * min(times)`. These numbers
are floats and ints in every respect, and what is computed from them knows its unit as long as it
has one:

    "clock"   a reading of a clock, "clock_ns" one in nanoseconds
    "s", "ns" a duration: the difference of two readings (multiplied by what the report likes)
    "ms", "us" a duration that a meter tells in these
    "B"       an amount of memory
    "rate"    so much per second
    "ratio"   of two durations, amounts or rates
"""

DURATION = {"clock": "s", "clock_ns": "ns"}
DURATIONS = ("s", "ms", "us", "ns")
AMOUNTS = (*DURATIONS, "B", "rate")
BASES = (float, int)
MOST_ITEMS = 1000


def added(one, other):
    """Unit of a sum, given those of its terms; None is a plain number's."""
    if one is None or other is None or one == other:
        found = one or other
        return None if found == "ratio" and one != other else found
    return _moved(one, other) or _moved(other, one)


def subtracted(one, other):
    if one == other:
        return DURATION.get(one, one)
    if one is None or other is None:
        return added(one, other)
    return _moved(one, other)


def _moved(clock, duration):
    """A reading, later or earlier."""
    return clock if DURATION.get(clock) == duration else None


def multiplied(one, other):
    if one is None or other is None:
        found = one or other
        return None if found in DURATION else found
    if "ratio" in (one, other):
        return other if one == "ratio" else one
    return None


def divided(one, other):
    if one == other:
        return None if one in DURATION else "ratio"
    if other is None:
        return None if one in DURATION else one
    if other == "ratio":
        return one or "ratio"
    if other in DURATIONS and one in (None, "B"):
        return "rate"
    return "s" if (one, other) == (None, "rate") else None


def of_quotient(one, other):
    """Unit of `//` and `%`: a part of the dividend."""
    return one if other is None and one not in DURATION else None


OPERATIONS = {
    "add": added,
    "sub": subtracted,
    "mul": multiplied,
    "truediv": divided,
    "floordiv": of_quotient,
    "mod": of_quotient,
}
KEEPING = ("neg", "pos", "abs", "round")


def unit_of(value):
    """The unit of a number, None of anything else."""
    return getattr(type(value), "unit", None) if isinstance(value, BASES) else None


def measured(value, unit):
    """The number with a unit; as it is without one, or where it is no number."""
    if unit is None or isinstance(value, bool) or not isinstance(value, BASES):
        return value
    return CLASSES[unit, int if isinstance(value, int) else float](value)


def common(values):
    """The unit that all numbers of a list or tuple have; None where they have none in common."""
    if not isinstance(values, (list, tuple)) or not 0 < len(values) <= MOST_ITEMS:
        return None
    found = {unit_of(value) for value in values}
    return found.pop() if len(found) == 1 else None


def _binary(base, name, rule, swapped):
    def method(self, other):
        if base is int and isinstance(other, float):
            result = getattr(float, name)(float(self), other)
        else:
            result = getattr(base, name)(self, other)
        if result is NotImplemented:
            return result
        mine, its = self.unit, unit_of(other)
        if mine == "ratio" and its is None and rule in (added, subtracted) and other == 0:
            return measured(result, mine)  # where a sum begins
        return measured(result, rule(its, mine) if swapped else rule(mine, its))

    return method


def _keeping(base, name):
    def method(self, *rest):
        return measured(getattr(base, name)(self, *rest), self.unit)

    return method


def _made(unit, base):
    """The class of one unit's floats or ints."""
    methods = {"unit": unit, "__module__": __name__}
    for name, rule in OPERATIONS.items():
        for swapped in (False, True):
            full = "__%s%s__" % ("r" if swapped else "", name)
            methods[full] = _binary(base, full, rule, swapped)
    for name in KEEPING:
        full = "__%s__" % name
        methods[full] = _keeping(base, full)
    methods["__divmod__"] = lambda self, other: (self // other, self % other)
    return type("%s_%s" % (base.__name__, unit), (base,), methods)


UNITS = (*DURATION, *AMOUNTS, "ratio")
CLASSES = {(unit, base): _made(unit, base) for unit in UNITS for base in BASES}
globals().update((kind.__name__, kind) for kind in CLASSES.values())  # where copies look for them


def record(value):
    """`{"k", "v", "unit"}` of a number with a unit, as `values.describe` makes it; else None.

    Objects that stand for a duration (a `Measurement` of torch's benchmarks) say so by themselves:
    they have an attribute `citadel_quantity`.
    """
    unit = unit_of(value)
    if unit is None:
        value = getattr(type(value), "citadel_quantity", lambda _: None)(value)
        unit = unit_of(value)
    if unit is None:
        return None
    base = int if isinstance(value, int) else float
    return {"k": base.__name__, "v": base.__repr__(value), "unit": unit}
