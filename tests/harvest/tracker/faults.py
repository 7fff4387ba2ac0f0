"""What may go wrong with a request: each fault gives (status, headers, body) instead of an answer.

A status of None drops the connection.
"""

import json
import time
from email.utils import formatdate


def as_json(status, content, **headers):
    told = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda *_: (status, told, json.dumps(content).encode())


def bad_gateway(*_):
    return 502, {"Content-Type": "text/html"}, b"<html>502 Bad Gateway</html>"


def page_of_html(*_):
    return 200, {"Content-Type": "text/html"}, b"<html>unicorn</html>"


def dropped(*_):
    return None, {}, b""


def truncated(fake, handler, asked):
    """The connection dies in the middle of the body."""
    data = json.dumps(fake.answer(handler, asked)[2]).encode()
    return 200, {"X-Length": str(len(data))}, data[: len(data) // 2]


def cut_short(fake, handler, asked):
    """A proxy delivers half of the body as if it were whole."""
    data = json.dumps(fake.answer(handler, asked)[2]).encode()
    return 200, {}, data[: len(data) // 2]


def rate_limited(seconds=0, kind="RATE_LIMITED", clock=0.0, **said):
    """Status 200 with the error in the answer, as GraphQL has it.

    `clock` is how many seconds the server's clock is ahead of ours.
    """

    def fault(*_):
        now = time.time() + clock
        headers = {
            "X-RateLimit-Remaining": "0",
            "X-RateLimit-Reset": str(int(now) + seconds),
            "Date": formatdate(now, usegmt=True),
        }
        error = {"type": kind, "message": "API rate limit exceeded", **said}
        return 200, headers, json.dumps({"errors": [error]}).encode()

    return fault


def already_limited(seconds=0):
    """The primary limit in GitHub's other words."""
    told = "API rate limit already exceeded for user ID 1234567."
    return rate_limited(seconds, "RATE_LIMIT", code="graphql_rate_limit", message=told)


def used_up(seconds=0):
    """The primary limit as REST has it."""

    def fault(*_):
        headers = {
            "X-RateLimit-Remaining": "0",
            "X-RateLimit-Reset": str(int(time.time()) + seconds),
        }
        return 403, headers, b'{"message": "API rate limit exceeded for 127.0.0.1"}'

    return fault


def secondary(after="1"):
    told = {"message": "You have exceeded a secondary rate limit"}
    return as_json(403, told, **({"Retry_After": after} if after else {}))


SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes."


def secondary_in_errors(after="1", **more):
    """The secondary limit with status 200, in the errors of a GraphQL answer."""
    headers = {"Retry_After": after} if after else {}
    return as_json(200, {"data": None, "errors": [{"message": SECONDARY}], **more}, **headers)


def secondary_in_message(after="1"):
    """The secondary limit with status 200, as REST words it."""
    return as_json(200, {"message": SECONDARY}, **({"Retry_After": after} if after else {}))


def too_costly():
    """A query over GitHub's limits of nodes or of CPU time, with some of its data."""
    message = "Resource limits for this query exceeded."
    error = {"type": "RESOURCE_LIMITS_EXCEEDED", "message": message, "path": ["repository"]}
    return as_json(200, {"data": {"repository": None}, "errors": [error]})


def too_slow():
    """What GitHub says with status 200 when a query takes too long."""
    error = {"message": "Something went wrong while executing your query. This may be a timeout"}
    return as_json(200, {"data": None, "errors": [error]})
