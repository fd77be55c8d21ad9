"""Runs solves of every kind without compiling, and prints each call into `core` that the border does not allow.

python tests/core/calls.py     # one line a fault or an entry that no call has entered, and how many were
"""

import importlib
import importlib.util
import os
import sys
import time
import types
from dataclasses import replace
from pathlib import Path

os.environ["NUMBA_DISABLE_JIT"] = "1"
os.environ["FOREARM_CACHE_DIR"] = ""  # what is kept on disk enters no kernel
import numba
from sizes import carried, least, loose, misfits

FAULTS: set[str] = set()
ENTERED: set[str] = set()


def watched(function, extra):
    """Stands for what compiles: kernels look at what callers outside `core` hand them, and take the least they may."""
    name = f"{function.__module__.removeprefix('forearm.core.')}.{function.__name__}"

    def call(*arguments):
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if not caller.startswith("forearm.core"):
            arguments = look(name, caller, arguments)
        return function(*arguments)

    call.__name__, call.__module__, call.py_func = function.__name__, function.__module__, function
    return call


def look(name, caller, arguments):
    """Notes an entry, and a fault if types or sizes are not those of the border; the arguments cut to the least sizes.

    Cut so, Python's own checks of places tell where a kernel reaches beyond what the border asks for.
    """
    from forearm.core import border

    given = tuple(numba.typeof(argument) for argument in arguments)
    if name not in border.ENTRIES or given != border.types_of(name):
        FAULTS.add(f"{name} from {caller}: {given}")
        return arguments
    asked = border.arguments_of(name)
    shapes = [argument.shape if part.sizes else () for part, argument in zip(asked, arguments, strict=True)]
    names = carried(asked, arguments)
    FAULTS.update(f"{name} from {caller}: {fault}" for fault in misfits(asked, shapes, names))
    shapes = least(asked, shapes, names)
    if name not in ENTERED:
        FAULTS.update(f"{name}: {fault}" for fault in loose(asked, shapes, names))
    ENTERED.add(name)
    return tuple(
        argument[tuple(map(slice, shape))] if shape else argument
        for shape, argument in zip(shapes, arguments, strict=True)
    )


def watch() -> None:
    """Replaces what compiles kernels before any of them is imported."""
    package = types.ModuleType("forearm")
    package.__path__ = list(importlib.util.find_spec("forearm").submodule_search_locations)
    sys.modules["forearm"] = package
    jit = importlib.import_module("forearm.core.jit")
    jit._compile = watched
    core = sys.modules["forearm.core"]
    del sys.modules["forearm"]
    importlib.import_module("forearm").core = core


watch()

import numpy as np  # noqa: E402 (kernels are watched first)

import forearm as fa  # noqa: E402
from forearm.arm import geometry  # noqa: E402
from forearm.arm.branches import elimination, slices  # noqa: E402
from forearm.arm.capsules import fit_capsules  # noqa: E402
from forearm.arm.charts import make, surface  # noqa: E402
from forearm.arm.surfaces import box_triangles  # noqa: E402
from forearm.core.codes import POSE  # noqa: E402
from forearm.core.general.table import WINDOW  # noqa: E402
from forearm.joints import Cone, Hinge  # noqa: E402
from forearm.scale.map_chunk import solve_voxels  # noqa: E402
from forearm.scale.map_plan import plan_map  # noqa: E402
from forearm.solve.methods.prepare import prepare_general  # noqa: E402
from forearm.solve.methods.table import find_method  # noqa: E402

geometry.CHARTED, make.FEW, make.PARTS, make.FINE, make.FREE = 2, 0, 1, (0.05,) * 3, (0.05,) * 3
surface.LONG = 2.0  # as share of a shape, of the longest edge of a surface: charts are as coarse as can be
geometry.SAMPLES = 30  # poses at which links may touch: what is looked at is the call
prepare_general.__defaults__ = (WINDOW,)  # entries of a seed table, for the same reason: as few as a search looks at
SPHERE = [fa.Sphere([0.4, 0.4, 0.4], 0.05)]


