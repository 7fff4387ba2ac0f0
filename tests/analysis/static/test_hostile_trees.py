"""Trees that break parsers: each file is counted, or there is one clear error."""

import os
import stat

import pytest

from analysis.errors import CitadelError
from analysis.static import pool
from analysis.static.model import Skip
from analysis.static.pool import Pool
from analysis.static.worker import Job

GOOD = "Tensor one(const Tensor& a) { return two(a); }\n"


def test_each_file_is_counted(tree, quick, monkeypatch):
    monkeypatch.setattr(pool, "FILE_SECONDS", 1)
    root = tree(
        {
            "good.cpp": GOOD,
            "binary.cpp": b"\x7fELF\0\0\0" * 100,
            "long.cpp": b"int x = " + b"1 + " * 2_500_000 + b"1;",
            "odd.cpp": "Tensor café(int ü) { return ñ(ü); }".encode("latin-1"),
            "deep.cpp": "void f() { " + "(" * 200_000 + "x" + ")" * 200_000 + "; }",
            "braces.cpp": "{" * 400_000,
            "angles.cpp": "a<" * 300_000,
            "deep.py": "x = " + "-" * 300_000 + "1",
            "python2.py": "print 'hello'",
            "metal.mm": "@implementation X",
            "test/test_it.cpp": GOOD,
        }
    )
    (root / "loop").symlink_to(root)
    (root / "gone.cpp").symlink_to(root / "nowhere.cpp")
    (root / "zero.cpp").symlink_to("/dev/zero")
    os.mkfifo(root / "pipe.cpp")
    sources = quick(root)
    names = {record.name for record in sources.functions.values()}
    assert "one" in names
    skipped = {file.path: file.skipped for file in sources.files}
    assert skipped["good.cpp"] is skipped["odd.cpp"] is None
    assert skipped["binary.cpp"] is Skip.BINARY
    assert skipped["long.cpp"] is Skip.TOO_LARGE
    assert skipped["gone.cpp"] is Skip.UNREADABLE
    assert skipped["zero.cpp"] is skipped["pipe.cpp"] is Skip.NOT_A_FILE
    assert skipped["python2.py"] is Skip.SYNTAX
    assert skipped["deep.py"] is not None
    assert not any(path.startswith("loop") for path in skipped)
    assert sources.left_out[Skip.TEST] == sources.left_out[Skip.OBJECTIVE_C] == 1
    assert Skip.BUG not in sources.left_out


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_files_without_permission(tree, quick):
    root = tree({"good.cpp": GOOD, "secret.cpp": GOOD, "closed/inner.cpp": GOOD})
    (root / "secret.cpp").chmod(0)
    (root / "closed").chmod(0)
    try:
        assert quick(root).left_out[Skip.UNREADABLE] == 2
    finally:
        (root / "closed").chmod(stat.S_IRWXU)


def test_a_file_that_takes_too_long_costs_only_itself(tree):
    root = tree({"slow.cpp": "a<" * 300_000, "good.cpp": GOOD})
    jobs = [Job(str(root / name), "cpp", 10**7) for name in ("slow.cpp", "good.cpp")]
    with Pool(1, seconds=1) as workers:
        found = dict(workers.run(jobs))
    assert found[0].skipped is Skip.TOO_SLOW
    assert [row[1] for row in found[1].rows] == ["one"]


def test_the_rest_of_a_batch_survives_the_death_of_a_worker(tree):
    names = [f"good{n}.cpp" for n in range(20)]
    names.insert(7, "slow.cpp")
    root = tree({name: "a<" * 300_000 if name == "slow.cpp" else GOOD for name in names})
    with Pool(1, seconds=1) as workers:
        found = dict(workers.run([Job(str(root / name), "cpp", 10**7) for name in names]))
    assert {names[at] for at in found} == set(names)
    assert [names[at] for at, one in found.items() if one.skipped] == ["slow.cpp"]


@pytest.mark.parametrize(
    "make", [lambda path: None, lambda path: path.mkdir(), lambda path: path.touch()]
)
def test_nothing_to_analyse(tmp_path, quick, make):
    place = tmp_path / "tree"
    make(place)
    with pytest.raises(CitadelError) as problem:
        quick(place)
    assert problem.value.hint


def test_a_folder_that_is_not_there(tree, quick):
    with pytest.raises(CitadelError, match="no folder aten"):
        quick(tree({"good.cpp": GOOD}), folders=["aten"])
