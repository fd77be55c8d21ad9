"""The camera fits a figure, also when the picture gets another shape; a user's own view stays."""

from types import SimpleNamespace

import numpy as np
import pytest

from forearm.viewer.shared.stage import Stage, fitted_camera

POINTS = np.array([[0.0, 0.0, 0.0], [0.4, 0.1, 0.9], [-0.2, 0.5, 0.3]])


@pytest.fixture
def stage(server):
    made = Stage(server, 1.0, np.eye(4))
    camera = SimpleNamespace(image_width=900, image_height=800, position=np.zeros(3), look_at=np.zeros(3))
    made.host = SimpleNamespace(camera=camera)
    yield made
    server.scene.reset()


def test_the_view_is_fitted_again_when_the_picture_gets_another_shape(stage):
    stage.fit(POINTS)
    camera = stage.host.camera
    assert not stage.is_reshaped(camera)
    camera.image_width = 500
    assert stage.is_reshaped(camera)
    stage.fit_again(POINTS)
    np.testing.assert_allclose([camera.position, camera.look_at], fitted_camera(POINTS, 500, 800))
    stage.fit_again(2.0 * POINTS)  # more is shown
    np.testing.assert_allclose([camera.position, camera.look_at], fitted_camera(2.0 * POINTS, 500, 800))
    camera.image_width, camera.image_height = 250, 400  # the same picture in fewer pixels
    assert not stage.is_reshaped(camera)


def test_a_view_that_the_user_has_turned_stays(stage):
    stage.fit(POINTS)
    camera = stage.host.camera
    stage.note(camera)  # the browser has put it there
    camera.position = camera.position + np.array([0.3, 0.0, 0.0])
    camera.image_width, before = 500, camera.position
    stage.fit_again(POINTS)
    assert camera.position is before


def test_a_browser_that_still_tells_where_its_camera_opened_has_no_view_of_its_own(stage):
    camera = stage.host.camera
    stage.fit(POINTS)
    for late in ([[-5.0, 0.0, 0.0], [0.0, 0.0, 0.0]], [[3.0, 3.0, 3.0], [0.1, -0.2, 0.5]]):  # as a browser told
        camera.position, camera.look_at = np.array(late)
        stage.note(camera)
        stage.has_sheet = not stage.has_sheet
        stage.fit_again(POINTS)
        np.testing.assert_allclose(
            [camera.position, camera.look_at], fitted_camera(POINTS, 900, 800, stage.has_sheet), atol=1e-12
        )
