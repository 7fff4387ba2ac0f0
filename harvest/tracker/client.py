"""GitHub through PyGithub: who asks, what the answers mean.

In: a GraphQL query or a REST path. Out: the answer as JSON, `Passing` where asking again may help,
`Missing` where there is nothing (any more), `CitadelError` where the user has to do something.
PyGithub's own retries are off: it does not know that GitHub says RATE_LIMITED with status 200, and
it sleeps without a word. The token is held here and goes to GitHub only.
"""

from __future__ import annotations

import os
import subprocess
import time
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import requests
from github import Auth, Github, GithubException

from analysis.errors import CitadelError
from harvest.tracker.patience import Passing

ENDPOINT = "GITHUB_API_URL"
"""Where the API is: GitHub's own unless the environment says otherwise (GitHub Enterprise)."""
PUBLIC = "https://api.github.com"
TIMEOUT = 60
LOGIN_HINT = "set GITHUB_TOKEN, or log in with `gh auth login`"
_LOCAL = frozenset({"127.0.0.1", "::1", "localhost"})
_TIMEOUTS = frozenset({502, 504})
"""What GitHub says when a query took too long."""
_LIMITS = frozenset({"RATE_LIMITED", "RATE_LIMIT"})
"""Types of errors in an answer of GraphQL: the primary limit, as GitHub words it."""
_TOO_MUCH = frozenset(
    {
        "None",
        "INTERNAL",
        "SERVICE_UNAVAILABLE",
        "MAX_NODE_LIMIT_EXCEEDED",
        "RESOURCE_LIMITS_EXCEEDED",
    }
)
"""Types of errors where a query for fewer issues may be answered."""


class Missing(Exception):
    """The tracker has no such thing; `gone` tells that it once had."""

    def __init__(self, *, gone: bool = False) -> None:
        super().__init__("gone" if gone else "not found")
        self.gone = gone


def find_token(server: str = "github.com") -> str | None:
    """The user's token, from GITHUB_TOKEN or from the `gh` command, if there is one."""
    told = os.environ.get("GITHUB_TOKEN") or os.environ.get("GH_TOKEN")
    if told and told.strip():
        return told.strip()
    command = ["gh", "auth", "token", "--hostname", server]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None


class Client:
    """One tracker's API. Its methods do not wait; see `patience`."""

    def __init__(self, *, endpoint: str | None = None, token: str | None = None) -> None:
        """Connect to `endpoint` (default: GITHUB_API_URL, else GitHub) as the user.

        Raises:
            CitadelError: for an address that a token must not be sent to.
        """
        address = (endpoint or os.environ.get(ENDPOINT) or PUBLIC).rstrip("/")
        parts = urlsplit(address)
        local = parts.hostname in _LOCAL
        if parts.hostname is None or parts.scheme not in ("https", "http"):
            raise CitadelError(f"{ENDPOINT} is no address: {address}", f"e.g. {PUBLIC}")
        if parts.scheme != "https" and not local:
            raise CitadelError(f"{ENDPOINT} is not encrypted: {address}", "use https")
        self.token = token or find_token(parts.hostname.removeprefix("api."))
        pause = 0.0 if local else 0.25
        self._requester = Github(
            auth=Auth.Token(self.token) if self.token else None,
            base_url=address,
            timeout=TIMEOUT,
            user_agent="citadel",
            retry=None,
            seconds_between_requests=pause,
            seconds_between_writes=pause,
        ).requester

    def query(self, text: str, variables: dict[str, Any]) -> dict[str, Any]:
        """Return the `data` of a GraphQL query; nodes that GitHub withholds are null in it.

        Raises:
            Passing: rate limits, errors of the server, broken connections and answers.
            Missing: when the query is about something that is not there.
            CitadelError: when the tracker refuses the user or the query.
        """
        if self.token is None:
            raise CitadelError("GitHub lists issues only for users that it knows", LOGIN_HINT)
        try:
            headers, answer = self._requester.graphql_query(text, variables)
        except GithubException as problem:
            if problem.status in (400, 404) and _is_answer(problem.data):
                return _partly(problem.data, problem.headers or {})
            raise _meaning(problem) from problem
        except (requests.RequestException, ValueError) as problem:
            raise _broken(problem) from problem
        if not isinstance(answer, dict) or not isinstance(answer.get("data"), dict):
            message = _lowered(answer.get("message")) if isinstance(answer, dict) else ""
            raise _limit(200, headers, message) or Passing("GitHub sent no JSON", smaller=True)
        data: dict[str, Any] = answer["data"]
        return data

    def get(self, path: str, parameters: dict[str, Any] | None = None) -> Any:
        """Return what REST has at `path`; a moved issue is followed.

        Raises:
            Passing, Missing, CitadelError: as for `query`.
        """
        try:
            _, answer = self._requester.requestJsonAndCheck("GET", path, parameters=parameters)
        except GithubException as problem:
            raise _meaning(problem) from problem
        except (requests.RequestException, ValueError) as problem:
            raise _broken(problem) from problem
        except RuntimeError as problem:  # a redirection away from this server
            raise Missing(gone=True) from problem
        if isinstance(answer, dict) and isinstance(answer.get("data"), str):
            raise Passing("GitHub sent no JSON")
        return answer


