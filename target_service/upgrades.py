"""A request that asks for an upgrade is a request even if it does not get one (RFC 9110 §7.8)."""

import sys

import httptools

from target_service.cycling import CyclingProtocol


class WithoutUpgrades(CyclingProtocol):
    """Reads a request whose upgrade is not granted once more, as one that does not ask for it.

    The parser takes what follows its head for another protocol already, and uvicorn drops it: the
    body, and the requests behind it. Java's `HttpClient` asks for h2c with the first request on a
    connection, whatever it is.
    """

    _data = b""

    def data_received(self, data: bytes) -> None:
        """Parse what has come, and keep it while that lasts."""
        self._data = data
        super().data_received(data)

    def on_headers_complete(self) -> None:
        """The head is over."""
        if not self._is_read_again():
            super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request is over."""
        if not self._is_read_again():
            super().on_message_complete()

    def _is_read_again(self) -> bool:
        return (
            self.parser.should_upgrade()
            and self.parser.get_method() != b"CONNECT"
            and not self._should_upgrade()
        )

    def _unsupported_upgrade_warning(self) -> None:
        """No warning: anybody can ask. Uvicorn calls this where it handles `HttpParserUpgrade`."""
        asked = sys.exc_info()[1]
        if not isinstance(asked, httptools.HttpParserUpgrade) or not self._is_read_again():
            return
        version = self.parser.get_http_version().encode()
        lines = [self.parser.get_method() + b" " + self.url + b" HTTP/" + version]
        lines += [name + b": " + value for name, value in self.headers if name != b"upgrade"]
        head = b"\r\n".join(lines) + b"\r\n\r\n"
        rest = self._data[asked.args[0] :]
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn does
        self.data_received(head + rest)
