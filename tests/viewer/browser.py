"""A headless Chromium on the loopback, and where things of a scene are on its screen."""

import os
import shutil
from contextlib import contextmanager

import numpy as np

from forearm.common.transforms import from_quaternion

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-unsafe-swiftshader",  # WebGL without a graphics card
    "--host-resolver-rules=MAP rebound.test 127.0.0.1",  # a name that its owner has pointed at this machine
)
# Where to keep pictures of what was seen, for people to judge; nowhere by default.
PICTURES = os.environ.get("FOREARM_PICTURES")
# Pixels are drawn without a graphics card: few of them unless somebody will look.
SIZE = {"width": 1280, "height": 800} if PICTURES else {"width": 1000, "height": 640}
SHARPNESS = 1.0 if PICTURES else 0.15  # drawn pixels per pixel of the screen
PATIENCE = 120_000  # the first seconds of software WebGL run at a frame a second [ms]
HOVER, BETWEEN_MOVES, MOVES = 150, 30, 11  # of a drag [ms]
ON_ARROW = 0.85  # a handle's arrow is gripped at this share of its length


def find_chromium():
    """The path of an installed Chromium, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextmanager
def chromium(directory):
    """A browser with a fresh profile."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            directory, executable_path=find_chromium(), args=list(FLAGS), viewport=SIZE
        )
        context.set_default_timeout(PATIENCE)
        try:
            yield context
        finally:
            context.close()


class Tab:
    """A browser's tab on a viewer, with what it asked for and complained of.

    Args:
        context: A browser.
        viewer: A running viewer.
        sharpness: How many pixels it draws per pixel of the screen.
    """

    def __init__(self, context, viewer, sharpness=SHARPNESS):
        self.viewer = viewer
        self.requests, self.errors = [], []
        self.page = context.new_page()
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda line: self.errors.append(line.text) if line.type == "error" else None)
        before = len(viewer.pages)
        self.page.goto(f"{viewer.url}/?fixedDpr={sharpness}")
        self.wait(lambda: len(viewer.pages) > before)
        self.state = viewer.pages[-1]
        self.page.locator(".mantine-Notification-closeButton").first.click()  # "software WebGL"
        self.text(r"Solved|Out of reach|Not solved").wait_for()

    def text(self, pattern):
        """What shows a text."""
        import re

        return self.page.get_by_text(re.compile(pattern)).first

    def press(self, name):
        """Presses a button."""
        self.page.get_by_role("button", name=name, exact=True).click()

    def check(self, label):
        """Ticks or clears a box."""
        self.page.get_by_role("checkbox", name=label, exact=True).click()

    def open(self, tab):
        """Opens a tab of the panel."""
        self.page.get_by_role("button", name=tab, exact=True).click()
        self.wait(lambda: self.state.tabs.at == tab)

    def joint(self, k):
        """The field with the number of a joint's slider."""
        return self.field(self.state.solve_tab.joints[k])

    def field(self, slider):
        """The field with the number of a slider."""
        return self.page.locator(f"[id='{slider._impl.uuid}'] ~ * input").first

    def choose(self, label, option):
        """Picks from a list."""
        self.page.get_by_role("combobox", name=label, exact=True).click()
        self.page.get_by_role("option", name=option, exact=True).click()

    def wait(self, is_so, seconds=60):
        """Waits until a condition of the server's side holds."""
        for _ in range(int(seconds * 20)):
            if is_so():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"not so after {seconds} s")

    def on_screen(self, point):
        """(2,) the pixel at which a (3,) point of the scene is seen, or (k, 2) those of (k, 3) points."""
        camera = self.state.host.camera
        canvas = self.page.locator("canvas").first.bounding_box()
        p = ((np.asarray(point) - camera.position) @ from_quaternion(*camera.wxyz)[:3, :3]).T
        f = 0.5 / np.tan(0.5 * camera.fov)
        across = 0.5 + f * p[0] / p[2] * canvas["height"] / canvas["width"]
        down = 0.5 + f * p[1] / p[2]
        return np.array([canvas["x"] + across * canvas["width"], canvas["y"] + down * canvas["height"]]).T

    def drag(self, gizmo, axis, way):
        """Drags a handle's arrow along its own axis by a way [m]."""
        along = from_quaternion(*gizmo.wxyz)[:3, axis]
        grip = np.asarray(gizmo.position) + ON_ARROW * gizmo.scale * along
        start, end = self.on_screen(grip), self.on_screen(grip + way * along)
        mouse = self.page.mouse
        mouse.move(*start)
        self.page.wait_for_timeout(HOVER)
        mouse.down()
        for share in np.linspace(0.0, 1.0, MOVES)[1:]:
            mouse.move(*(start + share * (end - start)))
            self.page.wait_for_timeout(BETWEEN_MOVES)
        mouse.up()

    def leave(self):
        """Closes the tab; nothing went wrong in it, and it asked nobody but the viewer."""
        self.page.goto("about:blank")
        self.wait(lambda: self.state not in self.viewer.pages)
        self.page.close()
        assert not self.errors
        assert all(url.startswith((self.viewer.url, "data:", "blob:", "about:")) for url in self.requests)
