"""Answers as all routes of the control room give them."""

from loadtests.control_room.answers import page_answer


def test_every_text_is_escaped_and_is_one() -> None:
    """Also what JSON can hold and UTF-8 cannot, such as half of a pair of surrogates."""
    answer = page_answer("problem.html.j2", title="<b>", sentence="a\ud800é", home="/")
    page = answer.get_data(as_text=True)
    assert "&lt;b&gt;" in page
    assert "a?é" in page
