"""What a calibration says: before, while, and after. No sending in here."""

from collections.abc import Iterable, Sequence
from itertools import takewhile
from shlex import quote

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from aftershock_units import format_duration, format_number
from loadtests.calibration.history import History
from loadtests.calibration.judging import Baseline, Load, generator_fault, long_enough
from loadtests.calibration.planning import Plan
from loadtests.calibration.request import TargetRequest
from loadtests.calibration.rounding import rounded_down
from loadtests.calibration.statistics import CONFIDENCE
from loadtests.calibration.steps import Purpose, Step, StepLimits, StepResult
from loadtests.calibration.verdict import Finding, Verdict

SCHEMA = 1
BUSY = 0.95
BUSY_STEPS = 0.2
GATE_PORT = 8000
"""Where `aftershock serve` listens unless it is told otherwise."""
RUN_SHARE = 0.95
"""Of the capacity: the load of a run unless it is told otherwise."""
_SEARCHING = (Purpose.LIGHT, Purpose.GROW, Purpose.NARROW)
_WORDS = {
    Load.SUSTAINED: "kept up",
    Load.SHORT: "fell short",
    Load.SLOW: "too slow",
    Load.DOUBTFUL: "generator late",
}


def rate(per_s: float) -> str:
    """Four digits: ``199.8/s``."""
    return f"{float(f'{per_s:.4g}'):,.6g}/s".replace(",", "")


def announcement(
    request: TargetRequest, plan: Plan, limits: StepLimits, max_time_s: float
) -> Iterable[str]:
    """What will be done, before it is."""
    step = format_duration(limits.warm_up_s + limits.measured_s)
    yield (
        f"Loads {request.method} {request.url} and nothing else: from {rate(plan.start_per_s)} "
        f"to at most {rate(plan.ceiling_per_s)}, in steps of {step}, for at most "
        f"{format_duration(max_time_s)}."
    )
    yield (
        "It overloads the target on purpose, for seconds at a time; a step that breaks down ends "
        "early. For staging, never for production."
    )


def tell(console: Console, lines: Iterable[str]) -> None:
    """Print sentences, broken where the console ends; a command stays whole, to be copied."""
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=line.startswith("  "))


