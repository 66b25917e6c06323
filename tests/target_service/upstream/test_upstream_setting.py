"""Which upstreams are taken, and which are refused in one line."""

import subprocess
import sys

import pytest

from target_service.settings import BadSettingError, read_settings
from target_service.upstream.address import Address
from tests.target_service.live import LIMIT_S, clean_environment


@pytest.mark.parametrize(
    ("url", "host", "port", "prefix"),
    [
        ("http://staging:8080", "staging", 8080, b""),
        ("http://staging", "staging", 80, b""),
        ("https://staging/", "staging", 443, b""),
        ("http://[::1]:9000/api/", "::1", 9000, b"/api"),
        ("HTTP://Staging", "staging", 80, b""),
    ],
)
def test_an_upstream_is_a_url(url: str, host: str, port: int, prefix: bytes) -> None:
    """With a path that is put before every other, if it has one."""
    address = Address(url)
    assert (address.host, address.port, address.prefix) == (host, port, prefix)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "staging:8080",
        "ftp://staging",
        "http://",
        "http://:80",
        "http://a:b",
        "http://a:0",
        "http://a:99999",
        "http://a?b",
        "http://a#b",
        "http://user:word@a",
        "http://a b",
        "http://a\r\nX: y",
        "http://[::1",
        "http://é",
    ],
)
def test_what_is_no_upstream_is_refused(url: str) -> None:
    """Naming what is allowed; a password in it is not repeated."""
    with pytest.raises(BadSettingError, match="expected a URL such as http://host:8080") as told:
        read_settings(upstream=url)
    assert str(told.value).startswith("--upstream: ")
    assert "word" not in str(told.value)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1"),
        ("http://localhost:8000", "127.0.0.1"),
        ("http://127.0.0.1:8000/elsewhere", "0.0.0.0"),
        ("http://127.9.9.9:8000", "0.0.0.0"),
        ("http://0.0.0.0:8000", "127.0.0.1"),
        ("http://[::ffff:127.0.0.1]:8000", "127.0.0.1"),
        ("http://[::1]:8000", "::"),
    ],
)
def test_a_target_is_not_its_own_upstream(url: str, host: str) -> None:
    """By whatever name: every request would come back for ever."""
    with pytest.raises(BadSettingError, match="is this target itself"):
        read_settings(upstream=url, host=host)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://127.0.0.1:8001", "127.0.0.1"),
        ("http://127.0.0.2:8000", "127.0.0.1"),
        ("http://192.0.2.1:8000", "0.0.0.0"),
        ("http://nowhere.invalid:8000", "0.0.0.0"),
    ],
)
def test_another_address_is_another_service(url: str, host: str) -> None:
    """Or one that is not known yet."""
    assert read_settings(upstream=url, host=host).upstream == url


@pytest.mark.live
def test_a_bad_upstream_is_one_line_and_exit_2() -> None:
    """On the command line."""
    done = subprocess.run(
        [sys.executable, "-m", "target_service", "--upstream", "http://localhost:8000"],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        env=clean_environment(),
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == (
        "aftershock serve: --upstream: http://localhost:8000 is this target itself\n"
    )
