"""Exported robots, built with the C compiler that is here, beside Python; at length in `benchmarks/c_export.py`."""

import ctypes
import math
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import forearm as fa
from c_export import STRICT, unequal_branches, unequal_solves, unequal_ticks
from forearm.export.write import export_c

pytestmark = pytest.mark.compiled
ARMS = ("ur5", "iiwa14", "panda", "jaco2", "so101")
BAD_TARGET, BAD_START, BAD_ARGUMENT, LIMITS, OUT_OF_REACH = -1, -2, -4, 2, 1


@pytest.mark.parametrize("name", ARMS)
def test_answers_have_the_bits_of_python(name, built):
    assert unequal_solves(built(name), 300) == 0
    assert unequal_branches(built(name), 40) == 0
    assert unequal_ticks(built(name), 1500) == 0


@pytest.mark.parametrize("name", ["ur5", "panda"])
def test_fk_has_the_bits_of_python(name, built):
    arm = built(name)
    for q in arm.robot.sample(50, 2):
        code, pose = arm.fk(q)
        assert code == 0
        assert pose.tobytes() == arm.robot.fk(q).tobytes()


def spoiled(target):
    not_finite, not_rigid, mirrored = target.copy(), target.copy(), target.copy()
    not_finite[1, 3] = math.nan
    not_rigid[:3, :3] *= 1.1
    mirrored[:3, 0] *= -1.0
    return not_finite, not_rigid, mirrored


@pytest.mark.parametrize("name", ["ur5", "panda"])
def test_bad_input_gives_a_status(name, built):
    arm = built(name)
    q, target = arm.robot.neutral, arm.robot.fk(arm.robot.neutral)
    for bad in spoiled(target):
        assert arm.solve(bad, q)[0] == BAD_TARGET
        assert arm.solve_all(bad)[0] == BAD_TARGET
        assert arm.explain(bad)[0] == BAD_TARGET
    for value in (math.nan, math.inf, 1e6):
        start = q.copy()
        start[2] = value
        assert arm.solve(target, start)[0] == BAD_START
        assert arm.servo(start)[0] == BAD_START
    assert arm.fk(np.full(arm.robot.n, math.nan))[0] == BAD_START


def test_null_and_numbers_out_of_range_give_a_status(built):
    arm, none = built("ur5"), None
    q, target = arm.robot.neutral, arm.robot.fk(arm.robot.neutral)
    assert arm.call("fk", none, target) == BAD_ARGUMENT
    assert arm.call("fk", q, none) == BAD_ARGUMENT
    assert arm.call("solve", none, q, q, none) == BAD_ARGUMENT
    assert arm.call("solve", target, q, none, none) == BAD_ARGUMENT
    assert arm.call("solve_all", none, none, ctypes.c_size_t(1), q, none) == BAD_ARGUMENT
    assert arm.call("solve_all", target, none, ctypes.c_size_t(1), none, none) == BAD_ARGUMENT
    assert arm.call("solve_all", target, none, ctypes.c_size_t(0), none, none) == 0
    assert arm.call("servo_step", none, target, q) == BAD_ARGUMENT
    assert arm.call("servo_sync", none, q, none) == BAD_ARGUMENT
    assert arm.call("explain", target, none, ctypes.c_size_t(0), none) == BAD_ARGUMENT
    for rate in (0.0, math.nan, 1e9):
        assert arm.servo(q, rate=rate)[0] == BAD_ARGUMENT
    assert arm.servo(q, velocity=np.zeros(6))[0] == BAD_ARGUMENT


def test_a_start_may_be_where_the_answer_goes(built):
    arm = built("ur5")
    q = arm.robot.sample(1, 8)[0]
    target, start = arm.robot.fk(q + 0.01), q.copy()
    assert arm.call("solve", target, q, q, None) == 0
    assert q.tobytes() == arm.robot.solve(target, start).q.tobytes()


def test_no_more_rows_are_written_than_there_is_room_for(built):
    arm = built("ur5")
    target = arm.robot.fk(arm.robot.sample(1, 4)[0])
    count, rows, _ = arm.solve_all(target)
    few, nearest, _ = arm.solve_all(target, room=2)
    assert count > 2
    assert few == 2
    assert nearest.tobytes() == rows[:2].tobytes()


def test_a_sentence_says_why_not(built):
    arm = built("ur5")
    far = np.eye(4)
    far[0, 3] = 5.0
    code, sentence = arm.explain(far)
    assert code == OUT_OF_REACH
    assert "beyond the arm's reach" in sentence
    assert arm.explain(arm.robot.fk(arm.robot.neutral + 0.3)) == (0, "solved")


def test_limits_in_the_way_are_named(kernels, tmp_path):
    from c_export import Exported

    robot = fa.load("ur5").with_limits({"wrist_3_joint": (0.0, 0.1)})
    arm = Exported(robot, tmp_path, "narrow", seeds=256)
    q = fa.load("ur5").sample(1, 1)[0]
    q[5] = 1.0
    code, sentence = arm.explain(fa.load("ur5").fk(q))
    assert code == LIMITS
    assert "wrist_3_joint" in sentence


SANITIZERS = "-fsanitize=address,undefined"


