"""Letters beside the points of a chart."""

import itertools

from loadtests.simulation.advising.labels import HEIGHT, SIZE, WIDTH, Spot, shifts


def test_no_two_labels_cover_each_other() -> None:
    """Also not of points in a cluster, and none covers a point."""
    spots = [Spot(0.5 + 0.02 * number, 0.4 + 0.015 * (number % 3)) for number in range(5)]
    labels = [
        (spot.x * WIDTH + right, spot.y * HEIGHT + up)
        for spot, (right, up) in zip(spots, shifts(spots), strict=True)
    ]
    for a, b in itertools.combinations(labels, 2):
        assert max(abs(a[0] - b[0]), abs(a[1] - b[1])) >= SIZE * 0.75


def test_a_label_stays_in_the_chart() -> None:
    """At an edge it stands on the other side."""
    ((right, _),) = shifts([Spot(1.0, 0.5)])
    assert right <= 0
