"""Runs of the command line as processes of their own, and a real Dask cluster of processes."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import forearm
from forearm.cli import BAD_INPUT
from forearm.cli.app import app
from forearm.cli.shell_words import for_shell
from forearm.errors import ForearmError
from forearm.scale.zarr_files import UNFINISHED

WAIT = 60.0  # seconds, for anything: a test fails rather than hangs
SOURCE = Path(forearm.__file__).parents[1]  # children run what this process runs, installed or not


def environment():
    """That of this process, finding this source first."""
    path = os.pathsep.join([str(SOURCE), *filter(None, [os.environ.get("PYTHONPATH")])])
    return os.environ | {"PYTHONPATH": path, "COLUMNS": "200"}


def hear_interrupts():
    """Lets a process end by SIGINT: a shell that runs the tests in the background has it ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start(*words, log=None):
    """A process of this Python, its output in a pipe or in a file."""
    words = [sys.executable, *map(str, words)]
    how = {"stderr": subprocess.STDOUT, "text": True, "env": environment(), "preexec_fn": hear_interrupts}
    if log is None:
        return subprocess.Popen(words, stdout=subprocess.PIPE, **how)
    with log.open("w") as file:
        return subprocess.Popen(words, stdout=file, **how)


def forearm(*words, timeout=WAIT):
    """What a command printed, and its exit code."""
    done = subprocess.run(
        [sys.executable, "-m", "forearm", *map(str, words)],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=timeout,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def forearm_here(*words):
    """As `forearm`, in this process, which saves its start: for commands that are refused before they begin."""
    result = CliRunner().invoke(app, [*map(str, words)])
    if isinstance(result.exception, ForearmError):
        return BAD_INPUT, for_shell(result.exception.message)
    return result.exit_code, result.output


def wait_until(condition, what, timeout=WAIT):
    """Waits for a condition; fails after a time."""
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, f"waited {timeout:g} s for {what}"
        time.sleep(0.005)


def chunk_files(path):
    """The chunks of a map's share that are there."""
    return [file for file in (Path(path) / "share").rglob("*") if file.is_file() and not file.name.startswith(".")]


def files_of(path):
    """Every file below a directory with its bytes."""
    root = Path(path)
    assert not (root / UNFINISHED).exists()
    return {str(file.relative_to(root)): file.read_bytes() for file in root.rglob("*") if file.is_file()}


def assert_same_map(one, other):
    """Two maps have the same files, and the same numbers when decoded by the zarr package."""
    zarr = pytest.importorskip("zarr")
    assert files_of(one) == files_of(other)
    for name in ("share", "manipulability"):
        arrays = [np.asarray(zarr.open_array(str(Path(path) / name), mode="r")[:]) for path in (one, other)]
        np.testing.assert_array_equal(*arrays)


def free_port():
    """A port nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@dataclass
class Cluster:
    """A scheduler and its workers, each a process of its own."""

    folder: Path
    port: int = field(default_factory=free_port)
    scheduler: subprocess.Popen | None = None
    workers: list = field(default_factory=list)

    @property
    def address(self):
        return f"tcp://127.0.0.1:{self.port}"

    def start_scheduler(self):
        words = ("--host", "127.0.0.1", "--port", self.port, "--dashboard-address", "127.0.0.1:0")
        self.scheduler = start("-m", "dask", "scheduler", *words, log=self.folder / "scheduler.log")
        wait_until(self.answers, "the scheduler")

    def answers(self):
        assert self.scheduler.poll() is None, (self.folder / "scheduler.log").read_text()
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1.0):
            return True
        return False

    def start_worker(self):
        log = self.folder / f"worker-{len(self.workers)}.log"
        words = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0")
        place = ("--local-directory", self.folder / "space")
        self.workers.append(start("-m", "dask", "worker", self.address, *words, *place, log=log))

    def stop(self):
        for process in [*self.workers, self.scheduler]:
            if process is not None and process.poll() is None:
                process.send_signal(signal.SIGKILL)
            if process is not None:
                process.wait(timeout=WAIT)


def json_of(text):
    """The JSON document in what a command printed."""
    return json.JSONDecoder().raw_decode(text[text.index("{") :])[0]  # a bar may stand behind it