def mimicking() -> fa.Robot:
    """A chain of five joints and four variables, one of them a slide and one that two joints follow."""
    kinds = (("revolute", "0 0 1", ""), ("revolute", "0 1 0", ""), ("revolute", "0 1 0", "j1"))
    kinds += (("prismatic", "1 0 0", ""), ("revolute", "1 0 0", ""))
    parts = [f'<link name="l{i}"/>' for i in range(len(kinds) + 1)]
    for i, (kind, axis, leader) in enumerate(kinds):
        mimic = f'<mimic joint="{leader}" multiplier="0.5"/>' if leader else ""
        parts.append(
            f'<joint name="j{i}" type="{kind}"><parent link="l{i}"/><child link="l{i + 1}"/><axis xyz="{axis}"/>'
            f'<origin xyz="0.2 0 0.1"/><limit lower="-1.5" upper="1.5" effort="1" velocity="1"/>{mimic}</joint>'
        )
    return fa.Robot.from_urdf(f'<robot name="mimicking">{"".join(parts)}</robot>')


def crossed() -> fa.Robot:
    """Two joints, and balls that are next to each other wherever these stand."""
    shape = '<collision><origin xyz="{} 0 0"/><geometry><sphere radius="0.05"/></geometry></collision>'
    shapes, parts = (shape.format(-0.135), shape.format(0.3), shape.format(-0.03)), []
    for i, own in enumerate(shapes):
        parts.append(f'<link name="l{i}">{own}</link>')
    for i in range(2):
        parts.append(
            f'<joint name="j{i}" type="revolute"><parent link="l{i}"/><child link="l{i + 1}"/>'
            f'<axis xyz="0 {i} {1 - i}"/>'
            '<limit lower="-0.2" upper="0.2" effort="1" velocity="1"/></joint>'
        )
    return fa.Robot.from_urdf(f'<robot name="crossed">{"".join(parts)}</robot>')


def rounded(name: str) -> fa.Robot:
    """A robot of the catalog as a file that rounds gives it: its closed form is polished."""
    model = fa.load(name)._prepared.model
    links = model.links + np.random.default_rng(0).uniform(-1e-7, 1e-7, model.links.shape)
    return fa.Robot(replace(model, links=np.ascontiguousarray(links)))


def solve_arms() -> None:
    """Single solves of every method, from nowhere and from a start."""
    few = {"explain": False, "max_iterations": 5}
    for name in ("ur5", "puma560", "iiwa14", "scara", "panda", "planar-1", "planar-2", "planar-3", "fabrik-r-5dof"):
        arm = fa.load(name)
        q = arm.sample(1, rng_seed=1)[0]
        T = arm.fk(q)
        for method in ("auto", "general", "closed-form", "fabrik-r", "combined", "dls", "ccd", "jacobian-transpose"):
            if find_method(method).fault(POSE, arm._prepared):
                continue
            options = few if method in ("dls", "ccd", "jacobian-transpose") else {"explain": False}
            arm.solve(T, method=method, **options)
            arm.solve(T, q, method=method, limits=arm.limits, **options)
        arm.solve(fa.Position(T[:3, 3]), q, rest=arm.neutral, explain=False)
    for name in ("ur5", "puma560", "iiwa14", "scara", "panda"):
        arm = rounded(name)
        q = arm.sample(1, rng_seed=1)[0]
        arm.solve(arm.fk(q), q, method="closed-form", explain=False)
    arm = mimicking()
    q = arm.sample(1, rng_seed=1)[0]
    for target in (fa.Position(arm.fk(q)[:3, 3]), fa.Orientation(arm.fk(q)[:3, :3]), arm.fk(q)):
        for method in ("auto", "dls"):
            arm.solve(target, q, method=method, explain=False)
            arm.solve(target, method=method, explain=False, max_iterations=5)


