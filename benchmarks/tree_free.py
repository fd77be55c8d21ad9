"""Whole robots among obstacles: two UR10 over a table, and MotionBenchMaker's problems for both arms of Baxter.

The two UR10 are judged by Pinocchio's frames and coal's distances of the same capsules; Baxter's spheres by the judge
of `benchmarks/motionbenchmaker.py`, which knows the URDF, the scene's primitives and nothing of forearm but which links
are held against each other.
"""

import tempfile
import time

import coal
import numpy as np

import forearm as fa
from coal_judge import capsule, distance, shape
from forearm.core.collision.bodies import FRAME, OWN_MOST, RADIUS, SPAN, START, WATCHED
from forearm.scenes import Scene
from motionbenchmaker import TOUCHES, Judge, obstacle, read_problems, resources, watched_links
from tree_cases import Case, bar

CLEARANCE = 0.01
SLACK = 1e-6  # of coal's distances of capsules [m]
ENOUGH = 0.05  # beyond it balls round capsules are far enough [m]
TABLE = {"table": fa.Box([0.0, 0.0, -0.35], [3.0, 3.0, 0.1]), "pillar": fa.Box([0.8, 0.0, 0.3], [0.1, 0.1, 1.2])}
BAXTER_TIPS = ("left_gripper", "right_gripper")


class CoalJudge:
    """The capsules of a robot, each on its link as Pinocchio places it, measured by coal."""

    def __init__(self, case, scene):
        geometry, places = case.tree.body.geometry, case.tree.body.places
        self.case, self.scene = case, [shape(obstacle) for obstacle in scene]
        self.links, self.watched = {}, {}  # of each link its capsules in its own frame; those held against the scene
        for link, row in zip(geometry.names, geometry.bodies, strict=True):
            T = np.linalg.inv(places[link][1])
            assert places[link][0] == int(row[FRAME])
            ends = np.array([row[START : START + 3], row[START : START + 3] + row[SPAN : SPAN + 3]])
            a, b = ends @ T[:3, :3].T + T[:3, 3]
            body = *capsule(a, b, row[RADIUS]), 0.5 * (a + b), row[RADIUS] + 0.5 * np.linalg.norm(b - a)
            self.links.setdefault(link, []).append(body)
            self.watched.setdefault(link, []).append(row[WATCHED] != 0.0)
        self.checked = geometry.checked

    def gaps(self, q, base):
        """The least distances from obstacles and from itself [m]; what is farther than `ENOUGH` is not told apart."""
        self.case.place(q, base)
        poses = {link: self.case.pose(link) for link in self.links}
        frames = {link: coal.Transform3s(T[:3, :3], T[:3, 3]) for link, T in poses.items()}
        world, own = np.inf, ENOUGH
        for link, bodies in self.links.items():
            for (body, place, _, _), held in zip(bodies, self.watched[link], strict=True):
                if held:
                    there = body, frames[link] * place
                    world = min(world, *(distance(there, obstacle) for obstacle in self.scene))
        for x, y in self.checked:
            (middles, reach), (others, far) = (self.balls(link, poses[link]) for link in (x, y))
            apart = np.linalg.norm(middles[:, None] - others[None], axis=2) - reach[:, None] - far[None]
            for i, j in np.argwhere(apart < own):
                one, other = self.links[x][i], self.links[y][j]
                own = min(own, distance((one[0], frames[x] * one[1]), (other[0], frames[y] * other[1])))
        return world, own

    def balls(self, link, T):
        """The balls round a link's capsules, in the world: middles and radii."""
        bodies = self.links[link]
        return np.array([body[2] for body in bodies]) @ T[:3, :3].T + T[:3, 3], np.array([body[3] for body in bodies])


def is_free(gaps, clearance=CLEARANCE):
    """Whether both distances are large enough."""
    return gaps[0] >= clearance - SLACK and gaps[1] >= min(clearance, OWN_MOST) - SLACK


