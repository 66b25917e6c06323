"""Answers as all routes of the control room give them."""

from flask import Blueprint, Flask, Response

from loadtests.control_room.answers import page_answer, problem


def test_every_text_is_escaped_and_is_one() -> None:
    """Also what JSON can hold and UTF-8 cannot, such as half of a pair of surrogates."""
    answer = page_answer("problem.html.j2", title="<b>", sentence="a\ud800é", home="/")
    page = answer.get_data(as_text=True)
    assert "&lt;b&gt;" in page
    assert "a?é" in page


def test_what_is_refused_before_it_is_read_has_the_shape_of_any_other_refusal() -> None:
    """A script that acts need not know whether it was the guard, the server or the target."""
    pages, app = Blueprint("aftershock", __name__), Flask(__name__)

    @pages.post("/act/<verb>")
    def act(verb: str) -> Response:
        return problem(500 if verb == "reset" else 403, "not so")

    @pages.get("/live")
    def live() -> Response:
        return problem(400, "not so")

    app.register_blueprint(pages)
    client = app.test_client()
    refused = {"kind": "refused", "said": "Block retries refused: not so"}
    failed = {"kind": "failed", "said": "Reset failed: not so"}
    why = {"error": "not so", "field": None}
    assert client.post("/act/block-retries").json == {**refused, **why}
    assert client.post("/act/reset").json == {**failed, **why}
    assert client.get("/live").json == {"kind": "refused", "said": "not so", **why}