def has_sanitizers(compiler, folder):
    """Whether a compiler is installed with what its sanitizers run on: Debian has that of clang in a package apart."""
    if shutil.which(compiler) is None:
        return False
    (folder / "empty.c").write_text("int main(void) { return 0; }\n")
    command = [compiler, SANITIZERS, "empty.c", "-o", "empty"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_example_is_clean_under_sanitizers(compiler, kernels, tmp_path):
    if not has_sanitizers(compiler, tmp_path):
        pytest.skip(f"{compiler} with its sanitizers is not installed")
    export_c(fa.load("ur5"), tmp_path, seeds=256)
    sources = [
        "main.c",
        *(path.name for path in tmp_path.glob("ur5_*.c")),
        *(path.name for path in tmp_path.glob("*.o")),
    ]
    careful = ["-g", SANITIZERS, "-fno-sanitize-recover=all", "-pedantic"]
    command = [compiler, "-std=c99", *STRICT, *careful, *sources, "-lm", "-o", "example"]
    subprocess.run(command, cwd=tmp_path, check=True)
    done = subprocess.run(["./example"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert done.stdout.startswith("solved")
    assert not done.stderr


CPP = """
#include "ur5.hpp"
#include "panda.hpp"
int main() {
    const ur5::Joints q{0.1, -1.0, 1.2, 0.3, 0.4, 0.5};
    const auto pose = ur5::fk(q);
    if (!pose || !ur5::solve(*pose, q)) return 1;
    if (ur5::solve_all<8>(*pose).count < 1) return 2;
    if (ur5::solve(pose->data(), 15, q.data(), 6).status != UR5_BAD_ARGUMENT) return 3;
    if (ur5::solve(pose->data(), 16, q.data(), 5).status != UR5_BAD_ARGUMENT) return 4;
    ur5::Servo servo(1000.0, q);
    for (int i = 0; i < 10; i++) servo(*pose);
    if (servo.status != UR5_FOLLOWING) return 5;
#ifdef UR5_SPAN
    if (ur5::solve(std::span(*pose).first(9), std::span(q)).status != UR5_BAD_ARGUMENT) return 6;
    if (!ur5::solve(std::span<const double>(*pose), std::span<const double>(q))) return 7;
#endif
    return panda::solve(panda::Pose{}).status == PANDA_BAD_TARGET ? 0 : 8;
}
"""


@pytest.mark.parametrize("standard", ["c++17", "c++20"])
def test_cpp_calls_two_robots_in_one_program(standard, kernels, tmp_path):
    if shutil.which("c++") is None:
        pytest.skip("no C++ compiler is installed")
    for name in ("ur5", "panda"):
        export_c(fa.load(name), tmp_path, seeds=256)
    (tmp_path / "program.cpp").write_text(CPP)
    sources = [path.name for name in ("ur5", "panda") for path in tmp_path.glob(f"{name}_*.c")]
    subprocess.run(["cc", "-O0", "-w", "-c", *sources], cwd=tmp_path, check=True)
    objects = [path.name for path in tmp_path.glob("*.o")]
    subprocess.run(["c++", f"-std={standard}", *STRICT, "program.cpp", *objects, "-lm"], cwd=tmp_path, check=True)
    assert subprocess.run(["./a.out"], cwd=tmp_path, check=False).returncode == 0


GLUE = """
#include "glue.hpp"
#include <cstring>
int main() {
    const arm::Joints q{0.4, -1.0, 1.2, 0.3, 0.4, 0.5};
    for (int i = 0; i < 40; i++) {
        arm::Joints there = q;
        there[0] += 0.3 * i, there[4] -= 0.2 * i;
        const auto T = arm::fk(there);
        const auto r = forearm_arm::quaternion_of(*T);
        const auto back = forearm_arm::pose_of({(*T)[3], (*T)[7], (*T)[11]}, {3 * r[0], 3 * r[1], 3 * r[2], 3 * r[3]});
        for (int k = 0; k < 16; k++)
            if (!(std::fabs(back[k] - (*T)[k]) < 1e-12)) return 1;
    }
    if (arm::solve(forearm_arm::pose_of({0, 0, 0}, {0, 0, 0, 0})).status != ARM_BAD_TARGET) return 2;
    std::vector<std::string> names{"gripper"};
    for (int k = 5; k >= 0; k--) names.push_back(arm_joint_names[k]);
    const auto places = forearm_arm::places_of(names);
    if (places.size() != 6 || places[0] != 6 || places[5] != 1) return 3;
    if (!forearm_arm::places_of({"gripper"}).empty()) return 4;
    const auto picked = forearm_arm::pick({9, 5, 4, 3, 2, 1, 0}, places);
    if (picked != arm::Joints{0, 1, 2, 3, 4, 5}) return 5;
    if (forearm_arm::is_near(q, picked, {0.5, 0.5}) || !forearm_arm::is_near(q, q, {0.0})) return 6;
    return forearm_arm::inside({100, 0, 0, 0, 0, 0})[0] == arm_upper[0] ? 0 : 7;
}
"""


def test_the_glue_of_ros_turns_poses_and_joints(kernels, tmp_path):
    if shutil.which("c++") is None:
        pytest.skip("no C++ compiler is installed")
    export_c(fa.load("ur5"), tmp_path, "arm", seeds=256)
    (tmp_path / "program.cpp").write_text(GLUE)
    subprocess.run(["cc", "-O0", "-w", "-c", *(p.name for p in tmp_path.glob("arm_*.c"))], cwd=tmp_path, check=True)
    objects = [path.name for path in tmp_path.glob("*.o")]
    glue = f"-I{Path(__file__).parents[2] / 'examples' / 'ros2' / 'forearm_arm' / 'src'}"
    command = ["c++", "-std=c++17", *STRICT, glue, "-I.", "program.cpp", *objects, "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert subprocess.run(["./a.out"], cwd=tmp_path, check=False).returncode == 0
