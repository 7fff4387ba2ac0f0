"""Labels that differ with no layer at fault: one hit for a seed model and a pair of backends."""

from dataclasses import replace

import numpy as np
import pytest

from harvest.sources.audee.amplifying import Prepared
from harvest.sources.audee.reporting import Reporter
from harvest.sources.blaming import ROUNDING
from harvest.sources.model import HitKind
from tests.harvest.sources.audee.test_oracles import SPLIT, ran

NEARLY = (1, 2, 2 + 1e-6), (1, 2 + 1e-6, 2)


class Bench:
    """Executions that are told; nothing is asked of backends."""

    stage = ""

    def __init__(self, *scores):
        names = ("tensorflow", "torch", "jax")[: len(scores)]
        self._done = {name: ran(name, 1, one) for name, one in zip(names, scores, strict=True)}

    def run(self, network, prepared):
        return self._done


def hits(bench, *networks):
    reporter = Reporter(bench, np.random.default_rng(0))
    found = [list(reporter.hits(one, Prepared(inputs={}), "here")) for one in networks]
    return found, reporter.counts["labels only"]


def test_a_seed_model_and_a_pair_of_backends_are_one_hit_without_a_case():
    again = SPLIT.with_layers(SPLIT.layers)
    other = replace(SPLIT, name="other")
    (first, none, second), counted = hits(Bench(*NEARLY), SPLIT, again, other)
    (hit,) = first
    assert hit.key == "inconsistency:label:n:tensorflow+torch"
    assert hit.kind is HitKind.INCONSISTENCY
    assert (hit.case, hit.no_case, hit.limit) == (None, ROUNDING, "")
    assert hit.title == "tensorflow and torch by label: instance 0 is 2 and 1"
    assert hit.origin == "here, layer of the largest R logits"
    assert hit.subject == "keras.layers.Dense"
    assert dict(hit.measures)["R"] == pytest.approx(6, rel=0.2)
    assert none == []
    assert [one.key for one in second] == ["inconsistency:label:other:tensorflow+torch"]
    assert counted == 3


def test_of_three_backends_those_pairs_that_differ():
    (found,), _ = hits(Bench(*NEARLY, NEARLY[0]), SPLIT)
    pairs = {hit.key.rpartition(":")[2] for hit in found}
    assert pairs == {"tensorflow+torch", "torch+jax"}


def test_equal_labels_are_no_hit():
    assert hits(Bench(NEARLY[0], NEARLY[0]), SPLIT) == ([[]], 0)
