"""Which call of a traced run is the problem: the public API that raised, crashed or hung.

The trace decides; the report's words only break ties: when the call that failed merely used a value
(`print(y)`, `loss.backward()`), the API is the one that made the value, nearest first, preferring
one that the report names. (The paper counts mentions alone.)
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from analysis.catalog.model import Api, ApiKind, Catalog
from analysis.rules import Phrase, Registry
from analysis.target.observation import Call, Observation, Outcome
from analysis.target.watch import CHECK_CALLS, Check
from citadel.oracle.compilers import is_compiler
from citadel.traced import leaf, makers, resolve
from citadel.verify import said
from citadel.verify.identify import (
    CONVERTERS,
    GRADIENTS,
    MAKERS,
    failing_call,
    hands_on,
    maker_of_owner,
    maker_of_what_runs,
    names_meant,
)
from harvest.report.model import Mention

_KEEPERS = frozenset(("deepcopy", "dump", "dumps", "save"))
"""Calls that copy a whole object, or save it."""
RUNS_GRAPHS = ("Session.run", "Tensor.eval", "Operation.run")
"""Methods that run what operations have put into a graph before."""
_COMPARISONS = frozenset(
    name.lower() for name, check in CHECK_CALLS.items() if check in (Check.EQUAL, Check.CLOSE)
)
"""Users of values that choke on values which do not go together."""
REDUCTIONS = frozenset(("sum", "mean", "reduce_sum", "reduce_mean"))
"""What stands between an operation and the `backward` that is called to test it."""
_WRITTEN = re.compile(r"[a-z0-9]_[a-z0-9]|\.[a-z]|[a-z][A-Z]")
"""What is in no word of prose: an underscore, a dot, a capital inside."""
_NOTHING = Phrase(
    "message/none",
    r"\bNone(?:Type)?\b",
    finds=("unsupported operand: 'NoneType' and 'int'", "expected Tensor, got None"),
    spares=("Nonelike values",),
)

Suspect = tuple[Call, Api]


@dataclass(frozen=True, slots=True)
class Failure:
    """A run in which a call of a case failed. `titled` and `named` are the last names of what the
    report's title, and its whole text, mention."""

    observation: Observation
    catalog: Catalog
    mentions: Sequence[Mention]
    failing: Call
    titled: set[str]
    named: set[str]

    @property
    def calls(self) -> Sequence[Call]:
        """All calls of the run."""
        return self.observation.calls


@dataclass(frozen=True, slots=True)
class Chain:
    """A failure, with the failing call and those that made what it was given, nearest first."""

    failure: Failure
    links: Sequence[Suspect]

    @property
    def first(self) -> Suspect:
        """The failing call, or the nearest public API behind it."""
        return self.links[0]

    @property
    def fails_by_itself(self) -> bool:
        """Whether the failing call is a public API that does not just hand on trouble."""
        return self.first[0] is self.failure.failing and not _uses(self.first[0])

    @property
    def makers_only(self) -> list[Suspect]:
        """Those that do not just hand on trouble."""
        return [pair for pair in self.links if not _uses(pair[0])]

    def among(self, words: Collection[str]) -> Suspect | None:
        """The nearest maker whose last name is one of some words."""
        return next((one for one in self.makers_only if leaf(one[0].name) in words), None)


def culprit(
    observation: Observation,
    catalog: Catalog,
    mentions: Sequence[Mention],
    caught: Call | None = None,
) -> Suspect | None:
    """The call to blame and its API, or None where the trace names no public API. `caught`: the
    failing call, where it is not the one that has ended the run."""
    failing, calls = caught or failing_call(observation), observation.calls
    named = names_meant((m for m in mentions if m.title or m.body), calls, catalog)
    if failing is None:
        return maker_of_what_runs(observation, catalog, named)
    titled = names_meant((m for m in mentions if m.title), calls, catalog)
    failing = _handed(failing, calls, named)
    failure = Failure(observation, catalog, mentions, failing, titled, named)
    behind = BEHIND.first(failure)
    if behind is not None:
        return behind
    if resolve(failing, catalog) is None and not _uses_values(failing):
        # Whoever made its arguments has done nothing wrong.
        return maker_of_owner(failing, calls, catalog)
    links = [
        (call, api)
        for call in (failing, *makers(failing, calls))
        if (api := resolve(call, catalog)) is not None
    ]
    return CHAIN.first(Chain(failure, links)) if links else None


