"""Which APIs the failing call itself calls: what breaks in it may be theirs.

In: a verified case. Out: names of public APIs, seen by a profile function while the call ran once
more. Call sets of the index come from valid samples and say what an API usually runs; this says
what it ran with the report's own arguments (`saturate=True` takes another path).
"""

from __future__ import annotations

from dataclasses import replace

from analysis.catalog.model import Catalog
from analysis.target.session import Limits, Session
from citadel.verified import Verified

SECONDS = 5.0
"""What a call has called by then is enough; a report about a hang ends no sooner."""


def callees(
    verified: Verified, session: Session, catalog: Catalog, limits: Limits
) -> frozenset[str]:
    """Canonical names of the APIs that run within the call to blame, the API itself left out."""
    seen = session.run(
        verified.case.code,
        traced=verified.source.traced,
        limits=replace(limits, wall=min(limits.wall, SECONDS)),
        entry="callees:run",
        arguments={"site": verified.call.site, "occurrence": verified.call.occurrence},
    )
    names = (event.get("f") for event in seen.extra if event.get("e") == "callee")
    found = (catalog.resolve(name) for name in names if isinstance(name, str))
    return frozenset(api.name for api in found if api is not None and api is not verified.api)
