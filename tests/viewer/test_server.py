"""Viewers start, close, and refuse addresses that cannot be."""

import re

import pytest
from acting import PLANAR

import forearm as fa
from forearm.viewer import view_chain, view_robot, view_skeleton

pytest.importorskip("viser")


@pytest.mark.parametrize(
    "start", [lambda **at: view_robot(PLANAR, **at), lambda **at: view_chain(4, **at), view_skeleton]
)
def test_viewers_start_and_close(start):
    with start(port=0) as viewer:
        assert viewer.url.startswith("http://127.0.0.1:")
        assert viewer.server.request_share_url() is None
        with start(port=viewer.port) as second:  # a port in use
            assert second.port != viewer.port
            assert second.wanted_port == viewer.port


def test_who_can_reach_it_is_known():
    with view_chain(4, port=0) as viewer:
        assert not viewer.is_public
    with view_chain(4, host="0.0.0.0", port=0) as viewer:
        assert viewer.is_public
        assert viewer.url == f"http://127.0.0.1:{viewer.port}"


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ({"host": "192.0.2.1"}, "host is '192.0.2.1', where nothing can listen"),
        ({"host": "no such host.invalid"}, "where nothing can listen"),
        ({"host": ""}, "host is '', where nothing can listen"),
        ({"host": None}, "host is 'None', where nothing can listen"),
        ({"host": "a\0b"}, "where nothing can listen"),
        ({"port": 70000}, "port is 70000; it takes 0"),
        ({"port": "8080"}, "port is '8080'; it takes 0"),
        ({"port": True}, "port is True; it takes 0"),
    ],
)
def test_addresses_that_cannot_be_are_refused(at, words):
    with pytest.raises(fa.errors.OptionError, match=re.escape(words)):
        view_robot(PLANAR, **at)


def test_a_page_that_draws_when_its_browser_has_left_warns_nobody(recwarn):
    with view_robot(fa.load("planar-3"), port=0) as viewer:
        text = viewer.server.gui.add_html("")
    text.content = "too late"
    assert not [each for each in recwarn if "closed connection" in str(each.message)]


def test_a_camera_has_no_first_place_that_a_browser_would_take_after_the_page_has_fitted_its_view():
    viser = pytest.importorskip("viser")
    plain = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    with view_chain(4, port=0) as viewer:
        for name in ("position", "look_at"):
            assert list(getattr(viewer.server.initial_camera, name)) == list(getattr(plain.initial_camera, name))
    plain.stop()
