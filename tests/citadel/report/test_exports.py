from __future__ import annotations

import csv
import io
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from citadel.report.exports import Exported, as_csv, as_junit

ROW = Exported(
    report="owner/repo#1",
    build="torch 2.13.0",
    api="torch.f",
    operation="f",
    verdict="bug",
    confidence=0.9,
    severity="crash",
    symptom="crashes with SIGSEGV",
    control="x is 1: works",
    file="a.py",
)
HOSTILE = ['=HYPERLINK("x")', "+1", "-1", "@x", '"a","b"', "a\r\nb", "<x>&", "]]>", "\ud800\0\x1b"]


def test_a_table():
    rows = list(csv.DictReader(io.StringIO(as_csv([ROW, replace(ROW, api="torch.g")]))))
    assert [row["api"] for row in rows] == ["torch.f", "torch.g"]
    assert rows[0]["confidence"] == "0.9"


def test_a_failed_test_per_report_and_operation():
    rows = [
        ROW,
        replace(ROW, api="torch.f_"),
        replace(ROW, operation="g"),
        replace(ROW, report="b"),
    ]
    root = ElementTree.fromstring(as_junit(rows))
    assert [(one.get("name"), one.get("failures")) for one in root] == [
        ("owner/repo#1", "2"),
        ("b", "1"),
    ]
    failure = root[0][0][0]
    assert (root[0][0].get("name"), failure.get("type")) == ("torch.f", "crash")
    assert len(failure.text.splitlines()) == 2  # both forms


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_of_strangers_stay_texts(text):
    row = replace(ROW, report=text, api=text, operation=text, symptom=text, file=text)
    (read,) = csv.DictReader(io.StringIO(as_csv([row])))
    assert read["api"][:1] not in ("=", "+", "-", "@")
    root = ElementTree.fromstring(as_junit([row]).encode())
    assert [one.tag for one in root.iter()] == ["testsuites", "testsuite", "testcase", "failure"]
