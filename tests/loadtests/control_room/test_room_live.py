"""The control room of a real Locust, in front of a real target."""

import http.client
import json
import os
import re
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from loadtests.control_room.entry.headers import PAGE_POLICY, SECURITY
from tests.loadtests.control_room.room_live import LiveRoom, a_room
from tests.loadtests.live import LOCUSTFILE
from tests.real import eventually
from tests.target_service.live import live_target

pytestmark = pytest.mark.live

TOKEN = "a-token-that-nobody-must-see"
HOSTILE = "<script>alert(1)</script>"
OWN = f"""
from locust import task
from loadtests.users import OpenLoopUser, preset

class Hostile(OpenLoopUser):
    retry_policy = preset("full-jitter")
    lane = {HOSTILE!r}
    rate_per_s = 20

    @task
    def work(self):
        self.client.get("/work")
"""
DIP = {"capacity": "20%", "for": "1s"}
FOLLOWED = {
    "Sec_Fetch_Site": "cross-site",
    "Sec_Fetch_Mode": "navigate",
    "Sec_Fetch_Dest": "document",
}
"""Somebody follows a link on another site."""


def dips_at(target: str) -> list[dict[str, object]]:
    """What the target itself says, asked with the token."""
    asked = Request(f"{target}/admin/dips", headers={"Authorization": f"Bearer {TOKEN}"})  # noqa: S310 - ours, on loopback
    with urlopen(asked, timeout=10) as answer:  # noqa: S310
        dips = json.load(answer)
    assert isinstance(dips, list)
    return dips


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveRoom]:
    """For all tests that need no login; under a base path, with a lane of a hostile name."""
    folder = tmp_path_factory.mktemp("room")
    (folder / "mine.py").write_text(OWN)
    secret = {"AFTERSHOCK_ADMIN_TOKEN": TOKEN}
    with live_target(**secret) as target:
        options = ("-f", "mine.py", "--control-hosts", "load.example")
        with a_room(folder, target.url, *options, base="/load", **secret) as room:
            yield room
            log = room.log.read_text()
    assert "Traceback" not in log
    for answer in room.answers:
        assert TOKEN not in answer.text
        assert TOKEN not in str(answer.headers)
    assert TOKEN not in log


def test_the_page_and_its_files(room: LiveRoom) -> None:
    """Nothing of it may be read by another page."""
    page = room.ask("/aftershock/", "GET", None, **FOLLOWED)
    assert page.status == 200
    assert "script-src 'self'" in page.headers["Content-Security-Policy"]
    assert "<style" not in page.text
    for name in ("room.css", "palette.css", "room.js", "plotly.min.js"):
        found = room.ask(f"/aftershock/assets/{name}", Origin=room.origin)
        assert found.status == 200
        assert "Access-Control-Allow-Origin" not in found.headers
        assert found.headers["Cache-Control"] == "no-cache"
    stamped = re.findall(r'"(assets/[^"]+\?v=[^"]*)"', page.text)
    assert len(stamped) == 4
    for path in stamped:
        assert "immutable" in room.ask(f"/aftershock/{path}").headers["Cache-Control"]
    for path in ("assets/x.js", "assets/..%2fweb.py", "assets/room.html.j2", "runs/x/y", "nope"):
        assert room.ask(f"/aftershock/{path}").status == 404
    assert room.ask("/aftershock").status in {301, 308}


def test_a_dip_that_is_asked_for_twice_begins_once(room: LiveRoom) -> None:
    """As the target says."""
    before = len(dips_at(room.target))
    first = room.act("dip", key="twice", **DIP)
    again = room.act("dip", key="twice", **DIP)
    assert first.status == again.status == 200
    assert again.json() == {**first.json(), "again": True}
    [dip] = dips_at(room.target)[before:]
    assert dip["id"] == first.json()["id"]
    log = room.live()["log"]
    assert isinstance(log, list)
    assert [entry["text"] for entry in log].count(first.json()["said"]) == 1


