"""The public face: which names there are, and what importing them costs."""

import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

import forearm as fa

PUBLIC = [
    "Box",
    "Capsule",
    "Chain",
    "Clip",
    "ForearmError",
    "Orientation",
    "PointAxis",
    "Pose",
    "Position",
    "Robot",
    "Servo",
    "Skeleton",
    "Solution",
    "Sphere",
    "Status",
    "Track",
    "Tree",
    "Twist",
    "goals",
    "joints",
    "list_robots",
    "load",
    "load_map",
    "nearest_rigid",
    "scenes",
    "show",
]

HEAVY = {
    "scipy",
    "matplotlib",
    "viser",
    "mujoco",
    "dask",
    "distributed",
    "pyarrow",
    "zarr",
    "tornado",
    "pinocchio",
    "typer",
    "rich",
    "xacro",
}

# Numba imports SciPy where it is installed. What NumPy and Numba bring is set aside, so that whatever
# stands in `sys.modules` at the end was imported by forearm, even if it had been there before.
AFTER_NUMBA = """
import contextlib, sys, numpy
with contextlib.suppress(ImportError):
    import numba
for name in [name for name in sys.modules if name.partition(".")[0] in HEAVY]:
    del sys.modules[name]
import forearm
forearm.load("ur5")
print(*{name.partition(".")[0] for name in sys.modules})
""".replace("HEAVY", repr(HEAVY))


def test_public_names_are_these_and_at_most_twenty_six():
    assert fa.__all__ == PUBLIC
    assert len(PUBLIC) <= 26
    for name in [*PUBLIC, "errors"]:  # a module that comes along
        assert hasattr(fa, name)


def test_every_error_is_a_forearm_error():
    for name in ("ModelError", "TargetError", "OptionError", "UnsupportedError", "MissingExtraError", "NotSolvedError"):
        assert issubclass(getattr(fa.errors, name), fa.ForearmError)


def test_import_pulls_in_nothing_heavy():
    loaded = subprocess.run([sys.executable, "-c", AFTER_NUMBA], capture_output=True, text=True, check=True).stdout
    assert "forearm" in loaded.split()
    assert not HEAVY & set(loaded.split())


def test_version_is_that_of_the_package():
    try:
        assert metadata.version("forearm") == fa.__version__
    except metadata.PackageNotFoundError:
        pytest.skip("forearm is not installed, only on the path")


