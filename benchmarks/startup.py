"""How long a first answer takes in a fresh process beside numpy's import, and a first call of each kind its second.

python benchmarks/startup.py            # the best of some rounds, ratios in one run
python benchmarks/startup.py --size     # also the size of what is installed
python benchmarks/startup.py --jit      # also a hot solve on kernels compiled ahead beside just in time (needs Numba)
"""

import argparse
import json
import os
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path

ROUNDS = 7
SOLVE = "import forearm as fa; r = fa.load('ur5'); r.solve(r.fk([0.3, -1.2, 1.5, -0.4, 1.0, 0.2]))"
CASES = {
    "python alone": "pass",
    "import numpy": "import numpy",
    "import forearm": "import forearm",
    "import, load ur5, fk, solve": SOLVE,
}
# a first call and its second, timed inside a fresh process
CALLS = {
    "solve, ur5": ("r = fa.load('ur5'); T = r.fk(r.neutral + 0.3)", "r.solve(T)"),
    "solve, panda": ("r = fa.load('panda'); T = r.fk(r.neutral + 0.1)", "r.solve(T)"),
    "solve, missed and explained": ("r = fa.load('ur5'); T = fa.Position([2.0, 0.0, 0.5])", "r.solve(T)"),
    "solve, obstacles": (
        "r = fa.load('ur5'); T = r.fk(r.neutral + 0.3); s = [fa.Sphere([0.4, 0.4, 0.4], 0.05)]",
        "r.solve(T, obstacles=s)",
    ),
    "track": (
        "r = fa.load('ur5'); q = r.neutral + 0.3; T = r.fk(np.linspace(q, q + 0.2, 20))",
        "r.track(T, q)",
    ),
    "solve_all": ("r = fa.load('ur5'); T = r.fk(r.neutral + 0.3)", "r.solve_all(T)"),
    "solve_batch": ("r = fa.load('ur5'); T = r.fk(r.sample(100))", "r.solve_batch(T)"),
    "combined": ("r = fa.load('ur5'); T = r.fk(r.neutral + 0.3)", "r.solve(T, method='combined')"),
    "fabrik-r": ("r = fa.load('ur5'); T = r.fk(r.neutral + 0.3)", "r.solve(T, method='fabrik-r')"),
    "Chain, fabrik": ("c = fa.Chain(np.linspace([0, 0, 0], [1, 0, 0], 11))", "c.solve([0.3, 0.3, 0.2])"),
    "Chain, bezier": (
        "c = fa.Chain(np.linspace([0, 0, 0], [1, 0, 0], 11))",
        "c.solve([0.3, 0.3, 0.2], method='bezier')",
    ),
    "Skeleton": (
        "s = fa.Skeleton({'a': (None, [0, 0, 1]), 'l': ('a', [0, 1, 1.5]), 'r': ('a', [0, -1, 1.5])})",
        "s.solve({'l': [0.2, 0.9, 1.3]})",
    ),
}

HOT = """
import time
import forearm as fa
r = fa.load(ARM)
targets = [r.fk(q) for q in r.sample(200, 1)]
best = [float("inf")] * len(targets)
for _ in range(60):
    for k, T in enumerate(targets):
        start = time.perf_counter()
        r.solve(T)
        best[k] = min(best[k], time.perf_counter() - start)
print(sorted(best)[len(best) // 2])
"""


def seconds(code: str) -> float:
    """Wall time of a fresh interpreter running some code."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


def first_and_second(setup: str, call: str) -> tuple[float, float]:
    """Seconds of a call and of its repetition in a fresh interpreter."""
    code = (
        "import json, time; import numpy as np; import forearm as fa\n"
        f"{setup}\nt = [time.perf_counter()]\n"
        f"for _ in range(2):\n    {call}\n    t.append(time.perf_counter())\n"
        "print(json.dumps([t[1] - t[0], t[2] - t[1]]))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    first, second = json.loads(done.stdout)
    return first, second


def hot_solves(arm: str) -> tuple[float, float]:
    """Microseconds of a solve as Python sees it, compiled ahead and just in time: medians, best of some rounds."""
    seen: dict[str, list[float]] = {"compiled": [], "jit": []}
    for _ in range(ROUNDS):
        for way, times in seen.items():
            env, code = os.environ | {"FOREARM_KERNELS": way}, HOT.replace("ARM", repr(arm))
            done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=env)
            times.append(1e6 * float(done.stdout))
    return min(seen["compiled"]), min(seen["jit"])


def installed_size(name: str, seen: set[str]) -> int:
    """Bytes of a distribution and of all that it requires without an extra."""
    if name in seen:
        return 0
    seen.add(name)
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return 0
    own = sum(size for file in found.files or () if (size := _size(Path(str(found.locate_file(file))))))
    needs = [text.split(";")[0] for text in found.requires or () if ";" not in text]
    words = [need.translate(str.maketrans("<>=!~[(", "       ")).split()[0] for need in needs]
    return own + sum(installed_size(word, seen) for word in words)


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def main() -> None:
    """Prints the best of some rounds for each case; the rounds interleave."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", action="store_true", help="also print the size of what is installed")
    parser.add_argument("--jit", action="store_true", help="also time hot solves on kernels compiled just in time")
    options = parser.parse_args()
    subprocess.run([sys.executable, "-c", SOLVE], check=True)  # writes what Python keeps of the sources
    best = dict.fromkeys(CASES, float("inf"))
    for _ in range(ROUNDS):
        for name, code in CASES.items():
            best[name] = min(best[name], seconds(code))
    bare = best["import numpy"]
    for name, value in best.items():
        print(f"{name:<32} {value:6.3f} s   {value / bare:5.2f} of numpy's import")
    print(f"\n{'a first call, and its second':<32} {'first':>9} {'second':>9}   first waits")
    for name, (setup, call) in CALLS.items():
        first, second = min(first_and_second(setup, call) for _ in range(3))
        print(f"{name:<32} {1e3 * first:6.1f} ms {1e3 * second:6.1f} ms   {1e3 * (first - second):6.1f} ms more")
    for arm in ("ur5", "iiwa14", "panda") if options.jit else ():
        ahead, jit = hot_solves(arm)
        print(f"hot solve, {arm:<8} {ahead:6.2f} us compiled ahead, {jit:6.2f} us just in time: {ahead / jit:.2f}")
    if options.size:
        seen: set[str] = set()
        total = installed_size("forearm", seen)
        print(f"\ninstalled: {total / 1e6:.0f} MB in {len(seen)} packages: {', '.join(sorted(seen))}")


if __name__ == "__main__":
    main()
