"""Several tips of one robot: dual arms, humanoids, driving bases, judged by Pinocchio, beside pink.

python benchmarks/tree.py                        # 1,000 goal sets a robot, then other goals and strict levels
python benchmarks/tree.py --count 200 --robots "g1,tiago dual" --peers 20
python benchmarks/tree.py --only levels --count 1000

Goals are poses of the tips at random configurations inside the limits (a free base anywhere within 1 m and turned
anyhow, one that drives within 2 m), so each set can be met. Success is what Pinocchio measures of the returned joint
values at 1e-6 m and 1e-6 rad, limits kept; false successes are counted. The time is this thread's own, so that other
work on the machine counts little: the kernel's as a mean over a loop of all sets, Python's around `Stack.solve`. Near
starts are 0.05 rad off the answer. The robots are URDFs of `example-robot-data`; the dual UR10 is two of its UR10.
Peers have 6 starts of 50 steps; mink and placo are not run: they read other formats or need another Pinocchio.
"""

import argparse
import json
import sysconfig
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

import forearm as fa
from forearm.goals import CenterOfMass, Goal, LookAt, Relative

try:
    import pinocchio as pin
except ImportError as problem:
    raise SystemExit("this benchmark is judged by Pinocchio: pip install pin example-robot-data") from problem

TOL = 1e-6
DATA = Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
PR2, TALOS = "pr2_description/urdf/pr2.urdf", "talos_data/robots/talos_reduced.urdf"
G1, TIAGO = "g1_description/urdf/g1_29dof_rev_1_0.urdf", "tiago_description/robots/tiago_dual.urdf"
G1_TIPS = ("left_ankle_roll_link", "right_ankle_roll_link", "left_rubber_hand", "right_rubber_hand")
TALOS_TIPS = ("left_sole_link", "right_sole_link", "gripper_left_base_link", "gripper_right_base_link")
# file, tips, base, whether the centre of mass is asked too; kernel cold and near of the recipe [us]
ROBOTS = {
    "dual ur10": ("dual", ("left_tool0", "right_tool0"), "fixed", False, (43, 7.1)),
    "pr2": (PR2, ("l_gripper_tool_frame", "r_gripper_tool_frame"), "fixed", False, (47, 11.5)),
    "baxter": ("baxter_description/urdf/baxter.urdf", ("left_gripper", "right_gripper"), "fixed", False, (45, 8.4)),
    "g1": (G1, G1_TIPS, "free", False, (87, 18)),
    "g1 + com": (G1, G1_TIPS, "free", True, (365, 36)),
    "talos + com": (TALOS, TALOS_TIPS, "free", True, (199, 29)),
    "tiago dual": (TIAGO, ("arm_left_tool_link", "arm_right_tool_link"), "planar", False, (24, 8.7)),
}


def dual_ur10():
    """The URDF of two UR10 side by side."""
    world = ElementTree.Element("robot", {"name": "dual ur10"})
    ElementTree.SubElement(world, "link", {"name": "stand"})
    for side, y in (("left", 0.6), ("right", -0.6)):
        arm = ElementTree.parse(DATA / "ur_description/urdf/ur10_robot.urdf").getroot()
        for element in arm:
            if element.tag in ("link", "joint"):
                element.set("name", f"{side}_{element.get('name')}")
                for end in ("parent", "child"):
                    if (found := element.find(end)) is not None:
                        found.set("link", f"{side}_{found.get('link')}")
                world.append(element)
        links = {element.get("name") for element in world if element.tag == "link"}
        children = {element.find("child").get("link") for element in world if element.tag == "joint"}
        (root,) = {link for link in links - children if link.startswith(side)}
        joint = ElementTree.SubElement(world, "joint", {"name": f"{side}_mount", "type": "fixed"})
        ElementTree.SubElement(joint, "origin", {"xyz": f"0 {y} 0", "rpy": "0 0 0"})
        ElementTree.SubElement(joint, "parent", {"link": "stand"})
        ElementTree.SubElement(joint, "child", {"link": root})
    return ElementTree.tostring(world, encoding="unicode")


