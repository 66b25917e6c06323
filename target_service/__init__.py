"""A service with a capacity that dips on command: the gate, its meter and its admin API."""

from target_service.app import create_app, gated
from target_service.gate import Gate
from target_service.target import Target

__all__ = ["Gate", "Target", "create_app", "gated"]