def test_all_that_can_be_done(room: LiveRoom) -> None:
    """Each verb at a real target; what is planned can be ended."""
    ids = []
    for verb, fields in (
        ("fault", {"type": "latency", "add": "10ms", "for": "1m", "after": "1h"}),
        ("shed", {"share": "1%", "for": "1m", "after": "1h"}),
        ("block-retries", {"for": "1m", "after": "1h"}),
        ("reopen", {"after": "1h", "for": "1m"}),
        ("dip", {"capacity": "0/s", "for": "1m", "after": "1h"}),
    ):
        answer = room.act(verb, key=f"all-{verb}", **fields)
        assert answer.status == 200, answer.text
        ids.append(str(answer.json()["id"]))
    for planned in ids:
        ended = room.act("end", key=f"end-{planned}", id=planned)
        assert "is cancelled: it never begins" in str(ended.json()["said"])
    assert room.act("capacity", key="c", capacity="90/s").status == 200

    def capacity() -> bool:
        target = room.live()["target"]
        return isinstance(target, dict) and target["capacity_per_s"] == 90

    eventually(capacity, "the capacity that was set")
    assert room.act("reset", key="r").status == 200


def test_what_the_target_does_not_take_is_told_in_its_words(room: LiveRoom) -> None:
    answer = room.act("dip", key="lane", **DIP, lanes=["nowhere"])
    assert (answer.status, answer.json()["field"]) == (400, "lanes")
    assert str(answer.json()["error"]).startswith("there is no lane 'nowhere'; there are: ")
    workers = room.act("dip", key="workers", workers=1, **{"for": "2s"})
    assert (workers.status, workers.json()["field"]) == (400, "workers")
    assert workers.json()["said"] == "Dip refused: this target has no workers: give a capacity"
    much = room.act("capacity", key="much", capacity="9000000/s")
    assert (much.status, much.json()["field"]) == (400, "capacity")
    gone = room.act("end", key="gone", id="dip-999")
    assert (gone.status, "dip-999" in str(gone.json()["error"])) == (400, True)


def test_who_may_act(room: LiveRoom) -> None:
    """Only our own page, by a name that is ours; and nobody else has begun anything."""
    before = dips_at(room.target)
    body = json.dumps({"key": "guard", **DIP}).encode()
    kind = {"Content_Type": "application/json"}
    path = "/aftershock/act/dip"
    ours = {"Origin": room.origin}
    for headers, said in (
        ({**kind, "Origin": "http://evil.example"}, "another origin"),
        (kind, "must say that our own page asks"),
        ({**kind, **ours, "Sec_Fetch_Site": "cross-site"}, "another page"),
        ({**ours, "Content_Type": "text/plain"}, "application/json"),
        ({**kind, "Host": "evil.example", "Origin": "http://evil.example"}, "--control-hosts"),
    ):
        answer = room.ask(path, "POST", body, **headers)
        assert answer.status == 403
        assert said in str(answer.json()["error"])
        assert str(answer.json()["said"]).startswith("Dip refused: ")
        assert "Access-Control-Allow-Origin" not in answer.headers
    preflight = {"Origin": "http://evil.example", "Access_Control_Request_Method": "POST"}
    asked = room.ask(path, "OPTIONS", None, **preflight)
    assert asked.status == 403
    assert not [name for name in asked.headers if name.startswith("Access-Control")]
    assert room.ask("/aftershock/live", Origin="http://evil.example").status == 403
    assert dips_at(room.target) == before
    named = {**kind, "Host": "load.example", "Origin": "https://load.example"}
    assert room.ask(path, "POST", body, **named).status == 200


SPELLINGS = (
    "{}/",
    "/{}/",
    "///{}//",
    "{}//live",
    "/{}/nope",
    "//{}",
    "/%2F{}/",
    "%2F{}/",
    "/.{}/",
    "/x/..{}/",
    "{}/./live",
    "{}/../aftershock/",
    "{}%2F",
    "{}%00/",
    "{};x/",
    "{}?x",
    "{}%c0%af/",
    "http://127.0.0.1{}/",
    "http://evil.example/{}/",
)
"""Of the control room's paths, and of what is none of them."""


def assert_none_is_open(room: LiveRoom) -> None:
    """However its path is spelled, what is ours has the same headers; what has not is not there."""
    expected = {**SECURITY, "Access-Control-Allow-Origin": None}
    ours = f"{room.base}/aftershock"
    percent = "".join(f"%{ord(letter):02x}" for letter in "aftershock")
    for spelling in (
        *(spelling.format(ours) for spelling in SPELLINGS),
        ours.replace("/", "//") + "/",
        ours.replace("/", "/./") + "/",
        f"/{room.base}/{percent}/",
        f"{room.base}%2Faftershock/",
    ):
        answer = room.ask_raw(spelling)
        if {name: answer.headers.get(name) for name in expected} != expected:
            assert answer.status in {400, 404}, spelling
            assert "Control room" not in answer.text