class Case:
    """A robot, its judge, and random goals that it can meet."""

    def __init__(self, name):
        file, self.tips, self.base, self.com, self.floor = ROBOTS[name]
        self.name = name
        source = dual_ur10() if file == "dual" else DATA / file
        self.text = source if file == "dual" else source.read_text(errors="replace")
        self.tree = fa.Tree.from_urdf(source, base=self.base)
        root = {"free": (pin.JointModelFreeFlyer(),), "planar": (pin.JointModelPlanar(),)}.get(self.base, ())
        self.model = pin.buildModelFromXML(self.text, *root)
        self.data = self.model.createData()

    def draw(self, rng):
        """Random joint values, and a base."""
        tree = self.tree
        q = tree.sample(1, rng_seed=int(rng.integers(2**31)))[0]
        base = np.eye(4)
        if self.base == "planar":
            q[:3] = *rng.uniform(-2, 2, 2), rng.uniform(-np.pi, np.pi)
        if self.base == "free":
            turn = rng.normal(size=4)
            base[:3, :3] = pin.Quaternion(turn / np.linalg.norm(turn)).toRotationMatrix()
            base[:3, 3] = rng.uniform(-1, 1, 3)
        return q, base

    def configuration(self, q, base):
        """Pinocchio's vector of what a solve returned."""
        full = pin.neutral(self.model)
        named = dict(zip(self.tree.joint_names, q, strict=True))
        for name in self.model.names[1:]:
            joint = self.model.joints[self.model.getJointId(name)]
            if name in named and joint.nq == 1:
                full[joint.idx_q] = named[name]
            elif name in named and joint.nq == 2:
                full[joint.idx_q : joint.idx_q + 2] = np.cos(named[name]), np.sin(named[name])
        if self.base == "free":
            full[:7] = pin.SE3ToXYZQUAT(pin.SE3(base))
        if self.base == "planar":
            full[:4] = q[0], q[1], np.cos(q[2]), np.sin(q[2])
        return full

    def place(self, q, base):
        """Poses of all frames of Pinocchio, and its centre of mass."""
        full = self.configuration(q, base)
        pin.framesForwardKinematics(self.model, self.data, full)
        return pin.centerOfMass(self.model, self.data, full).copy() if self.base == "free" else np.zeros(3)

    def pose(self, link):
        """(4, 4) of a link, as placed."""
        return self.data.oMf[self.model.getFrameId(link)].homogeneous.copy()

    def goals(self, rng):
        """What a random configuration makes of tips and centre of mass; and the configuration."""
        q, base = self.draw(rng)
        centre = self.place(q, base)
        wanted = {link: self.pose(link) for link in self.tips}
        return (wanted | ({"centre of mass": centre} if self.com else {})), q, base

    def is_met(self, q, base, wanted):
        """Whether goals are met and limits kept, by Pinocchio."""
        centre = self.place(q, base)
        for name, target in wanted.items():
            if np.shape(target) == (3,):
                if np.linalg.norm(centre - target) > TOL:
                    return False
            elif max(off(self.pose(name), target)) > TOL:
                return False
        lower, upper = self.tree.limits
        return bool(((q >= lower - 1e-9) & (q <= upper + 1e-9)).all())

    def stack(self):
        """The stack of its goals."""
        goals = [Goal(link, np.eye(4)) for link in self.tips]
        return self.tree.stack([*goals, *([CenterOfMass(np.zeros(3))] if self.com else [])])


def off(T, goal):
    """Position [m] and rotation [rad] between two poses."""
    return np.linalg.norm(T[:3, 3] - goal[:3, 3]), np.linalg.norm(pin.log3(T[:3, :3].T @ goal[:3, :3]))


