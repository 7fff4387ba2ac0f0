"""Reproduce a report about time or memory: measure what its code measures; say whose cost it is."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from analysis.catalog.model import Api, Catalog
from analysis.rules import Phrase
from analysis.target.instrument import Instrumented, Watched, watched
from analysis.target.observation import Call, Observation
from analysis.target.session import Limits, Session
from citadel.model import Symptom, SymptomKind
from citadel.oracle.measure import IN_ONE_RUN, Form
from citadel.oracle.metering import Case, establish
from citadel.oracle.performance import NoOracle, PerformanceOracle
from citadel.oracle.quantities import Topic
from citadel.traced import leaf, resolve
from citadel.verify.identify import MAKERS, maker_of_owner
from citadel.verify.suspects import named, spoken, suspects, titled
from harvest.report.model import Reading, Snippet
from harvest.report.worded import NAME, slow_names

LITTLE = 0.5
"""Share of another API's time below which an API is not what makes a case slow."""
_THAN = Phrase(
    "word/than",
    r"\b(?P<fast>(?:faster|quicker|less)\b.{0,20}?)?\b(?:than|behind|compared (?:to|with))\b",
    re.IGNORECASE,
    finds=("f is slower than g", "f is far behind g"),
    spares=("f is slow",),
)
"""Where a title compares: "f is slower than g", "f takes ten times longer than g"."""
_SLOWER_THAN = Phrase(
    "word/slower-than",
    r"(?<!not )(?<!no )(?<!n't )(?<!never )"
    r"\b(?:(?:slower|longer|more (?:\w+ )?(?:memory|time))(?: \w+){0,2} than|magnitude behind) "
    r"(?:(?:an?|one|the|plain|using|calling) ){0,2}[`'\"]?(?P<name>(?:\w+\.)*\w+)",
    re.IGNORECASE,
    finds=("f is 3x slower than torch.mm", "f needs more memory than `g`"),
    spares=("f is not slower than g",),
)
"""What something is slower than: the very next name."""
_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A performance symptom and what siblings are measured by."""

    oracle: PerformanceOracle
    code: str
    watched: Watched
    symptom: Symptom
    observation: Observation
    call: Call
    api: Api

    @property
    def referred(self) -> bool:
        """Whether the API's time is measured against a computation that it has no part in.

        Then it is called at one place, always with the same arguments; a layer is also made so. Or
        all that it is given another API is given at that place, too: `family(x, n)`.
        """
        if self.oracle.measure.form not in IN_ONE_RUN or self.oracle.topic is Topic.MEMORY:
            return False
        calls = self.observation.calls
        own = [call for call in calls if call.name == self.call.name]
        for form in {call.form for call in own}:
            alike = [call for call in own if call.form == form]
            told, sites = {_given(call) for call in alike}, {call.site for call in alike}
            there = [c for c in calls if c.site in sites and c.name != self.call.name]
            beside = told <= {_given(call) for call in there}
            if len(sites) != 1 or (len(told) != 1 and not beside):
                return False
        return True

    @property
    def slowest(self) -> Call:
        """The call of the API that takes longest: each place and its arguments count as the
        shortest call that they have, as what else runs only adds to it."""
        shortest: dict[tuple[int, str], Call] = {}
        for call in self.observation.calls:
            if call.name == self.call.name:
                known = shortest.setdefault((call.site, _given(call)), call)
                if call.seconds < known.seconds:
                    shortest[call.site, _given(call)] = call
        return max(shortest.values(), key=lambda call: call.seconds, default=self.call)

    @property
    def reproduces(self) -> bool:
        """Whether this build shows the ratio."""
        return self.oracle.reproduces

    @property
    def runs(self) -> int:
        """Runs that the oracle was made from."""
        return len(self.oracle.logs)

    @property
    def hits(self) -> int:
        """Runs that show it: the decision is about all of them together."""
        return self.runs if self.reproduces else 0

    @property
    def evidence(self) -> tuple[str, ...]:
        """What in the report speaks for this symptom."""
        return self.oracle.evidence


def _given(call: Call) -> str:
    return repr([argument.value for argument in call.inputs()])


def measured(
    reading: Reading,
    snippet: Snippet,
    source: Instrumented,
    session: Session,
    catalog: Catalog,
    *,
    limits: Limits,
) -> Measured | str:
    """Measure a snippet; the reason, where it measures nothing."""
    traced = session.run(snippet.code, traced=source.traced, limits=limits)
    slow = slow_names(snippet.code) if NAME in snippet.repairs else frozenset()
    known = list(suspects(traced, catalog, reading))
    title = reading.report.title
    known = [pair for pair in known if not said_fast(pair[1], title)] or known
    blamed = next((pair for pair in known if leaf(pair[0].name) in slow), None)
    blamed = blamed or next(iter(known), None)
    if blamed is None:
        return "no public API is called in what is measured"
    case = watched(source)
    oracle = establish(
        Case(code=snippet.code, watched=case), reading, session, gpu=traced.on_gpu, limits=limits
    )
    if isinstance(oracle, NoOracle):
        return oracle.reason
    if leaf(blamed[0].name) not in slow and oracle.topic is not Topic.MEMORY:
        blamed = _costly(blamed, known, traced, catalog, reading)
    call, api = blamed
    return Measured(
        oracle=oracle,
        code=snippet.code,
        watched=case,
        symptom=symptom(oracle, oracle.ratio),
        observation=traced,
        call=call,
        api=api,
    )


def _costly(
    first: tuple[Call, Api],
    known: Sequence[tuple[Call, Api]],
    traced: Observation,
    catalog: Catalog,
    reading: Reading,
) -> tuple[Call, Api]:
    """The likeliest suspect; where the report does not name it, and its calls take little of the
    run's time, as others do not, the costliest of those: of what the report names, if there is any.

    What makes inputs (`torch.tensor`) and methods (`model.predict`: the class of its object) are
    named as well. Of several that the title names, it is the one that stands before "slower than",
    or the one whose calls take far longer.
    """
    mentions = reading.mentions
    if named(first[1], mentions) or spoken(first[1], reading.report.title):
        told = [pair for pair in known if titled(pair[1], mentions)]
        if len(told) < 2 or not titled(first[1], mentions):
            return first
        slow = said_slow(told, reading.report.title)
        return slow[0] if len(slow) == 1 else _longest(first, told, traced, catalog)
    words = {leaf(one.name) for one in mentions}
    spent: defaultdict[str, float] = defaultdict(float)
    meant: dict[str, tuple[Call, Api]] = {}
    for call in traced.calls:
        if leaf(call.name) in MAKERS and call.occurrence == 1:
            continue  # what is made once is made in front of what is measured
        api = resolve(call, catalog)
        found = maker_of_owner(call, traced.calls, catalog) if api is None else (call, api)
        if found is not None:
            spent[found[1].name] += call.seconds
            if leaf(call.name) in words:
                meant[found[1].name] = found
    pool = list(meant.values()) or [pair for pair in known if leaf(pair[0].name) not in MAKERS]
    costly = max(pool, key=lambda pair: spent[pair[1].name], default=first)
    return costly if spent[first[1].name] < LITTLE * spent[costly[1].name] else first


def said_slow(told: Sequence[tuple[Call, Api]], title: str) -> list[tuple[Call, Api]]:
    """Which of the APIs in a title it says to be slow: what is before "than", or behind "faster
    than"."""
    found = _THAN.search(title)
    if found is None:
        return []
    side = title[found.end() :] if found["fast"] else title[: found.start()]
    words = set(_WORDS.findall(side))
    return [pair for pair in told if leaf(pair[1].name) in words]


