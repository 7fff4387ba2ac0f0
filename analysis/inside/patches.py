"""Puts functions in the place of others, whose numbers then know what they count (`units`)."""

import functools

import units


def replace(module, name, value):
    if hasattr(module, name):
        setattr(module, name, functools.wraps(getattr(module, name))(value))


def wrap(module, name, wrapper):
    if hasattr(module, name):
        setattr(module, name, wrapper(getattr(module, name)))


def rebind(function, old, new):
    """Defaults are bound where a function is defined."""
    defaults = getattr(function, "__defaults__", None)
    if defaults:
        function.__defaults__ = tuple(new if value is old else value for value in defaults)


def keeping(function):
    """A function of a list of numbers, whose result is of their unit."""

    @functools.wraps(function)
    def kept(*args, **kwargs):
        unit = units.common(args[0]) if args else None
        result = function(*args, **kwargs)
        return result if unit is None else units.measured(_plain(result), unit)

    return kept


def _plain(result):
    """NumPy's scalars as numbers of Python."""
    return result.item() if getattr(result, "shape", None) == () else result


def counting(function, unit):
    """A function whose numbers (in a tuple or dict, if need be) are of this unit."""

    @functools.wraps(function)
    def counted(*args, **kwargs):
        result = function(*args, **kwargs)
        if isinstance(result, dict):
            return {key: units.measured(value, unit) for key, value in result.items()}
        if type(result) is tuple:
            return tuple(units.measured(value, unit) for value in result)
        return units.measured(result, unit)

    return counted
