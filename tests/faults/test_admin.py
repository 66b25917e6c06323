"""The admin client against servers that are no target, go away or close idle connections."""

import json
from collections.abc import Callable

import pytest

from faults.admin import (
    AdminClient,
    AdminError,
    AdminUnreachableError,
    ClockOffset,
    FieldProblem,
    GatewayError,
    NotATargetError,
    TargetError,
    clock_offset,
)
from faults.dip import Dip
from tests.faults.stub import Stub, http_answer

STATE = {
    "now_s": 1.5,
    "epoch_s": 1e9,
    "tick_s": 0.1,
    "seq": 15,
    "capacity_per_s": 100.0,
    "lanes": {"a": {"capacity_per_s": 100.0, "in_force_per_s": 20.0}},
    "dips": [],
    "version": "0.1.0",
    "a field of a later version": 1,
}
STATE_ANSWER = http_answer(200, json.dumps(STATE).encode())


def test_the_state_is_read_and_later_fields_are_no_error() -> None:
    """The token goes along, and not to the error text."""
    with Stub([[STATE_ANSWER]]).running() as stub:
        state = AdminClient(stub.url, "hush").state()
    assert (state.now_s, state.seq, state.lanes["a"].in_force_per_s) == (1.5, 15, 20.0)
    assert b"Authorization: Bearer hush\r\n" in stub.requests[0]


def test_a_connection_the_server_closed_while_idle_is_opened_again() -> None:
    """Without anybody noticing."""
    with Stub([[STATE_ANSWER], [STATE_ANSWER]]).running() as stub:
        client = AdminClient(stub.url)
        assert client.state() == client.state()
    assert len(stub.requests) == 2


def test_a_dip_is_never_asked_for_twice() -> None:
    """The connection breaks after the request was sent: the dip may have been made."""
    dip = {"error": "x", "message": "y"}
    with Stub(
        [[STATE_ANSWER, STATE_ANSWER], [b""], [http_answer(500, json.dumps(dip).encode())]]
    ).running() as stub:
        client = AdminClient(stub.url)
        client.state()
        with pytest.raises(AdminUnreachableError):
            client.begin_dip(Dip("20%", 2.0))
        posts = [request for request in stub.requests if request.startswith(b"POST")]
        client.close()
        with pytest.raises(AdminError):
            client.state()
    assert len(posts) == 1


def test_nothing_listening_is_unreachable() -> None:
    """The error names the URL."""
    with Stub([]).running() as stub:
        url = stub.url
    with pytest.raises(AdminUnreachableError, match=url) as error:
        AdminClient(url, "hush").state()
    assert "hush" not in str(error.value)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, b"<html>hello</html>"),
        (200, b"{}"),
        (200, b"[]"),
        (200, b"null"),
        (200, b'{"now_s": "soon"}'),
        (200, b"\xff"),
        (302, b""),
        (503, b""),
    ],
)
def test_another_server_is_not_a_target(status: int, body: bytes) -> None:
    """Whatever it answers."""
    with Stub([[http_answer(status, body)]]).running() as stub:
        with pytest.raises(NotATargetError, match="is no Aftershock target") as error:
            AdminClient(stub.url).state()
    assert error.value.status == status


NOTHING = json.dumps({"error": "not-found", "message": "there is nothing here"}).encode()


@pytest.mark.parametrize("body", [b"not found", b'{"detail":"Not Found"}', NOTHING])
def test_where_no_admin_api_is_it_is_said_where_to_look(body: bytes) -> None:
    """An app with its gate off, one whose gate has its API elsewhere, a path below a target."""
    with Stub([[http_answer(404, body)]]).running() as stub:
        with pytest.raises(NotATargetError) as error:
            AdminClient(f"{stub.url}/work").state()
    said = str(error.value)
    assert said.startswith(f"{stub.url}/work/admin/state answers 404, so no admin API")
    assert all(
        word in said for word in (f"{stub.url}/aftershock", "--admin-url", "AFTERSHOCK_GATE")
    )
    assert error.value.status == 404


def test_a_gateway_is_called_one() -> None:
    """It tells its state, and has nothing that could be dipped."""
    answers = [[STATE_ANSWER], [http_answer(404, NOTHING)], [STATE_ANSWER]]
    with Stub(answers).running() as stub:
        client = AdminClient(stub.url)
        client.state()
        with pytest.raises(GatewayError, match=f"{stub.url} is a gateway.*name the target"):
            client.begin_dip(Dip("20%", 2.0))
        client.close()


def test_nothing_below_a_path_is_no_gateway() -> None:
    """Whatever is asked first."""
    with Stub([[http_answer(404, NOTHING)] * 2]).running() as stub:
        client = AdminClient(f"{stub.url}/work")
        with pytest.raises(NotATargetError, match="so no admin API"):
            client.dips()
        client.close()


def test_something_that_is_not_http_is_unreachable() -> None:
    """An SSH server, say."""
    with Stub([[b"SSH-2.0-x\r\n"]]).running() as stub:
        with pytest.raises(AdminUnreachableError):
            AdminClient(stub.url).state()


def test_a_server_that_never_answers_is_given_up() -> None:
    """After the time that was given."""
    with Stub([[b"", b""]]).running() as stub:
        client = AdminClient(stub.url, timeout_s=0.05)
        with pytest.raises(AdminUnreachableError, match="timed out"):
            client.state()


