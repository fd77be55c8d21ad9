"""The step against dense normal equations whose Jacobian is measured by central differences of plain NumPy."""

import sys
from itertools import product
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import forearm as fa
from forearm.core.tree import layout as at
from forearm.core.tree.place import place
from forearm.core.tree.step import take_step
from forearm.core.tree.tasks import stiffen
from forearm.goals import CenterOfMass, Goal, LookAt, Posture, Relative
from forearm.trees import pack as packing
from forearm.trees.measure import centre_of_mass, link_pose

sys.path.insert(0, str(Path(__file__).parents[2] / "trees"))  # for tree_robots.py, which is no test
from tree_robots import two_arms

DAMPING, STIFF, NUDGE = 1e-3, 0.05, 1e-6


def chord(R):
    """Axis times 2 sin(angle / 2) of a rotation."""
    turn = pin.Quaternion(R)
    return 2.0 * np.sign(turn.w) * np.array([turn.x, turn.y, turn.z])


def error(goals, body, q, T):
    """The weighted errors of goals, one below the other."""
    rows = []
    for goal in goals:
        if isinstance(goal, CenterOfMass):
            rows.append((goal.point - centre_of_mass(body, q, T))[: len(goal.axes)])
            continue
        tip = link_pose(body, q, T, goal.link)
        if isinstance(goal, LookAt):
            axis, ray = tip[:3, :3] @ goal.axis, goal.point - tip[:3, 3]
            ray /= np.linalg.norm(ray)
            rows.append(0.2 * np.cross(axis, ray) * np.sqrt(2.0 / (1.0 + axis @ ray)))
            continue
        frame = goal.target.goal if isinstance(goal, Goal) else link_pose(body, q, T, goal.other) @ goal.pose
        rows += [frame[:3, 3] - tip[:3, 3], 0.2 * chord(frame[:3, :3] @ tip[:3, :3].T)]
    return np.concatenate(rows)


def moved(q, T, step, free):
    """Joint values and base behind a step."""
    if not free:
        return q + step, T
    new = T.copy()
    new[:3, 3] += step[:3]
    new[:3, :3] = pin.exp3(step[3:6]) @ T[:3, :3]
    return q + step[6:], new


def dense(goals, body, q, T):
    """The step of (J'J + S + damping) dq = J'e + S (rest - q), with J by differences."""
    free = body.base == "free"
    nv = body.n + 6 * free
    e = error(goals, body, q, T)
    J = np.zeros((len(e), nv))
    for k in range(nv):
        nudge = np.zeros(nv)
        nudge[k] = NUDGE
        there, back = (error(goals, body, *moved(q, T, sign * nudge, free)) for sign in (1, -1))
        J[:, k] = (back - there) / (2.0 * NUDGE)
    S = np.zeros(nv)
    S[6 * free :] = STIFF**2
    pull = np.zeros(nv)
    pull[6 * free :] = -(STIFF**2) * q
    return np.linalg.solve(J.T @ J + np.diag(S + DAMPING), J.T @ e + pull)


