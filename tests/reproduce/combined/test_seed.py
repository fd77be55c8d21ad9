"""The seed that the combined paper's printed answer tells: the answer from it, and the shares of Table II."""

import math

import numpy as np
import pytest

from forearm.reproduce import Sampling, checks
from forearm.reproduce.combined import seed
from forearm.reproduce.combined.paths import IIWA_ANSWER
from forearm.reproduce.combined.tables import IIWA


def test_the_seed_has_the_links_that_the_sweeps_left_but_for_theta_3():
    P1, l2, l3 = np.array([0.0, 0.0, 0.36]), 0.42, 0.4
    bend, azimuth, polar = 0.3, 3.05, 0.8  # beyond the limit of joint 1, 2.967
    for theta1, theta2 in ((azimuth, polar), (azimuth - math.pi, -polar)):
        along = np.array([math.cos(azimuth) * math.sin(polar), math.sin(azimuth) * math.sin(polar), math.cos(polar)])
        across = np.array([math.cos(azimuth) * math.cos(polar), math.sin(azimuth) * math.cos(polar), -math.sin(polar)])
        P2 = P1 + l2 * along
        P3 = P2 + l3 * (math.cos(bend) * along + math.sin(bend) * across)
        most = 4.0 if theta2 > 0.0 else 2.967
        side = 1.0 if theta2 > 0.0 else -1.0
        expected = [theta1, theta2, math.acos(side * l3 * math.sin(bend)), bend]
        np.testing.assert_allclose(seed.print_seed(np.array([P1, P2, P3]), most), expected, atol=1e-12)


@pytest.mark.compiled
def test_the_printed_answer_and_the_shares_come_out_from_it():
    pytest.importorskip("nlopt")
    shares, answer = seed.tables(Sampling(300), lambda _: None)
    for row in shares.rows:
        assert row.paper == IIWA.printed[f"combined, n_l {row.n_l}"][0]
        assert abs(row.here - row.paper) < checks.spread(row.paper, 300, checks.SPEC_DRAWS["combined"])
    off = np.abs([row.here - row.paper for row in answer.rows])
    assert [row.paper for row in answer.rows] == list(IIWA_ANSWER[:4])
    assert (off[[0, 1, 3]] <= 5e-4).all()  # three digits
    assert off[2] <= 1e-3  # along the free motion; the plane of Eq. (24) is 83 degrees away
