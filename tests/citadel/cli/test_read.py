"""`citadel read`: what is read of a report, without a framework."""

import json

from tests.citadel.cli.command import GROUPS, problem, run, write

TWO = """# torch.matmul gives [red]something[/red] else \x1b[31m

```python
import torch
x = torch.ones(3)
y = torch.matmul(x, x)
```

```
tensor(4.)
```
"""


def test_code_symptom_and_names_are_shown(tmp_path):
    done = run("read", write(tmp_path))
    assert done.returncode == 0
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert "block 1 code, tried as number 1 (fence 1)" in lines
    assert "kind status" in lines
    assert any(line.startswith("says raises RuntimeError: non-positive groups") for line in lines)
    assert "names conv2d (1 in the title)" in lines
    assert "3 F.conv2d(torch.rand(1, 4, 8, 8), torch.rand(4, 4, 3, 3), groups=0)" in lines


def test_what_is_unsure_and_hostile_text_are_shown_as_text(tmp_path):
    done = run("read", write(tmp_path, TWO))
    assert "[red]something[/red] else \\x1b[31m" in done.out
    assert "not run: tensor(4.)" in done.out
    assert "unsure   nothing in it says what goes wrong: --symptom" in done.out
    told = run("read", write(tmp_path, TWO), "--symptom", "wrong", "--line", "3")
    assert "unsure  " not in told.out
    assert "torch.matmul returns a wrong result" in told.out


def test_json_has_all_of_it(tmp_path):
    done = run("read", write(tmp_path), write(tmp_path, TWO, "two.md"), "--json", "-")
    first, second = json.loads(done.out)["reports"]
    assert first["kind"] == "status"
    assert first["claims"][0]["exception"] == "RuntimeError"
    assert [block["number"] for block in second["blocks"]] == [1, 2]
    assert second["code"][0]["code"].startswith("import torch\n")
    assert second["unsure"] == ["nothing in it says what goes wrong: --symptom"]


def test_corrections_that_cannot_hold_are_errors(tmp_path):
    report = write(tmp_path)
    assert "the report has 1 block" in problem("read", report, "--block", "2").err
    assert "no kind is called" in problem("read", report, "--kind", "x").err
    assert "a correction is of one report" in problem("read", report, report, "--line", "3").err
    assert "no such file" in problem("read", tmp_path / "none.md").err


def test_a_comment_in_the_report_is_read_and_nothing_to_run_is_status_3(tmp_path):
    kept = write(tmp_path, GROUPS + "\n<!-- citadel: symptom=wrong api=torch.conv2d -->\n")
    assert "torch.conv2d returns a wrong result" in run("read", kept).out
    none = run("read", write(tmp_path, "# It fails\n\nNo code.", "none.md"))
    assert (none.returncode, "skipped" in none.out) == (3, True)
