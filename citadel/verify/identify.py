"""Which call of a traced run is the problem: the public API that raised, crashed or hung.

The trace decides; the report's words only break ties: when the call that failed merely used a value
(`print(y)`, `loss.backward()`), the API is the one that made the value, nearest first, preferring
one that the report names. (The paper counts mentions alone.)
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from analysis.catalog.model import Api, ApiKind, Catalog
from analysis.target.observation import Call, Observation, Outcome
from analysis.target.watch import CHECK_CALLS, Check
from citadel.oracle.compilers import is_compiler
from citadel.oracle.messages import first_line
from citadel.traced import OPERATOR_FORMS, leaf, makers, resolve, spellings, spelt
from citadel.verify import said
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
_KEEPERS = frozenset(("deepcopy", "dump", "dumps", "save"))
"""Calls that copy a whole object, or save it."""
RUNS_GRAPHS = ("Session.run", "Tensor.eval", "Operation.run")
"""Methods that run what operations have put into a graph before."""
GRADIENTS = frozenset(
    (
        *("backward", "grad", "gradient", "gradients", "jacobian", "batch_jacobian"),
        *("hessians", "gradcheck", "gradgradcheck", "compute_gradient"),
    )
)
"""Users of values that reports name for what they differentiate, not for themselves."""
_COMPARISONS = frozenset(
    name.lower() for name, check in CHECK_CALLS.items() if check in (Check.EQUAL, Check.CLOSE)
)
"""Users of values that choke on values which do not go together."""
REDUCTIONS = frozenset(("sum", "mean", "reduce_sum", "reduce_mean"))
"""What stands between an operation and the `backward` that is called to test it."""
_WRITTEN = re.compile(r"[a-z0-9]_[a-z0-9]|\.[a-z]|[a-z][A-Z]")
"""What is in no word of prose: an underscore, a dot, a capital inside."""
_NOTHING = re.compile(r"\bNone(?:Type)?\b")


def failing_call(observation: Observation) -> Call | None:
    """The innermost traced call that raised what ended the run, or that never returned."""
    if observation.outcome is Outcome.EXCEPTION and observation.exception is not None:
        final = observation.exception
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


def _depth(call: Call) -> tuple[int, int]:
    return call.depth, call.number


def culprit(
    observation: Observation, catalog: Catalog, mentions: Sequence[Mention]
) -> tuple[Call, Api] | None:
    """The call to blame and its API, or None where the trace names no public API."""
    failing, calls = failing_call(observation), observation.calls
    named = _meant((m for m in mentions if m.title or m.body), calls, catalog)
    if failing is None:
        return _maker_of_what_runs(observation, catalog, named)
    titled = _meant((m for m in mentions if m.title), calls, catalog)
    failing = _handed(failing, observation.calls, named)
    checked = _checked(failing, calls, catalog, titled, named)
    checked = checked or _compiled(failing, calls, catalog, titled)
    checked = checked or _kept(failing, calls, catalog, titled, named)
    if checked is not None:
        return checked
    if resolve(failing, catalog) is None and not _uses_values(failing):
        # Whoever made its arguments has done nothing wrong.
        return maker_of_owner(failing, observation.calls, catalog)
    chain = [
        (call, api)
        for call in (failing, *makers(failing, observation.calls))
        if (api := resolve(call, catalog)) is not None
    ]
    if not chain:
        return None
    first = chain[0]
    died = observation.outcome is Outcome.SIGNAL
    subject = _compared(failing, chain, titled) or _subject(chain, mentions, died=died)
    if subject is not None:
        return subject
    user = first[0] is not failing or _uses(first[0])
    if first[0] is failing and not user:
        return _maker_of_nothing(failing, observation.calls, catalog, titled or named) or first
    if leaf(first[0].name) in named - GRADIENTS:
        return first  # the report says that it is this one
    makers_only = [pair for pair in chain if not _uses(pair[0])]
    words = said.words(failing) - (MAKERS - titled)
    told = (named - (CONVERTERS - titled), said.nodes(failing), said.operators(failing), words)
    for one in (*told, *said.begun(failing)):
        for pair in makers_only:
            if leaf(pair[0].name) in one:
                return pair
    proper = [pair for pair in makers_only if leaf(pair[0].name) not in MAKERS]
    running = [pair for pair in proper if said.runs_what_fails(failing, pair[1], catalog)]
    return _nearest_maker(running or makers_only) or first


def _compiled(
    failing: Call, calls: Sequence[Call], catalog: Catalog, titled: Collection[str]
) -> tuple[Call, Api] | None:
    """The layer that a compiler fails on, if the title names one beside the compiler."""
    if not is_compiler(failing.name):
        return None
    before = [call for call in calls if call.number < failing.number and leaf(call.name) in titled]
    found = {api.name: (call, api) for call in before if (api := resolve(call, catalog))}
    others = [pair for pair in found.values() if pair[1].kind is ApiKind.MODULE]
    return others[0] if len(others) == 1 else None


def _kept(
    failing: Call,
    calls: Sequence[Call],
    catalog: Catalog,
    titled: Collection[str],
    named: Collection[str],
) -> tuple[Call, Api] | None:
    """What cannot be copied or saved: the one API called before that the title names, else the one
    that is new since the same could be copied, or else the one that the report names, where nothing
    tells which part of a model or of a checkpoint it is.

    Where the title names the failing call, an API itself, or several others are named, the trace
    decides.
    """
    named_itself = resolve(failing, catalog) is not None and leaf(failing.name) in titled
    if leaf(failing.name) not in _KEEPERS or named_itself:
        return None
    before = [c for c in calls if c.number < failing.number and leaf(c.name) not in MAKERS]
    for words in (titled, named):
        told = [call for call in before if leaf(call.name) in words]
        found = {api.name: (call, api) for call in told if (api := resolve(call, catalog))}
        if len(found) == 1:
            return next(iter(found.values()))
        if found:
            return None
        if words is titled and (new := _new_since(failing, before, catalog)) is not None:
            return new
    return None


def _new_since(failing: Call, before: Sequence[Call], catalog: Catalog) -> tuple[Call, Api] | None:
    """The one API that has worked on what is copied now, and was not called before it last was."""
    fine = [c.number for c in before if c.site == failing.site and c.result is not None]
    last = max(fine, default=None)
    if last is None:
        return None
    parts = {number for made in (failing, *makers(failing, before)) for number in _ids(made)}
    known = {c.name for c in before if c.number <= last}
    late = [c for c in before if c.number > last and c.name not in known and c.form != "operator"]
    found = {api.name: (c, api) for c in late if _ids(c) & parts and (api := resolve(c, catalog))}
    return next(iter(found.values())) if len(found) == 1 else None


def _ids(call: Call) -> set[int]:
    return {number for value in call.inputs() for number in value.ids}


def _subject(
    chain: Sequence[tuple[Call, Api]], mentions: Sequence[Mention], *, died: bool
) -> tuple[Call, Api] | None:
    """Who made what the failing call (the first) is given, if that is what the title is about, and
    the failing call where it shows: "bad pointers given to csc_tensor crash in to_dense()".

    What refuses its input is named by the trace; what dies of it need not be in the title.
    """
    titled = {leaf(one.name): one for one in reversed(mentions) if one.title}
    (failing, _), *others = chain
    made = [(call, api) for call, api in others if leaf(call.name) in titled]
    made = [(call, api) for call, api in made if leaf(call.name) not in MAKERS]
    setting = titled.get(leaf(failing.name))
    if setting is None and died:
        # A word of prose may be the name of something that is called as well.
        named = [pair for pair in made if _WRITTEN.search(titled[leaf(pair[0].name)].name)]
        return named[0] if len({api.name for _, api in named}) == 1 else None
    if setting is None or not setting.setting:
        return None
    before = (pair for pair in made if titled[leaf(pair[0].name)].place < setting.place)
    return next(before, None)


def _maker_of_what_runs(
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


def _meant(mentions: Iterable[Mention], calls: Sequence[Call], catalog: Catalog) -> set[str]:
    """The last names of what a report mentions, and those that the trace has for the same."""
    named = [mention.name for mention in mentions]
    told, styles = {leaf(name) for name in named}, {spelt(name) for name in named}
    for name in {call.name for call in calls if call.form not in ("other", *OPERATOR_FORMS)}:
        api = catalog.resolve(name)
        if api is not None and any(spelt(other) in styles for other in (name, *api.aliases)):
            told.add(leaf(name))
    return told


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


def _handed(failing: Call, calls: Sequence[Call], named: set[str]) -> Call:
    """The function that a failing call was handed and has called, unless the report names it not.

    `gradcheck(torch.f, x)` fails for what `torch.f` does.
    """
    inner = [c for c in calls if c.site == failing.site and c.form == "handed"]
    made = [c for c in inner if c.number > failing.number and c.depth > failing.depth]
    if not made or (leaf(failing.name) in named and leaf(made[-1].name) not in named):
        return failing
    return made[-1]


def _checked(
    failing: Call, calls: Sequence[Call], catalog: Catalog, titled: set[str], named: set[str]
) -> tuple[Call, Api] | None:
    """What the report names of the calls in a function of the case that the failing call ran.

    `gradcheck(f, x)` itself raises where the gradients of what `f` calls are wrong. Which of
    several calls it is, only words tell; where they name the failing call, it is that one.
    """
    within = [c for c in calls if c.number > failing.number and c.depth > failing.depth]
    made = [(c, api) for c in within if c.raised is None and (api := resolve(c, catalog))]
    for words in (titled, named):
        if leaf(failing.name) in words - GRADIENTS:
            return None
        found = [pair for pair in made if leaf(pair[0].name) in words]
        if found:
            return found[0]
    return None


def caught_calls(observation: Observation) -> tuple[Call, ...]:
    """The framework's calls whose exception did not end the run, the last and innermost first."""
    raised = [c for c in observation.calls if c.raised is not None and c.form != "other"]
    ended = failing_call(observation)
    calls = [c for c in raised if ended is None or c.number < ended.number]
    return tuple(sorted(calls, key=lambda c: (-c.number,)))


