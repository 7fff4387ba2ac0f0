"""Texts are parsed whole, whatever other threads parse meanwhile."""

import gc
import sys
import threading

import pytest

from analysis import parsing

MANY = "\n".join(f"x{i} = [a, (b + {i}) * f(c, d=[1, {{2: 3}}])]" for i in range(40))
DEEP = "x = " + "(" * 40 + "1" + ")" * 40 + " + " + "[" * 30 + "]" * 30


class Loop:
    """What the garbage collector has to run code for."""

    def __init__(self):
        self.self = self

    def __del__(self):
        for _ in range(50):
            pass


@pytest.fixture
def restless():
    switch, threshold = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(5)
    yield
    sys.setswitchinterval(switch)
    gc.set_threshold(*threshold)


def test_threads_may_parse_at_once(restless):
    problems = []

    def work(text):
        try:
            for _ in range(60):
                Loop()
                parsing.module(text)
        except SystemError as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(text,)) for text in (MANY, DEEP, MANY, DEEP)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems


def test_what_is_no_python_is_refused_as_ever():
    with pytest.raises(SyntaxError):
        parsing.module("x =")
    with pytest.raises(SyntaxError):
        parsing.expression("x = 1")
    with pytest.raises(ValueError, match="malformed"):
        parsing.literal("f()")


def test_literals_are_values():
    assert parsing.literal(" {'a': [1, -2.5, None]}") == {"a": [1, -2.5, None]}
