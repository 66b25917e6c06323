"""Reports held against rules: what `aftershock check` does, and a run with a ``[check]``."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from reports.folding.conditions import conditions_of, differences
from reports.judging.gate.limits import limited
from reports.judging.gate.rules import Rule, override, required, rules_of
from reports.judging.gate.verdict import Verdict, judge
from reports.judging.validity import NOTHING
from reports.measuring.sampling import SampledRun
from reports.reading.lines import RecordError
from reports.several.reading import sampled_run
from reports.summary import Report

Check = tuple[Rule, ...]


def check_runs(
    runs: Iterable[tuple[Path, Report]],
    given: Sequence[Rule],
    policies: Sequence[str],
    confidence: float | None,
) -> Verdict:
    """The verdict on these runs, by the rules `given` and those of the runs' own scenarios.

    Where `policies` are named, on these lanes or policies alone. Raises `ValueError` where there is
    nothing to judge, or nothing to judge it by.
    """
    checked: list[SampledRun] = []
    own: dict[Check, str] = {}
    for run, report in runs:
        checked.append(checked_run(report, str(run)))
        own.setdefault(own_rules(report, str(run)), str(run))
    rules = _agreed({override(rules, given): run for rules, run in own.items()})
    if not rules:
        options = ", ".join(f"--max-{measure.word}" for measure in limited())
        raise ValueError(f"no limit is set: expected [check] in the scenario, or one of {options}")
    verdict = judge(required(rules, confidence), checked, policies)
    if any(found.rule.confidence for found in verdict.findings):
        _check_samples(checked)
    return verdict


def check_report(report: Report, name: str) -> Verdict | None:
    """The verdict on a run by its scenario's own rules; `None` where it has none.

    Where nothing disturbed it there is nothing to judge either.
    """
    rules = own_rules(report, name)
    if not rules or not report.disturbed:
        return None
    return judge(rules, [checked_run(report, name)])


def check_played(check: object, runs: Sequence[SampledRun]) -> Verdict | None:
    """The verdict on runs of one scenario with many seeds, by its ``[check]``, if it has one."""
    rules = rules_of(check)
    disturbed = any(lane.disturbed for run in runs for lane in run.lanes)
    return judge(rules, runs) if rules and disturbed else None


def checked_run(report: Report, name: str) -> SampledRun:
    """What rules need of a report. Raises `RecordError` where nothing disturbed the run."""
    if report.trigger is None:
        why = dict.fromkeys([*report.invalid_because, NOTHING])
        raise RecordError(f"{name}: {'; '.join(why)}")
    if not report.disturbed:
        raise RecordError(f"{name}: no lane was disturbed: what happened was to none that is there")
    return sampled_run(name, report)


def own_rules(report: Report, name: str) -> Check:
    """The rules in the scenario of a run. Raises `RecordError`: a record can hold anything."""
    try:
        return rules_of(report.run.scenario.get("check"))
    except ValueError as error:
        raise RecordError(f"{name}: {error}") from None


def _check_samples(runs: Sequence[SampledRun]) -> None:
    """A confidence is of runs under one condition, each of them once.

    Raises `ValueError`: with copies chance would look like a rule.
    """
    differing = differences([conditions_of(one.run.source, one.run.scenario) for one in runs])
    if differing:
        raise ValueError(
            f"the runs differ in {', '.join(differing[:3])}: "
            "expected runs under one condition where a confidence is required"
        )
    seen: dict[object, str] = {}
    for one in runs:
        first = seen.setdefault(one.run.origin, one.name)
        if first != one.name:
            raise ValueError(
                f"{one.name} is the same run as {first}: "
                "expected each run once where a confidence is required"
            )


def _agreed(rules: dict[Check, str]) -> Check:
    """The rules that all runs have. They are given with a run that has them."""
    if len(rules) > 1:
        first, second, *_ = rules.values()
        raise ValueError(
            f"{first} and {second} have not the same [check] in their scenarios: "
            "expected options in its place"
        )
    return next(iter(rules), ())
