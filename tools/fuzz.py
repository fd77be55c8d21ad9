"""Gives every reader files that no one would write, and names those that it does not refuse in words.

    python tools/fuzz.py                          # 100,000 inputs, all kinds, on all processors
    python tools/fuzz.py --kind xacro --count 500
    python tools/fuzz.py --seed 7 --only 1234     # one input again, with its traceback
    python tools/fuzz.py --only 93197 --after 83907   # again, in a process that has read others before

An input is found guilty of: an exception that is none of forearm's own, more than 5 s (of a processor, as other work on
the machine is not its fault; or of waiting), more than 500 MB, a file opened outside of the folder it lies in, a
process started, code run, a file written, or the end of the process. The same seed makes the same inputs. What is
found is written to `--keep`; put it into `tests/corpus/found` with its cure.
"""

import argparse
import json
import math
import mmap
import os
import resource
import signal
import struct
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from fuzz_inputs import CORPUS, KINDS, Input, make_input

SECONDS, MEGABYTES = 5.0, 500
WAITING = 0.01  # share of a processor below which it waits for something
SILENCE = 20.0  # seconds after which a process that cannot be interrupted is ended, if it had its share of a processor
STARTED = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.spawn", "pty.spawn")
CODE = ("exec", "pickle.find_class", "ctypes.dlopen")
CHANGED = ("os.remove", "os.mkdir", "os.rmdir", "os.rename", "os.chmod", "os.truncate", "shutil.rmtree", "os.symlink")
NETWORK = ("socket.connect", "socket.bind", "urllib.Request")
OUTSIDE = ("outside.xml", "outside.xacro", "outside.yaml", "outside.stl", "outside.csv")
TOLERANCE = (1e-6, 1e-6)
WARM = 300  # inputs that are read before any is judged


class TooLongError(BaseException):
    """An input took too long."""


# -- what is done with an input ------------------------------------------------------------------


def readers() -> dict[str, Callable[[Path], object]]:
    """What reads each kind of file; imported beforehand, so that nothing is loaded while it is watched."""
    import mujoco  # noqa: F401, PLC0415
    import pyarrow.parquet  # noqa: F401, PLC0415
    import trimesh  # noqa: F401, PLC0415
    import yaml  # noqa: F401, PLC0415

    from forearm.arm.bodies import make_bodies  # noqa: PLC0415
    from forearm.models.collision import read_srdf  # noqa: PLC0415
    from forearm.robot import Robot  # noqa: PLC0415
    from forearm.scenes.file import read_scene  # noqa: PLC0415
    from forearm.targets import columns  # noqa: PLC0415
    from forearm.targets.files import open_targets, read_targets  # noqa: PLC0415

    def read_rows(path: Path) -> None:
        file = open_targets(path)
        kind = columns.kind_of(file.names, path)
        columns.check_starts(file.names, ("a", "b"), path)
        for first, block in enumerate(file.blocks(20)):
            columns.targets_of(block, kind, 20 * first, path, TOLERANCE)
            columns.starts_of(block, ("a", "b"), 20 * first, path)

    def read_path(path: Path) -> None:
        read_targets(path, TOLERANCE, 1000.0, 57.3)

    def both(path: Path) -> None:
        refused: list[Exception] = []
        for read in (read_rows, read_path):
            try:
                read(path)
            except errors() as problem:
                refused.append(problem)
        if len(refused) == 2:
            raise refused[0]

    def with_shapes(read: Callable[[Path], Any]) -> Callable[[Path], object]:
        return lambda path: make_bodies(read(path).model)

    return {
        "urdf": with_shapes(Robot.from_urdf),
        "xacro": with_shapes(Robot.from_xacro),
        "mjcf": Robot.from_mjcf,
        "srdf": read_srdf,
        "robot": Robot.from_toml,
        "scene": read_scene,
        **dict.fromkeys(("csv", "json", "parquet", "npz", "npy"), both),
    }


