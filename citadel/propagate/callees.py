"""Which APIs the failing call itself calls: what breaks in it may be theirs.

In: a verified case. Out: names of public APIs and what each was given, seen by a profile function
while the call ran once more. Call sets of the index come from valid samples and say what an API
usually runs; this says what it ran with the report's own arguments (`saturate=True` takes another
path).
"""

from __future__ import annotations

from dataclasses import replace

from analysis.catalog.model import Catalog
from analysis.target.session import Limits, Session
from analysis.values import Value
from citadel.verify.verified import Verified

SECONDS = 5.0
"""What a call has called by then is enough; a report about a hang ends no sooner."""


def callees(
    verified: Verified, session: Session, catalog: Catalog, limits: Limits
) -> dict[str, dict[str, Value]]:
    """Canonical names of the APIs that run within the call to blame, the API itself left out, with
    what each was given, by parameter; nothing is known of what those in C are given, nor of those
    that are given one thing here and another there."""
    seen = session.run(
        verified.case.code,
        traced=verified.source.traced,
        limits=replace(limits, wall=min(limits.wall, SECONDS)),
        entry="callees:run",
        arguments={"site": verified.call.site, "occurrence": verified.call.occurrence},
    )
    found: dict[str, dict[str, Value]] = {}
    for event in seen.extra:
        name, given = event.get("f"), event.get("given")
        api = (
            catalog.resolve(name) if event.get("e") == "callee" and isinstance(name, str) else None
        )
        if api is not None and api is not verified.api:
            known = given if isinstance(given, dict) and api.name not in found else {}
            # Of several calls, nobody knows which one the sibling stands for.
            found[api.name] = {str(key): Value.from_json(value) for key, value in known.items()}
    return found
