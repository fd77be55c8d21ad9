"""MotionBenchMaker's problems as inverse kinematics: the pose of every goal among its obstacles, judged by numpy.

python benchmarks/motionbenchmaker.py vamp_planner-0.6.4.tar.gz             # or the folder it was unpacked into
python benchmarks/motionbenchmaker.py FOLDER --robots fetch --problems bookshelf_small --clouds 0

The problems (Chamzas et al. 2022) and the robots, each link as spheres, are in the source archive of `vamp-planner`:
pip download --no-binary vamp-planner --no-deps vamp-planner. Nothing is loaded from anywhere else.

A goal counts if its own configuration is free, by a judge that knows the URDF's spheres and the scene's boxes,
cylinders and spheres, and nothing of forearm but which of the arm's own links are held against each other. Then its
pose is asked for without a start. An answer is wrong if it misses the pose or the limits, or if the judge denies that
it is free. Its time is the least of some calls. With --clouds, the same scenes once more as points on their surfaces, a
tree of spheres.
"""

import argparse
import tarfile
import tempfile
import xml.etree.ElementTree as ET
from functools import partial
from pathlib import Path

import numpy as np
import yaml

import forearm as fa
from forearm.scenes import Cylinder, PointCloud, Scene
from many_obstacles import least

ROBOTS = {
    "panda": ("panda_link0", "panda_hand"),
    "ur5": ("base_link", "ee_link"),
    "fetch": ("base_link", "gripper_link"),
}
TOUCHES = 1e-7  # what the judge lets pass [m]
SPACING = 0.02  # of a cloud's points [m]
CALLS = 5  # of each question, whose least time counts


def quaternion(x, y, z, w):
    """The rotation of a quaternion."""
    n = 2.0 / (x * x + y * y + z * z + w * w)
    return np.array(
        [
            [1 - n * (y * y + z * z), n * (x * y - z * w), n * (x * z + y * w)],
            [n * (x * y + z * w), 1 - n * (x * x + z * z), n * (y * z - x * w)],
            [n * (x * z - y * w), n * (y * z + x * w), 1 - n * (x * x + y * y)],
        ]
    )


def pose_of(entry):
    """(4, 4) of a position and an orientation."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = quaternion(*entry["orientation"]), entry["position"]
    return T


def read_scene(text):
    """The primitives of a scene: kind, sizes and pose by name."""
    found = {}
    for item in yaml.load(text, yaml.CSafeLoader)["world"]["collision_objects"]:
        base = pose_of(item["pose"]) if "pose" in item else np.eye(4)
        shape, place = item["primitives"][0], pose_of(item["primitive_poses"][0])
        found[item["id"]] = (shape["type"], np.array(shape["dimensions"], float), base @ place)
    return found


def read_problems(archive, robot):
    """The scenes and goals of a robot: (problem, number, primitives, goal by joint)."""
    scenes, goals = {}, {}
    with tarfile.open(archive, "r:bz2") as tar:
        for member in (member for member in tar if member.isfile()):
            problem, name = member.name.split("/")[-2:]
            key, text = (
                (problem.removesuffix(f"_{robot}"), int("".join(filter(str.isdigit, name)))),
                tar.extractfile(member),
            )
            if "scene" in name:
                scenes[key] = read_scene(text)
            else:
                wanted = yaml.load(text, yaml.CSafeLoader)["goal_constraints"][0]["joint_constraints"]
                goals[key] = {entry["joint_name"]: entry["position"] for entry in wanted}
    return [(*key, scenes[key], goals[key]) for key in sorted(goals)]


def obstacle(kind, sizes, T):
    """A primitive as forearm's."""
    if kind == "sphere":
        return fa.Sphere(T[:3, 3], sizes[0])
    if kind == "cylinder":
        way = 0.5 * sizes[0] * T[:3, 2]
        return Cylinder(T[:3, 3] - way, T[:3, 3] + way, sizes[1])
    return fa.Box(T[:3, 3], sizes, T[:3, :3])


def surface(kind, sizes, T):
    """Points on a primitive, closer to each other than the spacing."""
    if kind == "sphere":
        count = max(16, int(4 * np.pi * sizes[0] ** 2 / (0.5 * SPACING) ** 2))
        k = np.arange(count) + 0.5
        z, turn = 1 - 2 * k / count, np.pi * (1 + 5**0.5) * k
        points = sizes[0] * np.column_stack([np.sqrt(1 - z * z) * np.cos(turn), np.sqrt(1 - z * z) * np.sin(turn), z])
    elif kind == "box":
        x, y, z = (np.linspace(-0.5 * s, 0.5 * s, max(2, int(s / SPACING) + 2)) for s in sizes)
        grid = np.stack(np.meshgrid(x, y, z, indexing="ij"), axis=-1).reshape(-1, 3)
        points = grid[(np.abs(np.abs(grid) - 0.5 * sizes) < 1e-12).any(axis=1)]
    else:
        length, radius = sizes
        turn = np.linspace(0.0, 2 * np.pi, max(8, int(2 * np.pi * radius / SPACING) + 1), endpoint=False)
        rings = [(radius, h) for h in np.linspace(-0.5 * length, 0.5 * length, int(length / SPACING) + 2)]
        rings += [(r, h) for r in np.arange(0.0, radius, SPACING) for h in (-0.5 * length, 0.5 * length)]
        points = np.array([[r * np.cos(a), r * np.sin(a), h] for r, h in rings for a in turn])
    return points @ T[:3, :3].T + T[:3, 3]


