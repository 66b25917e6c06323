"""What is asked for is checked before anything is sent; secrets are not shown."""

import pytest

from loadtests.calibration.request import parse_request


@pytest.mark.parametrize(
    ("target", "path", "origin", "chosen"),
    [
        ("http://h:8000", None, "http://h:8000", "/"),
        ("http://h:8000/", "/work?x=1", "http://h:8000", "/work?x=1"),
        ("https://h/a/b?c=d#e", None, "https://h", "/a/b?c=d"),
        ("http://[::1]:80/a", None, "http://[::1]:80", "/a"),
    ],
)
def test_the_path_stands_in_the_url_or_beside_it(
    target: str, path: str | None, origin: str, chosen: str
) -> None:
    """The query belongs to it."""
    request = parse_request(target, path, "get", [])
    assert (request.origin, request.path, request.method) == (origin, chosen, "GET")
    assert request.url == origin + chosen


@pytest.mark.parametrize(
    ("target", "local"),
    [
        ("http://localhost:1", True),
        ("http://127.0.0.1", True),
        ("http://[::1]:80/a", True),
        ("http://127.0.0.1.example.com", False),
        ("http://staging", False),
    ],
)
def test_whether_it_is_this_machine(target: str, local: bool) -> None:
    """By its name, without asking anybody."""
    assert parse_request(target, None, "GET", []).local == local


@pytest.mark.parametrize(
    ("target", "path", "method", "headers", "said"),
    [
        ("h:8000", None, "GET", [], "--target: .* put http:// or https:// before it"),
        ("ftp://h", None, "GET", [], "--target: "),
        ("http://h:/", None, "GET", [], "--target: "),
        ("http://h:99999", None, "GET", [], "--target: "),
        ("http://[::1", None, "GET", [], "--target: "),
        ("http://u:secret@h", None, "GET", [], "--target: no user in the URL"),
        ("http://h/a", "/b", "GET", [], "--path: the target's URL has a path already"),
        ("http://h", "b", "GET", [], "--path: "),
        ("http://h", "/a b", "GET", [], "--path: .*%20"),
        ("http://h", "/a\r\nX: y", "GET", [], "--path: "),
        ("http://h", None, "GET /", [], "--method: "),
        ("http://h", None, "GET", ["secret"], "--header: one without a colon"),
        ("http://h", None, "GET", ["A: b\r\nC: d"], "--header: the one named 'A'"),
        ("http://h", None, "GET", ["Host: x"], "--header: Host is set by the sender"),
        ("http://h", None, "GET", ["A: b"] * 51, "--header: expected at most 50"),
    ],
)
def test_what_is_wrong_is_named_with_its_option(
    target: str, path: str | None, method: str, headers: list[str], said: str
) -> None:
    """And never with what may be a secret."""
    with pytest.raises(ValueError, match=said) as refused:
        parse_request(target, path, method, headers)
    assert "secret" not in str(refused.value)


def test_headers_are_not_shown() -> None:
    """They may hold tokens."""
    request = parse_request("http://h", None, "GET", ["Authorization: Bearer secret"])
    assert request.headers == {"Authorization": "Bearer secret"}
    assert "secret" not in repr(request)
