"""GitHub on the loopback: executes the real query over issues that tests make up.

Cursors are offsets: the worst that they may be when issues move between pages. `faults` maps the
number of a request (from 1) to what happens to it instead of an answer (see `faults`).
"""

import base64
import contextlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urljoin, urlsplit

from graphql import execute, parse, validate

from tests.harvest.tracker.schema import query_schema

NAME = "some/where"


class Repository:
    """Issues as REST tells them, with `thread` (texts) and `events` (GraphQL nodes) added."""

    def __init__(self, issues=()):
        self.issues = {issue["number"]: issue for issue in issues}
        self.moved = {}  # number -> address elsewhere
        self.deleted = set()
        self.withheld = set()  # listed, but null
        self.gists = {}
        self.ordered = None

    def touch(self, number, moment, **changes):
        self.issues[number].update(updated_at=moment, **changes)

    def listed(self, since=None, labels=None, states=None, **_):
        found = [
            issue
            for issue in self.issues.values()
            if (since is None or issue["updated_at"] >= since)
            and all(label in issue["labels"] for label in labels or ())
            and (not states or issue["state"].upper() in states)
        ]
        return sorted(found, key=lambda issue: (issue["updated_at"], issue["number"]))


def issue_node(issue):
    return {
        "number": issue["number"],
        "title": issue["title"],
        "body": issue["body"],
        "url": f"https://github.com/{NAME}/issues/{issue['number']}",
        "state": issue["state"].upper(),
        "stateReason": issue.get("state_reason"),
        "createdAt": issue["created_at"],
        "updatedAt": issue["updated_at"],
        "closedAt": None,
        "author": {"__typename": "User", "login": "reporter"},
        "labels": lambda _info, first, **_: {
            "nodes": [{"name": name} for name in issue["labels"][:first]]
        },
        "comments": lambda _info, first, **_: {
            "totalCount": len(issue["thread"]),
            "nodes": [_comment(issue, at) for at in range(len(issue["thread"]))][:first],
        },
        "timelineItems": lambda _info, last, **_: {"nodes": issue["events"][-last:]},
    }


def _comment(issue, at):
    return {
        "url": f"https://github.com/{NAME}/issues/{issue['number']}#issuecomment-{at}",
        "body": issue["thread"][at],
        "createdAt": issue["created_at"],
        "author": None if at % 5 == 4 else {"__typename": "User", "login": f"user{at}"},
    }


class FakeGitHub:
    """A server; a context manager. `requests` has (path, variables) of each request."""

    def __init__(self, repository, *, faults=None, before=None, delay=0.0):
        self.repository = repository
        self.faults = dict(faults or {})
        self.before = before or (lambda _number: None)
        self.requests = []
        self.tokens = set()
        self.delay = delay
        self._schema = query_schema()
        self._queries = {}
        self._lock = threading.Lock()
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                length = int(self.headers["Content-Length"])
                fake.serve(self, json.loads(self.rfile.read(length)))

            def do_GET(self):
                fake.serve(self, None)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self):
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def serve(self, handler, asked):
        with self._lock:
            self.requests.append((handler.path, asked and asked["variables"]))
            number = len(self.requests)
            self.tokens.add(handler.headers.get("Authorization"))
            self.before(number)
            fault = self.faults.get(number)
            if fault is None:
                time.sleep(self.delay)
                status, headers, content = self.answer(handler, asked)
                data = json.dumps(content).encode()
            else:
                status, headers, data = fault(self, handler, asked)
        with contextlib.suppress(OSError):
            if status is None:
                handler.close_connection = True
                handler.connection.close()
                return
            handler.send_response_only(status)
            for name, value in {**self._usual(handler), **headers}.items():
                handler.send_header(name, value)
            handler.send_header("Content-Length", str(headers.get("X-Length") or len(data)))
            handler.end_headers()
            handler.wfile.write(data)
            if headers.get("X-Length"):
                handler.close_connection = True
                handler.connection.close()

    @staticmethod
    def _usual(handler):
        return {"Content-Type": "application/json", "Date": handler.date_time_string()}

    def answer(self, handler, asked):
        if asked is not None:
            return 200, {}, self._graphql(asked)
        return self._rest(urlsplit(handler.path))

    def _graphql(self, asked):
        text = asked["query"]
        if text not in self._queries:
            document = parse(text)
            assert not validate(self._schema, document)
            self._queries[text] = document
        root = {"rateLimit": {"cost": 3}, "repository": self._repository}
        result = execute(
            self._schema, self._queries[text], root, variable_values=asked["variables"]
        )
        told = {"data": result.data}
        if result.errors:
            told["errors"] = [{"message": str(error), "path": []} for error in result.errors]
        if result.data and result.data["repository"] is None:
            told["errors"] = [{"type": "NOT_FOUND", "message": "Could not resolve"}]
        return told

    def _repository(self, _info, owner, name, **_):
        if f"{owner}/{name}".lower() != NAME:
            return None
        return {"nameWithOwner": NAME, "hasIssuesEnabled": True, "issues": self._issues}

    def _issues(self, _info, first, after=None, filterBy=None, orderBy=None):
        assert orderBy == {"field": "UPDATED_AT", "direction": "ASC"}
        assert 1 <= first <= 100
        found = self.repository.listed(**(filterBy or {}))
        start = 0 if after is None else int(base64.b64decode(after))
        end = start + first
        nodes = [
            None if issue["number"] in self.repository.withheld else issue_node(issue)
            for issue in found[start:end]
        ]
        cursor = base64.b64encode(str(end).encode()).decode()
        page = {"hasNextPage": end < len(found), "endCursor": cursor}
        return {"totalCount": len(found), "pageInfo": page, "nodes": nodes}

    def _rest(self, address):
        parts = address.path.strip("/").split("/")
        store = self.repository
        if parts[0] == "gists" and parts[1] in store.gists:
            return 200, {}, {"files": store.gists[parts[1]]}
        if parts[0] != "repos" or len(parts) < 5 or not parts[4].isdigit():
            return 404, {}, {"message": "Not Found"}
        number, issue = int(parts[4]), store.issues.get(int(parts[4]))
        if number in store.moved:
            to = urljoin(self.endpoint, store.moved[number])
            return 301, {"Location": to}, {"message": "Moved"}
        if number in store.deleted:
            return 410, {}, {"message": "This issue was deleted"}
        if issue is None or "/".join(parts[1:3]) != NAME:
            return 404, {}, {"message": "Not Found"}
        if parts[5:] == ["comments"]:
            page = int(parse_qs(address.query)["page"][0])
            found = [{"body": text, "user": {"login": "a"}} for text in issue["thread"]]
            return 200, {}, found[100 * (page - 1) : 100 * page]
        return 200, {}, rest_issue(issue, self.endpoint)


def rest_issue(issue, endpoint):
    return {
        **{key: value for key, value in issue.items() if key not in ("thread", "events")},
        "labels": [{"name": name} for name in issue["labels"]],
        "comments": len(issue["thread"]),
        "html_url": f"https://github.com/{NAME}/issues/{issue['number']}",
        "url": f"{endpoint}/repos/{NAME}/issues/{issue['number']}",
    }