class Judge:
    """The spheres of a robot by its URDF, and how near they come to primitives and to each other; own code."""

    def __init__(self, urdf, base):
        root = ET.parse(urdf).getroot()
        self.joints = {j.find("child").get("link"): j for j in root.findall("joint")}
        self.base, self.spheres, self.links = base, {}, {}
        for link in root.findall("link"):
            for shape in link.findall("collision"):
                ball = shape.find("geometry/sphere")
                place = self.origin(shape.find("origin"))[:3, 3]
                self.spheres.setdefault(link.get("name"), []).append([*place, float(ball.get("radius"))])

    @staticmethod
    def origin(element):
        """(4, 4) of an origin."""
        T = np.eye(4)
        if element is not None:
            T[:3, 3] = [float(v) for v in element.get("xyz", "0 0 0").split()]
            r, p, y = (float(v) for v in element.get("rpy", "0 0 0").split())
            for axis, angle in ((2, y), (1, p), (0, r)):
                T[:3, :3] = T[:3, :3] @ turn(np.eye(3)[axis], angle)
        return T

    def placed(self, values):
        """(k, 4) spheres by link at joint values by name; what the first moving joint does not move is left out."""
        frames, found = {self.base: (np.eye(4), 0)}, {}

        def frame(link):
            if link not in frames:
                joint = self.joints[link]
                T, moved = frame(joint.find("parent").get("link"))
                T = T @ self.origin(joint.find("origin"))
                if joint.get("type") != "fixed":
                    axis, q = [float(v) for v in joint.find("axis").get("xyz").split()], values[joint.get("name")]
                    step = np.eye(4)
                    if joint.get("type") == "prismatic":
                        step[:3, 3] = np.multiply(axis, q)
                    else:
                        step[:3, :3] = turn(np.array(axis), q)
                    T, moved = T @ step, moved + 1
                frames[link] = T, moved
            return frames[link]

        for link, balls in self.spheres.items():
            T, moved = frame(link)
            rows = np.array(balls)
            found[link] = np.column_stack([rows[:, :3] @ T[:3, :3].T + T[:3, 3], rows[:, 3]]), moved
        return found

    def clearance(self, values, primitives, watched, pairs):
        """The least distance of the watched links from primitives, and of pairs of links from each other [m]."""
        placed, least = self.placed(values), np.inf
        balls = np.vstack([placed[link][0] for link in watched])
        for kind, sizes, T in primitives:
            x = (balls[:, :3] - T[:3, 3]) @ T[:3, :3]
            if kind == "sphere":
                gap = np.linalg.norm(x, axis=1) - sizes[0]
            else:
                if kind == "box":
                    off = np.abs(x) - 0.5 * sizes
                else:
                    off = np.column_stack([np.hypot(x[:, 0], x[:, 1]) - sizes[1], np.abs(x[:, 2]) - 0.5 * sizes[0]])
                gap = np.linalg.norm(np.maximum(off, 0.0), axis=1) + np.minimum(off.max(axis=1), 0.0)
            least = min(least, float((gap - balls[:, 3]).min()))
        for one, other in pairs:
            a, b = placed[one][0], placed[other][0]
            apart = np.linalg.norm(a[:, None, :3] - b[None, :, :3], axis=2) - a[:, 3][:, None] - b[None, :, 3]
            least = min(least, float(apart.min()))
        return least


def turn(axis, angle):
    """The rotation about an axis."""
    x, y, z = axis / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


class Tally:
    """What came of the goals of one problem."""

    def __init__(self):
        self.asked, self.solved, self.wrong, self.times, self.fresh, self.missed = 0, 0, 0, [], [], []


def watched_links(robot, judge):
    """The links whose bodies are held against obstacles, as the robot's geometry says."""
    geometry = robot.geometry
    held = {name for name, body in zip(geometry.names, geometry.bodies, strict=True) if body[8] != 0.0}
    return [link for link in judge.spheres if link in held]


