"""How controls of a page speak to its worker: tiny callbacks that post what was wished."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from forearm.common.palette import css
from forearm.common.transforms import to_quaternion
from forearm.common.types import Floats
from forearm.viewer.shared.rotations import pose_of
from forearm.viewer.shared.theme import BACKWARD, NARROW, TAB
from forearm.viewer.shared.worker import Worker

WORLD_PER_REACH = 3.0  # how far from the base things may be dragged, per metre of reach


def on_change(handle: Any, worker: Worker, action: Callable[[Any], object]) -> None:
    """Lets the worker act on a control's newest value; what Python itself set is no wish."""
    name = f"change {id(handle)}"

    async def changed(event: Any) -> None:
        if event.client is not None:
            value = event.target.value
            if hasattr(event.target, "step"):  # a slider, which may follow the figure
                worker.touch(event.target)
            worker.post(name, lambda: action(value))

    handle.on_update(changed)


def on_press(button: Any, worker: Worker, action: Callable[[], object]) -> None:
    """Lets the worker act on each press of a button."""

    async def pressed(event: Any) -> None:
        if event.client is not None:
            worker.add(action)

    button.on_click(pressed)


def on_drag(gizmo: Any, worker: Worker, action: Callable[[Floats], object]) -> None:
    """Lets the worker act on the newest (4, 4) pose of a frame that is dragged."""
    name = f"drag {id(gizmo)}"

    async def dragged(event: Any) -> None:
        if event.phase == "update":  # what is gripped or let go stands where it stood
            T = pose_of(event.target.wxyz, event.target.position)
            worker.post(name, lambda: action(T))

    gizmo.on_update(dragged)


def on_key(gui: Any, key: str, what: str, worker: Worker, action: Callable[[], object]) -> None:
    """Lets the worker act when a key is pressed, or when what it does is chosen from the palette of commands.

    W, A, S, D, Q, E and the arrows are taken: with them viser moves the camera.
    """

    async def triggered(_: Any) -> None:
        worker.add(action)

    gui.add_command(what, hotkey=key).on_trigger(triggered)


class Tabs:
    """Parts of the panel of which one is open, and of which the page knows which one: viser's own tabs tell nobody.

    Args:
        gui: Where they stand.
        worker: Who acts when another one is opened.
        names: What they are called, the first one open.
        opened: Called with the name of the one that was left and of the one that is opened.
    """

    def __init__(self, gui: Any, worker: Worker, names: list[str], opened: Callable[[str, str], object]) -> None:
        self._gui, self._opened = gui, opened
        self.names, self.at = names, names[0]
        self._style = gui.add_html("")
        self.buttons = gui.add_button_group("", names)
        self.parts = {name: gui.add_folder(None, visible=name == self.at) for name in names}
        self._mark()

        async def pressed(event: Any) -> None:
            name = event.target.value
            worker.post("tab", lambda: self.open(name))

        self.buttons.on_click(pressed)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Where the controls of a part are built."""
        with self.parts[name]:
            yield

    def open(self, name: str) -> None:
        """Opens a part."""
        if name in self.parts and name != self.at:
            left, self.at = self.at, name
            for other, part in self.parts.items():
                part.visible = other == name
            self._mark()
            self._opened(left, name)

    def _mark(self) -> None:
        """Lets the button of the open part look open, and takes away the room for a label that they do not have."""
        sheet = "[style*='width: 20em']:has(.forearm-tabs)"  # viser's panel of a narrow window: as wide as that
        here, chosen = "div:has(> .forearm-tabs) + div", 1 + self.names.index(self.at)
        self._style.content = (
            f"<div class='forearm-tabs'></div><style>{here} > div > div:first-child:has(label) {{display: none}}"
            f"{here} > div > div:last-child {{flex-grow: 1; gap: 0 !important}}"
            f"{here} button {{border-width: 0 0 2px 0; border-radius: 0; height: 2.4em; color: inherit; opacity: .7}}"
            f"{here} button {{border-color: rgba(128,128,128,.35); font-size: 13px; font-weight: 500}}"
            f"{here} button:nth-child({chosen}) {{border-color: {css(BACKWARD)}; color: {css(TAB)}; opacity: 1}}"
            f"@media (max-width: {NARROW}) {{{sheet} {{width: 100% !important}}}}</style>"
        )


def move(node: Any, T: Floats) -> None:
    """Puts a scene node at a (4, 4) pose."""
    node.wxyz, node.position = to_quaternion(T[:3, :3]), T[:3, 3]


def clamped(value: Any, lower: float, upper: float) -> float:
    """A number inside its range: a typed one may lie outside, whatever the control says."""
    number = float(value)
    return min(max(number, lower), upper) if math.isfinite(number) else lower


def within(T: Floats, size: float) -> Floats:
    """A pose whose origin is moved near to a figure of a size [m]: nothing is dragged out of the world."""
    distance, radius = float(np.linalg.norm(T[:3, 3])), WORLD_PER_REACH * size
    if distance > radius:
        T = T.copy()
        T[:3, 3] *= radius / distance
    return T
