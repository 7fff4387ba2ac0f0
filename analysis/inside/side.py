"""The modules that know the framework of this process: `names_torch`, `live_tensorflow`, ..."""

import importlib

_FRAMEWORK = []


def use(framework):
    """Say which framework this process runs; called once, by the server."""
    _FRAMEWORK[:] = [framework] if framework else []


def module(room):
    """The framework's own module for a task ("names", "live"); None without a framework."""
    if not _FRAMEWORK:
        return None
    return importlib.import_module("{}_{}".format(room, _FRAMEWORK[0]))