def run_free(count, seed):
    """Two UR10 over a table: poses of configurations that coal calls free, asked without a start, then judged."""
    case, rng = Case("dual ur10"), np.random.default_rng(seed)
    judge, stack, scene = CoalJudge(case, TABLE.values()), case.stack(), Scene(TABLE)
    free, drawn = [], 0
    while len(free) < count:
        wanted, q, base = case.goals(rng)
        drawn += 1
        if is_free(judge.gaps(q, base)):
            free.append(wanted)
    met, wrong, times, tries, missed = 0, 0, [], [], []
    for i, wanted in enumerate(bar(free, "free poses of two UR10")):
        for name, T in wanted.items():
            stack[name] = T
        begin = time.thread_time()
        found = stack.solve(obstacles=scene, clearance=CLEARANCE, explain=False)
        times.append(time.thread_time() - begin)
        tries.append(found.tries)
        good = case.is_met(found.q, found.base, wanted) and is_free(judge.gaps(found.q, found.base))
        met += good
        wrong += found.success and not good
        missed += [] if good else [i]
    many = {name: np.array([wanted[name] for wanted in free[:100]]) for name in stack.names}
    begin = time.thread_time()
    stack.solve_batch(many, obstacles=scene, clearance=CLEARANCE, threads=1)
    whole = time.thread_time() - begin
    return {
        "free": "dual ur10 over a table, with itself",
        "count": count,
        "share of draws that are free": round(count / drawn, 3),
        "solved": met,
        "false": wrong,
        "most tries": int(max(tries)),
        "python, median and p99 [us]": (1e6 * np.percentile(times, [50, 99])).round(0).tolist(),
        f"batch of {min(count, 100)}, one core [ms]": 1e3 * whole,
        "cuRobo's 100 of dual UR10e on a GPU [ms]": "6.06",
        "missed": missed[:10],
    }


def run_baxter(where, most):
    """Both arms of Baxter at once: the two poses of each goal among its obstacles, without a start."""
    with tempfile.TemporaryDirectory() as unpacked:
        folder = resources(where, unpacked) / "baxter"
        urdf = folder / "baxter_spherized.urdf"
        tree = fa.Tree.from_urdf(urdf).with_geometry(srdf=folder / "baxter.srdf")
        judge = Judge(urdf, "base")
        problems = read_problems(folder / "problems.tar.bz2", "baxter")
    geometry = tree.body.charted
    watched = watched_links(_Held(geometry), judge)
    stack = tree.stack({tip: np.eye(4) for tip in BAXTER_TIPS})
    asked, met, wrong, touching, times, missed = {}, {}, 0, 0, [], []
    for problem, number, primitives, goal in bar([p for p in problems if p[1] <= most], "Baxter, both arms"):
        values = {joint: goal.get(joint, 0.0) for joint in tree.joint_names}
        q = np.array(list(values.values()))
        shapes = list(primitives.values())
        if judge.clearance(values, shapes, watched, geometry.checked) < TOUCHES:
            touching += 1
            continue
        targets = {tip: tree.fk(q, tip) for tip in BAXTER_TIPS}
        for tip, T in targets.items():
            stack[tip] = T
        scene = Scene({key: obstacle(*each) for key, each in primitives.items()})
        rest = {joint: value for joint, value in values.items() if joint not in goal}
        begin = time.thread_time()
        found = stack.solve(obstacles=scene, clearance=0.0, explain=False)
        times.append(time.thread_time() - begin)
        there = found.as_dict()
        gap = judge.clearance(there, shapes, watched, geometry.checked)
        near = all(np.abs(tree.fk(found.q, tip) - T).max() < 2e-6 for tip, T in targets.items())
        good = near and gap > -TOUCHES and all(there[joint] == value for joint, value in rest.items())
        asked[problem], met[problem] = asked.get(problem, 0) + 1, met.get(problem, 0) + good
        wrong += found.success and not good
        missed += [] if good else [f"{problem} {number}"]
    for problem, goals in asked.items():
        yield {"baxter": problem, "free goals": goals, "solved": met[problem]}
    yield {
        "baxter": "all, both arms",
        "free goals": sum(asked.values()),
        "solved": sum(met.values()),
        "false": wrong,
        "goals whose own configuration touches": touching,
        "python, median and p99 [us]": (1e6 * np.percentile(times, [50, 99])).round(0).tolist() if times else [],
        "missed": missed[:10],
    }


class _Held:
    """A geometry where `watched_links` looks for it."""

    def __init__(self, geometry):
        self.geometry = geometry
