"""EAGLE as a source of cases: rules, budget, confirmation of each finding by its own script.

In: a search. Out: hits, one per (framework, rule, API), as the paper counts bugs. A thread runs the
pairs while this one runs the scripts of what was found in a second fork server; the clock is that
of the pairs.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from queue import SimpleQueue
from typing import Any

from analysis.errors import CitadelError
from analysis.target.session import Session
from analysis.target.target import Target
from harvest.sources.eagle.confirm import confirmed
from harvest.sources.eagle.drive import Plan, Record, run_plan
from harvest.sources.eagle.finding import Finding
from harvest.sources.eagle.plans import FRAMEWORKS, plans_for, worthwhile
from harvest.sources.eagle.rules import RULES
from harvest.sources.eagle.scripts import title
from harvest.sources.model import Hit, HitKind, Search, State, Tally

COMPILED = "1"
"""The rule whose variants are compilers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Eagle:
    """The source. `planted` is code run before the pairs and before each script: tests' faults."""

    name: str = "eagle"
    summary: str = "equivalence rules over the operators of one library (EAGLE)"
    planted: str = ""
    settings: tuple[str, ...] = ("framework",)
    plans: tuple[str, ...] = ()
    """Only these plans, where named: "eager", "aot_eager" ..."""

    def generate(self, search: Search) -> Iterator[Hit]:
        """Search every framework of the interpreter that has rules, each for an equal time.

        Raises:
            CitadelError: when the interpreter has none of them, not the one that was chosen, or it
                does not work.
        """
        names = [name for name in FRAMEWORKS if name in search.interpreter.frameworks]
        if search.framework:
            names = [name for name in names if name == search.framework]
        if not names:
            raise CitadelError(
                "EAGLE has rules for " + " and ".join(FRAMEWORKS),
                f"name an interpreter that has {search.framework or 'one of them'} with --python"
                if search.framework in ("", *FRAMEWORKS)
                else "name one of them with --framework",
            )
        remembered: dict[str, Any] = dict(search.notes.read())
        for name in names:
            yield from _Run(self, search, name, search.budget / len(names), remembered).hits()
        if all(remembered.get(name, {}).get("complete") for name in names):
            search.notes.clear()


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Where a plan is, behind all that was found before."""

    plan: str
    state: Record


@dataclass(slots=True)
class _Run:
    """The search of one framework."""

    source: Eagle
    search: Search
    framework: str
    budget: float
    remembered: dict[str, Any] = field(default_factory=dict)
    """Of all frameworks, by their names."""
    queue: SimpleQueue[Finding | Note | BaseException | None] = field(default_factory=SimpleQueue)
    seen: Counter[str] = field(default_factory=Counter)
    covered: dict[str, set[str]] = field(default_factory=dict)
    places: dict[str, Record] = field(default_factory=dict)
    """Where each plan is."""
    limited: dict[str, Hit] = field(default_factory=dict)
    told: set[str] = field(default_factory=set)
    plan: str = ""
    worked: float = 0.0

    def hits(self) -> Iterator[Hit]:
        target = self.search.interpreter.target(self.framework)
        plans = plans_for(target, self.source.plans)
        self._resume()
        self._left_out(plans)
        with target.session() as working, target.session() as checking:
            thread = threading.Thread(target=self._work, args=(working, plans), daemon=True)
            thread.start()
            try:
                while (found := self.queue.get()) is not None:
                    if isinstance(found, BaseException):
                        raise found
                    if isinstance(found, Note):
                        self._remember(found, plans)
                        continue
                    hit = self._hit(found, target, checking)
                    if hit.key in self.told:
                        continue
                    if hit.limit:
                        self.limited.setdefault(hit.key, hit)
                    else:
                        self.told.add(hit.key)
                        yield hit
            except KeyboardInterrupt:
                yield from self._of_limits()
                raise
            finally:
                working.abort()
                thread.join()
        yield from self._of_limits()
        self._state(plans)

    def _of_limits(self) -> Iterator[Hit]:
        """Hits that limits explain, of what nothing else was found."""
        yield from (hit for key, hit in self.limited.items() if key not in self.told)

    def _remember(self, note: Note, plans: tuple[Plan, ...]) -> None:
        """All that was found before the note has been yielded."""
        self.places[note.plan] = note.state
        self.search.notes.write(lambda: self._state(plans))

    def _state(self, plans: tuple[Plan, ...]) -> State:
        """What is remembered, of other frameworks, too."""
        done = [self.places.get(one.name, {}).get("done") for one in self._chosen(plans)]
        self.remembered[self.framework] = {
            "plans": self.places,
            "told": self.told,
            "limited": [
                {each.name: getattr(hit, each.name) for each in fields(hit)}
                for hit in self.limited.values()
            ],
            "complete": all(done),
        }
        return self.remembered

    def _resume(self) -> None:
        """Go on where an earlier search was."""
        before = self.remembered.get(self.framework)
        if before is not None:
            self.places, self.told = before["plans"], before["told"]
            limited = (Hit(**{**row, "kind": HitKind(row["kind"])}) for row in before["limited"])
            self.limited = {hit.key: hit for hit in limited}

    def _chosen(self, plans: tuple[Plan, ...]) -> tuple[Plan, ...]:
        return worthwhile(plans, self.budget)

    def _left_out(self, plans: tuple[Plan, ...]) -> None:
        names = {plan.name for plan in self._chosen(plans)}
        told = [f"{p.name} ({p.least:g} s)" for p in plans if p.name not in names]
        if told:
            fact = ", ".join(told) + ", what a first pair takes being more than its share"
            self.search.tally.facts[f"{self.framework}: left out"] = fact

    def _work(self, session: Session, plans: tuple[Plan, ...]) -> None:
        """Run the plans, each until its part of the budget is over; what one leaves goes on."""
        try:
            before = dict(self.places)
            chosen = [p for p in self._chosen(plans) if not before.get(p.name, {}).get("done")]
            for plan in chosen:
                ready = replace(plan, given={**plan.given, "planted": self.source.planted})
                allowed = self.budget * plan.until - self.worked
                if allowed <= 0:
                    continue
                self.plan = plan.name
                # The clock runs from the first pair on, and does not stop where others start.
                warm = plan is not chosen[0]
                seed, take, at = self.search.seed, self._take, before.get(plan.name)
                for found in run_plan(session, ready, allowed, seed, take, warm=warm, before=at):
                    self.queue.put(found)
        except BaseException as problem:
            self.queue.put(problem)
        else:
            self.queue.put(None)

    def _take(self, record: Record) -> None:
        if "finding" in record:
            self.queue.put(Finding.from_json(record["finding"]))
        elif "state" in record:
            self.queue.put(Note(plan=self.plan, state=record["state"]))
        elif "worked" in record:
            self.worked += record["worked"]
        elif "total" in record:
            self.search.progress()
        elif "tally" in record:
            self._count(record)

    def _count(self, record: dict[str, Any]) -> None:
        tally = self.search.tally
        for states in record["tally"].values():
            pairs = sum(states.values())
            self.seen[self.plan] += pairs
            tally.executed += pairs
            tally.valid += states.get("equal", 0) + states.get("differs", 0)
        self.seen[self.plan + " milliseconds"] += round(1000 * record["wall"])
        for rule, variant, api in record["covered"]:
            tally.rules.add(f"{rule} ({RULES[rule].category})")
            tally.apis.add(api)
            self.covered.setdefault(rule, set()).add(api)
            if rule == COMPILED:
                self.covered.setdefault(variant, set()).add(api)
        self._facts(tally)
        self.search.progress()

    def _facts(self, tally: Tally) -> None:
        """What the figures of the paper's tables are here: APIs per rule, pairs per second."""
        per_rule = [f"{rule}: {len(self.covered[rule])}" for rule in RULES if rule in self.covered]
        tally.facts[f"{self.framework}: APIs per rule"] = ", ".join(per_rule)
        variants = sorted(set(self.covered) - set(RULES))
        told = [f"{variant}: {len(self.covered[variant])}" for variant in variants]
        tally.facts[f"{self.framework}: of rule {COMPILED}"] = ", ".join(told)
        seconds = max(self.seen[self.plan + " milliseconds"] / 1000, 1e-3)
        pairs = self.seen[self.plan]
        tally.facts[f"{self.framework}: {self.plan} pairs"] = f"{pairs}, {pairs / seconds:.1f}/s"

    def _hit(self, finding: Finding, target: Target, session: Session) -> Hit:
        case, no_case = None, ""
        if not finding.limit:
            case, no_case = confirmed(finding, target.info, session, self.source.planted)
        return Hit(
            key=f"{self.framework}/{finding.rule}/{finding.api}",
            kind=finding.oracle,
            subject=finding.api,
            title=title(finding),
            origin=f"rule {finding.rule} ({finding.variant}), seed {self.search.seed}",
            measures=finding.measures,
            case=case,
            limit=finding.limit,
            no_case=no_case,
        )


EAGLE = Eagle()
