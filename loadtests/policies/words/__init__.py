"""What clients read from a failed answer about when to come back, or whether to."""

from loadtests.policies.words.aws import RaisedByAmzRetryAfter
from loadtests.policies.words.azure import AzureRetryAfter
from loadtests.policies.words.envoy import RateLimitedBackoff
from loadtests.policies.words.grpc import GrpcPushback
from loadtests.policies.words.openai import OpenAiRetryAfter
from loadtests.policies.words.ownership import OWNED_HEADER, OwnedErrors

__all__ = [
    "OWNED_HEADER",
    "AzureRetryAfter",
    "GrpcPushback",
    "OpenAiRetryAfter",
    "OwnedErrors",
    "RaisedByAmzRetryAfter",
    "RateLimitedBackoff",
]
