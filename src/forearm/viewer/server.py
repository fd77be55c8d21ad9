"""The web server of the viewer: one page per browser, each with its own state and its own thread."""

import contextlib
import io
import socket
import threading
import warnings
from collections.abc import Callable, Iterator
from html import escape
from typing import Any

from forearm.common.checks import brief
from forearm.common.markup import tag
from forearm.errors import ForearmError, MissingExtraError, OptionError, pip_install
from forearm.viewer.gate import Gate, guarded_by
from forearm.viewer.shared import theme
from forearm.viewer.shared.page import Page

DEFAULT_PORT = 8080
LOOPBACK = "127.0.0.1"
FRAME_TALL = 600  # height of the page inside a notebook [px]
ANY = {"0.0.0.0": LOOPBACK, "::": "::1"}  # what stands for all addresses, and the one to open here


class Viewer:
    """A running viewer; `is_public` says whether more than this machine can reach it.

    Args:
        make_page: Builds the page of a browser from its viser client.
        title: Stands above the panel.
        host: Address to listen at; this machine only, by default.
        port: Port to listen at; 0 takes any free one.
        framed: Whether other pages of this machine may show it in a frame.
    """

    def __init__(
        self,
        make_page: Callable[[Any], Page],
        title: str,
        host: str = LOOPBACK,
        port: int = DEFAULT_PORT,
        framed: bool = False,
    ) -> None:
        check_address(host, port)
        gate = Gate(host, framed)
        self.title = title
        self.server = _start_server(host, port, title, gate)
        self.host, self.port, self.is_public = host, int(self.server.get_port()), gate.is_public
        self.wanted_port = port
        self._pages: dict[int, Page] = {}
        self._lock = threading.Lock()
        self._closed = False
        self._make_page = make_page
        gui = self.server.gui
        gui.configure_theme(show_share_button=False, show_logo=False, brand_color=theme.BACKWARD)
        gui.main_panel.dock_right()
        gui.main_panel.set_width(theme.PANEL_WIDTH)
        # Only the angle: a first place of the camera would be taken once more after a page has fitted its view.
        self.server.initial_camera.fov = theme.FIELD_OF_VIEW
        self.server.on_client_connect(self._open_page)
        self.server.on_client_disconnect(self._close_page)

    @property
    def url(self) -> str:
        """Where a browser of this machine finds it."""
        host = ANY.get(self.host, self.host)
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    @property
    def pages(self) -> tuple[Page, ...]:
        """The pages that are open now, oldest first."""
        with self._lock:
            return tuple(self._pages.values())

    def wait(self) -> None:
        """Serves until interrupted."""
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()

    def close(self) -> None:
        """Ends all pages and the server."""
        with self._lock:
            self._closed, pages, self._pages = True, list(self._pages.values()), {}
        for page in pages:
            page.close()
        with _silence():
            self.server.stop()

    def __repr__(self) -> str:
        """What it shows, and where."""
        return f"Viewer('{self.title}' at {self.url}{', closed' if self._closed else ''})"

    def _repr_html_(self) -> str:
        """The page in a frame, below the cell of a notebook."""
        look = "border:1px solid rgba(128,128,128,.4);border-radius:4px"
        link = tag("a", escape(self.url), href=self.url, target="_blank")
        frame = tag("iframe", src=self.url, width="100%", height=FRAME_TALL, style=look)
        return frame + tag("div", f"the same in a tab of its own: {link}")

    def __enter__(self) -> "Viewer":
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes it."""
        self.close()

    # Not `async`: a page solves once while it is built, and other browsers must not wait for that.
    def _open_page(self, client: Any) -> None:
        page = self._make_page(client)
        with self._lock:
            if not self._closed and client.client_id in self.server.get_clients():
                self._pages[client.client_id] = page
                return
        page.close()

    def _close_page(self, client: Any) -> None:
        with self._lock:
            page = self._pages.pop(client.client_id, None)
        if page is not None:
            page.close()


def check_address(host: str, port: int) -> None:
    """Refuses an address that cannot be listened at, before a server hangs on it."""
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65535:
        raise OptionError(f"{{argument}} is {brief(port)}; it takes 0 (any free one) to 65535", argument="port")
    try:
        if not (isinstance(host, str) and host):  # asyncio would take None and "" for all addresses
            raise ValueError("no address")
        family, kind, number, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, number) as trial:
            trial.bind(address)
    except (OSError, ValueError) as problem:  # ValueError: letters that no name has
        reason = getattr(problem, "strerror", None) or problem
        raise OptionError(
            f"{{argument}} is '{host}', where nothing can listen ({reason}); it takes an address of this machine, "
            f"such as {LOOPBACK} (this machine only) or 0.0.0.0 (the network too)",
            argument="host",
        ) from None


def _start_server(host: str, port: int, title: str, gate: Gate) -> Any:
    try:
        import viser  # noqa: PLC0415 (slow, optional)
    except ImportError:
        raise MissingExtraError("the viewer", "viewer") from None
    with _silence(), guarded_by(gate) as placed:
        server = viser.ViserServer(host=host, port=port, label=title, verbose=False)
    if not placed:
        server.stop()
        raise ForearmError(
            f"viser {viser.__version__} starts its server otherwise, so pages of others could not be kept from it; "
            f"install the version that forearm asks for: {pip_install('viewer')}"
        )
    # A page may draw when its browser has just left: no fault, and nothing that a user could do about.
    warnings.filterwarnings("ignore", r"Queued a \w+ on a closed connection", UserWarning)
    server.request_share_url = lambda verbose=True: None  # any page could ask for a tunnel out of this machine
    return server


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Keeps viser from printing, to a terminal or, by rich, below the cell of a notebook."""
    import rich  # noqa: PLC0415 (viser is loaded by now, and it with that)

    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        console.quiet = before