def said_fast(api: Api, title: str) -> bool:
    """Whether a title names an API as what something else is slower than."""
    found = _SLOWER_THAN.search(title)
    name = api.name.rpartition(".")[2]
    return found is not None and name == found["name"].rpartition(".")[2]


def _longest(
    first: tuple[Call, Api],
    told: Sequence[tuple[Call, Api]],
    traced: Observation,
    catalog: Catalog,
) -> tuple[Call, Api]:
    """Of several suspects the first, if the calls of none take far longer in all: each counts as
    the shortest one at its place, as what else runs only adds to it."""
    took: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    for call in traced.calls:
        api = resolve(call, catalog)
        if api is not None:
            took[api.name, call.site].append(call.seconds)
    each: defaultdict[str, float] = defaultdict(float)
    for (name, _), times in took.items():
        each[name] += min(times) * len(times)
    slowest = max(told, key=lambda pair: each.get(pair[1].name, 0.0), default=first)
    mine, most = (each.get(one[1].name, 0.0) for one in (first, slowest))
    return slowest if mine < LITTLE * most else first


def symptom(oracle: PerformanceOracle, ratio: float | None) -> Symptom:
    """What a measured ratio (for growth: bytes per step) amounts to."""
    memory = oracle.topic is Topic.MEMORY
    growing = oracle.measure.form is Form.GROWTH
    unit = " bytes per step" if growing else ""
    return Symptom(
        kind=SymptomKind.MEMORY if memory else SymptomKind.SLOW,
        where=oracle.where[:200],
        observed=None if ratio is None else f"{ratio:.3g}{unit}",
        expected="a ratio above 1" if oracle.equal else "0" if growing else "about 1",
        ratio=None if ratio is None or growing else round(ratio, 3),
    )
