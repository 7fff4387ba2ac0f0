"""What tells one build of a framework from another: its files, not its place."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from base64 import urlsafe_b64encode

import pytest

from analysis.target.sandbox import INSIDE


@pytest.fixture
def site(tmp_path):
    """An installed package with its record, as pip leaves it."""
    root = tmp_path / "one"
    package = root / "frame"
    (package / "nn").mkdir(parents=True)
    (package / "__init__.py").write_text("version = 1\n")
    (package / "nn" / "conv.py").write_text("def conv(): pass\n")
    (package / "library.so").write_bytes(b"\x7fELF")
    lines = [line(root, path) for path in sorted(package.rglob("*")) if path.is_file()]
    (root / "frame-1.0.dist-info").mkdir()
    (root / "frame-1.0.dist-info" / "RECORD").write_text("".join(lines))
    return root


def line(root, path):
    digest = urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).decode().rstrip("=")
    return f"{path.relative_to(root)},sha256={digest},{path.stat().st_size}\n"


def fingerprint(root):
    code = (
        f"import sys; sys.path.insert(0, {str(root)!r}); sys.argv[1:] = ['frame']; "
        f"exec(open({str(INSIDE / 'about_python.py')!r}).read())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    return json.loads(done.stdout)["frameworks"]["frame"]["files"]


def test_the_same_installation_elsewhere_is_the_same(site, tmp_path):
    shutil.copytree(site, tmp_path / "two")
    assert fingerprint(site) == fingerprint(tmp_path / "two")


def later(path, text):
    path.write_text(text)
    os.utime(path, (path.stat().st_mtime + 3600,) * 2)


@pytest.mark.parametrize(
    "change",
    [
        lambda package: later(package / "nn" / "conv.py", "def conv(): fail\n"),
        lambda package: later(package / "nn" / "conv.py", "def conv(): return 1\n"),
        lambda package: later(package / "nn" / "extra.py", ""),
        lambda package: (package / "nn" / "conv.py").unlink(),
        lambda package: (package / "library.so").write_bytes(b"\x7fELF2"),
    ],
    ids=["same size", "other size", "new file", "missing file", "library"],
)
def test_a_changed_file_is_another_build(site, change):
    before = fingerprint(site)
    change(site / "frame")
    assert fingerprint(site) != before


def test_a_file_that_was_merely_touched_is_no_change(site):
    before = fingerprint(site)
    later(site / "frame" / "nn" / "conv.py", "def conv(): pass\n")
    assert fingerprint(site) == before


def test_an_edit_that_keeps_size_and_time_is_noticed(site):
    before = fingerprint(site)
    path = site / "frame" / "nn" / "conv.py"
    times = (path.stat().st_atime, path.stat().st_mtime)
    time.sleep(0.02)
    path.write_text("def conv(): fail\n")
    os.utime(path, times)
    assert fingerprint(site) != before


def test_packages_without_a_record_and_dead_links(site):
    shutil.rmtree(site / "frame-1.0.dist-info")
    before = fingerprint(site)
    (site / "frame" / "gone.so").symlink_to(site / "nowhere.so")
    assert fingerprint(site) != before
    assert fingerprint(site) == fingerprint(site)
