"""Ctrl-C ends whatever takes long within half a second, and leaves no thread behind.

Each case runs in a process of its own, which is sent SIGINT in the middle of its work and then says when its
`KeyboardInterrupt` arrived (the clock is the same for all processes), how much of a processor it had had by then, and
how many threads are left.
"""

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there"),
]

SOON = 0.5  # seconds that Ctrl-C may take where a processor is free: counted as processor time of each thread
BUSY = 10  # and so many times as long by the clock, on a machine that is busy with other tests
UNDER_WAY = 0.3  # seconds after which a run is in the middle of its work
WAIT = 120.0  # seconds for anything else: a test fails rather than hangs

CHILD = """
import signal, sys, tempfile, threading, time
from pathlib import Path
import numpy as np
import forearm as fa
from forearm.scenes import PointCloud
from forearm.scale import make_map, solve_file
signal.signal(signal.SIGINT, signal.default_int_handler)  # a parent may have ignored it
# Python drops an interrupt that meets it in a callback of a weak reference, as of a pool's thread that has ended.
def press_again(dropped):
    if isinstance(dropped.exc_value, KeyboardInterrupt):
        threading.Timer(0.01, signal.raise_signal, [signal.SIGINT]).start()
sys.unraisablehook = press_again
assert sys.gettrace() is None, "a tracer has locks of its own, which an interrupt may leave shut: see tests/conftest.py"
rng = np.random.default_rng(0)
folder = Path(tempfile.mkdtemp())
{before}
def main(small):
    {work}
main(True)  # whatever is made once is made
print("ready", flush=True)
began = time.monotonic()
try:
    while True:  # a fast machine is asked again
        main(False)
except KeyboardInterrupt:
    while threading.active_count() > 1 and time.monotonic() < began + 60.0:
        time.sleep(0.005)  # a thread that was told ends with its piece; the time is taken when all have
    print("interrupted", time.monotonic(), time.process_time(), threading.active_count(), flush=True)
"""

