"""Who may read and who may act, by the headers of a request."""

from dataclasses import replace

import pytest

from loadtests.control_room.entry.guard import Asker, bears, refusal

NAMES = frozenset({"runner-1", "load.example", "other.example:8443"})
OURS = Asker("POST", "127.0.0.1:8089", "http://127.0.0.1:8089", None, "application/json")
READS = Asker("GET", "127.0.0.1:8089")
FOLLOWS = replace(READS, site="cross-site", mode="navigate", destination="document")


@pytest.mark.parametrize(
    "asker",
    [
        OURS,
        replace(OURS, site="same-origin"),
        replace(OURS, origin=None, site="same-origin"),
        replace(OURS, host="localhost:8089", origin="http://localhost:8089"),
        replace(OURS, host="[::1]:8089", origin="http://[::1]:8089"),
        replace(OURS, host="Runner-1:8089", origin="http://runner-1:8089"),
        replace(OURS, host="load.example", origin="https://load.example"),
        replace(OURS, host="load.example:443", origin="https://load.example"),
        replace(OURS, host="other.example:8443", origin="https://other.example:8443"),
        # A proxy that changes Host; the operator has named the page's name and the proxy's is ours.
        replace(OURS, host="runner-1:8089", origin="https://load.example"),
        replace(OURS, host="127.0.0.1:8089", origin="https://other.example:8443"),
        READS,
        replace(READS, method="HEAD"),
        replace(READS, origin="http://127.0.0.1:8089"),
        replace(READS, site="same-origin", mode="cors", destination="empty"),
        replace(READS, site="none", mode="navigate", destination="document"),  # typed
        replace(READS, host="runner-1:8089"),
    ],
)
def test_let_in(asker: Asker) -> None:
    """Our own page, by an address or a name that is ours; and who is no browser, and reads."""
    assert refusal(asker, NAMES) is None


@pytest.mark.parametrize(
    ("asker", "said"),
    [
        (replace(OURS, origin="http://evil.example"), "another origin"),
        (replace(OURS, origin="http://127.0.0.1:9999"), "another origin"),
        (replace(OURS, origin="http://127.0.0.1"), "another origin"),
        (replace(OURS, origin="null"), "another origin"),
        (replace(OURS, origin=""), "another origin"),
        (replace(OURS, origin="file://127.0.0.1:8089"), "another origin"),
        (replace(OURS, origin="http://x@127.0.0.1:8089"), "another origin"),
        (replace(OURS, origin="http://127.0.0.1:8089/path"), "another origin"),
        (replace(OURS, origin="http://127.0.0.1:80a"), "another origin"),
        (replace(OURS, origin="https://load.example:444"), "another origin"),
        (replace(OURS, origin="http://other.example"), "another origin"),
        (replace(READS, origin="http://evil.example"), "another origin"),
        (replace(READS, site="cross-site"), "another site"),
        (replace(READS, site="same-site", mode="no-cors", destination="image"), "another site"),
        (replace(READS, site=""), "another site"),
        (FOLLOWS, "another site"),
        # A name that somebody else owns points here: a browser then says no more than this.
        (replace(READS, host="evil.example:8089"), "--control-hosts"),
        (replace(READS, method="HEAD", host="evil.example"), "--control-hosts"),
        (replace(READS, host="127.0.0.1.evil.example"), "no address"),
        (replace(READS, host=""), "no address"),
        (replace(OURS, origin=None), "must say that our own page asks"),
        (replace(OURS, site="cross-site"), "another page"),
        (replace(OURS, site="same-site"), "another page"),
        (replace(OURS, site="none"), "another page"),
        (replace(OURS, media_type="text/plain"), "Content-Type: application/json"),
        (replace(OURS, media_type=""), "Content-Type: application/json"),
        (replace(OURS, host="evil.example", origin="http://evil.example"), "--control-hosts"),
        (
            replace(OURS, host="localhost.evil.example", origin=None, site="same-origin"),
            "no address",
        ),
        (replace(OURS, host="", origin=None, site="same-origin"), "no address"),
        (replace(OURS, host="127.0.0.1@evil.example", origin=None, site="same-origin"), "no addr"),
        (replace(OURS, method="OPTIONS"), "no other method"),
        (replace(OURS, method="PUT"), "no other method"),
        (replace(OURS, method="DELETE"), "no other method"),
    ],
)
def test_refused(asker: Asker, said: str) -> None:
    """With a sentence that says what is wrong."""
    assert said in (refusal(asker, NAMES) or "")


def test_another_site_may_link_to_pages_that_are_meant_for_it() -> None:
    """Whoever follows the link sees them; no page can show or read them within itself."""
    assert refusal(FOLLOWS, NAMES, linked=True) is None
    assert refusal(replace(FOLLOWS, site="same-site"), NAMES, linked=True) is None
    for asker in (
        replace(FOLLOWS, destination="iframe"),
        replace(FOLLOWS, destination="image"),
        replace(FOLLOWS, destination=None),
        replace(FOLLOWS, mode="no-cors"),
        replace(FOLLOWS, mode=None),
    ):
        assert "another site" in (refusal(asker, NAMES, linked=True) or "")
    evil = replace(FOLLOWS, host="evil.example")
    assert "--control-hosts" in (refusal(evil, NAMES, linked=True) or "")


def test_who_has_the_token_comes_by_any_name() -> None:
    """But for that it is asked what everybody is."""
    asker = replace(READS, host="locust.default.svc:8089")
    assert "--control-hosts" in (refusal(asker, NAMES) or "")
    assert refusal(asker, NAMES, known=True) is None
    asker = replace(asker, origin="http://evil.example")
    assert "another origin" in (refusal(asker, NAMES, known=True) or "")


def test_the_token_lets_prometheus_in() -> None:
    """The whole of it, and only where there is one."""
    assert bears("Bearer a-secret", "a-secret")
    for said in (
        "",
        "a-secret",
        "bearer a-secret",
        "Bearer a-secre",
        "Bearer a-secret ",
        "Bearer é",
    ):
        assert not bears(said, "a-secret")
    for token in (None, ""):
        assert not bears("Bearer ", token)
        assert not bears("Bearer None", token)