def test_a_path_that_is_spelled_oddly_opens_nothing(room: LiveRoom) -> None:
    """The router takes several slashes for one: so does what seals the answers."""
    assert_none_is_open(room)
    for odd in ("/{}/", "///{}/live", "/%2F{}/runs.json"):
        answer = room.ask_raw(odd.format("/load/aftershock"))
        assert answer.status == 200
        assert answer.headers["Content-Security-Policy"] == PAGE_POLICY


def test_who_may_read(room: LiveRoom) -> None:
    """Nobody by a name that is not ours, and another site no more than link to our pages."""
    run = "/aftershock/runs/20261130-101500"
    linked = {"": 200, "runs": 200, "newest": 404}
    others = ("live", "runs.json", "so-far", "metrics", "assets/room.js")
    for path, status in linked.items():
        assert room.ask(f"/aftershock/{path}", "GET", None, **FOLLOWED).status == status
        framed = {**FOLLOWED, "Sec_Fetch_Dest": "iframe"}
        assert room.ask(f"/aftershock/{path}", "GET", None, **framed).status == 403
    assert room.ask(f"{run}/report.html", "GET", None, **FOLLOWED).status == 404
    for path in (f"{run}/record.ndjson", f"{run}/ticks.csv", *(f"/aftershock/{x}" for x in others)):
        assert room.ask(path, "GET", None, **FOLLOWED).status == 403
    for path in (*linked, *others, "runs/20261130-101500/record.ndjson"):
        by_name = room.ask(f"/aftershock/{path}", Host=f"evil.example:{room.port}")
        assert (by_name.status, "--control-hosts" in by_name.text) == (403, True)
        assert room.ask(f"/aftershock/{path}", Host="load.example").status != 403
    bearer = {"Host": "locust.default.svc:8089", "Authorization": f"Bearer {TOKEN}"}
    assert room.ask("/aftershock/metrics", "GET", None, **bearer).status == 200
    assert room.ask("/aftershock/live", "GET", None, **bearer).status == 403


def test_what_makes_no_sense(room: LiveRoom) -> None:
    """Too large, no such verb, no object; each is told as JSON."""
    kind = {"Content_Type": "application/json", "Origin": room.origin}
    for verb, body, status in (
        ("dip", b"x" * 16_385, 413),
        ("dip", b"[]", 400),
        ("explode", b"{}", 404),
    ):
        answer = room.ask(f"/aftershock/act/{verb}", "POST", body, **kind)
        assert answer.status == status
        assert {"error", "field"} <= answer.json().keys()
    for query in ("window=2h", "after=x", "seen=1.5"):
        answer = room.ask(f"/aftershock/live?{query}")
        assert (answer.status, "error" in answer.json()) == (400, True)


def test_a_run_with_a_hostile_lane(room: LiveRoom) -> None:
    """From the form to the report: the lane's name is escaped wherever it is shown."""
    form = {"user_count": "1", "spawn_rate": "1", "host": room.target, "rate_per_user": "20/s"}
    assert room.form("/swarm", **form).json()["success"]

    def counted() -> list[dict[str, object]] | None:
        lanes = room.live()["lanes"]
        assert isinstance(lanes, list)
        return lanes if lanes and lanes[0]["requests"] else None

    [lane] = eventually(counted, "requests that are counted")
    assert lane["name"] == HOSTILE
    so_far = room.ask("/aftershock/so-far")
    assert so_far.status == 200
    rows = room.ask("/stats/requests").json()["extended_stats"]
    assert HOSTILE in json.dumps(rows)
    assert "aftershock_requests_total" in room.ask("/aftershock/metrics").text
    reset = room.act("reset", key="while it goes on")
    assert str(reset.json()["said"]).endswith("the run that is being recorded will not be valid")
    room.form("/stop")
    eventually(lambda: room.ask("/aftershock/newest").status == 302, "a report")
    listed = room.ask("/aftershock/runs.json").json()["runs"]
    assert isinstance(listed, list)
    [run] = listed
    assert (run["state"], run["lanes"]) == ("finished", [HOSTILE])
    assert run["verdict"] == "not valid"
    runs = room.ask("/aftershock/runs")
    files = {name: room.ask(f"/aftershock/runs/{run['id']}/{name}") for name in run["files"]}
    assert {name: file.status for name, file in files.items()} == dict.fromkeys(
        ["report.html", "report.json", "record.ndjson", "ticks.csv", "requests.csv"], 200
    )
    for page in (so_far, runs, files["report.html"]):
        assert HOSTILE not in page.text
        assert "alert(1)" in page.text
    assert HOSTILE in files["ticks.csv"].text
    assert files["ticks.csv"].text.startswith("tick,time_s,lane,")
    assert "script-src" not in files["report.html"].headers["Content-Security-Policy"]


