"""What `honest.py` asks: robots, options and targets drawn from a seed, in every pair-wise combination.

A case is a row of levels, one of each factor below. What does not go together is known here (`mended`); anything
else that the library refuses is counted as refused. Most targets are made by a witness: joint values that meet the
target under the options of the call, so that a failure with a reason is refuted on the spot.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations

import numpy as np

import forearm as fa
from scenes import draw_rotation

CATALOG = (
    "fabrik-r-10dof", "fabrik-r-5dof", "gen3", "iiwa14", "iiwa7", "irb120", "irb140", "jaco2", "panda", "puma560",
    "scara", "so101", "ur10", "ur10e", "ur3", "ur3e", "ur5", "ur5e", "xarm7",
)  # fmt: skip
CHAINS = ("planar-1", "planar-2", "planar-3", "planar-4", "planar-7", "planar-40", "snake-6", "snake-10", "snake-60")
DRAWN = tuple(f"drawn-{number}" for number in range(8))  # random rows of Denavit-Hartenberg numbers
COUPLED = ("coupled-4",)
FACTORS = {
    "robot": (*CATALOG, *CHAINS, *DRAWN, *COUPLED),
    "scale": (1.0, 1e-4, 1e-2, 1e2, 1e4),
    "method": ("auto", "general", "closed-form", "fabrik-r", "combined", "dls", "jacobian-transpose", "ccd"),
    "kind": ("pose", "position", "orientation", "point-axis", "pose by axes", "position by axes"),
    "tol": (1e-6, 1e-12, 1e-9, 1e-3, 0.1, np.inf),
    "limits": ("own", "narrow", "wide", "none", "turned"),
    "locked": ("none", "one", "two"),
    "tool": ("none", "offset"),
    "start": ("none", "random", "near"),
    "step": ("none", "small", "large"),
    "rest": ("none", "random"),
    "around": ("nothing", "spheres", "itself"),
    "aim": ("inside", "at limits", "singular", "gentle", "beyond", "anywhere"),
    "call": ("batch", "single", "all", "swivel"),
    "explain": (False, True),
}
DEFAULTS = {name: levels[0] for name, levels in FACTORS.items()}
# Once every pair is covered, these take their first level in that share of the rows, beside their turn.
MOSTLY = {"call": 0.9, "method": 0.6, "around": 0.9, "explain": 0.8}
WITNESSED = ("inside", "at limits", "singular", "gentle")
ASKED_OF = {
    "closed-form": ("pose",),
    "combined": ("pose", "pose by axes"),
    "fabrik-r": ("pose", "position", "pose by axes", "position by axes"),
}
SWIVELLING = ("iiwa14", "iiwa7")
RADIUS = 0.02  # of the links among obstacles, per metre of reach
CLEARANCE = 0.002  # kept from them, per metre of reach
FREE_TURN = np.pi  # how far a joint without limits is drawn


def mended(row):
    """The row with what does not go together put to its default."""
    row = dict(row)
    if row["call"] == "swivel":
        row.update(robot=row["robot"] if row["robot"] in SWIVELLING else "iiwa14", kind="pose", rest="none")
        row.update(around="nothing", method=row["method"] if row["method"] == "closed-form" else "auto")
    if row["call"] == "all":
        row.update(method="auto", step="none", rest="none", around="nothing", explain=False)
    if row["around"] != "nothing":
        row.update(rest="none", method=row["method"] if row["method"] == "general" else "auto", explain=row["explain"])
    if row["step"] != "none" and row["start"] == "none":
        row["start"] = "random"
    if row["kind"] not in ASKED_OF.get(row["method"], FACTORS["kind"]):
        row["kind"] = "pose"
    if row["tol"] == np.inf and row["kind"] in ("orientation", "position"):
        row["kind"] = "pose"
    return row


def pairs_of(row):
    """Every pair of levels of a row."""
    return {(a, row[a], b, row[b]) for a, b in combinations(FACTORS, 2)}


def all_pairs():
    """Every pair of levels that can stand in a row."""
    found = set()
    for a, b in combinations(FACTORS, 2):
        for one in FACTORS[a]:
            for other in FACTORS[b]:
                row = mended(DEFAULTS | {a: one, b: other})
                if row[a] == one and row[b] == other:
                    found.add((a, one, b, other))
    return found


def next_row(rng, left, candidates=30):
    """A row that covers many of the pairs that are left, begun from one of them; any row if none are."""
    best, most = None, -1
    for number in range(candidates if left else 1):
        row = {name: levels[rng.integers(len(levels))] for name, levels in FACTORS.items()}
        if not left:  # many targets at a time: mostly what is fast
            row |= {name: DEFAULTS[name] for name, share in MOSTLY.items() if rng.random() < share}
        if left and number % 3:
            a, one, b, other = min(left, key=lambda pair: rng.random()) if len(left) < 200 else _some(rng, left)
            row |= {a: one, b: other}
        row = mended(row)
        gain = len(pairs_of(row) & left)
        if gain > most:
            best, most = row, gain
    return best


def _some(rng, left):
    """One of many, without going through them all."""
    skip = rng.integers(200)
    for number, pair in enumerate(left):
        if number == skip:
            return pair
    return pair


# -- robots ----------------------------------------------------------------------------------------


def drawn_robot(name):
    """A chain of random Denavit-Hartenberg rows: five to eight joints, some of them slides, any twist."""
    rng = np.random.default_rng((77, int(name.split("-")[1])))
    count = int(rng.integers(4, 9))
    twists = rng.choice([0.0, 0.5 * np.pi, -0.5 * np.pi, 0.7, -1.1], count)
    rows = [(rng.uniform(0.0, 0.4), twist, rng.uniform(-0.3, 0.3)) for twist in twists]
    lower, upper = -rng.uniform(0.6, 3.4, count), rng.uniform(0.6, 3.4, count)
    return fa.Robot.from_dh(rows, limits=np.array([lower, upper]), name=name)


COUPLED_URDF = """<robot name="coupled-4"><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
<link name="e"/><link name="f"/>
<joint name="j1" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<origin xyz="0 0 0.2"/><limit lower="-2.8" upper="2.8"/></joint>
<joint name="j2" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/>
<origin xyz="0 0 0.3"/><limit lower="-1.5" upper="1.5"/></joint>
<joint name="j3" type="revolute"><parent link="c"/><child link="d"/><axis xyz="0 1 0"/>
<mimic joint="j2" multiplier="0.5" offset="0.1"/><origin xyz="0 0 0.3"/><limit lower="-2" upper="2"/></joint>
<joint name="j4" type="prismatic"><parent link="d"/><child link="e"/><axis xyz="0 0 1"/>
<origin xyz="0 0 0.1"/><limit lower="0" upper="0.4"/></joint>
<joint name="j5" type="revolute"><parent link="e"/><child link="f"/><axis xyz="1 0 0"/>
<origin xyz="0 0 0.2"/><limit lower="-2" upper="2"/></joint></robot>"""


@lru_cache(maxsize=256)
def robot_of(name, scale=1.0, around=False):
    """A robot by name, all its lengths times a scale; among obstacles with capsules along its skeleton."""
    if name.startswith("drawn"):
        robot = drawn_robot(name)
    else:
        robot = fa.Robot.from_urdf(COUPLED_URDF) if name.startswith("coupled") else fa.load(name)
    if scale != 1.0:
        model, links = robot.model, robot.model.links.copy()
        links[:, :, 3] *= scale
        slides = np.array([kind == "prismatic" for kind in model.joint_kinds])
        limits = np.where(slides, scale * model.limits, model.limits)
        robot = fa.Robot(replace(model, links=links, limits=np.ascontiguousarray(limits), shapes=()))
    return robot.with_geometry(radius=RADIUS * robot.reach) if around else robot


# -- one block: a row with its targets ---------------------------------------------------------------


@dataclass
class Block:
    """A row drawn out: what is asked, and what the judge needs to know of it."""

    row: dict
    robot: object
    limits: np.ndarray  # (2, n) of the call, locked joints among them
    options: dict  # what the call is given
    poses: np.ndarray  # (N, 4, 4) frames of the targets
    witness: np.ndarray | None  # (N, n) joint values that meet them, or None
    tool: np.ndarray  # (4, 4)
    scene: list
    bands: np.ndarray  # (6,) tolerances by axis, linear first; infinite where not asked
    whole: tuple  # tolerances of the norms of position and rotation
    axis: np.ndarray  # (3,) the tool axis
    box: np.ndarray | None  # (2, N, n) bounds by the step from the starts

    @cached_property
    def tooled(self):
        """The robot with the tool of the call."""
        return self.robot.with_tool(self.tool)

    @property
    def radius(self):
        """Of its links among obstacles [m]."""
        return RADIUS * self.robot.reach

    def targets(self):
        """What the library is asked for."""
        kind, tol = self.row["kind"], self.given_tol
        if kind in ("pose", "pose by axes"):
            return fa.Pose.many(self.poses, tol=tol)
        if kind == "orientation":
            return fa.Orientation.many(self.poses[:, :3, :3], tol=tol)
        if kind == "point-axis":
            directions = self.poses[:, :3, :3] @ self.axis
            return fa.PointAxis.many(self.poses[:, :3, 3], directions, tool_axis=self.axis, tol=tol)
        return fa.Position.many(self.poses[:, :3, 3], tol=tol)

    @property
    def given_tol(self):
        """The tolerances as the call is given them."""
        kind = self.row["kind"]
        if kind == "pose by axes":
            return self.bands
        if kind == "position by axes":
            return self.bands[:3]
        if kind in ("pose", "point-axis"):
            return self.whole
        return self.whole[1] if kind == "orientation" else self.whole[0]


def draw_block(row, seed, count):
    """The block of a row: everything follows from the seed."""
    rng = np.random.default_rng(seed)
    robot = robot_of(row["robot"], row["scale"], row["around"] != "nothing")
    limits, given = draw_limits(row, robot, rng)
    options = {} if row["limits"] == "own" else {"limits": given}
    held = rng.permutation(robot.n)[: {"none": 0, "one": 1, "two": 2}[row["locked"]]]
    if len(held) and len(held) < robot.n:
        values = rng.uniform(*drawn_range(limits))[held]
        options["locked"] = {robot.joint_names[k]: float(v) for k, v in zip(held, values, strict=True)}
        limits[:, held] = values
    tool = np.eye(4)
    if row["tool"] == "offset":
        tool[:3, :3], tool[:3, 3] = draw_rotation(rng), rng.normal(size=3) * 0.1 * robot.reach
        options["tool"] = tool
    Q = draw_witness(row, limits, count, rng)
    box = draw_start(row, robot, limits, Q, options, rng)
    if row["rest"] == "random":
        options["rest"] = rng.uniform(*drawn_range(robot.limits))
    scene = draw_scene(row, robot, rng)
    if row["around"] == "spheres":
        options["obstacles"] = scene
    if row["around"] == "itself":
        options["self_collision"] = True
    if row["around"] != "nothing":
        options["clearance"] = CLEARANCE * robot.reach
    bands, whole = draw_tolerances(row, robot, rng)
    axis = np.array([0.0, 0.0, 1.0]) if rng.random() < 0.5 else draw_rotation(rng)[0]
    poses, witness = place_targets(row, robot, Q, tool, rng)
    return Block(row, robot, limits, options, poses, witness, tool, scene, bands, whole, axis, box)


def drawn_range(limits):
    """What of the limits is drawn from: half a turn either way where there are none."""
    lower = np.where(np.isfinite(limits[0]), limits[0], np.where(np.isfinite(limits[1]), limits[1] - 1.0, -FREE_TURN))
    return lower, np.where(np.isfinite(limits[1]), limits[1], lower + 2.0 * FREE_TURN)


def draw_limits(row, robot, rng):
    """(2, n) the limits of a call, and what it is given for them."""
    lower, upper = drawn_range(robot.limits)
    slides = np.array([kind == "prismatic" for kind in robot.model.joint_kinds])
    level, own = row["limits"], robot.limits.copy()
    if level == "narrow":
        ends = np.sort(rng.uniform(lower, upper, (2, robot.n)), axis=0)
        return ends, ends
    if level == "wide":
        ends = np.where(slides, own, np.array([lower - 0.4, upper + 0.4]))
        return ends, ends
    if level == "none":
        ends = np.where(slides, own, [[-np.inf], [np.inf]])
        return ends, ends
    if level == "turned":
        turns = np.where(slides, 0.0, 2.0 * np.pi * rng.integers(-3, 4, robot.n))
        return own + turns, own + turns
    return own, None


def draw_witness(row, limits, count, rng):
    """(N, n) joint values inside the limits."""
    lower, upper = drawn_range(limits)
    Q = rng.uniform(lower, upper, (count, len(lower)))
    if row["aim"] == "at limits":
        at = rng.random(Q.shape) < 0.4
        Q = np.where(at, np.where(rng.random(Q.shape) < 0.5, lower, upper), Q)
    if row["aim"] == "singular":
        near = rng.choice([0.0, 0.5 * np.pi, -0.5 * np.pi, np.pi], Q.shape) + 10.0 ** rng.uniform(-9, -2, Q.shape)
        Q = np.clip(np.where(rng.random(Q.shape) < 0.5, near, Q), lower, upper)
    if row["aim"] == "gentle":
        bend = rng.normal(size=(count, 1)) * rng.uniform(0.0, 2.0 * np.pi / len(lower), (count, 1))
        Q = np.clip(bend + 0.01 * rng.normal(size=Q.shape), lower, upper)
    return Q


def draw_start(row, robot, limits, Q, options, rng):
    """Puts the start into the options; draws the witnesses anew, in place, within the step from it; their box."""
    lower, upper = drawn_range(limits)
    starts = rng.uniform(lower, upper, Q.shape)
    if row["start"] == "near":
        starts = np.clip(Q + rng.normal(size=Q.shape) * 0.05 * np.minimum(upper - lower, 1.0), lower, upper)
    if row["start"] != "none":
        options["q0"] = starts
    if row["step"] == "none":
        return None
    slides = any(kind == "prismatic" for kind in robot.model.joint_kinds)
    step = (0.05 if row["step"] == "small" else 1.0) * (min(1.0, row["scale"]) if slides else 1.0)
    options["max_joint_step"] = step
    box = np.array([np.maximum(limits[0], starts - step), np.minimum(limits[1], starts + step)])
    Q[:] = rng.uniform(*box)
    return box


def draw_scene(row, robot, rng):
    """Spheres about the arm, none at its foot."""
    scene = []
    while row["around"] == "spheres" and len(scene) < 6:
        center = robot.model.links[0, :, 3] + draw_rotation(rng)[0] * robot.reach * rng.uniform(0.25, 0.9)
        scene.append(fa.Sphere(center, robot.reach * rng.uniform(0.02, 0.1)))
    return scene


def draw_tolerances(row, robot, rng):
    """(6,) tolerances by axis, and those of both norms; infinite where nothing is asked."""
    tol, kind, bands = row["tol"], row["kind"], np.full(6, np.inf)
    some = tol if np.isfinite(tol) else 1e-6
    if kind.endswith("by axes"):
        bands = some * rng.choice([1.0, 10.0, 1.0], 6)
        bands[rng.integers(6)] = bands[rng.integers(6)] = np.inf if tol == np.inf else some
        if kind == "position by axes" or np.isinf(bands).all():
            bands[3:], bands[0] = np.inf, some
        return bands, (np.inf, np.inf)
    whole = {"position": (some, np.inf), "orientation": (np.inf, some)}.get(kind, (some, some))
    if tol == np.inf and kind == "pose":
        whole = (some, np.inf) if rng.random() < 0.5 else (np.inf, some)
    return bands, whole


def place_targets(row, robot, Q, tool, rng):
    """(N, 4, 4) the targets of the witnesses; without witnesses where they are moved away from them."""
    from honest_judge import forward  # noqa: PLC0415 (it judges what is drawn here)

    poses = forward(robot, Q) @ tool
    if row["aim"] in WITNESSED:
        return poses, Q
    size = robot.reach + np.linalg.norm(tool[:3, 3])
    if row["aim"] == "beyond":
        ways = np.array([draw_rotation(rng)[0] for _ in Q])
        poses[:, :3, 3] = robot.model.links[0, :, 3] + ways * size * rng.uniform(0.9, 2.0, (len(Q), 1))
    else:
        poses[:, :3, :3] = [draw_rotation(rng) for _ in Q]
    return poses, None