def _is_answer(data: Any) -> bool:
    """Tell a GraphQL answer with errors from an error of HTTP."""
    return isinstance(data, dict) and isinstance(data.get("errors"), list) and "message" not in data


def _partly(answer: dict[str, Any], headers: dict[str, Any]) -> dict[str, Any]:
    """What a GraphQL answer with errors is good for.

    Raises:
        Passing, Missing, CitadelError: as for `Client.query`.
    """
    errors = [error for error in answer["errors"] if isinstance(error, dict)]
    kinds = {str(error.get("type")) for error in errors}
    message = str(errors[0].get("message", "")) if errors else ""
    words = _lowered("\n".join(str(error.get("message", "")) for error in errors))
    if kinds & _LIMITS:
        raise _limit(200, headers, words) or _used_up(headers)
    data = answer.get("data")
    # What is there counts first: the last request of an hour, too, says that none remain.
    partly = kinds <= {"NOT_FOUND", "FORBIDDEN"} and "rate limit" not in words
    if partly and isinstance(data, dict) and data.get("repository"):
        return data  # single nodes are missing: deleted, or not for this user
    if kinds == {"NOT_FOUND"}:
        raise Missing
    if limit := _limit(200, headers, words):
        raise limit
    if kinds & {"FORBIDDEN", "INSUFFICIENT_SCOPES"}:
        raise CitadelError(f"GitHub refuses: {message}", "the token may lack the right to read it")
    if kinds <= _TOO_MUCH:
        raise Passing(f"GitHub could not answer: {message[:200]}", smaller=True)
    raise CitadelError(f"GitHub refuses the query: {message[:200]}", "is this GitHub's API?")


def _lowered(told: Any) -> str:
    return str(told or "").lower()


def _meaning(problem: GithubException) -> Exception:
    """What an error of HTTP means for us."""
    status, headers = problem.status, problem.headers or {}
    told = problem.data.get("message") if isinstance(problem.data, dict) else None
    message = _lowered(told)
    # 400 is also what PyGithub makes of an answer with status 200 that has errors and a message.
    if status in (400, 403, 429) and (limit := _limit(status, headers, message)):
        return limit
    if status >= 500 or status == 408:
        return Passing(f"GitHub answers with status {status}", smaller=status in _TIMEOUTS)
    if status == 401:
        return CitadelError("GitHub does not know this token", LOGIN_HINT)
    if status in (404, 410, 451):
        return Missing(gone=status != 404)
    return CitadelError(f"GitHub refuses with status {status}: {message[:200]}", LOGIN_HINT)


def _limit(status: int, headers: dict[str, Any], message: str) -> Passing | None:
    """The rate limit that an answer speaks of: what Retry-After or the reset says counts."""
    after = str(headers.get("retry-after", ""))
    if after.isdigit():
        reason = "GitHub asks to wait (secondary rate limit)"
        # Nobody says how often a limit may be met: at least a second lies between two attempts.
        return Passing(reason, seconds=max(float(after), 1.0), limit=True)
    if headers.get("x-ratelimit-remaining") == "0" or "api rate limit" in message:
        return _used_up(headers)
    if status == 429 or "rate limit" in message or "abuse" in message:
        return Passing("GitHub asks to wait (secondary rate limit)", limit=True)
    return None


def _used_up(headers: dict[str, Any]) -> Passing:
    return Passing("GitHub's rate limit is used up", seconds=_until_reset(headers), limit=True)


def _until_reset(headers: dict[str, Any]) -> float | None:
    """Seconds until the limit is renewed, by the server's clock where it tells the time."""
    try:
        reset = float(headers["x-ratelimit-reset"])
    except (KeyError, ValueError):
        return None
    try:
        now = parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, TypeError, ValueError):
        now = time.time()
    return min(max(reset - now, 0.0) + 1.0, 3700.0)


def _broken(problem: Exception) -> Passing:
    if isinstance(problem, requests.Timeout):
        return Passing("GitHub did not answer in time", smaller=True)
    if isinstance(problem, ValueError) and not isinstance(problem, requests.RequestException):
        return Passing("GitHub's answer broke off", smaller=True)
    return Passing(f"the connection to GitHub broke ({type(problem).__name__})")
