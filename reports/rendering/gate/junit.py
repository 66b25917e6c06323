"""The verdict as JUnit XML, which the test tabs of most CI systems read."""

from pathlib import Path
from typing import TYPE_CHECKING

from reports.judging.gate.finding import Finding
from reports.judging.gate.verdict import Outcome, Verdict
from reports.rendering import words
from reports.rendering.files import write_whole
from reports.rendering.gate.sentences import lane_title, rule_title, said, why_not_valid
from reports.text import listed

if TYPE_CHECKING:
    from junitparser.junitparser import FinalResult

SUITE = "aftershock check"


def write_junit(verdict: Verdict, path: Path) -> None:
    """Write it to `path`, whole or not at all, in a folder that is made. Raises `OSError`."""
    write_whole(path, to_junit(verdict))


def to_junit(verdict: Verdict) -> str:
    """A suite, with a test case for each rule and lane.

    A breach is a failure. Where the result is not valid every case is an error: none was judged.
    """
    # Here and not above: no other verb needs it.
    from junitparser import JUnitXml, TestCase, TestSuite  # noqa: PLC0415

    suite = TestSuite(_suite_name(verdict))
    for finding in verdict.findings:
        case = TestCase(words.printable(rule_title(finding)), lane_title(finding), 0.0)
        case.result = _results(verdict, finding)
        if verdict.outcome is not Outcome.NOT_VALID and finding.kept:
            case.system_out = words.printable(said(finding))
        suite.add_testcase(case)
    whole = JUnitXml(SUITE)
    whole.add_testsuite(suite)
    whole.update_statistics()  # type: ignore[no-untyped-call]  # nor is the next one
    return f"{whole.tostring().decode()}\n"  # type: ignore[no-untyped-call]


def _suite_name(verdict: Verdict) -> str:
    return listed([words.printable(run.name) for run in verdict.runs], 1)


def _results(verdict: Verdict, finding: Finding) -> "list[FinalResult]":
    from junitparser import Error, Failure  # noqa: PLC0415 - as above

    if verdict.outcome is Outcome.NOT_VALID:
        return [Error(_against(verdict), Outcome.NOT_VALID.value)]
    if finding.kept:
        return []
    return [Failure(words.printable(said(finding)), finding.why.value)]


def _against(verdict: Verdict) -> str:
    """Every run that is not valid, with why."""
    return "; ".join(
        f"{words.printable(run.name)} is not valid: {why_not_valid(run)}"
        for run in verdict.not_valid
    )
