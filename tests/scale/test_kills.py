"""Runs that are killed, clusters that lose workers and schedulers: the same bytes as an undisturbed run."""

import re
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from processes import (
    WAIT,
    assert_same_map,
    chunk_files,
    files_of,
    forearm,
    forearm_here,
    free_port,
    json_of,
    start,
    wait_until,
)

import forearm as fa
from forearm.errors import ForearmError, OptionError
from forearm.scale import make_map, run
from forearm.scale.run import ClusterPool, run_all

# 343 voxels in 64 chunks, some seconds of one processor: long enough to be killed in the middle.
MIDDLE = {"resolution": 0.3, "orientations": 60, "chunk": 2, "tries": 60}
WORDS = tuple(word for key, value in MIDDLE.items() for word in (f"--{key}", str(value)))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    path = tmp_path_factory.mktemp("undisturbed") / "panda.zarr"
    make_map(fa.load("panda"), path, **MIDDLE)
    return path


def begun(path, *more):
    """A run that has written some chunks, and is in the middle of its work."""
    process = start("-m", "forearm", "map", "panda", *WORDS, "--out", path, *more)
    wait_until(lambda: process.poll() is not None or len(chunk_files(path)) >= 4, "the first chunks")
    assert process.poll() is None, process.stdout.read()
    return process


def total(path):
    return len(list(fa.load_map(path).arrays["share"].places()))


@pytest.mark.compiled
def test_a_killed_run_goes_on_and_ends_with_the_same_bytes(undisturbed, tmp_path):
    path = tmp_path / "panda.zarr"
    process = begun(path, "--workers", "1")
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=WAIT)
    stopped = len(chunk_files(path))
    assert 0 < stopped < total(path)
    code, said = forearm("map", "panda", *WORDS, "--out", path)
    assert code == 2
    assert "--resume goes on" in said
    code, said = forearm("map", "panda", *WORDS, "--out", path, "--resume")
    assert code == 0, said
    assert_same_map(undisturbed, path)


URDF = """<robot name="arm"><link name="base"/><link name="tip"/>
{links}
<joint name="end" type="fixed"><parent link="l6"/><child link="tip"/><origin xyz="0 0 0.1"/></joint></robot>"""
JOINT = """<link name="l{k}"/><joint name="j{k}" type="revolute"><parent link="{parent}"/><child link="l{k}"/>
<origin xyz="0 0 0.15"/><axis xyz="{axis}"/><limit lower="-2" upper="2" velocity="1" effort="1"/></joint>"""
AXES = ("0 0 1", "0 1 0", "0 1 0", "0 0 1", "0 1 0", "0 0 1", "0 1 0")
SCENE = """[[box]]
center = [0.5, 0.0, 0.3]
size = [0.2, 0.2, 0.2]
"""


def inputs(folder):
    """An arm, a scene and targets as files."""
    parents = ("base", *(f"l{k}" for k in range(6)))
    links = "".join(JOINT.format(k=k, parent=parent, axis=AXES[k]) for k, parent in enumerate(parents))
    points = np.random.default_rng(1).uniform(-0.6, 0.6, (1500, 3))
    rows = "\n".join(",".join(f"{x:.9f}" for x in point) for point in points)
    texts = {"arm.urdf": URDF.format(links=links), "scene.toml": SCENE, "in.csv": f"x,y,z\n{rows}\n"}
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [folder / name for name in texts]


def refused(words, name, ask=forearm_here):
    """Whether a command refuses to go on, and names what differs."""
    code, said = ask(*words)
    assert code == 2, said
    assert re.search(rf"was begun with [a-z.]*{name} .* and this run has", said.replace("\n", " ")), said


