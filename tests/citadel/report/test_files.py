from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.errors import CitadelError
from citadel.report.files import (
    appendable,
    creatable,
    folder_inside,
    safe_component,
    writable,
    write_atomically,
)

LONG = "n" * 300


def test_harmless_names_stay() -> None:
    assert safe_component("torch.nn.functional.conv3d") == "torch.nn.functional.conv3d"
    assert safe_component("torch.Tensor.__and__") == "torch.Tensor.__and__"


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../../etc", "/abs", "a/b", "a\\b", "-rf", ".hidden", "a\0b", "x" * 500]
)
def test_other_names_become_harmless(name: str) -> None:
    component = safe_component(name)
    assert Path(component).name == component
    assert not component.startswith((".", "-"))
    assert len(component) < 200


@given(st.text(max_size=20), st.text(max_size=20))
def test_different_names_stay_different(one: str, other: str) -> None:
    assert (safe_component(one) == safe_component(other)) == (one == other)


def test_reserved_names_are_avoided() -> None:
    assert safe_component("source", frozenset({"source"})) != "source"


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    root = tmp_path / "out"
    root.mkdir()
    (root / "torch").symlink_to(outside)
    with pytest.raises(CitadelError, match="leads outside"):
        folder_inside(root, "torch", "case")
    assert list(outside.iterdir()) == []


def test_a_loop_of_links_is_a_users_error(tmp_path: Path) -> None:
    (tmp_path / "torch").symlink_to(tmp_path / "torch")
    with pytest.raises(CitadelError, match="cannot write"):
        folder_inside(tmp_path, "torch")


def test_a_link_inside_the_folder_is_fine(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "torch").symlink_to(tmp_path / "real")
    folder_inside(tmp_path, "torch", "case")
    assert (tmp_path / "real" / "case").is_dir()


def test_a_link_in_place_of_the_file_is_replaced_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    place = tmp_path / "place"
    place.symlink_to(victim)
    write_atomically(place, "new")
    assert victim.read_text() == "untouched"
    assert place.read_text() == "new"
    assert not place.is_symlink()


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "place"
    place.write_text("old")

    def fail(self: Path, other: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(CitadelError, match="No space left") as caught:
        write_atomically(place, "new")
    assert "disk is full" in caught.value.hint
    assert [p.name for p in tmp_path.iterdir()] == ["place"]
    assert place.read_text() == "old"


def test_surrogates_are_written_as_escapes(tmp_path: Path) -> None:
    write_atomically(tmp_path / "f", 'x = "\ud800"')
    assert (tmp_path / "f").read_text() == 'x = "\\ud800"'


@pytest.mark.parametrize("name", ["f.json", "link.json", "sub/../f.json", "pipe"])
def test_places_that_can_be_written_stay_as_they_are(tmp_path: Path, name: str) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "old.json").write_text("old")
    (tmp_path / "link.json").symlink_to(tmp_path / "old.json")
    os.mkfifo(tmp_path / "pipe")
    before = sorted(tmp_path.rglob("*"))
    writable(tmp_path / name)
    writable("-")
    writable(None)
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "old.json").read_text() == "old"


@pytest.mark.parametrize(
    "name",
    ["missing/f", "file/f", "folder", "", "n" * 300, "loop", "dangling", "/proc/f", "/proc/self/f"],
)
def test_places_that_cannot_be_written(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to(tmp_path / "missing" / "f")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(CitadelError, match="cannot write"):
        writable(tmp_path / name)
    assert sorted(tmp_path.rglob("*")) == before


def test_files_that_grow(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    appendable(tmp_path / "file")
    appendable(tmp_path / "a" / "b" / "new")
    assert [one.name for one in tmp_path.iterdir()] == ["file"]
    for name in ("file/new", ".", "/proc/new/harvest", LONG, f"{LONG}/new", f"new/{LONG}"):
        with pytest.raises(CitadelError, match="cannot write"):
            appendable(tmp_path / name)


@pytest.mark.parametrize("name", [LONG, f"new/{LONG}", f"{LONG}/new", "n/" * 3000])
def test_folders_with_names_that_are_too_long(tmp_path: Path, name: str) -> None:
    with pytest.raises(CitadelError, match="File name too long") as caught:
        creatable(tmp_path / name)
    assert "shorter name" in caught.value.hint
    assert list(tmp_path.iterdir()) == []
