"""What is answered to a request that no app sees: one of our errors, and the connection ends."""

from http import HTTPStatus

from target_service.error_body import error_body, last_answer
from target_service.limits import MAX_HEAD_BYTES


class BadRequestError(Exception):
    """A request that nothing can be made of."""

    status = HTTPStatus.BAD_REQUEST
    error = "bad-request"
    message = "this is no HTTP/1.1 request"

    @classmethod
    def answer(cls) -> bytes:
        """All of the answer, in the shape that every error of ours has."""
        return last_answer(cls.status, error_body(cls.error, cls.message))


class NotOneHostError(BadRequestError):
    """A request that names two hosts, as layers differ in which holds, or none.

    That is RFC 9112, 3.2; HTTP/1.0 need not name any.
    """

    message = "a request of HTTP/1.1 has one Host header"


class HeadTooLargeError(BadRequestError):
    """A request line and headers of more than `MAX_HEAD_BYTES`."""

    status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
    error = "head-too-large"
    message = f"request line and headers have at most {MAX_HEAD_BYTES} bytes"


class HeadTooSlowError(BadRequestError):
    """A head that is not there in time."""

    status = HTTPStatus.REQUEST_TIMEOUT
    error = "head-too-slow"
    message = "the head of the request did not come in time"
