"""Is a service well? `healthy.py URL` exits 0 when it answers 200.

With `--lists-me` the answer must be Locust's statistics, and this machine one of its workers:
a worker listens nowhere, so only its master can tell that it is there. Standard library only, and
little of it: a probe runs beside what is being measured.
"""

import http.client
import json
import socket
import sys
from urllib.parse import urlsplit

TIMEOUT_S = 2.0


def answer(url: str) -> bytes:
    """The body at `url`. Raises `OSError` and `HTTPException` when there is none."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=TIMEOUT_S)
    connection.request("GET", parts.path or "/")
    response = connection.getresponse()
    if response.status != http.client.OK:
        raise OSError(f"status {response.status}")
    return response.read()


def lists_me(statistics: bytes) -> bool:
    """Whether Locust's master counts this machine among its workers."""
    mine = f"{socket.gethostname()}_"
    return any(
        worker["id"].startswith(mine) and worker["state"] != "missing"
        for worker in json.loads(statistics)["workers"]
    )


def main() -> None:
    """Exit 0, or 1 with one line that says what is wrong."""
    url, *options = sys.argv[1:]
    try:
        body = answer(url)
    except (OSError, http.client.HTTPException) as error:
        sys.exit(f"{url}: {error or type(error).__name__}")
    if "--lists-me" in options and not lists_me(body):
        sys.exit(f"{url}: the master does not know this worker")


if __name__ == "__main__":
    main()
