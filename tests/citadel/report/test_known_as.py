"""Where findings may be known, on the page and in the terminal."""

import io
import json
from dataclasses import replace

from rich.console import Console

from citadel.commands.knowing import Knowledge
from citadel.report.document import document
from citadel.report.markdown import family_markdown
from citadel.report.terminal import render_triage
from harvest.tracker.issue import Issue

HOSTILE = Issue(place="a/b#1|x`@y [red]", title="<script>", state="open", likeness=0.7)


def test_it_is_told_beside_the_finding_and_changes_no_structure(target, make_finding, make_triage):
    plain = make_triage(make_finding("f.g"))
    found = replace(plain.findings[0], issues=(HOSTILE,))
    triage = replace(plain, findings=(found,))
    text = family_markdown(target, triage)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert "perhaps known as" in rows[0]
    assert {line.replace("\\|", "").count("|") for line in rows} == {8}
    assert "perhaps known as" not in family_markdown(target, plain)
    for width in (80, 160):
        out = io.StringIO()
        render_triage(Console(file=out, width=width), triage)
        assert "perhaps known as a/b#1|x`@y [red] (open)" in " ".join(out.getvalue().split())
    sibling = document(target, [triage])["reports"][0]["siblings"][0]
    assert sibling["issues"] == [HOSTILE.to_json()]


def test_an_umbrella_comes_first_and_a_report_is_not_its_own_duplicate(
    tmp_path, make_finding, make_triage
):
    umbrella, harvest = tmp_path / "umbrella.md", tmp_path / "a.jsonl"
    umbrella.write_text("# All\n\n- [ ] `builtins.float`\n")
    titles = {1: "int fails", 2: "float fails", 3: "int is bad"}
    rows = (
        {
            "number": number,
            "url": f"https://api.github.com/repos/a/b/issues/{number}",
            "state": "open",
            "title": title,
            "body": "builtins",
        }
        for number, title in titles.items()
    )
    harvest.write_text("".join(json.dumps(row) + "\n" for row in rows))
    known = Knowledge(str(umbrella), harvest, print)
    triage = replace(make_triage(make_finding("builtins.float")), repository="a/b", number=1)
    told = known.told(triage)
    known.close()
    assert [one.place for one in told.case.issues] == ["a/b#3"]
    assert [str(one) for one in told.findings[0].issues] == [
        f"{umbrella} (umbrella)",
        "a/b#2 (open)",
    ]
