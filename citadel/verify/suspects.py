"""Which calls may be to blame where none fails: the API that the report names, then the others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from analysis.catalog.model import Api, Catalog
from analysis.rules import Registry
from analysis.target.observation import Call, Observation
from analysis.target.watch import CHECK_CALLS
from citadel.oracle.compilers import is_compiler
from citadel.traced import leaf, resolve, spellings, spelt
from citadel.verify.identify import GRADIENTS, MAKERS, failing_call, hands_on, mentioned_calls
from harvest.report.model import Mention, Reading

SHORTEST = 4
"""Letters of an API's name that is recognised among the words of a title."""
_VIEWS = frozenset(
    (
        *("reshape", "view", "flatten", "squeeze", "unsqueeze", "expand_dims", "detach", "clone"),
        *("contiguous", "transpose", "permute", "t", "requires_grad_", "identity", "copy"),
    )
)
"""Calls that hand on what they are given: suspected behind those that compute."""
_CHECKING = frozenset(name.lower() for name in CHECK_CALLS)
"""Calls that say something of values, and are suspected only where the title names them, or where
nothing else is called."""


_LITTLE = frozenset(("is", "not", "no", "to", "as", "in", "all", "any", "with"))
"""Words of names that any sentence has."""
_DOES = (
    r"(?:is|does|returns?|gives?|gradients?|backward|fails?|raises?|crash\w*|produces?|outputs?"
    r"|results?|accepts?|behaves?|computes?|wrong|incorrect|slow)\b"
)


_CONVERSIONS = frozenset(
    (
        *("to", "type", "float", "double", "half", "bfloat16", "int", "long", "bool", "cast"),
        *("tolist", "item", "numpy", "cpu"),
    )
)
"""Calls that compute nothing."""
Suspect = tuple[Call, Api]


def suspects(
    observation: Observation, catalog: Catalog, reading: Reading
) -> Iterator[tuple[Call, Api]]:
    """Calls with their APIs, each API once, the likeliest first; what makes inputs comes last."""
    calls = list(reversed(observation.calls))
    mentions = mentioned_calls(observation, catalog, reading.mentions)
    named_ones = [pair for pair in mentions if _may_be_meant(pair, reading.mentions)]
    told = next(iter(named_ones), None)
    if told is None:
        named_in_words = ((call, resolve(call, catalog)) for call in calls)
        title = reading.report.title
        told = next(((c, api) for c, api in named_in_words if api and spoken(api, title)), None)
    failed = failing_call(observation)
    titles = [call for call, api in named_ones if titled(api, reading.mentions)]
    first = [call for call in (failed, told and told[0], *titles) if call is not None]
    seen: set[str] = set()
    late: list[tuple[Call, Api]] = []
    last: list[tuple[Call, Api]] = []
    for call in (*first, *calls):
        api = resolve(call, catalog)
        name = leaf(call.name)
        if api is None or api.name in seen or hands_on(call):
            continue
        if name in _CHECKING and call not in titles:
            continue
        seen.add(api.name)
        # Behind what computes: a check may be named for what it found, not for what it lets pass.
        if name in _CHECKING and reading.refusal is None:
            late.insert(0, (call, api))
        elif is_compiler(api.name):  # behind what it computes with, even where the title names it
            last.append((call, api))
        elif call not in first and (name in MAKERS | _VIEWS or call.form == "operator"):
            late.append((call, api))
        else:
            yield call, api
    yield from (*late, *last)
    if not seen:
        checks = [call for call in calls if leaf(call.name) in _CHECKING]
        found = {api.name: (call, api) for call in checks if (api := resolve(call, catalog))}
        yield from found.values()


def compiled_first(suspected: Sequence[Suspect], reading: Reading) -> list[Suspect]:
    """A compiler comes before what it compiles, but for the one thing that computes at all, and for
    an API that the title names as well."""
    computing = {
        api.name for call, api in suspected if _computes(call) and not is_compiler(api.name)
    }

    def order(pair: Suspect) -> tuple[bool, bool]:
        api = pair[1]
        alone = computing == {api.name}
        compiles = is_compiler(api.name)
        return not alone and (compiles or not titled(api, reading.mentions)), not compiles

    return sorted(suspected, key=order)


def _computes(call: Call) -> bool:
    """Whether a call makes a result of others, or was to; of tensors, not just another dtype."""
    nothing = call.result is not None and call.result.value.kind == "none"
    name = leaf(call.name)
    aside = name in MAKERS | _VIEWS | GRADIENTS | _CONVERSIONS or name in _CHECKING
    return not (nothing or aside or call.form == "class")