def run(folder, name, only, most, clouds):
    """Asks for every goal of a robot; prints a line a problem."""
    base, tip = ROBOTS[name]
    urdf = folder / name / f"{name}_spherized.urdf"
    robot, judge = fa.Robot.from_urdf(urdf, base=base, tip=tip), Judge(urdf, base)
    own = robot._prepared.charted.checked
    watched, tallies, cloud_tallies, others = watched_links(robot, judge), {}, {}, {}
    for problem, number, primitives, goal in read_problems(folder / name / "problems.tar.bz2", name):
        if (only and problem not in only) or number > most:
            continue
        values = {joint: goal[joint] for joint in robot.joint_names}
        q = np.array(list(values.values()))
        shapes, obstacles = list(primitives.values()), {key: obstacle(*shape) for key, shape in primitives.items()}
        if judge.clearance(values, shapes, watched, own) < TOUCHES:
            why = "an obstacle" if judge.clearance(values, shapes, watched, ()) < TOUCHES else "the arm itself"
            s = robot.solve(robot.fk(q), obstacles=obstacles, clearance=0.0, explain=False)
            others.setdefault(why, []).append(s.success)
            continue
        ask(robot, judge, robot.fk(q), obstacles, shapes, watched, tallies.setdefault(problem, Tally()), number)
        if number <= clouds:
            points = np.vstack([surface(*shape) for shape in shapes])
            cloud = {"cloud": PointCloud(points, 0.0)}
            if cloud_gap(judge, values, points, watched) > 0.0:
                tally = cloud_tallies.setdefault(problem, Tally())
                ask(robot, judge, robot.fk(q), cloud, points, watched, tally, number)
    for word, found in (("", tallies), (" cloud", cloud_tallies)):
        for problem, tally in found.items():
            print(line(f"{name:6s}{word} {problem}", tally), flush=True)
        if found:
            print(line(f"{name:6s}{word} all", total(found.values())), flush=True)

    for why, answered in others.items():
        words = f"{len(answered)} goals whose own configuration touches {why}"
        print(f"{name:6s} {words}: {sum(answered)} answered with another")


def cloud_gap(judge, values, points, watched):
    """The least distance of the watched links' spheres from points [m]."""
    balls = np.vstack([judge.placed(values)[link][0] for link in watched])
    return float(min((np.linalg.norm(points - ball[:3], axis=1) - ball[3]).min() for ball in balls))


def ask(robot, judge, T, obstacles, shapes, watched, tally, number):
    """Asks for one pose among a scene, and among obstacles that are new with every call, and judges the answer."""
    scene = Scene(obstacles)
    s = robot.solve(T, obstacles=scene, clearance=0.0, explain=False)
    for found, among in ((tally.times, scene), (tally.fresh, obstacles)):
        found.append(least(partial(robot.solve, T, obstacles=among, clearance=0.0, explain=False), CALLS))
    tally.asked += 1
    if not s.success:
        tally.missed.append(number)
        return
    values = dict(zip(robot.joint_names, s.q.tolist(), strict=True))
    frame = robot.fk(s.q)
    met = np.linalg.norm(frame[:3, 3] - T[:3, 3]) < 2e-6 and np.abs(frame[:3, :3] - T[:3, :3]).max() < 2e-6
    inside = (robot.limits[0] <= s.q).all() and (s.q <= robot.limits[1]).all()
    if isinstance(shapes, list):
        gap = judge.clearance(values, shapes, watched, robot._prepared.charted.checked)
    else:
        gap = min(
            cloud_gap(judge, values, shapes, watched),
            judge.clearance(values, [], watched, robot._prepared.charted.checked),
        )
    good = met and inside and gap > -TOUCHES
    tally.solved += good
    tally.wrong += not good


def total(tallies):
    """All of them together."""
    whole = Tally()
    for tally in tallies:
        whole.asked, whole.solved, whole.wrong = (
            whole.asked + tally.asked,
            whole.solved + tally.solved,
            whole.wrong + tally.wrong,
        )
        whole.times += tally.times
        whole.fresh += tally.fresh
    return whole


def line(head, tally):
    """A tally in words."""
    times, fresh = np.array(tally.times), np.array(tally.fresh)
    text = f"{head:32s} solved {tally.solved:4d} of {tally.asked:4d} free goals, wrong {tally.wrong}"
    text += f"  us median {np.median(times):7.1f} p95 {np.percentile(times, 95):8.1f}"
    text += f"  new scene {np.median(fresh):7.1f}"
    return text + (f"  missed {tally.missed[:6]}" if tally.missed else "")


def resources(given, unpacked):
    """The folder with the robots: inside a folder or an archive."""
    path = Path(given)
    if path.is_file():
        with tarfile.open(path) as tar:
            tar.extractall(unpacked, filter="data")
        path = Path(unpacked)
    found = sorted(path.rglob("problems.tar.bz2"))
    if not found:
        raise SystemExit(f"{given} holds no problems.tar.bz2; give the source archive of vamp-planner, or its folder")
    return found[0].parent.parent


def main():
    """Reads the flags and runs what they ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("where", help="the source archive of vamp-planner, or the folder it was unpacked into")
    parser.add_argument("--robots", default=",".join(ROBOTS))
    parser.add_argument("--problems", default="", help="only these, as in bookshelf_small,cage")
    parser.add_argument("--most", type=int, default=100, help="of each problem, the first so many")
    parser.add_argument("--clouds", type=int, default=10, help="of each problem, the first so many as point clouds too")
    args = parser.parse_args()
    print(f"forearm {fa.__version__}, clearance 0, no start; processor time, Python included, least of {CALLS} calls")
    with tempfile.TemporaryDirectory() as unpacked:
        folder = resources(args.where, unpacked)
        for name in args.robots.split(","):
            run(folder, name, tuple(filter(None, args.problems.split(","))), args.most, args.clouds)


if __name__ == "__main__":
    main()
