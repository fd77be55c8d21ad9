"""A page of somebody else, in the same browser, does not reach the viewer."""

import http.server
import socket
import threading
from contextlib import contextmanager

import pytest

import forearm as fa
from forearm.errors import ForearmError
from forearm.viewer import view_chain, view_robot
from forearm.viewer.gate import Gate

viser = pytest.importorskip("viser")

UPGRADE = (
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    f"Sec-WebSocket-Protocol: viser-v{viser.__version__}",
)
FORBIDDEN, WELCOME, UPGRADED = "403", "200", "101"


@pytest.fixture(scope="module")
def viewer():
    with view_chain(4, port=0) as running:
        yield running


def answer(viewer, *headers):
    """The status of what a viewer answers to a bare request."""
    with socket.create_connection(("127.0.0.1", viewer.port), timeout=10) as link:
        link.sendall("".join(f"{line}\r\n" for line in ("GET / HTTP/1.1", *headers, "")).encode())
        return link.makefile("rb").readline().decode().split()[1]


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("127.0.0.1:{port}", None, UPGRADED),  # a program that is no browser
        ("127.0.0.1:{port}", "http://127.0.0.1:{port}", UPGRADED),
        ("localhost:{port}", "http://localhost:{port}", UPGRADED),
        ("LocalHost:{port}", "http://localhost:{port}", UPGRADED),
        ("localhost:9000", "http://localhost:9000", UPGRADED),  # through a tunnel of ssh
        ("[::1]:{port}", "http://[::1]:{port}", UPGRADED),
        ("127.0.0.1:{port}", "http://evil.example", FORBIDDEN),  # another page
        ("127.0.0.1:{port}", "http://127.0.0.1:9000", FORBIDDEN),  # another program's page on this machine
        ("127.0.0.1:{port}", "http://localhost:{port}", FORBIDDEN),
        ("127.0.0.1:{port}", "http://127.0.0.1:{port}.evil.example", FORBIDDEN),
        ("127.0.0.1:{port}", "null", FORBIDDEN),  # a file, or a page in a sandbox
        ("127.0.0.1:{port}", "", FORBIDDEN),
        ("rebound.test:{port}", "http://rebound.test:{port}", FORBIDDEN),  # a name that was pointed here
        ("localhost.evil.example", "http://localhost.evil.example", FORBIDDEN),
        ("127.0.0.1.evil.example", None, FORBIDDEN),
        ("0.0.0.0:{port}", "http://0.0.0.0:{port}", FORBIDDEN),
        ("192.0.2.1:{port}", "http://192.0.2.1:{port}", FORBIDDEN),
        ("evil.example@127.0.0.1", None, FORBIDDEN),
        ("127.0.0.1:{port}/", None, FORBIDDEN),
        ("", None, FORBIDDEN),
        (None, None, FORBIDDEN),
    ],
)
def test_only_its_own_pages_under_names_of_this_machine_are_let_in(viewer, host, origin, status):
    lines = [("Host", host), ("Origin", origin)]
    headers = [f"{name}: {text.format(port=viewer.port)}" for name, text in lines if text is not None]
    assert answer(viewer, *headers, *UPGRADE) == status
    assert answer(viewer, *headers) == (WELCOME if status == UPGRADED else FORBIDDEN)


def test_a_header_given_twice_is_refused(viewer):
    host, origin = f"Host: 127.0.0.1:{viewer.port}", f"Origin: http://127.0.0.1:{viewer.port}"
    assert answer(viewer, host, host, origin, *UPGRADE) == FORBIDDEN
    assert answer(viewer, host, origin, "Origin: http://evil.example", *UPGRADE) == FORBIDDEN


def test_in_a_network_addresses_and_the_names_of_the_machine_count():
    gate = Gate("0.0.0.0")
    assert gate.is_public
    own = socket.gethostname().lower()
    for host in ("127.0.0.1:80", "localhost", "192.0.2.7:8080", "[2001:db8::1]:8080", own):
        assert not gate.fault([host], [f"http://{host}"]), host
    for host in ("rebound.test", f"{own}.evil.example"):
        assert gate.fault([host], [f"http://{host}"]), host


