"""The link to a target and its gateways: nothing stays open of one that did not come about."""

from collections.abc import Iterable

import pytest

from faults.admin import AdminError
from faults.wire import TargetState
from loadtests import layer_watch, target_link
from loadtests.settings import Settings
from loadtests.target_link import connect

MUTE = "http://mute"


class Admin:
    """A client of a server that answers, unless it is the mute one."""

    made: list["Admin"]

    def __init__(self, url: str, _token: str | None) -> None:
        self.url, self.open = url, True
        self.made.append(self)

    def state(self) -> TargetState:
        if self.url == MUTE:
            raise AdminError(f"{self.url}: no answer")
        return TargetState(1.0, 2.0, 0.1, 10, 100.0, {}, (), "0")

    def register_lanes(self, lanes: Iterable[str]) -> None:
        pass

    def close(self) -> None:
        self.open = False


@pytest.fixture(autouse=True)
def _clients(monkeypatch: pytest.MonkeyPatch) -> None:
    Admin.made = []
    for module in (target_link, layer_watch):
        monkeypatch.setattr(module, "AdminClient", Admin)


def test_a_gateway_that_does_not_answer_leaves_nothing_open() -> None:
    """Neither the target's connection nor those of the gateways before it."""
    settings = Settings(admin_url="http://target", gateway_urls=("http://outer", MUTE))
    with pytest.raises(AdminError, match="mute: no answer"):
        connect(settings, ("a",))
    assert [admin.url for admin in Admin.made] == ["http://target", "http://outer", MUTE]
    assert not any(admin.open for admin in Admin.made)


def test_a_link_is_open_until_it_is_closed() -> None:
    """To the target and to each gateway."""
    settings = Settings(admin_url="http://target", gateway_urls=("http://outer", "http://inner"))
    link = connect(settings, ("a",))
    assert link is not None
    assert [admin.open for admin in Admin.made] == [True] * 3
    assert [layer.layer for layer in link.layers] == ["gateway 1", "gateway 2"]
    link.close()
    assert not any(admin.open for admin in Admin.made)
