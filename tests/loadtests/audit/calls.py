"""Calls by real SDKs, as a user of `--through` writes them."""

import requests
import urllib3
from requests.adapters import HTTPAdapter


def with_retries(method: str, url: str, headers: dict[str, str]) -> int:
    """requests with urllib3's retries: three attempts, of a 503 too, but of no POST."""
    retry = urllib3.Retry(
        total=2, status_forcelist=[503], backoff_factor=0.01, raise_on_status=False
    )
    with requests.Session() as session:
        session.mount("http://", HTTPAdapter(max_retries=retry))
        answer = session.request(method, url, headers=headers, timeout=0.3)
    status: int = answer.status_code
    return status


def bare(method: str, url: str, headers: dict[str, str]) -> requests.Response:
    """requests as it comes, which has no retries."""
    return requests.request(method, url, headers=headers, timeout=0.3)


NO_CALL = "text"
