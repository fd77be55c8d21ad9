"""Whether "free" is free for the real shapes of robots, and "proven" proven; and how far capsules stand out of them.

python benchmarks/real_shapes.py                      # 16 URDF robots and 20 MJCF arms, 60 scenes each
python benchmarks/real_shapes.py --scenes 5 --only ur5,panda
python benchmarks/real_shapes.py --scenes 0           # how far capsules stand out, and nothing is solved
python benchmarks/real_shapes.py --scenes 0 --points 100000   # and whether they hold so many points of every shape
python benchmarks/real_shapes.py --scenes 0 --postures 1000   # and how many postures told free touch themselves
python benchmarks/real_shapes.py --scenes 0 --times 60 --only "urdf panda"   # what solves take among obstacles

The judges (`shape_judges.py`) share no code with forearm. A URDF is read by pinocchio, its meshes by assimp, and
distances are coal's on the triangles; an MJCF is read by MuJoCo, and distances are MuJoCo's between its geoms. They
know where every link is from the joint values alone. Ten MJCF arms come from robosuite and gymnasium-robotics, where
these are installed or their wheels unpacked on the PYTHONPATH; ten more are URDF robots that MuJoCo itself has written
as MJCF.

Per scene: one target (single), and, over all scenes, one batch and every fifth scene a track of 20 points. A free
answer is wrong if the judge finds anything nearer than the clearance; a proven verdict if the judge finds a posture
that meets the target and keeps a centimetre more. With --points, every shape of a link is looked at by itself: points
of its surface and its inside, placed by the judge at a random configuration, must lie in the link's own capsules.
"""

import argparse
import importlib.util
import os
import re
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np

import forearm as fa
from forearm.core.arm.kinematics import fk_frames
from forearm.core.collision.bodies import FRAME, RADIUS, SPAN, START
from forearm.scenes.scene import Scene
from many_obstacles import least
from scenes import draw_obstacle
from shape_judges import OBSTACLES, ROOM, MjcfJudge, UrdfJudge, as_coal, mesh_file

CLEARANCE, ROUNDING = 0.01, 2e-6
OUT = 1e-6  # how far a point may lie outside of capsules [m]: assimp and MuJoCo keep some meshes in single precision
WITNESSES = 30
SITE = Path(importlib.util.find_spec("numpy").origin).parents[1]
DATA = SITE / "cmeel.prefix/share/example-robot-data/robots"
RTB = SITE / "rtbdata/xacro"
URDFS = {  # name: file, base, tip
    "ur3": (DATA / "ur_description/urdf/ur3_robot.urdf", None, "tool0"),
    "ur5": (DATA / "ur_description/urdf/ur5_robot.urdf", None, "tool0"),
    "ur10": (DATA / "ur_description/urdf/ur10_robot.urdf", None, "tool0"),
    "ur5-gripper": (DATA / "ur_description/urdf/ur5_gripper.urdf", None, "tool0"),
    "panda": (DATA / "panda_description/urdf/panda.urdf", None, "panda_hand_tcp"),
    "kinova": (DATA / "kinova_description/robots/kinova.urdf", None, "j2s6s200_end_effector"),
    "xarm7": (DATA / "xarm_description/urdf/xarm7.urdf", None, "link7"),
    "z1": (DATA / "z1_description/urdf/z1.urdf", None, "link06"),
    "so101": (DATA / "so_arm_description/urdf/so101.urdf", None, "gripper_frame_link"),
    "talos-arm": (DATA / "talos_data/robots/talos_left_arm.urdf", None, "arm_left_7_link"),
    "tiago": (DATA / "tiago_description/robots/tiago_no_hand.urdf", "torso_lift_link", "arm_7_link"),
    "baxter": (DATA / "baxter_description/urdf/baxter.urdf", "torso", "left_wrist"),
    "irb140": (RTB / "abb_irb140_description/urdf/irb140.urdf", None, "tool0"),
    "kr210": (RTB / "kuka_description/kuka_kr210/urdf/kr210l150.urdf", None, "tool0"),
    "kr16": (RTB / "kuka_description/kuka_kr16/urdf/kr16_2.urdf", None, "tool0"),
    "iiwa14": (RTB / "kuka_description/kuka_lbr_iiwa/urdf/lbr_iiwa_14_r820.urdf", None, "tool0"),
}
MJCFS = {  # package: what an arm is called, its file below the package, base and tip
    "robosuite": {
        name: (f"models/assets/robots/{name}/robot.xml", None, "right_hand")
        for name in ("panda", "sawyer", "iiwa", "ur5e", "kinova3", "jaco", "xarm7", "baxter")
    },
    "gymnasium_robotics": {
        "fetch": ("envs/assets/fetch/reach.xml", "robot0:base_link", "robot0:grip"),
        "franka": (
            "envs/assets/kitchen_franka/kitchen_assets/kitchen_env_model.xml",
            "panda0_link0",
            "end_effector",
        ),
    },
}
AS_MJCF = ("ur3", "ur5", "ur10", "panda", "xarm7", "z1", "so101", "irb140", "kr210", "iiwa14")
MESHES = (".stl", ".obj")  # that MuJoCo reads