def refine_by_nlopt() -> None:
    """The combined method with its other refiner, where links reach the target and where limits are in the way."""
    for name in ("ur5", "iiwa14"):
        arm = fa.load(name)
        q = arm.sample(1, rng_seed=1)[0]
        for limits in (None, np.stack([q + 0.1, q + 0.2])):
            options = {"method": "combined", "refiner": "nlopt", "n_l": 1, "max_iterations": 20}
            arm.solve(arm.fk(q), limits=limits, explain=False, **options)


def ask_for_more() -> None:
    """Batches with no start, one and many, branches, swivels, traces, and what is read off a configuration."""
    for arm in (*map(fa.load, ("ur5", "puma560", "iiwa14", "scara", "panda", "snake-8")), mimicking()):
        Q = arm.sample(3, rng_seed=2)
        T = arm.fk(Q)
        arm.solve_batch(T, explain=False)
        arm.solve_batch(T, Q[0], explain=False)
        arm.solve_batch(T, Q[::-1].copy(), max_joint_step=7.0, rest=arm.neutral, explain=False)
        arm.solve_batch(T[:1], Q[:1], explain=False)
        arm.solve_batch([fa.Position(p, tol=t) for p, t in zip(T[:, :3, 3], (1e-6, 1e-5, 1e-4), strict=True)])
        arm.solve_batch(T[:0])
        arm.solve_all(T[0], samples=2)
        arm.jacobian(Q[0])
        for rows in ("pose", "position"):
            arm.manipulability(Q[0], rows)
        arm.fk_all(Q[0])
        arm.fk(Q[0].tolist())
    list_every_branch()
    for name in ("iiwa14", "ur5", "puma560"):
        arm = fa.load(name)
        q = arm.sample(1, rng_seed=2)[0]
        for method in ("fabrik-r", "combined"):
            arm.trace(arm.fk(q), method=method, sweeps=2)
    arm = fa.load("iiwa14")
    q = arm.sample(1, rng_seed=2)[0]
    arm.swivel(q)
    arm.solve(arm.fk(q), q, swivel=0.3)
    arm.solve(arm.fk(q), q, swivel=0.3, max_joint_step=1e-6)


def list_every_branch() -> None:
    """All branches of an arm that has no closed form."""
    elimination.POSES = 1
    rows = [(0.1, -1.5, 0.3), (0.6, 0.1, 0.05), (0.1, -1.4, 0.0), (0.0, 1.5, 0.5), (0.08, -1.5, 0.07), (0.0, 0.0, 0.1)]
    arm = fa.Robot.from_dh(rows, limits=np.array([[-3.0] * 6, [3.0] * 6]))
    arm.solve_all(arm.fk(arm.sample(1, rng_seed=2)[0]))
    slices.LOCKED = ((6, 2),)
    slices.seven_axes.__defaults__ = (slices.LOCKED, [6, 11])  # measuring which serve best takes minutes in Python
    arm = fa.load("panda")
    arm.self_motion(arm.fk(arm.sample(1, rng_seed=3)[0])).sample(1.0)


def keep_away() -> None:
    """Solves among obstacles and without, clearances, paths, capsules round a shape, and a map."""
    for arm in (*map(fa.load, ("ur5", "puma560", "scara", "iiwa14")), mimicking()):
        guarded = arm.with_geometry(radius=0.03)
        q = arm.neutral
        T = arm.fk(q)
        for obstacles in (SPHERE, [], [*SPHERE, fa.Box([0.0, 0.0, -1.0], [1.0, 1.0, 0.1])]):
            guarded.solve(T, q, obstacles=obstacles, explain=False, max_tries=8)
            guarded.solve(T, obstacles=obstacles, explain=False, max_tries=8, self_collision=False)
            guarded.clearance(np.stack([q, q]), obstacles=obstacles)
            guarded.is_free_between(q, 0.9 * q, obstacles=obstacles)
    guarded.clearance(q, [fa.scenes.PointCloud(np.linspace([0.5, 0.5, 0.5], [2.0, 2.0, 2.0], 150), 0.01)])  # a tree
    crossed().clearance(np.zeros((2, 2)))
    fit_capsules(box_triangles((0.02, 0.02, 0.1)).tobytes(), most=1)
    for name in ("ur5", "iiwa14"):
        arm = fa.load(name).with_geometry(radius=0.03)
        Q = arm.sample(1, rng_seed=3) * [[0.5], [0.501], [0.5]]
        for method in ("fabrik-r", "combined"):
            for q0 in (None, Q[0]):
                arm.solve(arm.fk(Q[0]), q0, method=method, obstacles=SPHERE, explain=False, max_tries=4)
        arm.track(arm.fk(Q), Q[0], obstacles=SPHERE)
        arm.track(arm.fk(Q[:2]))
        arm.track([fa.Position(T[:3, 3]) for T in arm.fk(Q[:2])], Q[0])
    map_out()