PANDA = """
arm = fa.load("panda").with_geometry(radius=0.04)
T = arm.fk(arm.sample(64))
far = T.copy()
far[:, :3, 3] *= 0.85 / np.linalg.norm(far[:, :3, 3], axis=1)[:, None]
box = {"limits": np.array([arm.neutral - 0.3, arm.neutral + 0.3]), "explain": False}  # holds no answer to this:
beside = arm.fk(arm.neutral + 0.6)
"""
CLOUD = """
cloud = [PointCloud(rng.uniform(-1.0, 1.0, (2000, 3)), 0.05)]
"""
SNAKE = """
arm = fa.load("snake-200").with_geometry(radius=0.8)
q = np.clip(arm.neutral - 1, *arm.limits)
def cloud(count):
    return [PointCloud(np.random.default_rng(0).normal(size=(count, 3)) * 9 + 30, 0.01)]
"""
BONES = """
chain = fa.Chain(np.linspace([0.0, 0, 0], [1.0, 0, 0], 31))
near_end = np.array([0.6, 0.8 - 1e-9, 0.0])
stiff = fa.Chain(np.linspace([0.0, 0, 0], [1.0, 0, 0], 31), joints=fa.joints.Cone(0.01))
wall = [fa.Sphere([0.4, 0.15, 0.0], 0.25), fa.Sphere([0.5, 0.3, 0.05], 0.04)]
"""
# What is done before, and what is interrupted; `small` makes it short.
CASES = {
    "a solve with many tries": (PANDA, "arm.solve(beside, max_tries=10 if small else 1_000_000, **box)"),
    "a solve with a start": (PANDA, "arm.solve(beside, arm.neutral, max_tries=9 if small else 1_000_000, **box)"),
    "a solve with a time limit": (
        PANDA,
        "arm.solve(beside, max_tries=1_000_000, timeout=0.01 if small else 60.0, **box)",
    ),
    "dls": (PANDA, "arm.solve(beside, method='dls', restarts=1 if small else 1_000_000, **box)"),
    "jacobian-transpose": (
        PANDA,
        "arm.solve(beside, method='jacobian-transpose', max_iterations=9 if small else 10_000_000, **box)",
    ),
    "ccd": (PANDA, "arm.solve(beside, method='ccd', max_iterations=9 if small else 1_000_000, **box)"),
    "fabrik-r": (
        PANDA,
        "arm.solve(beside, method='fabrik-r', max_tries=9 if small else 1_000_000, **box)",
    ),
    "fabrik-r alone": (
        PANDA,
        "arm.solve(beside, method='fabrik-r', refine=0, max_iterations=9 if small else 10_000_000, **box)",
    ),
    "fabrik-r with many sweeps": (
        PANDA,
        "arm.solve(beside, method='fabrik-r', max_tries=1, sweeps=2 if small else 1_000_000, **box)",
    ),
    "a chain with many sweeps": (
        BONES,
        "chain.solve(near_end, refine=False, max_sweeps=9 if small else 10_000_000, tolerance=1e-15, explain=False)",
    ),
    "a chain with limits and many tries": (
        BONES,
        "stiff.solve([0.0, 0.1, 0.0], max_tries=2 if small else 10_000_000, explain=False)",
    ),
    "a batch of chains with limits and many tries": (
        BONES,
        "stiff.solve_batch([[0.0, 0.1, 0.0]] * 99, max_tries=2 if small else 10_000_000, threads={threads})",
    ),
    "a chain of thousands of bones": (
        "chain = fa.Chain(np.linspace([0.0, 0, 0], [1.0, 0, 0], 3001), joints=fa.joints.Cone(1e-4))",
        "[chain.solve([0.0, 0.1, 0.0], max_tries=1 if small else None, explain=not small) for _ in range(99)]",
    ),
    "a chain with limits among obstacles": (
        BONES,
        "stiff.solve([0.9, 0.1, 0.0], obstacles=wall, max_tries=2 if small else 10_000_000, explain=False)",
    ),
    "the published search": (
        "chain = fa.Chain(np.linspace([0.0, 0.0], [0.0, 1.0], 6))",
        "chain.solve([0.5, 0.3], method='bezier', mode='paper', linear=1, grid=9 if small else 1_000_000, "
        "steps=9 if small else 10_000_000, explain=False)",
    ),
    "explaining among obstacles": (
        PANDA + CLOUD,
        "[arm.solve(x, obstacles=cloud, explain=not small) for x in (T[:1] if small else np.tile(T, (99, 1, 1)))]",
    ),
    "a long chain": (
        "arm = fa.load('planar-100')",
        "[arm.solve(fa.Pose(fa.load('ur5').fk(np.zeros(6))), explain=not small) for _ in range(1 if small else 999)]",
    ),
    "a batch, easy ones first": (
        "arm = fa.load('ur5')\nT = arm.fk(arm.sample(200_000))\nfar = np.tile(T[:1], (999_999, 1, 1))\n"
        "far[:, :3, 3] *= 0.93 / np.linalg.norm(far[:, :3, 3], axis=1)[:, None]\nT = np.concatenate([T, far])",
        "arm.solve_batch(T[:9] if small else T, threads={threads})",
    ),
    "a batch that is explained": (
        PANDA,
        "arm.solve_batch(far[:2] if small else np.tile(far, (99, 1, 1)), explain=True, threads={threads})",
    ),
    "a batch with many tries": (
        PANDA,
        "arm.solve_batch([beside] * 99, max_tries=9 if small else 1_000_000, threads={threads}, **box)",
    ),
    "a batch among obstacles": (
        PANDA + CLOUD,
        "arm.solve_batch(T[:1] if small else np.tile(T, (99, 1, 1)), obstacles=cloud, explain=True, threads={threads})",
    ),
    "a batch of long chains": (
        "arm = fa.load('planar-100')\nT = fa.load('ur5').fk(fa.load('ur5').sample(999))",
        "arm.solve_batch(T[:1] if small else T, explain=not small, threads={threads})",
    ),
    "a batch of bones": (
        "chain = fa.Chain(np.linspace([0.0, 0, 0], [1.0, 0, 0], 60))\nP = rng.uniform(-0.6, 0.6, (99_999, 3))",
        "chain.solve_batch(P[:2] if small else P, obstacles=[fa.Sphere([0.3, 0, 0], 0.1)], threads={threads})",
    ),
    "whether a way is free": (
        SNAKE,
        "arm.is_free_between(q, q if small else q + 1, cloud(9 if small else 3000), self_collision=False)",
    ),
    "clearances": (
        SNAKE,
        "arm.clearance(np.tile(q, (1 if small else 20_000, 1)), cloud(9 if small else 20_000), self_collision=False)",
    ),
    "a track": (PANDA, "arm.track(circle(9 if small else 600_000))"),
    "a track among obstacles": (
        PANDA + "ground = [PointCloud(rng.uniform(-1.0, 1.0, (3000, 3)) - [0.0, 0.0, 1.5], 0.02)]",
        "arm.track(circle(9 if small else 200_000), obstacles=ground)",
    ),
    "a track that looks ahead": (PANDA, "arm.track(line(9 if small else 200_000))"),
    "a map": (PANDA, "make_map(arm, folder / str(small), resolution=0.9 if small else 0.02, workers={threads})"),
    "a map among obstacles": (
        PANDA + CLOUD,
        "make_map(arm, folder / str(small), resolution=1.2 if small else 0.02, orientations=1 if small else 500, "
        "obstacles=cloud, workers={threads})",
    ),
    "a file of targets": (
        PANDA + "np.save(folder / 'small.npy', far[:2])\nnp.save(folder / 'in.npy', np.tile(far, (999, 1, 1)))",
        "solve_file(arm, folder / ('small.npy' if small else 'in.npy'), folder / f'{{small}}.npz', explain=True, "
        "workers={threads})",
    ),
}
PATHS = """
def circle(count):
    turn = np.linspace(0.0, 2.0 * np.pi, count)
    poses = np.tile(np.diag([1.0, -1.0, -1.0, 1.0]), (count, 1, 1))
    poses[:, :3, 3] = np.stack([0.45 + 0.1 * np.cos(turn), 0.1 * np.sin(turn), 0.45 + 0.0 * turn], axis=1)
    return poses
def line(count):
    poses = circle(count)
    poses[:, :3, 3] = np.linspace([0.5, 0.0, 0.3], [0.2, 0.6, 1.3], count)
    return poses
"""


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", CASES)
def test_ctrl_c_ends_it_soon(name, threads):
    before, work = CASES[name]
    if threads == 2 and "{threads}" not in work:
        pytest.skip("it has one thread")
    by_the_clock, of_processors = seconds_until_it_ends(
        CHILD.format(before=PATHS + before, work=work.format(threads=threads))
    )
    assert of_processors / threads < SOON
    assert by_the_clock < BUSY * SOON


def processor_time(process):
    """Seconds of processors that another process has had: Linux has a clock for each; elsewhere the clock of all."""
    if sys.platform == "linux":
        return time.clock_gettime(~process.pid << 3 | 2)
    return time.monotonic()


def seconds_until_it_ends(code):
    """From Ctrl-C in the middle of the work to the end of its last thread: by the clock, and of processors."""
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        line = child.stdout.readline()
        while line.startswith("forearm: compiling"):
            line = child.stdout.readline()
        if line.strip() != "ready":
            child.kill()  # it goes on for ever
        assert line.strip() == "ready", line + child.stdout.read()
        time.sleep(UNDER_WAY)
        assert child.poll() is None, child.stdout.read()
        sent, had = time.monotonic(), processor_time(child)
        child.send_signal(signal.SIGINT)
        said, _ = child.communicate(timeout=WAIT)
    finally:
        child.kill()
        child.wait()
        child.stdout.close()
    word, at, has, alive = said.split()[-4:]
    assert (word, alive, child.returncode) == ("interrupted", "1", 0), said
    return float(at) - sent, float(has if sys.platform == "linux" else at) - had