LINE = b'{"kind":"tick","seq":1,"t_s":0.0,"lane":"a","capacity_per_s":1.0,"offered":[0,1]}\n'
OLD = "20200101-000000"


@pytest.fixture
def long_record(room: LiveRoom) -> Iterator[Path]:
    """Of an old run: its tables are longer than what a connection holds."""
    run = room.log.parent / "runs" / OLD
    run.mkdir(parents=True)
    (run / "record.ndjson").write_bytes(LINE * 300_000 + b"half")
    yield run / "record.ndjson"
    shutil.rmtree(run)


def test_one_table_is_sent_at_a_time(room: LiveRoom, long_record: Path) -> None:
    """So that no number of downloads takes the machine from the load."""
    path = f"/aftershock/runs/{OLD}/ticks.csv"
    slow = http.client.HTTPConnection("127.0.0.1", room.port, timeout=30)
    slow.sock = socket.socket()
    slow.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.sock.connect(("127.0.0.1", room.port))
    try:
        slow.request("GET", room.base + path)
        assert slow.getresponse().status == 200
        for name in ("ticks.csv", "requests.csv"):
            refused = room.ask(f"/aftershock/runs/{OLD}/{name}")
            assert (refused.status, refused.headers["Retry-After"]) == (503, "2")
            assert "another table is being sent" in refused.text
    finally:
        slow.close()
    eventually(lambda: room.ask(path, "HEAD").status == 200, "the next one's turn")


def test_a_record_that_grows_is_sent_up_to_its_last_whole_line(
    room: LiveRoom, long_record: Path
) -> None:
    """As many bytes as were told, however much is added; and the connection goes on."""
    connection = http.client.HTTPConnection("127.0.0.1", room.port, timeout=30)
    path = f"{room.base}/aftershock/runs/{OLD}/record.ndjson"
    try:
        for _ in range(2):
            connection.request("GET", path)
            answer = connection.getresponse()
            assert answer.status == 200
            assert answer.headers["Cache-Control"] == "no-store"
            with long_record.open("ab") as file:
                file.write(b"\n" + LINE)
            assert int(answer.headers["Content-Length"]) == len(answer.read())
    finally:
        connection.close()
    assert room.ask(f"/aftershock/runs/{OLD}/record.ndjson").body.endswith(LINE)
    assert room.ask("/aftershock/runs/20200101-000001/record.ndjson").status == 404


@pytest.mark.parametrize(
    ("header", "state"),
    [
        ('{"anchor_epoch_s":NaN,"lanes":[]}', "unreadable"),
        (f'{{"anchor_epoch_s":1{"0" * 4_000},"lanes":[]}}', "unreadable"),
        ('{"anchor_epoch_s":0,"lanes":[{"lane":"\\ud800"}]}', "cut off"),
    ],
)
def test_a_record_that_makes_no_sense_takes_no_run_from_the_list(
    room: LiveRoom, long_record: Path, header: str, state: str
) -> None:
    """It is listed as what it is."""
    long_record.write_text(header + "\n")
    os.utime(long_record, (0, 0))
    runs = room.ask("/aftershock/runs.json").json()["runs"]
    assert isinstance(runs, list)
    assert [run["state"] for run in runs if run["id"] == OLD] == [state]
    page = room.ask("/aftershock/runs")
    assert (page.status, OLD in page.text, state in page.text) == (200, True, True)


