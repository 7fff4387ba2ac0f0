"""The filters as a table: `python -m harvest.report.filters_page` renews docs/mining.md."""

from __future__ import annotations

import re
from pathlib import Path

from harvest.report.filters import FILTERS, Preset

PAGE = Path(__file__).resolve().parents[2] / "docs" / "mining.md"
_TABLE = re.compile(r"(<!-- filters -->\n)(?:\|.*\n)*")


def page(text: str) -> str:
    """The page with its table made from the filters."""
    head = (
        f"| filter | reports ... | {' | '.join(Preset)} |\n| --- | --- |{' --- |' * len(Preset)}\n"
    )
    rows = "".join(
        f"| `{one.name}` | {one.meaning} |"
        + "".join(f" {'yes' if preset in one.presets else ''} |" for preset in Preset)
        + "\n"
        for one in FILTERS
    )
    return _TABLE.sub(lambda found: found[1] + head + rows, text)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
