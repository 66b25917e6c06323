"""Reports held against rules: what `aftershock check` does, and a run with a ``[check]``."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from reports.folding.conditions import conditions_of, differences
from reports.judging.gate.limits import limited
from reports.judging.gate.rules import Rule, narrowed, override, rules_of
from reports.judging.gate.samples import CheckedRun, checked_lane
from reports.judging.gate.verdict import Verdict, judge
from reports.judging.validity import NOTHING
from reports.measuring.sampling import sampled
from reports.reading.lines import RecordError
from reports.several.study import StudyRun
from reports.several.studying import origin_of
from reports.summary import Report, Run, build_report

Check = tuple[Rule, ...]
BROKEN, NOT_VALID = 1, 3
"""Exit codes."""


def check_runs(
    runs: Iterable[Path], given: Sequence[Rule], lanes: Sequence[str], confidence: float | None
) -> Verdict:
    """The verdict on these runs, by the rules `given` and those of the runs' own scenarios.

    Raises `ValueError` where there is nothing to judge, or nothing to judge it by.
    """
    checked: list[CheckedRun] = []
    own: dict[Check, str] = {}
    made: dict[str, Run] = {}
    for run in runs:
        report = build_report(run)
        checked.append(checked_run(report, str(run)))
        made[str(run)] = report.run
        own.setdefault(own_rules(report, str(run)), str(run))
    rules = _agreed({override(rules, given): run for rules, run in own.items()})
    if not rules:
        options = ", ".join(f"--max-{measure.word}" for measure in limited())
        raise ValueError(f"no limit is set: expected [check] in the scenario, or one of {options}")
    chosen = narrowed(rules, lanes, confidence)
    if not chosen:
        raise ValueError(f"no limit is set for {', '.join(lane[:64] for lane in lanes)}")
    if any(rule.confidence for rule in chosen):
        _check_samples(made)
    return judge(chosen, checked)


def check_report(report: Report, name: str) -> Verdict | None:
    """The verdict on a run by its scenario's own rules; `None` where it has none.

    Where nothing disturbed it there is nothing to judge either.
    """
    rules = own_rules(report, name)
    if not rules or report.trigger is None:
        return None
    return judge(rules, [checked_run(report, name)])


def check_played(check: object, runs: Iterable[StudyRun]) -> Verdict | None:
    """The verdict on runs of one scenario with many seeds, by its ``[check]``, if it has one."""
    rules = rules_of(check)
    if not rules:
        return None
    return judge(rules, [_checked(one) for one in runs])


def _checked(played: StudyRun) -> CheckedRun:
    lanes = tuple(map(checked_lane, played.lanes))
    return CheckedRun(f"seed {played.run.seed}", played.left_out_because, lanes)


def ended(*, valid: bool, verdict: Verdict | None) -> int:
    """The exit code of a verb that made runs: 3 where they are not valid, 1 for a broken rule."""
    if not valid:
        return NOT_VALID
    return BROKEN if verdict is not None and verdict.broken else 0


def checked_run(report: Report, name: str) -> CheckedRun:
    """What rules need of a report. Raises `RecordError` where nothing disturbed the run."""
    if report.trigger is None:
        raise RecordError(f"{name}: {NOTHING}")
    lanes = tuple(checked_lane(sampled(recovery)) for recovery in report.policies)
    return CheckedRun(name, report.invalid_because, lanes)


def own_rules(report: Report, name: str) -> Check:
    """The rules in the scenario of a run. Raises `RecordError`: a record can hold anything."""
    try:
        return rules_of(report.run.scenario.get("check"))
    except ValueError as error:
        raise RecordError(f"{name}: {error}") from None


def _check_samples(made: Mapping[str, Run]) -> None:
    """A confidence is of runs under one condition, each of them once: `made` has them by name.

    Raises `ValueError`: with copies chance would look like a rule.
    """
    differing = differences([conditions_of(run.source, run.scenario) for run in made.values()])
    if differing:
        raise ValueError(
            f"the runs differ in {', '.join(differing[:3])}: "
            "expected runs under one condition where a confidence is required"
        )
    seen: dict[object, str] = {}
    for name, run in made.items():
        first = seen.setdefault(origin_of(run), name)
        if first != name:
            raise ValueError(
                f"{name} is the same run as {first}: "
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
