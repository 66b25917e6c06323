"""A server of ours is asked whether a client has gone, in place of its `receive`."""

from starlette.types import Message

from target_service.passage import Passage
from tests.target_service.asgi import run


class Wire:
    """The connection of one attempt."""

    def __init__(self, gone: bool) -> None:
        self._gone = gone

    @property
    def gone(self) -> bool:
        return self._gone

    def reset(self) -> None: ...

    def close(self) -> None: ...


async def _never() -> Message:
    raise AssertionError("receive costs as much as an attempt")


async def _send(_message: Message) -> None: ...


def passed(gone: bool, broken_off: bool = False) -> tuple[bool, bool, int]:
    """Complete, gone, and how often it was said to be completed."""
    completed: list[None] = []

    async def main() -> Passage:
        passage = Passage(_never, _send, lambda: completed.append(None), Wire(gone))
        if broken_off:
            passage.break_off()
        await passage.send({"type": "http.response.start", "status": 200, "headers": []})
        await passage.send({"type": "http.response.body", "body": b"x"})
        return passage

    passage = run(main)
    return passage.complete, passage.gone, len(completed)


def test_an_answer_to_nobody_is_not_completed() -> None:
    """One to somebody is, and so is one that was broken off by ourselves."""
    assert passed(gone=False) == (True, False, 1)
    assert passed(gone=True) == (False, True, 0)
    assert passed(gone=True, broken_off=True) == (True, False, 1)
