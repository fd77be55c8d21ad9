"""The one thread that owns a page: it does what was asked, newest first, then draws.

Callbacks of the page only post what they want; a later wish of the same name replaces an earlier
one that was not yet begun. So a slow solve never leaves a queue behind it, and nothing of a page
is touched by two threads.
"""

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from forearm.viewer.shared.page import Page

Action = Callable[[], object]

DRAWINGS_PER_SECOND = 60.0  # what viser sends of them; more would queue up in the browser


class Worker:
    """A thread with a board of wishes for a page, which it draws at most so often a second."""

    def __init__(self, page: "Page", rate: float = DRAWINGS_PER_SECOND) -> None:
        self._page = page
        self._pause = 1.0 / rate
        self._wishes: dict[object, Action] = {}
        self._bell = threading.Condition()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="forearm-viewer", daemon=True)

    def start(self) -> None:
        """Begins to work."""
        self._thread.start()

    def post(self, name: object, action: Action) -> None:
        """Asks for something; replaces what was asked under this name and not yet begun."""
        with self._bell:
            self._wishes.pop(name, None)
            self._wishes[name] = action
            self._bell.notify()

    def add(self, action: Action) -> None:
        """Asks for something that must not be replaced: a press of a button."""
        self.post(object(), action)

    def close(self, seconds: float = 5.0) -> None:
        """Ends the thread, after what it is doing."""
        with self._bell:
            self._closed = True
            self._bell.notify()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join(seconds)

    def _run(self) -> None:
        delay: float | None = None
        while True:
            with self._bell:
                self._bell.wait_for(lambda: self._wishes or self._closed, delay)
                if self._closed:
                    return
                wishes, self._wishes = self._wishes, {}
            started = time.perf_counter()
            delay = self._turn(wishes, delay is not None)
            rest = self._pause - (time.perf_counter() - started)
            if rest > 0.0:
                time.sleep(rest)

    def _turn(self, wishes: dict[object, Action], is_moving: bool) -> float | None:
        """One round, drawn if something moves by itself or has just stopped; gives the seconds until the next.

        Whatever goes wrong is shown in the page, and the page goes on.
        """
        try:
            for action in wishes.values():
                action()
            delay = self._page.tick()
            if wishes or is_moving or delay is not None:
                self._page.refresh()
            if not self._wishes:
                self._page.settle()
        except Exception as problem:
            if not self._closed:
                self._page.complain(problem)
            return None
        return delay
