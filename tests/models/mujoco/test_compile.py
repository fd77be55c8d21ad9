"""What MuJoCo leaves behind when it fails: it must reach no other file, and no other thread."""

import subprocess
import sys
import threading
from pathlib import Path

import mujoco
import pytest

from forearm.errors import ModelError
from forearm.models.mjcf import from_mjcf
from forearm.models.mujoco.compile import compile_kinematics
from forearm.robot import Robot

ROOT = Path(__file__).parents[3]
# MuJoCo 4.0 ends this with an exception that leaves its handler of messages in the thread (a `<model>` without a
# file); the next message in that thread is then handed from the handler to itself, for ever.
POISON = b'<mujoco><asset><model name="a"/></asset><worldbody><body><joint/></body></worldbody></mujoco>'

ARM = """<mujoco><compiler angle="radian"/><worldbody><body name="a" pos="{pos}" quat="{quat}">
<joint name="j1" axis="{axis}" pos="{anchor}" range="{range}" ref="{ref}"/><geom type="box" size="{size}" pos="{geom}"/>
<body name="b" euler="{euler}"><joint name="j2"/><geom type="capsule" size="0.01" fromto="{fromto}"/>
<site name="tool" pos="{site}"/></body></body></worldbody><equality>
<joint joint1="j2" joint2="j1" polycoef="{polycoef}"/><connect active="false" body1="b" body2="a" anchor="{connect}"/>
<weld active="false" body1="b" body2="a" relpose="{weld}"/></equality></mujoco>"""
NUMBERS = {
    "pos": "0 0 1", "quat": "1 0 0 0", "axis": "0 0 1", "anchor": "0 0 0", "range": "-1 1", "ref": "0",
    "size": "0.1 0.1 0.1", "geom": "0 0 0", "euler": "0 0 0", "fromto": "0 0 0 0 0 1", "site": "0 0 0.1",
    "polycoef": "0 1 0 0 0", "connect": "0 0 0", "weld": "0 0 0 1 0 0 0",
}  # fmt: skip
UNUSUAL = ("nan", "inf", "-inf", "1e308", "1e-320")


def in_a_process(code):
    """What a piece of code prints; what never ends is ended."""
    head = "import tests.models.mujoco.test_compile as t\n"
    command = [sys.executable, "-c", head + code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def poison():
    """Has MuJoCo fail as it does for a broken file."""
    with pytest.raises(ModelError, match="MuJoCo cannot read poison: "):
        compile_kinematics(POISON, {}, "poison")


def read_all():
    """How many arms with a number that is none, or too large or small, were read and how many refused."""
    read = refused = 0
    for name, given in NUMBERS.items():
        for unusual in UNUSUAL:
            words = given.split()
            words[-1] = unusual
            try:
                Robot.from_mjcf(ARM.format(**NUMBERS | {name: " ".join(words)}), tip="tool")
                read += 1
            except ModelError as problem:
                assert str(problem).isprintable()  # noqa: PT017
                refused += 1
    return read, refused


def test_numbers_that_are_none_are_read_or_refused_the_same_after_a_file_that_broke_mujoco():
    before = in_a_process("print(t.read_all())")
    assert in_a_process("t.poison(); print(t.read_all())") == before
    read, refused = map(int, before.strip("()").split(","))
    assert read + refused == len(NUMBERS) * len(UNUSUAL)
    assert min(read, refused) > 0


def test_what_fails_here_does_not_reach_mujoco_in_the_callers_thread():
    code = "t.poison(); t.mujoco.MjSpec.from_string(t.ARM.format(**t.NUMBERS | {'pos': 'nan 0 0'})); print('ended')"
    assert in_a_process(code) == "ended"


def test_what_failed_in_the_callers_thread_does_not_reach_what_is_read_here():
    code = """
try:
    t.mujoco.MjSpec.from_string(t.POISON.decode())
except Exception:
    t.Robot.from_mjcf(t.ARM.format(**t.NUMBERS | {'connect': 'nan 0 0'}), tip="tool")
    print('ended')
"""
    assert in_a_process(code) == "ended"


def test_an_attached_model_without_a_file_is_refused_by_name():
    with pytest.raises(ModelError, match="has a <model> without a file; name one, or remove it"):
        from_mjcf(POISON.decode())


def test_no_thread_is_left_behind():
    before = threading.active_count()
    from_mjcf(ARM.format(**NUMBERS), tip="tool")
    poison()
    assert threading.active_count() == before


def test_the_warning_handler_of_mujoco_is_put_back_after_a_failure():
    before = mujoco.get_mju_user_warning()
    poison()
    assert mujoco.get_mju_user_warning() is before
