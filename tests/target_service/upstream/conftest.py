"""Proxies that the tests of this folder share."""

from collections.abc import Iterator

import pytest

from tests.target_service.live import LiveTarget, live_target
from tests.target_service.upstream.calls import OPEN, call
from tests.target_service.upstream.handmade import Handmade
from tests.target_service.upstream.upstreams import by_hand, service


@pytest.fixture(scope="package")
def proxy() -> Iterator[LiveTarget]:
    """A proxy in front of a FastAPI app under uvicorn."""
    with service() as url, live_target("--upstream", url, "--capacity", OPEN) as started:
        yield started


@pytest.fixture(scope="package")
def handmade() -> Iterator[tuple[Handmade, LiveTarget]]:
    """An upstream made by hand, and a proxy in front of it."""
    act = Handmade()
    with by_hand(act) as upstream:
        with live_target("--upstream", upstream.url, "--capacity", OPEN) as started:
            yield act, started


@pytest.fixture
def upstream(handmade: tuple[Handmade, LiveTarget]) -> Handmade:
    """The upstream made by hand, which has seen nothing, as its proxy has."""
    call(handmade[1], "POST", "/admin/reset")
    handmade[0].heads.clear()
    handmade[0].left = 0
    return handmade[0]


@pytest.fixture
def front(upstream: Handmade, handmade: tuple[Handmade, LiveTarget]) -> LiveTarget:
    """The proxy in front of it."""
    return handmade[1]
