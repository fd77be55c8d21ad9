"""What the general solver promises, judged by matrix products of its own answers and nothing else.

The same promises over 10,000 targets each: `python benchmarks/chains.py`.
"""

import hashlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import forearm as fa
from facing import is_away

TOLERANCE = 1e-6  # [m] and [rad]
NEAR = 0.05  # [rad or m]

MIMIC = """<robot name="mimic"><link name="a"/><link name="b"/><link name="c"/><link name="d"/><link name="e"/>
  <link name="tip"/>
  <joint name="turn" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
  <joint name="lift" type="{lift}"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/>
    <origin xyz="0 0 0.1"/><limit lower="-1.2" upper="1.8"/></joint>
  <joint name="follow" type="{lift}"><parent link="c"/><child link="d"/><axis xyz="0 1 0"/>
    <origin xyz="0.3 0 0"/><limit lower="-2" upper="2"/><mimic joint="lift" multiplier="-0.5"/></joint>
  <joint name="push" type="prismatic"><parent link="d"/><child link="e"/><axis xyz="1 0 0"/>
    <origin xyz="0.25 0 0"/><limit lower="0" upper="0.3"/></joint>
  <joint name="tilt" type="revolute"><parent link="e"/><child link="tip"/><axis xyz="0 0 1"/>
    <origin xyz="0 0 0.1" rpy="0.5 0 0"/><limit lower="-2" upper="2"/></joint>
</robot>"""


def product_of_matrices(robot, Q):
    """(N, 4, 4) poses of the tip, without the library's kinematics."""
    T = np.tile(np.eye(4), (len(Q), 1, 1))
    for i, link in enumerate(robot.model.links):
        T = T @ np.vstack([link, [0.0, 0.0, 0.0, 1.0]])
        if i == len(robot.model.joints):
            return T
        slides, variable, ratio = robot.model.joints[i]
        value = ratio * Q[:, int(variable)]
        M = np.tile(np.eye(4), (len(Q), 1, 1))
        if slides:
            M[:, 2, 3] = value
        else:
            M[:, 0, 0] = M[:, 1, 1] = np.cos(value)
            M[:, 1, 0], M[:, 0, 1] = np.sin(value), -np.sin(value)
        T = T @ M
    return T


def as_target(kind, T):
    """What a kind of target asks of a pose."""
    return {
        "pose": lambda T: T,
        "position": lambda T: fa.Position(T[:3, 3]),
        "orientation": lambda T: fa.Orientation(T[:3, :3]),
        "z axis": lambda T: fa.PointAxis(T[:3, 3], T[:3, 2]),
        "x axis": lambda T: fa.PointAxis(T[:3, 3], T[:3, 0], tool_axis=[1, 0, 0]),
    }[kind](T)


def are_met(robot, answers, poses, kind="pose"):
    """(N,) whether answers meet what their kind asks of the poses, inside the limits."""
    reached = product_of_matrices(robot, answers)
    ok = ((robot.limits[0] <= answers) & (answers <= robot.limits[1])).all(axis=1)
    if kind != "orientation":
        ok &= np.linalg.norm(reached[:, :3, 3] - poses[:, :3, 3], axis=1) <= TOLERANCE
    columns = {"z axis": [2], "x axis": [0], "position": []}.get(kind, [0, 1, 2])
    for j in columns:  # for a small turn, the longest way of a unit vector is the angle itself
        ok &= np.linalg.norm(reached[:, :3, j] - poses[:, :3, j], axis=1) <= TOLERANCE
    return ok


def solve_all(robot, Q, kind="pose", starts=None, **options):
    """(N, n) answers to targets drawn from Q, and (N,) whether they are met."""
    poses = product_of_matrices(robot, Q)
    starts = [None] * len(Q) if starts is None else starts
    answers = np.array([robot.solve(as_target(kind, T), q0, **options).q for T, q0 in zip(poses, starts, strict=True)])
    return answers, are_met(robot, answers, poses, kind)


def near_starts(robot, Q, away=NEAR):
    signs = np.random.default_rng(2).choice([-1.0, 1.0], Q.shape)
    return np.clip(Q + away * signs, *robot.limits)


def other_turns(robot, Q):
    """Q with its joints on other whole turns, where the limits hold them."""
    other = Q + 2.0 * np.pi * np.random.default_rng(3).integers(-2, 3, Q.shape)
    return np.where((robot.limits[0] <= other) & (other <= robot.limits[1]), other, Q)