@pytest.mark.compiled
@pytest.mark.parametrize("what", ["map", "solve-file"])
def test_a_killed_run_is_gone_on_with_by_the_same_settings_only(what, tmp_path):
    """Kill, change a setting or a byte of a file, resume: refused by name; change it back: the same bytes."""
    (arm, scene, targets), out, whole = inputs(tmp_path), tmp_path / "out.npz", tmp_path / "whole.npz"
    among = ("--obstacles", scene, "--clearance", "0.01", "--radius", "0.03", "--workers", "1")
    others = [("--radius", "0.031", "radius"), ("--clearance", "0.02", "clearance"), ("--tool", "0 0 0.01", "tool")]
    edits = [(arm, "0.15", "0.16", "links"), (scene, "0.3]", "0.4]", "obstacles")]
    if what == "map":
        words = ("map", arm, "--resolution", "0.25", "--chunk", "2", "--orientations", "4", "--tries", "20", *among)
        others += [("--tries", "21", "tries"), ("--orientations", "5", "orientations")]
    else:
        words = ("solve-file", arm, targets, "--rows", "15", "--option", "max_tries=20", *among)
        others += [("--option", "rng_seed=1", "rng_seed"), ("--tol", "1e-6 1e-5", "tol"), ("--rows", "16", "rows")]
        edits.append((targets, "7", "8", "targets"))
    code, said = forearm(*words, "--out", whole, timeout=4 * WAIT)
    assert code == 0, said
    parts = out / "share" if what == "map" else tmp_path / "out.npz.parts"
    process = start("-m", "forearm", *words, "--out", out)
    wait_until(lambda: process.poll() is not None or len(list(parts.rglob("[0-9]*"))) >= 6, "the first parts")
    assert process.poll() is None, process.stdout.read()
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=WAIT)
    again = (*words, "--out", out, "--resume")
    refused((*again, "--radius", "0.032"), "radius", forearm)  # as the shell has it; the others are asked here
    for flag, value, name in others:
        refused((*again, flag, value), name)
    for path, old, new, name in edits:
        before = path.read_text()
        assert old in before
        path.write_text(before.replace(old, new, 1))
        refused(again, name)
        path.write_text(before)
    code, said = forearm(*again, timeout=4 * WAIT)
    assert code == 0, said
    read = files_of if what == "map" else Path.read_bytes
    assert read(out) == read(whole)


@pytest.mark.compiled
def test_an_interrupt_says_how_to_go_on(tmp_path):
    path = tmp_path / "panda.zarr"
    process = begun(path, "--workers", "1", "--orientations", "600")  # half a minute, however busy the machine is
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=WAIT)
    assert process.returncode == 130, said
    assert "is written: --resume goes on" in said
    assert len(chunk_files(path)) < total(path)


@pytest.mark.compiled
def test_a_worker_killed_in_the_middle_loses_nothing(cluster, undisturbed, tmp_path):
    path = tmp_path / "panda.zarr"
    process = begun(path, "--scheduler", cluster.address)
    cluster.workers[0].send_signal(signal.SIGKILL)
    at_kill = len(chunk_files(path))
    said, _ = process.communicate(timeout=WAIT)
    assert process.returncode == 0, said
    assert at_kill < total(path)
    assert cluster.workers[0].wait(timeout=WAIT) == -signal.SIGKILL
    assert_same_map(undisturbed, path)


@pytest.mark.compiled
def test_a_scheduler_that_dies_ends_the_run_and_another_one_goes_on(cluster, undisturbed, tmp_path):
    path = tmp_path / "panda.zarr"
    process = begun(path, "--scheduler", cluster.address)
    cluster.scheduler.send_signal(signal.SIGKILL)
    said, _ = process.communicate(timeout=WAIT)
    assert process.returncode == 2, said
    assert f"the scheduler at {cluster.address} is gone" in said
    assert "chunks are still to do: --resume goes on" in said
    assert 0 < len(chunk_files(path)) < total(path)
    cluster.stop()
    cluster.port = free_port()
    cluster.start_scheduler()
    cluster.start_worker()
    cluster.start_worker()
    code, said = forearm("map", "panda", *WORDS, "--out", path, "--resume", "--scheduler", cluster.address)
    assert code == 0, said
    assert_same_map(undisturbed, path)


def test_a_result_that_dies_with_its_worker_is_made_again(cluster):
    """Finished but not yet taken: the other worker does it once more, and until then it has not ended."""
    with run.connected(cluster.address) as client:
        client.wait_for_workers(2, timeout=WAIT)
        pool = ClusterPool(client, cluster.address)
        futures = [pool.submit(time.sleep, 0.5) for _ in range(4)]
        wait_until(lambda: all(pool.ended(future) for future in futures), "the jobs")
        cluster.workers[0].send_signal(signal.SIGKILL)
        wait_until(lambda: not all(pool.ended(future) for future in futures), "the loss")
        wait_until(lambda: all(pool.ended(future) for future in futures), "the jobs again")
        assert [pool.result(future) for future in futures] == [None] * 4


