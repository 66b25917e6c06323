"""The part of `aftershock sweep` that is `--find tipping-point`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from loadtests.scenario import ScenarioError, parse_scenario
from loadtests.simulation.engines import Engine, choose
from loadtests.simulation.progress import Bar
from loadtests.simulation.tipping.answer import Answers, answer_of_lane
from loadtests.simulation.tipping.html import HTML_NAME, to_html
from loadtests.simulation.tipping.lanes import Lane, check_seeds, values_of_lane
from loadtests.simulation.tipping.looking import look
from loadtests.simulation.tipping.ranges import Range, read_range
from loadtests.simulation.tipping.search import Plan
from loadtests.simulation.tipping.terminal import render
from loadtests.simulation.tipping.to_json import JSON_NAME, to_json
from loadtests.simulation.workers import Workers
from reports import words
from reports.files import write_whole

INTERRUPTED = 130
MAX_RUNS = 100_000


def run_find(  # noqa: PLR0913 - one argument a flag of the verb
    values: Mapping[str, object],
    *,
    source: str,
    along: str,
    engine: Engine,
    confidence: float = 0.95,
    most_runs: int = 200,
    workers: Workers,
    console: Console,
    out: Path | None,
) -> int:
    """Find the tipping point of each lane of a scenario along a field, and print it.

    `along` is a field with a range or without, `source` the scenario's file, `most_runs` the most
    runs of a lane, and `out` the folder for the same as JSON and as a page. Returns the exit code:
    0, or 130 after a Ctrl-C, which tells what is sure by then. Raises `ScenarioError`,
    `PolicyError`, `WorkersError` and `OSError`.
    """
    lanes, plan, remarks = _prepare(values, along, engine, confidence, most_runs)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
    for remark in remarks:
        console.print(f"note: {words.printable(remark)}", markup=False, highlight=False)
    interrupted = False
    try:
        with Bar(console, "runs, at most", most_runs * len(lanes)) as bar, workers:
            look(lanes, plan, workers, bar.advance)
    except KeyboardInterrupt:
        interrupted = True
        console.print("stopped: what is sure by now", highlight=False)
    found = _answers(lanes, plan, values, source, interrupted=interrupted)
    render(found, console)
    if out is not None:
        write_whole(out / JSON_NAME, to_json(found))
        write_whole(out / HTML_NAME, to_html(found))
        console.print(str(out / HTML_NAME), soft_wrap=True, markup=False, highlight=False)
    return INTERRUPTED if interrupted else 0


def _prepare(
    values: Mapping[str, object], along: str, engine: Engine, confidence: float, most_runs: int
) -> tuple[list[Lane], Plan, list[str]]:
    """The lanes that the field concerns, how they are searched, and what is to be told first."""
    scenario = parse_scenario(values)
    path = along.partition("=")[0].strip()
    lanes, spared = [], []
    for choice in scenario.policies:
        own = values_of_lane(values, path, choice.lane_name)
        if own is not None:
            span = read_range(along, own, scenario)
            lane = Lane(choice.lane_name, choice.name, dict(own), span, engine, scenario.seed)
            if lane.differs():
                lanes.append(lane)
                continue
        spared.append(choice.lane_name)
    if not lanes:
        raise ScenarioError(f"{words.printable(path)}: it changes nothing for any policy")
    span = lanes[0].range
    plan = _plan(span, confidence, most_runs)
    check_seeds(scenario, plan)
    by_itself = ", the range it has by itself" if span.own else ""
    told = [f"{span.path} is tried from {span.text}{by_itself}"]
    told += [f"{lane} is left out: {span.path} changes nothing there" for lane in spared]
    return lanes, plan, told


def _plan(span: Range, confidence: float, most_runs: int) -> Plan:
    if most_runs > MAX_RUNS:
        raise ScenarioError(f"{most_runs} runs are too many: expected at most {MAX_RUNS}")
    try:
        return Plan(span.sizes, confidence, most_runs)
    except ValueError as error:
        raise ScenarioError(str(error)) from None


def _answers(
    lanes: Sequence[Lane],
    plan: Plan,
    values: Mapping[str, object],
    source: str,
    *,
    interrupted: bool,
) -> Answers:
    span = lanes[0].range
    engines = {choose(lane.scenario_at(0), lane.engine).engine.value for lane in lanes}
    return Answers(
        name=parse_scenario(values).name,
        source=source,
        path=span.path,
        range_text=span.text,
        confidence=plan.confidence,
        most_runs=plan.most_runs,
        engines=tuple(sorted(engines)),
        lanes=tuple(answer_of_lane(lane, plan) for lane in lanes),
        interrupted=interrupted,
    )
