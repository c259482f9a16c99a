"""A small HTTP server on a loopback socket that may lie in another network namespace."""

import http.server
import socket
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Self

BODY_BYTES = 64 * 1024 * 1024
IDLE_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request as it came in."""

    method: str
    path: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back: a body in pieces; `streamed` sends each piece when it is there."""

    pieces: Iterable[bytes]
    status: int = HTTPStatus.OK
    content_type: str = "application/json"
    streamed: bool = False


class LoopbackServer:
    """Serves `answer` on a listening socket in threads of its own until closed."""

    def __init__(self, listener: socket.socket, answer: Callable[[Exchange], Reply]) -> None:
        self.port: int = listener.getsockname()[1]
        self._server = _Server(listener, answer)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.daemon = True

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    # Connections that a killed client left open must not hold the end of a run.
    block_on_close = False

    def __init__(self, listener: socket.socket, answer: Callable[[Exchange], Reply]) -> None:
        super().__init__(listener.getsockname()[:2], _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.answer = answer

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is no event; what it asked for is recorded already."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = IDLE_SECONDS
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > BODY_BYTES:
            self.close_connection = True
            self.send_error(HTTPStatus.LENGTH_REQUIRED)
            return
        self._serve(self.rfile.read(int(length)))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing: requests are recorded, not logged."""

    def _serve(self, body: bytes) -> None:
        server = self.server
        assert isinstance(server, _Server)
        reply = server.answer(Exchange(self.command, self.path, body))
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        if not reply.streamed:
            whole = b"".join(reply.pieces)
            self.send_header("Content-Length", str(len(whole)))
            self.end_headers()
            self.wfile.write(whole)
            return
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in reply.pieces:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")
