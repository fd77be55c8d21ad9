"""The web server of the viewer: one page per browser, each with its own state and its own thread."""

import contextlib
import io
import socket
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from forearm.errors import MissingExtraError, OptionError
from forearm.viewer.shared import theme
from forearm.viewer.shared.page import Page

DEFAULT_PORT = 8080
LOOPBACK = "127.0.0.1"


MakePage = Callable[[Any], Page]


class Viewer:
    """A running viewer.

    Args:
        make_page: Builds the page of a browser from its viser client.
        camera: (position, look at), both (3,) [m].
        title: Stands above the panel.
        host: Address to listen at; this machine only, by default.
        port: Port to listen at; 0 takes any free one.
    """

    def __init__(
        self, make_page: MakePage, camera: tuple[Any, Any], title: str, host: str = LOOPBACK, port: int = DEFAULT_PORT
    ) -> None:
        check_address(host, port)
        self.server = _start_server(host, port, title)
        self.host, self.port = host, int(self.server.get_port())
        self.wanted_port = port
        self._pages: dict[int, Page] = {}
        self._lock = threading.Lock()
        self._closed = False
        self._make_page = make_page
        self._set_stage(camera)
        self.server.on_client_connect(self._open_page)
        self.server.on_client_disconnect(self._close_page)

    @property
    def url(self) -> str:
        """Where a browser finds it."""
        return f"http://{self.host}:{self.port}"

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

    def __enter__(self) -> "Viewer":
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes it."""
        self.close()

    def _set_stage(self, camera: tuple[Any, Any]) -> None:
        server = self.server
        server.gui.configure_theme(show_share_button=False, show_logo=False, brand_color=theme.BACKWARD)
        server.gui.main_panel.dock_right()
        server.gui.main_panel.set_width(theme.PANEL_WIDTH)
        server.initial_camera.position = np.asarray(camera[0], float)
        server.initial_camera.look_at = np.asarray(camera[1], float)
        server.initial_camera.fov = theme.FIELD_OF_VIEW

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
    if not 0 <= port <= 65535:
        raise OptionError(f"{{argument}} is {port}; it takes 0 (any free one) to 65535", argument="port")
    try:
        family, kind, number, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, number) as trial:
            trial.bind(address)
    except (OSError, UnicodeError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise OptionError(
            f"{{argument}} is '{host}', where nothing can listen ({reason}); it takes an address of this machine, "
            f"such as {LOOPBACK} (this machine only) or 0.0.0.0 (the network too)",
            argument="host",
        ) from None


def _start_server(host: str, port: int, title: str) -> Any:
    try:
        import viser  # noqa: PLC0415 (slow, optional)
    except ImportError:
        raise MissingExtraError("the viewer", "viewer") from None
    with _silence():
        server = viser.ViserServer(host=host, port=port, label=title, verbose=False)
    server.request_share_url = _refuse_to_share  # any page could ask for a tunnel out of this machine
    return server


def _silence() -> contextlib.AbstractContextManager[Any]:
    """Keeps viser from printing; the command prints its own lines."""
    return contextlib.redirect_stdout(io.StringIO())


def _refuse_to_share(verbose: bool = True) -> None:
    """None: what is shown stays on the address it was bound to."""
