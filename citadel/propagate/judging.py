"""The verdict on one generated case, by the kind of the report's symptom.

In: the rewritten text with the plan that it writes down, and the sibling. Out: a `Verdict`; a
finding with the sibling also in the other places where the report's API is given the same.
"""

from __future__ import annotations

from dataclasses import replace

from analysis.target.session import Session
from citadel.judge.performance import judge_performance
from citadel.judge.relations import related
from citadel.judge.status import contrasted, judge, refused_elsewhere
from citadel.judge.values import judge_value
from citadel.match.rank import Candidate
from citadel.model import Finding, Verdict, VerdictKind
from citadel.options import Options
from citadel.oracle import status
from citadel.plan.model import Adaptation
from citadel.propagate.kernels import of_kernels
from citadel.propagate.trial import not_adapted
from citadel.propagate.uses import Uses
from citadel.rewrite.rewriter import Rewritten
from citadel.verify.verified import Verified
from citadel.workbench import Workbench


class Judging:
    """Judges the generated cases of one report."""

    def __init__(self, verified: Verified, bench: Workbench, options: Options, uses: Uses) -> None:
        self._verified = verified
        self._bench = bench
        self._options = options
        self._uses = uses

    def everywhere(
        self, finding: Finding, plan: Adaptation, candidate: Candidate, session: Session
    ) -> Finding:
        """The finding with the sibling also where the report's API is given the same and returns,
        as what it is compared with is the sibling's own then; as it is where that shows nothing."""
        written = self._uses.everywhere(plan)
        if written is None:
            return finding
        verdict = self._by_status(written, plan, candidate, session)
        if verdict.kind is not VerdictKind.BUG:
            return finding
        verdict = replace(verdict, guards=finding.verdict.guards)
        # The control is of the text before.
        evidence = finding.evidence
        if evidence is not None:
            controls = tuple(replace(one, code="") for one in evidence.controls)
            evidence = replace(evidence, controls=controls)
        return replace(finding, verdict=verdict, code=written.code, evidence=evidence)

    def _by_status(
        self, written: Rewritten, plan: Adaptation, candidate: Candidate, session: Session
    ) -> Verdict:
        return judge(
            written,
            plan,
            candidate.api,
            self._verified,
            session,
            self._bench.catalog,
            close=related(candidate.channels),
            runs=self._options.runs,
            limits=self._options.limits,
        )

    def verdict(
        self, written: Rewritten, plan: Adaptation, candidate: Candidate, session: Session
    ) -> Verdict:
        """What a generated case says of the sibling."""
        catalog, options = self._bench.catalog, self._options
        if self._verified.witness is not None:
            return judge_value(
                written,
                plan,
                candidate.api,
                self._verified.witness,
                candidate.channels,
                session,
                catalog,
                runs=options.runs,
                limits=options.limits,
            )
        if self._verified.measured is not None:
            return judge_performance(
                written,
                plan,
                candidate.api,
                self._verified.measured,
                session,
                catalog,
                close=related(candidate.channels),
                limits=options.limits,
            )
        verdict = self._by_status(written, plan, candidate, session)
        if verdict.kind is VerdictKind.BUG:
            # What a framework calls its own fault is one, whatever it refuses elsewhere.
            internal = status.internal(self._verified.case.symptom)
            everywhere = None if internal else self._uses.everywhere(plan)
            if everywhere is not None and refused_elsewhere(
                everywhere, plan, candidate.api, self._verified, session, catalog, options.limits
            ):
                return not_adapted("refuses what the report's API takes elsewhere")
            verdict = contrasted(
                verdict,
                written.code,
                candidate.api,
                self._verified,
                session,
                catalog,
                options.limits,
            )
        return of_kernels(verdict, candidate, self._verified)