def sticks_out(name, robot, judge, count):
    """The farthest that any of so many points of a shape is outside of its link's capsules [m]; says where."""
    rng, geometry, model = np.random.default_rng(18), robot.geometry, robot.model
    q, frames = robot.sample(1, rng_seed=18)[0], np.empty((model.m + 1, 4, 4))
    fk_frames(model.links, model.joints, q, frames)
    capsules = [placed(model, frames, row) for row in geometry.bodies]
    worst, shapes = -np.inf, 0
    for link, points in judge.solids(q, count, rng):
        own = [capsule for capsule, owner in zip(capsules, geometry.names, strict=True) if owner == link]
        if not own:
            continue  # behind another joint than the chain's base
        out = np.full(len(points), np.inf)
        for a, way, radius in own:
            share = np.clip((points - a) @ way / max(way @ way, 1e-300), 0.0, 1.0)
            np.minimum(out, np.linalg.norm(points - a - share[:, None] * way, axis=1) - radius, out=out)
        worst, shapes = max(worst, float(out.max())), shapes + 1
        if out.max() > OUT:
            print(
                f"  {name}: {int((out > OUT).sum())} points of {link} stick out, by {1e3 * out.max():.4f} mm",
                flush=True,
            )
    print(f"  {name}: {count} points of each of {shapes} shapes, farthest out {1e3 * worst:.6f} mm", flush=True)
    return worst


def free_and_touching(name, robot, judge, count):
    """How many of so many random postures forearm calls free though they touch themselves; says it, and the denied."""
    Q = robot.sample(count, rng_seed=7)
    began = time.process_time()
    told = robot.clearance(Q).distance > 0.0
    took, true = time.process_time() - began, np.array([judge.distance(q, []) > 0.0 for q in Q])
    touching, denied = int((told & ~true).sum()), int((true & ~told).sum())
    print(
        f"  {name}: of {told.sum()} random postures that are told free {touching} touch themselves;"
        f" of {true.sum()} that are free {denied} are told to touch; first asked in {took:.1f} s of processor time",
        flush=True,
    )
    return touching


def placed(model, frames, row):
    """A body of a geometry in the base frame: one end of its axis, the way to the other, its radius."""
    frame = int(row[FRAME])
    a, way = row[START : START + 3], row[SPAN : SPAN + 3]
    if frame >= 0:
        C = model.links[frame + 1]
        angle = np.arctan2(C[0, 2], -C[1, 2])  # by which the compact chain has it turned
        c, s = np.cos(angle), np.sin(angle)
        R = frames[frame, :3, :3] @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        a, way = R @ a + frames[frame, :3, 3], R @ way
    return a, way, row[RADIUS]


def draw(robot, seed):
    """A target that the arm reaches, and obstacles about the arm that reaches it."""
    rng = np.random.default_rng([seed, 18])
    q = robot.sample(1, rng_seed=seed)[0]
    points = np.concatenate([robot.fk_all(each)[:, :3, 3] for each in (q, *robot.sample(2, rng_seed=seed + 999))])
    size = min(1.0, robot.reach)
    found = []
    while len(found) < OBSTACLES:
        center = points[rng.integers(len(points))] + rng.normal(size=3) * 0.25 * size
        if np.linalg.norm(center) > 0.25 * size:
            found.append(draw_obstacle(rng, center))
    return q, found


