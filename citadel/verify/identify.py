"""Which calls of a traced run failed, which were caught, and which ones the report names.

`culprit` says which of them is to blame.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from analysis.catalog.model import Api, Catalog
from analysis.target.observation import Call, Observation, Outcome, Raised
from citadel.oracle.messages import first_line
from citadel.traced import OPERATOR_FORMS, leaf, resolve, spellings, spelt
from harvest.report.model import Mention

CASE_FILE = "case.py"
"""What tracebacks call the case's own text."""
CONSTRUCTORS = frozenset(
    (
        *("Tensor", "FloatTensor", "DoubleTensor", "HalfTensor", "BFloat16Tensor", "BoolTensor"),
        *("ByteTensor", "CharTensor", "ShortTensor", "IntTensor", "LongTensor"),
    )
)
"""What made tensors of one dtype before there was `torch.tensor`."""
CONVERTERS = frozenset(("as_tensor", "from_numpy"))  # reports say where their numbers come from
MAKERS = CONVERTERS | frozenset(
    (
        *map(str.lower, CONSTRUCTORS),
        *("new", "tensor", "constant", "zeros", "ones", "full", "eye", "arange", "linspace"),
        *("empty", "rand", "randn", "randint", "normal", "uniform", "manual_seed", "set_seed"),
        *("variable", "convert_to_tensor", "array", "asarray", "cast", "to", "type", "type_as"),
        *("double", "float", "half", "bfloat16", "int", "long", "short", "bool", "cfloat"),
        "cdouble",
    )
)
"""Calls that make what others work on, or convert it: suspected last."""
USERS_OF_VALUES = frozenset(
    (
        *("backward", "grad", "gradient", "gradients", "jacobian", "batch_jacobian", "hessians"),
        *("item", "tolist", "numpy", "cpu", "clone", "print", "repr", "str"),
        *("deepcopy", "dump", "dumps"),
        *("as_numpy_iterator", "get_next", "get_single_element"),  # these run a pipeline
    )
)
"""Calls that hand on trouble which an earlier call has caused."""
GRADIENTS = frozenset(
    (
        *("backward", "grad", "gradient", "gradients", "jacobian", "batch_jacobian"),
        *("hessians", "gradcheck", "gradgradcheck", "compute_gradient"),
    )
)
"""Users of values that reports name for what they differentiate, not for themselves."""


def failing_call(observation: Observation) -> Call | None:
    """The innermost traced call that raised what ended the run, or that never returned."""
    if observation.outcome is Outcome.EXCEPTION and observation.exception is not None:
        final = observation.exception
        if _checks_what_it_handles(final):
            return None
        raised = [(c, c.raised.message) for c in observation.calls if c.raised is not None]
        # What frameworks wrap around a message differs from call to call.
        said = first_line(final.message)
        same = [call for call, message in raised if first_line(message) == said]
        last = max(same, key=_depth, default=None)
        # Some hand on what they caught, in words of their own: TorchScript, `raise ... from e`.
        told = [call for call, message in raised if len(message) > 8 and message in final.message]
        inner = [call for call in told if last is None or call.number > last.number]
        if not inner and last is not None and last.form == "other":
            # A graph says it in other words than the Python that it is made from.
            inner = [c for c, _ in raised if c.explained and c.number > last.number]
        return max(inner, key=_depth, default=last)
    if observation.outcome in (Outcome.OK, Outcome.EXIT):
        return None
    unfinished = [call for call in observation.calls if not call.finished]
    return max(unfinished, key=lambda call: (call.depth, call.number), default=None)


def _checks_what_it_handles(final: Raised) -> bool:
    """Whether an assertion of the case fails while it handles an exception: whatever it says, in
    the very words of that perhaps, no call has raised it."""
    own = bool(final.frames) and final.frames[-1].file == CASE_FILE
    return own and bool(final.handling) and final.type == "AssertionError"


def _depth(call: Call) -> tuple[int, int]:
    return call.depth, call.number


