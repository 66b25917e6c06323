"""Envoy's words for what to retry, which Istio has too."""

HTTP_WORDS = (
    "5xx", "gateway-error", "reset", "reset-before-request", "connect-failure",
    "envoy-ratelimited", "retriable-4xx", "refused-stream", "retriable-status-codes",
    "retriable-headers", "http3-post-connect-failure",
)  # fmt: skip
GRPC_WORDS = ("cancelled", "deadline-exceeded", "internal", "resource-exhausted", "unavailable")
WORDS = frozenset(HTTP_WORDS + GRPC_WORDS)
STATUS_CODES = "retriable-status-codes"


def parts(text: str) -> list[str]:
    """What stands between the commas."""
    return [part for part in (part.strip() for part in text.split(",")) if part]