def judge_robot(name, robot, judge, scenes, tally):
    """Asks for every scene, alone, in a batch and on a track, and has all answers judged."""
    drawn, shared = [draw(robot, seed) for seed in range(scenes)], None
    if not drawn:
        return
    for i, (q, obstacles) in enumerate(drawn):
        shapes, T = [as_coal(each) for each in obstacles], robot.fk(q)
        scene = Scene(obstacles)
        start = time.perf_counter()
        s = robot.solve(T, obstacles=scene, clearance=CLEARANCE)
        tally["time"].append(time.perf_counter() - start)
        tally["asked"] += 1
        if s.success:
            tally["free"] += 1
            shared = obstacles if shared is None else shared  # of a batch: some scenes block what never moves
            count_touch(name, "single", i, judge.distance(s.q, shapes), tally)
        elif "(proven)" in s.reason:
            tally["proven"] += 1
            room = max((judge.distance(each, shapes) for each in postures(robot, T, q)), default=-np.inf)
            if room > CLEARANCE + ROOM:
                tally["wrong proofs"] += 1
                print(f"  {name} scene {i}: proven, but a posture has {1e3 * room:.1f} mm of room", flush=True)
        if i % 5 == 0:
            ends = robot.sample(2, rng_seed=i)
            way = ends[0] + np.linspace(0.0, 0.2, 20)[:, None] * (ends[1] - ends[0])
            track = robot.track(robot.fk(way), way[0], obstacles=scene, clearance=CLEARANCE)
            for a, b in zip(track.q[:-1], track.q[1:], strict=True):
                tally["track points"] += 1
                for share in (0.0, 0.5):
                    count_touch(name, "track", i, judge.distance(a + share * (b - a), shapes), tally)
    obstacles = shared or drawn[0][1]
    batch = robot.solve_batch(np.array([robot.fk(q) for q, _ in drawn]), obstacles=obstacles, clearance=CLEARANCE)
    for i in np.flatnonzero(batch.success):
        tally["batch"] += 1
        count_touch(name, "batch", i, judge.distance(batch.q[i], [as_coal(each) for each in obstacles]), tally)


def say_times(name, robot, scenes):
    """Prints what solves take among obstacles: processor time as Python sees it, the least of some calls."""
    met, missed = [], []
    for seed in range(scenes):
        q, obstacles = draw(robot, seed)
        T, scene = robot.fk(q), Scene(obstacles)
        free = robot.solve(T, obstacles=scene, clearance=CLEARANCE, explain=False).success
        ask = partial(robot.solve, T, obstacles=scene, clearance=CLEARANCE, explain=False)
        (met if free else missed).append(least(ask, 9 if free else 3))
    middle, most = (f"{np.median(met):.1f}, p95 {np.percentile(met, 95):.1f}", max(met)) if met else ("none", np.nan)
    lost = f"median {1e-3 * np.median(missed):.2f}, largest {1e-3 * max(missed):.2f} ms" if missed else "none"
    print(f"  {name}: {len(met)} of {scenes} free, us median {middle}, largest {most:.0f}; missed: {lost}", flush=True)


def count_touch(name, what, i, distance, tally):
    """Counts a free answer that is nearer than the clearance."""
    if distance < CLEARANCE - ROUNDING:
        tally["touching"] += 1
        print(f"  {name} {what} {i}: free, but {1e3 * distance:.2f} mm by the judge", flush=True)


def postures(robot, T, q):
    """Postures that meet a target."""
    found = [q, *(branch.q for branch in robot.solve_all(T))]
    for start in robot.sample(WITNESSES, rng_seed=5):
        s = robot.solve(T, start)
        found += [s.q] if s.success else []
    return found


def robots():
    """Every robot that is there, with its judge: name, robot, judge; or the reason why not."""
    for name, (file, base, tip) in URDFS.items():
        yield (
            f"urdf {name}",
            lambda file=file, base=base, tip=tip: with_judge(fa.Robot.from_urdf, UrdfJudge, file, base, tip),
        )
    for package, files in MJCFS.items():
        spec = importlib.util.find_spec(package)
        for name, (file, base, tip) in files.items() if spec else ():
            path = Path(spec.origin).parent / file
            yield (
                f"mjcf {name} ({package})",
                lambda path=path, base=base, tip=tip: with_judge(fa.Robot.from_mjcf, MjcfJudge, path, base, tip),
            )
        if not spec:
            print(f"{package} is not installed; its arms are left out")
    for name in AS_MJCF:
        yield f"mjcf of {name}", lambda name=name: as_mjcf(*URDFS[name])


