"""A service with a capacity that dips on command: the gate, its meter and its admin API.

What is named here is loaded when it is first asked for: whoever needs the pure parts, such as a
simulation, does not wait for the web framework.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from target_service.app import create_app
    from target_service.capacity_gate import CapacityGate
    from target_service.gate import Gate
    from target_service.target import Target

__all__ = ["CapacityGate", "Gate", "Target", "create_app"]

_MODULES = {
    "CapacityGate": "capacity_gate",
    "Gate": "gate",
    "Target": "target",
    "create_app": "app",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
