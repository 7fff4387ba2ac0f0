"""Pairs of equal APIs, from all places where DeepREL keeps them."""

from harvest.importers.folder import Folder
from harvest.importers.pairs import Equality, Pair, pairs
from tests.harvest.importers.layouts import deeprel, write


def test_the_strongest_equality_counts_and_each_pair_once(tmp_path):
    write(tmp_path, {"output-1/torch.absolute+torch.abs+1/success/1.py": "x"})
    assert list(pairs(Folder(deeprel(tmp_path)))) == [
        Pair(one="torch.abs", other="torch.absolute", equality=Equality.VALUE),
        Pair(one="torch.abs", other="torch.neg", equality=Equality.CANDIDATE, score=0.4),
        Pair(one="torch.diagonal_scatter", other="torch.select_scatter", equality=Equality.VALUE),
        Pair(one="torch.linalg.norm", other="torch.norm", equality=Equality.VALUE),
    ]


def test_what_is_no_pair_of_names_is_left_out(tmp_path):
    write(
        tmp_path,
        {
            "test-confirmed-0.txt": "torch.a torch.a\ntorch.b\n; torch.c\ntorch.d torch.e more\n",
            "x-candidate/torch.f.json": '{"a": 1}\n["torch.g", "high"]\n["no name", 1]\n\n[\n',
            "y-candidate/torch.h.json": b"\xff\x00",
        },
    )
    found = list(pairs(Folder(tmp_path)))
    assert [(pair.one, pair.other, pair.equality) for pair in found] == [
        ("torch.d", "torch.e", Equality.STATUS)
    ]
