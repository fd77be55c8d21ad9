"""When a robot may be where it should be: a clip's own times, slowed down where joints would be too fast.

The way stays as it is, so what was held and kept apart along it stays so. Where a joint is too fast for its bound, or
its speed changes too quickly, the time between frames is stretched there and, evenly less, around it.
"""

import numpy as np

from forearm.common.types import Floats

ROUNDS = 400
SLACK = 1e-6  # share of a bound that it is undercut by
GROWTH = 1.3  # most that a round stretches a gap
AROUND = 0.1  # [s] how far round a gap it fades out, so that slowing down asks for no more than it gives


def paced(Q: Floats, times: Floats, velocity: Floats, acceleration: Floats) -> Floats:
    """(F,) times at which (F, n) joint values keep both bounds, never nearer to each other than those given."""
    gaps = np.diff(times)
    if len(gaps) == 0:
        return np.array(times)
    steps = np.abs(np.diff(Q, axis=0))
    gaps = np.maximum(gaps, (steps / velocity).max(axis=1) * (1.0 + SLACK))
    reach = max(round(AROUND / float(gaps.mean())), 1)
    for _ in range(ROUNDS):
        too_much = excess(Q, gaps, acceleration)
        if too_much.max(initial=0.0) <= 1.0:
            break
        stretch = np.ones(len(gaps))
        wanted = np.minimum(np.sqrt(np.maximum(too_much, 1.0)) * (1.0 + SLACK), GROWTH)
        for shift in range(-reach, reach + 1):
            share = (1.0 - abs(shift) / (reach + 1.0)) ** 2
            for side in (0, 1):  # a frame lies between two gaps
                k = np.arange(len(wanted)) + side + shift
                inside = (k >= 0) & (k < len(gaps))
                np.maximum.at(stretch, k[inside], wanted[inside] ** share)
        gaps = gaps * stretch
    else:
        gaps = gaps * np.sqrt(max(float(excess(Q, gaps, acceleration).max(initial=0.0)), 1.0)) * (1.0 + SLACK)
    return np.concatenate([times[:1], times[0] + np.cumsum(gaps)])


def excess(Q: Floats, gaps: Floats, acceleration: Floats) -> Floats:
    """(F - 2,) at each inner frame, the greatest change of a speed to what is allowed."""
    speeds = np.diff(Q, axis=0) / gaps[:, None]
    changes = np.abs(np.diff(speeds, axis=0)) / (0.5 * (gaps[1:] + gaps[:-1]))[:, None]
    return np.asarray((changes / acceleration).max(axis=1)) if len(changes) else np.zeros(0)
