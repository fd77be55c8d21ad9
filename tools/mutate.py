"""Breaks the kernels of the three papers' methods, one line at a time, and asks tests and report whether they notice.

    python tools/mutate.py                # all; a table, exit code 1 if the tests miss one or the report too many
    python tools/mutate.py cone pivot     # those whose name holds one of these words

Works on a copy of the source tree. The tests of the method run uncompiled, the report of its paper on few targets.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORE = "src/forearm/core"
PLACE, STAGES = f"{CORE}/iterative/fabrik_r_place.py", f"{CORE}/iterative/fabrik_r_stages.py"
STEPS = "src/forearm/solve/methods/fabrik_r_tables.py"
SWEEP, REDUCE = f"{CORE}/combined/fabrik.py", f"{CORE}/combined/reduce.py"
COMPLETE, CHOICE = f"{CORE}/combined/complete.py", f"{CORE}/combined/choice.py"
PAPER = f"{CORE}/bezier/paper.py"
NEEDED = 15  # of these the report must notice

TESTS = {
    "fabrik-r": (
        "tests/core/iterative",
        "tests/solve/methods/test_fabrik_r_tables.py",
        "tests/reproduce/fabrik_r/test_tables.py",
    ),
    "combined": (
        "tests/core/combined",
        "tests/solve/methods/test_combined.py",
        "tests/reproduce/combined/test_tables.py",
    ),
    "bezier": ("tests/core/bezier", "tests/bones/bezier/test_paper.py", "tests/bones/test_traces.py"),
}
TARGETS = {"fabrik-r": 200, "combined": 300, "bezier": 200}
REPORT = """
import sys
from forearm.reproduce import Sampling
from forearm.reproduce.checks import check
from forearm.reproduce.papers import PAPERS
from forearm.reproduce.report import sentence
name, sampling = sys.argv[1], Sampling(int(sys.argv[2]))
checks = check(name, PAPERS[name].tables(sampling, lambda _: None), sampling)
missed = [sentence(one) for one in checks if not one.held and not one.reason]
print(*missed[:3], sep="\\n")
sys.exit(1 if missed else 0)
"""


@dataclass(frozen=True)
class Mutation:
    """One line of a kernel, changed."""

    name: str
    paper: str
    file: str
    old: str
    new: str


def _of(paper: str, *rows: tuple[str, str, str, str]) -> tuple[Mutation, ...]:
    return tuple(Mutation(name, paper, file, old, new) for name, file, old, new in rows)


MUTATIONS = (
    *_of(
        "fabrik-r",
        ("offset dropped", PLACE, "uz * wz - c  #", "uz * wz  #"),
        ("Eq. (6) with the wrong sign", PLACE, "clamp(-C / h, -1.0, 1.0)", "clamp(C / h, -1.0, 1.0)"),
        ("root by least change", PLACE, "if abs(gain) > TIE * h", "if False and abs(gain) > TIE * h"),
        (
            "root outside the limits",
            PLACE,
            "return first if first_fits else second",
            "return second if first_fits else first",
        ),
        (
            "closest turned backward",
            PLACE,
            "return turn_to(math.atan2(b, a), mover)",
            "return turn_to(-math.atan2(b, a), mover)",
        ),
        ("no pivot rule", STEPS, "if self.is_on_axis(j, m):", "if False:"),
        (
            "nearest point instead of FIND_CONCURRENT",
            STEPS,
            "furthest = range(m + 1) if prev > m else range(self.n, m - 1, -1)",
            "furthest = (m,)",
        ),
        ("wrist not aligned", STEPS, "part[n - 1, place.STEP] = place.ALIGN", "part[n - 1, place.STEP] = place.KEEP"),
        ("last joint not spun", STAGES, "angle = math.atan2(b, a)", "angle = 0.0"),
    ),
    *_of(
        "combined",
        ("one theta1", REDUCE, "    for k in range(found):\n        q1 =", "    for k in range(1):\n        q1 ="),
        ("one sign of l5", REDUCE, "q5 = q5a if k == 0 else q5b", "q5 = q5a"),
        (
            "Eq. (9) with the wrong sign",
            REDUCE,
            "write_target(minus(y, apply(rotation(h, theta), wrist)), row)",
            "write_target(plus(y, apply(rotation(h, theta), wrist)), row)",
        ),
        (
            "no cone",
            REDUCE,
            "cone = widest(limits, 1, facts[CONE]) if facts[SIGNS] > 0.0 else math.pi",
            "cone = math.pi",
        ),
        ("clamp to the wrong end", SWEEP, "HIGH_END if mx * vy - my * vx > 0.0", "HIGH_END if mx * vy - my * vx < 0.0"),
        (
            "lengths swapped in the forward phase",
            SWEEP,
            "forward_reach(target, lengths[1], elbow))",
            "forward_reach(target, lengths[0], elbow))",
        ),
        ("start always bent", SWEEP, "bend = BEND if", "bend = BEND if True or"),
        (
            "mirrored elbow half turned",
            COMPLETE,
            "return phi1 + 2.0 * math.atan2(across, along), -phi2",
            "return phi1 + math.atan2(across, along), -phi2",
        ),
        ("wrong norm in Eq. (19)", CHOICE, "            total += move\n", "            total = max(total, move)\n"),
        ("limits of other joints ignored", CHOICE, "elbow = ALL if not published else 3 if", "elbow = 3 if"),
        (
            "free turn not searched",
            f"{CORE}/combined/singular.py",
            "return least < math.inf, best",
            "return False, best",
        ),
    ),
    *_of(
        "bezier",
        (
            "misprinted basis",
            PAPER,
            "middle, last = 2.0 * t * (1.0 - t), t * t",
            "middle, last = (1.0 - t) * 2.0 * (1.0 - t) * t, t * t",
        ),
        ("half the linear search", PAPER, "    for k in range(steps):", "    for k in range(steps // 2):"),
        ("bound never extended", PAPER, "if low == half and gap > 0.0 and middle == 0:", "if False:"),
        (
            "step 8b over the whole curve",
            PAPER,
            "low, up, probes = start, points - 1, 0",
            "low, up, probes = 0, points - 1, 0",
        ),
        (
            "bisection turned round",
            PAPER,
            "if gap > 0.0:\n            up = middle - 1",
            "if gap < 0.0:\n            up = middle - 1",
        ),
        ("no reflection", "src/forearm/bones/bezier_paper.py", "top = -top if reflected else top", "top = abs(top)"),
        ("shift ignored", "src/forearm/bones/bezier_paper.py", "float(options.shift) + side", "float(options.shift)"),
    ),
)


def noticed(command: list[str], copy: Path, **environment: str) -> tuple[bool, str]:
    """Whether a command ends with an error on the copy, and its last words."""
    own = {"PYTHONPATH": str(copy / "src"), "NUMBA_CACHE_DIR": str(copy / "cache"), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, *command],
        cwd=copy,
        env=os.environ | own | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = (done.stdout.strip() or done.stderr.strip()).splitlines()
    return done.returncode != 0, lines[-1][:110] if lines else ""


def ask(mutation: Mutation, copy: Path) -> tuple[bool, bool]:
    """Whether the tests and the report notice one mutation; told on the way."""
    file = copy / mutation.file
    text, times = file.read_text(encoding="utf-8"), file.stat()
    if text.count(mutation.old) != 1:
        raise SystemExit(
            f"{mutation.name}: {mutation.old!r} stands {text.count(mutation.old)} times in {mutation.file}"
        )
    file.write_text(text.replace(mutation.old, mutation.new), encoding="utf-8")
    tests = [
        "-m",
        "pytest",
        "-n",
        "0",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "-m",
        "not compiled",
        *TESTS[mutation.paper],
    ]
    by_tests, test = noticed(tests, copy, NUMBA_DISABLE_JIT="1")
    by_report, number = noticed(["-c", REPORT, mutation.paper, str(TARGETS[mutation.paper])], copy)
    file.write_text(text, encoding="utf-8")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    words = f"tests {'yes' if by_tests else 'NO':4} report {'yes' if by_report else 'no'}"
    print(f"{mutation.paper:9} {mutation.name:42} {words}\n          {test}\n          {number}", flush=True)
    return by_tests, by_report


def main() -> int:
    """Asks about all mutations, or those named; 1 if too many pass unnoticed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="only mutations whose name or paper holds one of these")
    parser.add_argument("--copy", type=Path, help="where the copy lies; a directory of its own by default")
    given = parser.parse_args()
    chosen = [one for one in MUTATIONS if not given.words or any(w in f"{one.paper} {one.name}" for w in given.words)]
    copy = given.copy or Path(tempfile.mkdtemp(prefix="forearm-mutate-"))
    for folder in ("src", "tests", "benchmarks"):
        shutil.copytree(ROOT / folder, copy / folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy2(ROOT / "pyproject.toml", copy)
    found = [ask(one, copy) for one in chosen]
    by_tests, by_report = (sum(each) for each in zip(*found, strict=True))
    print(f"{len(found)} mutations: the tests notice {by_tests}, the report {by_report}")
    enough = by_report >= (NEEDED if len(found) == len(MUTATIONS) else 0)
    return 0 if by_tests == len(found) and enough else 1


if __name__ == "__main__":
    sys.exit(main())