BEHIND: Registry[[Failure], Suspect] = Registry("blame")
"""Calls that the failing one ran, compiled or kept."""


@BEHIND.rule("named-in-function")
def _named_in_function(failure: Failure) -> Suspect | None:
    """What the report names of the calls in a function of the case that the failing call ran.

    `gradcheck(f, x)` itself raises where the gradients of what `f` calls are wrong. Which of
    several calls it is, only words tell; where they name the failing call, it is that one.
    """
    failing, calls, catalog = failure.failing, failure.calls, failure.catalog
    within = [c for c in calls if c.number > failing.number and c.depth > failing.depth]
    made = [(c, api) for c in within if c.raised is None and (api := resolve(c, catalog))]
    for words in (failure.titled, failure.named):
        if leaf(failing.name) in words - GRADIENTS:
            return None
        found = [pair for pair in made if leaf(pair[0].name) in words]
        if found:
            return found[0]
    return None


@BEHIND.rule("compiled-layer")
def _compiled_layer(failure: Failure) -> Suspect | None:
    """The layer that a compiler fails on, if the title names one beside the compiler."""
    failing, calls, catalog = failure.failing, failure.calls, failure.catalog
    if not is_compiler(failing.name):
        return None
    before = [
        call for call in calls if call.number < failing.number and leaf(call.name) in failure.titled
    ]
    found = {api.name: (call, api) for call in before if (api := resolve(call, catalog))}
    others = [pair for pair in found.values() if pair[1].kind is ApiKind.MODULE]
    return others[0] if len(others) == 1 else None


@BEHIND.rule("part-of-what-is-copied")
def _part_of_what_is_copied(failure: Failure) -> Suspect | None:
    """What cannot be copied or saved: the one API called before that the title names, else the one
    that is new since the same could be copied, or else the one that the report names, where nothing
    tells which part of a model or of a checkpoint it is.

    Where the title names the failing call, an API itself, or several others are named, the trace
    decides.
    """
    failing, calls, catalog = failure.failing, failure.calls, failure.catalog
    titled, named = failure.titled, failure.named
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


def _new_since(failing: Call, before: Sequence[Call], catalog: Catalog) -> Suspect | None:
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


CHAIN: Registry[[Chain], Suspect] = Registry("blame")
"""The failing call, or one that made what it was given."""


@CHAIN.rule("titled-and-compared")
def _titled_and_compared(chain: Chain) -> Suspect | None:
    """Whose result a comparison chokes on, if the title names that API, and not the comparison."""
    failing, titled = chain.failure.failing, chain.failure.titled
    if leaf(failing.name) not in _COMPARISONS or leaf(failing.name) in titled:
        return None
    return next((pair for pair in chain.links if leaf(pair[0].name) in titled), None)


@CHAIN.rule("subject-of-title")
def _subject_of_title(chain: Chain) -> Suspect | None:
    """Who made what the failing call is given, if that is what the title is about."""
    failure = chain.failure
    died = failure.observation.outcome is Outcome.SIGNAL
    return _subject(chain.links, failure.mentions, died=died)


def _subject(
    chain: Sequence[tuple[Call, Api]], mentions: Sequence[Mention], *, died: bool
) -> Suspect | None:
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


@CHAIN.rule("returned-nothing")
def _returned_nothing(chain: Chain) -> Suspect | None:
    """Who returned the None that the failing call chokes on."""
    failure = chain.failure
    words = failure.titled or failure.named
    if not chain.fails_by_itself:
        return None
    return _maker_of_nothing(failure.failing, failure.calls, failure.catalog, words)


def _maker_of_nothing(
    failing: Call, calls: Sequence[Call], catalog: Catalog, named: Collection[str]
) -> Suspect | None:
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


