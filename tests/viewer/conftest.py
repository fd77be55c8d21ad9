"""Running viewers and a browser for them; skipped, with the reason, where something is missing."""

import importlib.util
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for acting.py and browser.py, which are no tests

from acting import PLANAR
from browser import Tab, chromium, find_chromium

import forearm as fa
from forearm.viewer.arm.figure import capsule_pieces
from forearm.viewer.arm.page import ArmPage
from forearm.viewer.bones.figures import make_chain
from forearm.viewer.bones.page import BonesPage
from forearm.viewer.bones.problem import BonesProblem


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    for package in ("viser", "playwright"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"needs the package {package}")
    if find_chromium() is None:
        pytest.skip("needs a browser: install Debian's package chromium")
    with chromium(tmp_path_factory.mktemp("profile")) as context:
        yield context


@pytest.fixture
def visit(browser):
    """Opens tabs on viewers and, at the end, leaves those that are still open."""
    tabs = []

    def open_tab(viewer):
        tabs.append(Tab(browser, viewer))
        return tabs[-1]

    yield open_tab
    for tab in tabs:
        if not tab.page.is_closed():
            tab.leave()


@pytest.fixture(scope="module")
def server():
    viser = pytest.importorskip("viser")
    running = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    yield running
    running.stop()


@pytest.fixture
def page(server):
    """An arm's page whose thread does nothing, so that a test acts in its place."""
    made = ArmPage(server, PLANAR, capsule_pieces(PLANAR.model))
    made.worker.close()
    yield made
    server.scene.reset()
    server.gui.reset()


@pytest.fixture
def chain_page(server):
    made = BonesPage(server, BonesProblem(make_chain(6), 0.02, lambda angle: make_chain(6, angle)), 1.0)
    made.worker.close()
    yield made
    server.scene.reset()
    server.gui.reset()


@pytest.fixture
def arm_page(server):
    """Makes pages of arms by name, all taken down at the end."""

    def make(name):
        arm = fa.load(name)
        made = ArmPage(server, arm, capsule_pieces(arm.model))
        made.worker.close()
        return made

    yield make
    server.scene.reset()
    server.gui.reset()
