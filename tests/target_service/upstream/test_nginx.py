"""The client and the proxy in front of a real nginx."""

import asyncio
import hashlib
import http.client
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadtests.processes import free_port
from target_service.upstream import UpstreamClient, UpstreamError, UpstreamErrorKind
from tests.real import program
from tests.target_service.live import LiveTarget, live_target
from tests.target_service.upstream.calls import OPEN, call, connection, told
from tests.target_service.upstream.raw import run
from tests.target_service.upstream.upstreams import nginx

pytestmark = pytest.mark.live

SERVER = """
    location = /which { return 200 "$connection $connection_requests"; }
    location = /short { keepalive_timeout 0; return 200 "last"; }
    location = /small { client_max_body_size 1k; proxy_pass http://127.0.0.1:1; }
    location = /gateway { proxy_pass http://127.0.0.1:1; }
    gzip_proxied any; gzip_min_length 1; gzip_types *;
    location = /packed { gzip on; try_files /file =404; }
"""
CONTENT = bytes(range(256)) * 4096


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """An nginx with a file of one MiB."""
    folder = tmp_path_factory.mktemp("nginx")
    (folder / "www").mkdir()
    (folder / "www" / "file").write_bytes(CONTENT)
    with nginx(folder, SERVER) as port:
        yield port


@pytest.fixture(scope="module")
def front(port: int) -> Iterator[LiveTarget]:
    """A proxy in front of it."""
    with live_target("--upstream", f"http://127.0.0.1:{port}", "--capacity", OPEN) as started:
        yield started


def test_one_connection_is_used_over_and_over(front: LiveTarget) -> None:
    """nginx counts the requests on each."""
    with connection(front) as made:
        seen = []
        for _ in range(5):
            made.request("GET", "/which")
            seen.append(made.getresponse().read().split())
    assert len({number for number, _ in seen}) == 1
    counted = [int(requests) for _, requests in seen]
    assert counted == list(range(counted[0], counted[0] + 5))


def test_what_nginx_closes_is_not_used_again(front: LiveTarget) -> None:
    """It says so in its answer."""
    for _ in range(10):
        assert call(front, "GET", "/short")[1] == b"last"
    told(front, failed=0)


@pytest.mark.parametrize(
    ("headers", "status", "expected"),
    [
        ({}, 200, CONTENT),
        ({"Range": "bytes=1000-1999"}, 206, CONTENT[1000:2000]),
        ({"Range": "bytes=9999999-"}, 416, None),
        ({"If_Modified_Since": "Fri, 01 Jan 2100 00:00:00 GMT"}, 200, CONTENT),
    ],
)
def test_a_file_is_what_it_is_without_the_proxy(
    port: int, front: LiveTarget, headers: dict[str, str], status: int, expected: bytes | None
) -> None:
    """Status, headers and bytes, but for the date, the connection and Via."""
    answer, body = call(front, "GET", "/file", **headers)
    direct = http.client.HTTPConnection("127.0.0.1", port)
    direct.request("GET", "/file", None, {n.replace("_", "-"): v for n, v in headers.items()})
    theirs = direct.getresponse()
    assert (answer.status, body) == (theirs.status, theirs.read())
    assert answer.status == status
    assert expected is None or body == expected
    direct.close()
    left_out = {"connection", "date"}
    plain = [(n.lower(), v) for n, v in theirs.getheaders() if n.lower() not in left_out]
    assert [(name, value) for name, value in answer.getheaders() if name not in left_out] == [
        *plain,
        ("via", "1.1 aftershock"),
    ]


def test_head_and_packed_files_pass(front: LiveTarget) -> None:
    """The length of the file with no body, the packed file as it is."""
    answer, body = call(front, "HEAD", "/file")
    assert (answer.getheader("content-length"), body) == (str(len(CONTENT)), b"")
    answer, body = call(front, "GET", "/packed", Accept_Encoding="gzip")
    assert answer.getheader("content-encoding") == "gzip"
    assert body[:2] == b"\x1f\x8b"


def test_nginx_refuses_a_large_body_before_it_has_come(front: LiveTarget) -> None:
    """Its 413 reaches the client, and is no failure of the upstream."""
    with connection(front) as made:
        made.request("POST", "/small", bytes(200_000))
        assert made.getresponse().status == 413
    told(front, failed=0)


def test_an_error_that_the_upstream_answers_is_its_answer(front: LiveTarget) -> None:
    """It could not reach somebody, we could reach it."""
    answer, body = call(front, "GET", "/gateway")
    assert answer.status == 502
    assert b"nginx" in body
    told(front, failed=0)


def test_an_upstream_that_was_started_again_is_found_without_a_failure(tmp_path: Path) -> None:
    """The connections that it closed when it stopped are noticed."""
    port = free_port()

    async def which(client: UpstreamClient) -> None:
        response = await client.send(b"GET", b"/which", [], b"")
        assert len((await response.read(100)).split()) == 2
        response.close()

    async def main() -> None:
        client = UpstreamClient(f"http://127.0.0.1:{port}")
        for _ in range(3):
            with nginx(tmp_path, SERVER, port=port):
                await asyncio.gather(*(which(client) for _ in range(5)))
        with pytest.raises(UpstreamError) as told_of:
            await which(client)
        assert told_of.value.kind is UpstreamErrorKind.REFUSED
        await client.close()

    run(main)


def test_an_upstream_may_speak_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When its certificate is trusted, and else it is not spoken to."""
    what = "req -x509 -newkey rsa:2048 -nodes -days 2 -keyout key.pem -out cert.pem"
    who = "-subj /CN=localhost -addext subjectAltName=DNS:localhost"
    command = [program("openssl"), *what.split(), *who.split()]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    server = f"ssl_certificate {tmp_path}/cert.pem; ssl_certificate_key {tmp_path}/key.pem;"
    content = bytes(3_000_000)
    (tmp_path / "www").mkdir()
    (tmp_path / "www" / "file").write_bytes(content)

    async def fetched(client: UpstreamClient, target: bytes) -> bytes:
        response = await client.send(b"GET", target, [], b"")
        body = await response.read(2 * len(content))
        response.close()
        return body

    async def main() -> None:
        wary = UpstreamClient(f"https://localhost:{port}")
        with pytest.raises(UpstreamError, match="certificate") as told_of:
            await fetched(wary, b"/which")
        assert told_of.value.kind is UpstreamErrorKind.UNREACHABLE
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
        trusting = UpstreamClient(f"https://localhost:{port}")
        for number in (1, 2, 3):
            assert int((await fetched(trusting, b"/which")).split()[1]) == number
        body = await fetched(trusting, b"/file")
        assert hashlib.sha256(body).digest() == hashlib.sha256(content).digest()
        await trusting.close()

    with nginx(tmp_path, server + SERVER, "ssl") as port:
        run(main)
