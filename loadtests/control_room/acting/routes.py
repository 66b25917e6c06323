"""`POST /act/<verb>`: what the page has done at the target."""

from flask import Blueprint, Response, request

from loadtests.control_room.acting.acts import Acts
from loadtests.control_room.acting.asked import MAX_BODY_BYTES
from loadtests.control_room.answers import json_answer


def add_acts(pages: Blueprint, acts: Acts) -> None:
    """``POST /act/<verb>``; the guard has seen to who asks."""

    @pages.post("/act/<verb>")
    def act(verb: str) -> Response:
        request.max_content_length = MAX_BODY_BYTES
        answer = acts.perform(verb, request.get_data())
        told = json_answer(answer.body)
        told.status_code = answer.status
        return told
