"""Retry budgets: how many retries a scope may add to its traffic."""

from loadtests.policies.budgets.aws_quota import AwsQuota
from loadtests.policies.budgets.bucket import Bucket
from loadtests.policies.budgets.bulk import BulkBudget
from loadtests.policies.budgets.envoy import ActiveAttempts, MaxRetries, RetryBudget
from loadtests.policies.budgets.every_failure import EveryFailure
from loadtests.policies.budgets.finagle import FinagleBudget
from loadtests.policies.budgets.grpc import GrpcThrottle
from loadtests.policies.budgets.rule import Budget
from loadtests.policies.budgets.tower import TowerBudget
from loadtests.policies.budgets.window import ShareOf, WindowBudget

__all__ = [
    "ActiveAttempts",
    "AwsQuota",
    "Bucket",
    "Budget",
    "BulkBudget",
    "EveryFailure",
    "FinagleBudget",
    "GrpcThrottle",
    "MaxRetries",
    "RetryBudget",
    "ShareOf",
    "TowerBudget",
    "WindowBudget",
]
