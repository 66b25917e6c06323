"""What the clients of cloud services read from a failed answer about when to come back."""

from loadtests.policies.words.aws import RaisedByAmzRetryAfter
from loadtests.policies.words.azure import AzureRetryAfter
from loadtests.policies.words.openai import OpenAiRetryAfter

__all__ = ["AzureRetryAfter", "OpenAiRetryAfter", "RaisedByAmzRetryAfter"]
