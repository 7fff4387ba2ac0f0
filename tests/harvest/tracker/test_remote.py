"""Harvests of a repository: whole, in the face of trouble, while it changes, and in increments."""

import json

import pytest

from analysis.errors import CitadelError
from harvest.tracker.client import Client
from harvest.tracker.pages import Wanted
from harvest.tracker.patience import ATTEMPTS, Patience
from harvest.tracker.remote import Remote
from tests.harvest.tracker import fake, faults, synthetic


def test_a_whole_harvest(harvest):
    made = harvest(250)
    done = made.run()
    assert made.numbers == list(range(1, 251))
    assert (done.issues, done.fetched, done.complete, done.resumed) == (250, 250, True, False)
    assert (done.pages, done.points) == (3, 9)
    assert made.fake.tokens == {"token secret"}
    line = made.lines[0]
    first = made.repository.issues[1]
    assert (line["title"], line["body"]) == (first["title"], first["body"])
    assert [one["body"] for one in line["thread"]] == first["thread"]
    assert line["repository"] == {"full_name": "some/where"}


def test_one_request_per_hundred_issues(harvest):
    """Each page begins with the last issue of the one before."""
    made = harvest(991)
    made.run()
    assert len(made.fake.requests) == 10


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (faults.bad_gateway, "status 502"),
        (faults.page_of_html, "no JSON"),
        (faults.dropped, "connection"),
        (faults.truncated, "connection"),
        (faults.cut_short, "broke off"),
        (faults.rate_limited(), "rate limit is used up"),
        (faults.used_up(), "rate limit is used up"),
        (faults.secondary(), "secondary"),
        (faults.secondary(after=None), "secondary"),
        (faults.too_slow(), "could not answer"),
        (faults.already_limited(), "rate limit is used up"),
        (faults.secondary_in_errors(), "secondary"),
        (faults.secondary_in_errors(after=None), "secondary"),
        (faults.secondary_in_errors(message=faults.SECONDARY), "secondary"),
        (faults.secondary_in_message(), "secondary"),
        (faults.secondary_in_message(after=None), "secondary"),
        (faults.too_costly(), "could not answer"),
    ],
)
def test_trouble_passes(harvest, fault, reason):
    whole = harvest(250)
    whole.run()
    expected = whole.path.read_bytes()
    whole.path.unlink()
    whole.path.with_name("some.jsonl.checkpoint").unlink()
    done = whole.run(faults={1: fault, 3: fault, 4: fault})
    assert whole.path.read_bytes() == expected
    assert done.complete
    assert len(whole.waits) == 3
    assert all(reason in told for told, _ in whole.waits)


def test_a_limit_is_waited_for_as_long_as_it_says(harvest):
    made = harvest(10)
    made.run(faults={1: faults.rate_limited(1800), 2: faults.secondary("77")})
    first, second = (seconds for _, seconds in made.waits)
    assert 1795 < first <= 1801
    assert second == 77


def test_limits_with_status_200_are_waited_for_as_well(harvest):
    made = harvest(10)
    said = (
        faults.already_limited(1800),
        faults.secondary_in_errors("77"),
        faults.secondary_in_message("78"),
        faults.secondary_in_errors(None),
    )
    made.run(faults=dict(enumerate(said, 1)))
    first, *others = (seconds for _, seconds in made.waits)
    assert 1795 < first <= 1801
    assert others == [77, 78, 60]


@pytest.mark.parametrize("clock", [-7200, 7200])
def test_the_time_of_reset_is_by_the_servers_clock(harvest, clock):
    made = harvest(10)
    made.run(faults={1: faults.rate_limited(1800, clock=clock)})
    ((_, seconds),) = made.waits
    assert 1795 < seconds <= 1801


def test_the_last_answer_within_a_limit_counts(harvest):
    """One that lacks an issue is no limit, though nothing remains behind it."""
    made = harvest(120)

    def last(server, handler, asked):
        told = server.answer(handler, asked)[2]
        told["errors"] = [{"type": "FORBIDDEN", "message": "Resource not accessible"}]
        return 200, {"X-RateLimit-Remaining": "0"}, json.dumps(told).encode()

    made.run(faults={1: last})
    assert made.waits == []
    assert made.numbers == list(range(1, 121))


def test_waiting_grows_where_nobody_says_how_long(harvest):
    made = harvest(10)
    made.run(faults=dict.fromkeys((1, 2, 3), faults.bad_gateway))
    assert [seconds for _, seconds in made.waits] == [1, 2, 4]


def test_slow_answers_are_asked_for_in_smaller_pages(harvest):
    made = harvest(250)
    made.run(faults={1: faults.too_slow(), 2: faults.too_costly()})
    assert [asked["first"] for _, asked in made.fake.requests[:5]] == [100, 50, 25, 35, 45]
    assert made.numbers == list(range(1, 251))


def test_a_tracker_that_stays_out_of_order(harvest):
    made = harvest(150)
    with pytest.raises(CitadelError, match="does not answer"):
        made.run(faults=dict.fromkeys(range(2, 2 + ATTEMPTS), faults.dropped))
    assert made.numbers == list(range(1, 101))
    made.run()
    assert made.numbers == list(range(1, 151))


