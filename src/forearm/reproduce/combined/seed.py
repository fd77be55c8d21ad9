"""From which seed the combined paper's refiner began on the iiwa: what its printed answer tells, and its shares.

Sweeps stay in the plane through v_init and the target. Solved as written, Eq. (24) gives theta 3 there as 0 or half a
turn, and no descent from such a seed leaves the plane; the printed answer stands 83 degrees beside it. It comes out if
theta 3 is the arccosine of Eq. (24)'s right side as it stands, not divided by l3 sin theta 4: a cosine in metres. No
other sign of Eqs. (22) to (24), no stop rule of NLopt and no further sweep gives it. Of the signs of theta 2 the one
that keeps theta 1 inside its limits is taken, since SLSQP refuses a start outside; it then runs once.
"""

import math

import numpy as np

from forearm.arm.tables import Prepared
from forearm.common.types import Floats
from forearm.reproduce import Row, Sampling, Table, Tick
from forearm.reproduce.combined.paths import IIWA_ANSWER, N_L
from forearm.reproduce.combined.tables import HAS_NLOPT, IIWA, TOLERANCE, robots_of
from forearm.robot import Robot
from forearm.solve.methods.combined_nlopt import minimise_by_slsqp
from forearm.solve.methods.combined_tables import combined_tables

SWITCHES = (5, 15, 50)  # n_l of Table II
EVALUATIONS = 1000  # at most, of one run of SLSQP
WRIST = 0.126  # [m] l4, from P3 to the tip

NOTE_SHARES = (
    "Table II's queries of the iiwa, refined by one run of SLSQP each, from the seed that follows from the "
    "printed answer. With n_l 5 the seed of Eq. (24) as written (mode='paper') misses more than the print does; "
    "this one does not."
)
NOTE_ANSWER = (
    "Joints 1 to 4 after fifteen sweeps and SLSQP, with theta 3 and theta 4 turned to the print's sign of the "
    "same links. From the seed of Eq. (24) as written theta 1 and theta 3 end at -0.736 and 0. Where a descent "
    "ends along the arm's free motion depends on its steps, so theta 3 need not agree to the last digit."
)


def tables(sampling: Sampling, tick: Tick) -> tuple[Table, ...]:
    """The shares of Table II and the answer of Fig. 6 from that seed; nothing without NLopt."""
    if not HAS_NLOPT:
        return ()
    robot, rows = robots_of(IIWA)[1], []
    *_, links, joints = combined_tables(Prepared(robot.model))
    chain = links, joints, np.ascontiguousarray(robot.limits[:, :4])
    poses = [T for seed in sampling.seeds for T in robot.fk(robot.sample(sampling.targets, rng_seed=seed))]
    for n_l in SWITCHES:
        met = [refined(robot, chain, T, n_l)[1] <= TOLERANCE**2 for T in poses]
        paper = IIWA.printed[f"combined, n_l {n_l}"][0]
        rows.append(Row(n_l=n_l, queries=len(met), paper=paper, here=100.0 * float(np.mean(met))))
        tick(f"the print's seed, n_l {n_l}")
    q = refined(robot, chain, robot.fk(IIWA_ANSWER), N_L)[0] * [1.0, 1.0, 1.0, -1.0] - [0.0, 0.0, math.pi, 0.0]
    angles = tuple(
        Row(angle=f"theta {k + 1} (rad)", paper=IIWA_ANSWER[k], here=float(value)) for k, value in enumerate(q)
    )
    return (
        Table("table-2-seed", "Table II: iiwa, solved (%) from the printed answer's seed", NOTE_SHARES, tuple(rows)),
        Table("figure-6-seed", "Fig. 6: the iiwa's printed answer from that seed", NOTE_ANSWER, angles),
    )


def refined(robot: Robot, chain: tuple[Floats, Floats, Floats], T: Floats, n_l: int) -> tuple[Floats, float]:
    """Joints 1 to 4 behind the sweeps and one run of SLSQP on the chain to P3, and the squared distance left [m^2]."""
    trace = robot.trace(T, np.zeros(robot.n), method="combined", sweeps=n_l)
    swept = max(k for k, stage in enumerate(trace.stages) if stage != "sqp")
    seed = print_seed(trace.points[swept], float(chain[2][1, 0]))
    if trace.distance[swept] <= TOLERANCE:
        return seed, 0.0
    goal, start = T[:3, 3] - WRIST * T[:3, 2], np.clip(seed, *chain[2])
    return minimise_by_slsqp(chain, goal, TOLERANCE**2, EVALUATIONS, 1, start)[:2]


def print_seed(points: Floats, most: float) -> Floats:
    """(4,) the seed, from P1, P2, P3 and the limit of joint 1; theta 3 by Eq. (24) undivided."""
    second, third = np.diff(points, axis=0)
    along = second / np.linalg.norm(second)
    theta1, theta2 = math.atan2(along[1], along[0]), math.acos(along[2])  # Eqs. (23), (22)
    if abs(theta1) > most:
        theta1, theta2 = theta1 - math.copysign(math.pi, theta1), -theta2
    c1, s1, c2, s2 = math.cos(theta1), math.sin(theta1), math.cos(theta2), math.sin(theta2)
    theta4 = math.acos(min(1.0, float(along @ third) / float(np.linalg.norm(third))))  # Eq. (22)
    return np.array([theta1, theta2, math.acos(float(third @ [c1 * c2, s1 * c2, -s2])), theta4])
