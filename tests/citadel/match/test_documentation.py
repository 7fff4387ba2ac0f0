"""Likeness of what is written about APIs, and what it does to the order of candidates."""

from dataclasses import replace

import pytest

from citadel.match.documentation import FEW, Documentation
from citadel.match.rank import rank

SIGMOID = "applies element logistic negative sigmoid squashing values wise"
SILU = "applies element linear logistic multiplied sigmoid unit values wise"
SORT = "along ascending dimension elements indices order returns sorted tensor"


@pytest.fixture
def written(api):
    """APIs with these words of documentation, by name."""

    def make(**words):
        return [replace(api(f"torch.{name}"), words=text) for name, text in words.items()]

    return make


def test_what_shares_rare_words_is_alike(written):
    apis = written(sigmoid=SIGMOID, silu=SILU, sort=SORT)
    own, other, apart = Documentation(apis).compare(0)
    assert own == pytest.approx(1.0)
    assert other > 0.5 > apart == 0


def test_a_word_that_all_use_tells_less_than_one_that_two_use(written):
    more = {f"f{n}": f"tensor other{n}" for n in range(9)}
    apis = written(a="tensor median", b="tensor median", c="tensor", **more)
    _, same, common, *_ = Documentation(apis).compare(0)
    assert same > 2 * common > 0


def test_nothing_is_alike_where_nothing_is_written(written):
    assert Documentation(written(a="", b="", c=SORT)).compare(0).tolist() == [0, 0, 0]
    assert Documentation(written(a="only", b="other")).compare(0).tolist() == [0, 0]


def test_a_few_words_are_those_of_a_relative(api, written):
    (sigmoid,) = written(sigmoid=SIGMOID)
    method = replace(api("torch.Tensor.sigmoid_"), words="see torch sigmoid")
    (sort,) = written(sort=SORT)
    assert len(method.words.split()) < FEW <= len(SIGMOID.split())
    assert Documentation([sigmoid, method, sort]).compare(0)[1] == pytest.approx(1.0)
    long = replace(method, words=SORT)
    assert Documentation([sigmoid, long, sort]).compare(0)[1] == 0


def test_who_is_described_alike_comes_first_and_says_so(build, written):
    apis = written(sigmoid=SIGMOID, aaa=SORT, silu=SILU)
    first, second = rank(apis[0], build(apis))
    assert (first.api.name, second.api.name) == ("torch.silu", "torch.aaa")
    assert first.channels.documentation > 0.5 > second.channels.documentation
    assert first.channels.to_json()["documentation"] == round(first.channels.documentation, 3)
