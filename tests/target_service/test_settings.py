"""Settings come from options, else from the environment, else they are the default."""

import pytest

from target_service.settings import BadSettingError, read_settings
from target_service.words import Span


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CAPACITY", "PORT", "HOST", "TICK", "STATUS", "RETRY_AFTER", "ADMIN_TOKEN"):
        monkeypatch.delenv(f"AFTERSHOCK_{name}", raising=False)


def test_defaults() -> None:
    """Those of the help."""
    settings = read_settings()
    assert (settings.host, settings.port, settings.capacity) == ("127.0.0.1", 8000, 100.0)
    assert (settings.tick, settings.status, settings.retry_after) == (0.1, 503, None)
    assert settings.admin_token is None


def test_an_option_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the environment over the default; an empty variable is none."""
    monkeypatch.setenv("AFTERSHOCK_CAPACITY", "50/s")
    monkeypatch.setenv("AFTERSHOCK_TICK", "50ms")
    monkeypatch.setenv("AFTERSHOCK_ADMIN_TOKEN", "")
    monkeypatch.setenv("AFTERSHOCK_RETRY_AFTER", "2s")
    settings = read_settings(capacity="33.5/s", status="429")
    assert (settings.capacity, settings.tick, settings.status) == (33.5, 0.05, 429)
    assert (settings.retry_after, settings.admin_token) == (Span(2.0, 2.0), None)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("capacity", "100", 'as in "100/s"'),
        ("capacity", "-1/s", 'as in "100/s"'),
        ("capacity", "2000000/s", "at most 1000000/s"),
        ("port", "65536", "0 (any free one) to 65535"),
        ("port", "http", "a whole number"),
        ("port", "-1", "a whole number"),
        ("tick", "1ms", "from 10ms to 10s"),
        ("tick", "11s", "from 10ms to 10s"),
        ("status", "500", "503 or 429"),
        ("retry_after", "1.5s", "whole seconds"),
        ("retry_after", "2h", "whole seconds up to 1h"),
        ("admin_token", "two words", "without spaces"),
        ("host", "", "at least 1 character"),
    ],
)
def test_a_bad_setting_is_one_line_that_names_where_it_came_from(
    monkeypatch: pytest.MonkeyPatch, name: str, text: str, says: str
) -> None:
    """The option or the variable, and what is allowed."""
    with pytest.raises(BadSettingError) as option:
        read_settings(**{name: text})
    assert str(option.value).startswith(f"--{name.replace('_', '-')}: ")
    assert says in str(option.value)
    assert "\n" not in str(option.value)
    if text:
        monkeypatch.setenv(f"AFTERSHOCK_{name.upper()}", text)
        with pytest.raises(BadSettingError, match=f"^AFTERSHOCK_{name.upper()}: "):
            read_settings()


def test_the_token_is_in_no_printed_form() -> None:
    """Nor in the error about a bad one."""
    assert "hush" not in repr(read_settings(admin_token="hush"))
    with pytest.raises(BadSettingError) as error:
        read_settings(admin_token="hush hush")
    assert "hush" not in str(error.value)


def test_workers_need_a_capacity_to_count_by() -> None:
    """Where their service time is the app's, the capacity is what their dips are a share of."""
    with pytest.raises(BadSettingError, match="--capacity: above 0/s where there are workers"):
        read_settings(workers="2", capacity="0/s")


@pytest.mark.parametrize(
    ("alone", "said"),
    [
        ({"queue": "5"}, "--queue needs --workers"),
        ({"retry_after_as": "date"}, "--retry-after-as needs --retry-after"),
    ],
)
def test_what_says_nothing_alone_is_refused(alone: dict[str, str], said: str) -> None:
    """Rather than passed over: whoever sets it expects something of it."""
    with pytest.raises(BadSettingError, match=f"^{said}$"):
        read_settings(**alone)
