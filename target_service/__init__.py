"""A service with a capacity that dips on command: the gate, its meter and its admin API."""

from target_service.app import create_app
from target_service.capacity_gate import CapacityGate
from target_service.gate import Gate
from target_service.target import Target

__all__ = ["CapacityGate", "Gate", "Target", "create_app"]
