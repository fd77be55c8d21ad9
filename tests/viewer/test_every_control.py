"""Every control of every page, used in a shuffled order: nothing ends in an error that a user did not make."""

import asyncio
import random
import threading
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import forearm as fa
from forearm.viewer.arm.figure import capsule_pieces
from forearm.viewer.arm.page import ArmPage
from forearm.viewer.bones.figures import make_chain, upper_body
from forearm.viewer.bones.page import BonesPage
from forearm.viewer.bones.problem import BonesProblem
from forearm.viewer.tree.figure import tree_pieces
from forearm.viewer.tree.page import TreePage
from forearm.viewer.tree.problem import TreeProblem

viser = pytest.importorskip("viser")
pytestmark = pytest.mark.compiled

PATIENCE = 120.0  # for one control [s]; a solve among obstacles takes its time on a busy machine
TWO_ARMS = Path(__file__).parents[2] / "examples/two_arms.urdf"


def arm(name):
    return lambda host: ArmPage(host, fa.load(name), capsule_pieces(fa.load(name).model))


def tree(host):
    whole = fa.Tree.from_urdf(TWO_ARMS, base="planar")
    return TreePage(host, TreeProblem(whole, None), tree_pieces(whole.body)[0])


def chain(host):
    return BonesPage(host, BonesProblem(make_chain(6), 0.02, lambda angle: make_chain(6, angle)), 1.0)


def skeleton(host):
    return BonesPage(host, BonesProblem(upper_body(), 0.01), 1.0)


PAGES = {
    "jaco2": arm("jaco2"),  # some of its joints have no limits
    "iiwa14": arm("iiwa14"),
    "scara": arm("scara"),
    "tree": tree,
    "chain": chain,
    "skeleton": skeleton,
}


def values_of(control, rng):
    """What a user may set a control to, each once, in some order."""
    if hasattr(control, "options"):
        values = list(control.options)
    elif hasattr(control, "step"):
        values = [control.min, control.max, rng.uniform(control.min, control.max), 1e9, float("nan")]
    else:
        values = [True, False] if "Checkbox" in type(control).__name__ else [None]
    rng.shuffle(values)
    return values


def use(control, value):
    """Sets a control as a browser does."""
    if value is not None:
        control._impl.value = value
    event = SimpleNamespace(client=object(), client_id=0, target=control)
    for callback in list(control._impl.update_cb):
        asyncio.run(callback(event))


def drag(gizmo, rng):
    """Moves a handle as a browser does."""
    gizmo._impl.position = np.asarray(gizmo.position) + [rng.uniform(-0.3, 0.3) for _ in range(3)]
    for callback in list(gizmo._impl_aux.update_cb):
        asyncio.run(callback(SimpleNamespace(target=gizmo, phase="update", client=None, client_id=0)))


def is_used(control):
    """Whether a control is there to be used; a picture needs a browser."""
    return control.visible and not control.disabled and "picture" not in control.label


@pytest.mark.parametrize("name", PAGES)
def test_no_control_ends_in_an_error(server, name):
    rng, problems = random.Random(name), []
    page = PAGES[name](server)
    page.complain = problems.append
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            controls = list(server.gui._gui_input_handle_from_uuid.values())
            rng.shuffle(controls)
            for control in controls:
                for value in values_of(control, rng):
                    if not control._impl.removed and is_used(control):
                        use(control, value)
                        finish(page, control.label, value)
            for gizmo in list(server.scene._handle_from_transform_controls_name.values()):
                drag(gizmo, rng)
                finish(page, "a handle", gizmo.name)
        assert not problems
    finally:
        page.close()
        server.scene.reset()
        server.gui.reset()


def finish(page, label, value):
    """Waits until the page's thread has done what was asked."""
    done = threading.Event()
    page.worker.add(done.set)
    assert done.wait(PATIENCE), f"{label} at {value} takes for ever"