def _uses_values(call: Call) -> bool:
    """Whether a call fails because of what it was given: `print`, `str`, `float`, a session, ..."""
    return call.name.startswith(("builtins.", "numpy.")) or _uses(call)


def _uses(call: Call) -> bool:
    """Whether a framework's call hands on trouble which an earlier call has caused."""
    return hands_on(call) or call.name.endswith(RUNS_GRAPHS)


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


def _maker_of_nothing(
    failing: Call, calls: Sequence[Call], catalog: Catalog, named: Collection[str]
) -> tuple[Call, Api] | None:
    """The API that returned the None which the failing call chokes on, if the report names it."""
    values = [item for one in failing.inputs() for item in (one.value, *(one.value.items or ()))]
    told = failing.raised is not None and _NOTHING.search(failing.raised.message)
    if not told or leaf(failing.name) in named or all(v.kind != "none" for v in values):
        return None
    for call in reversed([call for call in calls if call.number < failing.number]):
        nothing = call.result is not None and call.result.value.kind == "none"
        api = resolve(call, catalog) if nothing and leaf(call.name) in named else None
        if api is not None:
            return call, api
    return None


def _compared(
    failing: Call, chain: Sequence[tuple[Call, Api]], titled: set[str]
) -> tuple[Call, Api] | None:
    """Whose result a comparison chokes on, if the title names that API, and not the comparison."""
    if leaf(failing.name) not in _COMPARISONS or leaf(failing.name) in titled:
        return None
    return next((pair for pair in chain if leaf(pair[0].name) in titled), None)


def _nearest_maker(chain: list[tuple[Call, Api]]) -> tuple[Call, Api] | None:
    """The first maker that is an operation, rather than a creation or a mere reduction."""
    operations = [
        (call, api)
        for call, api in chain
        if api.kind is not ApiKind.CLASS and any(v.value.is_tensor for v in call.inputs())
    ]
    proper = [pair for pair in operations if leaf(pair[0].name) not in REDUCTIONS]
    return next(iter(proper or operations or chain), None)