class Teller:
    """A line for each step, and a bar for the one under way where there is a terminal."""

    def __init__(self, console: Console, limits: StepLimits) -> None:
        """Lines and bar go to `console`."""
        self._console = console
        self._limits = limits
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[more]}"))
        # No thread of its own: that would take the generator's time whenever it likes.
        self._progress = Progress(*columns, console=console, transient=True, auto_refresh=False)
        self._task = self._progress.add_task("", total=1.0, more="")
        self._told_head = self._told_bound = False

    def __enter__(self) -> "Teller":
        if self._console.is_terminal:
            self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._console.is_terminal:
            self._progress.stop()

    def going(self, step: Step, now_s: float, in_flight: int) -> None:
        """Move the bar."""
        self._bar(f"{step.purpose.value} {rate(step.rate_per_s)}", now_s, f"{in_flight} in flight")

    def recovering(self, waited_s: float) -> None:
        """Say that nothing is sent for now."""
        self._bar("waiting until the target is back", 0.0, f"{waited_s:.1f} s")

    def done(self, result: StepResult, history: History) -> None:
        """Print the step's line, the first one below the names of its columns."""
        if not self._told_head:
            self._told_head = True
            self._say(f"{'step':7} {'offered':>9} {'goodput':>9} {'failed':>7} {'p95':>9}")
        self._say(step_line(result, history))
        baseline = history.baseline
        if baseline is not None and not self._told_bound:
            self._told_bound = True
            self._say(f"latency bound from here on: p95 within {milliseconds(baseline.bound_s)}")
            limits = long_enough(self._limits, baseline)
            if limits is not self._limits:
                self._limits = limits
                step_s = limits.warm_up_s + limits.measured_s
                self._say(f"steps from here on: {step_s:.1f} s, as answers take that long")

    def _bar(self, description: str, now_s: float, more: str) -> None:
        if self._console.is_terminal:
            share = now_s / (self._limits.warm_up_s + self._limits.measured_s)
            self._progress.update(
                self._task, description=description, completed=min(share, 1.0), more=more
            )
            self._progress.refresh()

    def _say(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


def milliseconds(seconds: float) -> str:
    """``3.1 ms``, or ``1200 ms``."""
    return f"{seconds * 1000:.1f} ms" if seconds < 0.1 else f"{seconds * 1000:.0f} ms"


def step_line(result: StepResult, history: History) -> str:
    """One row, within 80 columns."""
    if history.baseline is None:
        word = "generator late" if generator_fault(result) else "fails"
    else:
        word = _WORDS[history.judged(result)]
    if result.step.purpose in _SEARCHING and _tried_before(result, history):
        word += " again"
    if result.stopped is not None:
        word += ", ended early"
    return (
        f"{result.step.purpose.value:7} {rate(result.step.rate_per_s):>9} "
        f"{rate(result.goodput_per_s):>9} {1 - result.succeeded_share:>7.1%} "
        f"{milliseconds(result.p95_s):>9}  {word}"
    )


def _tried_before(result: StepResult, history: History) -> bool:
    """Whether it is the same step once more: the steps of a measurement are meant to be many."""
    what = (result.step.purpose, result.step.rate_per_s)
    earlier = takewhile(lambda other: other is not result, history.results)
    return what in {(other.step.purpose, other.step.rate_per_s) for other in earlier}


def conclusion(verdict: Verdict, request: TargetRequest, baseline: Baseline | None) -> list[str]:
    """The answer in words, a line for each part of it."""
    if not verdict.trusted or verdict.capacity_per_s is None or verdict.give_per_s is None:
        lines = [f"no answer: {verdict.reason}"]
        if verdict.kept_up_per_s is not None:
            lines.append(f"known: the target kept up with {rate(verdict.kept_up_per_s)}")
        return lines
    if verdict.finding is Finding.AT_LEAST or verdict.high_per_s is None:
        lines = [
            f"capacity: at least {rate(verdict.capacity_per_s)}; {verdict.reason}",
            "raise --ceiling to find where it ends",
        ]
    else:
        lines = [
            f"capacity: {rate(verdict.capacity_per_s)}, with 95% confidence between "
            f"{rate(verdict.low_per_s or 0)} and {rate(verdict.high_per_s)}: {verdict.reason}"
        ]
    bound = "" if baseline is None else f", p95 within {milliseconds(baseline.bound_s)}"
    lines.append(f"seen to keep up with {rate(verdict.give_per_s)}{bound}; give:")
    return lines + _commands(request, verdict.give_per_s)


def _commands(request: TargetRequest, give_per_s: float) -> list[str]:
    """To be copied: the gate before what was loaded, and a run of one policy through it."""
    port = GATE_PORT + (request.local and request.port == GATE_PORT)
    serve = f"  aftershock serve --upstream {quote(request.origin)} --capacity {_typed(give_per_s)}"
    lines = [serve if port == GATE_PORT else f"{serve} --port {port}"]
    if request.method == "GET" and not request.headers:  # a run sends no other
        lines += [
            "and, while that serves:",
            f"  aftershock run --target http://127.0.0.1:{port} --path {quote(request.path)} "
            f"--policy full-jitter --rate {_typed(RUN_SHARE * give_per_s)}",
        ]
    return [
        *lines,
        "Each policy of a run has a lane, --capacity is that of each lane, and all lanes share the "
        f"target: run one policy at a time, or divide it by their number: {_typed(give_per_s / 5)} "
        "for five.",
    ]


def _typed(per_s: float) -> str:
    """To be given as an option: never more than it is."""
    return f"{format_number(rounded_down(per_s))}/s"


def remarks(request: TargetRequest, results: Sequence[StepResult], history: History) -> list[str]:
    """What may have disturbed the measurement."""
    lines = []
    if history.doubtful:
        lines.append(
            f"note: in {len(history.doubtful)} of {len(results)} steps the generator was late; "
            "these were repeated and count for nothing"
        )
    busy = sum(result.machine_busy > BUSY for result in results)
    if request.local and busy > BUSY_STEPS * len(results):
        lines.append(
            f"note: in {busy} of {len(results)} steps this machine had no CPU to spare: target, "
            "generator and whatever else runs here disturbed each other"
        )
    return lines


def as_json(
    verdict: Verdict, request: TargetRequest, results: Iterable[StepResult], history: History
) -> dict[str, object]:
    """The whole calibration; rates are per second, times in seconds. No headers: secrets."""
    return {
        "schema": SCHEMA,
        "target": request.url,
        "method": request.method,
        "latency_bound_s": None if history.baseline is None else history.baseline.bound_s,
        "verdict": {
            "finding": verdict.finding.value,
            "trusted": verdict.trusted,
            "reason": verdict.reason,
            "confidence": CONFIDENCE,
            "capacity_per_s": verdict.capacity_per_s,
            "low_per_s": verdict.low_per_s,
            "high_per_s": verdict.high_per_s,
            "give_per_s": verdict.give_per_s,
            "kept_up_per_s": verdict.kept_up_per_s,
        },
        "steps": [_step_json(result, history) for result in results],
    }


def _step_json(result: StepResult, history: History) -> dict[str, object]:
    load = None if history.baseline is None else history.judged(result).value
    return {
        "purpose": result.step.purpose.value,
        "rate_per_s": result.step.rate_per_s,
        "offered_per_s": result.offered_per_s,
        "goodput_per_s": result.goodput_per_s,
        "succeeded_share": result.succeeded_share,
        "p50_s": result.p50_s,
        "p95_s": result.p95_s,
        "slow_share": result.slow_share,
        "late_p99_s": result.late_p99_s,
        "cpu": result.cpu,
        "machine_busy": result.machine_busy,
        "stopped": None if result.stopped is None else result.stopped.value,
        "load": load,
    }