def run(case, count, seed):
    """One robot: solved, false successes, kernel and Python times cold and near."""
    rng, stack = np.random.default_rng(seed), case.stack()
    sets = [case.goals(rng) for _ in range(count)]
    many = {name: np.array([wanted[name] for wanted, _, _ in sets]) for name in stack.names}
    stack.solve_batch({name: rows[:2] for name, rows in many.items()}, threads=1)  # warm
    begin = time.thread_time()
    found = stack.solve_batch(many, threads=1)
    kernel = (time.thread_time() - begin) / count
    met = np.array([case.is_met(q, base, s[0]) for q, base, s in zip(found.q, found.base, sets, strict=True)])
    near, python = np.zeros(count), np.zeros(count)
    lower, upper = case.tree.limits
    met_near = 0
    for i, (wanted, q, base) in enumerate(sets):
        for name, target in wanted.items():
            stack[name] = target
        begin = time.thread_time()
        stack.solve(explain=False)
        python[i] = time.thread_time() - begin
        start = np.clip(q + rng.uniform(-0.05, 0.05, q.size), lower, upper)
        begin = time.thread_time()
        answer = stack.solve(start, base=base, explain=False)
        near[i] = time.thread_time() - begin
        met_near += case.is_met(answer.q, answer.base, wanted)
    return {
        "robot": case.name,
        "count": count,
        "solved": int(met.sum()),
        "false": int((found.success & ~met).sum()),
        "most tries": int(found.tries.max()),
        "kernel [us]": 1e6 * kernel,
        "python [us]": 1e6 * python.mean(),
        "near solved": met_near,
        "near, python [us]": 1e6 * np.median(near),
        "recipe's kernel, cold and near [us]": case.floor,
    }


# -- pink --------------------------------------------------------------------------------------------


def run_pink(case, count, seed):
    """The same goals by pink: 6 starts of 50 steps."""
    try:
        import pink  # noqa: PLC0415 (a peer, may be missing)
        import pink.tasks  # noqa: PLC0415
        import quadprog  # noqa: F401, PLC0415
    except ImportError:
        return {"robot": case.name, "peer": "pink", "skipped": "pip install pin-pink quadprog"}
    rng, model = np.random.default_rng(seed), case.model
    tasks = {link: pink.FrameTask(link, position_cost=1.0, orientation_cost=1.0, lm_damping=1e-6) for link in case.tips}
    if case.com:
        tasks["centre of mass"] = pink.tasks.ComTask(cost=1.0, lm_damping=1e-6)
    solved, begin = 0, time.thread_time()
    for _ in range(count):
        wanted, _, _ = case.goals(rng)
        for name, target in wanted.items():
            tasks[name].set_target(target if np.shape(target) == (3,) else pin.SE3(target))
        for _ in range(6):
            q, base = case.draw(rng)
            here = pink.Configuration(model, case.data, case.configuration(q, base))
            if descend(pink, here, list(tasks.values()), model):
                solved += 1
                break
    return {"robot": case.name, "peer": f"pink {version('pin-pink')}", "solved": f"{solved} of {count}",
            "mean [ms]": 1e3 * (time.thread_time() - begin) / count}  # fmt: skip


def descend(pink, here, tasks, model):
    """One start of pink: whether it arrived."""
    for _ in range(50):
        if all(np.abs(task.compute_error(here)).max() <= TOL for task in tasks):
            return True
        try:
            step = pink.solve_ik(here, tasks, 1.0, solver="quadprog", safety_break=False)
        except pink.PinkError:
            return False
        here = pink.Configuration(model, here.data, pin.integrate(model, here.q, step))
        here.update(here.q)
    return False


# -- other goals and strict levels -------------------------------------------------------------------


def run_kinds(count, seed):
    """Pose and relative of two arms; pose and look-at of PR2's head."""
    case, rng = Case("dual ur10"), np.random.default_rng(seed)
    left, right = case.tips
    stack = case.tree.stack([Goal(left, np.eye(4)), Relative(right, left, np.eye(4))])
    met = 0
    for _ in range(count):
        wanted, _, _ = case.goals(rng)
        between = np.linalg.inv(wanted[left]) @ wanted[right]
        stack[left], stack[right] = wanted[left], between
        found = stack.solve(explain=False)
        case.place(found.q, found.base)
        there = np.linalg.inv(case.pose(left)) @ case.pose(right)
        met += max(*off(case.pose(left), wanted[left]), *off(there, between)) <= TOL
    yield {"goals": "dual ur10: pose and relative", "count": count, "solved": met}
    case, rng = Case("pr2"), np.random.default_rng(seed)
    left, eye = case.tips[0], "head_tilt_link"
    stack = case.tree.stack([Goal(left, np.eye(4)), LookAt(eye, np.zeros(3))])
    met = 0
    for _ in range(count):
        wanted, _, _ = case.goals(rng)
        T = case.pose(eye)
        point = T[:3, 3] + rng.uniform(0.5, 2.0) * T[:3, 0]
        stack[left], stack[eye] = wanted[left], point
        found = stack.solve(explain=False)
        case.place(found.q, found.base)
        T = case.pose(eye)
        ray = (point - T[:3, 3]) / np.linalg.norm(point - T[:3, 3])
        aimed = np.arctan2(np.linalg.norm(np.cross(T[:3, 0], ray)), T[:3, 0] @ ray)
        met += max(*off(case.pose(left), wanted[left]), aimed) <= TOL
    yield {"goals": "pr2: pose and look-at", "count": count, "solved": met}


