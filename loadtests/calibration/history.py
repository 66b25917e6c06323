"""The steps so far, read: baseline, and the two rates between which the capacity lies. Pure."""

from collections.abc import Sequence
from functools import cached_property

from loadtests.calibration.judging import (
    MAX_SHORTFALL,
    MIN_LIGHT_SUCCESS,
    Baseline,
    Load,
    baseline_of,
    failing,
    generator_fault,
    judge,
)
from loadtests.calibration.steps import Purpose, Step, StepResult
from loadtests.calibration.verdict import Finding, Verdict

_SEARCH = (Purpose.LIGHT, Purpose.GROW, Purpose.NARROW)


class History:
    """What can be read from the results, in the order in which they came."""

    def __init__(self, results: Sequence[StepResult], bound_s: float | None) -> None:
        """`bound_s` is the latency bound asked for, if one was."""
        self.results = results
        self._bound_s = bound_s

    @cached_property
    def baseline(self) -> Baseline | None:
        """From the first light step that went well."""
        for result in self.results:
            if (
                result.step.purpose is Purpose.LIGHT
                and generator_fault(result) is None
                and result.stopped is None
                and result.succeeded_share >= MIN_LIGHT_SUCCESS
            ):
                return baseline_of(result, self._bound_s)
        return None

    @cached_property
    def doubtful(self) -> list[StepResult]:
        """Steps that say more of the generator than of the target."""
        return [r for r in self.results if generator_fault(r, self.baseline) is not None]

    def of(self, *purposes: Purpose) -> list[StepResult]:
        """The steps of these purposes, without the doubtful ones."""
        return [r for r in self.results if r.step.purpose in purposes and r not in self.doubtful]

    def at(self, rate_per_s: float) -> list[StepResult]:
        """The steps of the search at this rate."""
        return [r for r in self.of(*_SEARCH) if r.step.rate_per_s == rate_per_s]

    def load_at(self, rate_per_s: float) -> Load:
        """What most of the search's steps at this rate were; of as many each, not sustained."""
        loads = [self.judged(result) for result in self.at(rate_per_s)]
        if 2 * loads.count(Load.SUSTAINED) > len(loads):
            return Load.SUSTAINED
        return Load.SHORT if loads.count(Load.SHORT) >= loads.count(Load.SLOW) else Load.SLOW

    def judged(self, result: StepResult) -> Load:
        """What one step was to the target. Raises `RuntimeError` before there is a baseline."""
        if self.baseline is None:
            raise RuntimeError("nothing can be judged before the light step")
        return judge(result, self.baseline)

    @cached_property
    def _rates(self) -> list[float]:
        return sorted({r.step.rate_per_s for r in self.of(*_SEARCH)})

    @cached_property
    def high(self) -> float | None:
        """The lowest rate that was too much; None so far."""
        light = self._light_rate
        over = (r for r in self._rates if r > light and self.load_at(r) is not Load.SUSTAINED)
        return next(over, None)

    @cached_property
    def low(self) -> float:
        """The highest rate below it that the target kept up with, or else the lightest."""
        kept = [r for r in self._rates if self.high is None or r < self.high]
        return max([r for r in kept if r >= self._light_rate], default=self._light_rate)

    @property
    def _light_rate(self) -> float:
        return min(r.step.rate_per_s for r in self.of(Purpose.LIGHT))

    @property
    def waiting_for_second_look(self) -> Step | None:
        """The last step of the search, if it went badly for the first time and could be chance.

        A hiccup must not misdirect the search. What was refused was no hiccup; and a growing step
        that broke down is not repeated, for that would hurt.
        """
        searched = self.of(Purpose.GROW, Purpose.NARROW)
        if self.baseline is None or not searched or self.results[-1] is not searched[-1]:
            return None
        last = searched[-1]
        broke_down = last.step.purpose is Purpose.GROW and last.stopped is not None
        if broke_down or failing(last, self.baseline) > MAX_SHORTFALL:
            return None
        loads = [self.judged(result) for result in self.at(last.step.rate_per_s)]
        bad = len(loads) - loads.count(Load.SUSTAINED)
        return last.step if bad == 1 and len(loads) < 3 else None

    @property
    def kept_up_per_s(self) -> float | None:
        """The highest rate up to which the target kept up with every one, most of the times.

        One good step above rates that went badly is luck, and nothing to be known.
        """
        if self.baseline is None:
            return None
        kept_at: dict[float, list[bool]] = {}
        for result in self.results:
            if (load := judge(result, self.baseline)) is not Load.DOUBTFUL:
                kept_at.setdefault(result.step.rate_per_s, []).append(load is Load.SUSTAINED)
        highest = None
        for rate_per_s, kept in sorted(kept_at.items()):
            if 2 * sum(kept) <= len(kept):
                break
            highest = rate_per_s
        return highest

    def verdict(self, finding: Finding, reason: str) -> Verdict:
        """A verdict without a capacity: what is known is what was kept up with."""
        return Verdict(finding, reason, kept_up_per_s=self.kept_up_per_s)

    def too_close_to(self, ceiling_per_s: float) -> Verdict:
        """The verdict where only a step above the ceiling could tell."""
        return self.verdict(
            Finding.UNSTABLE,
            f"the capacity is too close to the ceiling of {ceiling_per_s:.4g}/s to be told: "
            "raise --ceiling",
        )