@CHAIN.rule("failing-call")
def _failing_call(chain: Chain) -> Suspect | None:
    """The failing call itself."""
    return chain.first if chain.fails_by_itself else None


@CHAIN.rule("named-user")
def _named_user(chain: Chain) -> Suspect | None:
    """The report says that it is this one, though it just hands on trouble."""
    named = leaf(chain.first[0].name) in chain.failure.named - GRADIENTS
    return chain.first if named else None


@CHAIN.rule("named-maker")
def _named_maker(chain: Chain) -> Suspect | None:
    """The nearest maker that the report names."""
    return chain.among(chain.failure.named - (CONVERTERS - chain.failure.titled))


@CHAIN.rule("maker-of-node")
def _maker_of_node(chain: Chain) -> Suspect | None:
    """The nearest maker that is called like a node of a graph in the message."""
    return chain.among(said.nodes(chain.failure.failing))


@CHAIN.rule("maker-of-operator")
def _maker_of_operator(chain: Chain) -> Suspect | None:
    """The nearest maker that is called like an operator in the message."""
    return chain.among(said.operators(chain.failure.failing))


@CHAIN.rule("maker-in-message")
def _maker_in_message(chain: Chain) -> Suspect | None:
    """The nearest maker whose name is a word of the message."""
    return chain.among(said.words(chain.failure.failing) - (MAKERS - chain.failure.titled))


@CHAIN.rule("maker-with-operator-prefix")
def _maker_with_operator_prefix(chain: Chain) -> Suspect | None:
    """The nearest maker whose name begins an operator's: `resize` for `ResizeArea`."""
    found = map(chain.among, said.begun(chain.failure.failing))
    return next((one for one in found if one is not None), None)


def _proper(chain: Chain) -> list[Suspect]:
    """Makers that make no mere inputs."""
    return [pair for pair in chain.makers_only if leaf(pair[0].name) not in MAKERS]


@CHAIN.rule("runs-what-fails")
def _runs_what_fails(chain: Chain) -> Suspect | None:
    """The nearest maker that runs the operator which the message names."""
    failure = chain.failure
    return _nearest_maker(
        [
            pair
            for pair in _proper(chain)
            if said.runs_what_fails(failure.failing, pair[1], failure.catalog)
        ]
    )


@CHAIN.rule("nearest-maker")
def _nearest(chain: Chain) -> Suspect | None:
    """The nearest maker of all."""
    return _nearest_maker(chain.makers_only)


@CHAIN.rule("failing-user")
def _failing_user(chain: Chain) -> Suspect:
    """Nobody made anything: the call that hands on trouble."""
    return chain.first


def _nearest_maker(chain: list[Suspect]) -> Suspect | None:
    """The first maker that is an operation, rather than a creation or a mere reduction."""
    operations = [
        (call, api)
        for call, api in chain
        if api.kind is not ApiKind.CLASS and any(v.value.is_tensor for v in call.inputs())
    ]
    proper = [pair for pair in operations if leaf(pair[0].name) not in REDUCTIONS]
    return next(iter(proper or operations or chain), None)


def _handed(failing: Call, calls: Sequence[Call], named: set[str]) -> Call:
    """The function that a failing call was handed and has called, unless the report names it not.

    `gradcheck(torch.f, x)` fails for what `torch.f` does.
    """
    inner = [c for c in calls if c.site == failing.site and c.form == "handed"]
    made = [c for c in inner if c.number > failing.number and c.depth > failing.depth]
    if not made or (leaf(failing.name) in named and leaf(made[-1].name) not in named):
        return failing
    return made[-1]


def _uses_values(call: Call) -> bool:
    """Whether a call fails because of what it was given: `print`, `str`, `float`, a session, ..."""
    return call.name.startswith(("builtins.", "numpy.")) or _uses(call)


def _uses(call: Call) -> bool:
    """Whether a framework's call hands on trouble which an earlier call has caused."""
    return hands_on(call) or call.name.endswith(RUNS_GRAPHS)