@pytest.mark.parametrize("short", [0, 100], ids=["recursion", "elimination"])
@pytest.mark.parametrize("base", ["fixed", "free"])
def test_step_solves_the_normal_equations(base, short, monkeypatch):
    monkeypatch.setattr(packing, "SHORT_PATH", short)
    body = fa.Tree.from_urdf(two_arms(), base=base).body
    rng = np.random.default_rng(3)
    q, T = 0.3 * rng.uniform(size=body.n), fa.Pose([0.2, 0.1, 0.3], rpy=(0.3, 0.2, 0.1)).goal
    T = T if base == "free" else np.eye(4)
    left, right, head = (link_pose(body, q, T, link) for link in ("left_hand", "right_hand", "head"))
    goals = [  # met where it stands, so that the step's Jacobian is the error's own
        Goal("left_hand", left),
        Relative("right_hand", "left_hand", np.linalg.inv(left) @ right),
        LookAt("head", head[:3, 3] + 1.3 * head[:3, 0]),
        CenterOfMass([0.3, 0.1]),
    ]
    packed = packing.pack(body, goals, [Posture(np.zeros(body.n), weight=STIFF)], 0)
    assert bool(packed.numbers[at.DEPTH]) == (short > 0)
    tree = at.open_tree(packed.numbers)
    room = at.open_room(tree, at.nothing(np.zeros(0)), np.zeros(packed.work))
    tree.variables[:, at.LOW], tree.variables[:, at.HIGH] = -1e9, 1e9
    room.x[:], room.te[:, at.BOOST], room.flags[at.POSTURES] = [*q[packed.variables], *packing.flat(T)], 1.0, 1.0
    place(tree, room)
    _, E = stiffen(tree, room)
    assert np.isclose(E, (error(goals, body, q, T) ** 2).sum(), rtol=1e-12)
    take_step(tree, room, DAMPING)
    offset = 6 * (base == "free")
    order = [*range(offset), *(offset + packed.variables)]
    wanted = dense(goals, body, q, T)[order]
    assert np.allclose(room.steps[at.STEP], wanted, atol=1e-8 * np.abs(wanted).max())


def boxed_least_squares(A, b, low, high):
    """The least squares of A x - b over a box: of all ways to hold joints at their ends, the best that stays inside."""
    moved = np.flatnonzero(np.abs(A[:3]).max(axis=0) > 0.0)  # the others stay
    best, answer = np.inf, np.zeros(A.shape[1])
    for held in product((None, low, high), repeat=len(moved)):
        x = np.zeros(A.shape[1])
        free = [k for k, end in zip(moved, held, strict=True) if end is None]
        for k, end in zip(moved, held, strict=True):
            x[k] = 0.0 if end is None else end[k]
        x[free] = np.linalg.lstsq(A[:, free], b - A @ x, rcond=None)[0]
        off = float(np.linalg.norm(A @ x - b))
        if off < best and (x >= low - 1e-12).all() and (x <= high + 1e-12).all():
            best, answer = off, x
    return answer


def test_joints_at_limits_are_held_where_the_dense_active_set_holds_them():
    body = fa.Tree.from_urdf(two_arms()).body
    q = np.full(body.n, 0.1)
    goals = [Goal("left_hand", fa.Position(link_pose(body, q, np.eye(4), "left_hand")[:3, 3] + [0.3, 0.3, 0.2]))]
    packed = packing.pack(body, goals, [], 0)
    tree = at.open_tree(packed.numbers)
    room = at.open_room(tree, at.nothing(np.zeros(0)), np.zeros(packed.work))
    tree.variables[:, at.LOW], tree.variables[:, at.HIGH] = 0.05, 0.15
    room.x[:], room.te[:, at.BOOST] = [*q[packed.variables], *packing.flat(np.eye(4))], 1.0
    for _ in range(8):
        place(tree, room)
        stiffen(tree, room)
        take_step(tree, room, DAMPING)
    n = len(packed.variables)
    assert (room.x[:n] >= 0.05).all()
    assert (room.x[:n] <= 0.15).all()
    assert np.isin(room.x[:n], (0.05, 0.15)).any()
    best = np.inf
    x = q.copy()
    for _ in range(30):  # Gauss-Newton on the box, each step by trying every set of held joints
        point = goals[0].target.goal[:3, 3]
        e = point - link_pose(body, x, np.eye(4), "left_hand")[:3, 3]
        best = min(best, float(e @ e))
        J = np.zeros((3, body.n))
        for k in range(body.n):
            there = x.copy()
            there[k] += NUDGE
            J[:, k] = (point - e - link_pose(body, there, np.eye(4), "left_hand")[:3, 3]) / -NUDGE
        damped = np.vstack([J, 1e-2 * np.eye(body.n)])
        x = np.clip(x + boxed_least_squares(damped, np.array([*e, *np.zeros(body.n)]), 0.05 - x, 0.15 - x), 0.05, 0.15)
    place(tree, room)
    _, E = stiffen(tree, room)
    assert best * (1.0 - 1e-6) <= E <= best * 1.01