def maker_of_owner(
    failing: Call, calls: Sequence[Call], catalog: Catalog
) -> tuple[Call, Api] | None:
    """Where the object whose method fails was made, if its class is public: a schedule, say."""
    owner = failing.name.rpartition(".")[0]
    for call in reversed(calls):
        built = call.result if call.form == "class" and call.number < failing.number else None
        # Objects are known by where their class is defined, calls by its public name.
        if built is not None and owner in (built.value.text, call.name):
            api = resolve(call, catalog)
            return None if api is None else (call, api)
    return None


def names_meant(mentions: Iterable[Mention], calls: Sequence[Call], catalog: Catalog) -> set[str]:
    """The last names of what a report mentions, and those that the trace has for the same."""
    named = [mention.name for mention in mentions]
    told, styles = {leaf(name) for name in named}, {spelt(name) for name in named}
    for name in {call.name for call in calls if call.form not in ("other", *OPERATOR_FORMS)}:
        api = catalog.resolve(name)
        if api is not None and any(spelt(other) in styles for other in (name, *api.aliases)):
            told.add(leaf(name))
    return told


def maker_of_what_runs(
    observation: Observation, catalog: Catalog, named: set[str]
) -> tuple[Call, Api] | None:
    """Where a loop over a dataset fails, say, no call is running: who made it, last of all.

    A call that the report names comes first; else what it made must be an object, as tensors do
    nothing by themselves.
    """
    raised = observation.exception
    within = raised is not None and raised.frames and raised.frames[-1].file != CASE_FILE
    if observation.outcome is not Outcome.SIGNAL and not within:
        return None
    made = [c for c in reversed(observation.calls) if c.result is not None and c.result.ids]
    chain = [(call, api) for call in made if (api := resolve(call, catalog)) is not None]
    told = [pair for pair in chain if leaf(pair[0].name) in named]
    objects = [p for p in chain if p[0].result and not p[0].result.value.is_tensor]
    return next(iter(told or objects), None)


def caught_calls(observation: Observation) -> tuple[Call, ...]:
    """The framework's calls whose exception did not end the run, the last and innermost first."""
    raised = [c for c in observation.calls if c.raised is not None and c.form != "other"]
    ended = failing_call(observation)
    calls = [c for c in raised if ended is None or c.number < ended.number]
    return tuple(sorted(calls, key=lambda c: (-c.number,)))


def hands_on(call: Call) -> bool:
    """Whether trouble that a call shows is that of what it was given.

    A tape's method `gradient` goes back through what was computed; a function of that name takes
    differences of numbers.
    """
    differences = call.form == "function" and leaf(call.name) == "gradient"
    return leaf(call.name) in USERS_OF_VALUES and not differences


def mentioned_calls(
    observation: Observation, catalog: Catalog, mentions: Sequence[Mention]
) -> Iterator[tuple[Call, Api]]:
    """Of each API that the report names, the most named first, the last call.

    Of several APIs with that last name, under any of their names, it is the one that the report
    spells out.
    """
    ranked = sorted(mentions, key=lambda m: (-min(m.title, 1), -m.title - m.body))
    found = (_mentioned(mention.name, observation.calls, catalog) for mention in ranked)
    return (pair for pair in found if pair is not None)


def _mentioned(name: str, calls: Sequence[Call], catalog: Catalog) -> tuple[Call, Api] | None:
    """The last call of what a report calls so; of a method, where its object was made."""
    known: tuple[Call, Api] | None = None
    styled: tuple[Call, Api] | None = None
    for call in reversed(calls):
        api = resolve(call, catalog)
        if api is None:
            method = "." in name and f".{call.name}".endswith(f".{name}")
            styled = styled or (maker_of_owner(call, calls, catalog) if method else None)
            continue
        if name in (api.name, *api.aliases):
            return call, api
        # The call is known by one of its API's names, and the report may use another.
        names = {call.name, *api.aliases}
        if known is None and leaf(name) in map(leaf, names):
            known = call, api
        if styled is None and any(spelt(name) in spellings(one) for one in names):
            styled = call, api
    return known or styled