def test_a_real_cluster_makes_the_map_that_this_process_makes(cluster, tmp_path):
    """Small enough to run uncompiled too; the command is a process of its own, as are scheduler and workers."""
    words = ("--resolution", "0.1", "--bounds", "-0.35, -0.35, -0.05, 0.35, 0.35, 0.05", "--chunk", "3")
    remote = ("--out", tmp_path / "there.zarr", "--scheduler", cluster.address)
    code, said = forearm("map", "planar-3", *words, *remote, "--json", timeout=2 * WAIT)
    assert code == 0, said
    assert json_of(said)["progress"] == 1.0
    code, said = forearm("map", "planar-3", *words, "--out", tmp_path / "here.zarr", timeout=2 * WAIT)
    assert code == 0, said
    assert_same_map(tmp_path / "here.zarr", tmp_path / "there.zarr")


# -- a cluster that misbehaves, without one ------------------------------------------------------


def test_an_address_where_nobody_answers_is_told_at_once(monkeypatch, tmp_path):
    pytest.importorskip("distributed")
    monkeypatch.setattr(run, "CONNECT", 1.0)
    with pytest.raises(OptionError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:"):
        make_map(fa.load("planar-3"), tmp_path / "m.zarr", resolution=0.3, scheduler=f"tcp://127.0.0.1:{free_port()}")


class Future:
    """A future of a cluster that is not there."""

    def __init__(self, status, value=None):
        self.status, self.value = status, value

    def result(self, timeout):
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


class Client:
    """A client whose cluster has as many threads as it is told."""

    status = "running"

    def __init__(self, threads=2, status="finished", value=1):
        self.threads, self.future = threads, (status, value)

    def nthreads(self):
        if isinstance(self.threads, Exception):
            raise self.threads
        return {"worker": self.threads} if self.threads else {}

    def submit(self, work, *args, pure, retries):
        assert (pure, retries) == (False, run.RETRIES)
        return Future(*self.future)

    def run(self, function, on_error):
        return {"worker": "0.0.0"}


def test_results_are_taken_for_every_job():
    taken = []
    run_all(ClusterPool(Client(), "here"), len, [(k,) for k in range(9)], lambda result, k: taken.append((k, result)))
    assert sorted(taken) == [(k, 1) for k in range(9)]


def test_a_future_that_was_given_up_ends_the_run():
    with pytest.raises(ForearmError, match="the scheduler at here is gone"):
        run_all(ClusterPool(Client(status="cancelled"), "here"), len, [(1,)], print)


def test_a_cluster_without_workers_is_given_up_after_some_time(monkeypatch):
    monkeypatch.setattr(run, "PATIENCE", 0.05)
    monkeypatch.setattr(run, "COUNT_WORKERS", 0.0)
    pool = ClusterPool(Client(threads=0, status="pending"), "here")
    pool.seen = time.monotonic()
    with pytest.raises(ForearmError, match="has no worker left"):
        run_all(pool, len, [(1,)], print)
    unsure = ClusterPool(Client(threads=OSError("gone"), status="pending"), "here")
    assert unsure.size == 1


class Killed(Exception):  # noqa: N818 (as the package calls its own)
    """What the distributed package raises for a job that kills its workers."""

    __module__ = "distributed.scheduler"


@pytest.mark.parametrize(
    ("problem", "kind", "match"),
    [
        (OptionError("wrong"), OptionError, "wrong"),
        (TimeoutError("late"), ForearmError, "the scheduler at here is gone"),
        (Killed("thrice"), ForearmError, "a job failed at here and in 3 retries: thrice"),
        (ZeroDivisionError("bug"), ZeroDivisionError, "bug"),
    ],
)
def test_what_a_job_raises_is_told_as_what_it_is(problem, kind, match):
    with pytest.raises(kind, match=match):
        run_all(ClusterPool(Client(status="error", value=problem), "here"), len, [(1,)], print)


def test_workers_with_another_version_are_refused():
    with pytest.raises(OptionError, match=r"worker worker has forearm 0.0.0 and this process"):
        run.check_workers(Client())
    assert run.version_there() == fa.__version__


def test_a_missing_package_is_named(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(ForearmError, match=r"pip install 'dask>=[\d.]+' 'distributed>=[\d.]+'$"):
        make_map(fa.load("planar-3"), tmp_path / "m.zarr", resolution=0.3, scheduler="tcp://127.0.0.1:1")
