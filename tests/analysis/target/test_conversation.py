"""Children that live on and are asked."""

import signal
import time

import pytest

from analysis.target.conversation import Conversation


@pytest.fixture
def talk(bare_session):
    with Conversation(bare_session, "conversation:echo", {"start": 10}, start=20) as made:
        yield made


def test_a_child_remembers_what_it_was_asked(talk):
    assert [talk.ask({}, wall=5).reply["count"] for _ in range(3)] == [11, 12, 13]
    assert talk.started == 1


@pytest.mark.parametrize("length", [1, 70_000, 5_000_000])
def test_long_questions_arrive(talk, length):
    assert talk.ask({"text": "x" * length}, wall=20).reply["length"] == length


def test_records_come_before_the_reply(talk):
    answer = talk.ask({"records": 3, "size": 100_000}, wall=10)
    assert [len(one["text"]) for one in answer.records] == [100_000] * 3


def test_limits_of_output_count_for_each_question(talk):
    for _ in range(4):  # together more than one job may yield
        answer = talk.ask({"records": 40, "size": 500_000}, wall=30)
        assert (len(answer.records), answer.died) == (40, None)
    assert talk.started == 1


@pytest.mark.parametrize(
    ("question", "died"),
    [
        ({"signal": signal.SIGSEGV}, "signal SIGSEGV"),
        ({"sleep": 60}, "timeout"),
        ({"raise": "no"}, "exception ValueError: no"),
    ],
)
def test_a_death_ends_one_conversation_and_the_next_question_begins_another(talk, question, died):
    talk.ask({}, wall=5)
    assert talk.ask(question, wall=1).died == died
    assert talk.ask({}, wall=5).reply["count"] == 11
    assert talk.started == 2


def test_time_between_questions_is_not_limited(talk):
    talk.ask({}, wall=0.3)
    time.sleep(0.8)
    assert talk.ask({}, wall=0.3).reply["count"] == 12


def test_a_child_is_replaced_after_enough_questions(bare_session):
    made = Conversation(bare_session, "conversation:echo", {"start": 0}, start=20, most=2)
    with made:
        assert [made.ask({}, wall=5).reply["count"] for _ in range(5)] == [1, 2, 1, 2, 1]
    assert made.started == 3


def test_the_session_has_other_jobs_afterwards(bare_session):
    with Conversation(bare_session, "conversation:echo", {"start": 0}, start=20) as made:
        made.ask({}, wall=5)
    assert bare_session.run("print(1)").stdout == "1\n"


def test_a_child_that_does_not_come_up_is_told(bare_session):
    with Conversation(bare_session, "conversation:echo", {}, start=20) as made:
        assert "missing 1 required positional argument" in made.ask({}, wall=5).died
