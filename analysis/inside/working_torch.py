"""Sample calls of one API, found by its name, in order of trust.

In: a name. Out: `(provider, what to call, changes its input, call)` of every call that one of the
sources of samples has for it; not all of them need to work. Calls are as in `tested_torch`; those
of synthesis are functions that make one.
"""

from itertools import islice

import examples_torch
import samples_torch
import synthesis_torch
from schemas_torch import Schemas


def sample_calls(name):
    """Yield the calls of an API: of the two databases, its documentation, synthesis."""
    place = examples_torch.located(name)
    if place is None:
        return
    thing = getattr(*place)
    in_place = name.endswith("_") and not name.endswith("__")
    for source in (of_operators, of_layers):
        try:
            for call in source(name, thing):
                yield call
        except ImportError:
            continue  # the framework's tests need what is not there
    examples = examples_torch.statements(thing.__doc__)
    for call in examples_torch.recorded(thing, [place], examples) if examples else ():
        yield examples_torch.PROVIDER, thing, in_place, call
    for call in synthesis_torch.attempts(name, thing, Schemas()):
        yield synthesis_torch.PROVIDER, thing, in_place, call


def of_operators(name, thing):
    """Calls of the database of operators."""
    from torch.testing._internal.common_methods_invocations import op_db

    for info in op_db:
        for form, function, in_place in samples_torch.forms(info):
            if form != name and samples_torch.named(form) is not thing:
                continue
            samples = list(islice(samples_torch.sample_inputs(info), samples_torch.MOST_SAMPLES))
            run, calls = samples_torch.form_calls(form, function, in_place, samples)
            for call in calls:
                yield samples_torch.OPERATORS, run, in_place, call


def of_layers(_, thing):
    """Calls of the database of layers."""
    from torch.testing._internal.common_modules import module_db

    for info in module_db:
        if info.module_cls is thing:
            for call in samples_torch.layer_calls(info):
                yield samples_torch.LAYERS, thing, False, call
