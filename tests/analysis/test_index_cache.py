"""The index in its cache: damaged, missing, unwritable. The target is a stand-in."""

import json
import threading
import time
from types import SimpleNamespace

import pytest

from analysis import cache
from analysis.dynamic.journal import Journal
from analysis.dynamic.model import Provider
from analysis.errors import CitadelError
from analysis.index import cache_path, load_or_build
from analysis.target.session import TaskOutcome

API = {"n": "torch.f", "k": "function", "a": ["torch._f"], "s": [], "c": [], "d": True}
TENSOR = {"k": "tensor", "shape": [2, 3], "dtype": "float32"}


PACKAGE = """
def hardtanh(input, min_val, max_val):
    return clamp(input, floor(min_val), max_val)

def relu6(input, min_val, max_val):
    return clamp(input, floor(min_val), max_val)
"""


class Build:
    """A target whose sessions answer from memory."""

    def __init__(self, catalog=None, died=None):
        self.info = SimpleNamespace(
            framework="torch", version="9.9", key="abc", python="python", folder=self.folder
        )
        self.walks = 0
        self.catalog = [API] if catalog is None else catalog
        self.died = died

    def session(self):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def abort(self):
        """A session is told to stop when its part of the index fails."""

    def task(self, name, arguments, *, wall, on_event=None, preload=()):
        if name == "catalog_torch:walk":
            self.walks += 1
            return TaskOutcome(records=tuple(self.catalog), died=None)
        if name != "samples_torch:profile":
            assert ["torch.f", "torch._f"] not in arguments["names"]
            return TaskOutcome(records=(), died=None)
        on_event({"entry": arguments["part"], "of": 2})
        on_event(ran("torch._f", ["aten::f2d_", "aten::g"], [{"a": [TENSOR], "k": {}}]))
        on_event(ran("torch._unknown", ["aten::g"], []))
        on_event({"e": {"aten::f2d_": [["aten::g"]]}})
        return TaskOutcome(records=(), died=self.died)


def ran(name, operators, samples):
    sets = {"forward": operators, "backward": [], "constructor": [], "frames": ["torch.f"]}
    return {"n": name, "v": "opinfo", "s": sets, "x": samples}


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.ENVIRONMENT, str(tmp_path))
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "functional.py").write_text(PACKAGE)
    monkeypatch.setattr(Build, "folder", str(tmp_path / "torch"), raising=False)
    return tmp_path


def path():
    return cache_path("torch", "9.9", "abc")


def test_names_are_resolved_and_operators_canonical():
    index = load_or_build(Build())
    assert index.call_sets == {"torch.f": {"fNd", "g"}}
    (sample,) = index.samples["torch.f"]
    assert sample.call.arguments[0].shape == (2, 3)
    assert sample.provider is Provider.OPINFO
    assert index.profiles["torch.f"].frames == {"torch.f"}
    assert index.bodies == {"aten::f2d_": ({"aten::g"},)}
    assert index.coverage == {"opinfo": 1}
    assert index.failures == {"ran, but is no public API": 1}
    assert index.counts["names"] == 2
    assert index.counts["objects"] == index.counts["profiled"] == 1


def test_the_second_time_nothing_is_run():
    build = Build()
    first = load_or_build(build)
    second = load_or_build(build)
    assert build.walks == 1
    assert second.call_sets == first.call_sets
    assert second.samples == first.samples
    assert second.catalog.apis == first.catalog.apis


def test_an_index_is_built_by_one_process_and_the_others_wait():
    load_or_build(Build())
    built = path().read_bytes()
    path().unlink()
    second, told, found = Build(), [], []
    thread = threading.Thread(
        target=lambda: found.append(load_or_build(second, warn=told.append)), daemon=True
    )
    with Journal(path().with_suffix(".journal"), "abc"):
        thread.start()
        while not told:
            time.sleep(0.01)
        path().write_bytes(built)
    thread.join(30)
    assert told == ["another process builds the same index: waiting for it"]
    assert [set(index.catalog.apis) for index in found] == [{"torch.f"}]
    assert second.walks == 0


def test_a_refresh_builds_again():
    build = Build()
    load_or_build(build)
    load_or_build(build, refresh=True)
    assert build.walks == 2


def old_shape(_data):
    body = json.dumps({"catalog": [API]}).encode()
    return cache._digest(body) + b"\n" + body


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1] + b" ",
        lambda data: data.replace(b"torch.f", b"torch.g"),
        lambda data: b"\x00" * len(data),
        old_shape,
    ],
    ids=["empty", "cut", "changed end", "changed name", "zeros", "old shape"],
)
def test_a_damaged_file_is_built_again(damage):
    build = Build()
    load_or_build(build)
    path().write_bytes(damage(path().read_bytes()))
    assert "torch.f" in load_or_build(build).catalog.apis
    assert build.walks == 2
    load_or_build(build)
    assert build.walks == 2


def test_what_a_killed_writer_leaves_is_not_read():
    build = Build()
    path().parent.mkdir(parents=True)
    (path().parent / (path().name + ".x.tmp")).write_bytes(b"half")
    load_or_build(build)
    assert build.walks == 1


def test_nothing_but_the_index_is_left_behind():
    load_or_build(Build())
    assert [file.name for file in path().parent.iterdir()] == [path().name]


def test_an_unwritable_place_warns_and_works(place):
    (place / "index").write_text("a file where the folder should be")
    warnings = []
    index = load_or_build(Build(), warn=warnings.append)
    assert "torch.f" in index.catalog.apis
    assert len(warnings) == 1
    assert cache.ENVIRONMENT in warnings[0]


def test_an_index_cut_short_is_used_but_not_kept():
    warnings = []
    index = load_or_build(Build(died="lost"), warn=warnings.append)
    assert "torch.f" in index.call_sets
    assert warnings == ["the index is not kept: the samples could not be run to the end"]
    assert not path().exists()


def test_a_build_without_apis_is_an_error():
    with pytest.raises(CitadelError, match="it has none"):
        load_or_build(Build(catalog=[]))


def test_progress_tells_of_both_stages():
    seen = []
    load_or_build(Build(), progress=lambda *step: seen.append(step))
    assert ("catalog", 1, 1) in seen
    assert max(done for stage, done, _ in seen if stage == "samples") == 2


def test_another_build_or_framework_is_another_file():
    paths = {cache_path("torch", "9.9", key) for key in "ab"} | {cache_path("torch", "9.8", "a")}
    assert len(paths) == 3