def map_out() -> None:
    """A map of two voxels, of positions and of poses."""
    points = np.array([[0.1, 0.1, 0.0], [0.2, 0.0, 0.0]])
    for name, target in (("planar-3", "position"), ("ur5", "pose")):
        solve_voxels(plan_map(fa.load(name), resolution=0.1, orientations=2, target=target, tries=1), points)


# -- bones -----------------------------------------------------------------------------------------

POINTS = np.linspace([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], 5)
TARGETS = np.array([[0.4, 0.3, 0.2], [0.2, 0.3, 0.4]])


def follow_streams() -> None:
    """Servos of arms with and without spare joints, mimic ones included: poses, points, twists, nothing."""
    for arm in (fa.load("ur5"), fa.load("panda"), mimicking()):
        T = arm.fk(arm.neutral)
        for obstacles in (None, SPHERE):
            servo = arm.servo(arm.neutral, 100, velocity=1.0, obstacles=obstacles)
            for target in (T, fa.Position(T[:3, 3]), np.full(6, 0.1), None):
                servo(target)


def bend_chains() -> None:
    """Chains of bones, free and with joints; on curves, among obstacles, with a pole."""
    for n in (1, 2, 4):
        free = fa.Chain(POINTS[: n + 1])
        limited = fa.Chain(POINTS[: n + 1], [Cone(0.8)] * n)
        for chain in (free, limited):
            chain.trace(0.5 * TARGETS[0], sweeps=2)
            last = chain.solve(TARGETS[0], explain=False, max_tries=2)
            chain.solve_batch(TARGETS, explain=False, max_tries=2)
            chain.solve_batch(TARGETS, start=[last, last], explain=False, max_tries=2)
            chain.solve_batch(TARGETS[:1], start=last, explain=False, max_tries=2)
            inside = [fa.Sphere(last.points[n // 2] + [0.0, 0.0, 0.05], 0.04)]
            for method in ("fabrik", "bezier"):
                chain.solve(TARGETS[0], method=method, pole=[0.0, 0.0, 1.0], explain=False, max_tries=2)
                chain.solve(TARGETS[1], method=method, start=last, explain=False, max_tries=2)
                chain.solve(TARGETS[0], method=method, obstacles=inside, thickness=0.02, explain=False, max_tries=2)
        free.solve(TARGETS[0], method="bezier")
        free.solve([3.0, 0.0, 0.0], method="bezier", start=POINTS[: n + 1], explain=False)
        free.trace([0.05, 0.03, 0.02], method="bezier")


def lay_flat() -> None:
    """Chains in a plane: with limits, and by the published search."""
    for n in (2, 4):
        flat = fa.Chain(POINTS[: n + 1, :2])
        for options in ({}, {"mode": "paper"}, {"mode": "paper", "grid": 0}, {"mode": "paper", "linear": 1}):
            flat.solve(TARGETS[0, :2], method="bezier", explain=False, **options)
        limited = fa.Chain(POINTS[: n + 1, :2], [Hinge(range=(-1.0, 1.0))] * n)
        for options in ({}, {"pole": [0.0, 1.0]}, {"obstacles": [fa.Sphere([0.2, 0.2], 0.05)]}):
            limited.solve(TARGETS[0, :2], method="bezier", explain=False, max_tries=2, **options)


def bend_skeletons() -> None:
    """Trees with one tip and with several, on a fixed base and on a free one."""
    bones = {"spine": (None, [0.0, 0.0, 1.0]), "left": ("spine", [-0.5, 0.0, 1.0]), "right": ("spine", [0.5, 0.0, 1.0])}
    for joints, free_base in (({}, False), ({"left": Cone(0.8)}, True)):
        tree = fa.Skeleton(bones, joints=joints, free_base=free_base)
        for names in (("left",), ("left", "right")):
            targets = {name: [0.3, 0.2, 0.9] for name in names}
            tree.solve(targets, explain=False, max_tries=2)
            tree.trace(targets, sweeps=2)
            tree.solve_batch({name: [[0.3, 0.2, 0.9]] * 3 for name in names}, explain=False, max_tries=2)
        tree.solve({"left": [0.3, 0.2, 0.9]}, pole=[0.0, 1.0, 0.0], explain=False, max_tries=2)
        around = {"obstacles": [fa.Sphere([0.0, 0.3, 0.5], 0.1)], "look_at": {"right": [2.0, 0.0, 1.0]}}
        tree.solve({"left": [0.3, 0.2, 0.9]}, explain=False, max_tries=2, **around)
        tree.solve({}, explain=False, max_tries=2, **around)
    long = fa.Skeleton({"a": (None, [0.0, 0.0, 1.0]), "b": ("a", [0.0, 0.0, 2.0])})
    long.solve({"b": [0.5, 0.2, 1.2]}, pole={"b": [1.0, 0.0, 0.0]}, explain=False)


def reach_with_several_tips() -> None:
    """Two arms on one torso: goals, many of them, a servo, and goals among obstacles for hands that are balls."""
    sys.path.append(str(Path(__file__).parents[1] / "trees"))
    from tree_robots import two_arms

    tree = fa.Tree.from_urdf(two_arms())
    goals = {name: fa.Position([0.3, side, 0.4]) for name, side in (("left_hand", 0.2), ("right_hand", -0.2))}
    tree.solve(goals, explain=False)
    stack = tree.stack([fa.goals.Goal(name, target) for name, target in goals.items()])
    stack.solve_batch({name: [target] * 2 for name, target in goals.items()})
    servo = stack.servo(np.zeros(tree.n), rate=100.0, velocity=1.0, acceleration=10.0)
    servo()
    ball = '<collision><geometry><sphere radius="0.04"/></geometry></collision>'
    text = two_arms()
    for name in goals:
        text = text.replace(f'<link name="{name}">', f'<link name="{name}">{ball}')
    round_hands = fa.Tree.from_urdf(text)
    round_hands.clearance(np.zeros(tree.n), SPHERE)
    round_hands.solve(goals, obstacles=SPHERE, explain=False)


def carry_a_clip_over() -> None:
    """A squat of a tenth of a second on a humanoid."""
    root = Path(__file__).parents[2]
    sys.path.append(str(root / "benchmarks"))
    from motions import squat

    ball = '<collision><geometry><sphere radius="0.05"/></geometry></collision>'
    text = (root / "examples" / "humanoid.urdf").read_text().replace("<inertial>", f"{ball}<inertial>")
    fa.retarget(squat(0.1, 20.0), fa.Tree.from_urdf(text, base="free"), rest=0)


def main() -> int:
    """Runs all, prints the faults and the entries that no call has entered."""
    from forearm.core import border

    arms = solve_arms, refine_by_nlopt, ask_for_more, keep_away, follow_streams
    for part in (*arms, bend_chains, lay_flat, bend_skeletons, reach_with_several_tips, carry_a_clip_over):
        began = time.perf_counter()
        part()
        print(f"{part.__name__}: {time.perf_counter() - began:.0f} s", file=sys.stderr)
    left = {f"{name} was never entered" for name in border.ENTRIES if name not in ENTERED}
    print("\n".join([*sorted(FAULTS), *sorted(left), f"{len(ENTERED)} of {len(border.ENTRIES)} kernels entered"]))
    return 1 if FAULTS or left else 0


if __name__ == "__main__":
    sys.exit(main())
