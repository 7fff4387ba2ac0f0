"""Folders that nobody vouches for: links, pipes, binary and huge files, odd names."""

import os
from pathlib import Path

import pytest

from analysis.errors import CitadelError
from harvest.importers.folder import MAX_BYTES, Folder, Unreadable
from tests.harvest.importers.layouts import CRASH, DIAGONAL, LAYOUTS, docter_files, write


def test_a_link_out_of_the_folder_is_not_followed(tmp_path, imported):
    write(tmp_path, {"secret.py": DIAGONAL, "in/real.py": DIAGONAL})
    (tmp_path / "in/stolen.py").symlink_to(tmp_path / "secret.py")
    (tmp_path / "in/away").symlink_to(tmp_path)
    (tmp_path / "in/own.py").symlink_to("real.py")
    (tmp_path / "in/round.py").symlink_to("round.py")
    found = imported("scripts", tmp_path / "in")
    assert found.reasons["stolen.py"] == "a link out of the folder"
    assert "cannot be read" in found.reasons["round.py"]
    assert set(found.cases) == {"real.py", "own.py"}
    assert "away" in found.reasons


def test_a_pipe_is_not_waited_for(tmp_path, imported):
    os.mkfifo(tmp_path / "pipe.py")
    assert imported("scripts", tmp_path).reasons["pipe.py"] == "no regular file"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x00\x01torch", "a binary file, not text"),
        (b"import torch\n\xff\xfe", "not UTF-8 text"),
        (b" \n", "an empty file"),
        (b"#" * (MAX_BYTES + 1), "larger than 10 MB"),
    ],
)
def test_what_is_no_text_is_told(content, reason, tmp_path, imported):
    write(tmp_path, {"a.py": content, "b.py": DIAGONAL})
    found = imported("scripts", tmp_path)
    assert found.reasons == {"a.py": reason}
    assert set(found.cases) == {"b.py"}


@pytest.mark.parametrize("name", ["freefuzz", "deeprel", "titanfuzz"])
def test_scripts_that_are_no_python(name, tmp_path, imported):
    root = LAYOUTS[name](tmp_path)
    for path in list(root.rglob("*.py")):
        path.write_text("results = (\n" + path.read_text())
    found = imported(name, root)
    assert not [path for path, case in found.cases.items() if "assert_close" in case.code]
    assert any("does not parse" in reason for reason in found.reasons.values())


def test_broken_records_do_not_end_the_import(tmp_path, imported):
    root = write(
        tmp_path,
        {
            "torch-candidate/torch.abs.json": b'["torch.absolute", 0.9]\n[[[["\n\xff',
            "output-0/torch.abs+torch.neg+1/neq/1.py": DIAGONAL,
            "a.yaml_workdir/Abort_record": b"\xff\x00",
            "out/torch.abs/crash/crash_summary.csv": b'"\x00',
            "out/torch.abs/crash/cpu_1_1.py": DIAGONAL,
            "Results/torch/crash/torch.abs_1.py": "import torch\n" + CRASH,
            "Results/trace.txt": b"TitanFuzzTestcase \xff",
            "bug-1/meta.json": b"[1, ",
            "bug-2/meta.json": b"[1]",
        },
    )
    for name in LAYOUTS:
        found = imported(name, root)
        assert found.cases or found.reasons


def test_a_record_cannot_name_a_file_elsewhere(tmp_path, imported):
    files = docter_files("tf.exp", {"x": 1.0})
    (script,) = [path for path in files if path.endswith(".py")]
    text = (
        "import pickle, tensorflow as tf\ntf.exp(**pickle.load(open('../../../secret.p','rb')))\n"
    )
    root = write(tmp_path / "in", {**files, script: text})
    write(tmp_path, {"secret.p": b"secret"})
    asked = []
    found = imported("docter", root, lambda data, _framework: asked.append(data))
    assert not asked
    assert "No such file" in found.reasons[script]


def test_names_with_control_characters_and_no_utf8(tmp_path, imported):
    for name in (b"a\x1b[2J\nb.py", b"caf\xe9.py"):
        Path(tmp_path, os.fsdecode(name)).write_text(DIAGONAL)
    assert len(imported("scripts", tmp_path).cases) == 2


def test_a_folder_that_is_none(tmp_path):
    write(tmp_path, {"file": "x"})
    for name in ("missing", "file", "a\0b"):
        with pytest.raises(CitadelError):
            Folder(tmp_path / name)


def test_reading_stays_in_the_folder(tmp_path):
    write(tmp_path, {"secret": "x", "in/a": "x"})
    with pytest.raises(Unreadable, match="out of the folder"):
        Folder(tmp_path / "in").read_bytes("../secret")
