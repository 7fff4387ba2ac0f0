"""The page on messy reports shows what is read of them."""

from pathlib import Path

from tests.citadel.cli.command import run

ROOT = Path(__file__).parents[3]
COMMAND = "$ citadel read examples/messy/*.md\n"


def test_the_page_shows_what_is_read():
    page = (ROOT / "docs/messy.md").read_text(encoding="utf-8")
    shown = page.partition(COMMAND)[2].partition("\n```\n")[0]
    reports = sorted((ROOT / "examples/messy").glob("*.md"))
    assert len(reports) == 10
    done = run("read", *(f"examples/messy/{one.name}" for one in reports), cwd=ROOT)
    lines = [line.rstrip() for line in done.stdout.strip("\n").split("\n")]
    assert lines == shown.split("\n")
