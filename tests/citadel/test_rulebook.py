"""All rules together: the page that lists them, and the switch of the command line."""

from __future__ import annotations

import os
import subprocess
import sys

from analysis.rules import VARIABLE, Phrase
from citadel.rulebook import PAGE, all_rules, page


def test_page_is_fresh() -> None:
    assert PAGE.read_text() == page(), "renew it: python -m citadel.rulebook"


def test_every_phrase_finds_its_examples_and_spares_the_others() -> None:
    phrases = [one for one in all_rules().values() if isinstance(one, Phrase)]
    assert [one.id for one in phrases if not one.finds] == []
    wrong = [(one.id, text) for one in phrases for text in one.finds if not one.search(text)]
    wrong += [(one.id, text) for one in phrases for text in one.spares if one.search(text)]
    assert wrong == []


def test_every_rule_says_what_it_is() -> None:
    silent = [n for n, one in all_rules().items() if not (one.meaning or one.examples)]
    assert silent == []


def test_command_line_refuses_to_switch_off_what_is_no_rule() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "citadel", "doctor"],
        env={**os.environ, VARIABLE: "claim/no-such-rule"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stderr.startswith("error: there is no rule claim/no-such-rule\nhint: ")
