"""Running viewers and a browser for them; skipped, with the reason, where something is missing."""

import importlib.util
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for browser.py, which is no test

from browser import Tab, chromium, find_chromium


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
