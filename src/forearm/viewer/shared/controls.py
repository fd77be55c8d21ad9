"""How controls of a page speak to its worker: tiny callbacks that post what was wished."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from forearm.common.transforms import to_quaternion
from forearm.common.types import Floats
from forearm.viewer.shared.rotations import pose_of
from forearm.viewer.shared.worker import Worker

WORLD_PER_REACH = 3.0  # how far from the base things may be dragged, per metre of reach


def on_change(handle: Any, worker: Worker, action: Callable[[Any], object]) -> None:
    """Lets the worker act on a control's newest value; what Python itself set is no wish."""
    name = f"change {id(handle)}"

    async def changed(event: Any) -> None:
        if event.client is not None:
            value = event.target.value
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
        T = pose_of(event.target.wxyz, event.target.position)
        worker.post(name, lambda: action(T))

    gizmo.on_update(dragged)


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
