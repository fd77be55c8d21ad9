"""What the papers' figures share."""

import numpy as np

from forearm.reproduce import drawing


def test_a_circle_lies_in_its_plane():
    center, normal = np.array([1.0, 2.0, 3.0]), np.array([0.0, 3.0, 4.0])
    ring = drawing.circle(center, normal, 0.5)
    np.testing.assert_allclose(np.linalg.norm(ring - center, axis=1), 0.5)
    assert np.abs((ring - center) @ normal).max() < 1e-12
