"""Retry budgets: how many retries a scope may add to its traffic."""

from loadtests.policies.budgets.aws_quota import AwsQuota
from loadtests.policies.budgets.bucket import RequestBucket
from loadtests.policies.budgets.rule import Budget

__all__ = ["AwsQuota", "Budget", "RequestBucket"]
