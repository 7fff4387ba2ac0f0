"""Emptying folders that somebody made hard to empty."""

import os

import pytest

from analysis.inside.sweep import measure, sweep


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/kept").write_text("x")
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder"


def emptied(folder):
    before = os.getcwd()  # noqa: PTH109
    assert sweep(str(folder), 20)
    assert os.getcwd() == before  # noqa: PTH109
    assert (folder.parent / "outside/kept").read_text() == "x"
    return list(folder.iterdir()) == []


def test_links_are_removed_and_not_followed(folder):
    (folder / "link").symlink_to(folder.parent / "outside")
    (folder / "broken").symlink_to("nowhere")
    (folder / "sub").mkdir()
    (folder / "sub/up").symlink_to("..")
    assert emptied(folder)


def test_locked_folders(folder):
    (folder / "a/b/c").mkdir(parents=True)
    (folder / "a/b/c/file").write_text("x")
    (folder / "a/b").chmod(0)
    (folder / "a").chmod(0o400)
    folder.chmod(0o500)
    assert emptied(folder)


def test_special_files(folder):
    os.mkfifo(folder / "pipe")
    (folder / "name\nwith \udcff").write_text("x")
    assert emptied(folder)


def test_depth_beyond_the_longest_path(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for _ in range(40):
        os.mkdir("d" * 200)  # noqa: PTH102
        os.chdir("d" * 200)
    os.chdir(folder)
    assert emptied(folder)


def test_a_link_in_place_of_the_folder_is_not_followed(folder):
    link = folder.parent / "link"
    link.symlink_to("outside")
    assert not sweep(str(link), 20)
    assert (folder.parent / "outside/kept").exists()


def test_out_of_time(folder):
    (folder / "file").write_text("x")
    assert not sweep(str(folder), -1)
    assert (folder / "file").exists()


def test_a_missing_folder(tmp_path):
    assert not sweep(str(tmp_path / "none"), 1)


def test_measure(folder):
    assert measure(str(folder), 1 << 30) == 0
    (folder / "sub").mkdir()
    (folder / "sub/file").write_bytes(b"x" * 100_000)
    assert 100_000 < measure(str(folder), 1 << 30) < 200_000
    assert 0 < measure(str(folder), 1) < 200_000
