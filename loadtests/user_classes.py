"""User classes made from choices of policies: one each, asking for the same path."""

from collections.abc import Iterable

from locust import task

from loadtests.opaque.base import OpaqueSource
from loadtests.opaque_users import OpaqueUser
from loadtests.scenario import PolicyChoice
from loadtests.scheduled import ScheduledUser
from loadtests.users import OpenLoopUser


def user_classes(
    choices: Iterable[PolicyChoice],
    *,
    path: str,
    timeout_s: float,
    fixed_count: int = 0,
    deadlines: bool = False,
) -> dict[str, type[ScheduledUser]]:
    """The classes by the name they have in Locust; `fixed_count` users of each, if not 0."""
    classes: dict[str, type[ScheduledUser]] = {}
    for choice in choices:
        name = _class_name(choice.lane_name)
        while name in classes:
            name += "_"
        classes[name] = _user_class(name, choice, path, deadlines)
        classes[name].timeout_s = timeout_s
        classes[name].fixed_count = fixed_count
    return classes


def _user_class(name: str, choice: PolicyChoice, path: str, deadlines: bool) -> type[ScheduledUser]:
    source = choice.source()
    attributes: dict[str, object] = {"lane": choice.lane_name, "__doc__": source.describe()}
    if isinstance(source, OpaqueSource):

        def call(user: OpaqueUser) -> None:
            user.request(path)

        return type(name, (OpaqueUser,), {**attributes, "client_source": source, "w": task(call)})

    def get(user: OpenLoopUser) -> None:
        user.client.get(path)

    attributes |= {
        "retry_policy": source,
        "state_scope": choice.scope,
        "clients": choice.clients,
        "processes": choice.processes,
        "deadlines": deadlines,
        "get": task(get),
    }
    return type(name, (OpenLoopUser,), attributes)


def _class_name(lane: str) -> str:
    """As in ``FullJitterBudget``; other characters than letters and digits separate words."""
    words = "".join(c if c.isascii() and c.isalnum() else " " for c in lane).split()
    name = "".join(word[0].upper() + word[1:] for word in words)
    return name if name[:1].isalpha() else f"Policy{name}"
