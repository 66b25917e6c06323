"""What stands behind a gate that is a proxy: the client, and what is built on it."""

from target_service.upstream.client import UpstreamClient, UpstreamResponse
from target_service.upstream.errors import UpstreamError, UpstreamErrorKind
from target_service.upstream.headers import end_to_end

__all__ = ["UpstreamClient", "UpstreamError", "UpstreamErrorKind", "UpstreamResponse", "end_to_end"]