def test_locusts_own_page_links_here(room: LiveRoom) -> None:
    """By the link at its end, among its downloads, and with the table of policies."""
    page = room.ask("/").text
    assert '<a href="/load/aftershock/"' in page
    for said in ("Control room: dips and live charts", "Retry policies", "/load/aftershock/runs"):
        assert said in page


LOGIN = (
    LOCUSTFILE.read_text()
    + """
from flask import Blueprint, redirect, request, url_for
from flask_login import UserMixin, login_user
from locust import events


class Person(UserMixin):
    def get_id(self):
        return "somebody"


@events.init.add_listener
def with_login(environment, **_):
    web_ui = environment.web_ui
    web_ui.app.config["SECRET_KEY"] = "only for this test"
    web_ui.login_manager.user_loader(lambda name: Person())
    web_ui.auth_args = {"username_password_callback": "/login_submit"}
    auth = Blueprint("auth", "auth")

    @auth.post("/login_submit")
    def submit():
        if request.form["password"] == "right":
            login_user(Person())
        return redirect(url_for("locust.index"))

    web_ui.app.register_blueprint(auth)
"""
)


def test_with_a_login_nothing_is_there_without_it(tmp_path: Path) -> None:
    """Prometheus, which cannot log in, has the admin token."""
    (tmp_path / "login.py").write_text(LOGIN)
    secret = {"AFTERSHOCK_ADMIN_TOKEN": TOKEN}
    with live_target(**secret) as target:
        with a_room(tmp_path, target.url, "-f", "login.py", "--web-login", **secret) as room:
            for path in ("live", "runs.json", "metrics"):
                assert room.ask(f"/aftershock/{path}").status == 401
            for path in ("", "runs", "newest", "so-far", "assets/room.js"):
                answer = room.ask(f"/aftershock/{path}")
                led_to = f"/login?next=/aftershock/{path}"
                assert (answer.status, answer.headers["Location"]) == (302, led_to)
            asked = room.ask("/aftershock/runs?x=//evil.example").headers["Location"]
            assert asked == "/login?next=/aftershock/runs?x%3D//evil.example"
            assert room.act("dip", key="x", **DIP).status == 401
            assert dips_at(target.url) == []
            bearer = {"Authorization": f"Bearer {TOKEN}"}
            assert room.ask("/aftershock/metrics", "GET", None, **bearer).status == 200
            assert room.ask("/aftershock/live", "GET", None, **bearer).status == 401
            wrong = {"Authorization": "Bearer wrong"}
            assert room.ask("/aftershock/metrics", "GET", None, **wrong).status == 401

            entered = room.form("/login_submit", password="right")
            name, _, value = entered.headers["Set-Cookie"].partition(";")[0].partition("=")
            room.cookies[name] = value
            for path in ("", "live", "runs", "runs.json", "metrics", "assets/room.js"):
                assert room.ask(f"/aftershock/{path}").status == 200
            assert room.ask("/aftershock/newest").status == 404
            assert room.act("dip", key="x", **DIP).status == 200
            assert len(dips_at(target.url)) == 1


def test_a_login_that_nobody_has_set_up_lets_nobody_in(tmp_path: Path) -> None:
    """Locust's own pages say so too."""
    with live_target() as target:
        with a_room(tmp_path, target.url, "-f", str(LOCUSTFILE), "--web-login") as room:
            for path in ("", "live", "metrics"):
                answer = room.ask(f"/aftershock/{path}")
                assert (answer.status, "sets up no login" in answer.text) == (500, True)
            assert room.act("dip", key="x", **DIP).status == 500
            assert dips_at(target.url) == []


def test_a_target_that_is_not_there(tmp_path: Path) -> None:
    """Both the page and the act say so by its address."""
    with a_room(tmp_path, "http://127.0.0.1:1", "-f", str(LOCUSTFILE)) as room:
        assert_none_is_open(room)
        answer = room.act("dip", key="x", **DIP)
        assert answer.status == 502
        assert "no target answers at http://127.0.0.1:1" in str(answer.json()["error"])
        found = eventually(
            lambda: room.live()["target"] if room.live()["version"] else None, "a poll"
        )
        assert isinstance(found, dict)
        assert (found["reachable"], "127.0.0.1:1" in found["problem"]) == (False, True)
        assert room.ask("/aftershock/so-far").status == 302
        assert room.ask("/aftershock/newest").status == 404