def warmed(folder: Path) -> dict[str, Callable[[Path], object]]:
    """The readers, once they have read what they can: what is loaded late is then there."""
    read = readers()
    for number in range(WARM):
        given = make_input(-1, number)
        (folder / given.name).write_bytes(given.data)
        with suppress(Exception):
            read[given.kind](folder / given.name)
    return read


def errors() -> type[Exception]:
    """What a reader may raise."""
    from forearm.errors import ForearmError  # noqa: PLC0415

    return ForearmError


class Watch:
    """Watches what Python does while an input is read; it cannot be taken away once it is there."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.on, self.seen = os.path.realpath(folder), False, ""
        self.known = tuple(os.path.realpath(path) for path in {sys.prefix, sys.base_prefix, *sys.path} if path)
        sys.addaudithook(self.hear)

    def hear(self, event: str, args: tuple[Any, ...]) -> None:
        """Called by Python for everything that it does."""
        if not self.on or self.seen:
            return
        self.on = False  # what is done here is not to be heard
        try:
            if event == "open":
                self.seen = self.opened(args)
            elif event in STARTED or event in CODE or event in CHANGED or event in NETWORK:
                shown = getattr(args[0], "co_filename", args[0]) if args else ""
                imported = event == "exec" and str(shown).startswith(self.known)
                self.seen = "" if imported else f"{event} {str(shown)[:200]!r}"
        finally:
            self.on = True

    def opened(self, args: tuple[Any, ...]) -> str:
        """What is wrong with opening a file, or nothing."""
        path, flags = args[0], args[2]
        if isinstance(path, int) or path is None:
            return ""
        real = os.path.realpath(os.fsdecode(path))
        if isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            return f"it writes {real!r}"
        if real.startswith(self.folder + os.sep):
            return ""
        program = real.startswith(self.known) and real.endswith((".py", ".pyc", ".so", ".zip"))
        return "" if program or os.path.basename(real) == "package.xml" else f"it reads {real!r}"


def judge(given: Input, folder: Path, watch: Watch, read: Callable[[Path], object]) -> tuple[str, str]:
    """Whether an input is "read", "refused" or "guilty", and of what, in words."""
    path = folder / given.name
    path.write_bytes(given.data)
    before = peak()
    begin = time.process_time()
    start_clocks()
    watch.seen, watch.on = "", True
    verdict, told = "read", ""
    try:
        read(path)
    except errors() as problem:
        verdict, told = "refused", str(problem)
    except TooLongError:
        told = f"it {sys.exc_info()[1]} more than {SECONDS:g} s: {where(sys.exc_info()[1])}"
    except BaseException as problem:
        told = f"{type(problem).__name__}: {str(problem)[:300]} {where(problem)}"
    finally:
        watch.on = False
        stop_clocks()
    guilty = told if verdict != "refused" else ""
    took = time.process_time() - begin
    if took > SECONDS:
        guilty = guilty or f"it takes {took:.1f} s"
    if peak() - before > MEGABYTES:
        guilty = guilty or f"it takes {peak() - before} MB"
    guilty = watch.seen or guilty
    if verdict == "refused" and not guilty and ("\n" in told or not told.isprintable() or len(told) > 3000):
        guilty = f"its message is no line of text: {told[:200]!r}"
    return ("guilty", guilty) if guilty else (verdict, "")


def start_clocks() -> None:
    """Raises `TooLongError` once this process has computed, or waited, for too long."""
    last = time.process_time()

    def computes(*_: object) -> None:
        raise TooLongError("takes")

    def waits(*_: object) -> None:
        nonlocal last
        before, last = last, time.process_time()
        if last - before < WAITING * SECONDS:
            raise TooLongError("waits")

    signal.signal(signal.SIGPROF, computes)
    signal.signal(signal.SIGALRM, waits)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.setitimer(signal.ITIMER_REAL, SECONDS, SECONDS)


def stop_clocks() -> None:
    """Undoes `start_clocks`."""
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    signal.setitimer(signal.ITIMER_REAL, 0.0)


def where(problem: BaseException | None) -> str:
    """The last places of a traceback."""
    frames = traceback.extract_tb(problem.__traceback__) if problem else []
    return " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(frames[-4:]))


def peak() -> int:
    """The most memory that this process has had [MB]."""
    status = Path("/proc/self/status")  # where there is one: what getrusage tells begins with the parent's peak
    lines = status.read_text().splitlines() if status.exists() else []
    peak = [int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
    return (peak or [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss])[0] // 1024


# -- processes -----------------------------------------------------------------------------------


@contextmanager
def workshop() -> Iterator[Path]:
    """A folder for inputs, with what they may read in it and what they may not beside it."""
    with tempfile.TemporaryDirectory(prefix="forearm-fuzz-") as name:
        folder = Path(name) / "allowed"
        folder.mkdir()
        before = os.environ.get("FOREARM_CACHE_DIR")
        os.environ["FOREARM_CACHE_DIR"] = ""  # no fit of a shape is kept: it would be read and written outside
        for outside in OUTSIDE:
            os.mkfifo(folder.parent / outside)  # whoever opens it waits for ever
        os.mkfifo(folder / "pipe")
        for file in CORPUS.glob("*/*"):
            (folder / file.name).write_bytes(file.read_bytes())
        os.chdir(folder)
        yield folder
        os.chdir("/")
        if before is None:
            del os.environ["FOREARM_CACHE_DIR"]
        else:
            os.environ["FOREARM_CACHE_DIR"] = before


def work(numbers: list[int], options: argparse.Namespace, place: Any, out: int) -> None:
    """Judges inputs in a process of its own and writes a line for each; `place` holds the number it is at."""
    warnings.simplefilter("error", RuntimeWarning)
    with workshop() as folder, os.fdopen(out, "w", buffering=1) as lines:
        read, watch = warmed(folder), Watch(folder)
        limit = 8 * 1024**3
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        for number in numbers:
            place[:24] = struct.pack("qdd", number, time.time(), time.process_time())
            given = make_input(options.seed, number, options.kind)
            verdict, told = judge(given, folder, watch, read[given.kind])
            lines.write(json.dumps([number, given.kind, verdict, told]) + "\n")
            if peak() > 2000:
                break  # its peak hides those of the next
        place[:24] = struct.pack("qdd", -1, time.time(), 0.0)
    os._exit(0)


def hangs(passed: float, computed: float) -> bool:
    """Whether a process that is silent hangs, rather than waits for its turn on a busy machine."""
    return passed > SILENCE and (computed > 2.0 * SECONDS or computed < WAITING * passed)


def seconds_of(pid: int) -> float:
    """What a process has had of processors [s]; without end where the system does not tell."""
    status = Path(f"/proc/{pid}/stat")
    if not status.exists():
        return math.inf
    user, kernel = status.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(kernel)) / os.sysconf("SC_CLK_TCK")


class Worker:
    """A process that judges numbers, and is started again behind the one that ends it."""

    def __init__(self, numbers: list[int], options: argparse.Namespace) -> None:
        self.left, self.options = numbers, options
        self.place = mmap.mmap(-1, 24)
        self.pid = 0
        self.lines: Any = None

    def start(self) -> None:
        """Starts the process."""
        read, write = os.pipe()
        self.place[:24] = struct.pack("qdd", -1, time.time(), 0.0)
        self.pid = os.fork()
        if self.pid == 0:
            os.close(read)
            try:
                work(self.left, self.options, self.place, write)
            except BaseException:
                traceback.print_exc()
            os._exit(1)
        os.close(write)
        os.set_blocking(read, False)
        self.lines, self.rest = read, b""

    def look(self) -> list[list[Any]]:
        """The verdicts since the last look; starts the process again where an input ended it."""
        if self.pid == 0:
            if not self.left:
                return []
            self.start()
        number, since, computed = struct.unpack("qdd", self.place[:24])
        ended, code = os.waitpid(self.pid, os.WNOHANG)
        if not ended and number >= 0 and hangs(time.time() - since, seconds_of(self.pid) - computed):
            os.kill(self.pid, signal.SIGKILL)
            ended, code = os.waitpid(self.pid, 0)
        found = self.verdicts()
        if ended:
            os.close(self.lines)
            self.pid = 0
            if os.WIFSIGNALED(code) and number >= 0 and (not found or found[-1][0] != number):
                why = (
                    "it never ends"
                    if os.WTERMSIG(code) == signal.SIGKILL
                    else f"it ends the process ({os.WTERMSIG(code)})"
                )
                found.append([number, make_input(self.options.seed, number, self.options.kind).kind, "guilty", why])
        done = {row[0] for row in found}
        self.left = [each for each in self.left if each not in done] if done else self.left
        return found

    def verdicts(self) -> list[list[Any]]:
        """The lines that the process has written."""
        while True:
            try:
                data = os.read(self.lines, 1 << 20)
            except BlockingIOError:
                break
            if not data:
                break
            self.rest += data
        *whole, self.rest = self.rest.split(b"\n")
        return [json.loads(line) for line in whole]


def run(options: argparse.Namespace) -> int:
    """Judges all inputs on several processes; gives the number of those found guilty."""
    from forearm.common.bars import drawing  # noqa: PLC0415

    workers = [Worker(list(range(k, options.count, options.workers)), options) for k in range(options.workers)]
    counts: Counter[tuple[str, str]] = Counter()
    begin, done, guilty = time.monotonic(), 0, 0
    with drawing("fuzzing", "inputs") as draw:
        while done < options.count:
            for number, kind, verdict, told in (row for worker in workers for row in worker.look()):
                counts[kind, verdict] += 1
                done += 1
                if verdict == "guilty":
                    guilty += 1
                    print(f"--seed {options.seed} --only {number} ({kind}): {told}", flush=True)
                    keep(make_input(options.seed, number, options.kind), number, options)
            draw(done, options.count)
            time.sleep(0.2)
    print(f"{'kind':<8} {'read':>8} {'refused':>8} {'guilty':>8}")
    for kind in options.kind:
        print(f"{kind:<8} " + " ".join(f"{counts[kind, verdict]:>8,}" for verdict in ("read", "refused", "guilty")))
    took = time.monotonic() - begin
    print(f"{done:,} inputs of seed {options.seed} in {took:.0f} s ({done / took:.0f}/s); guilty: {guilty}")
    return guilty


def keep(given: Input, number: int, options: argparse.Namespace) -> None:
    """Writes a guilty input down."""
    options.keep.mkdir(parents=True, exist_ok=True)
    name = f"{given.kind}-{options.seed}-{number}{Path(given.name).suffix}"
    (options.keep / name).write_bytes(given.data)


def again(options: argparse.Namespace) -> int:
    """Reads one input again, and shows it and what comes of it."""
    given = make_input(options.seed, options.only, options.kind)
    keep(given, options.only, options)
    with workshop() as folder:
        read, watch = warmed(folder), Watch(folder)
        for number in options.after:
            before = make_input(options.seed, number, options.kind)
            print(f"before it, {before.kind} {number}:", *judge(before, folder, watch, read[before.kind]), flush=True)
        verdict, told = judge(given, folder, watch, read[given.kind])
        print(f"{given.kind}, {len(given.data):,} bytes: {verdict} {told}")
        print(given.data[:2000].decode("utf-8", "backslashreplace"))
        try:
            read[given.kind](folder / given.name)
        except Exception:
            traceback.print_exc()
    return verdict == "guilty"


def main() -> int:
    """Reads the flags."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100_000, help="how many inputs")
    parser.add_argument("--seed", type=int, default=0, help="of the inputs")
    parser.add_argument("--kind", nargs="*", default=KINDS, choices=KINDS, help="what is fuzzed")
    parser.add_argument("--only", type=int, help="one input again, by its number")
    parser.add_argument("--after", type=int, nargs="*", default=(), help="inputs to read before it, by their numbers")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="how many processes")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-found"), help="where guilty inputs are written")
    options = parser.parse_args()
    options.kind, options.keep = tuple(options.kind), options.keep.absolute()
    return min(1, run(options) if options.only is None else again(options))


if __name__ == "__main__":
    sys.exit(main())
