"""Settings of a Locust test: what a web form may change, and what it may not."""

from argparse import Namespace
from pathlib import Path

import pytest

from faults.dip import Dip
from faults.fault import ServiceFault
from faults.spike import Spike
from loadtests.arrivals import Arrivals
from loadtests.settings import GATEWAYS_VARIABLE, Launch, read_settings, take_launch

TARGET = "http://127.0.0.1:8000"


def options(**changed: object) -> Namespace:
    values = {
        "rate_per_user": "20/s", "arrivals": "poisson", "dips": "20% for 2s at 10s",
        "faults": "error status 503 share 50% for 2s at 15s",
        "spikes": "3x for 2s at 20s in a", "seed": 3,
        "runs_dir": "runs", "admin_url": "", "admin_token": "", "control_hosts": "",
        "run_time": None,
    }  # fmt: skip
    return Namespace(**{**values, **changed})


def test_the_options_become_settings() -> None:
    """In units."""
    settings = read_settings(options(run_time=42), TARGET, take_launch(options(), TARGET))
    assert (settings.rate_per_s, settings.arrivals) == (20.0, Arrivals.POISSON)
    assert settings.dips == (Dip("20%", 2.0, 10.0),)
    assert settings.faults == (ServiceFault("error", 2.0, 15.0, share=0.5, status=503),)
    assert settings.spikes == (Spike(3.0, 2.0, 20.0, ("a",)),)
    assert (settings.planned_end_s, settings.ends_by_itself) == (42.0, False)


def test_what_repeats_in_the_form_is_named_each_time() -> None:
    """And the record has what was typed."""
    text = "20% for 2s at 10s every 30s repeat 3"
    chosen = options(dips=text, spikes="3x for 2s every 5s repeat 2")
    settings = read_settings(chosen, TARGET, take_launch(chosen, TARGET))
    assert [dip.at_s for dip in settings.dips] == [10.0, 40.0, 70.0]
    assert [spike.at_s for spike in settings.spikes] == [0.0, 5.0]
    assert settings.scenario["dips"] == text


def test_the_names_of_the_control_room_are_settled_at_the_start() -> None:
    """With spaces between them."""
    launch = take_launch(options(control_hosts=" load.example  10.0.0.1:80 "), TARGET)
    assert launch.control_hosts == {"load.example", "10.0.0.1:80"}


def test_the_token_is_taken_out_of_the_options() -> None:
    """Locust sends all options to every worker, and shows some."""
    given = options(admin_token="a-secret")
    launch = take_launch(given, TARGET)
    assert given.admin_token == ""
    assert read_settings(given, TARGET, launch).admin_token == "a-secret"
    assert "a-secret" not in repr(launch)
    assert "a-secret" not in repr(read_settings(given, TARGET, launch))


def test_a_host_from_the_web_form_gets_no_token() -> None:
    """Any page that the user has open can post that form."""
    launch = take_launch(options(admin_token="a-secret"), TARGET)
    settings = read_settings(options(), "http://127.0.0.1:9999", launch)
    assert (settings.admin_url, settings.admin_token) == ("http://127.0.0.1:9999", None)


def test_what_is_settled_at_the_start_cannot_be_posted() -> None:
    """Neither the folder for runs nor the admin API's place."""
    launch = Launch(Path("runs"), "http://admin:8000", None, TARGET)
    posted = options(runs_dir="elsewhere", admin_url="http://evil.example")
    settings = read_settings(posted, TARGET, launch)
    assert (settings.runs_dir, settings.admin_url) == (Path("runs"), "http://admin:8000")


@pytest.mark.parametrize(
    ("host", "watched"),
    [
        ("http://outer:8000", ("http://outer:8000", "http://inner:8000")),
        ("http://outer:8000/", ("http://outer:8000", "http://inner:8000")),
        ("http://inner:8000", ("http://inner:8000",)),
        ("http://target:8000", ()),
        ("http://evil.example", ()),
    ],
)
def test_the_host_says_which_gateways_the_load_passes(
    host: str, watched: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that the process was started with, from there inwards; the admin API stays."""
    monkeypatch.setenv(GATEWAYS_VARIABLE, "http://outer:8000 http://inner:8000/")
    launch = Launch(Path("runs"), "http://target:8000", "a-secret", "http://outer:8000")
    settings = read_settings(options(), host, launch)
    assert settings.gateway_urls == watched
    assert (settings.admin_url, settings.admin_token) == ("http://target:8000", "a-secret")


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"rate_per_user": "many"}, "rate per user: 'many' is not a rate per second"),
        ({"rate_per_user": "0/s"}, "rate per user: '0/s' is no load: expected more than 0/s"),
        ({"arrivals": "bursty"}, "arrivals: 'bursty' is not a valid Arrivals"),
        ({"dips": "20%"}, "dips: '20%' is not a dip"),
        ({"faults": "fire for 2s"}, "faults: in the fault 'fire for 2s': type: 'fire' is not"),
        ({"spikes": "3 for 2s"}, "spikes: in the spike '3 for 2s': factor: '3' is not"),
        ({"dips": "20% for ever"}, "dips: .*for: 'ever' is not a duration"),
    ],
)
def test_a_bad_option_is_named(changed: dict[str, object], says: str) -> None:
    """With what is allowed."""
    with pytest.raises(ValueError, match=says):
        read_settings(options(**changed), TARGET, take_launch(options(), TARGET))
