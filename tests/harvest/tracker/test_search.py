import json

import pytest

from analysis.errors import CitadelError
from harvest.tracker.search import LEAST, open_tracker

ISSUES = (
    {"title": "torch.conv2d: overflow of groups", "body": "RuntimeError: groups is 0"},
    {"title": "conv2d of torch crashes", "body": "it is a SIGSEGV in my loop", "state": "closed"},
    {"title": "slow data loading", "body": "I call torch.conv2d somewhere: groups"},
    {"title": "tf.nn.conv2d fails", "body": "tensorflow: groups must be positive"},
    {"title": "pad fails in torch", "body": "groups", "comments": []},
    {"title": "torch.max_pool2d(x) fails", "body": 'a " quote, AND NEAR(x, y) OR *'},
    {"title": "torch.add_ fails", "body": "in place"},
    {"title": "torch.Tensor.__getitem__ fails", "body": "by index"},
    {"title": "conv2d in torch", "body": "groups", "pull_request": {"url": "x"}},
)


@pytest.fixture
def harvest(tmp_path):
    path = tmp_path / "pytorch.jsonl"
    rows = (
        {
            "number": at,
            "state": "open",
            "url": f"https://api.github.com/repos/a/b/issues/{at}",
            **one,
        }
        for at, one in enumerate(ISSUES, start=1)
    )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_likeliest_issue_comes_first(harvest):
    with open_tracker(harvest) as tracker:
        found = tracker.about(
            "torch.nn.functional.conv2d", "torch", "RuntimeError: groups not positive", most=9
        )
        assert [(one.place, one.state) for one in found] == [
            ("a/b#1", "open"),
            ("a/b#2", "closed"),
            ("a/b#3", "open"),
        ]
        first, crash, other = found
        assert first.likeness > LEAST > other.likeness
        assert crash.likeness == 0.5
        again = tracker.about("torch.conv2d", "torch", "crashes with SIGSEGV")
        assert (again[0].place, again[0].likeness) == ("a/b#2", 0.833)  # not "with"
        tf = tracker.about("tf.nn.conv2d", "tensorflow", "groups must be positive")
        assert [one.place for one in tf] == ["a/b#4"]


def test_underscores_are_part_of_names_and_need_not_be_told(harvest):
    with open_tracker(harvest) as tracker:
        for api, place in (
            ("torch.Tensor.add_", "a/b#7"),
            ("torch.Tensor.__getitem__", "a/b#8"),
            ("torch.nn.functional.conv2d_", "a/b#1"),
        ):
            first = tracker.about(api, "torch", "groups")[0]
            assert (first.place, first.likeness >= LEAST) == (place, True)


def test_the_likelier_one_is_told_though_others_match_better(tmp_path):
    path = tmp_path / "many.jsonl"
    texts = [("slow loading", "torch conv2d groups bad")] * 9
    texts.append(("conv2d is slow in torch", "groups " + "and much else " * 900 + " bad"))
    rows = (
        {
            "number": at,
            "url": f"https://api.github.com/repos/a/b/issues/{at}",
            "title": title,
            "body": body,
        }
        for at, (title, body) in enumerate(texts, start=1)
    )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with open_tracker(path) as tracker:
        assert tracker.about("torch.conv2d", "torch", "groups", most=1)[0].place == "a/b#10"


def test_a_damaged_index_is_told(harvest):
    with open_tracker(harvest) as tracker:
        path = tracker.path
    path.write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    with open_tracker(harvest) as tracker, pytest.raises(CitadelError, match="is damaged"):
        tracker.about("torch.conv2d", "torch", "groups")


@pytest.mark.parametrize("words", ['"', "AND", 'NEAR(a, b) "x" OR *', "", "\0", "'; DROP TABLE"])
def test_words_are_no_syntax(harvest, words):
    with open_tracker(harvest) as tracker:
        assert [one.place for one in tracker.about("torch.max_pool2d", "torch", words)] == ["a/b#6"]
        tracker.about(words, "torch", words)
        tracker.about(f"{words}.conv2d", words, words)


def test_a_harvest_that_has_grown_is_indexed_anew(harvest):
    with open_tracker(harvest) as tracker:
        assert tracker.about("torch.erfinv", "torch", "nan") == []
    new = {"number": 99, "title": "torch.erfinv", "state": "open", "body": "nan"}
    with harvest.open("a") as file:
        file.write(json.dumps({**new, "url": "https://api.github.com/repos/a/b/issues/99"}) + "\n")
    with open_tracker(harvest) as tracker:
        assert [one.place for one in tracker.about("torch.erfinv", "torch", "nan")] == ["a/b#99"]


def test_what_is_no_harvest(tmp_path):
    with pytest.raises(CitadelError, match="cannot be read"):
        open_tracker(tmp_path / "none.jsonl")
    for content in (b"", b"\0\xff\n", b"[1]\n"):
        path = tmp_path / "bad.jsonl"
        path.write_bytes(content)
        with pytest.raises(CitadelError, match="has no issues"):
            open_tracker(path)
