"""Cloud SDKs against a service that is none of theirs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from loadtests.opaque.base import OpaqueClient, OpaqueSource
from loadtests.opaque.over_requests import POOL, Session
from loadtests.policies.catalogue.parameters import parameter


class _AwsRequest(Protocol):
    headers: dict[str, str]


@dataclass(frozen=True)
class Botocore(OpaqueSource):
    """A custom endpoint: `HEAD /work` is what S3's HeadBucket of a bucket "work" sends."""

    name = "opaque-botocore"
    summary = "botocore's retries, HeadBucket against a custom endpoint"
    needs = "botocore"

    mode: str = parameter("standard", "retry mode", choices=("legacy", "standard", "adaptive"))
    max_attempts: int = parameter(3, "attempts, the first included", least=1, most=100)

    def connect(self, base_url: str, headers: Mapping[str, str], timeout_s: float) -> OpaqueClient:
        """An S3 client with made-up credentials."""
        import botocore.session  # noqa: PLC0415
        from botocore.config import Config  # noqa: PLC0415

        client = botocore.session.Session().create_client(
            "s3",
            region_name="us-east-1",
            endpoint_url=base_url,
            aws_access_key_id="none",
            aws_secret_access_key="none",  # noqa: S106 - there is no account behind it
            config=Config(
                retries={"mode": self.mode, "total_max_attempts": self.max_attempts},
                connect_timeout=timeout_s,
                read_timeout=timeout_s,
                max_pool_connections=POOL,
                s3={"addressing_style": "path"},
            ),
        )

        def add_headers(request: _AwsRequest, **_: object) -> None:
            for name, value in headers.items():
                request.headers[name] = value

        client.meta.events.register("before-send.s3", add_headers)
        return _Buckets(client)


class _S3(Protocol):
    def head_bucket(self, *, Bucket: str) -> object: ...  # noqa: N803 - botocore's name

    def close(self) -> None: ...


class _Buckets:
    def __init__(self, client: _S3) -> None:
        self._client = client

    def request(self, path: str) -> None:
        """HEAD of the path, whose first part is the bucket. botocore raises for an error."""
        self._client.head_bucket(Bucket=path.strip("/"))

    def close(self) -> None:
        """Close its connections."""
        self._client.close()


@dataclass(frozen=True)
class GoogleApiCore(OpaqueSource):
    """`google.api_core.retry.Retry` around a call over a session that does not retry itself."""

    name = "opaque-google-api-core"
    summary = "google-api-core's Retry around requests"
    needs = "google.api_core"

    initial_s: float = parameter(1.0, "the first delay's bound", least=0.001, most=3600)
    maximum_s: float = parameter(60.0, "the longest delay's bound", least=0.001, most=3600)
    multiplier: float = parameter(2.0, "growth", least=1, most=10)
    timeout_s: float = parameter(120.0, "the time for all attempts", least=0, most=3600)

    def connect(self, base_url: str, headers: Mapping[str, str], timeout_s: float) -> OpaqueClient:
        """A session with the retry around each call."""
        from google.api_core.retry import Retry  # noqa: PLC0415

        retry = Retry(
            initial=self.initial_s,
            maximum=self.maximum_s,
            multiplier=self.multiplier,
            timeout=self.timeout_s,
        )
        return _GoogleSession(base_url, headers, timeout_s, 0, lambda call: retry(call)())


class _GoogleSession(Session):
    """Raises the library's own exceptions, by which it tells what to retry."""

    def error(self, status: int, reason: str) -> Exception:
        """As a client of Google's makes of an answer."""
        from google.api_core.exceptions import from_http_status  # noqa: PLC0415

        error: Exception = from_http_status(status, reason)  # type: ignore[no-untyped-call]
        return error
