"""How long a first answer takes in a fresh process with a warm cache, beside numpy's import."""

import subprocess
import sys
import time

ROUNDS = 5
SOLVE = "import forearm as fa; r = fa.load('ur5'); r.solve(r.fk([0.3, -1.2, 1.5, -0.4, 1.0, 0.2]))"
CASES = {
    "python alone": "pass",
    "import numpy": "import numpy",
    "import numba": "import numba",
    "import forearm": "import forearm",
    "import, load ur5, fk, solve": SOLVE,
}


def seconds(code: str) -> float:
    """Wall time of a fresh interpreter running some code."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


def main() -> None:
    """Prints the best of some rounds for each case; the rounds interleave."""
    subprocess.run([sys.executable, "-c", SOLVE], check=True)  # fills the cache
    best = dict.fromkeys(CASES, float("inf"))
    for _ in range(ROUNDS):
        for name, code in CASES.items():
            best[name] = min(best[name], seconds(code))
    for name, value in best.items():
        print(f"{name:<30} {value:6.2f} s")


if __name__ == "__main__":
    main()