@pytest.mark.compiled
@pytest.mark.parametrize("call", ["solve_batch(T)", "track(T, q)", "solve_all(T[0])"])
def test_a_first_call_waits_for_no_method_or_curve_that_it_does_not_ask_for(call):
    told = f"""
import sys, numpy as np, forearm as fa
arm = fa.load("ur5")
q = arm.neutral + 0.3
T = arm.fk(np.linspace(q, q + 0.2, 20))
arm.{call}
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True, timeout=120)
    slow = {"numpy.ma", "tempfile", "forearm.core.combined", "forearm.core.iterative", "forearm.core.self_motion"}
    assert slow & set(done.stdout.split()) == set()


def test_the_names_shown_are_those_of_forearm():
    shown = set(dir(fa))
    assert {*fa.__all__, "retarget"} <= shown
    assert not {"Any", "TYPE_CHECKING", "import_module"} & shown


ARM = fa.load("ur5")
CHAIN = fa.Chain([[0, 0, 0], [0.3, 0, 0], [0.5, 0, 0]])


@pytest.mark.parametrize(
    ("thing", "name", "words"),
    [
        (fa, "Robt", "did you mean Robot"),
        (fa.plot, "draw_poses", "did you mean draw_pose"),
        (fa.scenes, "Cilinder", "did you mean Cylinder"),
        (fa.goals, "Postur", "did you mean Posture"),
        (ARM, "ik", "Robot has no 'ik'; did you mean solve?"),
        (ARM, "ikine", "did you mean solve?"),
        (ARM, "inverse_kinematics", "did you mean solve?"),
        (ARM, "forward", "did you mean fk?"),
        (ARM, "fkine", "did you mean fk?"),
        (ARM, "jacob0", "did you mean jacobian?"),
        (ARM, "qlim", "did you mean limits?"),
        (ARM, "dof", "did you mean n?"),
        (ARM, "plot", "did you mean forearm.show(arm, q)?"),
        (fa.Robot, "load", "did you mean forearm.load(name)?"),
        (fa.Tree, "track", "make a stack of goals, which has it: tree.stack(goals).track(...)"),
        (CHAIN, "ik", "Chain has no 'ik'; did you mean solve?"),
        (CHAIN.solve([0.2, 0.2, 0.0]), "q", "did you mean points?"),
        (ARM.solve(ARM.fk(ARM.neutral)), "joints", "did you mean joint_names or q?"),
    ],
    ids=lambda each: each if isinstance(each, str) and each.isidentifier() else "",
)
def test_names_of_other_libraries_and_misspelt_ones_are_answered_with_ours(thing, name, words):
    with pytest.raises(AttributeError, match=re.escape(words)):
        getattr(thing, name)
    assert not hasattr(thing, name)
    assert isinstance(thing, type) or name not in dir(thing)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fa.Robot.from_dh(row=[]), "Robot.from_dh takes no row; did you mean rows?"),
        (lambda: fa.Robot.from_urdf("a.urdf", tcp="tool0"), "Robot.from_urdf takes no tcp; did you mean tip?"),
        (lambda: fa.load("ur5", base_link="base"), "load takes no base_link; did you mean base?"),
        (lambda: fa.Tree.from_urdf("a.urdf", limit={}), "Tree.from_urdf takes no limit; did you mean limits?"),
        (lambda: fa.Tree(ARM), "Tree takes a body, not Robot("),
        (lambda: fa.Chain([[0, 0], [1, 0]], joint=None), "Chain takes no joint; did you mean joints"),
        (lambda: fa.Skeleton(bone={}), "Skeleton takes no bone; did you mean bones"),
        (lambda: fa.Pose(xyz=[0, 0, 0]), "Pose takes no xyz; did you mean pose?"),
        (lambda: fa.Position([0, 0, 0], tolerance=1), "Position takes no tolerance; did you mean tol?"),
        (lambda: fa.Position.many([[0, 0, 0]], tols=1), "Position.many takes no tols; did you mean tol"),
        (lambda: fa.Orientation(rot=1), "Orientation takes no rot; did you mean rotation"),
        (lambda: fa.PointAxis([0, 0, 0], axis=1), "PointAxis takes no axis; did you mean tool_axis"),
        (lambda: fa.Twist(frames="tip"), "Twist takes no frames; did you mean frame"),
        (lambda: fa.Sphere([0, 0, 0], r=1), "Sphere takes no r; did you mean radius?"),
        (lambda: fa.Box(centre=[0, 0, 0], size=1), "Box takes no centre; did you mean center"),
        (lambda: fa.scenes.PointCloud([[0, 0, 0]], radiuss=1), "PointCloud takes no radiuss; did you mean radius"),
        (lambda: fa.goals.Goal("a", [0, 0, 0], wieght=1), "Goal takes no wieght; did you mean weight"),
        (lambda: fa.joints.Cone(angel=1), "Cone takes no angel; did you mean half_angle"),
        (lambda: fa.show(ARM, prot=1), "show takes no prot; did you mean port"),
        (fa.load_map, "load_map: missing a required argument: 'path'"),
        (lambda: ARM.with_limits(limit={}), "Robot.with_limits takes no limit; did you mean limits"),
    ],
)
def test_misspelt_arguments_of_constructors_are_answered_with_the_nearest(call, words):
    with pytest.raises(fa.ForearmError, match=re.escape(words)):
        call()


TREE = fa.Tree.from_urdf(Path(__file__).parents[1] / "examples" / "humanoid.urdf")
EYE = np.eye(4)
NAMED = TREE.links[-1]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ARM.fk(np.zeros(6), ["tool0"]), "ur5 has no link '['tool0']'"),
        (lambda: TREE.fk(TREE.sample(1)[0], [NAMED]), f"link '['{NAMED}']' is not in "),
        (lambda: TREE.arm([NAMED]), f"link '['{NAMED}']' is not in "),
        (lambda: TREE.stack([EYE]), "a stack takes goals of fa.goals; array([[1., 0., 0., 0.],"),
        (lambda: TREE.stack({NAMED: EYE}).solve_batch({NAMED: EYE}), "one pose is a batch as T[None]"),
        (lambda: TREE.stack({NAMED: EYE}).solve(methd=1), "Stack.solve takes no methd"),
        (lambda: ARM.solve(ARM), "pose is not an array of numbers: it is Robot('ur5'"),
        (lambda: CHAIN.solve({"tip": [1, 2, 3]}), "the target is not an array of numbers: it is {'tip': [1, 2, 3]}"),
        (lambda: CHAIN.solve([0.2, 0.2, 0.0], stretch="x"), "stretch is 'x', not a number"),
        (lambda: CHAIN.solve([0.2, 0.2, 0.0], stretch=-1), "stretch is -1; it takes a share"),
        (lambda: CHAIN.solve([0.2, 0.2, 0.0], q0=[0]), "has no option 'q0'; did you mean start?"),
        (lambda: fa.Clip.read(3), "a clip is given by its path, not by int"),
        (lambda: fa.Skeleton.from_bvh(3), "a clip is given by its path, not by int"),
        (lambda: fa.Skeleton.from_clip(3), "clip is 3; it takes a Clip"),
        (lambda: fa.scenes.Mesh.from_file(3), "a mesh file is given by its path, not by int"),
        (lambda: fa.Robot.from_mjcf(3), "MJCF is given as a path or as XML text, not int"),
        (lambda: ARM.solve_batch(EYE[None], np.zeros((2, 6))), "for 1 target ur5 takes (6,) for all, or (1, 6)"),
    ],
)
def test_mistakes_of_the_first_day_are_told_in_words(call, words):
    with pytest.raises(fa.ForearmError, match=re.escape(words)):
        call()
