"""A report -> its `Reading`: what to run, what it claims, which APIs it names. Runs nothing."""

from __future__ import annotations

from dataclasses import replace

from harvest.report.claims import chosen, find_claims
from harvest.report.correction import NO_CORRECTION, BadCorrection, Correction, written
from harvest.report.device_memory import needing_device
from harvest.report.expectations import find_expectations, pasted_output
from harvest.report.markdown import read_markdown
from harvest.report.mentions import find_mentions
from harvest.report.model import ClaimKind, Reading, Report
from harvest.report.on_cpu import with_cpu_versions
from harvest.report.refusals import wants_refusal
from harvest.report.snippets import find_snippets
from harvest.report.text import clean
from harvest.report.thread import with_thread
from harvest.report.worded import with_clocks


def understand(report: Report, correction: Correction = NO_CORRECTION) -> Reading:
    """Read `report` as far as reading goes; any text has a reading.

    A correction comes before what comments in the report say, and these before its own words. A
    report with a comment that cannot hold is skipped.

    Raises:
        BadCorrection: when the correction cannot hold.
    """
    code = None if report.code is None else clean(report.code)
    report = replace(report, title=clean(report.title), body=clean(report.body), code=code)
    try:
        return _read(report, correction.over(written(report.body)))
    except BadCorrection as problem:
        if correction:
            raise
        found = _read(report, NO_CORRECTION)
        return replace(found, candidates=(), skipped=f"{problem.message}: {problem.hint}")


def _read(report: Report, said: Correction) -> Reading:
    document, code = said.document(read_markdown(report.body)), report.code
    report = said.report(report)
    mentions = find_mentions(report.title, document.prose)
    claims = chosen(report.body, find_claims(report.title, document, code=code))
    own = find_snippets(document, code=code)
    if not isinstance(own, str):
        measured = any(claim.kind is ClaimKind.PERFORMANCE for claim in claims)
        own = tuple(with_cpu_versions(own, report.title, document.prose, measured=measured))
    missing = ""
    if not isinstance(own, str):
        own, claims = needing_device(own, report.title, report.body, document.prose, claims)
        own, missing = with_clocks(own, document, claims)
    found = own if said.block else with_thread(report, own, mentions)
    if not isinstance(found, str):
        found = said.snippets(found)
        mentions = said.mentions(mentions, found)
    return Reading(
        report=report,
        candidates=() if isinstance(found, str) else found,
        claims=claims,
        mentions=mentions,
        skipped=found if isinstance(found, str) else None,
        expectations=find_expectations(report.title, document, code=code),
        refusal=wants_refusal(report.title, document, code=code),
        output=pasted_output(document),
        prose=document.prose,
        api=said.api,
        unmeasured=missing,
    )
