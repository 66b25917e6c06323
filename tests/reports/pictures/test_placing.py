"""Labels above a chart."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.rendering.pictures.lettering import drawable, lines, shortened, width
from reports.rendering.pictures.names import file_names
from reports.rendering.pictures.placing import Label, placed

QUICK = settings(max_examples=40)
LEFT, RIGHT = 50.0, 850.0
LABELS = st.lists(
    st.builds(
        Label,
        text=st.just("x"),
        x=st.floats(LEFT, RIGHT),
        width=st.floats(5, 250),
        color=st.just(""),
        stem=st.booleans(),
        needed=st.booleans(),
    ),
    max_size=8,
)


@QUICK
@given(LABELS)
def test_no_text_lies_over_another_and_none_leaves_the_chart(labels: list[Label]) -> None:
    found = placed(labels, LEFT, RIGHT)
    assert [one.label for one in found if one.label.needed] == [one for one in labels if one.needed]
    for number, one in enumerate(found):
        assert one.left >= LEFT - 1e-9
        assert one.right <= RIGHT + 1e-9
        for other in found[number + 1 :]:
            if one.row == other.row:
                assert one.right <= other.left or other.right <= one.left


@QUICK
@given(LABELS)
def test_no_stem_runs_through_a_text_where_labels_can_be_left_out(labels: list[Label]) -> None:
    found = placed([replace(label, needed=False) for label in labels], LEFT, RIGHT)
    for low in found:
        for high in found:
            if low.row < high.row and high.label.stem:
                assert not low.left < high.label.x < low.right


def test_two_moments_near_each_other_are_told_apart() -> None:
    settled = Label("settled", 100.0, 90.0, "")
    fit = Label("first fit", 98.0, 90.0, "")
    rows = {one.label.text: one.row for one in placed([settled, fit], LEFT, RIGHT)}
    assert rows == {"settled": 0, "first fit": 1}


def test_a_moment_at_the_end_has_its_label_before_it() -> None:
    [found] = placed([Label("late", RIGHT, 90.0, "")], LEFT, RIGHT)
    assert found.right < RIGHT


@QUICK
@given(st.text(max_size=80), st.floats(20, 400))
def test_broken_text_is_whole_and_fits(text: str, room: float) -> None:
    found = lines(text, 11, room)
    assert "".join("".join(found).split()) == "".join(drawable(text).split())
    for line in found:
        assert width(line, 11) <= room or len(line) == 1
    assert width(shortened(text, 11, room), 11) <= room


@pytest.mark.parametrize("figure", ["2.0 s", "100 ms", "> 28 s"])
def test_a_figure_and_its_unit_are_on_one_line(figure: str) -> None:
    """However wide the lines are, as long as it fits."""
    text = f"a {figure} dip, and {figure} after it"
    for room in range(int(width(figure, 11)) + 1, 200):
        assert sum(line.count(figure) for line in lines(text, 11, room)) == 2


@QUICK
@given(st.lists(st.text(max_size=90), max_size=30))
def test_every_lane_has_a_file_of_its_own_that_any_system_can_have(lanes: list[str]) -> None:
    names = file_names(lanes)
    assert len({name.lower() for name in names}) == len(lanes)
    for name in names:
        assert name.isascii()
        assert not set(name) & set('/\\:*?"<>|\0 \n')
        assert not name.startswith((".", "-"))
        assert 0 < len(name) < 80


def test_names_of_devices_and_of_the_sheets_are_not_taken() -> None:
    assert file_names(["CON", "sheet", "sheet-2", "..", "a/b", "A/B", "full-jitter"]) == [
        "lane-CON", "lane-sheet", "lane-sheet-2", "lane", "a-b", "A-B-2", "full-jitter"
    ]  # fmt: skip