def test_limits_never_count_as_out_of_order(harvest):
    made = harvest(10)
    limits = dict.fromkeys(range(1, 30), faults.rate_limited())
    made.run(faults={**limits, 30: faults.dropped, 31: faults.bad_gateway})
    assert made.numbers == list(range(1, 11))


def newest(made):
    """Per issue, the version that the file holds last."""
    return {line["number"]: line["updated_at"] for line in made.lines}


def test_issues_that_move_meanwhile_are_neither_lost_nor_stale(harvest):
    """Offsets would lose the first issue of the next page whenever one of this page is updated."""
    made = harvest(300)

    def drift(request):
        for number in range(request * 7, request * 7 + 5):
            made.repository.touch(number, synthetic.stamp(10**6 + request * 100 + number))

    made.run(before=lambda request: drift(request) if request < 5 else None)
    assert set(made.numbers) == set(range(1, 301))
    assert newest(made) == {
        number: issue["updated_at"] for number, issue in made.repository.issues.items()
    }


def test_issues_that_vanish_or_appear_meanwhile(harvest):
    made = harvest(300)

    def drift(request):
        if request == 2:
            for number in (5, 50, 99):  # deleted, or transferred to another repository
                del made.repository.issues[number]
            fresh = synthetic.issues(310)[300:]
            made.repository.issues.update({one["number"]: one for one in fresh})

    made.run(before=drift)
    assert made.numbers == list(range(1, 311))


def test_issues_that_github_withholds_are_counted(harvest):
    made = harvest(120)
    made.repository.withheld = {7, 110}
    done = made.run()
    assert done.withheld == 2
    assert len(made.numbers) == 118


def test_more_issues_in_one_second_than_a_page_holds(harvest):
    made = harvest(700, per_second=250)
    made.run()
    assert made.numbers == list(range(1, 701))


def test_increments(harvest):
    made = harvest(150)
    made.run()
    made.repository.touch(3, synthetic.stamp(10**6), title="now known")
    made.repository.issues[151] = synthetic.issues(151)[150]
    done = made.run()
    assert made.numbers == [*range(1, 151), 151, 3]
    assert (done.issues, done.fetched, done.resumed) == (151, 2, True)
    assert len(made.fake.requests) == 1
    assert made.run().fetched == 0


def test_since_labels_and_state_are_asked_of_github(harvest):
    made = harvest(300)
    made.run(since=synthetic.stamp(100 * 60), labels=("bug", "triaged"), state="open")
    expected = {
        issue["number"]
        for issue in made.repository.issues.values()
        if issue["number"] >= 100
        and issue["state"] == "open"
        and {"bug", "triaged"} & set(issue["labels"])
    }
    assert sorted(made.numbers) == sorted(expected)
    assert len(expected) > 10
    assert {tuple(asked["filter"]["labels"]) for _, asked in made.fake.requests} == {
        ("bug",),
        ("triaged",),
    }


def test_a_limit_and_a_larger_one(harvest):
    made = harvest(250)
    done = made.run(limit=130)
    assert made.numbers == list(range(1, 131))
    assert not done.complete
    assert made.run(limit=130).pages == 0
    assert made.run().complete
    assert made.numbers == list(range(1, 251))


def test_no_such_repository(harvest, tmp_path):
    with fake.FakeGitHub(fake.Repository()) as server:
        client = Client(endpoint=server.endpoint, token="x")
        source = Remote(Wanted(repository="no/where"), client, Patience())
        with pytest.raises(CitadelError, match="no repository no/where"):
            list(source.pages(None, {}))


@pytest.mark.parametrize(
    ("status", "message", "words"),
    [(401, "Bad credentials", "does not know"), (403, "Resource not accessible", "refuses")],
)
def test_refusals_are_the_users_to_mend(harvest, status, message, words):
    made = harvest(1)
    with pytest.raises(CitadelError, match=words) as caught:
        made.run(faults={1: faults.as_json(status, {"message": message})})
    assert caught.value.hint
    assert len(made.fake.requests) == 1


def test_lists_need_a_token(monkeypatch, tmp_path):
    for name in ("GITHUB_TOKEN", "GH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    source = Remote(Wanted(repository="a/b"), Client(endpoint="http://127.0.0.1:9"), Patience())
    with pytest.raises(CitadelError, match="only for users"):
        list(source.pages(None, {}))


@pytest.mark.parametrize("address", ["http://example.com", "ftp://api.github.com", "nonsense"])
def test_tokens_are_sent_over_encrypted_connections_only(address):
    with pytest.raises(CitadelError):
        Client(endpoint=address, token="x")


def test_the_token_of_gh(monkeypatch, tmp_path):
    monkeypatch.delenv("GITHUB_TOKEN", raising=False)
    monkeypatch.delenv("GH_TOKEN", raising=False)
    gh = tmp_path / "gh"
    gh.write_text('#!/bin/sh\n[ "$4" = github.com ] && echo from-gh\n')
    gh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    assert Client().token == "from-gh"