def random_chain(seed):
    """A chain of 4 to 10 joints with random offsets, twists and limits; some slide, some turn for ever."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(rng.integers(4, 11)):
        twist = rng.choice([0.0, 0.5 * np.pi, -0.5 * np.pi, rng.uniform(-np.pi, np.pi)])
        row = {"a": rng.uniform(-0.3, 0.5), "alpha": twist, "d": rng.uniform(-0.2, 0.4), "offset": rng.uniform(-1, 1)}
        middle, half = rng.uniform(-1.0, 1.0), rng.uniform(0.5, np.pi)
        if rng.random() < 0.15:
            row |= {"kind": "prismatic", "limits": (0.0, rng.uniform(0.05, 0.5))}
        elif rng.random() < 0.8:
            row["limits"] = (middle - half, middle + half)
        rows.append(row)
    return fa.Robot.from_dh(rows, name=f"random-{seed}")


# -- every target drawn from the chain's own kinematics is met -----------------------------------


@pytest.mark.parametrize("method", ["general", "fabrik-r"])
@pytest.mark.parametrize("tries", [1, 2, 5])
@pytest.mark.parametrize("warm", [False, True])
def test_an_answer_that_a_small_budget_polished_into_tolerance_counts_as_solved(method, tries, warm):
    robot = fa.load("ur5")
    poses, q0 = product_of_matrices(robot, robot.sample(100, rng_seed=0)), np.zeros(6) if warm else None
    found = [robot.solve(T, q0, method=method, max_tries=tries, explain=False) for T in poses]
    met = are_met(robot, np.array([one.q for one in found]), poses)
    assert [one.success for one in found] == met.tolist()
    assert met.mean() > 0.3  # of the worst, fabrik-r with one try from far away


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["ur5", "ur10e", "iiwa14", "panda", "xarm7", "gen3", "jaco2", "irb140", "puma560"])
def test_a_cold_start_solves_every_pose(name):
    robot = fa.load(name)
    _, met = solve_all(robot, robot.sample(2000, rng_seed=1))
    assert met.all()


OWN_TARGETS = [
    *((name, "position") for name in ("fabrik-r-5dof", "fabrik-r-10dof", "pioneer", "snake-30", "snake-100")),
    *((name, kind) for name in ("so101", "fabrik-r-5dof") for kind in ("z axis", "x axis")),
    *((name, "orientation") for name in ("ur5", "panda", "so101")),
    ("scara", "pose"),
]


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "kind"), OWN_TARGETS)
def test_every_target_of_its_own_kind_is_solved(name, kind):
    robot = fa.load(name)
    _, met = solve_all(robot, robot.sample(1000, rng_seed=1), kind)
    assert met.all()


@pytest.mark.compiled
def test_random_chains_solve_all_their_own_targets():
    missed = []
    for seed in range(40):
        robot = random_chain(seed)
        for kind in ("pose",) if robot.n >= 6 else ("pose", "position", "z axis"):
            _, met = solve_all(robot, robot.sample(30, rng_seed=1), kind)
            missed += [] if met.all() else [(seed, kind)]
    assert missed == []


@pytest.mark.parametrize("kind", ["pose", "position"])
def test_a_chain_with_a_joint_that_follows_another_solves_its_own_targets(kind):
    robot = fa.Robot.from_urdf(MIMIC.format(lift="revolute"))
    _, met = solve_all(robot, robot.sample(10, rng_seed=1), kind)
    assert met.all()


def test_a_joint_that_another_follows_by_half_is_not_wound_by_whole_turns():
    tool = np.eye(4)
    tool[0, 3] = 0.1
    robot = fa.Robot.from_urdf(MIMIC.format(lift="continuous"), tool=tool)
    Q = robot.sample(10, rng_seed=1)
    Q[:, 1] += 2.0 * np.pi * np.arange(10)  # each turn of it is another pose
    for kind, rest in (("pose", None), ("position", None), ("position", Q[0])):
        answers, met = solve_all(robot, Q, kind, near_starts(robot, Q), rest=rest)
        assert met.all()
        assert rest is not None or np.abs(answers - Q)[:, 1].max() < 0.5


@pytest.mark.compiled
def test_an_arm_on_a_rail_solves_every_pose():
    turn = {"limits": (-2.0 * np.pi, 2.0 * np.pi)}
    table = [(0, 1, 0.089159), (-0.425, 0, 0), (-0.39225, 0, 0), (0, 1, 0.10915), (0, -1, 0.09465), (0, 0, 0.0823)]
    arm = [{"a": a, "alpha": 0.5 * np.pi * quarters, "d": d} | turn for a, quarters, d in table]
    rail = {"kind": "prismatic", "alpha": 0.5 * np.pi, "limits": (0.0, 1.0)}
    robot = fa.Robot.from_dh([rail, *arm])
    _, met = solve_all(robot, robot.sample(500, rng_seed=1))
    assert met.all()


# -- hard cases ----------------------------------------------------------------------------------

HARD_ARMS = ("ur5", "panda", "iiwa14", "puma560")
# joint and value at which the arm is stretched out, and at which its wrist is singular
STRETCHED = {"ur5": (2, 0.0), "panda": (3, -0.46700243), "iiwa14": (3, 0.0), "puma560": (2, -1.52381842)}
WRIST = {"ur5": 4, "panda": 5, "iiwa14": 5, "puma560": 4}


@pytest.mark.compiled
@pytest.mark.parametrize("name", HARD_ARMS)
@pytest.mark.parametrize(("share", "promise"), [(1.0, 0.998), (0.3, 1.0)])
def test_targets_with_joints_exactly_at_limits_are_solved(name, share, promise):
    robot = fa.load(name)
    robot = robot.with_limits(np.clip(robot.limits, -2.5, 2.5)) if name == "ur5" else robot
    rng, Q = np.random.default_rng(4), robot.sample(1000, rng_seed=1)
    Q = np.where(rng.random(Q.shape) < share, np.where(rng.random(Q.shape) < 0.5, *robot.limits), Q)
    _, met = solve_all(robot, Q)
    assert met.mean() >= promise


@pytest.mark.compiled
@pytest.mark.parametrize("name", HARD_ARMS)
def test_singular_targets_are_solved(name):
    robot = fa.load(name)
    stretched, singular = robot.sample(1000, rng_seed=1), robot.sample(1000, rng_seed=1)
    stretched[:, STRETCHED[name][0]] = STRETCHED[name][1]
    singular[:, WRIST[name]] = 0.0
    for Q in (stretched, singular):
        _, met = solve_all(robot, Q)
        assert met.all()


@pytest.mark.compiled
@pytest.mark.parametrize("name", HARD_ARMS)
def test_a_start_half_a_turn_from_the_target_leads_there(name):
    robot = fa.load(name)
    Q = robot.sample(500, rng_seed=1)
    low, high = robot.limits[:, -1]
    Q[:, -1] = low + (Q[:, -1] - low) * (high - low - np.pi) / (high - low)
    starts = Q.copy()
    starts[:, -1] = np.minimum(Q[:, -1] + np.pi, high)
    _, met = solve_all(robot, Q, starts=starts)
    assert met.all()


@pytest.mark.compiled
@pytest.mark.parametrize("name", HARD_ARMS)
def test_lengths_in_millimetres_change_nothing(name):
    robot = fa.load(name)
    links = robot.model.links.copy()
    links[:, :, 3] *= 1000.0
    large = fa.Robot(replace(robot.model, links=links))
    _, met = solve_all(large, robot.sample(500, rng_seed=1))
    assert met.all()


# -- answers near a start ------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["ur5", "panda", "iiwa14", "xarm7", "gen3"])
def test_a_near_start_is_not_left_by_more_than_three_tenths_of_a_radian(name):
    robot = fa.load(name)
    Q = robot.sample(2000, rng_seed=1)
    starts = near_starts(robot, Q)
    answers, met = solve_all(robot, Q, starts=starts)
    assert met.all()
    assert np.abs(answers - starts).max() <= 0.3


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["pose", "position"])
@pytest.mark.parametrize("away", [1.0, 4.0])
@pytest.mark.parametrize("name", ["gen3", "ur5"])
def test_no_whole_turn_would_bring_a_joint_nearer_to_the_start(name, away, kind):
    robot = fa.load(name)
    Q = robot.sample(1000, rng_seed=1)
    starts = near_starts(robot, other_turns(robot, Q), away)
    answers, met = solve_all(robot, Q, kind, starts)
    assert met.all()
    for turns in range(-4, 5):
        other = answers + 2.0 * np.pi * turns
        inside = (robot.limits[0] <= other) & (other <= robot.limits[1])
        assert not (inside & (np.abs(other - starts) < np.abs(answers - starts) - 1e-9)).any()


@pytest.mark.parametrize("name", ["gen3", "ur5"])
def test_there_is_no_seam_at_half_a_turn(name):
    robot = fa.load(name)
    free = robot.limits[1] - robot.limits[0] >= 2.0 * np.pi
    Q = robot.sample(5, rng_seed=1)
    for side in (-np.pi, np.pi):
        seam = np.where(free, side + np.random.default_rng(5).uniform(-0.01, 0.01, Q.shape), Q)
        starts = near_starts(robot, seam, 0.02)
        answers, met = solve_all(robot, seam, starts=starts)
        assert met.all()
        assert np.abs(answers - starts).max() <= 0.3


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["ur5", "panda"])
@pytest.mark.parametrize("step", [0.1, 0.02])
def test_max_joint_step_is_never_exceeded(name, step):
    robot = fa.load(name)
    Q = robot.sample(1000, rng_seed=1)
    starts = near_starts(robot, Q)
    answers, met = solve_all(robot, Q, starts=starts, max_joint_step=step, explain=False)
    assert np.abs(answers - starts).max() <= step + 1e-12
    assert met.mean() == 1.0 or step < NEAR


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["panda", "iiwa14", "xarm7", "gen3"])
def test_a_rest_posture_is_come_closer_to_and_the_target_still_met(name):
    robot = fa.load(name)
    Q, posture = robot.sample(500, rng_seed=1), robot.sample(1, rng_seed=2)[0]
    without, _ = solve_all(robot, Q)
    answers, met = solve_all(robot, Q, rest=posture)
    assert met.all()
    before, after = (np.linalg.norm(found - posture, axis=1) for found in (without, answers))
    assert (after <= before + 1e-9).all()
    assert after.mean() < 0.97 * before.mean()


# -- the same bits -------------------------------------------------------------------------------

DIGEST = """
import hashlib
import numpy as np
import forearm as fa
robot = fa.load("panda")
poses, starts = robot.fk(robot.sample(200, rng_seed=6)), robot.sample(200, rng_seed=7)
bits = b"".join(robot.solve(T, q0).q.tobytes() for T, q0 in zip(poses, [None] * 100 + list(starts[100:])))
print(hashlib.sha256(bits).hexdigest())
"""


@pytest.mark.compiled
def test_eight_threads_on_one_robot_and_a_second_process_give_the_same_bits():
    robot = fa.load("panda")
    poses, starts = robot.fk(robot.sample(200, rng_seed=6)), robot.sample(200, rng_seed=7)
    jobs = list(zip(poses, [None] * 100 + list(starts[100:]), strict=True))

    def digest(_):
        return hashlib.sha256(b"".join(robot.solve(T, q0).q.tobytes() for T, q0 in jobs)).hexdigest()

    with ThreadPoolExecutor(8) as pool:  # the tables too are made by whoever comes first
        digests = set(pool.map(digest, range(8)))
    other = subprocess.run([sys.executable, "-c", DIGEST], capture_output=True, text=True, check=True)
    assert digests == {other.stdout.strip()}


def test_without_a_start_arms_seldom_reach_over_their_backs():
    """A search that knows no front turns it away from half of all targets, by more than a quarter turn."""
    for name in ("panda", "xarm7", "gen3"):
        arm = fa.load(name)
        poses = arm.fk(arm.sample(60, rng_seed=5))
        found = [arm.solve(T, explain=False) for T in poses]
        assert all(s.success for s in found)
        assert sum(is_away(arm, s.q, T) for s, T in zip(found, poses, strict=True)) <= 15


@pytest.mark.parametrize("more", [0, 1], ids=["even", "odd"])
def test_a_smaller_table_of_seeds_serves_too(more):
    """As an exported robot may have it; of an odd number of entries, half of the last number is nobody's."""
    from forearm.core.codes import POSE, REPORT, SOLVED
    from forearm.core.general.solve import general_size, solve_general
    from forearm.core.general.table import WINDOW, least_seeds, table_size
    from forearm.solve.methods.prepare import prepare_general

    arm = fa.load("panda")
    problem, table = prepare_general(arm._prepared, POSE, WINDOW + more)
    assert len(table) == (table_size(WINDOW + 1, 7) if more else least_seeds(7))
    q, work = np.empty(7), np.empty(general_size(7, 7))
    targets = arm.fk(arm.sample(30, rng_seed=4))
    met = []
    for target in targets:
        code = solve_general(problem, table, target, np.empty(0), work, q, np.empty(REPORT))
        met.append(code == SOLVED and np.abs(product_of_matrices(arm, q[None])[0] - target).max() < 2.0 * TOLERANCE)
    assert np.mean(met) == 1.0
