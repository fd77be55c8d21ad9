"""Who may talk to the viewer: pages that it served itself, under a name or address of this machine.

A browser lets every page it shows open connections to this machine, and says in `Origin` whose page it is: only
the viewer's own are let in. A page may also come from a name that its owner then points at this machine (DNS
rebinding), so that both are one to the browser; but the name still stands in `Host`, and is not ours. What is served
says in a policy that it may not stand in a foreign page, nor connect elsewhere (a link can ask it to).
"""

import contextlib
import http
import ipaddress
import re
import socket
import threading
from collections.abc import Iterator
from typing import Any

HEADERS = {
    "Content-Security-Policy": "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; "
    "connect-src 'self' ws://{host} wss://{host} data: blob:; "
    "frame-ancestors 'self'{frames}; object-src 'none'; base-uri 'none'; form-action 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
HOST = re.compile(r"(\[[0-9a-f:.]+\]|[0-9a-z._-]+)(:[0-9]{1,5})?")  # of a request, in lower case

_placing = threading.Lock()  # one gate is placed at a time


class Gate:
    """Lets requests in, or says why not.

    Args:
        host: The address that is listened at.
        framed: Whether other pages of this machine, a notebook's, may show it in a frame.
    """

    def __init__(self, host: str, framed: bool = False) -> None:
        self.frames = " http://localhost:* http://127.0.0.1:*" if framed else ""
        found = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)
        self.is_public = not all(ipaddress.ip_address(str(each[4][0])).is_loopback for each in found)
        self.names = {host.lower(), "localhost"}
        if self.is_public:
            own = socket.gethostname().lower()
            self.names |= {own, own.partition(".")[0], f"{own.partition('.')[0]}.local"}

    def fault(self, hosts: list[str], origins: list[str]) -> str:
        """Why a request with these headers is not let in, or an empty string."""
        host = hosts[0].lower() if len(hosts) == 1 else ""
        if not self.is_ours(host):
            return f"The viewer is not at {hosts}; open the address that it printed.\n"
        if origins and [origin.lower() for origin in origins] not in ([f"http://{host}"], [f"https://{host}"]):
            return f"Pages of {origins} may not talk to the viewer at {host}.\n"
        return ""

    def is_ours(self, host: str) -> bool:
        """Whether the host of a request, perhaps with a port, can only be this machine."""
        match = HOST.fullmatch(host)
        if match is None:
            return False
        name = match[1].strip("[]")
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return name in self.names
        return self.is_public or address.is_loopback  # nobody can point an address elsewhere

    def check(self, connection: Any, request: Any) -> Any:
        """The refusal of a request, or None."""
        why = self.fault(request.headers.get_all("Host"), request.headers.get_all("Origin"))
        return connection.respond(http.HTTPStatus.FORBIDDEN, why) if why else None


@contextlib.contextmanager
def guarded_by(gate: Gate) -> Iterator[list[Any]]:
    """Puts a gate in front of the viser server that is started inside; what is given holds it once it is there.

    Viser has no place for it, but it starts its server by `serve` of websockets, which has one.
    """
    from websockets.asyncio import server  # noqa: PLC0415 (comes with viser)

    placed: list[Any] = []
    serve = server.serve

    def guarded(handler: Any, *where: Any, process_request: Any = None, **how: Any) -> Any:
        if not str(handler.__module__).startswith("viser."):
            return serve(handler, *where, process_request=process_request, **how)

        def process(connection: Any, request: Any) -> Any:
            refusal = gate.check(connection, request)
            answer = process_request(connection, request) if refusal is None else None
            if answer is not None:
                for name, text in HEADERS.items():
                    answer.headers[name] = text.format(host=request.headers["Host"].lower(), frames=gate.frames)
            return refusal or answer

        placed.append(gate)
        return serve(handler, *where, process_request=process, **how)

    with _placing:
        server.serve = guarded  # type: ignore[misc, assignment]
        try:
            yield placed
        finally:
            server.serve = serve  # type: ignore[misc]