def test_what_cannot_be_guarded_is_not_started(monkeypatch):
    """Another viser might start its server otherwise; then nothing listens."""
    from websockets.asyncio import server as websockets

    started, real = [], websockets.serve
    monkeypatch.setattr("viser.infra._infra.websockets", Renamed(real, started), raising=True)
    with pytest.raises(ForearmError, match="pages of others could not be kept from it"):
        view_chain(4, port=0)
    assert started
    with pytest.raises(OSError, match="refused"), socket.create_connection(("127.0.0.1", started[0]), timeout=1):
        pass


class Renamed:
    """The package websockets as one that starts servers by another function."""

    def __init__(self, serve, started):
        import websockets

        self.exceptions, self.datastructures, self.asyncio, self.server = (
            websockets.exceptions,
            websockets.datastructures,
            self,
            self,
        )
        self.real, self.started = serve, started

    def serve(self, handler, host, port, **how):
        with socket.socket() as listener:
            listener.bind((host, 0))
            free = listener.getsockname()[1]
        self.started.append(free)
        return self.real(handler, host, free, **how)


# -- in a browser ----------------------------------------------------------------------------------


@contextmanager
def serving(page):
    """Somebody else's web site, with one page; gives its address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{site.server_port}"
        finally:
            site.shutdown()


CONNECT = """url => new Promise(done => {
    const socket = new WebSocket(url, "VERSION");
    socket.onopen = () => done("open");
    socket.onerror = () => done("refused");
})""".replace("VERSION", f"viser-v{viser.__version__}")


def test_a_foreign_page_gets_no_connection(browser, viewer):
    with serving("<h1>evil</h1>") as site:
        page = browser.new_page()
        page.goto(site)
        for name in ("127.0.0.1", "localhost", "rebound.test"):
            assert page.evaluate(CONNECT, f"ws://{name}:{viewer.port}") == "refused"
        page.close()
    assert not viewer.pages


def test_a_page_under_a_name_that_was_pointed_here_gets_nothing(browser, viewer):
    page = browser.new_page()
    assert page.goto(f"http://rebound.test:{viewer.port}/").status == 403
    assert page.evaluate(CONNECT, f"ws://rebound.test:{viewer.port}") == "refused"
    page.close()
    assert not viewer.pages


def test_the_viewer_does_not_stand_in_a_foreign_page(browser, viewer):
    with serving(f"<iframe src='{viewer.url}/?fixedDpr=0.4'></iframe>") as site:
        page = browser.new_page()
        said = []
        page.on("console", lambda line: said.append(line.text))
        page.goto(site)
        page.wait_for_timeout(3000)
        assert any("frame-ancestors" in line for line in said)
        page.close()
    assert not viewer.pages


def test_in_a_notebook_of_this_machine_the_frame_shows_its_verdict(browser):
    """The browser keeps nothing for such a frame: a script that asked it to stopped all that came with it."""
    with (
        view_robot(fa.load("planar-3"), port=0, framed=True) as framed,
        serving(f"<iframe src='{framed.url}/?fixedDpr=0.15' width=800 height=600></iframe>") as site,
    ):
        page = browser.new_page()
        page.goto(site.replace("127.0.0.1", "localhost"))
        page.frame_locator("iframe").get_by_text("Solved", exact=True).first.wait_for()
        page.close()


def test_a_link_cannot_make_the_viewer_listen_to_another_server(browser, viewer):
    """Another server could send it a script, which would then be a page of its own."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        other.settimeout(0)
        address = f"ws://127.0.0.1:{other.getsockname()[1]}"
        page = browser.new_page()
        with page.expect_console_message(lambda line: f"Connecting to: {address}" in line.text):
            page.goto(f"{viewer.url}/?fixedDpr=0.4&websocket={address}")
        page.wait_for_timeout(3000)
        with pytest.raises(BlockingIOError):
            other.accept()  # nobody came
        page.close()
