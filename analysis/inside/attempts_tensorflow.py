"""Make one of the synthesized calls again, alone in a fresh process.

In: the names of an API, and the text that `Search.text` told before the call. Out: `{"at": name,
"call": its values}`, if the values can be made, then what came of it. Whether a crash is that
call's own shows here: earlier calls may have corrupted the memory.
"""

import ast

import opdefs_tensorflow as opdefs
from described import describe_call
from patience_tensorflow import patience
from recorder_tensorflow import Recorder
from search_tensorflow import SECONDS_PER_ATTEMPT, surroundings
from synthesis_tensorflow import PROVIDER, Recipes, subject_of
from tested_tensorflow import TensorFlowTested, prepare


def attempt(name, text, known=None):
    """Make the call; `name` is `[name, alias, ...]`, `known` as `synthesis_tensorflow` takes it."""
    prepare()
    genes, types, graph = ast.literal_eval(text)
    recipes = Recipes(Recorder(), known or {})
    subject = subject_of(name, opdefs.by_code(), recipes.maker)
    with surroundings(graph):
        call = subject.values(genes, types, recipes.maker)
        yield {"at": name[0], "call": describe_call(call)}
        tested = TensorFlowTested(subject.name, subject.function, recipes.recorder, PROVIDER)
        with patience(SECONDS_PER_ATTEMPT):
            tested.attempt(call)
    for record in tested.result():
        yield record
