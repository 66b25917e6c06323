"""What clients read from a failed answer about when to come back, or whether to."""

from loadtests.policies.words.aws import RaisedByAmzRetryAfter
from loadtests.policies.words.azure import AzureRetryAfter
from loadtests.policies.words.envoy import RateLimitedBackoff
from loadtests.policies.words.grpc import GrpcPushback
from loadtests.policies.words.openai import OpenAiRetryAfter

__all__ = [
    "AzureRetryAfter",
    "GrpcPushback",
    "OpenAiRetryAfter",
    "RaisedByAmzRetryAfter",
    "RateLimitedBackoff",
]
