"""Sides of a comparison whose figures are known: settled, failed and amplification of each run."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from reports.folding.run import Run
from reports.judging.differences.comparison import Comparison, compare_sides
from reports.judging.differences.least import Least
from reports.judging.differences.measures import measures_of
from reports.judging.differences.sides import Side, side_of
from reports.measuring.recovery import Figures
from reports.measuring.sampling import Sampled, SampledRun, sampled
from reports.reading.read import parse_record
from reports.summary import fold
from tests.reports.synthetic import Made, Shape, plain, storm

MEASURED = sampled(fold(parse_record(Made([Shape("a", plain(storm(30)))]).encoded())).policies[0])
WATCHED_S = 30.0


def figures(
    settled_s: float | None, failed: int = 100, ampl: float = 1.2, watched_s: float = WATCHED_S
) -> Figures:
    """Of 4,000 requests; `None`: it did not settle while it was watched."""
    one = MEASURED.samples[0]
    assert one.after is not None
    back = settled_s is not None
    after = replace(
        one.after,
        observed_s=watched_s,
        settled_s=settled_s,
        goodput_back_s=1.0 if back else None,
        goodput_from_s=1.0 if back else None,
    )
    return replace(one, after=after, requests=4000, failed=failed, amplification=ampl)


def lane(*each: Figures, name: str = "a", policy: str = "p", left_out: int = 0) -> Sampled:
    return Sampled(name, policy, name, f"what {policy} does", each, left_out)


def run(
    number: int,
    *lanes: Sampled,
    invalid: tuple[str, ...] = (),
    scenario: Mapping[str, object] = {"load": {"rate": "95/s"}},
) -> SampledRun:
    name = f"run-{number}"
    made = Run(name, "one-dip", "live", 0.0, 0.1, number, {}, scenario)
    return SampledRun(name, made, invalid, lanes)


def side(title: str, lanes: Mapping[str, Sequence[Figures]]) -> Side:
    """As many runs as the longest lane has figures; a lane that has fewer is not in the last."""
    longest = max(map(len, lanes.values()))
    runs = [
        run(
            number,
            *(lane(each[number], name=name) for name, each in lanes.items() if each[number:]),
        )
        for number in range(longest)
    ]
    return side_of(title, f"runs/{title.lower()}", runs)


def compared(
    base: Mapping[str, Sequence[Figures]],
    new: Mapping[str, Sequence[Figures]],
    *words: str,
    least: Least = Least(),  # noqa: B008 - frozen
) -> Comparison:
    return compare_sides(side("BASE", base), side("NEW", new), measures_of(words), least=least)


def settled(*each: float | None) -> list[Figures]:
    return [figures(one) for one in each]
