"""A server of ours is asked whether a client has gone, in place of its `receive`."""

from starlette.types import Message

from target_service.passage import Passage
from tests.target_service.asgi import run


class Wire:
    """The connection of one attempt."""

    def __init__(self, gone: bool) -> None:
        self.has_gone = gone

    @property
    def gone(self) -> bool:
        return self.has_gone

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


def streamed(
    *pieces: bytes, length: int | None, status: int = 200, head_only: bool = False
) -> tuple[bool, bool, int]:
    """The same of an answer in pieces, whose client goes before the empty one at its end."""
    completed: list[None] = []

    async def main() -> Passage:
        wire = Wire(gone=False)
        passage = Passage(_never, _send, lambda: completed.append(None), wire, head_only=head_only)
        start: Message = {"type": "http.response.start", "status": status}
        if length is not None:  # an app may leave headers out
            start["headers"] = [(b"Content-Length", b"%d" % length)]
        await passage.send(start)
        for piece in pieces:
            await passage.send({"type": "http.response.body", "body": piece, "more_body": True})
        wire.has_gone = True
        await passage.send({"type": "http.response.body", "body": b"", "more_body": False})
        return passage

    passage = run(main)
    return passage.complete, passage.gone, len(completed)


def test_who_has_all_that_was_promised_may_hang_up() -> None:
    """Before the app says that this is the end, which those that stream do by an empty piece."""
    assert streamed(b"ab", b"c", length=3) == (True, False, 1)
    assert streamed(b"", length=0) == (True, False, 1)
    assert streamed(b"", length=3, head_only=True) == (True, False, 1)
    assert streamed(b"", length=None, status=204) == (True, False, 1)


def test_who_hangs_up_before_that_has_gone() -> None:
    """Also where no length was promised: the end itself is still to come then."""
    assert streamed(b"ab", length=3) == (False, True, 0)
    assert streamed(b"", length=3) == (False, True, 0)
    assert streamed(b"abc", length=None) == (False, True, 0)