def meant(observation: Observation, catalog: Catalog, reading: Reading) -> tuple[Call, Api] | None:
    """Who is to blame where what the report records does not happen: whom it names, if called.

    A title may name another API than the code calls; then it is the last call that computes.
    """
    mentions = mentioned_calls(observation, catalog, reading.mentions)
    named_ones = [pair for pair in mentions if _may_be_meant(pair, reading.mentions)]
    # "gradcheck fails for f" is about f.
    named_one = min(named_ones, key=lambda pair: leaf(pair[0].name) in GRADIENTS, default=None)
    doing = (p for p in suspects(observation, catalog, reading) if leaf(p[0].name) not in MAKERS)
    return named_one or next(doing, None)


def titled_call(
    observation: Observation, catalog: Catalog, reading: Reading
) -> tuple[Call, Api] | None:
    """The call that returned of an API that the title names: others may choke on what it made."""
    mentions = mentioned_calls(observation, catalog, reading.mentions)
    made = (pair for pair in mentions if pair[0].result is not None)
    return next((pair for pair in made if titled(pair[1], reading.mentions)), None)


def never_called(observation: Observation, catalog: Catalog, reading: Reading) -> str | None:
    """An API that the title names, and that this run, unlike its code, has not come to."""
    codes = [snippet.code for snippet in reading.candidates]
    names = (mention.name for mention in reading.mentions if mention.title)
    written = [one for one in names if any(f"{one}(" in code for code in codes)]
    called = {api.name for call in observation.calls if (api := resolve(call, catalog)) is not None}
    known = {one: catalog.resolve(one) for one in written}
    if not known or any(api is None or api.name in called for api in known.values()):
        return None
    return next(iter(known))


def _may_be_meant(pair: tuple[Call, Api], mentions: Sequence[Mention]) -> bool:
    """Whether a name is that of an API, and no mere output: `tensor(0.5)` makes nothing."""
    call, api = pair
    return leaf(call.name) not in MAKERS or titled(api, mentions)


def spoken(api: Api, title: str) -> bool:
    """Whether a title speaks of an API without spelling it out: "Beta distribution is wrong".

    Names of functions are words of English as well (`where`, `mean`): these must stand at the
    beginning, or before what an API does.
    """
    name = api.name.rpartition(".")[2]
    if len(name) < SHORTEST or leaf(name) in MAKERS | _VIEWS:  # any title may speak of a tensor
        return False
    return SPOKEN.first(name, title) is True


SPOKEN: Registry[[str, str], bool] = Registry("spoken")
"""How a title speaks of a name that it does not spell out."""


@SPOKEN.rule("name-with-capitals")
def _name_with_capitals(name: str, title: str) -> bool | None:
    """A name with capitals is no word of prose: it stands anywhere, or nowhere."""
    if name == name.lower():
        return None
    return re.search(rf"\b{re.escape(name)}\b", title) is not None


def _as_words(name: str) -> str:
    return re.escape(name).replace("_", "[_ ]")


@SPOKEN.rule("several-words")
def _several_words(name: str, title: str) -> bool | None:
    """Several words, one behind the other, are no chance."""
    several = "_" in name and _LITTLE.isdisjoint(name.split("_"))
    found = several and re.search(rf"\b{_as_words(name)}\b", title, re.IGNORECASE)
    return True if found else None


@SPOKEN.rule("first-word")
def _first_word(name: str, title: str) -> bool | None:
    """The title begins with it."""
    return True if re.search(rf"^\W*{_as_words(name)}\b", title, re.IGNORECASE) else None


@SPOKEN.rule("word-that-does")
def _word_that_does(name: str, title: str) -> bool | None:
    """It stands before what an API does."""
    words = rf"\b{_as_words(name)}\b\W{{1,3}}{_DOES}"
    return True if re.search(words, title, re.IGNORECASE) else None


def named(api: Api, mentions: Sequence[Mention]) -> bool:
    """Whether the report names an API, by any of its names' last parts."""
    names = frozenset().union(*map(spellings, (api.name, *api.aliases)))
    return any(spelt(mention.name) in names for mention in mentions)


def titled(api: Api, mentions: Sequence[Mention]) -> bool:
    """Whether the report's title names an API."""
    return named(api, [mention for mention in mentions if mention.title])
