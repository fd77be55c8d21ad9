"""How near an arm comes to what it must not touch, for Python: at one configuration after another."""

import math

from forearm.core.arm.compact import Q, is_coupled
from forearm.core.collision.bodies import PLACED, Stance, World, gap_between, least_gap, place_bodies, worst_gap
from forearm.core.general.lm import Aim, open_try, stand, try_size
from forearm.core.jit import leaf, lean, shared
from forearm.core.shaped import shaped


@shared
def stance_size(m, bodies):
    """How many numbers of scratch an arm of m joints takes to be put somewhere."""
    return try_size(m) + PLACED * bodies


@leaf
def open_aimless(chain, budget, work):
    """A try that aims at nothing yet, in the first `try_size(m)` numbers of scratch; only for lean kernels."""
    return open_try(chain, Aim(0.0, 0.0, 0.0, 0.0, False, is_coupled(chain)), budget, work)


@leaf
def open_stance(chain, bodies, work):
    """A stance in the first `stance_size` numbers of scratch; only for lean kernels."""
    s, rest = bodies.shape[0], work[try_size(chain.shape[0] - 1) :]
    # it takes no step, so it has no budget
    return Stance(open_aimless(chain, work, work), shaped(rest[: PLACED * s], (s, PLACED)))


@leaf
def put(stance, bodies, q):
    """Places the arm's joints and bodies at q."""
    arm = stance.trial.arm
    for k in range(arm.shape[0]):
        arm[k, Q] = q[k] if k < q.shape[0] else 0.0
    stand(stance.trial)
    place_bodies(stance, bodies)


@lean
def clearances(chain, bodies, pairs, charts, obstacles, clearance, Q_all, work, gaps_out, nearest_out):
    """Writes the least gap of each of N configurations, and (N, 2) what is nearest (`core/collision/bodies.py`).

    Only gaps too small for the clearance count, infinity is written where there is none; at infinity all of them do.
    """
    stance, world = open_stance(chain, bodies, work), World(bodies, pairs, charts, obstacles, clearance)
    for i in range(Q_all.shape[0]):
        put(stance, bodies, Q_all[i])
        if clearance == math.inf:
            gap, body, other = least_gap(world, stance.placed, stance.trial.arm, math.inf, math.inf)
        else:
            gap, body, other = worst_gap(world, stance.placed, stance.trial.arm)
        gaps_out[i], nearest_out[i, 0], nearest_out[i, 1] = gap, body, other


@lean
def pair_gaps(chain, bodies, pairs, Q_all, work, gaps_out):
    """Writes the (N, p) gaps of pairs of bodies in N configurations; `work` as `clearances` takes it."""
    stance, world = open_stance(chain, bodies, work), World(bodies, pairs, bodies[:0], bodies[:0], 0.0)
    for i in range(Q_all.shape[0]):
        put(stance, bodies, Q_all[i])
        for p in range(pairs.shape[0]):
            gaps_out[i, p] = gap_between(world, stance.placed, pairs[p, 0], pairs[p, 1])[0]