def test_the_servers_sentence_and_status_are_in_the_error() -> None:
    """With the URL."""
    body = json.dumps({"error": "unknown-dip", "message": "there is no such dip"}).encode()
    with Stub([[http_answer(404, body)]]).running() as stub:
        with pytest.raises(
            AdminError, match="answers 404: unknown-dip: there is no such dip"
        ) as error:
            AdminClient(stub.url).end_dip("dip/9?x")
    assert error.value.status == 404
    assert error.value.said == TargetError("unknown-dip", "there is no such dip")
    assert stub.requests[0].startswith(b"DELETE /admin/dips/dip%2F9%3Fx HTTP/1.1\r\n")


def test_a_token_that_is_missing_is_told_where_it_is_looked_for() -> None:
    """To whoever asked: every verb takes it alike."""
    body = json.dumps({"error": "token-needed", "message": "send the header"}).encode()
    with Stub([[http_answer(401, body)]]).running() as stub:
        with pytest.raises(AdminError, match=r"token-needed: .*AFTERSHOCK_ADMIN_TOKEN.* --token"):
            AdminClient(stub.url).state()


def test_the_fields_that_the_server_does_not_take_are_in_the_error() -> None:
    """Each with what is wrong with it; another server has none."""
    problem = {"field": "workers", "problem": "this target has no workers: give a capacity"}
    body = {"error": "bad-input", "message": "workers: …", "fields": [problem]}
    foreign = http_answer(422, b'{"detail": "x"}')
    with Stub([[http_answer(422, json.dumps(body).encode()), foreign]]).running() as stub:
        client = AdminClient(stub.url)
        with pytest.raises(AdminError, match="answers 422: bad-input: workers: …") as error:
            client.begin_dip(Dip(None, 2.0, workers=1))
        with pytest.raises(NotATargetError) as not_ours:
            client.state()
        client.close()
    assert error.value.said is not None
    assert error.value.said.fields == (FieldProblem(**problem),)
    assert not_ours.value.said is None


def test_ticks_are_asked_for_page_by_page() -> None:
    """A full page is not the last one."""

    def page(first: int, count: int) -> bytes:
        ticks = (
            {"seq": seq, "t_s": seq / 10, "lag_s": 0, "cpu_s": 0, "lanes": {}}
            for seq in range(first, first + count)
        )
        return http_answer(200, "".join(json.dumps(tick) + "\n" for tick in ticks).encode())

    with Stub([[page(5, 600), page(605, 3)]]).running() as stub:
        rows = AdminClient(stub.url).ticks(4)
    assert [row.seq for row in rows] == list(range(5, 608))
    assert [request.split()[1] for request in stub.requests] == [
        b"/admin/ticks?after=4",
        b"/admin/ticks?after=604",
    ]


def test_a_path_before_the_api_is_kept_and_proxies_are_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The target may be behind a prefix; a proxy of the environment is none of our business."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    with Stub([[STATE_ANSWER]]).running() as stub:
        AdminClient(f"{stub.url}/target/").state()
    assert stub.requests[0].startswith(b"GET /target/admin/state ")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:8000",
        "ftp://x",
        "http://",
        "http://x:port",
        "http://x:70000",
        "http://[",
        "http://u:hush@x",
    ],
)
def test_a_bad_url_is_a_value_error(url: str) -> None:
    """Before anything is sent, and without repeating a password."""
    with pytest.raises(ValueError, match=r"http://127\.0\.0\.1:8000") as error:
        AdminClient(url)
    assert "hush" not in str(error.value)


@pytest.mark.parametrize("token", ["hush\n", "hush hush", "h\u00fcsh", "\u5bc6hush"])
def test_a_token_that_no_header_can_carry_is_a_value_error(token: str) -> None:
    """Before anything is sent, and without repeating it."""
    with pytest.raises(ValueError, match="token: a token is printable ASCII") as error:
        AdminClient("http://127.0.0.1:1", token)
    assert "hush" not in str(error.value)


class StateAt:
    """A client whose exchanges take a given time each way, on a clock that only it moves."""

    def __init__(self, ways_s: list[tuple[float, float]], target_ahead_s: float) -> None:
        self.now_s = 100.0
        self._ways_s = iter(ways_s)
        self._ahead_s = target_ahead_s

    def clock(self) -> float:
        return self.now_s

    def state(self) -> object:
        there_s, back_s = next(self._ways_s)
        self.now_s += there_s
        seen = type("State", (), {"now_s": self.now_s + self._ahead_s})
        self.now_s += back_s
        return seen


def offset_of(ways_s: list[tuple[float, float]]) -> ClockOffset:
    """The offset found from these exchanges with a target 60 s behind."""
    client = StateAt(ways_s, -60.0)
    clock: Callable[[], float] = client.clock
    return clock_offset(client, samples=len(ways_s), clock=clock)  # type: ignore[arg-type]


def test_the_clock_offset_is_that_of_the_quickest_exchange() -> None:
    """Slow ones, and their lopsidedness, do not count."""
    found = offset_of([(0.5, 0.0), (0.001, 0.001), (0.0, 0.9)])
    assert found.offset_s == pytest.approx(60.0)
    assert found.rtt_s == pytest.approx(0.002)


def test_the_clock_offset_is_off_by_half_the_round_trip_at_most() -> None:
    """However lopsided the exchange."""
    for there_s, back_s in ((0.0, 0.2), (0.2, 0.0), (0.05, 0.15)):
        found = offset_of([(there_s, back_s)])
        assert abs(found.offset_s - 60.0) <= found.rtt_s / 2 + 1e-9