def with_judge(load, judge, file, base, tip):
    """A robot of a file, and its judge."""
    robot = load(file, base=base, tip=tip)
    return robot, judge(file, robot)


def as_mjcf(file, base, tip):
    """A URDF as MuJoCo writes it as MJCF, its collision meshes copied beside it."""
    import mujoco  # noqa: PLC0415 (an extra)
    import trimesh  # noqa: PLC0415

    folder = Path(tempfile.mkdtemp(prefix="real-shapes-"))
    text = re.sub(
        r"<visual.*?</visual>|<transmission.*?</transmission>|<gazebo.*?</gazebo>", "", file.read_text(), flags=re.S
    )
    for k, named in enumerate(sorted(set(re.findall(r'filename="([^"]+)"', text)))):
        found = mesh_file(named, file)
        mesh = trimesh.load(found, force="mesh")
        mesh.export(folder / f"part{k}.stl")
        text = text.replace(f'"{named}"', f'"part{k}.stl"')
    text = re.sub(
        r"(<robot[^>]*>)", r'\1<mujoco><compiler fusestatic="false" strippath="false"/></mujoco>', text, count=1
    )
    (folder / "arm.urdf").write_text(text)
    before = os.getcwd()
    os.chdir(folder)
    try:
        spec = mujoco.MjSpec.from_file("arm.urdf")
        spec.compile()
        (folder / "arm.xml").write_text(spec.to_xml())
    finally:
        os.chdir(before)
    return with_judge(fa.Robot.from_mjcf, MjcfJudge, folder / "arm.xml", base, tip)


def main():
    """Prints a row per robot, and ends with 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=int, default=60)
    parser.add_argument("--only", default="", help="robots with one of these words in their names, as in ur5,panda")
    parser.add_argument("--points", type=int, default=0, help="of each shape, that its capsules must hold")
    parser.add_argument("--postures", type=int, default=0, help="random ones, that must not touch themselves if free")
    parser.add_argument("--times", type=int, default=0, help="scenes in which solves are timed, unexplained")
    asked = parser.parse_args()
    only, wrong, judged = asked.only.split(",") if asked.only else [""], 0, []
    print("robot | capsules | excess of a link in mm, largest (median) | links with more than wished", end="")
    print(" | asked | free | proven | batch | track points | touching | wrong proofs | ms")
    for name, load in robots():
        if not any(word in name for word in only):
            continue
        try:
            robot, judge = load()
        except Exception as problem:  # whatever a reader raises: a robot that is not there is told, and not judged
            print(f"{name} | not judged: {' '.join(str(problem).split())[:150]}", flush=True)
            continue
        keys = ("asked", "free", "proven", "batch", "track points", "touching", "wrong proofs")
        tally = dict.fromkeys(keys, 0) | {"time": []}
        judge_robot(name, robot, judge, asked.scenes, tally)
        tally["touching"] += free_and_touching(name, robot, judge, asked.postures) if asked.postures else 0
        if asked.times:
            say_times(name, robot, asked.times)
        held = asked.points == 0 or sticks_out(name, robot, judge, asked.points) <= OUT
        excess = list(robot.geometry.excess.values()) or [0.0]
        counts = " | ".join(str(tally[key]) for key in keys)
        missed = len(robot.geometry.missed)
        fits = f"{1e3 * max(excess):.0f} ({1e3 * np.median(excess):.0f}) | {missed} of {len(robot.geometry.excess)}"
        middle = 1e3 * np.median(tally["time"] or [np.nan])
        print(f"{name} | {len(robot.geometry.bodies)} | {fits} | {counts} | {middle:.2f}", flush=True)
        for note in robot.geometry.notes:
            print(f"  {note}"[:300])
        if robot.geometry.notes:
            print(f"  {name}: parts of it are guessed, so what touches does not count")
            tally["touching"] = 0
        wrong += tally["touching"] + tally["wrong proofs"] + (not held and not robot.geometry.notes)
        judged.append(name.split()[0])
    print(f"judged: {judged.count('urdf')} URDF robots, {judged.count('mjcf')} MJCF arms; wrong in all: {wrong}")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
