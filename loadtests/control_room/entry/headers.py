"""What every answer below `/aftershock` tells a browser: what its page may load, who may read it.

Locust's app tells every browser that any page may read its answers (CORS). It does so after every
other hook of Flask's, so it is undone outside of Flask.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

PLOTLY_STYLES = (
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
    "'sha256-ji27qzEtxXZW+7dun6UwjHXJ18e6WAin1VvNtkzIE/o='",
)
"""Of the style elements that Plotly makes: an empty one that is filled by script, and one more."""

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; "
    f"style-src 'self' {' '.join(PLOTLY_STYLES)}; img-src 'self' data:; connect-src 'self'; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
"""Only what comes from this server runs, is shown or is asked."""
REPORT_POLICY = (
    "connect-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; "
    "sandbox allow-scripts allow-downloads allow-popups allow-popups-to-escape-sandbox"
)
"""For a report, which is one file with its scripts in it, and says itself which those are.

It is made of what a record holds, so it is kept from acting as the page does: it has no origin.
"""

SECURITY = {
    "Content-Security-Policy": PAGE_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""What a route has not said otherwise."""


class Sealed:
    """WSGI middleware: the answers below `prefix` get `SECURITY` and are for no other page."""

    def __init__(self, app: "WSGIApplication", prefix: str) -> None:
        """`prefix` has no slash at its end."""
        self._app = app
        self._prefix = _segments(prefix)

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        """Answer as the app does."""
        # As WSGI has it: the bytes of the path, each as a character.
        path = str(environ.get("PATH_INFO", "")).encode("latin-1").decode(errors="replace")
        if _segments(path)[: len(self._prefix)] != self._prefix:
            return self._app(environ, start_response)

        def start(status: str, headers: list[tuple[str, str]], *more: object) -> object:
            return start_response(status, sealed(headers), *more)  # type: ignore[arg-type]  # as given

        return self._app(environ, start)  # type: ignore[arg-type]  # a StartResponse in all but name


def _segments(path: str) -> list[str]:
    """What is between the slashes. However many they are, the router takes it for the same."""
    return [segment for segment in path.split("/") if segment]


def sealed(headers: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """These headers without those of CORS, and with what `SECURITY` has that they have not."""
    kept = [
        (name, value) for name, value in headers if not name.lower().startswith("access-control-")
    ]
    there = {name.lower() for name, _ in kept}
    return kept + [(name, value) for name, value in SECURITY.items() if name.lower() not in there]