def run_levels(count, seed):
    """G1: feet and centre of mass first, hands asked for 1.5 m beyond a point that they reach at level 2."""
    case, rng = Case("g1 + com"), np.random.default_rng(seed)
    feet, hands = case.tips[:2], case.tips[2:]
    goals = [Goal(link, np.eye(4)) for link in feet] + [CenterOfMass(np.zeros(3))]
    stack = case.tree.stack(goals + [Goal(link, fa.Position(np.zeros(3)), level=2) for link in hands])
    kept, ratios, spent = 0, [], []
    for i in range(count):
        wanted, _, base = case.goals(rng)
        for link in (*feet, "centre of mass"):
            stack[link] = wanted[link]
        middle = base[:3, 3]
        for link in hands:
            away = wanted[link][:3, 3] - middle
            stack[link] = fa.Position(middle + away * (1.0 + 0.5 / np.linalg.norm(away)) + away / np.linalg.norm(away))
        begin = time.thread_time()
        found = stack.solve(explain=False)
        spent.append(time.thread_time() - begin)
        kept += case.is_met(found.q, found.base, {link: wanted[link] for link in (*feet, "centre of mass")})
        if i < 50:
            ratios.append(long_search(stack, found, hands))
    return {
        "levels": "g1, hands out of reach",
        "count": count,
        "level 1 kept": kept,
        "python [us]": 1e6 * np.mean(spent),
        "level 2 against a long search: median, p90": np.percentile(ratios, [50, 90]).round(4).tolist(),
    }


def long_search(stack, found, hands):
    """How much larger the error of level 2 is than after 20 more solves, each from the last answer."""

    def error(answer):
        return np.sqrt(sum(answer.errors[link].position ** 2 for link in hands))

    best, here = error(found), found
    for _ in range(20):
        here = stack.solve(here.q, base=here.base, explain=False)
        if all(e.met for name, e in here.errors.items() if name not in hands):
            best = min(best, error(here))
    return error(found) / best - 1.0


def main():
    """Prints a line for each robot, and all as JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--peers", type=int, default=0, help="goal sets for peers; none by default")
    parser.add_argument("--robots", default=",".join(ROBOTS))
    parser.add_argument("--only", choices=("robots", "kinds", "levels"))
    parser.add_argument("--seed", type=int, default=20_000)
    parser.add_argument("--json")
    given = parser.parse_args()
    lines = []

    def tell(line):
        lines.append(line)
        shown = (f"{key} {value:.1f}" if isinstance(value, float) else f"{key} {value}" for key, value in line.items())
        print(", ".join(shown), flush=True)

    print(f"forearm {fa.__version__}, pinocchio {pin.__version__}, seed {given.seed}")
    for name in given.robots.split(",") if given.only in (None, "robots") else ():
        case = Case(name.strip())
        tell(run(case, given.count, given.seed))
        if given.peers:
            tell(run_pink(case, given.peers, given.seed))
    if given.only in (None, "kinds"):
        for line in run_kinds(given.count, given.seed):
            tell(line)
    if given.only in (None, "levels"):
        tell(run_levels(given.count, given.seed))
    for peer in ("mink", "placo"):
        try:
            print(f"{peer} {version(peer)} is installed and not run: see above")
        except PackageNotFoundError:
            print(f"{peer} skipped: not installed")
    if given.json:
        Path(given.json).write_text(json.dumps(lines, indent=2, default=float))


if __name__ == "__main__":
    main()
