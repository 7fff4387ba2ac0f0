"""Whether another backend refuses a call, or runs it.

In: a case whose bug is a missing error, or an error, and a session on the other backend. Out:
whether that one refuses the call: accepting is wrong where somebody refuses the same, and an error
where somebody runs it, neither by itself.
"""

from __future__ import annotations

from analysis.catalog.model import Api, Catalog
from analysis.target.observation import Outcome
from analysis.target.session import Limits, Session
from citadel.oracle import status
from citadel.traced import is_call_of
from citadel.verify.identify import failing_call


def refuses(
    other: Session, code: str, traced: str, limits: Limits, api: Api, catalog: Catalog
) -> bool | None:
    """Run a case on the other backend: whether its call of `api` raises. `traced`: instrumented.

    None where the run ends in another way, or for what that backend has not got.
    """
    seen = other.run(code, traced=traced, limits=limits)
    if seen.outcome is Outcome.OK:
        return False
    failed, shown = failing_call(seen), status.capture(seen)
    if seen.outcome is not Outcome.EXCEPTION or failed is None or shown is None:
        return None
    if status.unavailable(shown) or not is_call_of(failed, api, catalog):
        return None
    return True
