"""Shapes that stand out too far of the usual number of capsules get more of them."""

import numpy as np
import pytest

from forearm.arm import bodies
from forearm.models.mechanism import LinkShape


@pytest.mark.compiled
def test_a_shape_that_misses_the_wish_is_tried_with_more_capsules(monkeypatch):
    plate = LinkShape("link", 0, np.eye(4), "box", (0.4, 0.3, 0.02))
    monkeypatch.setattr(bodies, "MOST", 3)
    monkeypatch.setattr(bodies, "MORE", 3)
    few = bodies.fit_shape(plate, np.zeros(3))
    assert few.excess > few.goal
    monkeypatch.setattr(bodies, "MORE", 64)
    many = bodies.fit_shape(plate, np.zeros(3))
    assert many.excess <= many.goal
    assert len(many.capsules) > 3


@pytest.mark.compiled
def test_a_shape_that_meets_the_wish_keeps_its_capsules(monkeypatch):
    brick = LinkShape("link", 0, np.eye(4), "box", (0.3, 0.1, 0.1))
    usual = bodies.fit_shape(brick, np.zeros(3))
    assert usual.excess <= usual.goal
    monkeypatch.setattr(bodies, "MORE", 1)
    assert np.array_equal(bodies.fit_shape(brick, np.zeros(3)).capsules, usual.capsules)
